"""The arrays that a team of threads needs to grow a tree, kept from tree to tree."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from graphtrees._layout import GAIN_TOLERANCE, SUM, VALUE
from graphtrees.graphs.flat import starts_of
from graphtrees.kernels._references import stored
from graphtrees.kernels.growing.nodes import CONTROL_SIZE, N_FREE
from graphtrees.kernels.growing_records import (
    ColumnScratch,
    GraphScratch,
    Member,
    Nodes,
    SearchLimits,
    SharedColumns,
    Work,
)
from graphtrees.kernels.vertex_records import VertexScratch

# Pieces of the search that threads share out, at least, where there are as many columns.
PIECES = 64

# A piece has no more answers than this, unless of one column: so many stay in the cache for the
# second of two children.
ANSWERS_A_PIECE = 2**18

# The entries of a node are listed by stretches of its rows: at most so many, none shorter than
# this. Each has a place for every feature: too many would take longer to lay out than to fill.
MOST_LISTED, LISTED_ROWS, ENTRIES_A_FEATURE = 32, 128, 16

SourceScratch = list[GraphScratch] | list[VertexScratch]

# The best cut by bins is looked for again among all values of the winning column, for columns of
# up to this many entries; beyond it the bins are fine enough.
REFINED_ROWS = 20_000


@dataclass(frozen=True)
class Shape:
    """What decides how large the arrays are."""

    n_examples: int
    n_vertices: int
    n_features: int
    n_patterns: int
    n_entries: int  # of all patterns
    block_size: int
    n_whole: int
    n_places: int
    max_ancestor_distance: int
    n_words: int
    max_bins: int  # 0: the exact search
    n_drawn: int  # the most columns that a turn of a draw handles; 0: nothing is drawn
    makes_blocks: bool
    n_slots: int  # for the subsets of split-nodes on vertices; 0: examples are graphs
    task_sizes: tuple[int, ...]  # columns of every question about whole graphs, then about subsets
    n_gathered: int = 0  # the most entries of one column that come together from all workers
    block_dtype: npt.DTypeLike = VALUE  # of columns of subsets
    n_leaves: int = 0  # the most leaves of a tree, if more than the examples here
    n_in_order: int = 0  # vertices whose answers are stored in the order of a node's rows
    n_listed: int = 0  # vertices that are listed by the subset that they are in

    @property
    def n_tasks(self) -> int:
        return self.n_whole + 2 * self.n_places * self.max_ancestor_distance

    @property
    def n_shares(self) -> int:
        """Into how many pieces the features of a question are shared out."""
        for_threads = PIECES // max(1, self.n_tasks)
        for_cache = -(-self.n_examples * self.n_features // ANSWERS_A_PIECE)
        return max(1, min(max(for_threads, for_cache), self.n_features))

    @property
    def rows_a_stretch(self) -> int:
        """Rows whose entries one thread lists: enough of them for every feature to have some."""
        wanted = self.n_patterns * self.n_features * ENTRIES_A_FEATURE
        return max(LISTED_ROWS, -(-wanted * self.n_examples // max(1, self.n_entries)))

    @property
    def n_stretches(self) -> int:
        return max(1, min(MOST_LISTED, self.n_examples // self.rows_a_stretch))

    @property
    def gain_start(self) -> np.ndarray:
        """Where the columns of each task begin."""
        whole, subset = np.split(np.array(self.task_sizes, np.int64), [self.n_whole])
        return starts_of(np.r_[whole, np.tile(np.repeat(subset, 2), self.max_ancestor_distance)])


@dataclass
class Workspace:
    """Room for one tree, and for each member of the team that grows it."""

    shape: Shape
    work: Work
    scratch: list[ColumnScratch]
    source_scratch: SourceScratch = field(repr=False)
    shared: SharedColumns | None = None  # where several workers grow a tree together

    @cached_property
    def members(self) -> list[Any]:
        """The room of each member, as `grow` is handed it."""
        return [
            stored(Member(*room)) for room in zip(self.scratch, self.source_scratch, strict=True)
        ]

    @classmethod
    def of(cls, shape: Shape, source_scratch: SourceScratch) -> Workspace:
        scratch = [column_scratch(shape) for _ in source_scratch]
        return cls(shape, _work(shape), scratch, source_scratch)

    def for_team(self, source_scratch: SourceScratch) -> Workspace:
        """The same for a team of another size."""
        scratch = [column_scratch(self.shape) for _ in source_scratch]
        return replace(self, scratch=scratch, source_scratch=source_scratch)


def add_slots(work: Work) -> Work:
    """Twice as many places for subsets; those there are stay as they are."""
    n, n_vertices = work.codes.shape
    codes = np.empty((2 * n, n_vertices), np.uint8)
    codes[:n] = work.codes
    free = np.empty(2 * n, np.int64)
    free[:n] = np.arange(n, 2 * n)
    work.control[N_FREE] = n
    return work._replace(codes=codes, free_slots=free)


def _work(shape: Shape) -> Work:
    a, n, entries = shape.max_ancestor_distance, shape.n_examples, shape.n_entries
    gain_start = shape.gain_start
    n_columns = int(gain_start[-1])
    return Work(
        control=np.zeros(CONTROL_SIZE, np.int64),
        rows=np.empty(n, np.int32),
        spare_rows=np.empty(n, np.int32),
        goes_left=np.empty(n, np.uint8),
        codes=np.empty((shape.n_slots or a + 1, shape.n_vertices if a else 0), np.uint8),
        free_slots=np.arange(shape.n_slots),
        positions=np.tile(
            np.arange(shape.n_in_order, dtype=np.int32), (a if shape.n_in_order else 0, 1)
        ),
        inside=np.empty((a, shape.n_listed), np.int32),
        n_inside_rows=np.zeros((2, a, 2), np.int64),
        n_inside=np.ones((a + 1, 0 if shape.n_slots else n, 2), np.int32),
        blocks=np.empty((a, shape.block_size if shape.makes_blocks else 0), shape.block_dtype),
        entry_ptr=np.zeros((2, shape.n_patterns, shape.n_features + 1), np.int64),
        entry_start=np.empty((2, shape.n_patterns, shape.n_stretches, shape.n_features), np.int64),
        entry_position=np.empty((2, entries), np.int32),
        entry_row=np.empty((2, entries), np.int32),
        held=np.empty((2, shape.n_patterns, shape.n_features + 1), np.int32),
        n_held=np.zeros((2, shape.n_patterns), np.int64),
        n_present=np.empty((2, a + 1, 2), np.int64),
        present_total=np.empty((2, a + 1, 2, shape.n_words), SUM),
        present_weight=np.empty((2, a + 1, 2), SUM),
        task_gain=np.empty((2, shape.n_tasks, shape.n_shares)),
        gain=np.empty((2, shape.n_drawn or n_columns)),
        floor=np.empty(2),
        gain_start=gain_start,
        cut_task=np.empty((2, 2), np.int64),
        cut_feature=np.empty((2, 2), np.int64),
        cut_gain=np.empty((2, 2)),
        cut_threshold=np.empty((2, 2)),
        cut_missing_left=np.empty((2, 2), np.uint8),
        queue=np.empty(max(n, shape.n_leaves) + 1, np.int64),
        legal_tasks=np.empty((2, shape.n_tasks), np.int64),
        legal_start=np.empty((2, shape.n_tasks + 1), np.int64),
        legal_features=np.empty((shape.n_patterns, shape.n_features), np.int64),
        n_legal_features=np.zeros(shape.n_patterns, np.int64),
        drawn=np.empty((2, shape.n_drawn), np.int32),
        is_tried=np.empty((2, n_columns // 64 + 1 if shape.n_drawn else 0), np.int64),
        rows_a_stretch=shape.rows_a_stretch,
    )


def column_scratch(shape: Shape) -> ColumnScratch:
    """Room for one thread."""
    n = max(shape.n_examples, shape.n_gathered) + 1
    n_cells = max(shape.max_bins, n if shape.max_bins == 0 else min(n, REFINED_ROWS + 1)) + 2
    return ColumnScratch(
        values=np.empty(n, VALUE),
        rows=np.empty(n, np.int32),
        bins=np.empty(n, np.int32),
        cells=np.empty((2 * n_cells, shape.n_words), SUM),
        below=np.empty((2, shape.max_bins), SUM),
        sums=np.empty((4, shape.n_words), SUM),
        distinct=np.empty(n_cells, VALUE),
        ends=np.empty(2, np.int32),
        cut=np.zeros(3, np.int64),
    )


def search_limits(
    min_samples: int, max_bins: int | None, has_missing: bool, of_graphs: bool = False
) -> SearchLimits:
    """`of_graphs`: of rows of tables and vertices no more than max_bins values are told apart."""
    return SearchLimits(
        min_samples, max_bins or 0, GAIN_TOLERANCE, REFINED_ROWS, has_missing, of_graphs
    )


def empty_nodes(capacity: int, n_words: int) -> Nodes:
    """Room for so many nodes."""
    number, real = np.zeros((16, capacity), np.int64), np.zeros((2, capacity))
    return Nodes(
        *number[:12], real[0], np.zeros(capacity, np.bool_), real[1], *number[12:15],
        np.zeros((capacity, n_words), SUM), number[15],
    )  # fmt: skip
