"""Recognise dates among features, and say how to turn them into numbers."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from typing import Any

TIME = r"(?:[T ]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?)?(?:Z|[+-]\d{2}:?\d{2})?"
YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})" + TIME)
YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})" + TIME)

DAYS = "({} - pandas.Timestamp('2000-01-01')).dt.days"


def is_date_text(text: str) -> bool:
    """Whether this is a date such as 2024-12-31 or 31.12.2024, with or without a time."""
    text = text.strip()
    return bool(YEAR_FIRST.fullmatch(text) or YEAR_LAST.fullmatch(text))


def are_dates(items: Iterable[Any]) -> bool:
    """Whether some of these are dates, times or durations."""
    return any(isinstance(item, (dt.date, dt.time, dt.timedelta)) for item in items)


def advice_on_dates(library: str, dtype: str) -> str:
    """How to turn a column of this type into numbers; empty if it holds no dates."""
    kind = dtype.lower()
    column = "column.to_pandas()" if library == "pyarrow" else "column"
    if kind.startswith(("timedelta", "duration")):
        return _advice("durations", dtype, f"{column}.dt.total_seconds()")
    if kind.startswith("time") and not kind.startswith("timestamp"):
        return _advice("times of day", dtype, "such as the hour")
    if kind.startswith("period"):
        return _advice("dates", dtype, DAYS.format(f"{column}.dt.to_timestamp()"))
    if not kind.startswith(("date", "timestamp")):
        return ""
    if library == "polars":
        return _advice("dates", dtype, "(column - datetime.date(2000, 1, 1)).dt.total_days()")
    if not kind.startswith("datetime"):  # Arrow's, which pandas may hold as objects
        column = f"pandas.to_datetime({column})"
    zoned = "," in dtype
    return _advice("dates", dtype, DAYS.format(f"{column}{'.dt.tz_convert(None)' * zoned}"))


def advice_on_objects(items: Iterable[Any]) -> str:
    """The same for Python objects, some of which are dates, times or durations."""
    first = next(item for item in items if isinstance(item, (dt.date, dt.time, dt.timedelta)))
    kind = type(first).__name__
    if isinstance(first, dt.timedelta):
        return _advice("durations", kind, "pandas.to_timedelta(column).dt.total_seconds()")
    if isinstance(first, dt.time):
        return _advice("times of day", kind, "such as the hour")
    return _advice("dates", kind, DAYS.format("pandas.to_datetime(column)"))


def _advice(noun: str, dtype: str, remedy: str) -> str:
    return f"got {noun} ({dtype}). Give a number in their place: {remedy}"
