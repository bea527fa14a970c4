"""Attributes that are lists of numbers: a column for each entry."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from graphtrees.graphs.labels import is_missing


def spread_lists(name: str, values: list, what: str) -> dict[str, list]:
    """Columns `name.0`, `name.1`, ... of lists of numbers of one length; else the one column.

    Where a list is missing, all of its entries are.
    """
    if not any(_may_be_lists(kind) for kind in set(map(type, values))):
        return {name: values}
    known = [value for value in values if not is_missing(value)]
    width = width_of(known)
    if not width:
        lengths = sorted({len(value) if is_list(value) else 1 for value in known})
        came = f"lengths {lengths[0]} and {lengths[-1]}" if len(lengths) > 1 else "other things"
        raise ValueError(f"{what}: lists must hold numbers and be of one length; got {came}")
    rows = [[None] * width if is_missing(value) else _items(value) for value in values]
    return {f"{name}.{k}": [row[k] for row in rows] for k in range(width)}


def _may_be_lists(kind: type) -> bool:
    return issubclass(kind, (list, tuple)) or (
        hasattr(kind, "ndim") and not issubclass(kind, np.generic)
    )


def width_of(values: list) -> int:
    """How many numbers each of these lists holds; 0 where not all are such lists."""
    lengths = {len(value) if is_list(value) else 0 for value in values}
    if len(lengths) != 1 or not all(_is_number(item) for value in values for item in _items(value)):
        return 0
    return lengths.pop()


def is_list(value: Any) -> bool:
    """A list, a tuple, or an array or tensor of one dimension."""
    return isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) == 1


def _items(value: Any) -> list:
    if not is_list(value):
        return [value]
    return value.tolist() if hasattr(value, "tolist") else list(value)


def _is_number(item: Any) -> bool:
    return is_missing(item) or isinstance(item, (Real, np.bool_))
