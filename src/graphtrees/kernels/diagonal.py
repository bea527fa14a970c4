"""The diagonal of A^d: how many (weighted) walks of length d come back to where they started."""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import inner_kernel, kernel
from graphtrees.kernels._sums import two_sum


@inner_kernel
def _find(indices, start, stop, wanted):
    """The place of `wanted` in the sorted stretch of indices, or -1."""
    while start < stop:
        middle = (start + stop) // 2
        if indices[middle] < wanted:
            start = middle + 1
        else:
            stop = middle
    return start


@inner_kernel
def _spread(origin, steps, first, matrix, divisor, by_row, reached, place, following):
    """Weights of all walks of `steps` steps from `origin`; returns how many vertices they reach.

    matrix = (indptr, indices, weights), reached = (hi, lo, members): hi + lo holds the weight at a
    vertex, `members` lists the vertices reached, `place` marks them; following = (hi, lo).
    """
    indptr, indices, weights = matrix
    hi, lo, members = reached
    hi2, lo2 = following
    n_members = 1
    members[0] = origin
    hi[origin] = 1.0
    lo[origin] = 0.0
    for _ in range(steps):
        n_next = n_members
        for f in range(n_members):
            k = np.int64(members[f])
            weight = hi[k] + lo[k]
            for e in range(indptr[first + k], indptr[first + k + 1]):
                v = np.int64(indices[e])
                over = 1.0
                if divisor.shape[0] > 0:
                    over = divisor[first + k] if by_row else divisor[first + v]
                if place[v] == 0:
                    place[v] = 1
                    hi2[v] = 0.0
                    lo2[v] = 0.0
                    members[n_next] = v
                    n_next += 1
                term = weight * (np.float64(weights[e]) / over)
                hi2[v], lo2[v] = two_sum(hi2[v], lo2[v], term)
        for f in range(n_members, n_next):
            v = np.int64(members[f])
            members[f - n_members] = members[f]
            place[v] = 0
            hi[v] = hi2[v]
            lo[v] = lo2[v]
        n_members = n_next - n_members
    return n_members


@kernel
def closed_walks(
    graphs, vertex_ptr, indptr, indices, weights, divisor, t_indptr, t_indices, t_weights,
    length, out,
):  # fmt: skip
    """out[v] = (A^length)[v, v], joining the walks from v with the walks into v half way.

    `t_*` is the transpose. Where a hub meets a vertex of few neighbours, the few are looked up in
    the hub's sorted row, so a star costs as much as its edges.
    """
    most = 1
    for i in range(graphs.shape[0]):
        most = max(most, vertex_ptr[graphs[i] + 1] - vertex_ptr[graphs[i]])
    row_hi = np.empty(most, np.float64)
    row_lo = np.empty(most, np.float64)
    col_hi = np.empty(most, np.float64)
    col_lo = np.empty(most, np.float64)
    next_hi = np.empty(most, np.float64)
    next_lo = np.empty(most, np.float64)
    row_found = np.empty(2 * most, np.int64)
    col_found = np.empty(2 * most, np.int64)
    place = np.zeros(most, np.uint8)
    before = length // 2  # walks joined: `before` steps along rows, one step, the rest down columns
    after = length - 1 - before
    for i in range(graphs.shape[0]):
        first = vertex_ptr[graphs[i]]
        n = vertex_ptr[graphs[i] + 1] - first
        for v in range(n):
            n_row = _spread(
                v, before, first, (indptr, indices, weights), divisor, True,
                (row_hi, row_lo, row_found), place, (next_hi, next_lo),
            )  # fmt: skip
            n_col = _spread(
                v, after, first, (t_indptr, t_indices, t_weights), divisor, False,
                (col_hi, col_lo, col_found), place, (next_hi, next_lo),
            )  # fmt: skip
            for f in range(n_col):
                place[col_found[f]] = 1
            hi = 0.0
            lo = 0.0
            for f in range(n_row):
                k = row_found[f]
                start = indptr[first + k]
                stop = indptr[first + k + 1]
                over = divisor[first + k] if divisor.shape[0] > 0 else 1.0
                weight = row_hi[k] + row_lo[k]
                few = n_col * 16 < stop - start
                for j in range(n_col if few else stop - start):
                    if few:
                        u = col_found[j]
                        e = _find(indices, start, stop, u)
                        if e == stop or indices[e] != u:
                            continue
                    else:
                        e = start + j
                        u = np.int64(indices[e])
                        if place[u] == 0:
                            continue
                    term = weight * (np.float64(weights[e]) / over) * (col_hi[u] + col_lo[u])
                    hi, lo = two_sum(hi, lo, term)
            for f in range(n_col):
                place[col_found[f]] = 0
            out[first + v] = np.float32(hi + lo)
