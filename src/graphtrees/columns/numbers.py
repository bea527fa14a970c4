"""What is known of many numbers: whether they are small, whole, or far apart.

Threads share the numbers, and look at some of them at a time, to save memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graphtrees._layout import SMALL, SMALL_LIMIT, VALUE
from graphtrees._threads import ONE_THREAD, Workers
from graphtrees.kernels import lanes

# Waking a thread takes as long as looking at so many numbers.
NUMBERS_A_THREAD = 2**18

AT_ONCE = 2**18


def real(values: np.ndarray) -> np.ndarray:
    """As float32."""
    return values.astype(VALUE, copy=False)


def narrowed(values: np.ndarray, workers: Workers) -> np.ndarray:
    """As int16 where all are small whole numbers."""
    if not all(_each(_are_small, values, workers)):
        return values
    out = np.empty(len(values), SMALL)

    def copy(start: int, stop: int) -> None:
        out[start:stop] = values[start:stop]

    workers.each(copy, workers.spans(len(values), NUMBERS_A_THREAD))
    return out


def _are_small(values: np.ndarray) -> bool:
    return all(
        bool(((np.abs(piece) < SMALL_LIMIT) & (piece == np.rint(piece))).all())
        for piece in _pieces(values)
    )


def are_whole(values: np.ndarray, workers: Workers = ONE_THREAD) -> bool:
    """Whether all are whole numbers."""
    return values.dtype == SMALL or all(_each(_are_whole, values, workers))


def _are_whole(values: np.ndarray) -> bool:
    return all(bool((piece == np.rint(piece)).all()) for piece in _pieces(values))


def range_of(values: np.ndarray, workers: Workers = ONE_THREAD) -> tuple[float, float]:
    """The lowest and the highest known number; 0 is among them."""

    def some(part: np.ndarray) -> tuple[float, float]:
        return float(np.fmin.reduce(part, initial=0)), float(np.fmax.reduce(part, initial=0))

    lowest, highest = zip(*_each(some, values, workers), strict=True)
    return min(lowest), max(highest)


def smallest_bit(values: np.ndarray) -> float:
    """The largest power of two of which all known numbers are multiples; inf for zeros alone."""
    smallest = np.inf
    for piece in _pieces(values):
        filled = (piece != 0) & ~np.isnan(piece)
        mantissa, exponent = np.frexp(piece[filled].astype(np.float64))
        digits = np.ldexp(mantissa, 24).astype(np.int64)
        bits = np.ldexp((digits & -digits).astype(np.float64), exponent - 24)
        smallest = min(smallest, float(bits.min(initial=np.inf)))
    return smallest


def span_much(values: np.ndarray, workers: Workers) -> bool:
    """Whether any two numbers are so far apart that small ones may have to be rounded."""

    def sizes_of(part: np.ndarray) -> tuple[float, float]:
        smallest, largest = np.inf, 0.0
        for piece in _pieces(part):
            sizes = np.abs(piece[np.isfinite(piece) & (piece != 0)])
            smallest = min(smallest, float(sizes.min(initial=np.inf)))
            largest = max(largest, float(sizes.max(initial=0.0)))
        return smallest, largest

    smallest, largest = zip(*_each(sizes_of, values, workers), strict=True)
    return min(smallest) * lanes.FULL_RANGE < max(largest)


def largest_sum(values: np.ndarray, ptr: np.ndarray, workers: Workers = ONE_THREAD) -> float:
    """The largest sum of values[ptr[g] : ptr[g + 1]], some g at a time to save memory."""
    ptr = ptr[np.append(True, np.diff(ptr) > 0)]  # without those that hold nothing

    def some(first: int, last: int) -> float:
        largest = 0.0
        for start in range(first, last, 256):
            here = ptr[start : min(start + 256, last) + 1]
            piece = values[here[0] : here[-1]]
            sums = np.add.reduceat(piece, here[:-1] - here[0], dtype=np.float64)
            largest = max(largest, float(sums.max()))
        return largest

    return max(workers.each(some, workers.stretches(ptr, NUMBERS_A_THREAD)))


def _each(function: Callable, values: np.ndarray, workers: Workers) -> list[Any]:
    """What the function tells of stretches of the values."""
    spans = workers.spans(len(values), NUMBERS_A_THREAD)
    return workers.each(lambda start, stop: function(values[start:stop]), spans)


def _pieces(values: np.ndarray) -> Iterator[np.ndarray]:
    return (values[start : start + AT_ONCE] for start in range(0, len(values), AT_ONCE))
