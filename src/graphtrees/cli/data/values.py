"""Parse the values of a column: numbers with points or commas, dates, or labels."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

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
FEW_TEXTS = 0.2
BOOLEANS = {"true": 1.0, "false": 0.0}
COMMA = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d*),\d+(?:[eE][+-]?\d+)?")
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+")
CODE = re.compile(r"\d+")
EPOCH = dt.datetime(1970, 1, 1)


class Numbers(NamedTuple):
    """The numbers of a column, and the rows that hold other text."""

    numbers: np.ndarray  # NaN: missing, or other text
    text_rows: list[int]
    commas: bool  # whether they have decimal commas


def read_numbers(
    values: Sequence[Any], missing: frozenset[str] = MISSING, comma: bool | None = False
) -> Numbers:
    """Read a column as numbers; `comma`: whether the decimal mark is one (None: infer it)."""
    import pandas

    column = pandas.Series(values, dtype=object)
    numbers = np.array(pandas.to_numeric(column, errors="coerce"), dtype=np.float64)
    text_rows = []
    for row in np.flatnonzero(np.isnan(numbers)).tolist():
        number = _number(values[row], missing)
        if number is None:
            text_rows.append(row)
        else:
            numbers[row] = number
    if comma is None:
        comma = bool(text_rows) and all(_matches(COMMA, values[row]) for row in text_rows)
    if not comma:
        return Numbers(numbers, text_rows, False)
    for row, value in enumerate(values):  # beside decimal commas, points separate thousands
        if _matches(COMMA, value) or _matches(THOUSANDS, value):
            numbers[row] = float(value.strip().replace(".", "").replace(",", "."))
    return Numbers(numbers, [row for row in text_rows if math.isnan(numbers[row])], True)


def _matches(pattern: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value.strip()) is not None


def _number(value: Any, missing: frozenset[str]) -> float | None:
    """The number in a field that pandas cannot read; NaN if missing, None for other text."""
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


def are_missing_marks(texts: Sequence[str], n_texts: int, n_known: int) -> bool:
    """Whether these texts among numbers mark missing values rather than being labels."""
    if any("," in text for text in texts):
        return False  # the option --missing could not list them
    if all(_is_missing_mark(text) for text in texts):
        return True
    return len(texts) <= FEW_MARKS and n_texts <= FEW_TEXTS * n_known


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


class _Date(NamedTuple):
    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    ambiguous: bool = False  # such as 3/4/2024: month and day may be the other way round


def read_days(values: Sequence[Any], missing: frozenset[str], where: str) -> np.ndarray:
    """Dates as days since the beginning of 1970, with the time of day as a fraction."""
    dates = [None if is_missing(v, missing) else _parse_date(v) for v in values]
    day_first = _day_first([d for d in dates if d is not None and d.ambiguous], where)
    days = np.full(len(dates), np.nan)
    for row, date in enumerate(dates):
        if date is None:
            continue
        month, day = date.month, date.day
        if date.ambiguous and day_first:
            month, day = day, month
        try:
            moment = dt.datetime(date.year, month, day, date.hour, date.minute, date.second)
        except ValueError as error:
            raise UserError(f"{where} holds {values[row]!r}: {error}") from None
        days[row] = (moment - EPOCH).total_seconds() / 86400
    return days


def _parse_date(value: Any) -> _Date:
    if isinstance(value, dt.date):  # a datetime is a date, too
        return _Date(*value.timetuple()[:6])
    text = str(value).strip()
    if match := YEAR_FIRST.fullmatch(text):
        year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
        return _Date(year, month, day, hour, minute, second)
    match = YEAR_LAST.fullmatch(text)
    if match is None:
        raise UserError(f"{text!r} is no date such as 2024-12-31 or 31.12.2024")
    first, mark, other, *rest = match.groups()
    year, hour, minute, second = (int(part or 0) for part in rest)
    if mark == ".":  # 31.12.2024
        return _Date(year, int(other), int(first), hour, minute, second)
    return _Date(year, int(first), int(other), hour, minute, second, ambiguous=True)


def _day_first(dates: list[_Date], where: str) -> bool:
    """Whether ambiguous dates have the day first, by those whose day is above 12."""
    if not dates or any(date.month > 12 for date in dates):
        return True
    if any(date.day > 12 for date in dates):
        return False
    raise UserError(f"{where}: day and month cannot be told apart; write dates as 2024-12-31")
