"""Numbers from the text files that graph collections are published in."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees.datasets.archives import Collection

# A field with nothing in it: between two commas, or at either end of a line that has commas.
_EMPTY_FIELD = re.compile(rb"(?<=,)(?=[,\r\n]|\Z)|(?:(?<=\n)|(?<=\A))(?=,)")


def read_numbers(data: bytes, where: str) -> np.ndarray:
    """A table (rows, columns): int64 if all numbers are written so, else float64.

    An empty field is NaN; an empty file has no rows.
    """
    if not data.strip():
        return np.zeros((0, 0), np.int64)
    try:
        return _load(data, np.int64)
    except ValueError:
        pass
    try:
        return _load(_EMPTY_FIELD.sub(b"nan", data), np.float64)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error


def read_integers(data: bytes, where: str, n_columns: int) -> np.ndarray:
    """A table of whole numbers with as many columns as it should have."""
    table = whole(read_numbers(data, where))
    if table.dtype.kind != "i":
        row = int(np.argmax((np.trunc(table) != table).any(axis=1)))
        raise ValueError(f"{where}: line {row + 1} should hold whole numbers; got {table[row]}")
    if len(table) and table.shape[1] != n_columns:
        wanted = f"{n_columns} column" + "s" * (n_columns > 1)
        raise ValueError(f"{where} should have {wanted}; it has {table.shape[1]}")
    return table.reshape(len(table), n_columns)


def whole(table: np.ndarray) -> np.ndarray:
    """The table as int64 where that changes no number, else as it is."""
    fits = bool((np.abs(table) < 2.0**63).all()) and np.array_equal(np.trunc(table), table)
    return table.astype(np.int64) if fits else table


def as_features(table: np.ndarray, where: str) -> np.ndarray:
    """The numbers as float32, which features are read as."""
    with np.errstate(over="ignore"):
        features = table.astype(np.float32)
    lost = np.isinf(features) & np.isfinite(table)
    if lost.any():
        row = int(lost.any(axis=1).argmax())
        number = table[row][lost[row]][0]
        raise ValueError(f"{where}: line {row + 1} holds {number}; features are at most 3.4e38")
    return features


def _load(data: bytes, dtype: Any) -> np.ndarray:
    return np.loadtxt(io.BytesIO(data), dtype=dtype, delimiter=",", ndmin=2, comments=None)


@dataclass(frozen=True)
class Tables:
    """The tables of a collection by short names: by the pattern ``X_{}.txt``, A is X_A.txt."""

    collection: Collection
    pattern: str

    def file(self, short: str) -> str:
        """The name of the file that holds a table."""
        return self.pattern.format(short)

    def integers(self, short: str, n_columns: int) -> np.ndarray:
        """A table of whole numbers that has to be there."""
        return read_integers(self.collection.read(self.file(short)), self.file(short), n_columns)

    def numbers(self, short: str, n_rows: int | None = None, of: str = "") -> np.ndarray:
        """A table that has to be there, with one row for each `of` where `n_rows` is given."""
        table = whole(read_numbers(self.collection.read(self.file(short)), self.file(short)))
        if n_rows is not None and len(table) != n_rows:
            raise ValueError(f"{self.file(short)} has {len(table)} lines; there are {n_rows} {of}")
        return table

    def optional(self, short: str, n_rows: int | None = None, of: str = "") -> np.ndarray | None:
        """The same for a table that need not be there."""
        absent = self.collection.find(self.file(short)) is None
        return None if absent else self.numbers(short, n_rows, of)
