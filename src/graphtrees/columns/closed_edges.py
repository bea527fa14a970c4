"""How many walks lead from an edge back to itself."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from graphtrees._layout import VALUE
from graphtrees._threads import Workers
from graphtrees.kernels import closed_edges, endpoints
from graphtrees.kernels.closed_edges import Steps
from graphtrees.kernels.reached import room_for
from graphtrees.questions.edge_steps import join
from graphtrees.questions.operators import Operator


def closed_walks(
    op: Operator, vertex_ptr: np.ndarray, graph_of: np.ndarray, length: int, workers: Workers
) -> np.ndarray:
    """The diagonal of A^length of an operator with endpoints.

    Up to length 2 it takes as long as there are edges; beyond, for every edge as long as there are
    edges within half the length of it.
    """
    out, into = _factors(op, vertex_ptr)
    if length == 1:
        # An edge follows itself where it enters the vertex it leaves.
        itself = np.zeros(len(graph_of))
        if not op.endpoints.skips_itself:
            itself += (out * sparse.csr_array(into.T)).sum(axis=1)
        return _divided(op, itself).astype(VALUE)
    if length == 2:
        return _there_and_back(op, out, into, workers)
    turned = join(
        sparse.csr_array(into.T), sparse.csr_array(out.T), vertex_ptr, op.endpoints.ptr,
        op.endpoints.skips_itself,
    )  # fmt: skip
    closed = np.zeros(len(graph_of), VALUE)
    steps = [
        Steps(one.indptr, one.indices, one.endpoints.indptr, one.endpoints.indices)
        for one in (op, turned)
    ]
    sizes = [int(np.diff(ptr).max(initial=1)) for ptr in (vertex_ptr, op.endpoints.ptr)]
    workers.each(
        lambda start, stop: closed_edges.closed_walks_of_edges(
            np.arange(start, stop), graph_of, vertex_ptr, op.endpoints.ptr, *steps,
            op.endpoints.skips_itself, op.divisor, length,
            (*(room_for(sizes[0]) for _ in range(3)), room_for(sizes[1])), closed,
        ),
        workers.spans(len(graph_of), at_least=256),
    )  # fmt: skip
    return closed


def _factors(op: Operator, vertex_ptr: np.ndarray) -> tuple[sparse.csr_array, sparse.csr_array]:
    """(edges, endpoints) and (endpoints, edges): A is their product."""
    ptr, into_indptr, into_sources, _ = op.endpoints.parts
    shape = int(vertex_ptr[-1]), int(ptr[-1])
    out = _global(op.indptr, op.indices, vertex_ptr, ptr, shape)
    return out, _global(into_indptr, into_sources, ptr, vertex_ptr, shape[::-1])


def _global(indptr, indices, row_ptr, column_ptr, shape) -> sparse.csr_array:
    first = np.repeat(np.repeat(column_ptr[:-1], np.diff(row_ptr)), np.diff(indptr))
    return sparse.csr_array((np.ones(len(indices)), indices + first, indptr), shape=shape)


def _divided(op: Operator, values: np.ndarray) -> np.ndarray:
    return values / op.divisor if len(op.divisor) else values


def _there_and_back(
    op: Operator, out: sparse.csr_array, into: sparse.csr_array, workers: Workers
) -> np.ndarray:
    """The row sums of P, P[e, f] = A[e, f] A[f, e], which has endpoints too.

    Walked both ways, edges that share one end meet there; those that share both make 2 · 2 walks,
    and meet at both ends and at two vertices of their own. In a directed graph an edge from u to v
    meets those from v to u, at one vertex for every such pair.
    """
    n, n_endpoints = out.shape
    if op.endpoints.skips_itself:
        joined = np.flatnonzero(np.diff(out.indptr) == 2)
        ends = np.sort(out.indices[out.indptr[joined][:, None] + [0, 1]], axis=1)
        number = np.unique(ends[:, 0] * n_endpoints + ends[:, 1], return_inverse=True)[1]
        shape = n, int(number.max(initial=-1)) + 1
        parallel = sparse.csr_array((np.ones(len(joined)), (joined, number)), shape=shape)
        out = sparse.csr_array(sparse.hstack([out, parallel, parallel]))
        into = sparse.csr_array(out.T)
    else:
        left, entered = out.indices.astype(np.int64), sparse.csr_array(into.T).indices
        keys, number = np.unique(left * n_endpoints + entered, return_inverse=True)
        back = entered * np.int64(n_endpoints) + left
        place = np.minimum(np.searchsorted(keys, back), max(len(keys) - 1, 0))
        meets = np.flatnonzero(keys[place] == back) if len(keys) else place
        edges = np.arange(len(number))
        into = sparse.csr_array((np.ones(len(edges)), (number, edges)), shape=(len(keys), n))
        out = sparse.csr_array((np.ones(len(meets)), (meets, place[meets])), shape=(n, len(keys)))
    # All graphs as one: what meets is numbered over all of them.
    alone = np.array([0, n])
    steps = join(out, into, alone, np.array([0, out.shape[1]]), op.endpoints.skips_itself)
    between, sums = steps.endpoints, np.empty((2, out.shape[1]))
    walks = np.zeros(n, VALUE)
    endpoints.step_through(
        _divided(op, np.ones(n)), steps.indptr, steps.indices, op.divisor, between.skips_itself,
        between.indptr, between.indices, *sums, walks,
    )  # fmt: skip
    return walks
