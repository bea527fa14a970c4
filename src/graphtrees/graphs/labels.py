"""Labels of categorical features and of edge types, and their integer codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np


def encode(values: Sequence[Any] | np.ndarray) -> tuple[np.ndarray, tuple]:
    """Codes int64 (-1: missing) and the labels they stand for, sorted."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuUS":
        distinct, numbers = np.unique(values, return_inverse=True)
        return numbers.astype(np.int64), tuple(distinct.tolist())
    items = [plain(value) for value in values]
    labels = in_order(item for item in items if not is_missing(item))
    code_of = {label: code for code, label in enumerate(labels)}
    codes = [-1 if is_missing(item) else code_of[item] for item in items]
    return np.array(codes, dtype=np.int64), labels


def in_order(labels: Iterable[Any]) -> tuple:
    """The distinct labels: sorted where they compare, else in order of appearance."""
    distinct = list(dict.fromkeys(labels))
    try:
        return tuple(sorted(distinct))
    except TypeError:
        return tuple(distinct)


def unite(label_lists: Sequence[tuple]) -> tuple[tuple, np.ndarray, np.ndarray]:
    """One list of labels for several, and how to rewrite the codes of each.

    Code `c` of list `i` becomes `table[start[i] + c]`. Lists that agree keep their order.
    """
    distinct = list(dict.fromkeys(label_lists))
    non_empty = [labels for labels in distinct if labels]
    if len(non_empty) <= 1:
        united = non_empty[0] if non_empty else ()
    else:
        united = in_order(label for labels in non_empty for label in labels)
    code_of = {label: code for code, label in enumerate(united)}
    start_of: dict[tuple, int] = {}
    table: list[int] = []
    for labels in distinct:
        start_of[labels] = len(table)
        table.extend(code_of[label] for label in labels)
    start = np.array([start_of[labels] for labels in label_lists], dtype=np.int64)
    return united, start, np.array(table, dtype=np.int64)


def recode(codes: np.ndarray, start: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Codes rewritten as `unite` says, NaN where they are missing; `start` is that of each code."""
    known = ~np.isnan(codes)
    recoded = codes.copy()
    recoded[known] = table[start[known] + codes[known].astype(np.int64)]
    return recoded


def plain(value: Any) -> Any:
    """A NumPy scalar as a Python value; others as they are."""
    return value.item() if isinstance(value, np.generic) else value


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or NaT (not equal to itself), or pandas.NA (which raises)."""
    if value is None:
        return True
    try:
        return not bool(value == value)
    except (TypeError, ArithmeticError):  # Decimal("sNaN") compares with nothing
        return True
    except (ValueError, RuntimeError):  # arrays and tensors compare entry by entry
        return False


def as_labels(values: Any) -> Any:
    """Labels as arrays that scikit-learn reads.

    A list of strings with a missing one among them becomes objects: NumPy would write 'nan'. So do
    strings of NumPy's StringDType if one is missing.
    """
    if getattr(getattr(values, "dtype", None), "kind", "") == "T":
        objects = values.astype(object)
        return objects if any(map(is_missing, objects.flat)) else objects.astype(str)
    if not isinstance(values, (list, tuple)) or not any(isinstance(v, str) for v in values):
        return values
    return object_array(values) if any(is_missing(v) for v in values) else values


def object_array(values: Iterable[Any]) -> np.ndarray:
    """A one-dimensional array of any objects, tuples and lists among them."""
    items = list(values)
    array = np.empty(len(items), dtype=object)
    for place, item in enumerate(items):
        array[place] = item
    return array
