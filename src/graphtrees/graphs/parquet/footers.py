"""The footers of Parquet files: their columns and metadata, which have to agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees._layout import VALUE
from graphtrees._optional import require
from graphtrees.graphs.parquet.columns import (
    EDGE_TYPE,
    FEATURE_INDEX,
    FEATURE_VALUE,
    FEATURES,
    FLOAT32,
    NULL,
    OF_GRAPH,
    OF_VERTEX,
    SOURCE,
    TARGET,
    TEXT,
    Kind,
    check_kind,
    kind_of_type,
    names_of,
    wanted_of,
)
from graphtrees.graphs.parquet.metadata import KEY, Metadata, read_metadata

PURPOSE = "scan_parquet"


@dataclass(frozen=True)
class Footer:
    """What a file says of itself before its rows are read."""

    path: Path
    n_graphs: int
    kinds: dict[str, Kind]  # of all columns, in order
    metadata: Metadata

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that graphs are read from."""
        return tuple(column for column in self.kinds if wanted_of(column) is not None)

    def is_categorical(self, column: str) -> bool | None:
        """Whether a column holds categories; None where it holds nothing."""
        if column != EDGE_TYPE and not column.startswith((OF_VERTEX, OF_GRAPH)):
            return False
        if column == EDGE_TYPE or column in self.metadata.categories:
            return True
        kind = self.kinds[column]
        return None if kind.holds == NULL else kind.holds == TEXT


@contextmanager
def faults_of(path: Path, fault: str = "is a damaged Parquet file") -> Iterator[None]:
    """Errors about the contents of a file as ValueErrors that name it."""
    try:
        yield
    except Exception as error:
        of_arrow = type(error).__module__.partition(".")[0] == "pyarrow"
        of_arrow |= isinstance(error, OSError) and error.errno is None
        of_arrow |= isinstance(error, UnicodeDecodeError)
        if of_arrow and isinstance(error, MemoryError):
            raise ValueError(f"{path}: is damaged, or too large for the memory: {error}") from error
        if of_arrow:
            raise ValueError(f"{path}: {fault}: {' '.join(str(error).split())}") from error
        if isinstance(error, (ValueError, TypeError, OverflowError)):
            raise ValueError(f"{path}: {error}") from error
        raise


def read_footer(path: Path) -> Footer:
    """Read and check the footer of a file."""
    with open_parquet(path) as file, faults_of(path):
        schema = file.schema_arrow
        kinds = {name: kind_of_type(schema.field(k).type) for k, name in enumerate(schema.names)}
        if len(kinds) < len(schema.names):
            twice = next(name for name in schema.names if schema.names.count(name) > 1)
            raise ValueError(f"two columns are called {twice!r}")
        metadata = read_metadata((schema.metadata or {}).get(KEY))
        footer = Footer(path, file.metadata.num_rows, kinds, metadata)
        _check_columns(footer)
        return footer


@contextmanager
def open_parquet(path: Path) -> Iterator[Any]:
    """An open file, whose pages are checked against their checksums."""
    parquet = require("pyarrow.parquet", extra="arrow", purpose=PURPOSE)
    with faults_of(path, "is not a Parquet file"):
        file = parquet.ParquetFile(path, page_checksum_verification=True)
    with file:
        yield file


def read_columns(footer: Footer, columns: Sequence[str]) -> dict[str, Any]:
    """Some columns of a file as checked Arrow arrays, which may have chunks."""
    if read_footer(footer.path) != footer:
        raise ValueError(f"{footer.path}: has changed since it was scanned; scan it again")
    with open_parquet(footer.path) as file, faults_of(footer.path):
        table = file.read(columns=list(columns))
        table.validate(full=True)
        if table.num_rows != footer.n_graphs:
            raise ValueError(f"has {table.num_rows} rows; its footer says {footer.n_graphs}")
        return {column: table.column(column) for column in columns}


def _check_columns(footer: Footer) -> None:
    for column in (SOURCE, TARGET):
        if column not in footer.kinds:
            listed = ", ".join(footer.kinds) or "none"
            raise ValueError(
                f"has no column {column!r}, a list of vertex numbers for each graph "
                f"(there is: {listed})"
            )
    for column in footer.columns:
        check_kind(column, footer.kinds[column])
    named, sparse = names_of(footer.kinds, OF_VERTEX), FEATURE_INDEX in footer.kinds
    if sparse != (FEATURE_VALUE in footer.kinds):
        raise ValueError(f"columns {FEATURE_INDEX!r} and {FEATURE_VALUE!r} go together")
    if bool(named) + sparse + (FEATURES in footer.kinds) > 1:
        raise ValueError(
            f"features are either in columns {OF_VERTEX + 'NAME'!r}, in {FEATURES!r}, or in "
            f"{FEATURE_INDEX!r} and {FEATURE_VALUE!r}"
        )


@dataclass(frozen=True)
class Schema:
    """What all files have in common."""

    columns: tuple[str, ...]
    categorical: frozenset[str]
    directed: bool
    dtype: np.dtype
    feature_names: tuple[str, ...] | None


def agree(footers: Sequence[Footer], directed: bool | None) -> Schema:
    """The schema of all files; an error names the file and the column that differ."""
    first = footers[0]
    for other in footers[1:]:
        for one, two in ((first, other), (other, first)):
            for column in one.columns:
                if column not in two.kinds:
                    raise ValueError(f"{two.path}: has no column {column!r}; {one.path} has one")
    claims = [("the argument", directed)]
    claims += [(str(footer.path), footer.metadata.directed) for footer in footers]
    categorical = {column for column in first.columns if _is_categorical(footers, column)}
    return Schema(
        columns=first.columns,
        categorical=frozenset(categorical),
        directed=bool(_one_value("directed", claims)),
        dtype=_dtype(footers, categorical),
        feature_names=_feature_names(footers),
    )


def _one_value(what: str, claims: Sequence[tuple[str, Any]]) -> Any:
    """What those who say something agree on; None where nobody does."""
    known = [(who, value) for who, value in claims if value is not None]
    for who, value in known:
        if value != known[0][1]:
            raise ValueError(f"{who} says {what}={value}; {known[0][0]} says {known[0][1]}")
    return known[0][1] if known else None


def _is_categorical(footers: Sequence[Footer], column: str) -> bool:
    known = [(f, f.is_categorical(column)) for f in footers if f.is_categorical(column) is not None]
    for footer, is_categorical in known:
        if is_categorical != known[0][1]:
            words = {True: "labels", False: "numbers"}
            raise ValueError(
                f"{footer.path}: column {column!r} holds {words[bool(is_categorical)]}; in "
                f"{known[0][0].path} it holds {words[bool(known[0][1])]}"
            )
    return bool(known and known[0][1])


def _dtype(footers: Sequence[Footer], categorical: set[str]) -> np.dtype:
    """float32 if every column of numbers is."""
    holds = {
        kind.holds
        for footer in footers
        for column, kind in footer.kinds.items()
        if column in (FEATURES, FEATURE_VALUE)
        or (column.startswith(OF_VERTEX) and column not in categorical)
    } - {NULL}
    if holds:
        return np.dtype(np.float32 if holds == {FLOAT32} else np.float64)
    dtypes = {footer.metadata.dtype for footer in footers} - {None}
    return np.dtype(VALUE if not dtypes else np.float32 if dtypes == {"float32"} else np.float64)


def _feature_names(footers: Sequence[Footer]) -> tuple[str, ...] | None:
    named = names_of(footers[0].columns, OF_VERTEX)
    if named:
        return named
    return _one_value("feature_names", [(str(f.path), f.metadata.feature_names) for f in footers])
