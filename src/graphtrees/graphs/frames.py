"""Reading data frames (pandas, polars, Arrow) without importing any of their libraries."""

from __future__ import annotations

import sys
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from graphtrees.graphs.dates import advice_on_dates, advice_on_objects, are_dates
from graphtrees.graphs.labels import encode, is_missing

# A column read: its numbers, and the labels when the numbers are codes.
Column = tuple[np.ndarray, tuple | None]


def is_frame(thing: Any) -> bool:
    """Whether this is a table with named columns of one of the libraries we read."""
    return library_of(thing) is not None


def library_of(thing: Any) -> str | None:
    """The library a table comes from: "pandas", "polars", "pyarrow", or None for no table."""
    for kind in type(thing).__mro__:
        library = kind.__module__.partition(".")[0]
        if (library, kind.__name__) in _TABLES:
            return library
    return None


_TABLES = {("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "Table")}


def read_frame(
    frame: Any, what: str
) -> tuple[np.ndarray, tuple[str, ...] | None, dict[int, tuple]]:
    """Numbers (n, columns), the names of the columns and the labels of categorical ones.

    float32 stays where every column is float32 or categorical; otherwise float64.
    """
    names = column_names(frame)
    read = [
        read_column(frame, place, f"{what}: column {name!r}") for place, name in enumerate(names)
    ]
    keep = read and all(labels is not None or x.dtype == np.float32 for x, labels in read)
    values = np.zeros((n_rows(frame), len(read)), dtype=np.float32 if keep else np.float64)
    for place, (numbers, _) in enumerate(read):
        values[:, place] = numbers
    categories = {place: labels for place, (_, labels) in enumerate(read) if labels is not None}
    return values, _as_feature_names(names, what), categories


def column_names(frame: Any) -> list:
    """The names of the columns, of whatever type."""
    return list(frame.column_names if library_of(frame) == "pyarrow" else frame.columns)


def n_rows(frame: Any) -> int:
    return int(frame.shape[0])


def read_column(frame: Any, place: int, what: str) -> Column:
    """One column as numbers; strings, objects and categories as codes with their labels."""
    return _READERS[str(library_of(frame))](frame, place, what)


def column_values(frame: Any, place: int) -> list:
    """One column as it is, for identifiers and names."""
    library = library_of(frame)
    if library == "pandas":
        return frame.iloc[:, place].tolist()
    if library == "polars":
        return frame.to_series(place).to_list()
    return frame.column(place).to_pylist()


def _as_feature_names(names: list, what: str) -> tuple[str, ...] | None:
    """The names, or None where they are mere numbers of columns."""
    strings = [isinstance(name, str) for name in names]
    if not any(strings):
        return None
    if not all(strings):
        other = names[strings.index(False)]
        raise TypeError(f"{what}: column names must all be strings; got {other!r} among them")
    return tuple(names)


def _read_pandas(frame: Any, place: int, what: str) -> Column:
    column = frame.iloc[:, place]
    if hasattr(column, "cat"):
        codes = column.cat.codes.to_numpy()
        return _codes_to_numbers(codes), tuple(column.cat.categories.tolist())
    kind = column.dtype.kind
    if column.dtype == np.float32:
        return column.to_numpy(), None
    if kind in "biuf":
        return column.to_numpy(dtype=np.float64, na_value=np.nan), None
    if kind in "OU" and not advice_on_dates("pandas", str(column.dtype)):
        return read_objects(column.tolist(), what)
    raise _not_numbers(what, column.dtype, "pandas")


def _read_polars(frame: Any, place: int, what: str) -> Column:
    polars = sys.modules["polars"]
    column = frame.to_series(place)
    if column.dtype == polars.Float32:
        return column.to_numpy(), None
    if column.dtype.is_numeric() or column.dtype == polars.Boolean:
        return column.cast(polars.Float64).to_numpy(), None
    if column.dtype == polars.Enum:
        labels = tuple(column.dtype.categories.to_list())
        return _codes_to_numbers(_codes_of(column.to_list(), labels)), labels
    if column.dtype in (polars.String, polars.Categorical, polars.Object, polars.Null):
        return read_objects(column.to_list(), what)
    raise _not_numbers(what, column.dtype, "polars")


def _read_arrow(frame: Any, place: int, what: str) -> Column:
    types = sys.modules["pyarrow"].types
    column = frame.column(place)
    if types.is_float32(column.type):
        return column.to_numpy(), None
    if types.is_integer(column.type) or types.is_floating(column.type):
        return column.to_numpy().astype(np.float64), None
    if any(getattr(types, f"is_{kind}")(column.type) for kind in _ARROW_OBJECTS):
        return read_objects(column.to_pylist(), what)
    raise _not_numbers(what, column.type, "pyarrow")


# Arrow types that are read value by value.
_ARROW_OBJECTS = (
    "boolean",
    "decimal",
    "dictionary",
    "large_string",
    "null",
    "string",
    "string_view",
)

_READERS = {"pandas": _read_pandas, "polars": _read_polars, "pyarrow": _read_arrow}


def read_objects(items: list, what: str) -> Column:
    """Objects that are all numbers, or all missing, are numbers; anything else is a category."""
    known = [item for item in items if not is_missing(item)]
    if all(isinstance(item, (Real, Decimal, np.bool_)) for item in known):
        return _as_floats(items, what), None
    if are_dates(known):
        came = advice_on_objects(known)
        raise TypeError(f"{what} must hold numbers, booleans or categories; {came}")
    if any(isinstance(item, (tuple, frozenset)) for item in known):
        raise TypeError(f"{what} holds tuples; give each entry a column of its own")
    try:
        codes, labels = encode(items)
    except TypeError as error:
        raise TypeError(f"{what} holds values that cannot be categories: {error}") from None
    return _codes_to_numbers(codes), labels


def _as_floats(items: list, what: str) -> np.ndarray:
    try:
        numbers = [np.nan if is_missing(item) else float(item) for item in items]
    except OverflowError:
        raise ValueError(f"{what}: a number is beyond the range of float32") from None
    except TypeError as error:
        raise TypeError(f"{what} must hold numbers, booleans or categories; {error}") from None
    return np.array(numbers, dtype=np.float64)


def _codes_of(items: list, labels: tuple) -> np.ndarray:
    code_of = {label: code for code, label in enumerate(labels)}
    return np.array([-1 if item is None else code_of[item] for item in items], dtype=np.int64)


def _codes_to_numbers(codes: np.ndarray) -> np.ndarray:
    return np.where(codes < 0, np.nan, codes.astype(np.float64))


def _not_numbers(what: str, dtype: Any, library: str) -> TypeError:
    came = advice_on_dates(library, str(dtype)) or f"got {dtype}"
    return TypeError(f"{what} must hold numbers, booleans or categories; {came}")
