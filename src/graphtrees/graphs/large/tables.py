"""A table in Parquet files, of which only the footers are read at first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees.graphs.dates import advice_on_dates
from graphtrees.graphs.labels import in_order, object_array
from graphtrees.graphs.parquet import arrow
from graphtrees.graphs.parquet.columns import INTEGER, NULL, NUMBERS, TEXT, Kind, kind_of_type
from graphtrees.graphs.parquet.files import list_files
from graphtrees.graphs.parquet.footers import faults_of, open_parquet
from graphtrees.graphs.validation.arguments import as_path
from graphtrees.graphs.validation.numbers import check_range

FEATURES = frozenset({*NUMBERS, TEXT, NULL})
IDS = frozenset({INTEGER, TEXT})


@dataclass(frozen=True)
class TableFile:
    """A file, and how many rows its groups have."""

    path: Path
    groups: tuple[int, ...]
    kinds: dict[str, Kind]


@dataclass(frozen=True)
class TableFiles:
    """Rows of all files, numbered from 0 in the order of the files; `name` is for messages."""

    name: str
    files: tuple[TableFile, ...]

    @classmethod
    def scan(cls, path: Any, name: str) -> TableFiles:
        return cls(name, tuple(_scan_file(file.absolute()) for file in list_files(as_path(path))))

    @property
    def n_rows(self) -> int:
        return sum(sum(file.groups) for file in self.files)

    @property
    def columns(self) -> list[str]:
        return list(self.files[0].kinds)

    def holds(self, column: str, wanted: frozenset[str], text: str) -> str:
        """What a column holds in all files, if it is what is wanted; else an error."""
        kinds = set()
        for file in self.files:
            if column not in file.kinds:
                listed = ", ".join(map(repr, file.kinds)) or "none"
                raise ValueError(
                    f"{self.name}: no column {column!r} in {file.path}; there is: {listed}"
                )
            kind = file.kinds[column]
            if kind.depth or kind.holds not in wanted:
                advice = advice_on_dates("pyarrow", kind.text)
                raise ValueError(
                    f"{self.name}: column {column!r} must hold {text}; got {kind.text} in "
                    f"{file.path}{'; ' * bool(advice)}{advice}"
                )
            kinds.add(kind.holds)
        if TEXT in kinds and not kinds <= {TEXT, NULL}:
            raise ValueError(f"{self.name}: column {column!r} is text in some files, not in all")
        return TEXT if TEXT in kinds else min(kinds)

    def holds_text(self, column: str) -> bool:
        return any(file.kinds[column].holds == TEXT for file in self.files)

    def place(self, row: int) -> str:
        """How messages call a row: by its file, and its number in it."""
        for file in self.files:
            if row < sum(file.groups):
                return f"{file.path}: row {row}"
            row -= sum(file.groups)
        raise IndexError(row)

    def read(self, columns: Sequence[str], rank: int = 0, n_workers: int = 1) -> TableRows:
        """The rows of every n-th group."""
        number, arrays = [np.empty(0, np.int64)], {column: list[Any]() for column in columns}
        k = start = 0
        for file in self.files:
            chosen = [g for g in range(len(file.groups)) if (k + g) % n_workers == rank]
            starts = start + np.cumsum([0, *file.groups])
            for g in chosen:
                number.append(np.arange(starts[g], starts[g + 1]))
            k, start = k + len(file.groups), int(starts[-1])
            for column, array in _read_groups(file, chosen, columns):
                arrays[column].append(array)
        return TableRows(self, np.concatenate(number), arrays)

    def frame(self, columns: Sequence[str]) -> Any:
        """Columns of all rows as one Arrow table."""
        pa, read = arrow.pyarrow(), self.read(columns).arrays
        joined = {}
        for column in columns:
            parts = [_widened(arrow.without_dictionary(array)) for array in read[column]]
            joined[column] = pa.chunked_array(parts) if parts else pa.array([])
        return pa.table(joined)


def _widened(array: Any) -> Any:
    """Files may hold a column in types of different width."""
    pa = arrow.pyarrow()
    if pa.types.is_integer(array.type):
        return array.cast(pa.int64())
    if pa.types.is_floating(array.type) or pa.types.is_decimal(array.type):
        return array.cast(pa.float64())
    return array.cast(pa.large_string()) if pa.types.is_string(array.type) else array


def _scan_file(path: Path) -> TableFile:
    with open_parquet(path) as file, faults_of(path):
        schema, metadata = file.schema_arrow, file.metadata
        if len(set(schema.names)) < len(schema.names):
            twice = next(name for name in schema.names if schema.names.count(name) > 1)
            raise ValueError(f"two columns are called {twice!r}")
        kinds = {name: kind_of_type(schema.field(name).type) for name in schema.names}
        groups = tuple(metadata.row_group(g).num_rows for g in range(metadata.num_row_groups))
        return TableFile(path, groups, kinds)


def _read_groups(
    file: TableFile, groups: list[int], columns: Sequence[str]
) -> Iterator[tuple[str, Any]]:
    """Columns with their names, one group of rows after another."""
    if _scan_file(file.path) != file:
        raise ValueError(f"{file.path}: has changed since it was scanned; scan it again")
    with open_parquet(file.path) as opened, faults_of(file.path):
        for group in groups if columns else []:
            table = opened.read_row_group(group, columns=list(columns))
            table.validate(full=True)
            for column in columns:
                yield column, arrow.in_numpy(table.column(column).combine_chunks())


@dataclass(frozen=True)
class TableRows:
    """Some rows of a table: their numbers in it, and columns as Arrow arrays, one a group."""

    table: TableFiles
    number: np.ndarray
    arrays: dict[str, list[Any]]

    def place(self, row: int) -> str:
        return self.table.place(int(self.number[row]))

    def numbers(self, column: str, missing_ok: bool) -> np.ndarray:
        """float64; NaN where a value is missing."""
        parts = [arrow.as_numbers(array).astype(np.float64) for array in self.arrays[column]]
        values = np.concatenate([np.empty(0), *parts])
        check_range(values, lambda row: f"{self.place(row)}: {column!r}", missing_ok)
        return values

    def codes(self, column: str) -> tuple[np.ndarray, tuple]:
        """Numbers of labels, -1 where there is none, and the labels in order."""
        parts = [arrow.as_codes(array) for array in self.arrays[column]]
        labels = in_order(label for _, distinct in parts for label in distinct)
        code_of = {label: code for code, label in enumerate(labels)}
        recoded = [
            np.array([*(code_of[label] for label in distinct), -1])[codes]
            for codes, distinct in parts
        ]
        return np.concatenate([np.empty(0, np.int64), *recoded]), labels

    def ids(self, column: str, holds: str) -> np.ndarray:
        """int64, or text as objects; none may be missing."""
        arrays, first = [arrow.without_dictionary(one) for one in self.arrays[column]], 0
        for array in arrays:
            if array.null_count:
                place = self.place(first + arrow.first_null(array))
                raise ValueError(f"{place}: {column!r} is missing")
            first += len(array)
        if holds == TEXT:
            return object_array(text for array in arrays for text in array.to_pylist())
        return np.concatenate([np.empty(0, np.int64), *map(self._as_integers, arrays)])

    def _as_integers(self, array: Any) -> np.ndarray:
        try:
            return arrow.as_integers(array)
        except arrow.pyarrow().ArrowException as error:
            raise ValueError(f"{self.table.name}: ids must be 64-bit integers: {error}") from None
