"""The diagonal of A^d where A leads from edge to edge through the vertices between them.

Walks of half the length from an edge and into it are joined, as `diagonal` does for vertices, but
every step goes by way of endpoints: its cost is the number of edges it reaches, however many
pairs of them are neighbours.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import kernel


@kernel
def _into(
    n_found, found, hi, lo, first, indptr, indices, divisor, divide, m_hi, m_lo, m_place, m_found
):
    """Add up the weights of the edges found in the vertices they lead to; returns how many."""
    n = 0
    for f in range(n_found):
        k = found[f]
        term = hi[k] + lo[k]
        if divide and divisor.shape[0] > 0:
            term *= 1.0 / divisor[first + k]
        for e in range(indptr[first + k], indptr[first + k + 1]):
            m = np.int64(indices[e])
            if m_place[m] == 0:
                m_place[m] = 1
                m_hi[m] = 0.0
                m_lo[m] = 0.0
                m_found[n] = m
                n += 1
            total = m_hi[m] + term
            back = total - m_hi[m]
            m_lo[m] += (m_hi[m] - (total - back)) + (term - back)
            m_hi[m] = total
    return n


@kernel
def _spread(
    origin, steps, first, indptr, indices, m_first, m_indptr, m_indices, skips_itself, divisor,
    by_row, hi, lo, place, found, hi2, lo2, found2, m_hi, m_lo, m_place, m_found,
):  # fmt: skip
    """Weights of all walks of `steps` steps from `origin`; returns how many edges they reach.

    hi + lo holds the weight of an edge, `found` lists the edges reached.
    """
    n_found = 1
    found[0] = origin
    hi[origin] = 1.0
    lo[origin] = 0.0
    for _ in range(steps):
        n_endpoints = _into(
            n_found, found, hi, lo, first, indptr, indices, divisor, by_row, m_hi, m_lo, m_place,
            m_found,
        )  # fmt: skip
        n_next = 0
        for i in range(n_endpoints):
            m = m_found[i]
            m_place[m] = 0
            for e in range(m_indptr[m_first + m], m_indptr[m_first + m + 1]):
                u = np.int64(m_indices[e])
                if place[u] == 0:
                    place[u] = 1
                    hi2[u] = 0.0
                    lo2[u] = 0.0
                    found2[n_next] = u
                    n_next += 1
                total = hi2[u] + m_hi[m]
                back = total - hi2[u]
                lo2[u] += (hi2[u] - (total - back)) + (m_hi[m] - back) + m_lo[m]
                hi2[u] = total
        for f in range(n_found if skips_itself else 0):
            k = found[f]
            term = hi[k] + lo[k]
            if by_row and divisor.shape[0] > 0:
                term *= 1.0 / divisor[first + k]
            term *= -np.float64(indptr[first + k + 1] - indptr[first + k])
            total = hi2[k] + term
            back = total - hi2[k]
            lo2[k] += (hi2[k] - (total - back)) + (term - back)
            hi2[k] = total
        for f in range(n_next):
            u = found2[f]
            found[f] = u
            place[u] = 0
            hi[u] = hi2[u]
            lo[u] = lo2[u]
            if not by_row and divisor.shape[0] > 0:
                hi[u] = (hi2[u] + lo2[u]) * (1.0 / divisor[first + u])
                lo[u] = 0.0
        n_found = n_next
    return n_found


@kernel
def closed_walks_of_edges(
    edges, graph_of, vertex_ptr, endpoint_ptr, indptr, indices, into_indptr, into_sources,
    t_indptr, t_indices, t_into_indptr, t_into_sources, skips_itself, divisor, length, out,
):  # fmt: skip
    """out[e] = (A^length)[e, e] for length 1 or more; `t_*` is the same of the transpose of A."""
    most = 1
    most_middle = 1
    for g in range(vertex_ptr.shape[0] - 1):
        most = max(most, vertex_ptr[g + 1] - vertex_ptr[g])
        most_middle = max(most_middle, endpoint_ptr[g + 1] - endpoint_ptr[g])
    row_hi = np.empty(most, np.float64)
    row_lo = np.empty(most, np.float64)
    col_hi = np.empty(most, np.float64)
    col_lo = np.empty(most, np.float64)
    next_hi = np.empty(most, np.float64)
    next_lo = np.empty(most, np.float64)
    place = np.zeros(most, np.uint8)
    row_found = np.empty(most, np.int64)
    col_found = np.empty(most, np.int64)
    next_found = np.empty(most, np.int64)
    m_hi = np.empty(most_middle, np.float64)
    m_lo = np.empty(most_middle, np.float64)
    m_place = np.zeros(most_middle, np.uint8)
    m_found = np.empty(most_middle, np.int64)
    before = length // 2  # walks joined: `before` steps along rows, one step, the rest down columns
    after = length - 1 - before
    for i in range(edges.shape[0]):
        g = graph_of[edges[i]]
        first = vertex_ptr[g]
        m_first = endpoint_ptr[g]
        origin = edges[i] - first
        n_row = _spread(
            origin, before, first, indptr, indices, m_first, into_indptr, into_sources,
            skips_itself, divisor, True, row_hi, row_lo, place, row_found, next_hi, next_lo,
            next_found, m_hi, m_lo, m_place, m_found,
        )  # fmt: skip
        n_col = _spread(
            origin, after, first, t_indptr, t_indices, m_first, t_into_indptr, t_into_sources,
            skips_itself, divisor, False, col_hi, col_lo, place, col_found, next_hi, next_lo,
            next_found, m_hi, m_lo, m_place, m_found,
        )  # fmt: skip
        n_endpoints = _into(
            n_row, row_found, row_hi, row_lo, first, indptr, indices, divisor, True, m_hi, m_lo,
            m_place, m_found,
        )  # fmt: skip
        for f in range(n_row):
            place[row_found[f]] = 1
        hi = 0.0
        lo = 0.0
        for f in range(n_col):
            u = col_found[f]
            sum_hi = 0.0
            sum_lo = 0.0
            for e in range(t_indptr[first + u], t_indptr[first + u + 1]):
                m = np.int64(t_indices[e])
                if m_place[m] == 0:
                    continue
                total = sum_hi + m_hi[m]
                back = total - sum_hi
                sum_lo += (sum_hi - (total - back)) + (m_hi[m] - back) + m_lo[m]
                sum_hi = total
            if skips_itself and place[u] == 1:
                term = row_hi[u] + row_lo[u]
                if divisor.shape[0] > 0:
                    term *= 1.0 / divisor[first + u]
                term *= -np.float64(indptr[first + u + 1] - indptr[first + u])
                total = sum_hi + term
                back = total - sum_hi
                sum_lo += (sum_hi - (total - back)) + (term - back)
                sum_hi = total
            term = (sum_hi + sum_lo) * (col_hi[u] + col_lo[u])
            total = hi + term
            back = total - hi
            lo += (hi - (total - back)) + (term - back)
            hi = total
        for f in range(n_row):
            place[row_found[f]] = 0
        for i_middle in range(n_endpoints):
            m_place[m_found[i_middle]] = 0
        out[edges[i]] = np.float32(hi + lo)
