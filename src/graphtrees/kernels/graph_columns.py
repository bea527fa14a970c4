"""Every column that a split may be chosen among, for whole graphs.

A column is a question without its threshold. Most of its values are 0, so an example is a list of
entries (column, value) for those that are not; NaN stands for a missing value.

    column = (place × n_signs + sign) × n_features + feature

`place` is the question's place in the plan. The two subsets that a split-node made are evaluated
together.

Vertex values lie in rows of eight lanes, `values[row, lane]`, with `step` rows for each vertex, and
go eight at a time. Small whole numbers need no care; for all others every sum carries along what
rounding took from it. Both leave what they found in `found`, whose rows are

    ((walk length × 4 + walk type) × 2 + sign) × 4 + aggregator
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import kernel
from graphtrees.kernels._rows import (
    WIDTH,
    add,
    fill,
    instead,
    known,
    larger,
    minus,
    narrow,
    over,
    read,
    smaller,
    times,
    where,
    widen,
    write,
)

SOURCE, CYCLE, TARGET, TARGET_SOURCE = 0, 1, 2, 3


@kernel
def _wanted(slots, d, walk_type):
    asked = False
    for aggregator in range(4):
        asked = asked or slots[d, walk_type, aggregator] >= 0
    return asked


@kernel
def _put(slots, counts, n_signs, n_features, features, found, cursor, columns, values):
    """Append every number found that is asked for and not 0.

    Always eight lanes: those without a feature found nothing but 0.
    """
    for d in range(slots.shape[0]):
        for walk_type in range(4):
            for aggregator in range(4):
                place = np.int64(slots[d, walk_type, aggregator])
                for s in range(n_signs if place >= 0 else 0):
                    if counts[s] == 0:
                        continue
                    row = ((d * 4 + walk_type) * 2 + s) * 4 + aggregator
                    base = (place * n_signs + s) * n_features
                    for lane in range(WIDTH):
                        value = found[row, lane]
                        # Written in any case, and kept by moving on: no branch to foresee.
                        columns[cursor] = base + features[lane]
                        values[cursor] = value
                        cursor += value != 0.0
    return cursor


# ---- small whole numbers -------------------------------------------------------------------------


@kernel
def _sum_up(one, at_one, other, at_other, step, n, sign, counts, masked, row, found):
    """Sum, mean, smallest and largest of one's rows to found[row:], of the other's to the next.

    With a mask, only of the vertices signed 1, and of those signed 2.
    """
    none = fill(np.float32(0.0))
    top = fill(np.float32(np.inf))
    bottom = fill(np.float32(-np.inf))
    sum_1, low_1, high_1 = none, top, bottom
    sum_2, low_2, high_2 = none, top, bottom
    for v in range(n):
        a = read(one, at_one + v * step)
        b = read(other, at_other + v * step)
        # Chosen without a branch: which subset holds a vertex is hard to foresee.
        in_1 = not masked or sign[v] == 1
        in_2 = not masked or sign[v] == 2
        sum_1 = add(sum_1, a if in_1 else none)
        low_1 = smaller(low_1, a if in_1 else top)
        high_1 = larger(high_1, a if in_1 else bottom)
        sum_2 = add(sum_2, b if in_2 else none)
        low_2 = smaller(low_2, b if in_2 else top)
        high_2 = larger(high_2, b if in_2 else bottom)
    write(found, row, sum_1)
    write(found, row + 1, over(sum_1, fill(np.float32(max(1, counts[0]) if masked else n))))
    write(found, row + 2, low_1)
    write(found, row + 3, high_1)
    write(found, row + 4, sum_2)
    write(found, row + 5, over(sum_2, fill(np.float32(max(1, counts[1]) if masked else n))))
    write(found, row + 6, low_2)
    write(found, row + 7, high_2)


@kernel
def _count_others_in(n, counts, inner, row, found):
    """From vertices of a subset to all vertices, of which those outside it are 0."""
    none = fill(np.float32(0.0))
    for s in range(2):
        total = read(found, inner + 4 * s)
        low = read(found, inner + 4 * s + 2)
        high = read(found, inner + 4 * s + 3)
        others = n > counts[s]
        write(found, row + 4 * s, total)
        write(found, row + 4 * s + 1, over(total, fill(np.float32(n))))
        write(found, row + 4 * s + 2, smaller(low, none) if others else low)
        write(found, row + 4 * s + 3, larger(high, none) if others else high)


@kernel
def _plain_step(here, n, other, start, stop, targets, sources, weights, there):
    """One walk step of rows 0:n and of rows other:other + n, by one loop over all edges.

    A loop inside a loop over few neighbours would spend its time on mispredicted exits.
    """
    none = fill(np.float32(0.0))
    for v in range(n):
        write(there, v, none)
        write(there, other + v, none)
    for e in range(start, stop):
        u = np.int64(sources[e])
        v = np.int64(targets[e])
        w = fill(weights[e])
        write(there, v, add(read(there, v), times(w, read(here, u))))
        write(there, other + v, add(read(there, other + v), times(w, read(here, other + u))))


@kernel
def _find_plainly(
    first, n, row, step, x, walked, diagonal, start, stop, targets, sources, weights, sign, counts,
    masked, slots, last, other, here, there, found,
):  # fmt: skip
    """All that is asked about eight lanes of one graph, whose vertices are row + v × step."""
    if _wanted(slots, 0, SOURCE) or _wanted(slots, 0, CYCLE):
        _sum_up(x, row, x, row, step, n, sign, counts, masked, 8 * CYCLE, found)
        _count_others_in(n, counts, 8 * CYCLE, 8 * SOURCE, found)
    for d in range(1, slots.shape[0]):
        walk_type = TARGET if masked else SOURCE
        if _wanted(slots, d, walk_type):
            reached = walked[d - 1]
            at = 8 * (4 * d + walk_type)
            _sum_up(reached, row, reached, row, step, n, sign, counts, masked, at, found)
        if _wanted(slots, d, CYCLE):
            for v in range(n):
                factor = fill(diagonal[d - 1, first + v])
                write(here, v, times(factor, read(x, row + v * step)))
            at = 8 * (4 * d + CYCLE)
            _sum_up(here, 0, here, 0, 1, n, sign, counts, masked, at, found)
    if last > 0:
        none = fill(np.float32(0.0))
        for v in range(n):
            own = read(x, row + v * step)
            write(here, v, own if sign[v] == 1 else none)
            write(here, other + v, own if sign[v] == 2 else none)
    for d in range(1, last + 1):
        _plain_step(here, n, other, start, stop, targets, sources, weights, there)
        here, there = there, here
        if _wanted(slots, d, SOURCE):
            at = 8 * (4 * d + SOURCE)
            _sum_up(here, 0, here, other, 1, n, sign, counts, False, at, found)
        if _wanted(slots, d, TARGET_SOURCE):
            at = 8 * (4 * d + TARGET_SOURCE)
            _sum_up(here, 0, here, other, 1, n, sign, counts, True, at, found)


# ---- any numbers, some of them missing -----------------------------------------------------------


@kernel
def _summary(values, row, step, n, n_zeros, sign, want, at, found):
    """Sum, mean, smallest and largest of the vertices signed `want` (0: all) to found[at:].

    `n_zeros` further vertices are 0. `lo` gathers what rounding took from `hi`.
    """
    none = fill(0.0)
    nothing = fill(np.float32(np.nan))
    zeros = fill(np.float32(0.0))
    top = fill(np.float32(np.inf))
    bottom = fill(np.float32(-np.inf))
    hi, lo = none, none
    low = zeros if n_zeros > 0 else top
    high = zeros if n_zeros > 0 else bottom
    count = fill(np.float32(n_zeros))
    for v in range(n):
        # Chosen without a branch: which subset holds a vertex is hard to foresee.
        value = read(values, row + v * step) if want == 0 or sign[v] == want else nothing
        count = add(count, known(value))
        low = smaller(low, instead(value, top))
        high = larger(high, instead(value, bottom))
        term = widen(instead(value, zeros))
        total = add(hi, term)
        back = minus(total, hi)
        lo = add(lo, add(minus(hi, minus(total, back)), minus(term, back)))
        hi = total
    whole = add(hi, lo)
    write(found, at, where(count, narrow(whole), nothing))
    mean = narrow(over(whole, widen(where(count, count, fill(np.float32(1.0))))))
    write(found, at + 1, where(count, mean, nothing))
    write(found, at + 2, where(count, low, nothing))
    write(found, at + 3, where(count, high, nothing))


@kernel
def _step(here, n, other, first, start, stop, targets, sources, weights, divisor, hi, lo, there):
    """`_plain_step` with rounding errors carried along."""
    none = fill(0.0)
    for v in range(n):
        write(hi, v, none)
        write(hi, other + v, none)
        write(lo, v, none)
        write(lo, other + v, none)
    for e in range(start, stop):
        w = fill(np.float64(weights[e]))
        for s in range(2):
            v = s * other + np.int64(targets[e])
            term = times(w, widen(read(here, s * other + np.int64(sources[e]))))
            before = read(hi, v)
            total = add(before, term)
            back = minus(total, before)
            lost = add(minus(before, minus(total, back)), minus(term, back))
            write(lo, v, add(read(lo, v), lost))
            write(hi, v, total)
    for v in range(n):
        by = fill(divisor[first + v] if divisor.shape[0] > 0 else 1.0)
        write(there, v, narrow(over(add(read(hi, v), read(lo, v)), by)))
        both = add(read(hi, other + v), read(lo, other + v))
        write(there, other + v, narrow(over(both, by)))


@kernel
def _find(
    first, n, row, step, x, x_walk, walked, diagonal, start, stop, targets, sources, weights,
    divisor, sign, counts, n_signs, slots, last, other, here, there, hi, lo, found,
):  # fmt: skip
    """All that is asked about eight lanes of one graph, whose vertices are row + v × step."""
    for s in range(n_signs):
        want = 0 if n_signs == 1 else s + 1
        if _wanted(slots, 0, SOURCE):
            _summary(x, row, step, n, n - counts[s], sign, want, 8 * SOURCE + 4 * s, found)
        if _wanted(slots, 0, CYCLE):
            _summary(x, row, step, n, 0, sign, want, 8 * CYCLE + 4 * s, found)
        for d in range(1, slots.shape[0]):
            walk_type = SOURCE if n_signs == 1 else TARGET
            if _wanted(slots, d, walk_type):
                at = 8 * (4 * d + walk_type) + 4 * s
                _summary(walked[d - 1], row, step, n, 0, sign, want, at, found)
            if _wanted(slots, d, CYCLE):
                for v in range(n):
                    factor = fill(np.float64(diagonal[d - 1, first + v]))
                    write(here, v, narrow(times(factor, widen(read(x_walk, row + v * step)))))
                _summary(here, 0, 1, n, 0, sign, want, 8 * (4 * d + CYCLE) + 4 * s, found)
    none = fill(np.float32(0.0))
    for v in range(n if last > 0 else 0):
        own = read(x_walk, row + v * step)
        write(here, v, own if sign[v] == 1 else none)
        write(here, other + v, own if sign[v] == 2 else none)
    for d in range(1, last + 1):
        _step(here, n, other, first, start, stop, targets, sources, weights, divisor, hi, lo, there)
        here, there = there, here
        for s in range(n_signs):
            if _wanted(slots, d, SOURCE):
                _summary(here, s * other, 1, n, 0, sign, 0, 8 * (4 * d + SOURCE) + 4 * s, found)
            if _wanted(slots, d, TARGET_SOURCE):
                at = 8 * (4 * d + TARGET_SOURCE) + 4 * s
                _summary(here, s * other, 1, n, 0, sign, s + 1, at, found)


# ---- all graphs ---------------------------------------------------------------------------------


@kernel
def graph_entries(
    graphs, vertex_ptr, lane_ptr, lane_features, x_ptr, x, x_walk, walked, diagonal,
    indptr, targets, indices, weights, divisor, codes, n_signs, slots, careful,
    n_features, row_stop, columns, values, alive,
):  # fmt: skip
    """Entries of one operator's columns for whole-graph examples, appended at row_stop[i].

    slots[d, walk type, aggregator] is a question's place, or -1. `walked[d - 1]` holds A^d x,
    `diagonal[d - 1]` the diagonal of A^d. n_signs 1 asks about whole graphs, 2 about the subsets
    in `codes`; alive[i, s] tells whether graph i has any vertex there. Each graph has room for
    one entry more than there can be. `careful` is None for small whole numbers: told by its type,
    so that only one of the two ways is ever compiled where the other is not needed.
    """
    most = 1
    for i in range(graphs.shape[0]):
        most = max(most, vertex_ptr[graphs[i] + 1] - vertex_ptr[graphs[i]])
    sign = np.ones(most, np.uint8)
    here = np.empty((2 * most, WIDTH), np.float32)
    there = np.empty((2 * most, WIDTH), np.float32)
    found = np.empty((32 * slots.shape[0], WIDTH), np.float32)
    hi = np.empty((2 * most if careful is not None else 0, WIDTH), np.float64)
    lo = np.empty((2 * most if careful is not None else 0, WIDTH), np.float64)
    features = np.zeros(WIDTH, np.int64)
    counts = np.zeros(2, np.int64)
    last = 0
    for d in range(1, slots.shape[0]):
        if n_signs > 1 and (_wanted(slots, d, SOURCE) or _wanted(slots, d, TARGET_SOURCE)):
            last = d
    for i in range(graphs.shape[0]):
        g = graphs[i]
        first = vertex_ptr[g]
        n = vertex_ptr[g + 1] - first
        counts[0] = 0 if n_signs > 1 else n
        counts[1] = 0
        if n_signs > 1:
            for v in range(n):
                sign[v] = codes[first + v]
                counts[0] += sign[v] == 1
                counts[1] += sign[v] == 2
        for s in range(n_signs):
            alive[i, s] = counts[s] > 0
        if n == 0:
            continue
        start = indptr[first]
        stop = indptr[first + n]
        lanes = lane_ptr[g + 1] - lane_ptr[g]
        row = x_ptr[g] // WIDTH
        step = (lanes + WIDTH - 1) // WIDTH
        cursor = row_stop[i]
        for k in range(step):
            in_row = min(WIDTH, lanes - k * WIDTH)
            for lane in range(in_row):
                features[lane] = lane_features[lane_ptr[g] + k * WIDTH + lane]
            if careful is None:
                _find_plainly(
                    first, n, row + k, step, x, walked, diagonal, start, stop, targets, indices,
                    weights, sign, counts, n_signs > 1, slots, last, most, here, there, found,
                )  # fmt: skip
            else:
                _find(
                    first, n, row + k, step, x, x_walk, walked, diagonal, start, stop, targets,
                    indices, weights, divisor, sign, counts, n_signs, slots, last, most, here,
                    there, hi, lo, found,
                )  # fmt: skip
            cursor = _put(
                slots, counts, n_signs, n_features, features, found, cursor, columns, values
            )
        row_stop[i] = cursor
