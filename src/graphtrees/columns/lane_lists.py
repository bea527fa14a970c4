"""Values of vertices lane by lane, as lists without the zeros."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from graphtrees._layout import OFFSET, VALUE
from graphtrees.columns.sparse_rows import SparseRows
from graphtrees.graphs.flat import starts_of
from graphtrees.kernels import lanes


@dataclass(frozen=True)
class Lanes:
    """Values written out in full, as kernels read them; `Batch` draws how they lie."""

    lane_ptr: np.ndarray
    lane_features: np.ndarray
    x_ptr: np.ndarray
    x: np.ndarray


@dataclass(frozen=True)
class LaneLists:
    """Lane k of all graphs owns the (vertex, value) pairs ptr[k]:ptr[k + 1]; elsewhere it is 0.

    Graph g owns the lanes lane_ptr[g]:lane_ptr[g + 1], one for each of its features.
    """

    vertex_ptr: np.ndarray
    lane_ptr: np.ndarray
    lane_features: np.ndarray
    ptr: np.ndarray
    vertex: np.ndarray
    value: np.ndarray

    @classmethod
    def of(cls, values: sparse.csr_array, vertex_ptr: np.ndarray) -> LaneLists:
        """From one sparse row for each vertex."""
        by_column = sparse.csc_array(values)
        by_column.sum_duplicates()
        by_column.eliminate_zeros()
        vertex, value = by_column.indices, by_column.data
        feature = np.repeat(np.arange(values.shape[1]), np.diff(by_column.indptr))
        graph = np.zeros(len(vertex), OFFSET)
        if len(vertex_ptr) > 2:
            graph = np.searchsorted(vertex_ptr, vertex, side="right") - 1
            order = np.argsort(graph, kind="stable")  # the columns of a graph stay in order
            graph, feature = graph[order], feature[order]
            vertex, value = vertex[order], value[order]
        new = (graph[1:] != graph[:-1]) | (feature[1:] != feature[:-1])
        first = np.flatnonzero(np.r_[True, new][: len(vertex)])
        return cls(
            vertex_ptr,
            starts_of(np.bincount(graph[first], minlength=len(vertex_ptr) - 1)),
            feature[first].astype(np.int32),
            np.r_[first, len(vertex)].astype(OFFSET),
            vertex.astype(OFFSET),
            value.astype(VALUE),
        )

    def rounded(self) -> LaneLists:
        """The same with `lanes.round_small` applied, for which each list is a graph of its own."""
        alone = np.arange(len(self.ptr), dtype=OFFSET)
        out = np.empty_like(self.value)
        if not lanes.round_small(self.ptr, alone, self.ptr, True, self.value, out):
            return self
        return LaneLists(
            self.vertex_ptr, self.lane_ptr, self.lane_features, self.ptr, self.vertex, out
        )

    def rows(self) -> SparseRows:
        """The same values vertex by vertex, lanes numbered within their graph."""
        shape = (int(self.vertex_ptr[-1]), len(self.lane_features))
        turned = sparse.csc_array((self.value, self.vertex, self.ptr), shape=shape).tocsr()
        n_entries = turned.indptr[self.vertex_ptr[1:]] - turned.indptr[self.vertex_ptr[:-1]]
        lane = turned.indices - np.repeat(self.lane_ptr[:-1], n_entries)
        ptr = turned.indptr.astype(OFFSET)
        return SparseRows(ptr[:-1].copy(), ptr[1:].copy(), lane.astype(np.int32), turned.data)

    def write_out(self, columns: np.ndarray) -> Lanes:
        """The lanes of some feature columns in full, vertex by vertex."""
        chosen = np.flatnonzero(np.isin(self.lane_features, columns))
        graph = np.searchsorted(self.lane_ptr, chosen, side="right") - 1
        counts = np.bincount(graph, minlength=len(self.lane_ptr) - 1)
        lane_ptr = starts_of(counts).astype(OFFSET)
        x_ptr = starts_of(np.diff(self.vertex_ptr) * counts).astype(OFFSET)
        x = np.zeros(x_ptr[-1], VALUE)
        sizes = self.ptr[chosen + 1] - self.ptr[chosen]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        entry = np.repeat(self.ptr[chosen], sizes) + within
        lane = np.repeat(np.arange(len(chosen)) - lane_ptr[graph], sizes)
        of = np.repeat(graph, sizes)
        row = self.vertex[entry] - self.vertex_ptr[of]
        x[x_ptr[of] + row * counts[of] + lane] = self.value[entry]
        return Lanes(lane_ptr, self.lane_features[chosen], x_ptr, x)
