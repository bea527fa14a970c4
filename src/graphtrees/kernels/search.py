"""From bins to the best cut of every column: histograms and scan.

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
    what a histogram lacks of the latter are zeros, in zero_bin (-1: there are none), and examples
    with an empty subset are missing.
    `kind` is None for one gradient and one hessian: told by its type, so that boosting never waits
    for the general scan to be compiled.
    """
    channels = total.shape[0]
    rest = np.empty(channels, np.int64)
    missing = np.empty(channels, np.int64)
    below = np.empty(channels, np.int64)
    one = np.empty(channels, np.int64)
    other = np.empty(channels, np.int64)
    found = np.zeros(3, np.int64)
    if kind is None:
        hessian = total[2] * scale[2] + l2
        parent = (total[1] * scale[1]) * (total[1] * scale[1]) / hessian if hessian > 0.0 else 0.0
    else:
        parent = _score(total, scale, kind, l2)
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
        has_zeros = zero_bin[column] >= 0
        zero = first + max(zero_bin[column], 0)
        if has_zeros:
            for cell in range(first, last + 1):
                for k in range(channels):
                    rest[k] -= histogram[cell, k]
            for k in range(channels):
                histogram[zero, k] += rest[k]
        if kind is None:
            gains[column] = _scan_newton(
                histogram, first, n_bins[column], missing, total, scale, l2, min_samples,
                min_hessian, tolerance, parent, found,
            )  # fmt: skip
        else:
            gains[column] = _scan(
                histogram, first, n_bins[column], missing, total, scale, kind, l2, min_samples,
                min_hessian, tolerance, parent, below, one, other, found,
            )  # fmt: skip
        if has_zeros:
            for k in range(channels):
                histogram[zero, k] -= rest[k]
        for k in range(3):
            cuts[column, k] = found[k]


@kernel
def fill_histograms(
    slots, examples, row_start, row_stop, columns, bins, bin_ptr, n_bins, stats, histogram
):
    """Add a node's rows to the histograms of all columns; row slots[i] is example examples[i]."""
    channels = stats.shape[1]
    for i in range(slots.shape[0]):
        example = examples[i]
        for e in range(row_start[slots[i]], row_stop[slots[i]]):
            column = np.int64(columns[e])
            if n_bins[column] < 2:
                continue
            cell = bin_ptr[column] + np.int64(bins[e])
            if channels == 3:
                histogram[cell, 0] += stats[example, 0]
                histogram[cell, 1] += stats[example, 1]
                histogram[cell, 2] += stats[example, 2]
            else:
                for k in range(channels):
                    histogram[cell, k] += stats[example, k]


@kernel
def fill_densely(slots, stats, bins, from_column, to_column, bin_ptr, n_bins, histogram):
    """`fill_histograms` for columns written out in full; stats[i] are those of row slots[i]."""
    channels = stats.shape[1]
    for column in range(from_column, to_column):
        if n_bins[column] < 2:
            continue
        first = bin_ptr[column]
        for i in range(slots.shape[0]):
            cell = first + np.int64(bins[column, slots[i]])
            if channels == 3:
                histogram[cell, 0] += stats[i, 0]
                histogram[cell, 1] += stats[i, 1]
                histogram[cell, 2] += stats[i, 2]
            else:
                for k in range(channels):
                    histogram[cell, k] += stats[i, k]


@kernel
def sort_entries(row_start, row_stop, columns, ptr, order):
    """order[ptr[c] : ptr[c + 1]] = the entries of column c, row by row; `ptr` comes all 0."""
    for i in range(row_start.shape[0]):
        for e in range(row_start[i], row_stop[i]):
            ptr[np.int64(columns[e]) + 1] += 1
    for c in range(1, ptr.shape[0]):
        ptr[c] += ptr[c - 1]
    used = np.zeros(ptr.shape[0], np.int64)
    for i in range(row_start.shape[0]):
        for e in range(row_start[i], row_stop[i]):
            c = columns[e]
            order[ptr[c] + used[c]] = e
            used[c] += 1


@kernel
def read_column(column, sign, slots, row_start, row_stop, columns, values, alive, out):
    """One column written out for the rows of a node; NaN where the subset is empty."""
    for i in range(slots.shape[0]):
        slot = slots[i]
        out[i] = 0.0 if alive[slot, sign] else np.nan
        stop = row_stop[slot]
        for e in range(row_start[slot], stop, 16):
            # Sixteen at once, perhaps some of the next row, unless the end is near.
            here = e + 16 > columns.shape[0]
            if not here:
                for k in range(16):
                    here |= columns[e + k] == column
            if here:
                for k in range(e, min(e + 16, stop)):
                    if columns[k] == column:
                        out[i] = values[k]


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
