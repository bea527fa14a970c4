"""Some rows of a table: their columns as ids, numbers or labels, and where each row stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graphtrees.cli.data.reading import Reading, no_column
from graphtrees.cli.data.tablefile import TableFile
from graphtrees.cli.data.values import (
    MISSING,
    find_gaps,
    is_missing,
    look_like_codes,
    look_like_dates,
    read_days,
    read_labels,
    read_numbers,
    stand_for_nothing,
)
from graphtrees.cli.errors import UserError


class Rows:
    """A frame of a table file, read as a `Reading` says."""

    def __init__(self, file: TableFile, frame: Any, reading: Reading) -> None:
        self.file, self.frame, self.reading = file, frame, reading
        self.missing = MISSING | frozenset(reading.missing)
        self.with_commas: set[str] = set()  # columns whose numbers have decimal commas
        self._read: dict[str, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def columns(self) -> list[str]:
        return self.file.columns

    def take(self, rows: Any) -> Rows:
        """Some of the rows."""
        return Rows(self.file, self.frame.iloc[rows], self.reading)

    def asked_for(self, features: tuple[str, ...] | None) -> Rows:
        """The same rows, of which these columns are asked for; None: whatever there is."""
        if features == self.reading.features:
            return self
        return Rows(self.file, self.frame, replace(self.reading, features=features))

    def place(self, row: int) -> str:
        return f"{self.file.shown}: {self.file.place(int(self.frame.index[row]))}"

    def column(self, name: str, option: str | None = None) -> Sequence[Any]:
        if name not in self.columns:
            raise no_column(self.file.shown, name, self.columns, option)
        return self.frame[name].tolist()

    def ids(self, name: str, option: str | None = None) -> list[str]:
        """Identifiers as text, so that 7 in one file and 7 in another are one."""
        found = []
        for row, value in enumerate(self.column(name, option)):
            text = value.strip() if isinstance(value, str) else value
            if text is None or text == "" or text != text:
                raise UserError(f"{self.place(row)}: {name!r} is missing")
            found.append(str(text))
        return found

    def texts(self, name: str) -> list[str]:
        """What is written, without the blanks around it; empty where nothing is."""
        return ["" if is_missing(v, frozenset()) else str(v).strip() for v in self.column(name)]

    def kind(self, name: str) -> str:
        """What a column holds: "date", "number" or "text"."""
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
        self._refuse_gaps(name, column, find_gaps(column, self.missing), "dates")
        return read_days(column, self.missing, f"{self.file.shown}: {name!r}")

    def values(self, name: str, numbers_only: bool = False) -> np.ndarray:
        """Numbers (float64), or labels (objects, None where missing).

        The values say which they are, unless the reading does; with `numbers_only` they have to
        be numbers.
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
        if parsed.stray:
            known = [row for row, v in enumerate(column) if not is_missing(v, self.missing)]
            if len(parsed.stray) == len(known) and not exact:
                return read_labels(column, frozenset({"", *reading.missing}))
            self._refuse(name, column, parsed.stray, len(known), exact)
        if parsed.commas:
            self.with_commas.add(name)
        return self._finite(name, parsed.numbers)

    def _comma(self, name: str) -> bool | None:
        """Whether the numbers of a column have decimal commas; None: the values tell."""
        reading = self.reading
        if reading.decimal is not None:
            return reading.decimal == ","
        if reading.exact:
            return name in reading.comma_columns
        return None if self.file.has_free_commas else False

    def _refuse(
        self, name: str, column: Sequence[Any], stray: list[int], n_known: int, exact: bool
    ) -> None:
        """Say what stands among numbers, and which option reads it."""
        words = list(dict.fromkeys(str(column[row]).strip() for row in stray))
        if stand_for_nothing(words, len(stray), n_known):
            self._refuse_gaps(name, column, stray, "numbers")
        hint = "" if exact else f"; add --as-text {name} if they are labels"
        place, first = self.place(stray[0]), column[stray[0]]
        raise UserError(f"{place}: {name!r} is {first!r} among numbers{hint}")

    def _refuse_gaps(self, name: str, column: Sequence[Any], stray: list[int], noun: str) -> None:
        """Say which words stand for no value, and the option that reads them so."""
        words = list(dict.fromkeys(str(column[row]).strip() for row in stray))
        if words:
            listed = ",".join([*self.reading.missing, *words])
            mark = "=" if listed.startswith("-") and listed != "-" else " "  # it is no option
            them = "it stands" if len(words) == 1 else "they stand"
            hint = f"; add --missing{mark}'{listed}' if {them} for no value"
            place, first = self.place(stray[0]), column[stray[0]]
            raise UserError(f"{place}: {name!r} is {first!r} among {noun}{hint}")

    def _finite(self, name: str, numbers: np.ndarray) -> np.ndarray:
        if np.isinf(numbers).any():
            row = int(np.argmax(np.isinf(numbers)))
            raise UserError(f"{self.place(row)}: {name!r} is infinite")
        return numbers


def as_target(values: np.ndarray) -> np.ndarray:
    """Whole numbers as integers, so that classes are called 0 and 1, not 0.0 and 1.0."""
    if values.dtype.kind != "f" or not len(values) or not (np.abs(values) < 2.0**63).all():
        return values
    if np.array_equal(values, np.trunc(values)):
        return values.astype(np.int64)
    return values
