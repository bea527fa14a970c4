"""Graphs as tensors: scaled features, and batches of graphs as one graph with several parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from benchmarks.accuracy.methods.tables import dense, encoded, places
from benchmarks.columns import adjacency
from graphtrees import Graphs, Vertices

LARGEST_DEGREE = 50  # of the one-hot degrees that stand in for features


@dataclass(frozen=True)
class Inputs:
    """How features become inputs: centred and scaled as seen in training, missing ones 0."""

    mean: np.ndarray
    spread: np.ndarray

    @classmethod
    def of(cls, X: Any) -> Inputs:
        features = _features(_graphs_of(X))
        mean, spread = np.nanmean(features, axis=0), np.nanstd(features, axis=0)
        is_flag = ((features == 0) | (features == 1)).all(axis=0)  # 0 and 1 stay as they are
        return cls(np.where(is_flag, 0, mean), np.where(is_flag | (spread == 0), 1, spread))

    def pack(self, X: Any, device: str) -> Packed:
        graphs = _graphs_of(X)
        scaled = np.nan_to_num((_features(graphs) - self.mean) / self.spread)
        matrix = adjacency(graphs)
        matrix.sort_indices()
        ptr = graphs.flat.vertex_ptr
        return Packed(
            torch.tensor(scaled, dtype=torch.float32, device=device),
            torch.tensor(ptr, device=device),
            torch.tensor(_ends(matrix), device=device),
            torch.tensor(matrix.indptr[ptr].astype(np.int64), device=device),
            torch.tensor(places(X), device=device) if isinstance(X, Vertices) else None,
        )


def _graphs_of(X: Any) -> Graphs:
    return X.graphs if isinstance(X, Vertices) else X


def _features(graphs: Graphs) -> np.ndarray:
    features = dense(encoded(graphs))
    if features.shape[1]:
        return features
    degrees = np.diff(adjacency(graphs).indptr)
    return np.eye(LARGEST_DEGREE + 1, dtype=np.float32)[np.minimum(degrees, LARGEST_DEGREE)]


def _ends(matrix: sp.csr_array) -> np.ndarray:
    """Rows and columns of the entries, row by row: (2, n_entries)."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return np.stack([rows, matrix.indices]).astype(np.int64)


@dataclass(frozen=True)
class Batch:
    """Some graphs as one: features, the ends of edges (both ways), the graph of each vertex."""

    x: Tensor
    ends: Tensor  # (2, n_entries)
    graph_of: Tensor
    n_graphs: int
    examples: Tensor | None  # places of vertices; None where graphs are the examples
    rows: Tensor | None = None  # which graphs of all these are

    @cached_property
    def adjacency(self) -> Tensor:
        return self._matrix(self.ends, torch.ones(self.ends.shape[1], device=self.x.device))

    @cached_property
    def normalized(self) -> Tensor:
        """D^-1/2 (A + I) D^-1/2."""
        n = len(self.x)
        ends = torch.cat([self.ends, torch.arange(n, device=self.x.device).expand(2, n)], dim=1)
        scale = torch.bincount(ends[0], minlength=n).float().rsqrt()
        return self._matrix(ends, scale[ends[0]] * scale[ends[1]])

    def _matrix(self, ends: Tensor, values: Tensor) -> Tensor:
        shape = (len(self.x), len(self.x))
        with torch.sparse.check_sparse_tensor_invariants(enable=False):
            return torch.sparse_coo_tensor(ends, values, shape).coalesce()

    def pool(self, h: Tensor, sums: bool) -> Tensor:
        """The sum or the mean of the states over each graph's vertices."""
        total = h.new_zeros(self.n_graphs, h.shape[1]).index_add(0, self.graph_of, h)
        if sums:
            return total
        return total / torch.bincount(self.graph_of, minlength=self.n_graphs).clamp(min=1)[:, None]

    def of_examples(self, out: Tensor, rows: np.ndarray) -> Tensor:
        """Outputs of the batch's examples: its graphs, or the asked rows among the vertices."""
        if self.examples is None:
            return out
        return out[self.examples[torch.as_tensor(rows, device=out.device)]]


@dataclass(frozen=True)
class Packed:
    """All graphs of a part on the device."""

    x: Tensor
    vertex_ptr: Tensor
    ends: Tensor
    end_ptr: Tensor
    examples: Tensor | None

    @property
    def n_features(self) -> int:
        return self.x.shape[1]

    @property
    def of_graphs(self) -> bool:
        return self.examples is None

    def batches(self, rows: np.ndarray, size: int) -> Iterator[tuple[np.ndarray, Batch]]:
        """Graphs by `size` at once; for vertices one batch, the whole graph."""
        if not self.of_graphs:
            yield rows, self._everything
            return
        order = torch.as_tensor(rows, device=self.x.device)  # once: copying waits for the device
        for start in range(0, len(rows), size):
            some = rows[start : start + size]
            yield some, self._of(some, order[start : start + size])

    @cached_property
    def _everything(self) -> Batch:
        none = self.x.new_zeros(len(self.x), dtype=torch.int64)
        return Batch(self.x, self.ends, none, 1, self.examples)

    @cached_property
    def _sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """Vertices and entries of each graph, on the host: the device need not be waited for."""
        return np.diff(self.vertex_ptr.cpu().numpy()), np.diff(self.end_ptr.cpu().numpy())

    def _of(self, some: np.ndarray, graphs: Tensor) -> Batch:
        """The graphs with these numbers, which are given on the host and on the device."""
        total, n_ends = (int(sizes[some].sum()) for sizes in self._sizes)
        vertices, n_vertices = _ranges(self.vertex_ptr, graphs, total)
        entries, n_entries = _ranges(self.end_ptr, graphs, n_ends)
        # Where each graph's vertices start in the batch, less where they start among all.
        shift = n_vertices.cumsum(0) - n_vertices - self.vertex_ptr[graphs]
        ends = self.ends[:, entries]
        ends = ends + torch.repeat_interleave(shift, n_entries, output_size=n_ends)
        number = torch.arange(len(graphs), device=graphs.device)
        graph_of = torch.repeat_interleave(number, n_vertices, output_size=total)
        return Batch(self.x[vertices], ends, graph_of, len(graphs), None, graphs)

    def without_loops(self) -> Packed:
        """The same graphs less the edges from a vertex to itself."""
        kept = self.ends[0] != self.ends[1]
        before = torch.cat([kept.new_zeros(1, dtype=torch.int64), kept.cumsum(0)])
        ends, end_ptr = self.ends[:, kept], before[self.end_ptr]
        return Packed(self.x, self.vertex_ptr, ends, end_ptr, self.examples)


def _ranges(ptr: Tensor, chosen: Tensor, total: int) -> tuple[Tensor, Tensor]:
    """All places ptr[g]:ptr[g + 1] of the chosen, side by side, and how many each has."""
    counts = ptr[chosen + 1] - ptr[chosen]
    shift = ptr[chosen] - (counts.cumsum(0) - counts)
    shift = torch.repeat_interleave(shift, counts, output_size=total)
    return shift + torch.arange(total, device=ptr.device), counts
