"""Histograms of a column, and the scan over them for the best cut.

A histogram has a cell for every bin, and one more for missing values. Sums are integers, so they do
not depend on the order of the rows. One gradient and one hessian, as boosting has them, are packed
into two words; any other number of sums has a word each.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import by_numbers, by_type, inlined_kernel, inner_kernel
from graphtrees.kernels.growing_records import PackedStats, WideStats

NEWTON, GINI, ENTROPY = 0, 1, 2

# Columns of at least so many entries a cell are counted into two histograms.
ENTRIES_A_CELL = 4

ZEROS, MISSING, LEFT, RIGHT = 0, 1, 2, 3  # rows of ColumnScratch.sums
CUT, MISSING_LEFT, NO_MATTER = 0, 1, 2  # of ColumnScratch.cut

# Products above SAFE have lost no digits to underflow; SLACK is far above rounding errors and
# GAIN_TOLERANCE.
SAFE, SLACK = 1e-250, 1e-9

NO_FLOOR = -np.inf

# With fewer bins than this, `_may_reach` saves no time.
FEWEST_BINS_TO_ASK = 16


def _cell_of_real(values, at, last):
    """Small whole numbers are bins already; INFINITY goes to the last cell."""
    return np.int32(min(values[at], np.float32(last)))


def _cell_of_small(values, at, last):
    """The same of int16; EMPTY, which is negative, goes to the last cell."""
    return np.int32(min(np.uint16(values[at]), np.uint16(last)))


_cell_of = by_numbers(_cell_of_real, _cell_of_small)


# ---- one gradient and one hessian ---------------------------------------------------------------


def _add_packed(stats, rows, bins, n, n_cells, cells):
    """Two histograms in turn, `n_cells` apart: equal bins in a row would wait for each other."""
    words = stats.words
    for i in range(np.uint64(n)):
        r = np.uint64(rows[i])
        b = np.uint64(bins[i]) + (i & np.uint64(1)) * np.uint64(n_cells)
        # Both loads before both stores: one vector instruction each.
        gradient = cells[b, 0] + words[r, 0]
        hessian = cells[b, 1] + words[r, 1]
        cells[b, 0] = gradient
        cells[b, 1] = hessian


def _add_whole_packed(stats, entries, values, n_cells, cells):
    """Whole numbers from 0 on, each in a cell of its own."""
    words = stats.words
    shift = np.uint64(entries.shift)
    for i in range(np.uint64(entries.start), np.uint64(entries.stop)):
        b = np.uint64(_cell_of(values, shift + np.uint64(entries.position[i]), n_cells - 1))
        b += (i & np.uint64(1)) * np.uint64(n_cells)
        r = np.uint64(entries.row[i])
        gradient = cells[b, 0] + words[r, 0]
        hessian = cells[b, 1] + words[r, 1]
        cells[b, 0] = gradient
        cells[b, 1] = hessian


def _add_binned_packed(stats, entries, bins, n_cells, cells):
    """Entries whose bins were made before, read where they stand."""
    words = stats.words
    shift = np.uint64(entries.shift)
    for i in range(np.uint64(entries.start), np.uint64(entries.stop)):
        b = np.uint64(bins[shift + np.uint64(entries.position[i])])
        b += (i & np.uint64(1)) * np.uint64(n_cells)
        r = np.uint64(entries.row[i])
        gradient = cells[b, 0] + words[r, 0]
        hessian = cells[b, 1] + words[r, 1]
        cells[b, 0] = gradient
        cells[b, 1] = hessian


@inner_kernel
def _score_packed(stats, sums):
    g = sums[0] * stats.gradient_unit
    h = (sums[1] >> stats.count_bits) * stats.hessian_unit + stats.l2
    return g * g / h if h > 0.0 else 0.0


@inner_kernel
def _add_up(n_bins, cells, below):
    """The sums of all cells up to each."""
    g = np.int64(0)
    h = np.int64(0)
    for cell in range(np.uint64(n_bins - 1)):
        g += cells[cell, 0]
        h += cells[cell, 1]
        below[0, cell] = g
        below[1, cell] = h


@inner_kernel
def _may_reach(stats, n_bins, needed, missing_g, missing_h, total, least, below):
    """Whether the scores of both children may add up to `needed` at some cut.

    missing_g and missing_h are added to the left side. Without a branch: several cells are handled
    at a time.
    """
    bits = stats.count_bits
    mask = (np.int64(1) << bits) - 1
    total_g = total[0]
    total_h = total[1]
    most = (total_h & mask) - least
    g_unit = stats.gradient_unit
    h_unit = stats.hessian_unit
    l2 = stats.l2
    may_reach = np.int64(0)
    for cell in range(np.uint64(n_bins - 1)):
        g_left = below[0, cell] + missing_g
        h_left = below[1, cell] + missing_h
        n_left = h_left & mask
        g_one = g_left * g_unit
        g_other = (total_g - g_left) * g_unit
        h_one = (h_left >> bits) * h_unit + l2
        h_other = ((total_h - h_left) >> bits) * h_unit + l2
        both = h_one * h_other
        enough = needed * both
        score = g_one * g_one * h_other + g_other * g_other * h_one
        is_below = (SAFE < both) & (SAFE < enough) & (enough < np.inf) & (score < enough)
        may_reach |= np.int64((n_left >= least) & (n_left <= most) & (not is_below))
    return may_reach != 0


@inlined_kernel
def _noise(error, hessian):
    """The score of a sum that is only off by so much: no gain up to it tells children apart."""
    return error * error / hessian if hessian > 0.0 else 0.0


def _scan_packed(stats, n_bins, rows, limits, floor, scratch):
    """The largest gain; scratch.cut tells where. One below the floor need not be found."""
    cells = scratch.cells
    cut = scratch.cut
    bits = stats.count_bits
    mask = (np.int64(1) << bits) - 1
    total_g = rows.total[0]
    total_h = rows.total[1]
    missing_g = scratch.sums[MISSING, 0]
    missing_h = scratch.sums[MISSING, 1]
    n_missing = missing_h & mask
    n_total = total_h & mask
    known = n_total - n_missing
    parent = _score_packed(stats, rows.total)
    least = limits.min_samples
    best = -np.inf
    # What both children must score. Rounding, and gains that are as good as equal, are far smaller
    # than what is taken off.
    needed = (parent + floor) * (1.0 - SLACK)
    below = scratch.below
    if floor > 0.0 and needed > SAFE and FEWEST_BINS_TO_ASK <= n_bins <= below.shape[1]:
        _add_up(n_bins, cells, below)
        total = rows.total
        if not _may_reach(stats, n_bins, needed, 0, 0, total, least, below) and (
            n_missing == 0
            or not _may_reach(stats, n_bins, needed, missing_g, missing_h, total, least, below)
        ):
            return -np.inf
    g_below = np.int64(0)
    h_below = np.int64(0)
    for cell in range(n_bins - 1):
        # An empty cell needs no test of its own: it gains what the last one did, which is not more.
        g_below += cells[cell, 0]
        h_below += cells[cell, 1]
        n_below = h_below & mask
        if n_below == 0:
            continue
        if n_below == known:
            break
        for side in range(2 if n_missing > 0 else 1):
            g_left = g_below + missing_g if side == 1 else g_below
            h_left = h_below + missing_h if side == 1 else h_below
            n_left = h_left & mask
            if n_left < least or n_total - n_left < least:
                continue
            g_one = g_left * stats.gradient_unit
            h_one = (h_left >> bits) * stats.hessian_unit
            g_other = (total_g - g_left) * stats.gradient_unit
            h_other = ((total_h - h_left) >> bits) * stats.hessian_unit
            if h_one < stats.min_hessian or h_other < stats.min_hessian:
                continue
            h_one += stats.l2
            h_other += stats.l2
            # Most cells stay below the best: that much is seen without a division.
            both = h_one * h_other
            enough = needed * both
            if SAFE < needed and SAFE < both and SAFE < enough < np.inf:
                if g_one * g_one * h_other + g_other * g_other * h_one < enough:
                    continue
            children = 0.0
            if h_one > 0.0:
                children = g_one * g_one / h_one
            if h_other > 0.0:
                children += g_other * g_other / h_other
            gain = children - parent
            noise = _noise(n_left * stats.gradient_error, h_one)
            noise += _noise((n_total - n_left) * stats.gradient_error, h_other)
            if gain <= limits.tolerance * (children + parent) + noise:
                continue
            close = limits.tolerance * best if best > 0.0 else 0.0
            if gain > best + close:
                best = gain
                needed = max(needed, (parent + gain) * (1.0 - SLACK))
                cut[CUT] = cell
                cut[MISSING_LEFT] = side
                cut[NO_MATTER] = n_missing == 0
            elif side == 1 and cut[CUT] == cell and gain >= best - close:
                cut[NO_MATTER] = 1
    return best


# ---- any number of sums -------------------------------------------------------------------------


def _add_wide(stats, rows, bins, n, n_cells, cells):
    words = stats.words
    for i in range(n):
        r = np.int64(rows[i])
        b = np.int64(bins[i])
        for k in range(words.shape[1]):
            cells[b, k] += words[r, k]


def _add_binned_wide(stats, entries, bins, n_cells, cells):
    words = stats.words
    for i in range(entries.start, entries.stop):
        b = np.int64(bins[entries.shift + entries.position[i]])
        r = np.int64(entries.row[i])
        for k in range(words.shape[1]):
            cells[b, k] += words[r, k]


def _add_whole_wide(stats, entries, values, n_cells, cells):
    words = stats.words
    for i in range(entries.start, entries.stop):
        b = np.int64(_cell_of(values, entries.shift + entries.position[i], n_cells - 1))
        r = np.int64(entries.row[i])
        for k in range(words.shape[1]):
            cells[b, k] += words[r, k]


@inner_kernel
def _score_wide(stats, sums):
    """How well one value fits all that these sums stand for; larger is better."""
    channels = sums.shape[0]
    units = stats.units
    score = 0.0
    if stats.kind == NEWTON:
        for k in range(1, channels, 2):
            gradient = sums[k] * units[k]
            hessian = sums[k + 1] * units[k + 1] + stats.l2
            if hessian > 0.0:
                score += gradient * gradient / hessian
        return score
    total = 0.0
    for k in range(1, channels):
        total += sums[k] * units[k]
    if total <= 0.0:
        return 0.0
    for k in range(1, channels):
        weight = sums[k] * units[k]
        if stats.kind == GINI:
            score += weight * weight / total
        elif weight > 0.0:
            score += weight * np.log2(weight / total)
    return score


@inner_kernel
def _noise_wide(stats, sums):
    """The same of several outputs; weights of classes are not off by enough to matter."""
    noise = 0.0
    if stats.kind == NEWTON:
        for k in range(1, sums.shape[0], 2):
            hessian = sums[k + 1] * stats.units[k + 1] + stats.l2
            noise += _noise(sums[0] * stats.errors[k], hessian)
    return noise


@inner_kernel
def _allowed(stats, sums, min_samples):
    if sums[0] < min_samples:
        return False
    if stats.kind == NEWTON and stats.min_hessian > 0.0:
        for k in range(2, sums.shape[0], 2):
            if sums[k] * stats.units[k] < stats.min_hessian:
                return False
    return True


def _scan_wide(stats, n_bins, rows, limits, floor, scratch):
    """The same; the floor is not looked at."""
    cells = scratch.cells
    cut = scratch.cut
    total = rows.total
    missing = scratch.sums[MISSING]
    below = scratch.sums[ZEROS]  # the zeros have been counted by now
    one = scratch.sums[LEFT]
    other = scratch.sums[RIGHT]
    channels = total.shape[0]
    known = total[0] - missing[0]
    parent = _score_wide(stats, total)
    best = -np.inf
    for k in range(channels):
        below[k] = 0
    for cell in range(n_bins - 1):
        if cells[cell, 0] == 0:
            continue
        for k in range(channels):
            below[k] += cells[cell, k]
        if below[0] == known:
            break
        for side in range(2 if missing[0] > 0 else 1):
            for k in range(channels):
                one[k] = below[k] + missing[k] if side == 1 else below[k]
                other[k] = total[k] - one[k]
            if not _allowed(stats, one, limits.min_samples):
                continue
            if not _allowed(stats, other, limits.min_samples):
                continue
            children = _score_wide(stats, one) + _score_wide(stats, other)
            gain = children - parent
            noise = _noise_wide(stats, one) + _noise_wide(stats, other)
            if gain <= limits.tolerance * (abs(children) + abs(parent)) + noise:
                continue
            close = limits.tolerance * best if best > 0.0 else 0.0
            if gain > best + close:
                best = gain
                cut[CUT] = cell
                cut[MISSING_LEFT] = side
                cut[NO_MATTER] = missing[0] == 0
            elif side == 1 and cut[CUT] == cell and gain >= best - close:
                cut[NO_MATTER] = 1
    return best


def _is_pure_packed(stats, rows, start, stop):
    """Whether all rows ask for the same value, so that nothing is to be gained.

    Rows whose numbers are 0, as those of very small ones next to others are, ask for nothing.
    """
    words = stats.words
    bits = stats.count_bits
    g = 0.0
    h = 0.0
    for i in range(start, stop):
        r = rows[i]
        g_one = np.float64(words[r, 0])
        h_one = np.float64(words[r, 1] >> bits)
        if g == 0.0 and h == 0.0:
            g = g_one
            h = h_one
        elif g_one * h != g * h_one:
            return False
    return True


def _is_pure_wide(stats, rows, start, stop):
    return (
        _asks_for_one_step(stats, rows, start, stop)
        if stats.kind == NEWTON
        else _has_one_class(stats, rows, start, stop)
    )


@inner_kernel
def _asks_for_one_step(stats, rows, start, stop):
    """The same for each of several outputs."""
    words = stats.words
    for k in range(1, words.shape[1], 2):
        g = 0.0
        h = 0.0
        for i in range(start, stop):
            r = rows[i]
            if g == 0.0 and h == 0.0:
                g = np.float64(words[r, k])
                h = np.float64(words[r, k + 1])
            elif np.float64(words[r, k]) * h != g * np.float64(words[r, k + 1]):
                return False
    return True


@inner_kernel
def _has_one_class(stats, rows, start, stop):
    words = stats.words
    first = rows[start]
    for i in range(start + 1, stop):
        for k in range(1, words.shape[1]):
            if (words[rows[i], k] != 0) != (words[first, k] != 0):
                return False
    return True


is_pure = by_type({PackedStats: _is_pure_packed, WideStats: _is_pure_wide})
_add = by_type({PackedStats: _add_packed, WideStats: _add_wide})
add_binned = by_type({PackedStats: _add_binned_packed, WideStats: _add_binned_wide})
add_whole = by_type({PackedStats: _add_whole_packed, WideStats: _add_whole_wide})
scan = by_type({PackedStats: _scan_packed, WideStats: _scan_wide})


# ---- counting -----------------------------------------------------------------------------------


@inner_kernel
def clear(cells, n):
    for b in range(n):
        for k in range(cells.shape[1]):
            cells[b, k] = 0


@inner_kernel
def add_halves(cells, n):
    """The second of two histograms to the first."""
    for b in range(n):
        for k in range(cells.shape[1]):
            cells[b, k] += cells[n + b, k]


@inner_kernel
def count_entries(stats, n, n_bins, scratch):
    """The histogram of entries whose bins are known."""
    cells = scratch.cells
    n_cells = n_bins + 1
    if n < ENTRIES_A_CELL * n_cells:
        clear(cells, n_cells)
        _add(stats, scratch.rows, scratch.bins, n, 0, cells)
    else:
        clear(cells, 2 * n_cells)
        _add(stats, scratch.rows, scratch.bins, n, n_cells, cells)
        add_halves(cells, n_cells)


@inner_kernel
def count(stats, n, n_bins, zero_bin, rows, scratch):
    """The same, with the zeros and what is missing."""
    count_entries(stats, n, n_bins, scratch)
    count_others(n_bins, zero_bin, rows, scratch)


@inner_kernel
def count_others(n_bins, zero_bin, rows, scratch):
    """Rows without an entry: zeros to their bin, and what is missing."""
    cells = scratch.cells
    sums = scratch.sums
    width = cells.shape[1]
    for k in range(width):
        sums[MISSING, k] = cells[n_bins, k] + rows.total[k] - rows.present[k]
    if zero_bin >= 0:
        for k in range(width):
            rest = rows.present[k]
            for b in range(n_bins + 1):
                rest -= cells[b, k]
            cells[zero_bin, k] += rest
