"""Labels in a model file: classes of y, and categories of features.

How one label is written is in `graphs.stored_labels`. A kind that cannot be carried so is refused
before training.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from graphtrees._layout import LONGEST_LABEL, MOST_CLASSES, MOST_NESTED, WIDEST_CLASSES
from graphtrees.graphs.stored_labels import is_carried

CARRIED = (
    "strings, numbers, booleans, bytes, dates, times, Decimals, intervals, and tuples of these"
)

_DTYPE = re.compile(
    r"bool|u?int(8|16|32|64)|float(16|32|64)|str|<U[1-9][0-9]{0,6}"
    r"|(datetime|timedelta)64\[(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\]"
)


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
    if not is_carried(label):
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
