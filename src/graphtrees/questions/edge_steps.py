"""How walks go from edge to edge: through the vertices that edges share.

A vertex with d edges makes d² pairs of neighbouring edges. They are never written out: one step
adds up what the edges into every vertex carry, and hands the sum to the edges out of it.

    edges      a  b  c
                \\ | /                 A = out · into,
    vertices      v                   and where edges are walked both ways less 1 for every
                / | \\                 end that an edge shares with itself
    edges      a  b  c
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from graphtrees._layout import OFFSET, VERTEX
from graphtrees.graphs.line_graph import LineGraphs


@dataclass(frozen=True)
class Endpoints:
    """The vertices between edges: the edges that enter m are indices[indptr[m]:indptr[m + 1]].

    Vertices are numbered over all graphs, those of graph g from ptr[g] on, edges within their
    graph. `skips_itself` tells that edges enter the vertices they leave, and are taken out again.
    """

    ptr: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    skips_itself: bool

    @cached_property
    def graph_of(self) -> np.ndarray:
        """The graph of every vertex."""
        return np.repeat(np.arange(len(self.ptr) - 1, dtype=OFFSET), np.diff(self.ptr))

    @property
    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
        """In the order kernels take them."""
        return self.ptr, self.indptr, self.indices, self.skips_itself


# Of operators that walk from vertex to vertex.
NO_ENDPOINTS = Endpoints(np.zeros(1, OFFSET), np.zeros(1, OFFSET), np.empty(0, VERTEX), False)


@dataclass(frozen=True)
class EdgeSteps:
    """One operator of edges; the vertices of row e are those that edge e leaves."""

    indptr: np.ndarray
    indices: np.ndarray
    row_sums: np.ndarray  # of A
    endpoints: Endpoints


def edge_steps(flat: LineGraphs, backwards: bool = False) -> EdgeSteps:
    """From every edge to those it can be followed by; backwards to those before it."""
    heads, tails = flat.incidence()
    out, into = (heads, tails) if backwards else (tails, heads)
    return join(
        out, sparse.csr_array(into.T), flat.vertex_ptr, flat.endpoint_ptr, not flat.directed
    )


def no_edge_steps(flat: LineGraphs) -> EdgeSteps:
    """Of a relation that edges do not have."""
    none = sparse.csr_array((flat.n_vertices, int(flat.endpoint_ptr[-1])))
    return join(
        none, sparse.csr_array(none.T), flat.vertex_ptr, flat.endpoint_ptr, skips_itself=False
    )


def join(
    out: sparse.csr_array, into: sparse.csr_array, edge_ptr: np.ndarray, ptr: np.ndarray,
    skips_itself: bool,
) -> EdgeSteps:  # fmt: skip
    """`out` (edges, middle) and `into` (middle, edges) hold ones; all graphs lie side by side."""
    entered = np.diff(into.indptr) - skips_itself
    row_sums = np.add.reduceat(np.r_[entered[out.indices], 0], out.indptr[:-1])
    row_sums[np.diff(out.indptr) == 0] = 0
    endpoints = Endpoints(
        ptr, into.indptr.astype(OFFSET), _within(into, ptr, edge_ptr), skips_itself
    )
    return EdgeSteps(out.indptr.astype(OFFSET), _within(out, edge_ptr, ptr), row_sums, endpoints)


def _within(matrix: sparse.csr_array, row_ptr: np.ndarray, column_ptr: np.ndarray) -> np.ndarray:
    """The columns of all entries, numbered within their graph."""
    first = np.repeat(column_ptr[:-1], np.diff(row_ptr))
    return (matrix.indices - np.repeat(first, np.diff(matrix.indptr))).astype(VERTEX)
