"""Arrow arrays as NumPy arrays: numbers, labels, and lists as their lengths and their items."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees._optional import require


def pyarrow(purpose: str = "Parquet") -> Any:
    return require("pyarrow", extra="arrow", purpose=purpose)


def split_lists(lists: Any, column: str, noun: str = "graph") -> tuple[np.ndarray, Any]:
    """The lengths of the lists of an array, one for each `noun`, and all items as one array."""
    pa = pyarrow()
    whole = lists.cast(pa.large_list(lists.type.value_type))
    if isinstance(whole, pa.ChunkedArray):
        whole = whole.combine_chunks()
    refuse_nulls(whole, column, "an empty list is wanted where there is nothing", noun)
    return np.diff(whole.offsets.to_numpy()), whole.flatten()


def refuse_nulls(array: Any, column: str, wanted: str, noun: str = "graph") -> None:
    """Raise where an array has nulls; `noun` says what each of its items belongs to."""
    if array.null_count:
        raise ValueError(f"{noun} {first_null(array)}: column {column!r} is null; {wanted}")


def first_null(array: Any) -> int:
    """The place of the first null of an array that has some."""
    return int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))


def without_dictionary(array: Any) -> Any:
    """An array without dictionary encoding."""
    is_encoded = pyarrow().types.is_dictionary(array.type)
    return array.cast(array.type.value_type) if is_encoded else array


def in_numpy(array: Any) -> Any:
    """The same array in memory of NumPy's, which may be that of a file; see `_storage`."""
    pa = pyarrow()
    if array.type.num_fields or pa.types.is_dictionary(array.type):
        return array
    copied = [
        None if one is None else pa.py_buffer(np.frombuffer(one, np.uint8).copy())
        for one in array.buffers()
    ]
    return pa.Array.from_buffers(array.type, len(array), copied, array.null_count, array.offset)


def as_numbers(array: Any) -> np.ndarray:
    """float32 as it is, other numbers and booleans as float64; NaN for null."""
    pa, array = pyarrow(), without_dictionary(array)
    if pa.types.is_float32(array.type):
        return array.to_numpy(zero_copy_only=False)
    if not (pa.types.is_integer(array.type) or pa.types.is_floating(array.type)):
        array = array.cast(pa.int8() if pa.types.is_boolean(array.type) else pa.float64())
    return array.to_numpy(zero_copy_only=False).astype(np.float64)


def as_integers(array: Any) -> np.ndarray:
    """int64, of an array without nulls."""
    return without_dictionary(array).cast(pyarrow().int64()).to_numpy(zero_copy_only=False)


def as_codes(array: Any) -> tuple[np.ndarray, list]:
    """The number of each item among the distinct ones, -1 for null, and the distinct items."""
    pa, array = pyarrow(), without_dictionary(array)
    if pa.types.is_null(array.type):
        return np.full(len(array), -1), []
    if not (pa.types.is_integer(array.type) or pa.types.is_boolean(array.type)):
        array = array.cast(pa.large_string())
    encoded = array.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return codes.astype(np.int64), encoded.dictionary.to_pylist()


def natural_type(items: set | list | tuple) -> Any:
    """The Arrow type that holds these as they are: text, integers or booleans; else None."""
    pa = pyarrow()
    kinds = set(map(type, items))
    if kinds <= {str}:
        try:
            "".join(items).encode()
        except UnicodeEncodeError:  # half characters, which JSON can write
            return None
        return pa.large_string()
    if kinds == {int}:
        info = np.iinfo(np.int64)
        return pa.int64() if info.min <= min(items) and max(items) <= info.max else None
    return pa.bool_() if kinds == {bool} else None


def list_array(ptr: np.ndarray, items: Any) -> Any:
    """Lists of the items; list k is ``items[ptr[k]:ptr[k + 1]]``."""
    pa = pyarrow()
    ends = pa.array(np.asarray(ptr, dtype=np.int64))
    return pa.LargeListArray.from_arrays(ends, items)
