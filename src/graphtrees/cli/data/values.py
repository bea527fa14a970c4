"""Parse the values of a column: numbers with points or commas, dates, or labels."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees.cli.errors import UserError
from graphtrees.graphs.dates import YEAR_FIRST, YEAR_LAST, is_date_text

# Case matters: Na is sodium.
MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"})
# Usual marks of missing values, in lower case and without points.
NO_VALUE = frozenset({
    "na", "n/a", "n/d", "nd", "nan", "none", "null", "nil", "unknown", "unk", "missing",
    "undefined", "empty", "pending", "tbd", "not available", "not measured", "no data",
})  # fmt: skip
# Up to so many distinct texts, in up to this share of the values, mark missing numbers.
FEW_MARKS = 3
FEW_STRAYS = 0.2
BOOLEANS = {"true": 1.0, "false": 0.0}
COMMA = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d*),\d+(?:[eE][+-]?\d+)?")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+")
CODE = re.compile(r"\d+")
EPOCH = dt.datetime(1970, 1, 1)


@dataclass(frozen=True)
class Numbers:
    """The numbers of a column (NaN: missing), and the rows that hold something else."""

    numbers: np.ndarray
    stray: list[int]
    commas: bool  # whether they have decimal commas


def read_numbers(
    values: Sequence[Any], missing: frozenset[str] = MISSING, comma: bool | None = False
) -> Numbers:
    """Read a column as numbers; `comma` says whether the decimal mark is one (None: look)."""
    import pandas

    column = pandas.Series(values, dtype=object)
    numbers = np.array(pandas.to_numeric(column, errors="coerce"), dtype=np.float64)
    stray = []
    for row in np.flatnonzero(np.isnan(numbers)).tolist():
        number = _number(values[row], missing)
        if number is None:
            stray.append(row)
        else:
            numbers[row] = number
    if comma is False or (comma is None and not (stray and _all_commas(values, stray))):
        return Numbers(numbers, stray, False)
    for row in stray:
        if isinstance(values[row], str) and COMMA.fullmatch(values[row].strip()):
            numbers[row] = float(values[row].strip().replace(".", "").replace(",", "."))
    for row, value in enumerate(values):  # beside decimal commas, points separate thousands
        if isinstance(value, str) and THOUSANDS.fullmatch(value.strip()):
            numbers[row] = float(value.strip().replace(".", ""))
    rest = [row for row in stray if math.isnan(numbers[row])]
    return Numbers(numbers, rest, True)


def _all_commas(values: Sequence[Any], rows: list[int]) -> bool:
    return all(isinstance(values[r], str) and COMMA.fullmatch(values[r].strip()) for r in rows)


def _number(value: Any, missing: frozenset[str]) -> float | None:
    """The number that is written here, NaN where none is, None for other text."""
    if is_missing(value, missing):
        return math.nan
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str) and text.lower() in BOOLEANS:
        return BOOLEANS[text.lower()]
    try:
        return None if isinstance(text, str) and "_" in text else float(text)
    except (TypeError, ValueError):
        return None


def is_missing(value: Any, missing: frozenset[str] = MISSING) -> bool:
    return value is None or value != value or (isinstance(value, str) and value.strip() in missing)


def are_missing_marks(texts: Sequence[str], n_stray: int, n_known: int) -> bool:
    """Whether these texts among numbers mark missing values rather than being labels."""
    if any("," in text for text in texts):
        return False  # the option --missing could not list them
    if all(_is_missing_mark(text) for text in texts):
        return True
    return len(texts) <= FEW_MARKS and n_stray <= FEW_STRAYS * n_known


def _is_missing_mark(value: Any) -> bool:
    """Whether this is text such as n/a, unknown, - or ???."""
    if not isinstance(value, str):
        return False
    text = value.strip()
    plain = text.lower().replace(".", "").lstrip("#")
    return plain in NO_VALUE or (len(text) < 4 and not any(letter.isalnum() for letter in text))


def read_labels(values: Sequence[Any], missing: frozenset[str]) -> np.ndarray:
    """Labels as text, None where there is none."""
    labels = np.empty(len(values), dtype=object)
    for row, value in enumerate(values):
        text = value.strip() if isinstance(value, str) else value
        labels[row] = None if text is None or text != text or text in missing else str(text)
    return labels


def look_like_codes(values: Sequence[Any], missing: frozenset[str]) -> bool:
    """Whether these are digits with leading zeros, such as postcodes: names, not quantities."""
    texts = [v.strip() for v in values if isinstance(v, str) and not is_missing(v, missing)]
    zeros = any(len(text) > 1 and text[0] == "0" for text in texts)
    return zeros and all(CODE.fullmatch(text) for text in texts)


def look_like_dates(values: Sequence[Any], missing: frozenset[str]) -> bool:
    """Whether all values are dates, but for marks of missing ones."""
    known = [v for v in values if not is_missing(v, missing) and not _is_missing_mark(v)]
    return bool(known) and all(_is_date(value) for value in known)


def find_missing_marks(values: Sequence[Any], missing: frozenset[str]) -> list[int]:
    """The rows with text such as n/a that is not among the `missing`."""
    return [
        row for row, v in enumerate(values) if not is_missing(v, missing) and _is_missing_mark(v)
    ]


def _is_date(value: Any) -> bool:
    if isinstance(value, str):
        return is_date_text(value)
    return isinstance(value, dt.date)


def read_days(values: Sequence[Any], missing: frozenset[str], where: str) -> np.ndarray:
    """Dates as days since the beginning of 1970, with the time of day as a fraction."""
    parsed = [None if is_missing(v, missing) else _split_date(v) for v in values]
    day_first = _day_first([date for date in parsed if date is not None], where)
    days = np.full(len(parsed), np.nan)
    for row, date in enumerate(parsed):
        if date is None:
            continue
        year, first, second, *clock = date[1:]
        month, day = (second, first) if not date[0] and day_first else (first, second)
        try:
            moment = dt.datetime(year, month, day, *clock)
        except ValueError as error:
            raise UserError(f"{where} holds {values[row]!r}: {error}") from None
        days[row] = (moment - EPOCH).total_seconds() / 86400
    return days


def _split_date(value: Any) -> tuple[Any, ...]:
    """(whether the year is first or day and month are told by a point, year, two parts, time)."""
    if isinstance(value, dt.date):
        moment = value if isinstance(value, dt.datetime) else dt.datetime(*value.timetuple()[:3])
        return (True, *moment.timetuple()[:6])
    text = str(value).strip()
    if match := YEAR_FIRST.fullmatch(text):
        year, month, day, *clock = match.groups()
        return (True, *(int(part or 0) for part in (year, month, day, *clock)))
    match = YEAR_LAST.fullmatch(text)
    if match is None:
        raise UserError(f"{text!r} is no date such as 2024-12-31 or 31.12.2024")
    first, mark, second, year, *clock = match.groups()
    if mark == ".":
        first, second = second, first  # 31.12.2024
    return (mark == ".", *(int(part or 0) for part in (year, first, second, *clock)))


def _day_first(dates: list[tuple[Any, ...]], where: str) -> bool:
    """Whether 3/4/2024 is in April, as far as other dates of the column tell."""
    open_ = [date for date in dates if not date[0]]
    if not open_ or any(date[2] > 12 for date in open_):
        return True
    if any(date[3] > 12 for date in open_):
        return False
    raise UserError(f"{where}: day and month cannot be told apart; write dates as 2024-12-31")
