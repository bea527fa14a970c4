"""One question to one graph about one feature, as a split is applied."""

from __future__ import annotations

import numpy as np

from graphtrees._layout import CYCLE, SOURCE, TARGET
from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels._rows import WIDTH
from graphtrees.kernels._sums import two_sum


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
