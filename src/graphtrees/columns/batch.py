"""Many graphs side by side, in the layout that kernels read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from graphtrees._communicator import HERE, Totals
from graphtrees._layout import OFFSET, SMALL, SMALL_LIMIT, VALUE
from graphtrees._threads import Workers
from graphtrees.columns.closed_edges import closed_walks
from graphtrees.columns.lane_lists import LaneLists, Lanes
from graphtrees.columns.overflow import Bounds
from graphtrees.columns.part_layout import PartLayout
from graphtrees.columns.sparse_rows import SparseRows
from graphtrees.graphs.flat import FlatGraphs, dense, starts_of
from graphtrees.kernels import diagonal, lanes, walks
from graphtrees.questions.features import FeatureTable
from graphtrees.questions.operators import Operator, build_operators

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
    ) -> Batch:
        """`adds_up` tells whether any question sums over vertices; see `lanes.round_small`.

        The lanes of a vertex are filled up with zeros to a multiple of `row_of`. `colours` are the
        numbers of those that will be asked about; None: all. The layout follows from `totals`.
        """
        if totals.halo is not None:
            return cls._of_part(flat, table, operators, adds_up, totals)
        values: Any = table.encode(flat, colours, totals)
        vertex_ptr = flat.vertex_ptr.astype(OFFSET)
        n_columns = values.shape[1]
        built = build_operators(flat, operators)
        lists = _listed(values, vertex_ptr, totals) if row_of == 1 and not lane_major else None
        if lists is not None:
            return cls._of_lists(lists.rounded() if adds_up else lists, n_columns, built)
        # A graph has a lane for each feature that any of its vertices holds.
        shares_lanes = totals.of_one_graph and sparse.issparse(values)
        if shares_lanes and totals.n_distinct(values.indices) == n_columns:
            values = values.toarray()
        full = _written_out(values, vertex_ptr, lane_major, row_of)
        x = _narrowed(full.x) if row_of > 1 else full.x
        if adds_up and x.dtype == VALUE and _spans_much(x):
            rounded = np.empty_like(x)
            if lanes.round_small(vertex_ptr, full.lane_ptr, full.x_ptr, lane_major, x, rounded):
                x = rounded
        return cls(
            vertex_ptr, full.lane_ptr, full.lane_features, full.x_ptr, lane_major, x, n_columns,
            built,
        )  # fmt: skip

    @classmethod
    def _of_lists(cls, lists: LaneLists, n_columns: int, operators: tuple[Operator, ...]) -> Batch:
        return cls(
            lists.vertex_ptr, lists.lane_ptr, lists.lane_features, np.zeros_like(lists.vertex_ptr),
            False, np.empty(0, VALUE), n_columns, operators, lists,
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
        full = _written_out(dense(values) if layout.is_full else values, vertex_ptr, False, 1)
        x = layout.round_full(full, flat.n_vertices) if adds_up else full.x
        return cls(
            vertex_ptr, full.lane_ptr, full.lane_features, full.x_ptr, False, x, n_columns, built
        )

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
        return Lanes(self.lane_ptr, self.lane_features, self.x_ptr, _real(self.x))

    @cached_property
    def bounds(self) -> Bounds:
        """How large sums can get at the most."""
        return Bounds.of(self)

    def walked(self, operator: int, length: int, workers: Workers) -> np.ndarray:
        """A^length x, computed once."""
        key = (operator, length)
        if key not in self._walked:
            first = length == 1
            before = _real(self.x_walk) if first else self.walked(operator, length - 1, workers)
            self._walked[key] = self._step(operator, before, workers)
        return self._walked[key]

    def walks(self, operator: int, longest: int, workers: Workers) -> np.ndarray:
        """A x, A² x, ... in one array, whose rows `walked` hands out from then on."""
        key = (operator, longest)
        if key not in self._walks:
            before = self.x_walk if self._walks_are_small(operator, longest) else _real(self.x_walk)
            rows = np.zeros((longest, len(before)), before.dtype)
            for d in range(1, longest + 1):
                before = self._step(operator, before, workers, out=rows[d - 1])
                self._walked[operator, d] = before
            self._walks[key] = rows
        return self._walks[key]

    def _walks_are_small(self, operator: int, longest: int) -> bool:
        """Whether every value that walks bring to a vertex is a small whole number."""
        op = self.operators[operator]
        if self.x.dtype != SMALL or len(op.divisor) or not are_whole(op.weights):
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
        values = np.abs(_real(self.x_walk))
        smallest, largest = smallest_bit(values), 0.0
        for length in range(longest + 1):
            values = self._step(operator, values, workers) if length else values
            largest = max(largest, _largest_sum(values, self.x_ptr))
        return largest < smallest * 2.0**53

    def _bound(self, operator: int, longest: int, workers: Workers) -> float:
        weights = self.operators[operator].weights
        whole = are_whole(self.x_walk) and are_whole(weights)
        if not whole or (weights < 0).any():
            return np.inf
        positive = self.x_walk.min(initial=0) >= 0
        values = self.x_walk if positive else np.abs(_real(self.x_walk))
        largest = 0.0
        for length in range(longest + 1):
            if length and positive:
                values = self.walks(operator, longest, workers)[length - 1]
            elif length:
                values = self._step(operator, values, workers)
            largest = max(largest, _largest_sum(values, self.x_ptr))
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
        transposed = self._transposed(op)
        out = np.zeros(self.n_vertices, VALUE)
        workers.each(
            lambda start, stop: diagonal.closed_walks(
                np.arange(start, stop), self.vertex_ptr, op.indptr, op.indices, op.weights,
                op.divisor, *transposed, length, out,
            ),
            workers.spans(self.n_graphs, at_least=16),
        )  # fmt: skip
        return out

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


def _written_out(values: Any, vertex_ptr: np.ndarray, lane_major: bool, row_of: int) -> Lanes:
    """The values in full, a lane for each feature that a graph holds at all."""
    sizes, n_columns = np.diff(vertex_ptr), values.shape[1]
    if not sparse.issparse(values):
        every = np.tile(np.arange(n_columns, dtype=np.int32), len(sizes))
        x = _by_lanes(values, vertex_ptr) if lane_major else _in_rows(values, row_of)
        lane_ptr = np.arange(len(sizes) + 1, dtype=OFFSET) * n_columns
        return Lanes(lane_ptr, every, vertex_ptr * _filled_up(n_columns, row_of), x)
    indptr, indices = values.indptr.astype(OFFSET), values.indices.astype(np.int32, copy=False)
    counts = np.zeros(len(sizes), OFFSET)
    lanes.count_lanes(vertex_ptr, indptr, indices, n_columns, counts)
    lane_ptr, x_ptr = starts_of(counts), starts_of(sizes * _filled_up(counts, row_of))
    lane_features, x = np.empty(lane_ptr[-1], np.int32), np.zeros(x_ptr[-1], VALUE)
    lanes.list_lanes(vertex_ptr, indptr, indices, n_columns, lane_ptr, lane_features)
    first = np.repeat(np.arange(len(sizes)) * n_columns, counts)
    lane_features = (np.sort(first + lane_features) - first).astype(np.int32)
    lanes.fill_lanes(
        vertex_ptr, indptr, indices, values.data.astype(VALUE, copy=False), n_columns,
        lane_ptr, lane_features, x_ptr, lane_major, x,
    )  # fmt: skip
    return Lanes(lane_ptr, lane_features, x_ptr, x)


def _filled_up(lanes: Any, row_of: int) -> Any:
    """The next multiple of `row_of`."""
    return -(-lanes // row_of) * row_of


def _in_rows(values: np.ndarray, row_of: int) -> np.ndarray:
    """Dense rows, filled up to a multiple of `row_of`."""
    n, lanes = values.shape
    if lanes % row_of == 0:
        return values.ravel()
    x = np.zeros((n, _filled_up(lanes, row_of)), VALUE)
    x[:, :lanes] = values
    return x.ravel()


def _by_lanes(values: np.ndarray, vertex_ptr: np.ndarray) -> np.ndarray:
    """Dense rows rearranged graph by graph, each lane in one piece."""
    n, lanes = values.shape
    sizes = np.diff(vertex_ptr)
    first, size = np.repeat(vertex_ptr[:-1], sizes), np.repeat(sizes, sizes)
    start = first * lanes + (np.arange(n) - first)
    x = np.empty(values.size, VALUE)
    for lane in range(lanes):
        x[start + lane * size] = values[:, lane]
    return x


def _pieces(values: np.ndarray) -> Iterator[np.ndarray]:
    """Values some at a time, to save memory."""
    return (values[start : start + 2**20] for start in range(0, len(values), 2**20))


def _narrowed(values: np.ndarray) -> np.ndarray:
    """As int16 where all are small whole numbers."""
    for piece in _pieces(values):
        if not ((np.abs(piece) < SMALL_LIMIT) & (piece == np.rint(piece))).all():
            return values
    return values.astype(SMALL)


def _real(values: np.ndarray) -> np.ndarray:
    """As float32."""
    return values.astype(VALUE, copy=False)


def are_whole(values: np.ndarray) -> bool:
    """Whether all are whole numbers."""
    return values.dtype == SMALL or all(
        bool((piece == np.rint(piece)).all()) for piece in _pieces(values)
    )


def smallest_bit(values: np.ndarray) -> float:
    """The largest power of two of which all known numbers are multiples; inf for zeros alone."""
    smallest = np.inf
    for piece in _pieces(values):
        filled = (piece != 0) & ~np.isnan(piece)
        mantissa, exponent = np.frexp(piece[filled].astype(np.float64))
        digits = np.ldexp(mantissa, 24).astype(np.int64)
        bits = np.ldexp((digits & -digits).astype(np.float64), exponent - 24)
        smallest = min(smallest, float(bits.min(initial=np.inf)))
    return smallest


def _spans_much(values: np.ndarray) -> bool:
    """Whether any two numbers are so far apart that small ones may have to be rounded."""
    largest, smallest = 0.0, np.inf
    for piece in _pieces(values):
        sizes = np.abs(piece[np.isfinite(piece) & (piece != 0)])
        largest = max(largest, float(sizes.max(initial=0.0)))
        smallest = min(smallest, float(sizes.min(initial=np.inf)))
    return smallest * lanes.FULL_RANGE < largest


def _largest_sum(values: np.ndarray, ptr: np.ndarray) -> float:
    """The largest sum of values[ptr[g] : ptr[g + 1]], some g at a time to save memory."""
    ptr = ptr[np.r_[True, np.diff(ptr) > 0]]  # without those that hold nothing
    largest = 0.0
    for start in range(0, len(ptr) - 1, 256):
        here = ptr[start : start + 257]
        piece = values[here[0] : here[-1]]
        sums = np.add.reduceat(piece, here[:-1] - here[0], dtype=np.float64)
        largest = max(largest, float(sums.max()))
    return largest
