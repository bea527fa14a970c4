"""Bins without sorting, for columns that are made anew for every split.

How values become bins is told by `column_search.choose_bins`; here it is done for many columns of
vertex examples at once.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels import column_search
from graphtrees.kernels._jit import kernel

EXPONENT = 0x7F800000  # where float32 keeps its exponent


@kernel
def find_ranges(slots, row_start, row_stop, columns, values, bits, extremes, counts):
    """What bins must know of every column in the rows `slots`; `bits` are those of `values`.

    extremes[c] = (smallest, largest) value, counts[c] = (entries, those that are missing, summed
    exponents of the others, how many are not whole), side by side because all are touched.
    """
    for i in range(slots.shape[0]):
        for e in range(row_start[slots[i]], row_stop[slots[i]]):
            c = np.int64(columns[e])
            value = values[e]
            counts[c, 0] += 1
            if value == value:
                extremes[c, 0] = min(extremes[c, 0], value)
                extremes[c, 1] = max(extremes[c, 1], value)
                counts[c, 2] += np.int64(bits[e] & EXPONENT) >> 23
                counts[c, 3] += value != np.floor(value)
            else:
                counts[c, 1] += 1


@kernel
def choose_bins(
    n_rows, n_alive, n_features, max_bins, min_samples, extremes, counts, n_bins, bin_ptr,
    zero_bin, even,
):  # fmt: skip
    """The bins of every column of entries, 0 for those that no cut can part.

    even[c] is (bottom, middle, step); zero_bin[c] is -1 where no row is 0. n_alive[s] of the
    n_rows examples have a vertex in the subset of that sign; those without an entry are 0.
    """
    n_signs = n_alive.shape[0]
    used = 0
    for c in range(n_bins.shape[0]):
        bin_ptr[c] = used
        n_bins[c] = 0
        zero_bin[c] = -1
        s = (c // n_features) % n_signs
        present = counts[c, 0]
        zeros = n_alive[s] > present
        # All zeros end on one side: the other one must be filled by entries and missing rows.
        n_others = present + n_rows - n_alive[s]
        if present == 0 or (zeros and n_others < min_samples):
            continue
        low = extremes[c, 0]
        high = extremes[c, 1]
        if zeros:
            low = min(low, np.float32(0.0))
            high = max(high, np.float32(0.0))
        if low >= high:
            continue
        n_bins[c], even[c, 0], even[c, 1], even[c, 2] = column_search.choose_bins(
            low, high, counts[c, 2], present - counts[c, 1], counts[c, 3] == 0, max_bins, n_rows
        )
        if zeros:
            zero_bin[c] = column_search.bin_of(
                np.float32(0.0), n_bins[c], even[c, 0], even[c, 1], even[c, 2]
            )
        used += n_bins[c] + 1  # one more for missing values
    bin_ptr[n_bins.shape[0]] = used


@kernel
def fill_evenly(
    slots, examples, row_start, row_stop, columns, values, n_bins, bin_ptr, even, stats, histogram
):
    """Add a node's rows to the histograms of all columns; row slots[i] is example examples[i].

    The bin of an entry is found on the way: no other node has the same.
    """
    channels = stats.shape[1]
    for i in range(slots.shape[0]):
        example = examples[i]
        for e in range(row_start[slots[i]], row_stop[slots[i]]):
            c = np.int64(columns[e])
            if n_bins[c] == 0:
                continue
            bin_ = column_search.bin_of(values[e], n_bins[c], even[c, 0], even[c, 1], even[c, 2])
            cell = bin_ptr[c] + bin_
            if channels == 3:
                histogram[cell, 0] += stats[example, 0]
                histogram[cell, 1] += stats[example, 1]
                histogram[cell, 2] += stats[example, 2]
            else:
                for k in range(channels):
                    histogram[cell, k] += stats[example, k]


@kernel
def bin_densely(
    values, bits, from_column, to_column, first_column, n_lanes, n_features, max_bins, min_samples,
    n_bins, even, bins,
):  # fmt: skip
    """Choose bins and fill them for columns written out in full, values[k] for the k-th of them.

    The k-th has question k // n_lanes and the feature k % n_lanes after `first_column`.
    """
    n_rows = values.shape[1]
    for k in range(from_column, to_column):
        c = (k // n_lanes) * n_features + first_column + k % n_lanes
        low = np.float32(np.inf)
        high = np.float32(-np.inf)
        sizes = 0
        known = 0
        present = 0
        is_whole = True
        for i in range(n_rows):
            value = values[k, i]
            present += value != 0.0
            if value == value:
                known += value != 0.0
                low = min(low, value)
                high = max(high, value)
                sizes += np.int64(bits[k, i] & EXPONENT) >> 23
                is_whole = is_whole and value == np.floor(value)
        n_bins[c] = 0
        if low >= high or (present < n_rows and present < min_samples):
            continue
        n_bins[c], even[c, 0], even[c, 1], even[c, 2] = column_search.choose_bins(
            low, high, sizes, known, is_whole, max_bins, n_rows
        )
        for i in range(n_rows):
            bins[c, i] = column_search.bin_of(
                values[k, i], n_bins[c], even[c, 0], even[c, 1], even[c, 2]
            )
