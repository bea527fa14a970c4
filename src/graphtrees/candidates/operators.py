"""The matrices that move values along walks, built from edges, one sparse row a vertex."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from graphtrees._layout import OFFSET, VALUE, VERTEX
from graphtrees.graphs.flat import FlatGraphs

OPERATORS = ("adjacency", "reverse", "mean")


@dataclass(frozen=True)
class Operator:
    """`indptr` by global vertex, neighbours numbered within their graph; rows divided by `divisor`.

    The divisor stays apart from the weights so that an average of equal numbers is that number.
    """

    name: str
    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    divisor: np.ndarray


def build_operators(flat: FlatGraphs, names: tuple[str, ...]) -> tuple[Operator, ...]:
    """One operator for each name; edges that run side by side add up."""
    incoming = _incoming(flat)
    first = np.repeat(flat.vertex_ptr[:-1], np.diff(flat.vertex_ptr))
    built = []
    for name in names:
        matrix = incoming if name != "reverse" else sparse.csr_array(incoming.T)
        matrix.sort_indices()
        row_start = np.repeat(first, np.diff(matrix.indptr))
        divisor = np.empty(0)
        if name == "mean":
            divisor = _row_sizes(matrix)
        built.append(
            Operator(
                name,
                matrix.indptr.astype(OFFSET),
                (matrix.indices - row_start).astype(VERTEX),
                matrix.data.astype(VALUE),
                divisor,
            )
        )
    return tuple(built)


def _incoming(flat: FlatGraphs) -> sparse.csr_array:
    """A[i, j] = total weight of the edges from j to i, all graphs on one block diagonal."""
    start = np.repeat(flat.vertex_ptr[:-1], np.diff(flat.edge_ptr))
    source, target = flat.edges + start
    weights = np.ones(flat.n_edges) if flat.edge_weights is None else flat.edge_weights
    if not flat.directed:
        both = source != target  # an undirected loop is one way back to where it started
        source, target = np.r_[source, target[both]], np.r_[target, source[both]]
        weights = np.r_[weights, weights[both]]
    shape = (flat.n_vertices, flat.n_vertices)
    if flat.edge_weights is not None:
        # Parallel edges add up in the order of their weights, not of their listing.
        order = np.argsort(weights, kind="stable")
        source, target, weights = source[order], target[order], weights[order]
    matrix = sparse.csr_array((weights, (target, source)), shape=shape)
    matrix.sum_duplicates()
    return matrix


def _row_sizes(matrix: sparse.csr_array) -> np.ndarray:
    """Sum of |weight| into each vertex; 1 where nothing comes in, so that the average is 0."""
    ordered = np.abs(matrix.data)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((ordered, rows))
    sizes = np.zeros(matrix.shape[0])
    np.add.at(sizes, rows[order], ordered[order])
    sizes[sizes == 0] = 1.0
    return sizes
