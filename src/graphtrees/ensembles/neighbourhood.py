"""Which examples of a graph are neighbours, for means over them: vertices, or edges that meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from graphtrees.graphs import FlatGraphs
from graphtrees.graphs.line_graph import LineGraphs


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """A product of sparse matrices that adds up neighbours, and the total weight at each.

    Edges are walked both ways, whatever their direction. Edges that meet are not listed in pairs:
    what they carry goes through the vertices between them, and an edge meets itself there too.
    """

    factors: tuple[sparse.csr_array, ...]
    size: np.ndarray  # (n_vertices,) the sum of the absolute weights

    @classmethod
    def of(cls, flat: FlatGraphs) -> Neighbourhood:
        if isinstance(flat, LineGraphs):
            ends = _ends(flat)
            return cls((ends, sparse.csr_array(ends.T)), ends @ (ends.T @ np.ones(ends.shape[0])))
        matrix = _adjacency(flat)
        return cls((matrix,), np.asarray(abs(matrix).sum(axis=1), np.float64).ravel())

    def add(self, values: Any, rows: np.ndarray | None = None) -> Any:
        """The sums over neighbours, at all vertices or at some of them."""
        first, *others = self.factors
        for factor in reversed(others):
            values = factor @ values
        return (first if rows is None else first[rows]) @ values

    def mean(self, values: Any, rows: np.ndarray | None = None) -> Any:
        """The means over neighbours, 0 where there is none."""
        size = self.size if rows is None else self.size[rows]
        share = np.divide(1.0, size, out=np.zeros(len(size)), where=size > 0)
        return scaled_rows(self.add(values, rows), share)


def scaled_rows(values: Any, scale: np.ndarray) -> Any:
    """Every row times its number; sparse stays sparse."""
    if sparse.issparse(values):
        return sparse.csr_array(sparse.diags_array(scale) @ values)
    return values * scale[:, None] if np.ndim(values) == 2 else values * scale


def _adjacency(flat: FlatGraphs) -> sparse.csr_array:
    start = np.repeat(flat.vertex_ptr[:-1], np.diff(flat.edge_ptr))
    source, target = flat.edges + start
    weights = np.ones(flat.n_edges) if flat.edge_weights is None else flat.edge_weights
    shape = (flat.n_vertices, flat.n_vertices)
    one_way = sparse.csr_array((weights, (target, source)), shape=shape)
    return sparse.csr_array(one_way + one_way.T)


def _ends(flat: LineGraphs) -> sparse.csr_array:
    """Which vertices each edge has as its ends, (n_edges, n_vertices)."""
    start = np.repeat(flat.endpoint_ptr[:-1], np.diff(flat.vertex_ptr))
    ends = (flat.ends + start).T
    rows = np.repeat(np.arange(flat.n_vertices), 2)
    shape = (flat.n_vertices, int(flat.endpoint_ptr[-1]))
    both = sparse.csr_array((np.ones(ends.size), (rows, ends.ravel())), shape=shape)
    both.data[:] = 1.0
    return both
