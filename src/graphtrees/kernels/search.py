"""Histograms of every column, and the best cut in each of them.

A histogram is integers: channel 0 counts examples, the others are fixed-point sums (gradients and
hessians, or the weight of each class). Integer sums do not depend on the order of examples.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import kernel

NEWTON, GINI, ENTROPY = 0, 1, 2


@kernel
def fill_histograms(
    slots, examples, alive, lane_start, n_lanes, lane_features, value_ptr, bins, width,
    bin_ptr, n_bins, from_feature, to_feature, stats, histogram,
):  # fmt: skip
    """Add the rows of a node to the histograms of features from_feature..to_feature.

    Row `slots[i]` of the block holds the example `examples[i]`. Zeros of rows that lack the
    feature are not added here: `best_cuts` takes them from the node's total.
    """
    channels = stats.shape[1]
    for i in range(slots.shape[0]):
        slot = slots[i]
        if not alive[slot]:
            continue
        example = examples[i]
        for k in range(n_lanes[slot]):
            feature = np.int64(lane_features[lane_start[slot] + k])
            if feature < from_feature:
                continue
            if feature >= to_feature:
                break
            entry = value_ptr[slot] + k * width
            for c in range(width):
                column = feature * width + c
                if n_bins[column] > 1:
                    cell = bin_ptr[column] + np.int64(bins[entry + c])
                    for channel in range(channels):
                        histogram[cell, channel] += stats[example, channel]


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
def best_cuts(
    from_column, to_column, offered, bin_ptr, n_bins, zero_bin, histogram, total, total_alive,
    scale, kind, l2, min_samples, min_hessian, tolerance,
    gains, cut_bin, missing_left, missing_tie,
):  # fmt: skip
    """The best cut of each offered column: gain (-inf: none), last bin on the left, missing side.

    `total` sums the node's examples, `total_alive` those with a non-empty subset; what a
    histogram lacks of the latter are zeros, and examples with an empty subset are missing.
    """
    channels = total.shape[0]
    rest = np.empty(channels, np.int64)
    missing = np.empty(channels, np.int64)
    known = np.empty(channels, np.int64)
    below = np.empty(channels, np.int64)
    one = np.empty(channels, np.int64)
    other = np.empty(channels, np.int64)
    parent = _score(total, scale, kind, l2)
    for column in range(from_column, to_column):
        gains[column] = -np.inf
        if not offered[column] or n_bins[column] < 2:
            continue
        first = bin_ptr[column]
        last = first + n_bins[column]
        for k in range(channels):
            rest[k] = total_alive[k]
            missing[k] = histogram[last, k] + total[k] - total_alive[k]
        for cell in range(first, last + 1):
            for k in range(channels):
                rest[k] -= histogram[cell, k]
        for k in range(channels):
            histogram[first + zero_bin[column], k] += rest[k]
            known[k] = total[k] - missing[k]
            below[k] = 0
        best = -np.inf
        for cell in range(first, last - 1):
            if histogram[cell, 0] == 0:
                continue
            for k in range(channels):
                below[k] += histogram[cell, k]
            if below[0] == known[0]:
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
                    cut_bin[column] = cell - first
                    missing_left[column] = side == 1
                    missing_tie[column] = missing[0] == 0
                elif side == 1 and cut_bin[column] == cell - first and gain >= best - close:
                    missing_tie[column] = True
        gains[column] = best
        for k in range(channels):
            histogram[first + zero_bin[column], k] -= rest[k]


@kernel
def sum_stats(examples, stats, total):
    """Totals of a node over its examples."""
    for i in range(examples.shape[0]):
        for k in range(stats.shape[1]):
            total[k] += stats[examples[i], k]


@kernel
def sum_alive(slots, examples, alive, stats, total):
    """The same over those examples whose subset is not empty."""
    for i in range(slots.shape[0]):
        if alive[slots[i]]:
            for k in range(stats.shape[1]):
                total[k] += stats[examples[i], k]
