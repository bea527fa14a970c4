"""Twins of the kernels of `search`; see `reference`.

What a search says of a column without a cut, beyond a gain of -inf, has no meaning.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels.search import GINI, NEWTON


def score(sums, scale, kind, l2) -> float:
    """How well one value fits all that these sums stand for; larger is better."""
    real = sums * scale
    if kind == NEWTON:
        gradient, hessian = real[1::2], real[2::2] + l2
        curved = hessian > 0
        return float((gradient[curved] ** 2 / hessian[curved]).sum())
    weight = real[1:]
    total = weight.sum()
    if total <= 0:
        return 0.0
    if kind == GINI:
        return float((weight**2 / total).sum())
    held = weight[weight > 0]
    return float((held * np.log2(held / total)).sum())


def _allowed(sums, scale, kind, min_samples, min_hessian) -> bool:
    curved = kind != NEWTON or min_hessian <= 0 or ((sums * scale)[2::2] >= min_hessian).all()
    return bool(sums[0] >= min_samples and curved)


def best_cut(
    cells, missing, total, scale, kind, l2, min_samples, min_hessian, tolerance
) -> tuple[float, list[int]]:  # fmt: skip
    """The best gain, and (last bin on the left, missing left, no matter); the first of equals."""
    best, found = -np.inf, [0, 0, 0]
    parent = score(total, scale, kind, l2)
    below = cells.cumsum(axis=0)
    for cut in range(len(cells) - 1):
        above = total - missing - below[cut]
        if cells[cut, 0] == 0 or above[0] == 0:
            continue
        for side in range(2 if missing[0] else 1):
            left = below[cut] + side * missing
            pair = left, total - left
            if not all(_allowed(p, scale, kind, min_samples, min_hessian) for p in pair):
                continue
            children = sum(score(p, scale, kind, l2) for p in pair)
            gain = children - parent
            if gain <= tolerance * (abs(children) + abs(parent)):
                continue
            close = tolerance * max(best, 0.0)
            if gain > best + close:
                best, found = gain, [cut, side, int(missing[0] == 0)]
            elif side == 1 and found[0] == cut and gain >= best - close:
                found[2] = 1
    return best, found


def best_cuts(
    from_column, to_column, offered, n_features, n_signs, bin_ptr, n_bins, zero_bin,
    histogram, total, total_alive, scale, kind, l2, min_samples, min_hessian, tolerance,
    gains, cuts,
):  # fmt: skip
    kind = NEWTON if kind is None else kind
    for column in range(from_column, to_column):
        gains[column] = -np.inf
        if not offered[column] or n_bins[column] < 2:
            continue
        alive = total_alive[(column // n_features) % n_signs]
        *cells, gone = histogram[bin_ptr[column] : bin_ptr[column] + n_bins[column] + 1].copy()
        if zero_bin[column] >= 0:
            cells[zero_bin[column]] += alive - sum(cells) - gone
        gains[column], cuts[column] = best_cut(
            np.array(cells), gone + total - alive, total, scale, kind, l2, min_samples,
            min_hessian, tolerance,
        )  # fmt: skip


def fill_histograms(
    slots, examples, row_start, row_stop, columns, bins, bin_ptr, n_bins, stats, histogram
):
    for slot, example in zip(slots, examples, strict=True):
        for e in range(row_start[slot], row_stop[slot]):
            if n_bins[columns[e]] >= 2:
                histogram[bin_ptr[columns[e]] + bins[e]] += stats[example]


def fill_densely(slots, stats, bins, from_column, to_column, bin_ptr, n_bins, histogram):
    for column in range(from_column, to_column):
        if n_bins[column] >= 2:
            np.add.at(histogram, bin_ptr[column] + bins[column, slots].astype(np.int64), stats)


def sort_entries(row_start, row_stop, columns, ptr, order):
    rows = zip(row_start, row_stop, strict=True)
    entries = np.concatenate([np.empty(0, int), *(np.arange(*row) for row in rows)])
    order[:] = entries[np.argsort(columns[entries], kind="stable")]
    ptr[1:] = np.searchsorted(columns[order], np.arange(len(ptr) - 1), side="right")


def read_column(column, sign, slots, row_start, row_stop, columns, values, alive, out):
    for i, slot in enumerate(slots):
        entries = slice(row_start[slot], row_stop[slot])
        value = values[entries][columns[entries] == column]
        otherwise = 0.0 if alive[slot, sign] else np.nan
        out[i] = value[0] if len(value) else otherwise


def sum_stats(examples, stats, total):
    total += stats[examples].sum(axis=0)


def sum_alive(slots, examples, alive, stats, total):
    for s in range(alive.shape[1]):
        total[s] += stats[examples[alive[slots, s] > 0]].sum(axis=0)
