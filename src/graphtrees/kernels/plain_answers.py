"""The answers of a graph of small whole numbers about eight lanes: float32 adds these exactly.

Vertex values lie in rows of eight lanes, `step` rows for each vertex, and go eight at a time.
Answers go to rows ((walk length × 4 + walk type) × 2 + sign) × 4 + aggregator of the scratch.
"""

from __future__ import annotations

import numpy as np

from graphtrees._layout import CYCLE, SOURCE, TARGET, TARGET_SOURCE
from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels._rows import add, fill, larger, over, read, smaller, times, write


@inner_kernel
def is_wanted(places, d, walk_type):
    """Whether any aggregator is asked for."""
    asked = False
    for aggregator in range(4):
        asked = asked or places[d, walk_type, aggregator] >= 0
    return asked


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
    mispredicted exits. Walks from outside the subsets go to a third part that is not read.
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


def answer_plainly(source, first, n, row, step, o, n_signs, places, last, scratch):
    """All that is asked about eight lanes of one graph, whose vertices are row + v × step."""
    layout = source.layout
    operators = source.operators
    masked = n_signs > 1
    x = layout.x
    answers = scratch.answers
    here = scratch.here
    there = scratch.there
    other = scratch.sign.shape[0]
    if is_wanted(places, 0, SOURCE) or is_wanted(places, 0, CYCLE):
        if masked:
            _sum_up(x, row, step, n, scratch, True, 8 * CYCLE)
            _include_others(n, scratch, 8 * CYCLE, 8 * SOURCE)
        else:
            _sum_up(x, row, step, n, scratch, False, 8 * SOURCE)
    for d in range(1, places.shape[0]):
        walk_type = TARGET if masked else SOURCE
        if is_wanted(places, d, walk_type):
            reached = operators.walked[o, d - 1]
            _sum_up(reached, row, step, n, scratch, masked, 8 * (4 * d + walk_type))
        if is_wanted(places, d, CYCLE):
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
        if is_wanted(places, d, SOURCE):
            _sum_all(here, 0, 1, n, answers, 8 * (4 * d + SOURCE))
            _sum_all(here, other, 1, n, answers, 8 * (4 * d + SOURCE) + 4)
        if is_wanted(places, d, TARGET_SOURCE):
            _sum_members(here, 0, 1, 0, scratch, 8 * (4 * d + TARGET_SOURCE))
            _sum_members(here, other, 1, 1, scratch, 8 * (4 * d + TARGET_SOURCE) + 4)
