"""Many graphs side by side, in the layout that kernels read."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import sparse

from graphtrees._layout import OFFSET, VALUE
from graphtrees._threads import Workers
from graphtrees.candidates.features import FeatureTable
from graphtrees.candidates.operators import Operator, build_operators
from graphtrees.graphs.flat import FlatGraphs
from graphtrees.kernels import diagonal, lanes, walks


@dataclass(frozen=True)
class Batch:
    """Vertex values in lanes and one sparse matrix per operator.

    ```
    graph 0: 3 vertices, lanes for features 1, 4      graph 1: 2 vertices, lane for feature 4
    x = [ v0f1 v0f4 | v1f1 v1f4 | v2f1 v2f4 |         v0f4 | v1f4 ]
          ^x_ptr[0]                                   ^x_ptr[1]
    ```
    A feature without a lane in a graph is 0 at all its vertices.
    """

    vertex_ptr: np.ndarray
    lane_ptr: np.ndarray
    lane_features: np.ndarray
    x_ptr: np.ndarray
    x: np.ndarray
    n_columns: int
    operators: tuple[Operator, ...]
    _walked: dict[tuple[int, int], np.ndarray] = field(default_factory=dict)
    _diagonals: dict[tuple[int, int], np.ndarray] = field(default_factory=dict)

    @classmethod
    def of(cls, flat: FlatGraphs, table: FeatureTable, operators: tuple[str, ...]) -> Batch:
        values = table.encode(flat)
        vertex_ptr = flat.vertex_ptr.astype(OFFSET)
        sizes = np.diff(vertex_ptr)
        n_columns = values.shape[1]
        if sparse.issparse(values):
            indptr, indices = values.indptr.astype(OFFSET), values.indices.astype(np.int32)
            counts = np.zeros(len(sizes), OFFSET)
            lanes.count_lanes(vertex_ptr, indptr, indices, n_columns, counts)
        else:
            counts = np.full(len(sizes), n_columns, OFFSET)
        lane_ptr = np.concatenate([[0], np.cumsum(counts)]).astype(OFFSET)
        x_ptr = np.concatenate([[0], np.cumsum(sizes * counts)]).astype(OFFSET)
        if sparse.issparse(values):
            lane_features = np.empty(lane_ptr[-1], np.int32)
            x = np.zeros(x_ptr[-1], VALUE)
            lanes.fill_lanes(
                vertex_ptr, indptr, indices, values.data.astype(VALUE), n_columns,
                lane_ptr, lane_features, x_ptr, x,
            )  # fmt: skip
        else:
            lane_features = np.tile(np.arange(n_columns, dtype=np.int32), len(sizes))
            x = values.ravel()
        built = build_operators(flat, operators)
        return cls(vertex_ptr, lane_ptr, lane_features, x_ptr, x, n_columns, built)

    @property
    def n_graphs(self) -> int:
        return len(self.vertex_ptr) - 1

    @property
    def n_vertices(self) -> int:
        return int(self.vertex_ptr[-1])

    @cached_property
    def graph_of(self) -> np.ndarray:
        """The graph of every vertex."""
        return np.repeat(np.arange(self.n_graphs, dtype=OFFSET), np.diff(self.vertex_ptr))

    @cached_property
    def n_lanes(self) -> np.ndarray:
        return np.diff(self.lane_ptr)

    @cached_property
    def x_walk(self) -> np.ndarray:
        """The values that walks carry: a missing one adds nothing."""
        return np.nan_to_num(self.x, nan=0.0) if np.isnan(self.x).any() else self.x

    def walked(self, operator: int, length: int, workers: Workers) -> np.ndarray:
        """A^length x, computed once."""
        key = (operator, length)
        if key not in self._walked:
            before = self.x_walk if length == 1 else self.walked(operator, length - 1, workers)
            after = np.zeros_like(self.x)
            self.step(operator, np.arange(self.n_vertices), before, None, 0, after, workers)
            if not np.isfinite(after).all():
                raise ValueError(
                    f"walks of length {length} along operator {self.operators[operator].name!r} "
                    "overflow float32: use a smaller max_walk_length, or scale the edge weights "
                    "or features down"
                )
            self._walked[key] = after
        return self._walked[key]

    def step(
        self, operator: int, vertices: np.ndarray, values: np.ndarray, codes: np.ndarray | None,
        want: int, out: np.ndarray, workers: Workers,
    ) -> None:  # fmt: skip
        """One step of the walks that end in `vertices`, from the vertices coded `want` (0: all)."""
        op = self.operators[operator]
        marks = np.empty(0, np.uint8) if codes is None else codes
        workers.each(
            lambda start, stop: walks.walk_step(
                vertices[start:stop], self.graph_of, self.vertex_ptr, self.x_ptr, self.n_lanes,
                op.indptr, op.indices, op.weights, op.divisor, values, marks, want, out,
            ),
            workers.spans(len(vertices), at_least=256),
        )  # fmt: skip

    def diagonal(self, operator: int, length: int, workers: Workers) -> np.ndarray:
        """The diagonal of A^length, computed once."""
        key = (operator, length)
        if key not in self._diagonals:
            op = self.operators[operator]
            transposed = self._transposed(op)
            out = np.zeros(self.n_vertices, VALUE)
            workers.each(
                lambda start, stop: diagonal.closed_walks(
                    np.arange(start, stop), self.vertex_ptr, op.indptr, op.indices, op.weights,
                    op.divisor, *transposed, length, out,
                ),
                workers.spans(self.n_graphs, at_least=16),
            )  # fmt: skip
            self._diagonals[key] = out
        return self._diagonals[key]

    def _transposed(self, op: Operator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        first = np.repeat(self.vertex_ptr[self.graph_of], np.diff(op.indptr))
        shape = (self.n_vertices, self.n_vertices)
        matrix = sparse.csr_array((op.weights, op.indices + first, op.indptr), shape=shape)
        turned = sparse.csr_array(matrix.T)
        turned.sort_indices()
        start = np.repeat(self.vertex_ptr[self.graph_of], np.diff(turned.indptr))
        return (
            turned.indptr.astype(OFFSET),
            (turned.indices - start).astype(np.int32),
            turned.data.astype(VALUE),
        )
