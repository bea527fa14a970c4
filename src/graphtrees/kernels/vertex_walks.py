"""Walks that end in some vertices: where they pass, and one feature carried along them."""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import inlined_kernel, inner_kernel
from graphtrees.kernels._sums import two_sum

EVERYWHERE = -1

# Listing where walks pass is worth its while for less than this share of all vertices.
LISTED_SHARE = 4


@inner_kernel
def _sources_of(vertices, n, indptr, sources, mark, stamp, n_listed, out):
    """List the sources of some rows at out[n_listed:], each once; returns how many are listed."""
    for i in range(n):
        v = np.int64(vertices[i])
        for e in range(indptr[v], indptr[v + 1]):
            u = np.int64(sources[e])
            if mark[u] != stamp:
                mark[u] = stamp
                out[n_listed] = u
                n_listed += 1
    return n_listed


@inner_kernel
def _new_stamp(stages):
    stages.stamp[0] += 1
    return stages.stamp[0]


@inner_kernel
def list_stages(rows, start, n, o, last, layout, operators, stages):
    """Fill in `stages` for walks of `last` steps that end in the vertices of some examples.

    stages.vertices[d - 1] is where they are after step d, stages.ends[d - 1] the endpoints passed
    in step d.
    """
    n_all = layout.row_ptr.shape[1] - 1
    if n * LISTED_SHARE >= n_all:
        for d in range(last):
            stages.n_vertices[d] = EVERYWHERE
            stages.n_ends[d] = EVERYWHERE
        return
    stamp = _new_stamp(stages)
    n_here = 0
    here = stages.vertices[last - 1]
    for i in range(n):
        v = layout.vertex[rows[start + i]]
        if stages.mark[v] != stamp:
            stages.mark[v] = stamp
            here[n_here] = v
            n_here += 1
    stages.n_vertices[last - 1] = n_here
    for d in range(last - 1, -1, -1):
        here = stages.vertices[d]
        n_here = stages.n_vertices[d]
        if operators.has_endpoints:
            stages.n_ends[d] = _sources_of(
                here, n_here, operators.indptr[o], operators.sources, stages.end_mark,
                _new_stamp(stages), 0, stages.ends[d],
            )  # fmt: skip
        if d == 0:
            break
        stamp = _new_stamp(stages)
        before = stages.vertices[d - 1]
        for i in range(n_here):  # shorter walks end there, and an edge is taken out of its own sum
            before[i] = here[i]
            stages.mark[np.int64(here[i])] = stamp
        if operators.has_endpoints:
            stages.n_vertices[d - 1] = _sources_of(
                stages.ends[d], stages.n_ends[d], operators.into_indptr[o], operators.into_sources,
                stages.mark, stamp, n_here, before,
            )  # fmt: skip
        else:
            stages.n_vertices[d - 1] = _sources_of(
                here, n_here, operators.indptr[o], operators.sources, stages.mark, stamp, n_here,
                before,
            )  # fmt: skip


# ---- one feature --------------------------------------------------------------------------------


@inlined_kernel
def carried(value):
    """What a walk carries of a value: a missing one adds nothing."""
    return value if value == value else np.float32(0.0)


@inner_kernel
def value_of(v, f, layout):
    """The value of one feature at a vertex."""
    values = layout.x
    if layout.is_full:
        return values[v * layout.n_features + f]
    low = layout.row_ptr[0, v]
    high = layout.row_ptr[0, v + 1]
    stop = high
    while low < high:
        middle = (low + high) // 2
        if layout.row_feature[middle] < f:
            low = middle + 1
        else:
            high = middle
    if low < stop and layout.row_feature[low] == f:
        return values[low]
    return np.float32(0.0)


@inner_kernel
def own_value(v, f, o, d, layout, operators):
    """The answer without a walk (d = 0), or of closed walks."""
    if d == 0:
        return value_of(v, f, layout)
    own = np.float64(carried(value_of(v, f, layout)))
    return np.float32(np.float64(operators.diagonal[o, d - 1, v]) * own)


@inlined_kernel
def masked_value(v, f, codes, want, layout):
    """What walks carry away from a vertex: nothing from outside the subset (`want` 0: all)."""
    if want != 0 and codes[v] != want:
        return np.float32(0.0)
    return carried(value_of(v, f, layout))


@inner_kernel
def gather_lane(m, o, f, first, codes, want, source, before, room):
    """Sum at an endpoint what enters it; before the first step that is the masked feature."""
    operators = source.operators
    hi = 0.0
    lo = 0.0
    for e in range(operators.into_indptr[o, m], operators.into_indptr[o, m + 1]):
        u = np.int64(operators.into_sources[e])
        value = masked_value(u, f, codes, want, source.layout) if first else before[u]
        hi, lo = two_sum(hi, lo, np.float64(value))
    room.end_high[m] = hi
    room.end_low[m] = lo


@inner_kernel
def step_lane(v, o, f, first, codes, want, source, before, room):
    """One number of A z; before the first step z is the masked feature."""
    operators = source.operators
    hi = 0.0
    lo = 0.0
    start = operators.indptr[o, v]
    stop = operators.indptr[o, v + 1]
    if operators.has_endpoints:
        for e in range(start, stop):
            m = np.int64(operators.sources[e])
            hi, lo = two_sum(hi, lo, room.end_high[m])
            lo += room.end_low[m]
        if operators.skips_itself:
            own = masked_value(v, f, codes, want, source.layout) if first else before[v]
            hi, lo = two_sum(hi, lo, -np.float64(stop - start) * np.float64(own))
    else:
        for e in range(start, stop):
            u = np.int64(operators.sources[e])
            value = masked_value(u, f, codes, want, source.layout) if first else before[u]
            hi, lo = two_sum(hi, lo, np.float64(operators.weights[e]) * np.float64(value))
    by = operators.divisor[o, v] if operators.divisor.shape[1] > 0 else 1.0
    return np.float32((hi + lo) / by)


@inner_kernel
def walk_alone(rows, start, n, o, d, f, codes, want, source, scratch):
    """A^d (1_S f) at the vertices of some examples, d > 0, by one thread; to own_lane.z or spare.

    After an even number of steps to `z`, after an odd one to `spare`.
    """
    operators = source.operators
    stages = scratch.own_stages
    room = scratch.own_lane
    list_stages(rows, start, n, o, d, source.layout, operators, stages)
    n_all = source.layout.row_ptr.shape[1] - 1
    n_all_ends = operators.into_indptr.shape[1] - 1
    before = room.z
    after = room.spare
    for step in range(d):
        if operators.has_endpoints:
            listed = stages.n_ends[step]
            for i in range(n_all_ends if listed == EVERYWHERE else listed):
                m = i if listed == EVERYWHERE else np.int64(stages.ends[step, i])
                gather_lane(m, o, f, step == 0, codes, want, source, before, room)
        listed = stages.n_vertices[step]
        for i in range(n_all if listed == EVERYWHERE else listed):
            v = i if listed == EVERYWHERE else np.int64(stages.vertices[step, i])
            after[v] = step_lane(v, o, f, step == 0, codes, want, source, before, room)
        before, after = after, before
