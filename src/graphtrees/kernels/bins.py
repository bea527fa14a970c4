"""Bins of a column without sorting it: from the range of its values."""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import inner_kernel

# How many bins a column of n rows gets, unless each whole number has one of its own.
FEWEST_BINS, BINS_A_ROW = 64, 4

EXPONENT = 0x7F800000  # where float32 keeps its exponent

LARGEST_WHOLE = np.float32(2.0**30)  # larger numbers are not looked at as whole ones


@inner_kernel
def choose_bins(low, high, exponents, n_known, is_whole, max_bins, n_rows):
    """(n_bins, bottom, middle, step) for values from low to high.

    Small whole numbers get a bin each (middle 0). Others get equal steps of x / (|x| + middle),
    which keeps apart what is near the usual size and tames tails. The middle is a power of two,
    found from the summed exponents, so that no order of adding up can move it.
    """
    span = np.float64(high) - np.float64(low)
    if is_whole and span < max_bins:
        return np.int64(span) + 1, np.float64(low), 0.0, 1.0
    middle = 2.0 ** np.floor(exponents / max(1, n_known) - 126.5)
    bottom = low / (abs(np.float64(low)) + middle)
    top = high / (abs(np.float64(high)) + middle)
    n_bins = min(max_bins, max(FEWEST_BINS, BINS_A_ROW * n_rows))
    return n_bins, bottom, middle, n_bins / (top - bottom)


@inner_kernel
def bin_of(value, n_bins, bottom, middle, step):
    if value != value:
        return n_bins
    if middle == 0.0:
        return np.int64(np.float64(value) - bottom)
    place = np.float64(value) / (abs(np.float64(value)) + middle) - bottom
    return min(np.int64(place * step), n_bins - 1)


@inner_kernel
def find_bins(values, n, has_missing, n_bins, bottom, middle, step, bins):
    """The bin of every entry; n_bins is that of missing values."""
    if middle == 0.0 and not has_missing:
        for i in range(n):
            bins[i] = np.int32(values[i] - np.float32(bottom))
    elif not has_missing:
        last = np.int32(n_bins - 1)
        for i in range(n):
            value = np.float64(values[i])
            place = np.int32((value / (abs(value) + middle) - bottom) * step)
            bins[i] = place if place < last else last
    elif middle == 0.0:
        for i in range(n):
            is_known = values[i] == values[i]
            place = np.int32((values[i] if is_known else np.float32(bottom)) - np.float32(bottom))
            bins[i] = place if is_known else np.int32(n_bins)
    else:
        last = np.int32(n_bins - 1)
        for i in range(n):
            is_known = values[i] == values[i]
            value = np.float64(values[i] if is_known else np.float32(0.0))
            place = np.int32((value / (abs(value) + middle) - bottom) * step)
            place = place if place < last else last
            bins[i] = place if is_known else np.int32(n_bins)


@inner_kernel
def _whole_range(values, n):
    """(smallest, largest, whether all are whole numbers of moderate size); vectorised."""
    low = np.int32(2**31 - 1)
    high = np.int32(-(2**31))
    different = np.int32(0)
    for i in range(n):
        # What int32 cannot hold, NaN too, must not be converted: compilers take that as a licence.
        value = values[i] if values[i] > -LARGEST_WHOLE else -LARGEST_WHOLE
        whole = np.int32(value if value < LARGEST_WHOLE else LARGEST_WHOLE)
        different |= np.int32(np.float32(whole) != values[i])
        low = min(low, whole)
        high = max(high, whole)
    return low, high, different == 0


@inner_kernel
def _key_of(bits):
    """Whole numbers in the order of the float32 numbers with these bits; its own inverse."""
    return bits ^ ((bits >> np.int32(31)) & np.int32(0x7FFFFFFF))


@inner_kernel
def _real_range(bits, n):
    """(key of the smallest, key of the largest, summed exponents); none missing; vectorised."""
    low = np.int32(2**31 - 1)
    high = np.int32(-(2**31))
    exponents = np.int64(0)
    for i in range(n):
        key = _key_of(bits[i])
        low = min(low, key)
        high = max(high, key)
        exponents += np.int64((bits[i] & np.int32(EXPONENT)) >> np.int32(23))
    return low, high, exponents


@inner_kernel
def _known_range(values, bits, n):
    """(key of the smallest, of the largest, how many are known, their exponents, all whole)."""
    low = np.int32(2**31 - 1)
    high = np.int32(-(2**31))
    exponents = np.int64(0)
    known = np.int64(0)
    fractions = np.int32(0)
    for i in range(n):
        is_known = values[i] == values[i]
        key = _key_of(bits[i])
        low = min(low, key if is_known else np.int32(2**31 - 1))
        high = max(high, key if is_known else np.int32(-(2**31)))
        exponent = (bits[i] & np.int32(EXPONENT)) >> np.int32(23)
        exponents += np.int64(exponent if is_known else np.int32(0))
        known += np.int64(is_known)
        fractions |= np.int32(is_known and values[i] != np.floor(values[i]))
    return low, high, known, exponents, fractions == 0


@inner_kernel
def _sum_exponents(bits, n):
    total = np.int64(0)
    for i in range(n):
        total += np.int64((bits[i] & np.int32(EXPONENT)) >> np.int32(23))
    return total


@inner_kernel
def range_of(values, n, has_missing, scratch):
    """(smallest, largest, how many are known, their summed exponents, whether all are whole)."""
    least, most, is_whole = _whole_range(values, n)
    bits = values.view(np.int32)
    if is_whole and most - least < 2**24:
        return np.float32(least), np.float32(most), n, _sum_exponents(bits, n), True
    known = np.int64(n)
    if has_missing:
        low_key, high_key, known, exponents, is_whole = _known_range(values, bits, n)
        if known == 0:
            return np.float32(np.inf), np.float32(-np.inf), known, exponents, is_whole
    else:
        low_key, high_key, exponents = _real_range(bits, n)
    ends = scratch.ends
    ends[0] = _key_of(low_key)
    ends[1] = _key_of(high_key)
    numbers = ends.view(np.float32)
    return numbers[0], numbers[1], known, exponents, is_whole
