"""Vertices as examples, laid out for the kernels that grow trees on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from graphtrees._communicator import ALONE, Communicator
from graphtrees._layout import CYCLE, OFFSET, SOURCE, VALUE
from graphtrees._threads import Workers
from graphtrees.columns.arrays import stacked_divisors
from graphtrees.columns.batch import Batch
from graphtrees.columns.numbers import are_whole, smallest_bit
from graphtrees.columns.patterns import EntryPatterns, Lists
from graphtrees.columns.static_columns import bound_by, make_static, widest_bounds
from graphtrees.columns.vertex_rows import VertexRows
from graphtrees.kernels.answer_tiles import EXAMPLES_A_TILE
from graphtrees.kernels.growing_records import StaticColumns
from graphtrees.kernels.vertex_columns import TILE
from graphtrees.kernels.vertex_records import (
    LaneRoom,
    RowRoom,
    Stages,
    VertexLayout,
    VertexOperators,
    VertexScratch,
    VertexSource,
)
from graphtrees.questions.feature_limits import FeatureLimits
from graphtrees.questions.operators import Operator
from graphtrees.questions.plan import Plan, QuestionSpace
from graphtrees.questions.table import QuestionTable

# float32 holds all whole numbers below.
LARGEST_WHOLE = 2**24


@dataclass(frozen=True)
class VertexColumns:
    """What stays the same from tree to tree."""

    layout: VertexLayout
    operators: VertexOperators
    patterns: EntryPatterns
    rows: VertexRows
    is_whole: bool  # all sums are of whole numbers that are not negative

    @property
    def n_examples(self) -> int:
        return len(self.layout.vertex)

    @property
    def is_present(self) -> np.ndarray:
        """A vertex always has an answer: it need not be in the subset that walks start from."""
        return np.ones(self.n_examples, bool)

    @classmethod
    def of(
        cls, batch: Batch, vertices: np.ndarray, space: QuestionSpace, table: QuestionTable,
        limits: FeatureLimits, workers: Workers, communicator: Communicator = ALONE,
    ) -> VertexColumns:  # fmt: skip
        longest = space.max_walk_length
        rows = VertexRows.of(batch, vertices, longest, communicator)
        missing = batch.has_missing
        layout = VertexLayout(
            vertices.astype(OFFSET), rows.is_full, batch.n_columns, rows.ptr, rows.feature, rows.x
        )
        operators = _operators(batch, space, rows, workers, communicator)
        lists = _lists(rows, vertices, longest, len(space.operators))
        of_whole, of_subset = (_levels(plan, longest) for plan in (table.whole, table.subset))
        whole = not missing and operators.is_exact and _are_counts(rows.x)
        whole = whole and _are_counts(operators.weights)
        # Counts are read where they stand, and workers tell each other histograms of those.
        shares = rows.is_full and not whole and communicator.n_workers == 1
        bounds = batch.bounds
        largest = _largest_sum(bounds.value, bounds.growth, longest)
        adds = whole and not rows.is_full and largest < LARGEST_WHOLE
        patterns = EntryPatterns.of(
            lists, of_whole, of_subset, len(vertices), table, limits,
            own=_own_places(table) if shares else None,
            whole_of=_walked_places(table) if adds else None,
        )  # fmt: skip
        return cls(layout, operators, patterns, rows, whole)

    @property
    def block_dtype(self) -> np.dtype:
        """Of the columns of subsets."""
        return np.dtype(VALUE)

    def source(self) -> VertexSource:
        return VertexSource(self.patterns.record, self.layout, self.operators)

    def scratch(self, n_members: int, makes_blocks: bool = True) -> list[VertexScratch]:
        """Room for each member of a team; without blocks, each member walks alone."""
        n, n_ends = len(self.layout.row_ptr[0]) - 1, self.operators.into_indptr.shape[1] - 1
        longest = self.operators.diagonal.shape[1]
        width = self.layout.n_features
        n_rows, n_sums = self.rows.largest_row, self.rows.largest_sum
        if self.rows.is_full:
            width = min(width, TILE)
            n_rows, n_sums = n * width, n_ends * width
        shared = (
            _lane_room(n, n_ends),
            _stages(longest if makes_blocks else 0, n, n_ends),
            _row_room(n_rows if longest > 1 else 0, n_sums, n, n_ends, makes_blocks),
        )
        alone = 0 if makes_blocks else 1

        def one() -> VertexScratch:
            own = _lane_room(alone * n, alone * n_ends), _stages(alone * longest, n, n_ends)
            tile = EXAMPLES_A_TILE if self.rows.is_full else 0
            return VertexScratch(
                *shared, *own, np.zeros(2 * width), np.zeros(2 * width),
                np.empty((tile, 2 * width), VALUE),
            )  # fmt: skip

        return [one() for _ in range(n_members)]

    def static(
        self, plan: Plan, subset: Plan, max_bins: int | None, workers: Workers,
        communicator: Communicator = ALONE,
    ) -> StaticColumns:  # fmt: skip
        """The columns of whole graphs and, but for the exact search, their bins."""
        columns = make_static(self, plan, subset, self.is_present, max_bins, workers, communicator)
        if communicator.all(self.is_whole):
            # What a subset brings is at most what the whole graph does.
            for place in range(subset.width):
                bound_by(columns, self.patterns, _same_of_all(plan, subset, place), place)
        return widest_bounds(columns, communicator)


def _levels(plan: Plan, longest: int) -> np.ndarray:
    """Which lists of features a question's columns have entries for; as `level_of` of kernels."""
    walked = (plan.walk_length > 0) & (plan.walk_type == SOURCE)
    return np.where(walked, plan.operator * longest + plan.walk_length, 0).astype(np.int64)


def _same_of_all(whole: Plan, subset: Plan, place: int) -> int:
    """The place of a question about subsets among those about whole graphs."""
    operator, length = int(subset.operator[place]), int(subset.walk_length[place])
    walk_type = CYCLE if subset.is_closed(place) else SOURCE
    return int(whole.places[operator, length, walk_type, 0])


def _own_places(table: QuestionTable) -> np.ndarray:
    """Of questions without walks between vertices, the same about whole graphs; else -1."""
    return _places_of_all(table, lambda place: not _is_walked(table.subset, place))


def _walked_places(table: QuestionTable) -> np.ndarray:
    """Of the other ones, the same about whole graphs; else -1."""
    return _places_of_all(table, lambda place: _is_walked(table.subset, place))


def _is_walked(subset: Plan, place: int) -> bool:
    return bool(subset.walk_length[place] > 0 and not subset.is_closed(place))


def _places_of_all(table: QuestionTable, is_meant: Callable[[int], bool]) -> np.ndarray:
    whole, subset = table.whole, table.subset
    return np.array([
        _same_of_all(whole, subset, place) if is_meant(place) else -1
        for place in range(subset.width)
    ], np.int64)  # fmt: skip


def _lists(
    rows: VertexRows, vertices: np.ndarray, longest: int, n_operators: int
) -> list[Lists | None]:
    """The features that each example holds, level by level."""
    if rows.is_full:
        return [None] * (1 + n_operators * longest)
    lists: list[Lists | None] = []
    for ptr in rows.ptr:
        sizes = ptr[vertices + 1] - ptr[vertices]
        starts = np.r_[0, np.cumsum(sizes)]
        entry = np.repeat(ptr[vertices] - starts[:-1], sizes) + np.arange(starts[-1])
        lists.append(Lists(starts, rows.feature[entry]))
    return lists


def _operators(
    batch: Batch, space: QuestionSpace, rows: VertexRows, workers: Workers,
    communicator: Communicator,
) -> VertexOperators:  # fmt: skip
    built, longest = batch.operators, space.max_walk_length
    has_endpoints = any(op.has_endpoints for op in built)
    closed = np.zeros((len(built), longest, 0), VALUE)
    if CYCLE in space.walk_types and longest:
        closed = _stacked([batch.diagonals(o, longest, workers) for o in range(len(built))])
    into = [op.endpoints for op in built]
    return VertexOperators(
        _shifted([op.indptr for op in built]),
        workers.join([_global_sources(op, batch) for op in built]),
        workers.join([op.weights for op in built]),
        stacked_divisors(batch), closed, has_endpoints, any(m.skips_itself for m in into),
        _shifted([m.indptr for m in into]),
        np.concatenate([_globally(m.indices, m.indptr, m.graph_of, batch) for m in into]),
        rows.end_ptr, rows.end_feature,
        _adds_exactly(batch, rows.x, longest, communicator),
    )  # fmt: skip


def _shifted(pointers: list[np.ndarray]) -> np.ndarray:
    """Pointers into lists that lie end to end."""
    shifts = np.cumsum([0] + [int(ptr[-1]) for ptr in pointers[:-1]]).tolist()
    moved = [ptr + k if k else ptr for ptr, k in zip(pointers, shifts, strict=True)]
    return _stacked(moved)


def _stacked(arrays: list[np.ndarray]) -> np.ndarray:
    """One row each; a single array is not copied."""
    return np.stack(arrays) if len(arrays) > 1 else arrays[0][None]


def _global_sources(op: Operator, batch: Batch) -> np.ndarray:
    """Vertices, or endpoints, numbered over all graphs."""
    if batch.n_graphs == 1:
        return op.indices
    starts = op.endpoints.ptr if op.has_endpoints else batch.vertex_ptr
    first = np.repeat(starts[batch.graph_of], np.diff(op.indptr))
    return (op.indices + first).astype(np.int32)


def _globally(
    indices: np.ndarray, indptr: np.ndarray, graph_of: np.ndarray, batch: Batch
) -> np.ndarray:
    """The vertices that enter endpoints, numbered over all graphs."""
    if not len(graph_of):
        return np.empty(0, np.int32)
    return (indices + np.repeat(batch.vertex_ptr[graph_of], np.diff(indptr))).astype(np.int32)


def _adds_exactly(batch: Batch, x: np.ndarray, longest: int, communicator: Communicator) -> bool:
    """Whether float64 holds every sum of walks, of any worker, exactly.

    All values are multiples of the smallest bit among them, edge weights are whole, and no sum is
    larger than 2^52 of those bits. (A sum rounded to float32 is still a multiple.)
    """
    plain = all(not len(op.divisor) and are_whole(op.weights) for op in batch.operators)
    if not communicator.all(plain):
        return False
    here = np.array([batch.bounds.value, *batch.bounds.growth, -smallest_bit(x)])
    value, *growth, bit = communicator.all_reduce(here, np.maximum)
    return bool(_largest_sum(value, growth, longest) < -bit * 2.0**52)


def _largest_sum(value: float, growth: Sequence[float], longest: int) -> float:
    """No sum of walks is larger, if no value is larger than this and a step adds so much to it."""
    with np.errstate(over="ignore"):
        return float(value * np.float64(max(1.0, *growth)) ** longest)


def _are_counts(values: np.ndarray) -> bool:
    return bool((values >= 0).all()) and are_whole(values)


def _lane_room(n: int, n_ends: int) -> LaneRoom:
    return LaneRoom(np.empty(n, VALUE), np.empty(n, VALUE), np.empty(n_ends), np.empty(n_ends))


def _stages(longest: int, n: int, n_ends: int) -> Stages:
    return Stages(
        np.empty((longest, n), np.int32), np.zeros(longest, np.int64),
        np.zeros(n if longest else 0, np.int64), np.empty((longest, n_ends), np.int32),
        np.zeros(longest, np.int64), np.zeros(n_ends if longest else 0, np.int64),
        np.zeros(1, np.int64),
    )  # fmt: skip


def _row_room(n_rows: int, n_sums: int, n: int, n_ends: int, makes_blocks: bool) -> RowRoom:
    used = int(makes_blocks)
    return RowRoom(
        np.empty((2, 2, used * n_rows), VALUE), np.empty((2, used * n_sums)),
        np.empty((2, used * n_sums)), np.empty((2, used * n), np.uint8),
        np.empty(used * n_ends, np.uint8),
    )  # fmt: skip
