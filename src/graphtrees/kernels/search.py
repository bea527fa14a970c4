"""From entries to the best cut of every column: ranges, bins, histograms, scan.

A histogram is integers: channel 0 counts examples, the others are fixed-point sums (gradients and
hessians, or the weight of each class). Integer sums do not depend on the order of examples.
Zeros are never stored: what a column's entries leave of the node's total belongs to its zero bin.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import kernel

NEWTON, GINI, ENTROPY = 0, 1, 2


@kernel
def _score(sums, scale, kind, l2):
    """How well one value fits all that these sums stand for; larger is better."""
    channels = sums.shape[0]
    score = 0.0
    if kind == NEWTON:
        for k in range(1, channels, 2):
            gradient = sums[k] * scale[k]
            hessian = sums[k + 1] * scale[k + 1] + l2
            if hessian > 0.0:
                score += gradient * gradient / hessian
        return score
    total = 0.0
    for k in range(1, channels):
        total += sums[k] * scale[k]
    if total <= 0.0:
        return 0.0
    for k in range(1, channels):
        weight = sums[k] * scale[k]
        if kind == GINI:
            score += weight * weight / total
        elif weight > 0.0:
            score += weight * np.log2(weight / total)
    return score


@kernel
def _allowed(sums, scale, kind, min_samples, min_hessian):
    if sums[0] < min_samples:
        return False
    if kind == NEWTON and min_hessian > 0.0:
        for k in range(2, sums.shape[0], 2):
            if sums[k] * scale[k] < min_hessian:
                return False
    return True


@kernel
def _scan(
    histogram, first, n_bins, missing, total, scale, kind, l2, min_samples, min_hessian,
    tolerance, parent, below, one, other, found,
):  # fmt: skip
    """The best cut of one column; found = (last bin on the left, missing left, no matter)."""
    channels = total.shape[0]
    known = total[0] - missing[0]
    best = -np.inf
    for k in range(channels):
        below[k] = 0
    for cell in range(first, first + n_bins - 1):
        if histogram[cell, 0] == 0:
            continue
        for k in range(channels):
            below[k] += histogram[cell, k]
        if below[0] == known:
            break
        for side in range(2):
            if side == 1 and missing[0] == 0:
                break
            for k in range(channels):
                one[k] = below[k] if side == 0 else below[k] + missing[k]
                other[k] = total[k] - one[k]
            if not _allowed(one, scale, kind, min_samples, min_hessian):
                continue
            if not _allowed(other, scale, kind, min_samples, min_hessian):
                continue
            children = _score(one, scale, kind, l2) + _score(other, scale, kind, l2)
            gain = children - parent
            if gain <= tolerance * (abs(children) + abs(parent)):
                continue
            close = tolerance * abs(best) if best > 0.0 else 0.0
            if gain > best + close:
                best = gain
                found[0] = cell - first
                found[1] = side
                found[2] = missing[0] == 0
            elif side == 1 and found[0] == cell - first and gain >= best - close:
                found[2] = 1
    return best


@kernel
def _scan_newton(
    histogram, first, n_bins, missing, total, scale, l2, min_samples, min_hessian, tolerance,
    parent, found,
):  # fmt: skip
    """`_scan` for one gradient and one hessian, which is what boosting asks most."""
    known = total[0] - missing[0]
    best = -np.inf
    n_below = 0
    g_below = 0
    h_below = 0
    for cell in range(first, first + n_bins - 1):
        if histogram[cell, 0] == 0:
            continue
        n_below += histogram[cell, 0]
        g_below += histogram[cell, 1]
        h_below += histogram[cell, 2]
        if n_below == known:
            break
        for side in range(2):
            n_left = n_below
            g_left = g_below
            h_left = h_below
            if side == 1:
                if missing[0] == 0:
                    break
                n_left += missing[0]
                g_left += missing[1]
                h_left += missing[2]
            if n_left < min_samples or total[0] - n_left < min_samples:
                continue
            g_one = g_left * scale[1]
            h_one = h_left * scale[2]
            g_other = (total[1] - g_left) * scale[1]
            h_other = (total[2] - h_left) * scale[2]
            if h_one < min_hessian or h_other < min_hessian:
                continue
            children = 0.0
            if h_one + l2 > 0.0:
                children = g_one * g_one / (h_one + l2)
            if h_other + l2 > 0.0:
                children += g_other * g_other / (h_other + l2)
            gain = children - parent
            if gain <= tolerance * (abs(children) + abs(parent)):
                continue
            close = tolerance * abs(best) if best > 0.0 else 0.0
            if gain > best + close:
                best = gain
                found[0] = cell - first
                found[1] = side
                found[2] = missing[0] == 0
            elif side == 1 and found[0] == cell - first and gain >= best - close:
                found[2] = 1
    return best


@kernel
def best_cuts(
    from_column, to_column, offered, n_features, n_signs, bin_ptr, n_bins, zero_bin,
    histogram, total, total_alive, scale, kind, l2, min_samples, min_hessian, tolerance,
    gains, cuts,
):  # fmt: skip
    """The best cut of each offered column: gain (-inf: none), (last left bin, missing side, tie).

    `total` sums the node's examples, total_alive[s] those with a non-empty subset of that sign;
    what a histogram lacks of the latter are zeros, and examples with an empty subset are missing.
    """
    channels = total.shape[0]
    rest = np.empty(channels, np.int64)
    missing = np.empty(channels, np.int64)
    below = np.empty(channels, np.int64)
    one = np.empty(channels, np.int64)
    other = np.empty(channels, np.int64)
    found = np.zeros(3, np.int64)
    parent = _score(total, scale, kind, l2)
    fast = kind == NEWTON and channels == 3
    for column in range(from_column, to_column):
        gains[column] = -np.inf
        if not offered[column] or n_bins[column] < 2:
            continue
        s = (column // n_features) % n_signs
        first = bin_ptr[column]
        last = first + n_bins[column]
        for k in range(channels):
            rest[k] = total_alive[s, k]
            missing[k] = histogram[last, k] + total[k] - total_alive[s, k]
        for cell in range(first, last + 1):
            for k in range(channels):
                rest[k] -= histogram[cell, k]
        zero = first + zero_bin[column]
        for k in range(channels):
            histogram[zero, k] += rest[k]
        if fast:
            gains[column] = _scan_newton(
                histogram, first, n_bins[column], missing, total, scale, l2, min_samples,
                min_hessian, tolerance, parent, found,
            )  # fmt: skip
        else:
            gains[column] = _scan(
                histogram, first, n_bins[column], missing, total, scale, kind, l2, min_samples,
                min_hessian, tolerance, parent, below, one, other, found,
            )  # fmt: skip
        for k in range(channels):
            histogram[zero, k] -= rest[k]
        for k in range(3):
            cuts[column, k] = found[k]


@kernel
def fill_histograms(
    slots, examples, row_start, row_stop, columns, bins, from_column, to_column, bin_ptr, n_bins,
    stats, histogram,
):  # fmt: skip
    """Add a node's rows to the histograms of some columns; row slots[i] is example examples[i]."""
    channels = stats.shape[1]
    for i in range(slots.shape[0]):
        example = examples[i]
        for e in range(row_start[slots[i]], row_stop[slots[i]]):
            column = np.int64(columns[e])
            if column < from_column or column >= to_column or n_bins[column] < 2:
                continue
            cell = bin_ptr[column] + np.int64(bins[e])
            for k in range(channels):
                histogram[cell, k] += stats[example, k]


@kernel
def search_evenly(
    slots, examples, row_start, row_stop, columns, values, alive, from_column, to_column, offered,
    n_features, n_signs, max_bins, stats, total, total_alive, scale, kind, l2, min_samples,
    min_hessian, tolerance, cells, gains, cuts, n_bins, bottom, middle, step,
):  # fmt: skip
    """Bin the columns from_column..to_column without sorting, and search them, in one go.

    Columns of small whole numbers get a bin for each (middle 0); others `max_bins` equal steps of
    x / (|x| + middle), which keeps apart what is near the usual size and tames tails.
    `cells` is room for histograms, grown here where it is too small.
    """
    n = to_column - from_column
    channels = stats.shape[1]
    lowest = np.full(n, np.inf)
    highest = np.full(n, -np.inf)
    size = np.zeros(n)
    present = np.zeros(n, np.int64)
    fractional = np.zeros(n, np.uint8)
    n_alive = np.zeros(n_signs, np.int64)
    for i in range(slots.shape[0]):
        slot = slots[i]
        for s in range(n_signs):
            n_alive[s] += alive[slot, s]
        for e in range(row_start[slot], row_stop[slot]):
            c = np.int64(columns[e]) - from_column
            if c < 0 or c >= n:
                continue
            value = np.float64(values[e])
            present[c] += 1
            if value == value:
                lowest[c] = min(lowest[c], value)
                highest[c] = max(highest[c], value)
                size[c] += abs(value)
                if value != np.floor(value):
                    fractional[c] = 1
    bin_ptr = np.empty(n + 1, np.int64)
    zero_bin = np.zeros(n, np.int64)
    used = 0
    for c in range(n):
        column = from_column + c
        bin_ptr[c] = used
        n_bins[column] = 0
        s = (column // n_features) % n_signs
        n_dead = slots.shape[0] - n_alive[s]
        zeros = n_alive[s] > present[c]
        # All zeros end on one side: the other one must be filled by entries and missing rows.
        if not offered[column] or present[c] == 0 or (zeros and present[c] + n_dead < min_samples):
            continue
        if zeros:
            lowest[c] = min(lowest[c], 0.0)
            highest[c] = max(highest[c], 0.0)
        if lowest[c] >= highest[c]:
            continue
        span = highest[c] - lowest[c]
        if fractional[c] == 0 and span < max_bins:
            n_bins[column] = np.int64(span) + 1
            middle[column] = 0.0
            bottom[column] = lowest[c]
            if zeros:
                zero_bin[c] = np.int64(-lowest[c])
        else:
            # A power of two, so that no rounding in the summed size can move it.
            m = 2.0 ** np.round(np.log2(max(size[c] / present[c], 1e-300)))
            low = lowest[c] / (abs(lowest[c]) + m)
            high = highest[c] / (abs(highest[c]) + m)
            n_bins[column] = min(max_bins, max(64, 4 * slots.shape[0]))
            middle[column] = m
            bottom[column] = low
            step[column] = n_bins[column] / (high - low)
            if zeros:
                zero_bin[c] = min(np.int64(-low * step[column]), n_bins[column] - 1)
        used += n_bins[column] + 1
    bin_ptr[n] = used
    if cells.shape[0] < used:
        cells = np.empty((used, channels), np.int64)
    for cell in range(used):
        for k in range(channels):
            cells[cell, k] = 0
    for i in range(slots.shape[0]):
        example = examples[i]
        for e in range(row_start[slots[i]], row_stop[slots[i]]):
            column = np.int64(columns[e])
            c = column - from_column
            if c < 0 or c >= n or n_bins[column] == 0:
                continue
            value = np.float64(values[e])
            if value != value:
                b = n_bins[column]
            elif middle[column] == 0.0:
                b = np.int64(value - bottom[column])
            else:
                place = value / (abs(value) + middle[column]) - bottom[column]
                b = min(np.int64(place * step[column]), n_bins[column] - 1)
            cell = bin_ptr[c] + b
            if channels == 3:
                cells[cell, 0] += stats[example, 0]
                cells[cell, 1] += stats[example, 1]
                cells[cell, 2] += stats[example, 2]
            else:
                for k in range(channels):
                    cells[cell, k] += stats[example, k]
    shifted = np.empty(to_column, np.int64)
    zeroed = np.empty(to_column, np.int64)
    for c in range(n):
        shifted[from_column + c] = bin_ptr[c]
        zeroed[from_column + c] = zero_bin[c]
    best_cuts(
        from_column, to_column, offered, n_features, n_signs, shifted, n_bins, zeroed,
        cells, total, total_alive, scale, kind, l2, min_samples, min_hessian, tolerance,
        gains, cuts,
    )  # fmt: skip


@kernel
def search_densely(
    values, from_row, to_row, examples, features, offered, n_features, max_bins, stats, total,
    scale, kind, l2, min_samples, min_hessian, tolerance, gains, cuts, n_bins, bottom, middle, step,
):  # fmt: skip
    """`search_evenly` for columns written out in full, values[question, lane, row].

    Rows from_row..to_row of the first two axes, laid end to end, are this call's columns.
    """
    channels = stats.shape[1]
    n = examples.shape[0]
    lanes = values.shape[1]
    cells = np.empty((max_bins + 1, channels), np.int64)
    below = np.empty(channels, np.int64)
    one = np.empty(channels, np.int64)
    other = np.empty(channels, np.int64)
    missing = np.empty(channels, np.int64)
    found = np.zeros(3, np.int64)
    parent = _score(total, scale, kind, l2)
    most = min(max_bins, max(64, 4 * n))
    for row in range(from_row, to_row):
        question = row // lanes
        lane = row - question * lanes
        column = question * n_features + features[lane]
        gains[column] = -np.inf
        if not offered[column]:
            continue
        lowest = np.inf
        highest = -np.inf
        size = 0.0
        present = 0
        fractional = False
        for i in range(n):
            value = np.float64(values[question, lane, i])
            if value == value and value != 0.0:
                lowest = min(lowest, value)
                highest = max(highest, value)
                size += abs(value)
                present += 1
                fractional = fractional or value != np.floor(value)
            elif value != value:
                present += 1
        zeros = present < n
        if present == 0 or (zeros and present < min_samples):
            continue
        if zeros:
            lowest = min(lowest, 0.0)
            highest = max(highest, 0.0)
        if lowest >= highest:
            continue
        span = highest - lowest
        if not fractional and span < max_bins:
            n_bins[column] = np.int64(span) + 1
            middle[column] = 0.0
            bottom[column] = lowest
            step[column] = 1.0
        else:
            m = 2.0 ** np.round(np.log2(max(size / present, 1e-300)))
            low = lowest / (abs(lowest) + m)
            high = highest / (abs(highest) + m)
            n_bins[column] = most
            middle[column] = m
            bottom[column] = low
            step[column] = most / (high - low)
        last = n_bins[column]
        for cell in range(last + 1):
            for k in range(channels):
                cells[cell, k] = 0
        m = middle[column]
        low = bottom[column]
        by = step[column]
        for i in range(n):
            value = np.float64(values[question, lane, i])
            if value != value:
                b = last
            elif m == 0.0:
                b = np.int64(value - low)
            else:
                b = min(np.int64((value / (abs(value) + m) - low) * by), last - 1)
            if channels == 3:
                cells[b, 0] += stats[examples[i], 0]
                cells[b, 1] += stats[examples[i], 1]
                cells[b, 2] += stats[examples[i], 2]
            else:
                for k in range(channels):
                    cells[b, k] += stats[examples[i], k]
        for k in range(channels):
            missing[k] = cells[last, k]
        if kind == NEWTON and channels == 3:
            gains[column] = _scan_newton(
                cells, 0, last, missing, total, scale, l2, min_samples, min_hessian, tolerance,
                parent, found,
            )  # fmt: skip
        else:
            gains[column] = _scan(
                cells, 0, last, missing, total, scale, kind, l2, min_samples, min_hessian,
                tolerance, parent, below, one, other, found,
            )  # fmt: skip
        for k in range(3):
            cuts[column, k] = found[k]


@kernel
def read_column(column, sign, slots, row_start, row_stop, columns, values, alive, out):
    """One column written out for the rows of a node; NaN where the subset is empty."""
    for i in range(slots.shape[0]):
        slot = slots[i]
        out[i] = 0.0 if alive[slot, sign] else np.nan
        for e in range(row_start[slot], row_stop[slot]):
            if columns[e] == column:
                out[i] = values[e]
                break


@kernel
def sum_stats(examples, stats, total):
    """Totals of a node over its examples."""
    for i in range(examples.shape[0]):
        for k in range(stats.shape[1]):
            total[k] += stats[examples[i], k]


@kernel
def sum_alive(slots, examples, alive, stats, total):
    """The same, by sign, over those examples whose subset is not empty."""
    for i in range(slots.shape[0]):
        for s in range(alive.shape[1]):
            if alive[slots[i], s]:
                for k in range(stats.shape[1]):
                    total[s, k] += stats[examples[i], k]
