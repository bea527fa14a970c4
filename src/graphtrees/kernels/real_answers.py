"""The answers of a graph of any numbers about eight lanes, some of them missing.

The layout is that of `plain_answers`. Sums are of float64. Where these are not exact by the nature
of the numbers, they carry their rounding errors along.
"""

from __future__ import annotations

import numpy as np

from graphtrees._layout import CYCLE, SOURCE, TARGET, TARGET_SOURCE
from graphtrees.kernels._jit import by_type, inner_kernel
from graphtrees.kernels._rows import (
    add,
    fill,
    fill_missing,
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
from graphtrees.kernels._sums import two_sum_rows
from graphtrees.kernels.growing_records import ExactGraphSource, GraphSource
from graphtrees.kernels.plain_answers import is_wanted


def _add_with_error(source, hi, lo, term):
    return two_sum_rows(hi, lo, term)


def _add_exactly(source, hi, lo, term):
    return add(hi, term), lo


_add_term = by_type({GraphSource: _add_with_error, ExactGraphSource: _add_exactly})


@inner_kernel
def _summary(source, values, row, step, n, n_zeros, want, at, scratch):
    """Sum, mean, smallest and largest of the vertices signed `want` (0: all) to answers[at:].

    `n_zeros` further vertices are 0. `lo` gathers what rounding took from `hi`.
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
        low = smaller(low, fill_missing(value, top))
        high = larger(high, fill_missing(value, bottom))
        term = widen(fill_missing(value, zeros))
        hi, lo = _add_term(source, hi, lo, term)
    whole = add(hi, lo)
    write(answers, at, where(count, narrow(whole), nothing))
    mean = narrow(over(whole, widen(where(count, count, fill(np.float32(1.0))))))
    write(answers, at + 1, where(count, mean, nothing))
    write(answers, at + 2, where(count, low, nothing))
    write(answers, at + 3, where(count, high, nothing))


@inner_kernel
def _step(source, here, n, first, o, scratch, there):
    """One more step of walks from both subsets.

    One vertex at a time, so that its sums stay in registers; sums in memory would make each
    addition wait for the last store.
    """
    operators = source.operators
    other = scratch.sign.shape[0]
    divisor = operators.divisor
    zero = fill(0.0)
    for v in range(n):
        high_one, low_one = zero, zero
        high_two, low_two = zero, zero
        for e in range(operators.indptr[o, first + v], operators.indptr[o, first + v + 1]):
            w = fill(np.float64(operators.weights[e]))
            u = np.int64(operators.sources[e])
            one = times(w, widen(read(here, u)))
            two = times(w, widen(read(here, other + u)))
            high_one, low_one = _add_term(source, high_one, low_one, one)
            high_two, low_two = _add_term(source, high_two, low_two, two)
        one = add(high_one, low_one)
        two = add(high_two, low_two)
        if divisor.shape[1] > 0:
            by = fill(divisor[o, first + v])
            one, two = over(one, by), over(two, by)
        write(there, v, narrow(one))
        write(there, other + v, narrow(two))


def answer_any(source, first, n, row, step, o, n_signs, places, last, scratch):
    """All that is asked about eight lanes of one graph, whose vertices are row + v × step."""
    layout = source.layout
    operators = source.operators
    x_walk = layout.x_walk
    sign = scratch.sign
    counts = scratch.counts
    here = scratch.here
    there = scratch.there
    other = sign.shape[0]
    for s in range(n_signs):
        want = 0 if n_signs == 1 else s + 1
        if is_wanted(places, 0, SOURCE):
            at = 8 * SOURCE + 4 * s
            _summary(source, layout.x, row, step, n, n - counts[s], want, at, scratch)
        if is_wanted(places, 0, CYCLE):
            _summary(source, layout.x, row, step, n, 0, want, 8 * CYCLE + 4 * s, scratch)
        for d in range(1, places.shape[0]):
            walk_type = SOURCE if n_signs == 1 else TARGET
            if is_wanted(places, d, walk_type):
                at = 8 * (4 * d + walk_type) + 4 * s
                _summary(source, operators.walked[o, d - 1], row, step, n, 0, want, at, scratch)
            if is_wanted(places, d, CYCLE):
                for v in range(n):
                    factor = fill(np.float64(operators.diagonal[o, d - 1, first + v]))
                    write(here, v, narrow(times(factor, widen(read(x_walk, row + v * step)))))
                at = 8 * (4 * d + CYCLE) + 4 * s
                _summary(source, here, 0, 1, n, 0, want, at, scratch)
    none = fill(np.float32(0.0))
    for v in range(n if last > 0 else 0):
        own = read(x_walk, row + v * step)
        write(here, v, own if sign[v] == 1 else none)
        write(here, other + v, own if sign[v] == 2 else none)
    for d in range(1, last + 1):
        _step(source, here, n, first, o, scratch, there)
        here, there = there, here
        for s in range(n_signs):
            if is_wanted(places, d, SOURCE):
                at = 8 * (4 * d + SOURCE) + 4 * s
                _summary(source, here, s * other, 1, n, 0, 0, at, scratch)
            if is_wanted(places, d, TARGET_SOURCE):
                at = 8 * (4 * d + TARGET_SOURCE) + 4 * s
                _summary(source, here, s * other, 1, n, 0, s + 1, at, scratch)
