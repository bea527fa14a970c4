"""Labels in files: strings, numbers and booleans as they are, other kinds as named objects.

Other kinds are objects with one member that names the kind, such as {"date": "2024-05-01"}. What
is read back equals what was written. Nothing that is read is executed.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np

from graphtrees._layout import LONGEST_LABEL
from graphtrees._optional import require

LONGEST_NUMBER = 1000  # digits


def is_carried(label: Any) -> bool:
    """Whether a label can be written to a file and read back as it is."""
    try:
        return bool(read_label(write_label(label)) == label)
    except (TypeError, ValueError):
        return False


def write_label(label: Any) -> Any:
    """What stands for a label in JSON; TypeError for kinds that cannot be carried."""
    if isinstance(label, np.generic):
        label = label.item()
    for kind in (bool, int, float, str):
        if isinstance(label, kind):
            return _short(kind(label) if not isinstance(label, Enum) else kind(label.value))
    if isinstance(label, tuple) and type(label) is tuple:
        return {"tuple": [write_label(part) for part in label]}
    for name, (kind_of, write, _) in _KINDS.items():
        if isinstance(label, kind_of) and not isinstance(label, Enum):
            return {name: write(label)}
    if type(label).__name__ == "Interval":
        return {"interval": [write_label(label.left), write_label(label.right), label.closed]}
    raise TypeError(f"a label of type {type(label).__name__}")


def read_label(stored: Any) -> Any:
    """The label that `write_label` wrote."""
    if type(stored) in (bool, int, float, str):
        return _short(stored)
    if not isinstance(stored, dict) or len(stored) != 1:
        raise ValueError(f"no label: {str(stored)[:40]}")
    [(name, content)] = stored.items()
    if name == "tuple" and isinstance(content, list):
        return tuple(read_label(part) for part in content)
    if name == "interval" and isinstance(content, list) and len(content) == 3:
        return _interval(*content)
    if name not in _KINDS or not isinstance(content, str):
        raise ValueError(f"unknown kind of label {name!r}")
    return _KINDS[name][2](_short(content))


def _short(label: Any) -> Any:
    if isinstance(label, str) and len(label) > LONGEST_LABEL:
        raise ValueError(f"a label of more than {LONGEST_LABEL} characters")
    if isinstance(label, float) and label != label:
        raise ValueError("a label that holds NaN, which equals nothing")
    if isinstance(label, int) and label.bit_length() > 3 * LONGEST_NUMBER:
        raise ValueError(f"a label that is a number of more than {LONGEST_NUMBER} digits")
    return label


def _write_datetime(label: datetime.datetime) -> str:
    if getattr(label, "nanosecond", 0):  # pandas.Timestamp
        raise TypeError("a label with nanoseconds")
    return label.isoformat()


def _write_timedelta(label: datetime.timedelta) -> str:
    if getattr(label, "nanoseconds", 0):  # pandas.Timedelta
        raise TypeError("a label with nanoseconds")
    return str(label // datetime.timedelta(microseconds=1))


def _read_timedelta(text: str) -> datetime.timedelta:
    return datetime.timedelta(microseconds=int(text))


def _interval(left: Any, right: Any, closed: Any) -> Any:
    pandas = require("pandas", extra="pandas", purpose="reading intervals as labels")
    if type(closed) is not str:
        raise ValueError("an interval is closed on a side, both or neither")
    ends = [read_label(left), read_label(right)]
    for kind, of_pandas in (
        (datetime.datetime, pandas.Timestamp),
        (datetime.timedelta, pandas.Timedelta),
    ):
        ends = [of_pandas(end) if isinstance(end, kind) else end for end in ends]
    return pandas.Interval(*ends, closed)


def _read_decimal(text: str) -> Decimal:
    if len(text) > LONGEST_NUMBER:
        raise ValueError(f"a Decimal of more than {LONGEST_NUMBER} digits")
    try:
        return Decimal(text)
    except ArithmeticError:
        raise ValueError(f"no Decimal: {text[:40]!r}") from None


# Name in the file -> type, how it is written, how it is read. A datetime is a date too.
_KINDS: dict[str, tuple[type, Callable[[Any], str], Callable[[str], Any]]] = {
    "bytes": (bytes, bytes.hex, bytes.fromhex),
    "decimal": (Decimal, str, _read_decimal),
    "datetime": (datetime.datetime, _write_datetime, datetime.datetime.fromisoformat),
    "date": (datetime.date, datetime.date.isoformat, datetime.date.fromisoformat),
    "time": (datetime.time, datetime.time.isoformat, datetime.time.fromisoformat),
    "timedelta": (datetime.timedelta, _write_timedelta, _read_timedelta),
}
