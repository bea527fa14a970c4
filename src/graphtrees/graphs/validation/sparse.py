"""Check the index arrays of sparse matrices: SciPy's compiled code would read out of bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np


def check_sparse(matrix: Any, what: str) -> None:
    """Refuse a SciPy sparse matrix whose index arrays are broken or point outside of it.

    Nothing but NumPy reads the arrays until this has passed: most of SciPy's own methods, `tocsr`
    among them, read and write memory by index without looking.
    """
    if len(matrix.shape) != 2:
        raise ValueError(f"{what} must be two-dimensional; got shape {matrix.shape}")
    fault = _CHECKS[matrix.format](matrix)
    if fault:
        raise ValueError(f"{what}: the {matrix.format} matrix is broken: {fault}")


def _compressed(matrix: Any) -> str:
    rows, columns = matrix.shape
    major, minor = (rows, columns) if matrix.format == "csr" else (columns, rows)
    if np.ndim(matrix.data) != 1:
        return f"data must be one-dimensional; it has shape {np.shape(matrix.data)}"
    return _pointers(matrix.indptr, major) or _entries(matrix, minor)


def _blocks(matrix: Any) -> str:
    if np.ndim(matrix.data) != 3:
        return f"data must be three-dimensional; it has shape {np.shape(matrix.data)}"
    height, width = np.shape(matrix.data)[1:]
    rows, columns = matrix.shape
    if height < 1 or width < 1 or rows % height or columns % width:
        return f"blocks of {height} × {width} do not fill {rows} × {columns}"
    return _pointers(matrix.indptr, rows // height) or _entries(matrix, columns // width)


def _pointers(indptr: Any, n_rows: int) -> str:
    """Starts of rows: as many as there are rows and one, from 0, and never falling."""
    if not _is_integers(indptr) or len(indptr) != n_rows + 1:
        return f"indptr must be {n_rows + 1} integers; it is {_describe(indptr)}"
    if indptr[0] != 0:
        return f"indptr must start at 0; it starts at {indptr[0]}"
    falls = indptr[1:] < indptr[:-1]
    return f"indptr must never fall; it does at {int(np.argmax(falls))}" if falls.any() else ""


def _entries(matrix: Any, n_columns: int) -> str:
    n_entries, room = int(matrix.indptr[-1]), min(len(matrix.indices), len(matrix.data))
    if n_entries > room:
        return f"indptr ends at {n_entries}; there are {room} entries"
    return _places(matrix.indices, n_columns, "indices", n_entries)


def _coordinates(matrix: Any) -> str:
    rows, columns = matrix.row, matrix.col
    if np.ndim(matrix.data) != 1 or not len(rows) == len(columns) == len(matrix.data):
        return "row, col and data must be of one length"
    n_rows, n_columns = matrix.shape
    return _places(rows, n_rows, "row", len(rows)) or _places(columns, n_columns, "col", len(rows))


def _diagonals(matrix: Any) -> str:
    offsets, data = matrix.offsets, matrix.data
    if not _is_integers(offsets) or np.ndim(data) != 2 or len(data) != len(offsets):
        return f"offsets must be an integer for each row of data; they are {_describe(offsets)}"
    rows, columns = matrix.shape
    outside = (offsets <= -max(rows, 1)) | (offsets >= max(columns, 1))
    if outside.any():
        return f"offset {offsets[np.argmax(outside)]} is no diagonal of {rows} × {columns}"
    return "offsets must not repeat" if len(np.unique(offsets)) < len(offsets) else ""


def _lists(matrix: Any) -> str:
    n_rows, n_columns = matrix.shape
    if len(matrix.rows) != n_rows or len(matrix.data) != n_rows:
        return f"rows and data must hold {n_rows} lists"
    for row, (places, values) in enumerate(zip(matrix.rows, matrix.data, strict=True)):
        if len(places) != len(values):
            return f"row {row} has {len(places)} places for {len(values)} values"
        fault = _python_places(places, n_columns, f"rows[{row}]")
        if fault:
            return fault
    return ""


def _keys(matrix: Any) -> str:
    n_rows, n_columns = matrix.shape
    keys = list(matrix.keys())
    if any(not isinstance(key, tuple) or len(key) != 2 for key in keys):
        return "its keys must be pairs (row, column)"
    return _python_places((row for row, _ in keys), n_rows, "row") or _python_places(
        (column for _, column in keys), n_columns, "col"
    )


def _python_places(places: Iterable[Any], limit: int, name: str) -> str:
    for place in places:
        if not isinstance(place, (int, np.integer)) or not 0 <= place < limit:
            return f"{name} holds {place!r}; wanted are integers from 0 to {limit - 1}"
    return ""


def _places(places: Any, limit: int, name: str, n_used: int) -> str:
    if not _is_integers(places):
        return f"{name} must be one-dimensional integers; it is {_describe(places)}"
    used = places[:n_used]
    outside = (used < 0) | (used >= limit)
    if not outside.any():
        return ""
    at = int(np.argmax(outside))
    return f"{name}[{at}] is {used[at]}; wanted are integers from 0 to {limit - 1}"


def _is_integers(values: Any) -> bool:
    return isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iu"


def _describe(values: Any) -> str:
    return f"{getattr(values, 'dtype', type(values).__name__)} {np.shape(values)}"


_CHECKS: dict[str, Callable[[Any], str]] = {
    "csr": _compressed,
    "csc": _compressed,
    "bsr": _blocks,
    "coo": _coordinates,
    "dia": _diagonals,
    "lil": _lists,
    "dok": _keys,
}
