"""Every column that a split may be chosen among, for whole graphs.

A column is a question without its threshold. The two subsets that a split-node made are evaluated
together: block[start[2 × place + sign] + position] is the answer of one graph about one feature,
where `place` is the question's place in the plan (start[place] for whole graphs). A graph whose
subset is empty answers INFINITY: its row is missing, which an entry cannot say where the graph
lacks the feature.

Vertex values lie in rows of eight lanes, `step` rows for each vertex, and go eight at a time. Small
whole numbers are added in float32, exactly; for all others every sum carries its rounding error
along (`careful`). Both leave their answers in rows

    ((walk length × 4 + walk type) × 2 + sign) × 4 + aggregator
"""

from __future__ import annotations

import numpy as np

from graphtrees._layout import CYCLE, SOURCE, TARGET, TARGET_SOURCE
from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels._rows import (
    WIDTH,
    add,
    fill,
    instead,
    known,
    larger,
    narrow,
    over,
    read,
    smaller,
    times,
    where,
    widen,
    write,
)
from graphtrees.kernels._sums import two_sum, two_sum_rows

INFINITY = np.float32(np.inf)


@inner_kernel
def _wanted(slots, d, walk_type):
    asked = False
    for aggregator in range(4):
        asked = asked or slots[d, walk_type, aggregator] >= 0
    return asked


@inner_kernel
def _longest_from_subset(slots):
    """The longest walks that are asked about from the subset alone."""
    last = 0
    for d in range(1, slots.shape[0]):
        if _wanted(slots, d, SOURCE) or _wanted(slots, d, TARGET_SOURCE):
            last = d
    return last


# ---- small whole numbers -------------------------------------------------------------------------


@inner_kernel
def _write_summary(answers, row, total, n, low, high):
    write(answers, row, total)
    write(answers, row + 1, over(total, fill(np.float32(n))))
    write(answers, row + 2, low)
    write(answers, row + 3, high)


@inner_kernel
def _sum_all(values, at, step, n, answers, row):
    """Sum, mean, smallest and largest of all vertices to answers[row:]."""
    total = fill(np.float32(0.0))
    low = fill(np.float32(np.inf))
    high = fill(np.float32(-np.inf))
    for v in range(n):
        value = read(values, at + v * step)
        total = add(total, value)
        low = smaller(low, value)
        high = larger(high, value)
    _write_summary(answers, row, total, max(1, n), low, high)


@inner_kernel
def _sum_members(values, at, step, s, scratch, row):
    """The same of the vertices of one subset."""
    members = scratch.members
    first = s * scratch.sign.shape[0]
    count = scratch.counts[s]
    total = fill(np.float32(0.0))
    low = fill(np.float32(np.inf))
    high = fill(np.float32(-np.inf))
    for i in range(first, first + count):
        value = read(values, at + np.int64(members[i]) * step)
        total = add(total, value)
        low = smaller(low, value)
        high = larger(high, value)
    _write_summary(scratch.answers, row, total, max(1, count), low, high)


@inner_kernel
def _sum_up(values, at, step, n, scratch, masked, row):
    """Of both subsets, the one after the other; without a mask of all vertices."""
    if masked:
        _sum_members(values, at, step, 0, scratch, row)
        _sum_members(values, at, step, 1, scratch, row + 4)
    else:
        _sum_all(values, at, step, n, scratch.answers, row)


@inner_kernel
def _include_others(n, scratch, inner, row):
    """From the vertices of a subset to all vertices; those outside the subset are 0."""
    answers = scratch.answers
    counts = scratch.counts
    none = fill(np.float32(0.0))
    for s in range(2):
        total = read(answers, inner + 4 * s)
        low = read(answers, inner + 4 * s + 2)
        high = read(answers, inner + 4 * s + 3)
        others = n > counts[s]
        write(answers, row + 4 * s, total)
        write(answers, row + 4 * s + 1, over(total, fill(np.float32(n))))
        write(answers, row + 4 * s + 2, smaller(low, none) if others else low)
        write(answers, row + 4 * s + 3, larger(high, none) if others else high)


@inner_kernel
def _plain_first_step(row, step, n, start, stop, layout, operators, scratch, there):
    """One walk step from each of the two subsets, to rows 0:n and to the rows after them.

    One loop over all edges: a loop inside a loop over few neighbours would spend its time on
    mispredicted exits. Walks from outside the subsets go to a third part that nobody reads.
    """
    sources = operators.sources
    targets = operators.targets
    weights = operators.weights
    part = scratch.part
    none = fill(np.float32(0.0))
    other = scratch.sign.shape[0]
    for v in range(n):
        write(there, v, none)
        write(there, other + v, none)
    for e in range(start, stop):
        u = np.int64(sources[e])
        v = np.int64(part[u]) + np.int64(targets[e])
        own = times(fill(weights[e]), read(layout.x, row + u * step))
        write(there, v, add(read(there, v), own))


@inner_kernel
def _plain_step(here, n, other, start, stop, operators, there):
    """One more step of both."""
    sources = operators.sources
    targets = operators.targets
    weights = operators.weights
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


@inner_kernel
def _answer_plainly(first, n, row, step, o, masked, slots, last, layout, operators, scratch):
    """All that is asked about eight lanes of one graph, whose vertices are row + v × step."""
    x = layout.x
    answers = scratch.answers
    here = scratch.here
    there = scratch.there
    other = scratch.sign.shape[0]
    if _wanted(slots, 0, SOURCE) or _wanted(slots, 0, CYCLE):
        if masked:
            _sum_up(x, row, step, n, scratch, True, 8 * CYCLE)
            _include_others(n, scratch, 8 * CYCLE, 8 * SOURCE)
        else:
            _sum_up(x, row, step, n, scratch, False, 8 * SOURCE)
    for d in range(1, slots.shape[0]):
        walk_type = TARGET if masked else SOURCE
        if _wanted(slots, d, walk_type):
            reached = operators.walked[o, d - 1]
            _sum_up(reached, row, step, n, scratch, masked, 8 * (4 * d + walk_type))
        if _wanted(slots, d, CYCLE):
            for v in range(n):
                factor = fill(operators.diagonal[o, d - 1, first + v])
                write(here, v, times(factor, read(x, row + v * step)))
            _sum_up(here, 0, 1, n, scratch, masked, 8 * (4 * d + CYCLE))
    start = operators.indptr[o, first]
    stop = operators.indptr[o, first + n]
    for d in range(1, last + 1):
        if d == 1:
            _plain_first_step(row, step, n, start, stop, layout, operators, scratch, there)
        else:
            _plain_step(here, n, other, start, stop, operators, there)
        here, there = there, here
        if _wanted(slots, d, SOURCE):
            _sum_all(here, 0, 1, n, answers, 8 * (4 * d + SOURCE))
            _sum_all(here, other, 1, n, answers, 8 * (4 * d + SOURCE) + 4)
        if _wanted(slots, d, TARGET_SOURCE):
            _sum_members(here, 0, 1, 0, scratch, 8 * (4 * d + TARGET_SOURCE))
            _sum_members(here, other, 1, 1, scratch, 8 * (4 * d + TARGET_SOURCE) + 4)


# ---- any numbers, some of them missing -----------------------------------------------------------


@inner_kernel
def _summary(values, row, step, n, n_zeros, want, at, errors, scratch):
    """Sum, mean, smallest and largest of the vertices signed `want` (0: all) to answers[at:].

    `n_zeros` further vertices are 0. `lo` gathers what rounding took from `hi`; with `errors` None
    float64 adds these numbers exactly, and there is nothing to gather.
    """
    answers = scratch.answers
    members = scratch.members
    first = (want - 1) * scratch.sign.shape[0]
    none = fill(0.0)
    nothing = fill(np.float32(np.nan))
    zeros = fill(np.float32(0.0))
    top = fill(np.float32(np.inf))
    bottom = fill(np.float32(-np.inf))
    hi, lo = none, none
    low = zeros if n_zeros > 0 else top
    high = zeros if n_zeros > 0 else bottom
    count = fill(np.float32(n_zeros))
    for i in range(n if want == 0 else scratch.counts[want - 1]):
        v = i if want == 0 else np.int64(members[first + i])
        value = read(values, row + v * step)
        count = add(count, known(value))
        low = smaller(low, instead(value, top))
        high = larger(high, instead(value, bottom))
        term = widen(instead(value, zeros))
        if errors is None:
            hi = add(hi, term)
        else:
            hi, lo = two_sum_rows(hi, lo, term)
    whole = add(hi, lo)
    write(answers, at, where(count, narrow(whole), nothing))
    mean = narrow(over(whole, widen(where(count, count, fill(np.float32(1.0))))))
    write(answers, at + 1, where(count, mean, nothing))
    write(answers, at + 2, where(count, low, nothing))
    write(answers, at + 3, where(count, high, nothing))


@inner_kernel
def _step(here, n, first, o, operators, errors, scratch, there):
    """`_plain_step` with rounding errors carried along."""
    hi = scratch.high
    lo = scratch.low
    other = scratch.sign.shape[0]
    divisor = operators.divisor
    none = fill(0.0)
    for v in range(n):
        write(hi, v, none)
        write(hi, other + v, none)
        write(lo, v, none)
        write(lo, other + v, none)
    for e in range(operators.indptr[o, first], operators.indptr[o, first + n]):
        w = fill(np.float64(operators.weights[e]))
        for s in range(2):
            v = s * other + np.int64(operators.targets[e])
            term = times(w, widen(read(here, s * other + np.int64(operators.sources[e]))))
            if errors is None:
                write(hi, v, add(read(hi, v), term))
            else:
                total, error = two_sum_rows(read(hi, v), read(lo, v), term)
                write(hi, v, total)
                write(lo, v, error)
    for v in range(n):
        by = fill(divisor[o, first + v] if divisor.shape[1] > 0 else 1.0)
        write(there, v, narrow(over(add(read(hi, v), read(lo, v)), by)))
        both = add(read(hi, other + v), read(lo, other + v))
        write(there, other + v, narrow(over(both, by)))


@inner_kernel
def _answer(first, n, row, step, o, n_signs, slots, last, layout, operators, errors, scratch):
    """All that is asked about eight lanes of one graph, whose vertices are row + v × step."""
    x_walk = layout.x_walk
    sign = scratch.sign
    counts = scratch.counts
    here = scratch.here
    there = scratch.there
    other = sign.shape[0]
    for s in range(n_signs):
        want = 0 if n_signs == 1 else s + 1
        if _wanted(slots, 0, SOURCE):
            at = 8 * SOURCE + 4 * s
            _summary(layout.x, row, step, n, n - counts[s], want, at, errors, scratch)
        if _wanted(slots, 0, CYCLE):
            _summary(layout.x, row, step, n, 0, want, 8 * CYCLE + 4 * s, errors, scratch)
        for d in range(1, slots.shape[0]):
            walk_type = SOURCE if n_signs == 1 else TARGET
            if _wanted(slots, d, walk_type):
                at = 8 * (4 * d + walk_type) + 4 * s
                _summary(operators.walked[o, d - 1], row, step, n, 0, want, at, errors, scratch)
            if _wanted(slots, d, CYCLE):
                for v in range(n):
                    factor = fill(np.float64(operators.diagonal[o, d - 1, first + v]))
                    write(here, v, narrow(times(factor, widen(read(x_walk, row + v * step)))))
                at = 8 * (4 * d + CYCLE) + 4 * s
                _summary(here, 0, 1, n, 0, want, at, errors, scratch)
    none = fill(np.float32(0.0))
    for v in range(n if last > 0 else 0):
        own = read(x_walk, row + v * step)
        write(here, v, own if sign[v] == 1 else none)
        write(here, other + v, own if sign[v] == 2 else none)
    for d in range(1, last + 1):
        _step(here, n, first, o, operators, errors, scratch, there)
        here, there = there, here
        for s in range(n_signs):
            if _wanted(slots, d, SOURCE):
                at = 8 * (4 * d + SOURCE) + 4 * s
                _summary(here, s * other, 1, n, 0, 0, at, errors, scratch)
            if _wanted(slots, d, TARGET_SOURCE):
                at = 8 * (4 * d + TARGET_SOURCE) + 4 * s
                _summary(here, s * other, 1, n, 0, s + 1, at, errors, scratch)


# ---- one graph ----------------------------------------------------------------------------------


@inner_kernel
def _column_at(place, s, n_signs, patterns):
    """(pattern, start) of a column in its block."""
    if n_signs > 1:
        return patterns.of_place[place], patterns.start[2 * place + s]
    return patterns.of_whole[place], patterns.whole_start[place]


@inner_kernel
def _put(slots, n_signs, first_lane, n_lanes, source, scratch, block):
    """Write every answer that is asked for to its column; INFINITY where the subset is empty."""
    answers = scratch.answers
    counts = scratch.counts
    position = source.layout.position
    patterns = source.patterns
    for d in range(slots.shape[0]):
        for walk_type in range(4):
            for aggregator in range(4):
                place = np.int64(slots[d, walk_type, aggregator])
                if place < 0:
                    continue
                for s in range(n_signs):
                    row = ((d * 4 + walk_type) * 2 + s) * 4 + aggregator
                    p, start = _column_at(place, s, n_signs, patterns)
                    for lane in range(n_lanes):
                        at = np.int64(position[p, first_lane + lane])
                        if at >= 0:
                            block[start + at] = INFINITY if counts[s] == 0 else answers[row, lane]


@inner_kernel
def make_graph(g, codes, n_signs, slots, source, careful, errors, scratch, block):
    """The answers of graph g to all questions of a plan.

    slots[operator, d, walk type, aggregator] is a question's place, or -1. n_signs 1 asks about
    whole graphs, 2 about the subsets in `codes`. `careful` is None for small whole numbers,
    `errors` where float64 adds all numbers exactly; None is a type of its own, so that only the
    way that is needed is compiled.
    """
    layout = source.layout
    operators = source.operators
    first = layout.vertex_ptr[g]
    n = layout.vertex_ptr[g + 1] - first
    sign = scratch.sign
    counts = scratch.counts
    counts[0] = 0 if n_signs > 1 else n
    counts[1] = 0
    if n_signs > 1:
        most = sign.shape[0]
        members = scratch.members
        for v in range(n):
            code = np.int64(codes[first + v])
            sign[v] = code
            # Branch-free: always write, advance only if the vertex is a member.
            members[counts[0]] = v
            members[most + counts[1]] = v
            counts[0] += code == 1
            counts[1] += code == 2
            scratch.part[v] = most * (code - 1 if code > 0 else 2)
    lanes = layout.n_valued[g]
    step = (lanes + WIDTH - 1) // WIDTH
    for o in range(slots.shape[0]):
        last = _longest_from_subset(slots[o]) if n_signs > 1 else 0
        for k in range(step):
            n_lanes = min(WIDTH, lanes - k * WIDTH)
            row = layout.first_row[g] + k
            if careful is None:
                _answer_plainly(
                    first, n, row, step, o, n_signs > 1, slots[o], last, layout, operators, scratch
                )
            else:
                _answer(
                    first, n, row, step, o, n_signs, slots[o], last, layout, operators, errors,
                    scratch,
                )  # fmt: skip
            first_lane = layout.lane_ptr[g] + k * WIDTH
            _put(slots[o], n_signs, first_lane, n_lanes, source, scratch, block)
    if layout.colour.shape[0] > 0:
        _put_colours(g, n, n_signs, slots[0], source, scratch, block)


@inner_kernel
def _count_colours(g, n, n_signs, layout, scratch):
    """How many vertices of each subset (or of the graph) have each colour of the graph."""
    found = scratch.n_of_colour
    first = layout.vertex_ptr[g]
    for lane in range(layout.n_valued[g], layout.lane_ptr[g + 1] - layout.lane_ptr[g]):
        found[lane, 0] = 0
        found[lane, 1] = 0
    for r in range(layout.colour.shape[0]):
        for v in range(n):
            lane = np.int64(layout.colour[r, first + v])
            code = np.int64(scratch.sign[v]) if n_signs > 1 else np.int64(1)
            if lane >= 0 and code > 0:
                found[lane, code - 1] += 1


@inner_kernel
def _put_colours(g, n, n_signs, slots, source, scratch, block):
    """Counts and shares of colours: the only questions about them, walk length 0, sum and mean."""
    layout = source.layout
    patterns = source.patterns
    counts = scratch.counts
    found = scratch.n_of_colour
    _count_colours(g, n, n_signs, layout, scratch)
    for walk_type in range(4):
        for aggregator in range(2):
            place = np.int64(slots[0, walk_type, aggregator])
            for s in range(n_signs if place >= 0 else 0):
                p, start = _column_at(place, s, n_signs, patterns)
                of = n if walk_type == SOURCE else counts[s]
                for lane in range(layout.n_valued[g], layout.lane_ptr[g + 1] - layout.lane_ptr[g]):
                    at = np.int64(layout.position[p, layout.lane_ptr[g] + lane])
                    if at >= 0:
                        value = np.float32(found[lane, s])
                        if aggregator == 1:
                            value = np.float32(found[lane, s] / max(1, of))
                        block[start + at] = INFINITY if counts[s] == 0 else value


# ---- one question -------------------------------------------------------------------------------


@inner_kernel
def lane_of(layout, g, feature):
    """The lane of a feature in one graph (lanes are sorted), or -1: it is 0 everywhere."""
    start = layout.lane_ptr[g]
    stop = layout.lane_ptr[g + 1]
    low = start
    high = stop
    while low < high:
        middle = (low + high) // 2
        if layout.lane_features[middle] < feature:
            low = middle + 1
        else:
            high = middle
    return low - start if low < stop and layout.lane_features[low] == feature else -1


@inner_kernel
def walk_lane(g, lane, o, d, walk_type, codes, want, layout, operators, scratch):
    """z = (A^d masked by the subset) f for one feature of one graph, to scratch.z.

    The subset is every v with codes[first + v] == want; `want` 0 means all vertices.
    """
    z = scratch.z
    spare = scratch.spare
    first = layout.vertex_ptr[g]
    n = layout.vertex_ptr[g + 1] - first
    if lane < 0:
        for v in range(n):
            z[v] = 0.0
        return
    step = (layout.n_valued[g] + WIDTH - 1) // WIDTH
    row = layout.first_row[g] + lane // WIDTH
    column = lane % WIDTH
    if lane >= layout.n_valued[g]:
        _mark_colour(lane, first, n, layout.colour, z)
    elif d == 0:
        for v in range(n):
            z[v] = layout.x[row + v * step, column]
    elif walk_type == CYCLE:
        for v in range(n):
            own = np.float64(layout.x_walk[row + v * step, column])
            z[v] = np.float32(np.float64(operators.diagonal[o, d - 1, first + v]) * own)
    elif want == 0 or walk_type == TARGET:
        walked = operators.walked
        for v in range(n):
            z[v] = walked[o, d - 1, row + v * step, column]
    else:
        for v in range(n):
            inside = codes[first + v] == want
            z[v] = layout.x_walk[row + v * step, column] if inside else np.float32(0.0)
        for _ in range(d):
            for v in range(n):
                spare[v] = z[v]
            _step_lane(n, first, o, operators, spare, z)
    if want != 0 and not (walk_type == SOURCE and d > 0):
        for v in range(n):
            if codes[first + v] != want:
                z[v] = 0.0


@inner_kernel
def _mark_colour(lane, first, n, colour, z):
    """z = 1 at the vertices of a colour."""
    for v in range(n):
        z[v] = 0.0
    for r in range(colour.shape[0]):
        for v in range(n):
            if colour[r, first + v] == lane:
                z[v] = 1.0


@inner_kernel
def _step_lane(n, first, o, operators, values, out):
    """One walk step of one feature, rounding errors carried along."""
    indptr = operators.indptr
    sources = operators.sources
    weights = operators.weights
    divisor = operators.divisor
    for v in range(n):
        hi = 0.0
        lo = 0.0
        for e in range(indptr[o, first + v], indptr[o, first + v + 1]):
            term = np.float64(weights[e]) * values[np.int64(sources[e])]
            hi, lo = two_sum(hi, lo, term)
        by = divisor[o, first + v] if divisor.shape[1] > 0 else 1.0
        out[v] = np.float32((hi + lo) / by)


@inner_kernel
def aggregate(g, walk_type, aggregator, codes, want, layout, z):
    """The answer of a graph from z at its vertices; NaN where nothing is left to aggregate."""
    first = layout.vertex_ptr[g]
    n = layout.vertex_ptr[g + 1] - first
    hi = 0.0
    lo = 0.0
    lowest = np.inf
    highest = -np.inf
    n_known = 0
    n_inside = 0
    for v in range(n):
        inside = want == 0 or codes[first + v] == want
        n_inside += inside
        value = np.float64(z[v])
        if (inside or walk_type == SOURCE) and value == value:
            hi, lo = two_sum(hi, lo, value)
            lowest = min(lowest, value)
            highest = max(highest, value)
            n_known += 1
    if n_known == 0 or n_inside == 0:
        return np.float32(np.nan)
    if aggregator == 0:
        return np.float32(hi + lo)
    if aggregator == 1:
        return np.float32((hi + lo) / n_known)
    return np.float32(lowest if aggregator == 2 else highest)
