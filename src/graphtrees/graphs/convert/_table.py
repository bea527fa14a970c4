"""A table whose name and rows appear in error messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphtrees.graphs.frames import column_names, column_values, is_frame, n_rows, read_column
from graphtrees.graphs.labels import is_missing, object_array, plain
from graphtrees.graphs.validation.where import kind_of


class Table:
    """A pandas or polars DataFrame, or an Arrow Table; `row_name` is how messages call a row."""

    def __init__(
        self, frame: Any, name: str, row_name: Callable[[int], str] = "row {}".format
    ) -> None:
        if not is_frame(frame):
            raise TypeError(
                f"{name} must be a pandas or polars DataFrame or an Arrow Table; "
                f"got {kind_of(frame)}"
            )
        self.frame, self.name, self.row_name = frame, name, row_name
        self.columns = column_names(frame)

    def __contains__(self, column: str) -> bool:
        return column in self.columns

    def place(self, row: int) -> str:
        """How a message about a row starts."""
        return f"{self.name}: {self.row_name(row)}"

    def position(self, column: str) -> int:
        """The position of a column."""
        if column not in self.columns:
            there = ", ".join(map(repr, self.columns)) or "none"
            raise ValueError(f"{self.name}: no column {column!r}; there is: {there}")
        return self.columns.index(column)

    def ids(self, column: str) -> np.ndarray:
        """Identifiers or labels as objects; none may be missing."""
        values = column_values(self.frame, self.position(column))
        items = object_array(plain(value) for value in values)
        for row, item in enumerate(items):
            if is_missing(item):
                raise ValueError(f"{self.place(row)}: {column!r} is missing")
        return items

    def numbers(self, columns: Sequence[str]) -> tuple[np.ndarray, dict[int, tuple]]:
        """Columns side by side, and the labels of those that are categories."""
        values = np.zeros((n_rows(self.frame), len(columns)))
        categories = {}
        for place, column in enumerate(columns):
            what = f"{self.name}: column {column!r}"
            values[:, place], labels = read_column(self.frame, self.position(column), what)
            if labels is not None:
                categories[place] = labels
        return values, categories

    def complete_numbers(self, columns: Sequence[str]) -> np.ndarray:
        """Columns of numbers of which none is missing."""
        values, categories = self.numbers(columns)
        for place, column in enumerate(columns):
            if place in categories:
                raise TypeError(f"{self.name}: column {column!r} must hold numbers")
            missing = np.isnan(values[:, place])
            if missing.any():
                raise ValueError(f"{self.place(int(np.argmax(missing)))}: {column!r} is NaN")
        return values
