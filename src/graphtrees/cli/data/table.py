"""A table in memory: columns as ids, numbers, dates or labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graphtrees.cli.data.reading import Reading, no_column
from graphtrees.cli.data.tablefile import TableFile, TableInfo, object_frame
from graphtrees.cli.data.values import (
    MISSING,
    are_missing_marks,
    find_missing_marks,
    is_missing,
    look_like_codes,
    look_like_dates,
    read_days,
    read_labels,
    read_numbers,
)
from graphtrees.cli.errors import UserError

NO_TEXT = frozenset({""})


class Table:
    """A frame of a table file, with the options by which its columns are read."""

    def __init__(self, file: TableInfo, frame: Any, reading: Reading) -> None:
        self.file, self.frame, self.reading = file, frame, reading
        self.missing = MISSING | frozenset(reading.missing)
        self.with_commas: set[str] = set()  # columns whose numbers have decimal commas
        self._read: dict[str, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def columns(self) -> list[str]:
        return self.file.columns

    def take(self, rows: Any) -> Table:
        """Some of the rows."""
        return Table(self.file, self.frame.iloc[rows], self.reading)

    def with_features(self, features: tuple[str, ...] | None) -> Table:
        """The same rows with these columns as features; None: all columns."""
        if features == self.reading.features:
            return self
        return Table(self.file, self.frame, replace(self.reading, features=features))

    def row_name(self, row: int) -> str:
        """How a message calls a row: "line 3"."""
        return self.file.place(int(self.frame.index[row]))

    def place(self, row: int) -> str:
        """How a message about a row starts: file and line."""
        return f"{self.file.name}: {self.row_name(row)}"

    def column(self, name: str, option: str | None = None) -> Sequence[Any]:
        if name not in self.columns:
            raise no_column(self.file.name, name, self.columns, option)
        return self.frame[name].tolist()

    def ids(self, name: str, option: str | None = None) -> list[str]:
        """Identifiers as text, so that 7 in one file and 7 in another are one."""
        values = self.column(name, option)
        for row, value in enumerate(values):
            if is_missing(value, NO_TEXT):
                raise UserError(f"{self.place(row)}: {name!r} is missing")
        return [str(value).strip() for value in values]

    def texts(self, name: str) -> list[str]:
        """Text without blanks around it; empty where a value is missing."""
        return ["" if is_missing(v, NO_TEXT) else str(v).strip() for v in self.column(name)]

    def kind(self, name: str) -> str:
        """The kind of a column: "date", "number" or "text"."""
        if self.has_dates(name):
            return "date"
        return "text" if self.values(name).dtype == object else "number"

    def has_dates(self, name: str) -> bool:
        if self.reading.exact:
            return name in self.reading.date_columns
        if name in self.reading.as_text or self.file.kind(name) == "number":
            return False
        column = self.column(name)
        return look_like_dates(column[:20], self.missing) and look_like_dates(column, self.missing)

    def days(self, name: str) -> np.ndarray:
        column = self.column(name)
        self._refuse_missing_marks(name, column, find_missing_marks(column, self.missing), "dates")
        return read_days(column, self.missing, f"{self.file.name}: {name!r}")

    def values(self, name: str, numbers_only: bool = False) -> np.ndarray:
        """Numbers (float64), or labels (objects, None where missing).

        Inferred from the values unless the reading says; with `numbers_only` they must be numbers.
        """
        if name not in self._read:
            self._read[name] = self._values(name, numbers_only)
        return self._read[name]

    def _values(self, name: str, numbers_only: bool) -> np.ndarray:
        column, reading = self.column(name), self.reading
        exact = numbers_only or (reading.exact and name in (reading.features or ()))
        is_text = self.file.kind(name) == "text" or look_like_codes(column, self.missing)
        if name in reading.as_text or (is_text and not exact):
            return read_labels(column, frozenset({"", *reading.missing}))
        parsed = read_numbers(column, self.missing, self._comma(name))
        if parsed.text_rows:
            known = [row for row, v in enumerate(column) if not is_missing(v, self.missing)]
            if len(parsed.text_rows) == len(known) and not exact:
                return read_labels(column, frozenset({"", *reading.missing}))
            self._refuse_text(name, column, parsed.text_rows, len(known), exact)
        if parsed.commas:
            self.with_commas.add(name)
        return self._finite(name, parsed.numbers)

    def _comma(self, name: str) -> bool | None:
        """Whether the numbers of a column have decimal commas; None: infer it from the values."""
        reading = self.reading
        if reading.decimal is not None:
            return reading.decimal == ","
        if reading.exact:
            return name in reading.comma_columns
        return None if self.file.has_free_commas else False

    def _refuse_text(
        self, name: str, column: Sequence[Any], text_rows: list[int], n_known: int, exact: bool
    ) -> None:
        """Refuse text among numbers, with the option that reads it."""
        texts = _distinct(column, text_rows)
        if are_missing_marks(texts, len(text_rows), n_known):
            self._refuse_missing_marks(name, column, text_rows, "numbers")
        hint = "" if exact else f"; add --as-text {name} if they are labels"
        place, first = self.place(text_rows[0]), column[text_rows[0]]
        raise UserError(f"{place}: {name!r} is {first!r} among numbers{hint}")

    def _refuse_missing_marks(
        self, name: str, column: Sequence[Any], text_rows: list[int], noun: str
    ) -> None:
        """Refuse text such as n/a, with the option that reads it as missing."""
        texts = _distinct(column, text_rows)
        if texts:
            listed = ",".join([*self.reading.missing, *texts])
            mark = "=" if listed.startswith("-") and listed != "-" else " "  # argparse needs "="
            them = "it stands" if len(texts) == 1 else "they stand"
            hint = f"; add --missing{mark}'{listed}' if {them} for no value"
            place, first = self.place(text_rows[0]), column[text_rows[0]]
            raise UserError(f"{place}: {name!r} is {first!r} among {noun}{hint}")

    def _finite(self, name: str, numbers: np.ndarray) -> np.ndarray:
        if np.isinf(numbers).any():
            row = int(np.argmax(np.isinf(numbers)))
            raise UserError(f"{self.place(row)}: {name!r} is infinite")
        return numbers


def _distinct(column: Sequence[Any], rows: list[int]) -> list[str]:
    return list(dict.fromkeys(str(column[row]).strip() for row in rows))


def as_target(values: np.ndarray) -> np.ndarray:
    """Whole numbers as integers, so that classes are called 0 and 1, not 0.0 and 1.0."""
    if values.dtype.kind != "f" or not len(values) or not (np.abs(values) < 2.0**63).all():
        return values
    if np.array_equal(values, np.trunc(values)):
        return values.astype(np.int64)
    return values


class ImpliedVertices:
    """A table of vertices without features, which is in no file."""

    has_free_commas = False

    def __init__(self, edges: TableFile, reading: Reading) -> None:
        self.path, self.name, self.reading = edges.path, edges.name, reading
        with_graph = reading.graph_column in edges.columns
        self.columns = [reading.id_column, *([reading.graph_column] if with_graph else [])]

    def frame_of(self, edges: Table) -> Any:
        """The vertices of these edges, in the order in which they are named."""
        reading = self.reading
        source = edges.ids(reading.source_column, "source_column")
        target = edges.ids(reading.target_column, "target_column")
        columns = [[end for ends in zip(source, target, strict=True) for end in ends]]
        if len(self.columns) == 2:
            columns.append([graph for graph in edges.ids(reading.graph_column) for _ in range(2)])
        return object_frame(dict.fromkeys(zip(*columns, strict=True)), self.columns)

    def place(self, record: int) -> str:
        return f"vertex {record}"

    def kind(self, column: str) -> str | None:
        return "text"
