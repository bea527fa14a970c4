"""The best cut of one column: its range, its bins, its histogram, and the scan over them.

A column comes as entries (value, row); alive rows without an entry are 0, NaN is missing. Sums are
integers, so they do not depend on the order of the rows. The steps are functions of their own:

    choose_bins   from the range of the values
    find_bins     the bin of every entry
    count         entries into the histogram, zeros by subtraction from the total
    scan          every cut between two bins

Small columns and the exact search sort the entries instead; each distinct value is then a bin.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import by_type, inner_kernel
from graphtrees.kernels.growing_records import PackedStats, WideStats

NEWTON, GINI, ENTROPY = 0, 1, 2

# Columns of at most so many entries are sorted: that is as fast as a histogram, and exact.
SORTED_ENTRIES = 12

# How many bins a column of n rows gets, unless each whole number has one of its own.
FEWEST_BINS, BINS_A_ROW = 64, 4

# Columns of at least so many entries a cell are counted into two histograms.
ENTRIES_A_CELL = 4

ZEROS, MISSING, LEFT, RIGHT = 0, 1, 2, 3  # rows of ColumnScratch.sums
CUT, MISSING_LEFT, NO_MATTER = 0, 1, 2  # of ColumnScratch.cut

EXPONENT = 0x7F800000  # where float32 keeps its exponent

LARGEST_WHOLE = np.float32(2.0**30)  # larger numbers are not looked at as whole ones


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
    """Small whole numbers are bins already; INFINITY goes to the last cell."""
    words = stats.words
    last = np.float32(n_cells - 1)
    shift = np.uint64(entries.shift)
    for i in range(np.uint64(entries.start), np.uint64(entries.stop)):
        value = values[shift + np.uint64(entries.position[i])]
        b = np.uint64(np.int32(min(value, last))) + (i & np.uint64(1)) * np.uint64(n_cells)
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


def _scan_packed(stats, n_bins, rows, limits, scratch):
    """The largest gain; scratch.cut tells where."""
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
    g_below = np.int64(0)
    h_below = np.int64(0)
    for cell in range(n_bins - 1):
        here = cells[cell, 1]
        if here == 0:
            continue
        g_below += cells[cell, 0]
        h_below += here
        if h_below & mask == known:
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
            children = 0.0
            if h_one + stats.l2 > 0.0:
                children = g_one * g_one / (h_one + stats.l2)
            if h_other + stats.l2 > 0.0:
                children += g_other * g_other / (h_other + stats.l2)
            gain = children - parent
            if gain <= limits.tolerance * (children + parent):
                continue
            close = limits.tolerance * best if best > 0.0 else 0.0
            if gain > best + close:
                best = gain
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
    last = np.float32(n_cells - 1)
    for i in range(entries.start, entries.stop):
        b = np.int64(min(values[entries.shift + entries.position[i]], last))
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
def _allowed(stats, sums, min_samples):
    if sums[0] < min_samples:
        return False
    if stats.kind == NEWTON and stats.min_hessian > 0.0:
        for k in range(2, sums.shape[0], 2):
            if sums[k] * stats.units[k] < stats.min_hessian:
                return False
    return True


def _scan_wide(stats, n_bins, rows, limits, scratch):
    """The largest gain; scratch.cut tells where."""
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
            if gain <= limits.tolerance * (abs(children) + abs(parent)):
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
    """Whether all rows ask for the same value, so that nothing is to be gained."""
    words = stats.words
    bits = stats.count_bits
    g = np.float64(words[rows[start], 0])
    h = np.float64(words[rows[start], 1] >> bits)
    for i in range(start + 1, stop):
        r = rows[i]
        if words[r, 0] * h != g * (words[r, 1] >> bits):
            return False
    return True


def _is_pure_wide(stats, rows, start, stop):
    words = stats.words
    first = rows[start]
    for i in range(start + 1, stop):
        r = rows[i]
        if stats.kind == NEWTON:
            for k in range(1, words.shape[1], 2):
                one = np.float64(words[r, k]) * words[first, k + 1]
                if one != np.float64(words[first, k]) * words[r, k + 1]:
                    return False
        else:
            for k in range(1, words.shape[1]):
                if (words[r, k] != 0) != (words[first, k] != 0):
                    return False
    return True


is_pure = by_type({PackedStats: _is_pure_packed, WideStats: _is_pure_wide})
_add = by_type({PackedStats: _add_packed, WideStats: _add_wide})
_add_binned = by_type({PackedStats: _add_binned_packed, WideStats: _add_binned_wide})
_add_whole = by_type({PackedStats: _add_whole_packed, WideStats: _add_whole_wide})
_scan = by_type({PackedStats: _scan_packed, WideStats: _scan_wide})


# ---- bins without sorting -----------------------------------------------------------------------


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
    else:
        for i in range(n):
            bins[i] = bin_of(values[i], n_bins, bottom, middle, step)


@inner_kernel
def _clear(cells, n):
    for b in range(n):
        for k in range(cells.shape[1]):
            cells[b, k] = 0


@inner_kernel
def _add_halves(cells, n):
    """The second of two histograms to the first."""
    for b in range(n):
        for k in range(cells.shape[1]):
            cells[b, k] += cells[n + b, k]


@inner_kernel
def count(stats, n, n_bins, zero_bin, rows, scratch):
    """The histogram of entries whose bins are known, the zeros, and what is missing."""
    cells = scratch.cells
    n_cells = n_bins + 1
    if n < ENTRIES_A_CELL * n_cells:
        _clear(cells, n_cells)
        _add(stats, scratch.rows, scratch.bins, n, 0, cells)
    else:
        _clear(cells, 2 * n_cells)
        _add(stats, scratch.rows, scratch.bins, n, n_cells, cells)
        _add_halves(cells, n_cells)
    _count_others(n_bins, zero_bin, rows, scratch)


@inner_kernel
def _count_others(n_bins, zero_bin, rows, scratch):
    """Rows without an entry: zeros to their bin, and what is missing."""
    cells = scratch.cells
    sums = scratch.sums
    width = cells.shape[1]
    for k in range(width):
        sums[MISSING, k] = cells[n_bins, k] + rows.total[k] - rows.alive[k]
    if zero_bin >= 0:
        for k in range(width):
            rest = rows.alive[k]
            for b in range(n_bins + 1):
                rest -= cells[b, k]
            cells[zero_bin, k] += rest


@inner_kernel
def _whole_range(values, n):
    """(smallest, largest, whether all are whole numbers of moderate size); vectorised."""
    low = np.int32(2**31 - 1)
    high = np.int32(-(2**31))
    different = np.int32(0)
    for i in range(n):
        # What int32 cannot hold must not be converted: compilers take that as a licence.
        whole = np.int32(max(min(values[i], LARGEST_WHOLE), -LARGEST_WHOLE))
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
def _range(values, n, has_missing, scratch):
    """(smallest, largest, how many are known, their summed exponents, whether all are whole)."""
    least, most, is_whole = _whole_range(values, n)
    if is_whole and most - least < 2**24:
        return np.float32(least), np.float32(most), n, _sum_exponents(values, n), True
    bits = values.view(np.int32)
    if not has_missing:
        low_key, high_key, exponents = _real_range(bits, n)
        ends = scratch.ends
        ends[0] = _key_of(low_key)
        ends[1] = _key_of(high_key)
        numbers = ends.view(np.float32)
        return numbers[0], numbers[1], n, exponents, is_whole
    low = np.float32(np.inf)
    high = np.float32(-np.inf)
    known = 0
    fractions = 0
    for i in range(n):
        value = values[i]
        if value != value:
            continue
        known += 1
        low = value if value < low else low
        high = value if value > high else high
        fractions += value != np.floor(value)
    return low, high, known, _sum_exponents(values, n), fractions == 0


@inner_kernel
def _sum_exponents(values, n):
    bits = values.view(np.int32)
    total = np.int64(0)
    for i in range(n):
        known = values[i] == values[i]
        total += np.int64((bits[i] & np.int32(EXPONENT)) >> np.int32(23)) if known else 0
    return total


@inner_kernel
def _search_bins(stats, n, rows, limits, scratch):
    """(largest gain of a cut between bins, number of bins, bin of the zeros or -1)."""
    values = scratch.values
    has_missing = limits.has_missing
    low, high, known, exponents, is_whole = _range(values, n, has_missing, scratch)
    has_zeros = rows.n_alive > n
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
    return _scan(stats, n_bins, rows, limits, scratch), n_bins, zero_bin


# ---- bins of sorted values ----------------------------------------------------------------------


@inner_kernel
def _sort_few(values, rows, n):
    """Sort entries by value, in place; for few of them."""
    for i in range(1, n):
        value = values[i]
        row = rows[i]
        k = i
        while k > 0 and values[k - 1] > value:
            values[k] = values[k - 1]
            rows[k] = rows[k - 1]
            k -= 1
        values[k] = value
        rows[k] = row


@inner_kernel
def _sink(values, rows, at, n):
    """Restore the heap (the largest on top) below `at`."""
    value = values[at]
    row = rows[at]
    while 2 * at + 1 < n:
        child = 2 * at + 1
        if child + 1 < n and values[child + 1] > values[child]:
            child += 1
        if values[child] <= value:
            break
        values[at] = values[child]
        rows[at] = rows[child]
        at = child
    values[at] = value
    rows[at] = row


@inner_kernel
def _sort(values, rows, n):
    """Sort entries by value, in place."""
    if n <= 32:
        _sort_few(values, rows, n)
        return
    for at in range(n // 2 - 1, -1, -1):
        _sink(values, rows, at, n)
    for last in range(n - 1, 0, -1):
        value, row = values[last], rows[last]
        values[last], rows[last] = values[0], rows[0]
        values[0], rows[0] = value, row
        _sink(values, rows, 0, last)


@inner_kernel
def _missing_last(values, rows, n):
    """Move missing values behind the others; returns how many there are of these."""
    known = 0
    for i in range(n):
        if values[i] == values[i]:
            value, row = values[i], rows[i]
            values[i], rows[i] = values[known], rows[known]
            values[known], rows[known] = value, row
            known += 1
    return known


@inner_kernel
def _search_sorted(stats, n, rows, limits, scratch):
    """The largest gain of a cut between any two values; bin b then holds scratch.distinct[b]."""
    values = scratch.values
    distinct = scratch.distinct
    known = _missing_last(values, scratch.rows, n)
    _sort(values, scratch.rows, known)
    has_zeros = rows.n_alive > n
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
    return _scan(stats, n_bins, rows, limits, scratch)


# ---- a column -----------------------------------------------------------------------------------


@inner_kernel
def hopeless(n, n_alive, n_missing, limits):
    """Whether zeros, which stay together, leave too few rows for the other side."""
    return n_alive > n and n + n_missing < limits.min_samples


@inner_kernel
def best_gain(stats, n, rows, limits, scratch):
    """The largest gain of any cut of the column in scratch.values and scratch.rows; -inf: none."""
    if hopeless(n, rows.n_alive, rows.n_rows - rows.n_alive, limits):
        return -np.inf
    if limits.max_bins == 0 or n <= SORTED_ENTRIES:
        return _search_sorted(stats, n, rows, limits, scratch)
    return _search_bins(stats, n, rows, limits, scratch)[0]


@inner_kernel
def best_static_gain(stats, entries, bins, n_bins, zero_bin, rows, limits, scratch):
    """The same for entries whose bins were made before training."""
    cells = scratch.cells
    n_cells = n_bins + 1
    _clear(cells, 2 * n_cells)
    _add_binned(stats, entries, bins, n_cells, cells)
    _add_halves(cells, n_cells)
    has_zeros = rows.n_alive > entries.stop - entries.start
    _count_others(n_bins, zero_bin if has_zeros else -1, rows, scratch)
    return _scan(stats, n_bins, rows, limits, scratch)


@inner_kernel
def best_whole_gain(stats, entries, values, bound, rows, limits, scratch):
    """The same for whole numbers from 0 to `bound`, read where they stand: one pass does it all.

    Rows that are not alive answer INFINITY, which is not counted.
    """
    cells = scratch.cells
    width = cells.shape[1]
    n_bins = bound + 1
    _clear(cells, 2 * (n_bins + 1))
    _add_whole(stats, entries, values, n_bins + 1, cells)
    _add_halves(cells, n_bins + 1)
    for k in range(width):
        rest = rows.alive[k]
        for b in range(n_bins):
            rest -= cells[b, k]
        cells[0, k] += rest
        scratch.sums[MISSING, k] = rows.total[k] - rows.alive[k]
    return _scan(stats, n_bins, rows, limits, scratch)


@inner_kernel
def best_cut(stats, n, static_bins, zero_bin, rows, limits, scratch):
    """(gain, highest value on the left, lowest on the right) of the column in scratch.

    Among all values, for columns of up to `refined_rows` entries; beyond it bins are fine enough.
    With `static_bins` > 0 these are in scratch.bins. Entries may change their order.
    """
    if static_bins == 0 and (limits.max_bins == 0 or n <= limits.refined_rows):
        gain = _search_sorted(stats, n, rows, limits, scratch)
        last = scratch.cut[CUT]
        return gain, np.float64(scratch.distinct[last]), np.float64(scratch.distinct[last + 1])
    n_bins = static_bins
    if static_bins > 0:
        zero_bin = zero_bin if rows.n_alive > n else -1
        count(stats, n, n_bins, zero_bin, rows, scratch)
        gain = _scan(stats, n_bins, rows, limits, scratch)
    else:
        gain, n_bins, zero_bin = _search_bins(stats, n, rows, limits, scratch)
    zeros_left = 0 <= zero_bin <= scratch.cut[CUT]
    highest = np.float32(0.0 if zeros_left else -np.inf)
    lowest = np.float32(0.0 if zero_bin >= 0 and not zeros_left else np.inf)
    for i in range(n):
        if scratch.bins[i] <= scratch.cut[CUT]:
            highest = max(highest, scratch.values[i])
        elif scratch.bins[i] < n_bins:
            lowest = min(lowest, scratch.values[i])
    return gain, np.float64(highest), np.float64(lowest)
