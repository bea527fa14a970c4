"""The best cut of one column: its range, its bins, its histogram, and the scan over them.

A column comes as entries (value, row). Rows that are present and have no entry are 0; NaN is
missing. Small columns and the exact search sort the entries; each distinct value is then a bin.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels.bins import bin_of, choose_bins, find_bins, range_of
from graphtrees.kernels.histograms import (
    CUT,
    MISSING,
    NO_FLOOR,
    add_binned,
    add_halves,
    add_whole,
    clear,
    count,
    count_others,
    scan,
)
from graphtrees.kernels.sorting import missing_last, sort

# Columns of at most so many entries are sorted: that is as fast as a histogram, and exact.
SORTED_ENTRIES = 12


@inner_kernel
def _search_bins(stats, n, rows, limits, floor, scratch):
    """(largest gain of a cut between bins, number of bins, bin of the zeros or -1)."""
    values = scratch.values
    has_missing = limits.has_missing
    low, high, known, exponents, is_whole = range_of(values, n, has_missing, scratch)
    has_zeros = rows.n_present > n
    if has_zeros:
        low = min(low, np.float32(0.0))
        high = max(high, np.float32(0.0))
    if not low < high:
        return -np.inf, 0, -1
    n_bins, bottom, middle, step = choose_bins(
        low, high, exponents, known, is_whole, limits.max_bins, rows.n_rows
    )
    find_bins(values, n, has_missing, n_bins, bottom, middle, step, scratch.bins)
    zero_bin = -1
    if has_zeros:
        zero_bin = bin_of(np.float32(0.0), n_bins, bottom, middle, step)
    count(stats, n, n_bins, zero_bin, rows, scratch)
    return scan(stats, n_bins, rows, limits, floor, scratch), n_bins, zero_bin


@inner_kernel
def search_sorted(stats, n, rows, limits, floor, scratch):
    """The largest gain of a cut between any two values; bin b then holds scratch.distinct[b]."""
    values = scratch.values
    distinct = scratch.distinct
    known = missing_last(values, scratch.rows, n)
    sort(values, scratch.rows, known)
    has_zeros = rows.n_present > n
    n_bins = 0
    zero_bin = -1
    for i in range(known):
        if has_zeros and zero_bin < 0 and values[i] >= 0.0:
            zero_bin = n_bins
            distinct[n_bins] = np.float32(0.0)
            n_bins += 1
        if n_bins == 0 or values[i] != distinct[n_bins - 1]:
            distinct[n_bins] = values[i]
            n_bins += 1
        scratch.bins[i] = n_bins - 1
    if has_zeros and zero_bin < 0:
        zero_bin = n_bins
        distinct[n_bins] = np.float32(0.0)
        n_bins += 1
    if n_bins < 2:
        return -np.inf
    for i in range(known, n):
        scratch.bins[i] = n_bins
    count(stats, n, n_bins, zero_bin, rows, scratch)
    return scan(stats, n_bins, rows, limits, floor, scratch)


@inner_kernel
def hopeless(n, n_present, n_missing, limits):
    """Whether zeros, which stay together, leave too few rows for the other side."""
    return n_present > n and n + n_missing < limits.min_samples


@inner_kernel
def best_gain(stats, n, rows, limits, floor, scratch):
    """The largest gain of any cut of the column in scratch.values and scratch.rows; -inf: none.

    Where that is below the floor, -inf or any smaller gain may be given instead.
    """
    if hopeless(n, rows.n_present, rows.n_rows - rows.n_present, limits):
        return -np.inf
    if limits.max_bins == 0 or n <= SORTED_ENTRIES:
        return search_sorted(stats, n, rows, limits, floor, scratch)
    return _search_bins(stats, n, rows, limits, floor, scratch)[0]


@inner_kernel
def best_static_gain(stats, entries, bins, n_bins, zero_bin, rows, limits, floor, scratch):
    """The same for entries whose bins were made before training."""
    count_binned(stats, entries, bins, n_bins, scratch)
    has_zeros = rows.n_present > entries.stop - entries.start
    count_others(n_bins, zero_bin if has_zeros else -1, rows, scratch)
    return scan(stats, n_bins, rows, limits, floor, scratch)


@inner_kernel
def count_binned(stats, entries, bins, n_bins, scratch):
    """The histogram of entries whose bins were made before training."""
    clear(scratch.cells, 2 * (n_bins + 1))
    add_binned(stats, entries, bins, n_bins + 1, scratch.cells)
    add_halves(scratch.cells, n_bins + 1)


@inner_kernel
def best_whole_gain(stats, entries, values, bound, rows, limits, floor, scratch):
    """The same for whole numbers from 0 to `bound`, read where they stand: one pass does it all."""
    count_whole(stats, entries, values, bound + 1, scratch)
    return scan_whole(stats, bound + 1, rows, limits, floor, scratch)


@inner_kernel
def count_whole(stats, entries, values, n_bins, scratch):
    """The histogram of whole numbers; rows that are not present answer INFINITY: the last cell."""
    clear(scratch.cells, 2 * (n_bins + 1))
    add_whole(stats, entries, values, n_bins + 1, scratch.cells)
    add_halves(scratch.cells, n_bins + 1)


@inner_kernel
def scan_whole(stats, n_bins, rows, limits, floor, scratch):
    """The largest gain of a histogram of whole numbers; rows without an entry are 0."""
    cells = scratch.cells
    for k in range(cells.shape[1]):
        rest = rows.present[k]
        for b in range(n_bins):
            rest -= cells[b, k]
        cells[0, k] += rest
        scratch.sums[MISSING, k] = rows.total[k] - rows.present[k]
    return scan(stats, n_bins, rows, limits, floor, scratch)


@inner_kernel
def _has_bin_each(n, limits, scratch):
    """Whether the values, and 0, are whole numbers that have a bin each: a search by bins is exact.

    That takes one pass, where sorting them takes longer than all else about the column.
    """
    if limits.max_bins == 0 or n <= SORTED_ENTRIES:
        return False
    low, high, _, _, is_whole = range_of(scratch.values, n, limits.has_missing, scratch)
    low = min(low, np.float32(0.0))
    high = max(high, np.float32(0.0))
    return is_whole and np.float64(high) - np.float64(low) < limits.max_bins


@inner_kernel
def best_cut(stats, n, static_bins, zero_bin, rows, limits, scratch):
    """(gain, highest value on the left, lowest on the right) of the column in scratch.

    Among all values, for columns of up to `refined_rows` entries; beyond it bins are fine enough.
    With `static_bins` > 0 these are in scratch.bins. Entries may change their order.
    """
    refined = limits.max_bins == 0 or n <= limits.refined_rows
    if static_bins == 0 and refined and not _has_bin_each(n, limits, scratch):
        gain = search_sorted(stats, n, rows, limits, NO_FLOOR, scratch)
        last = scratch.cut[CUT]
        return gain, np.float64(scratch.distinct[last]), np.float64(scratch.distinct[last + 1])
    n_bins = static_bins
    if static_bins > 0:
        zero_bin = zero_bin if rows.n_present > n else -1
        count(stats, n, n_bins, zero_bin, rows, scratch)
        gain = scan(stats, n_bins, rows, limits, NO_FLOOR, scratch)
    else:
        gain, n_bins, zero_bin = _search_bins(stats, n, rows, limits, NO_FLOOR, scratch)
    zeros_left = 0 <= zero_bin <= scratch.cut[CUT]
    highest = np.float32(0.0 if zeros_left else -np.inf)
    lowest = np.float32(0.0 if zero_bin >= 0 and not zeros_left else np.inf)
    for i in range(n):
        if scratch.bins[i] <= scratch.cut[CUT]:
            highest = max(highest, scratch.values[i])
        elif scratch.bins[i] < n_bins:
            lowest = min(lowest, scratch.values[i])
    return gain, np.float64(highest), np.float64(lowest)
