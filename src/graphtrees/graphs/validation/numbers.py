"""Arrays of numbers: of the right shape, real, finite or missing, and within float32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphtrees.graphs.labels import is_missing

LARGEST = float(np.finfo(np.float32).max)  # vertex values are float32 once they are walked


def as_numbers(values: Any, what: str, hint: str = "") -> np.ndarray:
    """A new C-ordered array: float32 stays, every other real number becomes float64.

    The hint says where things that are no numbers should go instead.
    """
    array = as_array(values, what)
    if array.dtype.kind == "c":
        raise TypeError(f"{what} must be real numbers; got complex ones ({array.dtype})")
    if array.dtype.kind in "mM":
        raise TypeError(
            f"{what} must be numbers; got dates or durations ({array.dtype}). Give days in their "
            "place: (array - numpy.datetime64('2000-01-01')) / numpy.timedelta64(1, 'D'), for "
            "durations without the subtraction."
        )
    if array.dtype.kind not in "biufO":
        raise TypeError(f"{what} must be numbers; got the dtype {array.dtype}.{hint}")
    if array.dtype.kind == "O" and any(isinstance(item, (str, bytes)) for item in array.flat):
        raise TypeError(f"{what} must be numbers; got strings among them.{hint}")
    dtype = np.float32 if array.dtype in (np.float32, np.float16) else np.float64
    try:
        return np.array(array, dtype=dtype, order="C")
    except OverflowError:
        raise ValueError(f"{what}: a number is beyond the range of float32") from None
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"{what} must be numbers; got an array of objects that are not ({error}).{hint}"
        ) from None


def as_array(values: Any, what: str) -> np.ndarray:
    """`numpy.asarray` with an error that says what was read; what a mask hides is missing."""
    try:
        return np.asarray(without_mask(values))
    except ValueError as error:
        raise ValueError(f"{what} could not be read as an array: {error}") from None


def missing_as_nan(values: Any) -> Any:
    """Numbers with NaN in place of what is masked, and of None, NaT and pandas.NA among objects."""
    values = without_mask(values)
    array = np.asarray(values)
    if array.dtype.kind != "O":
        return values
    known = np.frompyfunc(lambda item: np.nan if is_missing(item) else item, 1, 1)
    return np.asarray(known(array), object)  # without dimensions, `known` gives a bare number


def without_mask(values: Any) -> Any:
    """A masked array as a plain one, with NaN (None among objects) in place of what is masked.

    So for every row in a list of them.
    """
    if isinstance(values, (list, tuple)):
        masked = any(isinstance(row, np.ma.MaskedArray) for row in values)
        return [without_mask(row) for row in values] if masked else values
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not np.ma.getmaskarray(values).any():
        return np.asarray(values.data)
    if values.dtype.kind in "biu":
        return np.ma.filled(values.astype(np.float64), np.nan)
    if values.dtype.kind in "fc":
        return np.ma.filled(values, np.nan)
    objects = np.array(values.data, dtype=object)
    objects[np.ma.getmaskarray(values)] = None
    return objects


def check_range(values: np.ndarray, place: Callable[..., str], missing_ok: bool) -> None:
    """Refuse values beyond float32, infinite ones among them, and NaN where it means nothing."""
    if values.size == 0:
        return
    largest = np.fmax.reduce(np.abs(values), axis=None, initial=0.0)
    if largest > LARGEST:
        at = np.unravel_index(int(np.nanargmax(np.abs(values))), values.shape)
        came = float(values[at])
        size = "infinite" if np.isinf(came) else f"{came:.6g}, beyond the range of float32"
        raise ValueError(f"{place(*at)} is {size}")
    if not missing_ok and np.isnan(values).any():
        at = np.unravel_index(int(np.argmax(np.isnan(values))), values.shape)
        raise ValueError(f"{place(*at)} is NaN")
