"""Number the values of many columns at once: the search then counts instead of sorting.

A block of values holds, for each row, `lanes × width` numbers: lane after lane, the columns of a
lane side by side. Column `feature × width + c` is spread over the rows whose graph has that
feature; in all other rows it is 0.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import kernel


@kernel
def column_ranges(
    start_row, stop_row, alive, lane_start, n_lanes, lane_features, value_ptr, values, width,
    lowest, highest, fractional, size, present,
):  # fmt: skip
    """Smallest and largest value, summed size and count of each column over a stretch of rows."""
    for i in range(start_row, stop_row):
        if not alive[i]:
            continue
        for k in range(n_lanes[i]):
            column = np.int64(lane_features[lane_start[i] + k]) * width
            entry = value_ptr[i] + k * width
            for c in range(width):
                value = values[entry + c]
                present[column + c] += 1
                if value == value:
                    lowest[column + c] = min(lowest[column + c], value)
                    highest[column + c] = max(highest[column + c], value)
                    size[column + c] += abs(value)
                    if value != np.floor(value):
                        fractional[column + c] = 1


@kernel
def _squash(value, middle):
    return value / (abs(value) + middle)


@kernel
def even_bins(
    start_row, stop_row, alive, lane_start, n_lanes, lane_features, value_ptr, values, width,
    lowest, scale, middle, n_bins, bins,
):  # fmt: skip
    """Bins of equal width: of the integers themselves (middle 0) or of the squashed values."""
    for i in range(start_row, stop_row):
        if not alive[i]:
            continue
        for k in range(n_lanes[i]):
            column = np.int64(lane_features[lane_start[i] + k]) * width
            entry = value_ptr[i] + k * width
            for c in range(width):
                n = n_bins[column + c]
                value = np.float64(values[entry + c])
                if n < 2:
                    bins[entry + c] = 0
                elif value != value:
                    bins[entry + c] = n
                elif middle[column + c] == 0.0:
                    bins[entry + c] = np.int64(value - lowest[column + c])
                else:
                    place = _squash(value, middle[column + c]) - lowest[column + c]
                    bins[entry + c] = min(np.int64(place * scale[column + c]), n - 1)


@kernel
def cut_bins(
    start_row, stop_row, alive, lane_start, n_lanes, lane_features, value_ptr, values, width,
    cut_ptr, cuts, n_bins, bins,
):  # fmt: skip
    """The bin of a value is the number of its column's cuts that lie below it."""
    for i in range(start_row, stop_row):
        if not alive[i]:
            continue
        for k in range(n_lanes[i]):
            column = np.int64(lane_features[lane_start[i] + k]) * width
            entry = value_ptr[i] + k * width
            for c in range(width):
                value = np.float64(values[entry + c])
                if value != value:
                    bins[entry + c] = n_bins[column + c]
                    continue
                low = cut_ptr[column + c]
                high = cut_ptr[column + c + 1]
                start = low
                while low < high:
                    between = (low + high) // 2
                    if cuts[between] < value:
                        low = between + 1
                    else:
                        high = between
                bins[entry + c] = low - start


@kernel
def read_column(
    feature, place, alive, lane_start, n_lanes, lane_features, value_ptr, values, bins, width,
    zero_bin, missing_bin, out_values, out_bins,
):  # fmt: skip
    """One column written out for every row, the zeros and missing values it does not store too."""
    for i in range(alive.shape[0]):
        out_values[i] = 0.0 if alive[i] else np.nan
        out_bins[i] = zero_bin if alive[i] else missing_bin
        if not alive[i]:
            continue
        for k in range(n_lanes[i]):
            if lane_features[lane_start[i] + k] == feature:
                entry = value_ptr[i] + k * width + place
                out_values[i] = values[entry]
                out_bins[i] = bins[entry]
                break
