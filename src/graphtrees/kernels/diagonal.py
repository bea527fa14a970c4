"""The diagonal of A^d: how many (weighted) walks of length d come back to where they started."""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import inner_kernel, kernel
from graphtrees.kernels._sums import two_sum
from graphtrees.kernels.reached import add_to


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
def _spread(origin, steps, first, matrix, divisor, by_row, reached, following):
    """Weights of all walks of `steps` steps from `origin`; returns how many vertices they reach.

    matrix = (indptr, indices, weights). What is reached after one step more is gathered in
    `following`.
    """
    indptr, indices, weights = matrix
    n_members = 1
    reached.members[0] = origin
    reached.hi[origin] = 1.0
    reached.lo[origin] = 0.0
    for _ in range(steps):
        n_next = 0
        for f in range(n_members):
            k = reached.members[f]
            weight = reached.hi[k] + reached.lo[k]
            for e in range(indptr[first + k], indptr[first + k + 1]):
                v = np.int64(indices[e])
                over = 1.0
                if divisor.shape[0] > 0:
                    over = divisor[first + k] if by_row else divisor[first + v]
                n_next = add_to(following, n_next, v, weight * (np.float64(weights[e]) / over))
        for f in range(n_next):
            v = following.members[f]
            following.is_in[v] = 0
            reached.members[f] = v
            reached.hi[v] = following.hi[v]
            reached.lo[v] = following.lo[v]
        n_members = n_next
    return n_members


@kernel
def closed_walks(
    graphs, vertex_ptr, indptr, indices, weights, divisor, t_indptr, t_indices, t_weights,
    length, room, out,
):  # fmt: skip
    """out[v] = (A^length)[v, v], joining the walks from v with the walks into v half way.

    `t_*` is the transpose; room: three `Reached`, as large as the largest graph. Where a hub meets
    a vertex of few neighbours, the few are looked up in the hub's sorted row, so a star costs as
    much as its edges.
    """
    row, column, following = room
    before = length // 2  # walks joined: `before` steps along rows, one step, the rest down columns
    after = length - 1 - before
    for i in range(graphs.shape[0]):
        first = vertex_ptr[graphs[i]]
        n = vertex_ptr[graphs[i] + 1] - first
        for v in range(n):
            n_row = _spread(
                v, before, first, (indptr, indices, weights), divisor, True, row, following
            )
            n_column = _spread(
                v, after, first, (t_indptr, t_indices, t_weights), divisor, False, column, following
            )
            for f in range(n_column):
                column.is_in[column.members[f]] = 1
            hi = 0.0
            lo = 0.0
            for f in range(n_row):
                k = row.members[f]
                start = indptr[first + k]
                stop = indptr[first + k + 1]
                over = divisor[first + k] if divisor.shape[0] > 0 else 1.0
                weight = row.hi[k] + row.lo[k]
                few = n_column * 16 < stop - start
                for j in range(n_column if few else stop - start):
                    if few:
                        u = column.members[j]
                        e = _find(indices, start, stop, u)
                        if e == stop or indices[e] != u:
                            continue
                    else:
                        e = start + j
                        u = np.int64(indices[e])
                        if column.is_in[u] == 0:
                            continue
                    term = weight * (np.float64(weights[e]) / over) * (column.hi[u] + column.lo[u])
                    hi, lo = two_sum(hi, lo, term)
            for f in range(n_column):
                column.is_in[column.members[f]] = 0
            out[first + v] = np.float32(hi + lo)
