"""The diagonal of A^d where A leads from edge to edge by way of the endpoints that they share.

Walks of half the length from an edge and into it are joined, as `diagonal` does for vertices, but
every step goes by way of endpoints: its cost is the number of edges it reaches, however many
pairs of them are neighbours.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphtrees.kernels._jit import inner_kernel, kernel
from graphtrees.kernels._sums import two_sum
from graphtrees.kernels.reached import add_to


class Steps(NamedTuple):
    """Edge e leads to endpoints[indptr[e]:...], endpoint m to edges[into_indptr[m]:...].

    Both are numbered within their graph.
    """

    indptr: Any
    endpoints: Any
    into_indptr: Any
    edges: Any


@inner_kernel
def _weight_of(k, reached, first, divisor, divide):
    weight = reached.hi[k] + reached.lo[k]
    if divide and divisor.shape[0] > 0:
        weight *= 1.0 / divisor[first + k]
    return weight


@inner_kernel
def _to_endpoints(n_edges, edges, first, steps, divisor, divide, ends):
    """Add up the weights of edges at the endpoints they lead to; returns how many."""
    n = 0
    for f in range(n_edges):
        k = edges.members[f]
        weight = _weight_of(k, edges, first, divisor, divide)
        for e in range(steps.indptr[first + k], steps.indptr[first + k + 1]):
            n = add_to(ends, n, np.int64(steps.endpoints[e]), weight)
    return n


@inner_kernel
def _to_edges(n_ends, ends, end_first, steps, edges):
    """Hand what arrived at endpoints on to the edges they lead to; returns how many."""
    n = 0
    for i in range(n_ends):
        m = ends.members[i]
        ends.is_in[m] = 0
        for e in range(steps.into_indptr[end_first + m], steps.into_indptr[end_first + m + 1]):
            u = np.int64(steps.edges[e])
            n = add_to(edges, n, u, ends.hi[m])
            edges.lo[u] += ends.lo[m]
    return n


@inner_kernel
def _spread(origin, n_steps, starts, steps, skips_itself, divisor, by_row, here, after, ends):
    """Weights of all walks of so many steps from `origin`; returns how many edges they reach.

    starts = (first edge, first endpoint) of the graph. No edge of `here` stays marked.
    """
    first, end_first = starts
    n = 1
    here.members[0] = origin
    here.hi[origin] = 1.0
    here.lo[origin] = 0.0
    for _ in range(n_steps):
        n_ends = _to_endpoints(n, here, first, steps, divisor, by_row, ends)
        n_after = _to_edges(n_ends, ends, end_first, steps, after)
        for f in range(n if skips_itself else 0):
            k = here.members[f]
            n_shared = np.float64(steps.indptr[first + k + 1] - steps.indptr[first + k])
            weight = _weight_of(k, here, first, divisor, by_row)
            after.hi[k], after.lo[k] = two_sum(after.hi[k], after.lo[k], -n_shared * weight)
        for f in range(n_after):
            u = after.members[f]
            after.is_in[u] = 0
            here.members[f] = u
            here.hi[u] = after.hi[u]
            here.lo[u] = after.lo[u]
            if not by_row and divisor.shape[0] > 0:
                here.hi[u] = _weight_of(u, after, first, divisor, True)
                here.lo[u] = 0.0
        n = n_after
    return n


@inner_kernel
def _joined(n_row, row, n_col, col, n_ends, ends, first, steps, turned, skips_itself, divisor):
    """The summed weight of all walks whose halves meet: one more step from a row to a column."""
    for f in range(n_row):
        row.is_in[row.members[f]] = 1
    hi = 0.0
    lo = 0.0
    for f in range(n_col):
        u = col.members[f]
        sum_hi = 0.0
        sum_lo = 0.0
        for e in range(turned.indptr[first + u], turned.indptr[first + u + 1]):
            m = np.int64(turned.endpoints[e])
            if ends.is_in[m] != 0:
                sum_hi, sum_lo = two_sum(sum_hi, sum_lo, ends.hi[m])
                sum_lo += ends.lo[m]
        if skips_itself and row.is_in[u] != 0:
            n_shared = np.float64(steps.indptr[first + u + 1] - steps.indptr[first + u])
            weight = _weight_of(u, row, first, divisor, True)
            sum_hi, sum_lo = two_sum(sum_hi, sum_lo, -n_shared * weight)
        hi, lo = two_sum(hi, lo, (sum_hi + sum_lo) * (col.hi[u] + col.lo[u]))
    for f in range(n_row):
        row.is_in[row.members[f]] = 0
    for i in range(n_ends):
        ends.is_in[ends.members[i]] = 0
    return hi + lo


@kernel
def closed_walks_of_edges(
    edges, graph_of, vertex_ptr, endpoint_ptr, steps, turned, skips_itself, divisor, length, room,
    out,
):  # fmt: skip
    """out[e] = (A^length)[e, e] for length 1 or more; `turned` are the steps of the transpose of A.

    room = four `Reached`: rows, columns and the next step for all edges of a graph, and endpoints.
    """
    row, col, after, ends = room
    before = length // 2  # walks joined: `before` steps along rows, one step, the rest down columns
    for i in range(edges.shape[0]):
        g = graph_of[edges[i]]
        first = vertex_ptr[g]
        starts = (first, endpoint_ptr[g])
        origin = edges[i] - first
        n_row = _spread(
            origin, before, starts, steps, skips_itself, divisor, True, row, after, ends
        )
        n_col = _spread(
            origin, length - 1 - before, starts, turned, skips_itself, divisor, False, col, after,
            ends,
        )  # fmt: skip
        n_ends = _to_endpoints(n_row, row, first, steps, divisor, True, ends)
        total = _joined(
            n_row, row, n_col, col, n_ends, ends, first, steps, turned, skips_itself, divisor
        )
        out[edges[i]] = np.float32(total)
