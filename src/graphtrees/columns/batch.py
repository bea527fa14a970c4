"""Many graphs side by side, in the layout that kernels read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from graphtrees._layout import OFFSET, SMALL, SMALL_LIMIT, VALUE
from graphtrees._threads import Workers
from graphtrees.columns.closed_walks import closed_walks
from graphtrees.columns.lane_lists import LaneLists, Lanes
from graphtrees.columns.numbers import are_whole, largest_sum, real, smallest_bit
from graphtrees.columns.overflow import Bounds
from graphtrees.columns.sparse_rows import SparseRows
from graphtrees.graphs.flat import spread
from graphtrees.kernels import walks
from graphtrees.questions.features import VERTICES_A_THREAD
from graphtrees.questions.operators import Operator


@dataclass(frozen=True)
class Batch:
    """Vertex values in lanes and one sparse matrix per operator.

    ```
    graph 0: 3 vertices, lanes for features 1, 4        graph 1: 2 vertices, lane for feature 4
    x = [ f1v0 f1v1 f1v2 | f4v0 f4v1 f4v2 |             f4v0 f4v1 ]      lane by lane
    x = [ v0f1 v0f4 | v1f1 v1f4 | v2f1 v2f4 |           v0f4 | v1f4 ]    vertex by vertex
          ^x_ptr[0]                                     ^x_ptr[1]
    ```
    Lane by lane suits whole graphs, which are summed up feature by feature; vertex by vertex
    suits vertex examples, which gather whole rows of neighbours. A feature without a lane in a
    graph is 0 at all its vertices. `x` is float32, or int16 where rows are filled up and all are
    small whole numbers. Where most values are 0 and the layout is vertex by vertex, `lists` holds
    the others and `x` is empty: one category of 10,000 takes one number, not 10,000.
    """

    vertex_ptr: np.ndarray
    lane_ptr: np.ndarray
    lane_features: np.ndarray
    x_ptr: np.ndarray
    lane_major: bool
    x: np.ndarray
    n_columns: int
    operators: tuple[Operator, ...]
    bounds: Bounds  # how large sums can get at the most
    lists: LaneLists | None = None
    _walked: dict[tuple[int, int], np.ndarray] = field(default_factory=dict)
    _walks: dict[tuple[int, int], np.ndarray] = field(default_factory=dict)
    _diagonals: dict[tuple[int, int], np.ndarray] = field(default_factory=dict)
    _all_diagonals: dict[tuple[int, int], np.ndarray] = field(default_factory=dict)
    _largest: dict[tuple[int, int], float] = field(default_factory=dict)

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
    def row_sizes(self) -> np.ndarray:
        """How many numbers each vertex of a graph has: its lanes, and what fills the row up."""
        return np.diff(self.x_ptr) // np.maximum(1, np.diff(self.vertex_ptr))

    @cached_property
    def x_walk(self) -> np.ndarray:
        """The values that walks carry, in full: a missing one adds nothing."""
        assert self.lists is None
        return np.nan_to_num(self.x, nan=0.0) if self.has_missing else self.x

    @cached_property
    def listed_rows(self) -> SparseRows:
        """The values vertex by vertex without the zeros."""
        if self.lists is not None:
            return self.lists.rows()
        filled = np.flatnonzero(self.x)
        lanes = np.repeat(self.n_lanes, np.diff(self.vertex_ptr))
        row_ptr = np.concatenate([[0], np.cumsum(lanes)])
        row = np.searchsorted(row_ptr, filled, side="right") - 1
        ptr = np.searchsorted(filled, row_ptr).astype(OFFSET)
        lane = (filled - row_ptr[row]).astype(np.int32)
        return SparseRows(ptr[:-1].copy(), ptr[1:].copy(), lane, self.x[filled])

    @cached_property
    def has_missing(self) -> bool:
        values = self.x if self.lists is None else self.lists.value
        return values.dtype == VALUE and bool(np.isnan(values).any())

    def lanes_of(self, columns: Callable[[], np.ndarray]) -> Lanes:
        """Values in full, of at least these feature columns, for kernels that ask few of them."""
        if self.lists is not None:
            return self.lists.write_out(columns())
        return Lanes(self.lane_ptr, self.lane_features, self.x_ptr, real(self.x))

    def walked(self, operator: int, length: int, workers: Workers) -> np.ndarray:
        """A^length x, computed once."""
        key = (operator, length)
        if key not in self._walked:
            first = length == 1
            before = real(self.x_walk) if first else self.walked(operator, length - 1, workers)
            self._walked[key] = self._step(operator, before, workers)
        return self._walked[key]

    def walks(self, operator: int, longest: int, workers: Workers) -> np.ndarray:
        """A x, A² x, ... in one array, whose rows `walked` hands out from then on."""
        key = (operator, longest)
        if key not in self._walks:
            is_small = self._walks_are_small(operator, longest, workers)
            before = self.x_walk if is_small else real(self.x_walk)
            rows = np.zeros((longest, len(before)), before.dtype)
            for d in range(1, longest + 1):
                before = self._step(operator, before, workers, out=rows[d - 1])
                self._walked[operator, d] = before
            self._walks[key] = rows
        return self._walks[key]

    def _walks_are_small(self, operator: int, longest: int, workers: Workers) -> bool:
        """Whether every value that walks bring to a vertex is a small whole number."""
        op = self.operators[operator]
        if self.x.dtype != SMALL or len(op.divisor) or not are_whole(op.weights, workers):
            return False
        largest = self.bounds.value * max(1.0, self.bounds.growth[operator]) ** longest
        return bool(largest < SMALL_LIMIT)

    def diagonals(self, operator: int, longest: int, workers: Workers) -> np.ndarray:
        """The diagonals of A, A², ... in one array."""
        key = (operator, longest)
        if key not in self._all_diagonals:
            lengths = range(1, longest + 1)
            rows = np.stack([self.diagonal(operator, d, workers) for d in lengths])
            self._diagonals.update({(operator, d): rows[d - 1] for d in lengths})
            self._all_diagonals[key] = rows
        return self._all_diagonals[key]

    def _step(
        self, operator: int, values: np.ndarray, workers: Workers, out: np.ndarray | None = None
    ) -> np.ndarray:
        """A values, written to `out` where there is one, which must be all 0."""
        op = self.operators[operator]
        assert not op.has_endpoints, "edges are walked by kernels of their own"
        out = np.zeros_like(values) if out is None else out
        everyone = np.arange(self.n_vertices)
        workers.each(
            lambda start, stop: walks.walk_step(
                everyone[start:stop], self.graph_of, self.vertex_ptr, self.x_ptr, self.row_sizes,
                self.lane_major, op.indptr, op.indices, op.weights, op.divisor, values, out,
            ),
            workers.spans(self.n_vertices, at_least=256),
        )  # fmt: skip
        return out

    def is_plain(self, operator: int, longest: int, workers: Workers) -> bool:
        """Whether all sums are of small whole numbers, none missing, which float32 holds exactly.

        Then no rounding error needs to be carried along.
        """
        return self.largest_sum(operator, longest, workers) < 2**24

    def largest_sum(self, operator: int, longest: int, workers: Workers) -> float:
        """The largest sum that any question can ask for; inf where not all numbers are whole."""
        if self.has_missing or len(self.operators[operator].divisor):
            return np.inf
        key = (operator, longest)
        if key not in self._largest:
            self._largest[key] = self._bound(operator, longest, workers)
        return self._largest[key]

    def adds_exactly(self, operator: int, longest: int, workers: Workers) -> bool:
        """Whether float64 holds every sum of walks exactly.

        All values are multiples of the smallest bit among them, edge weights are whole and not
        negative, and no sum is larger than 2^53 of those bits. (A sum rounded to float32 is still
        a multiple.)
        """
        op = self.operators[operator]
        if len(op.divisor) or not are_whole(op.weights) or (op.weights < 0).any():
            return False
        values = np.abs(real(self.x_walk))
        smallest, largest = smallest_bit(values), 0.0
        for length in range(longest + 1):
            values = self._step(operator, values, workers) if length else values
            largest = max(largest, largest_sum(values, self.x_ptr, workers))
        return largest < smallest * 2.0**53

    def _bound(self, operator: int, longest: int, workers: Workers) -> float:
        weights = self.operators[operator].weights
        whole = are_whole(self.x_walk, workers) and are_whole(weights, workers)
        if not whole or (weights < 0).any():
            return np.inf
        positive = self.bounds.lowest >= 0
        values = self.x_walk if positive else np.abs(real(self.x_walk))
        largest = 0.0
        for length in range(longest + 1):
            if length and positive:
                values = self.walks(operator, longest, workers)[length - 1]
            elif length:
                values = self._step(operator, values, workers)
            largest = max(largest, largest_sum(values, self.x_ptr, workers))
        return largest

    def targets(self, operator: int, workers: Workers) -> np.ndarray:
        """The vertex, numbered within its graph, that each stored edge leads to."""
        indptr = self.operators[operator].indptr
        out = np.empty(indptr[-1], np.int32)

        def fill(start: int, stop: int) -> None:
            ptr = self.vertex_ptr[start : stop + 1]
            edges = indptr[ptr[0] : ptr[-1] + 1]
            within = np.arange(ptr[-1] - ptr[0]) - spread(ptr[:-1] - ptr[0], ptr - ptr[0])
            out[edges[0] : edges[-1]] = spread(within, edges - edges[0])

        workers.each(fill, workers.stretches(self.vertex_ptr, VERTICES_A_THREAD))
        return out

    def diagonal(self, operator: int, length: int, workers: Workers) -> np.ndarray:
        """The diagonal of A^length, computed once."""
        key = (operator, length)
        if key not in self._diagonals:
            op = self.operators[operator]
            diagonal_values = closed_walks(op, self.vertex_ptr, length, workers)
            if not np.isfinite(diagonal_values).all():
                raise ValueError(
                    f"closed walks of length {length} along operator "
                    f"{op.name!r} overflow float32: use a smaller "
                    "max_walk_length, leave out the walk type 'cycle', or scale the edge weights "
                    "down"
                )
            self._diagonals[key] = diagonal_values
        return self._diagonals[key]
