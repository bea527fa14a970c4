"""Columns of text as numbers or labels; a column that is both is refused, with the place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees.cli.data.reading import no_column
from graphtrees.cli.data.tablefile import Row, TableFile
from graphtrees.cli.errors import UserError

# Sodium is Na: upper and lower case are told apart.
MISSING = {"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"}
BOOLEANS = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True)
class Rows:
    """Some rows of a table, by columns, and where each stands in its file."""

    file: TableFile
    places: list[str]
    columns: dict[str, Sequence[Any]]

    @classmethod
    def of(cls, file: TableFile, rows: Iterable[tuple[str, Row]]) -> Rows:
        pairs = list(rows)
        by_column = list(zip(*(row for _, row in pairs), strict=True))
        by_column = by_column or [() for _ in file.columns]
        columns = dict(zip(file.columns, by_column, strict=True))
        return cls(file, [place for place, _ in pairs], columns)

    def __len__(self) -> int:
        return len(self.places)

    def place(self, row: int) -> str:
        return f"{self.file.path}: {self.places[row]}"

    def column(self, name: str, option: str | None = None) -> Sequence[Any]:
        if name not in self.columns:
            raise no_column(str(self.file.path), name, self.file.columns, option)
        return self.columns[name]

    def ids(self, name: str, option: str | None = None) -> list[str]:
        """Identifiers as text, so that 7 in one file and 7 in another are one."""
        found = []
        for row, value in enumerate(self.column(name, option)):
            if value is None or value == "":
                raise UserError(f"{self.place(row)}: {name!r} is missing")
            found.append(value.strip() if isinstance(value, str) else str(value))
        return found

    def values(self, name: str, as_text: bool = False, exact: bool = False) -> np.ndarray:
        """Numbers (float64), or labels (objects, None where missing).

        Without `as_text` the values say which they are; with `exact` they have to be numbers.
        """
        column = self.column(name)
        if as_text or (self.file.kind(name) == "text" and not exact):
            return _labels(column)
        numbers = [_number(value) for value in column]
        stray = [row for row, number in enumerate(numbers) if number is None]
        if not stray:
            return self._finite(name, np.array(numbers, dtype=np.float64))
        if len(stray) == len(column) - sum(map(_is_missing, column)) and not exact:
            return _labels(column)
        raise UserError(
            f"{self.place(stray[0])}: {name!r} is {column[stray[0]]!r} among numbers"
            + ("" if exact else f"; add --as-text {name} if they are labels")
        )

    def _finite(self, name: str, numbers: np.ndarray) -> np.ndarray:
        if np.isinf(numbers).any():
            raise UserError(
                f"{self.place(int(np.argmax(np.isinf(numbers))))}: {name!r} is infinite"
            )
        return numbers


def as_target(values: np.ndarray) -> np.ndarray:
    """Whole numbers as integers, so that classes are called 0 and 1, not 0.0 and 1.0."""
    if values.dtype.kind == "f" and len(values) and np.array_equal(values, np.trunc(values)):
        return values.astype(np.int64)
    return values


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value.strip() in MISSING)


def _number(value: Any) -> float | None:
    """The number that is written here, NaN where none is, None for other text."""
    if _is_missing(value):
        return math.nan
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str) and text.lower() in BOOLEANS:
        return BOOLEANS[text.lower()]
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


def _labels(column: Sequence[Any]) -> np.ndarray:
    labels = np.empty(len(column), dtype=object)
    for row, value in enumerate(column):
        text = value.strip() if isinstance(value, str) else value
        labels[row] = None if text is None or text == "" else str(text)
    return labels
