"""Walks that come back to where they started: the diagonal of A^length."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from graphtrees._layout import OFFSET, VALUE, VERTEX
from graphtrees._threads import Workers
from graphtrees.columns import closed_edges
from graphtrees.graphs.flat import spread
from graphtrees.kernels import diagonal
from graphtrees.kernels.reached import room_for
from graphtrees.questions.operators import Operator

# Waking a thread takes as long as the walks of so many vertices.
VERTICES_A_THREAD = 256


def closed_walks(op: Operator, vertex_ptr: np.ndarray, length: int, workers: Workers) -> np.ndarray:
    """For every vertex; threads have a stretch of the graphs each."""
    if op.has_endpoints:
        graph_of = spread(np.arange(len(vertex_ptr) - 1), vertex_ptr)
        return closed_edges.closed_walks(op, vertex_ptr, graph_of, length, workers)
    out = np.zeros(vertex_ptr[-1], VALUE)

    def close(start: int, stop: int) -> None:
        first, last = int(vertex_ptr[start]), int(vertex_ptr[stop])
        ptr = vertex_ptr[start : stop + 1] - first
        some = op.between(first, last)
        # Up to two steps nothing is read from the transpose.
        turned = some if length < 3 else _transposed(some, ptr)
        largest = int(np.diff(ptr).max(initial=1))
        diagonal.closed_walks(
            np.arange(stop - start), ptr, *some.rows, some.divisor, *turned.rows, length,
            tuple(room_for(largest) for _ in range(3)), out[first:last],
        )  # fmt: skip

    workers.each(close, workers.stretches(vertex_ptr, VERTICES_A_THREAD))
    return out


def _transposed(op: Operator, vertex_ptr: np.ndarray) -> Operator:
    n = int(vertex_ptr[-1])
    first = spread(vertex_ptr[:-1], vertex_ptr)
    indices = op.indices + spread(first, op.indptr)
    turned = sparse.csr_array(sparse.csr_array((op.weights, indices, op.indptr), shape=(n, n)).T)
    turned.sort_indices()
    return Operator(
        op.name,
        turned.indptr.astype(OFFSET),
        (turned.indices - spread(first, turned.indptr)).astype(VERTEX),
        turned.data.astype(VALUE),
        op.divisor,
    )
