"""Indices of a collection: positions, slices, masks and index arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees._layout import OFFSET
from graphtrees.graphs.validation.numbers import without_mask


def positions(key: Any, length: int) -> int | np.ndarray:
    """One position, or an index array, for any key that a one-dimensional array takes.

    `(key, ...)` is `key`: that is how scikit-learn asks things that have a shape.
    """
    if isinstance(key, tuple):
        if len(key) != 2 or key[1] is not Ellipsis:
            raise IndexError(f"a collection has one dimension; got the index {key!r}")
        key = key[0]
    if key is Ellipsis:
        key = slice(None)
    text = text_of(key)
    if text is not None:
        raise IndexError(
            f"a collection is indexed by positions, slices or masks; got the text {text!r:.80}"
        )
    if isinstance(key, slice):
        return np.arange(length, dtype=OFFSET)[key]
    if isinstance(key, (int, np.integer)) and not isinstance(key, (bool, np.bool_)):
        return _from_start(int(key), length)
    return _array_positions(_as_array(key), length)


def text_of(key: Any) -> str | None:
    """The text that is given instead of positions, or the first of several; else None."""
    if isinstance(key, (str, bytes)):
        return str(key)
    if key is Ellipsis or isinstance(key, (int, slice, tuple)):
        return None
    array = _as_array(key)
    first = array.flat[0] if array.size and array.dtype.kind in "USTO" else None
    return str(first) if isinstance(first, (str, bytes)) else None


def _as_array(key: Any) -> np.ndarray:
    try:
        return np.asarray(without_mask(key))
    except ValueError:
        raise IndexError(
            f"a collection is indexed by positions, slices or masks; got {key!r:.80}"
        ) from None


def _from_start(position: int, length: int) -> int:
    if not -length <= position < length:
        raise IndexError(f"position {position} is outside a collection of {length}")
    return position % length


def _array_positions(array: np.ndarray, length: int) -> np.ndarray | int:
    if array.ndim == 0 and array.dtype.kind in "iu":
        return _from_start(int(array), length)
    if array.ndim != 1:
        raise IndexError(f"an index array must be one-dimensional; got shape {array.shape}")
    if array.dtype.kind == "O" and all(isinstance(item, (bool, np.bool_)) for item in array):
        array = array.astype(bool)
    if array.dtype.kind == "b":
        if len(array) != length:
            raise IndexError(f"a mask of {len(array)} entries for a collection of {length}")
        return np.flatnonzero(array).astype(OFFSET)
    if len(array) == 0:
        return np.zeros(0, OFFSET)
    if array.dtype.kind not in "iu":
        raise IndexError(f"an index array must hold integers or booleans; got {array.dtype}")
    return _check_bounds(array.astype(OFFSET), length)


def _check_bounds(array: np.ndarray, length: int) -> np.ndarray:
    outside = (array < -length) | (array >= length)
    if outside.any():
        position = int(array[np.argmax(outside)])
        raise IndexError(f"position {position} is outside a collection of {length}")
    return np.where(array < 0, array + length, array)
