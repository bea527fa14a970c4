"""Many graphs side by side, in the layout that kernels read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from graphtrees._communicator import HERE, Totals
from graphtrees._layout import OFFSET, SMALL, SMALL_LIMIT, VALUE
from graphtrees._threads import ONE_THREAD, Workers
from graphtrees.columns.closed_edges import closed_walks
from graphtrees.columns.full_lanes import write_out
from graphtrees.columns.lane_lists import LaneLists, Lanes
from graphtrees.columns.numbers import (
    are_whole,
    largest_sum,
    narrowed,
    real,
    smallest_bit,
    span_much,
)
from graphtrees.columns.overflow import Bounds
from graphtrees.columns.part_layout import PartLayout
from graphtrees.columns.sparse_rows import SparseRows
from graphtrees.graphs.flat import FlatGraphs, dense, starts_of
from graphtrees.graphs.line_graph import LineGraphs
from graphtrees.kernels import diagonal, lanes, walks
from graphtrees.questions.features import VERTICES_A_THREAD, FeatureTable
from graphtrees.questions.operators import Operator, build_operators, join_operators

# Below this share of non-zero values, vertex rows are kept as lists.
SPARSE_SHARE = 0.25


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
    small whole numbers. Where most values of vertex examples are 0, `lists` holds the
    others and `x` is empty: one category of 10,000 takes one number, not 10,000.
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
    _targets: dict[int, np.ndarray] = field(default_factory=dict)
    _largest: dict[tuple[int, int], float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        flat: FlatGraphs,
        table: FeatureTable,
        operators: tuple[str, ...],
        lane_major: bool = False,
        adds_up: bool = True,
        row_of: int = 1,
        colours: np.ndarray | None = None,
        totals: Totals = HERE,
        workers: Workers = ONE_THREAD,
    ) -> Batch:
        """`adds_up` tells whether any question sums over vertices; see `lanes.round_small`.

        The lanes of a vertex are filled up with zeros to a multiple of `row_of`. `colours` are the
        numbers of those that will be asked about; None: all. The layout follows from `totals`.
        """
        if totals.halo is not None:
            return cls._of_part(flat, table, operators, adds_up, totals)
        by_graph = lane_major or row_of > 1
        spans, values, built = _encode(flat, table, operators, colours, totals, by_graph, workers)
        vertex_ptr, n_columns = flat.vertex_ptr.astype(OFFSET), values[0].shape[1]
        lists = None if by_graph else _listed(values[0], vertex_ptr, totals)
        if lists is not None:
            return cls._of_lists(lists.rounded() if adds_up else lists, n_columns, built, workers)
        # A graph has a lane for each feature that any of its vertices holds.
        shares_lanes = totals.of_one_graph and sparse.issparse(values[0])
        if shares_lanes and totals.n_distinct(values[0].indices) == n_columns:
            values = [values[0].toarray()]
        full = write_out(values, spans, vertex_ptr, lane_major, row_of, workers)
        x = narrowed(full.x, workers) if row_of > 1 else full.x
        if adds_up and x.dtype == VALUE and span_much(x, workers):
            rounded = np.empty_like(x)
            if lanes.round_small(vertex_ptr, full.lane_ptr, full.x_ptr, lane_major, x, rounded):
                x = rounded
        return cls(
            vertex_ptr, full.lane_ptr, full.lane_features, full.x_ptr, lane_major, x, n_columns,
            built, Bounds.of(x, built, vertex_ptr, workers),
        )  # fmt: skip

    @classmethod
    def _of_lists(
        cls, lists: LaneLists, n_columns: int, operators: tuple[Operator, ...],
        workers: Workers = ONE_THREAD,
    ) -> Batch:  # fmt: skip
        bounds = Bounds.of(lists.value, operators, lists.vertex_ptr, workers)
        return cls(
            lists.vertex_ptr, lists.lane_ptr, lists.lane_features, np.zeros_like(lists.vertex_ptr),
            False, np.empty(0, VALUE), n_columns, operators, bounds, lists,
        )  # fmt: skip

    @classmethod
    def _of_part(
        cls, flat: FlatGraphs, table: FeatureTable, operators: tuple[str, ...], adds_up: bool,
        totals: Totals,
    ) -> Batch:  # fmt: skip
        """This worker's part of a graph, laid out as the whole graph would be."""
        values: Any = table.encode(flat)
        vertex_ptr = flat.vertex_ptr.astype(OFFSET)
        n_columns, built = values.shape[1], build_operators(flat, operators)
        layout = PartLayout.of(values, totals, SPARSE_SHARE)
        if layout.is_listed:
            lists = LaneLists.of(sparse.csr_array(values), vertex_ptr)
            return cls._of_lists(layout.round_lists(lists) if adds_up else lists, n_columns, built)
        values = dense(values) if layout.is_full else values
        full = write_out([values], [(0, flat.n_graphs)], vertex_ptr, False, 1)
        x = layout.round_full(full, flat.n_vertices) if adds_up else full.x
        return cls(
            vertex_ptr, full.lane_ptr, full.lane_features, full.x_ptr, False, x, n_columns, built,
            Bounds.of(x, built, vertex_ptr),
        )  # fmt: skip

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

    def targets(self, operator: int) -> np.ndarray:
        """The vertex, numbered within its graph, that each stored edge leads to."""
        if operator not in self._targets:
            within = (np.arange(self.n_vertices) - self.vertex_ptr[self.graph_of]).astype(np.int32)
            degrees = np.diff(self.operators[operator].indptr)
            self._targets[operator] = np.repeat(within, degrees)
        return self._targets[operator]

    def diagonal(self, operator: int, length: int, workers: Workers) -> np.ndarray:
        """The diagonal of A^length, computed once."""
        key = (operator, length)
        if key not in self._diagonals:
            diagonal_values = self._closed(self.operators[operator], length, workers)
            if not np.isfinite(diagonal_values).all():
                raise ValueError(
                    f"closed walks of length {length} along operator "
                    f"{self.operators[operator].name!r} overflow float32: use a smaller "
                    "max_walk_length, leave out the walk type 'cycle', or scale the edge weights "
                    "down"
                )
            self._diagonals[key] = diagonal_values
        return self._diagonals[key]

    def _closed(self, op: Operator, length: int, workers: Workers) -> np.ndarray:
        if op.has_endpoints:
            return closed_walks(op, self.vertex_ptr, self.graph_of, length, workers)
        out = np.zeros(self.n_vertices, VALUE)

        def close(start: int, stop: int) -> None:
            ptr = self.vertex_ptr[start : stop + 1]
            matrix = op.between(int(ptr[0]), int(ptr[-1]))
            graphs, ptr = np.arange(stop - start), ptr - ptr[0]
            # Up to two steps nothing is read from the transpose.
            turned = matrix if length < 3 else _transposed(matrix, ptr)
            diagonal.closed_walks(
                graphs, ptr, *matrix.rows, matrix.divisor, *turned.rows, length,
                out[self.vertex_ptr[start] : self.vertex_ptr[stop]],
            )  # fmt: skip

        workers.each(close, workers.stretches(self.vertex_ptr, at_least=256))
        return out


def _transposed(op: Operator, vertex_ptr: np.ndarray) -> Operator:
    n = len(op.indptr) - 1
    starts = np.repeat(vertex_ptr[:-1], np.diff(vertex_ptr))
    first = np.repeat(starts, np.diff(op.indptr))
    matrix = sparse.csr_array((op.weights, op.indices + first, op.indptr), shape=(n, n))
    turned = sparse.csr_array(matrix.T)
    turned.sort_indices()
    start = np.repeat(starts, np.diff(turned.indptr))
    return Operator(
        op.name,
        turned.indptr.astype(OFFSET),
        (turned.indices - start).astype(np.int32),
        turned.data.astype(VALUE),
        op.divisor,
    )


def _encode(
    flat: FlatGraphs, table: FeatureTable, operators: tuple[str, ...], colours: np.ndarray | None,
    totals: Totals, by_graph: bool, workers: Workers,
) -> tuple[list[tuple[int, int]], list[Any], tuple[Operator, ...]]:  # fmt: skip
    """Stretches of graphs, the encoded features of each, and the operators of all.

    Unless values are laid out by graph, they are those of all graphs in one piece.
    """
    shared = by_graph and not isinstance(flat, LineGraphs)
    spans = [(0, flat.n_graphs)]
    if shared:
        spans = workers.stretches(flat.vertex_ptr, VERTICES_A_THREAD)
    in_full = table.keeps_zeros(flat, totals, workers)

    def encode(start: int, stop: int) -> tuple[Any, tuple[Operator, ...]]:
        some = flat.between(start, stop)
        return table.encode(some, colours, in_full), build_operators(some, operators)

    values, built = zip(*workers.each(encode, spans), strict=True)
    return spans, list(values), join_operators(built, workers)


def _listed(values: Any, vertex_ptr: np.ndarray, totals: Totals) -> LaneLists | None:
    """The values as lists; None where many are not zero."""
    if not sparse.issparse(values):
        filled = np.zeros(len(values), OFFSET)
        lanes.count_filled(values, filled)
        of_graphs = np.diff(starts_of(filled)[vertex_ptr])
        n_filled, n_vertices = totals.add_up(of_graphs, np.diff(vertex_ptr))
        if n_filled > SPARSE_SHARE * n_vertices * values.shape[1]:
            return None
        values = sparse.csr_array(values)
    lists = LaneLists.of(values, vertex_ptr)
    return lists if lists.share(totals) <= SPARSE_SHARE else None
