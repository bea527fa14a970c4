"""Whole graphs as examples, laid out for the kernels that grow trees on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphtrees._communicator import ALONE, Communicator
from graphtrees._layout import (
    CYCLE,
    MAX_OF,
    MEAN_OF,
    SMALL,
    SMALL_LIMIT,
    SOURCE,
    SUM_OF,
    VALUE,
)
from graphtrees._threads import Workers
from graphtrees.columns.arrays import stacked_divisors
from graphtrees.columns.batch import Batch
from graphtrees.columns.graph_lanes import GraphLanes
from graphtrees.columns.patterns import EntryPatterns, Lists
from graphtrees.columns.static_columns import bound_by, make_static, widest_bounds
from graphtrees.kernels._rows import WIDTH
from graphtrees.kernels.graph_values import GRAPHS_A_TILE, KEPT_FIELDS, KEPT_ROWS
from graphtrees.kernels.growing_records import (
    ExactGraphSource,
    GraphLayout,
    GraphOperators,
    GraphScratch,
    GraphSource,
    PlainGraphSource,
    StaticColumns,
)
from graphtrees.questions.feature_limits import FeatureLimits
from graphtrees.questions.plan import Plan, QuestionSpace
from graphtrees.questions.table import QuestionTable


@dataclass(frozen=True)
class GraphColumns:
    """What stays the same from tree to tree."""

    layout: GraphLayout
    operators: GraphOperators
    is_plain: bool  # sums are of small whole numbers, which float32 adds exactly
    is_exact: bool  # float64 adds the numbers exactly
    is_positive: bool  # no value is below 0
    longest: int
    largest: int  # vertices of the largest graph
    patterns: EntryPatterns

    @property
    def is_present(self) -> np.ndarray:
        """Which graphs have any vertex."""
        return np.diff(self.layout.vertex_ptr) > 0

    @classmethod
    def of(
        cls, batch: Batch, colours: np.ndarray, space: QuestionSpace, table: QuestionTable,
        limits: FeatureLimits, workers: Workers,
    ) -> GraphColumns:  # fmt: skip
        """colours[r, v] is the number of a vertex's colour in round r + 1, -1 for none."""
        longest, n_operators = space.max_walk_length, len(space.operators)
        largest = int(np.diff(batch.vertex_ptr).max(initial=1))
        rows = len(batch.x) // WIDTH
        shape = (n_operators, longest, rows if longest else 0, WIDTH)
        walked = _stacked(shape, lambda o: batch.walks(o, longest, workers), batch.x.dtype)
        closed = np.zeros((n_operators, longest, 0), VALUE)
        if CYCLE in space.walk_types:
            sizes = (n_operators, longest, batch.n_vertices if longest else 0)
            closed = _stacked(sizes, lambda o: batch.diagonals(o, longest, workers), VALUE)
        plain = all(batch.is_plain(o, longest, workers) for o in range(n_operators))
        largest_sum = max(batch.largest_sum(o, longest, workers) for o in range(n_operators))
        x, x_walk = batch.x.reshape(-1, WIDTH), batch.x_walk.reshape(-1, WIDTH)
        if walked.dtype != SMALL or max(largest_sum, largest) >= SMALL_LIMIT:
            x, x_walk = x.astype(VALUE, copy=False), x_walk.astype(VALUE, copy=False)
            walked = walked.astype(VALUE, copy=False)
        lanes = GraphLanes.of(batch, colours)
        alike = np.zeros(table.whole.width, np.int64), np.zeros(table.subset.width, np.int64)
        lists = [Lists(lanes.ptr, lanes.features)]
        stored_as = _stored_as(table.subset) if x.dtype == SMALL else None
        patterns = EntryPatterns.of(lists, *alike, batch.n_graphs, table, limits, stored_as)
        layout = GraphLayout(
            batch.vertex_ptr, lanes.ptr, lanes.features, lanes.n_valued, lanes.colour,
            np.stack(patterns.position), patterns.lane_at, batch.x_ptr // WIDTH,
            x, x_walk,
        )  # fmt: skip
        operators = stack(batch, walked, closed, workers)
        exact = plain or all(batch.adds_exactly(o, longest, workers) for o in range(n_operators))
        positive = batch.bounds.lowest >= 0
        return cls(layout, operators, plain, exact, positive, longest, largest, patterns)

    @property
    def block_dtype(self) -> np.dtype:
        """Of the columns of subsets."""
        return self.layout.x.dtype

    def source(self) -> GraphSource | ExactGraphSource | PlainGraphSource:
        """By the way in which the numbers can be added."""
        kind = ExactGraphSource if self.is_exact else GraphSource
        kind = PlainGraphSource if self.is_plain else kind
        return kind(self.patterns.record, self.layout, self.operators)

    def scratch(self, n_members: int, makes_blocks: bool = True) -> list[GraphScratch]:
        """Room for each member of a team."""
        return [self._scratch() for _ in range(n_members)]

    def _scratch(self) -> GraphScratch:
        most = max(1, self.largest)
        height = 32 * (self.longest + 1)  # both subsets, 4 walk types, 4 aggregators
        return GraphScratch(
            np.ones(most, np.uint8), np.empty(2 * most + 1, np.int32), np.empty(most, np.int32),
            np.zeros(2, np.int64),
            # Zeros: walks from outside the subsets add to a third part, which is never cleared.
            np.zeros((3 * most, WIDTH), VALUE), np.zeros((3 * most, WIDTH), VALUE),
            np.empty((height, WIDTH), VALUE), np.empty(most, VALUE), np.empty(most, VALUE),
            np.empty((int(np.diff(self.layout.lane_ptr).max(initial=1)), 2), np.int64),
            np.empty(GRAPHS_A_TILE, np.int32), np.empty(KEPT_ROWS * height * WIDTH, VALUE),
            np.empty((KEPT_ROWS, KEPT_FIELDS), np.int64),
            np.empty(KEPT_ROWS * WIDTH + 1, np.int32), np.empty(KEPT_ROWS * WIDTH + 1, np.int32),
        )  # fmt: skip

    def static(
        self, plan: Plan, subset: Plan, max_bins: int | None, workers: Workers,
        communicator: Communicator = ALONE,
    ) -> StaticColumns:  # fmt: skip
        """The columns of whole graphs and, but for the exact search, their bins."""
        columns = make_static(self, plan, subset, self.is_present, max_bins, workers, communicator)
        counts = self.is_plain and self.is_positive
        if communicator.all(counts and bool((self.operators.weights >= 0).all())):
            self._bound(plan, subset, columns)
        return widest_bounds(columns, communicator)

    def _bound(self, whole: Plan, subset: Plan, columns: StaticColumns) -> None:
        """What a subset adds up to is at most what the whole graph does; sizes likewise."""
        for place in range(subset.width):
            kind = int(subset.aggregator[place])
            if kind == MEAN_OF:
                continue
            walk_type = CYCLE if subset.is_closed(place) else SOURCE
            wanted = SUM_OF if kind == SUM_OF else MAX_OF
            operator, length = int(subset.operator[place]), int(subset.walk_length[place])
            at = int(whole.places[operator, length, walk_type, wanted])
            if at >= 0:
                bound_by(columns, self.patterns, at, place)


def _stacked(
    shape: tuple[int, ...], make: Callable[[int], np.ndarray], dtype: npt.DTypeLike
) -> np.ndarray:
    """One array for every operator; a single one is not copied, and an empty one has this dtype."""
    if 0 in shape:
        return np.zeros(shape, dtype)
    if shape[0] == 1:
        return make(0).reshape(shape)
    return np.stack([make(o).reshape(shape[1:]) for o in range(shape[0])])


def _stored_as(subset: Plan) -> np.ndarray:
    """Means of small whole numbers are read from the columns of their sums."""
    owner = np.arange(subset.width)
    sums = subset.places[..., SUM_OF].ravel()
    means = subset.places[..., MEAN_OF].ravel()
    both = (sums >= 0) & (means >= 0)
    owner[means[both]] = sums[both]
    return owner


def stack(batch: Batch, walked: np.ndarray, closed: np.ndarray, workers: Workers) -> GraphOperators:
    """All operators in one set of arrays."""
    built = batch.operators
    shifts = np.cumsum([0] + [len(op.indices) for op in built[:-1]])
    starts = [op.indptr + k if k else op.indptr for op, k in zip(built, shifts, strict=True)]
    return GraphOperators(
        workers.join([ptr[None] for ptr in starts]),
        workers.join([op.indices for op in built]),
        workers.join([batch.targets(o, workers) for o in range(len(built))]),
        workers.join([op.weights for op in built]),
        stacked_divisors(batch), walked, closed,
    )  # fmt: skip
