"""Labels in a model file: classes of y, and categories of features.

Strings, numbers and booleans stand for themselves. Other kinds are objects with one member that
names the kind, such as {"date": "2024-05-01"}. What is read back equals what was written; a kind
that cannot be carried so is refused before training.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np

from graphtrees._layout import LONGEST_LABEL, MOST_CLASSES, MOST_NESTED, WIDEST_CLASSES
from graphtrees._optional import require

CARRIED = (
    "strings, numbers, booleans, bytes, dates, times, Decimals, intervals, and tuples of these"
)
LONGEST_NUMBER = 1000  # digits

_DTYPE = re.compile(
    r"bool|u?int(8|16|32|64)|float(16|32|64)|str|<U[1-9][0-9]{0,6}"
    r"|(datetime|timedelta)64\[(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\]"
)


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
    pandas = require("pandas", extra="pandas", purpose="a model with intervals as categories")
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


def check_categories(categories: dict[int, tuple], name_of: Callable[[int], str]) -> None:
    """Refuse, before training, labels of features that a model file cannot carry."""
    n_nested = 2 * len(categories)
    for feature, labels in categories.items():
        for label in labels:
            if type(label) is str and len(label) <= LONGEST_LABEL:
                continue
            _check_category(label, f"feature {name_of(feature)!r}")
            n_nested += 2 * (not isinstance(label, (str, int, float)))
    if n_nested > MOST_NESTED:
        raise ValueError(
            f"there are too many categorical features ({len(categories)}), or labels in them that "
            "are neither strings nor numbers; give labels as strings or numbers"
        )


def _check_category(label: Any, where: str) -> None:
    try:
        carried = read_label(write_label(label)) == label
    except (TypeError, ValueError) as error:
        raise _not_carried(label, where) from error
    if not carried:
        raise _not_carried(label, where)


def _not_carried(label: Any, where: str) -> TypeError:
    kind = f"of type {type(label).__name__}"
    return TypeError(
        f"{where} has the category {_shown(label)}, {kind}, which a model file cannot hold. "
        f"Categories may be {CARRIED}; convert the column, for example with .astype(str)."
    )


def _shown(label: Any) -> str:
    text = repr(label)
    return text if len(text) <= 60 else f"{text[:57]}..."


def check_classes(classes: np.ndarray) -> None:
    """Refuse, before training, classes that a model file cannot carry."""
    if len(classes) > MOST_CLASSES:
        raise ValueError(f"y holds {len(classes)} classes; at most {MOST_CLASSES} are possible")
    if _DTYPE.fullmatch(dtype_name(classes.dtype)) is None:
        raise TypeError(
            f"y holds labels of type {classes.dtype}, which a model file cannot hold; give "
            "strings, numbers or booleans"
        )
    if classes.dtype.kind in "mM" and np.isnat(classes).any():
        raise ValueError("Input y contains NaT: some examples have no label")
    if classes.dtype.kind == "U" and classes.dtype.itemsize // 4 * len(classes) > WIDEST_CLASSES:
        raise ValueError("the labels of y are too long; number them, or give them as objects")
    if classes.dtype.kind == "O":
        for label in classes:
            if len(label) > LONGEST_LABEL:
                raise ValueError(f"y holds a label of more than {LONGEST_LABEL} characters")


def dtype_name(dtype: np.dtype) -> str:
    """The name of a dtype in a file: 'str' for objects, the byte order of this machine aside."""
    if dtype.kind == "O":
        return "str"
    return f"<U{max(1, dtype.itemsize // 4)}" if dtype.kind == "U" else str(dtype.newbyteorder("="))


def write_array(array: np.ndarray) -> dict[str, Any]:
    """An array as its dtype and its values; times as the integers that they are counted in."""
    times = array.dtype.kind in "mM"
    values = array.astype(np.int64) if times else array
    plain = [str(v) for v in values] if array.dtype.kind == "O" else values.tolist()
    return {"dtype": dtype_name(array.dtype), "values": plain}


def read_array(stored: Any, most: int = MOST_CLASSES) -> np.ndarray:
    """The array that `write_array` wrote; its size is known before it is made."""
    if not isinstance(stored, dict) or set(stored) != {"dtype", "values"}:
        raise ValueError("an array is an object with 'dtype' and 'values'")
    name, values = stored["dtype"], stored["values"]
    if type(name) is not str or _DTYPE.fullmatch(name) is None:
        raise ValueError(f"unknown dtype {str(name)[:40]!r}")
    if not isinstance(values, list) or len(values) > most:
        raise ValueError("the values of an array are a list, not too long")
    if name.startswith("<U") and int(name[2:]) * len(values) > WIDEST_CLASSES:
        raise ValueError(f"strings that are too wide: {name}")
    _check_values(name, values)
    return np.array(values, dtype=object if name == "str" else name)


def _check_values(name: str, values: list[Any]) -> None:
    text = name == "str" or name.startswith("<U")
    wanted = (
        {str} if text else {bool} if name == "bool"
        else {float, int} if name.startswith("float") else {int}
    )  # fmt: skip
    if not set(map(type, values)) <= wanted:
        raise ValueError(f"values that are no {name}")
    if text and max(map(len, values), default=0) > LONGEST_LABEL:
        raise ValueError(f"a string of more than {LONGEST_LABEL} characters")
    if name.startswith("<U") and max(map(len, values), default=0) > int(name[2:]):
        raise ValueError(f"strings that are longer than {name} holds")
    if wanted == {int}:
        check_range(values, np.dtype("int64" if "64[" in name else name))


def check_range(values: list[int], dtype: np.dtype) -> None:
    """Refuse integers that the dtype cannot hold, which NumPy 1 would wrap around."""
    info = np.iinfo(dtype)
    if values and not (info.min <= min(values) and max(values) <= info.max):
        raise ValueError(f"numbers outside {dtype}")
