"""Everything about the training examples that stays the same from tree to tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

import numpy as np

from graphtrees._communicator import ALONE, Communicator, Share
from graphtrees._heap import give_back_freed
from graphtrees._lazy import lazy
from graphtrees._threads import Workers
from graphtrees.columns.batch import Batch
from graphtrees.columns.graph_columns import GraphColumns
from graphtrees.columns.vertex_columns import VertexColumns
from graphtrees.kernels.column_search import SORTED_ENTRIES
from graphtrees.kernels.growing_records import Growth, StaticColumns
from graphtrees.questions.feature_limits import FeatureLimits
from graphtrees.questions.plan import QuestionSpace
from graphtrees.questions.table import QuestionTable
from graphtrees.trees.part_routing import router_of
from graphtrees.trees.routing import Router
from graphtrees.trees.workspace import REFINED_ROWS, Shape, Workspace

# Split-nodes of a tree on vertices whose subsets there is room for; more is made where needed.
FIRST_SLOTS = 32

# Up to this distance of ancestors, answers of vertices are stored in the order of rows; see `grow`.
MOST_IN_ORDER = 2


# From here on what set-up frees is worth giving back.
MANY_VERTICES = 100_000


class TrainingData:
    """A batch, the examples in it, and the columns that no split changes.

    `vertices` holds the global vertex number of every vertex example; without it each graph of
    the batch is an example, and colours[r, v] is the colour of vertex v in round r + 1: only what
    `coloured_batch` makes has them as columns, as the batch of vertex examples does. Columns of the
    whole graph are made and binned once. Where several workers train together, the batch holds the
    `share` of this one.
    """

    def __init__(
        self, batch: Batch, vertices: np.ndarray | None, space: QuestionSpace,
        max_bins: int | None, workers: Workers, limits: FeatureLimits | None = None,
        colours: np.ndarray | None = None, coloured_batch: Callable[[], Batch] | None = None,
        share: Share | None = None,
    ) -> None:  # fmt: skip
        self.batch = batch
        self.limits = FeatureLimits.none(batch.n_columns) if limits is None else limits
        self.colours = np.empty((0, batch.n_vertices), np.int64) if colours is None else colours
        self.coloured_batch = coloured_batch
        self.vertices = vertices
        self.space = space
        self.max_bins = max_bins
        self.workers = workers
        self.share = share
        self._workspaces: list[Workspace] = []

    @property
    def n_here(self) -> int:
        """How many examples the batch holds."""
        return self.batch.n_graphs if self.vertices is None else len(self.vertices)

    @property
    def n_examples(self) -> int:
        """How many examples all workers have."""
        return self.n_here if self.share is None else self.share.n

    @property
    def communicator(self) -> Communicator:
        return ALONE if self.share is None else self.share.communicator

    @lazy
    def has_missing(self) -> bool:
        return self.communicator.any(self.batch.has_missing)

    @lazy
    def router(self) -> Router:
        """The examples, for trees that were not grown on all of them."""
        batch = self.batch if self.coloured_batch is None else self.coloured_batch()
        return router_of(batch, self.vertices, self.workers, self.share)

    @lazy
    def columns(self) -> GraphColumns | VertexColumns:
        given = self.space, self.questions, self.limits, self.workers
        if self.vertices is not None:
            return VertexColumns.of(self.batch, self.vertices, *given, self.communicator)
        return GraphColumns.of(self.batch, self.colours, *given)

    @lazy
    def questions(self) -> QuestionTable:
        return QuestionTable.of(
            self.space, self._has_cycles, self.has_missing, self.limits.has_graph_features
        )

    @lazy
    def static(self) -> StaticColumns:
        """The columns of whole graphs, which no split changes."""
        table = self.questions
        return self.columns.static(
            table.whole, table.subset, self.max_bins, self.workers, self.communicator
        )

    @property
    def max_ancestor_distance(self) -> int:
        """How far up a split may look for subsets; 0 where there is nothing to ask about them."""
        return self.space.max_ancestor_distance if self.questions.subset.width else 0

    @property
    def n_answers(self) -> int:
        """How many (example, question) pairs the search of a tree level looks at."""
        patterns = self.columns.patterns
        on_subsets = self.max_ancestor_distance * patterns.n_answers
        return int(patterns.record.whole_start[-1]) + on_subsets

    def each(self, function: Callable, arguments: Iterable[tuple]) -> list:
        """`[function(*a, n_threads) for a in arguments]`, each of which grows a tree.

        Side by side, but not where several workers train together: they must all exchange the same
        things in the same order. Of five trees on two threads four have a thread each, and the
        last one has both.
        """
        tasks = list(arguments)
        n_threads = self.workers.n_threads
        if self.share is not None:
            return [function(*task, n_threads) for task in tasks]
        whole = len(tasks) // n_threads * n_threads
        turns = ((tasks[:whole], 1), (tasks[whole:], n_threads // max(1, len(tasks) - whole)))
        return [
            one
            for some, n in turns
            for one in self.workers.each(function, [(*task, n) for task in some])
        ]

    def prepare(self) -> None:
        """Compute what all trees share, before they grow side by side.

        A team of threads makes it, which would never be complete while some of them wait for it.
        """
        _ = self.static
        if self.batch.n_vertices >= MANY_VERTICES:
            give_back_freed()  # set-up needs much memory that trees do not

    def workspace(self, n_members: int, n_words: int, growth: Growth) -> Workspace:
        """Arrays for one tree: some that another tree is done with, or new ones."""
        batch, questions, patterns = self.batch, self.questions, self.columns.patterns.record
        n_features = np.r_[
            patterns.n_features[patterns.of_whole], patterns.n_features[patterns.of_place]
        ]
        makes_columns = bool(growth.makes_blocks and self._n_slots(growth))
        in_order = growth.max_ancestor_distance <= MOST_IN_ORDER and patterns.is_full.any()
        shape = Shape(
            self.n_here, batch.n_vertices, self.limits.n_columns, len(patterns.n_features),
            len(patterns.feature), int(patterns.start[-1]), questions.whole.width,
            questions.subset.width, growth.max_ancestor_distance, n_words, self.max_bins or 0,
            self._most_drawn(growth), growth.makes_blocks, self._n_slots(growth),
            tuple(n_features.tolist()), self._most_gathered(),
            self.columns.block_dtype, self.n_examples,
            n_in_order=self.n_here if makes_columns and in_order else 0,
            n_listed=self.n_here if makes_columns and (patterns.own >= 0).any() else 0,
        )  # fmt: skip
        kept: Workspace | None = None
        with suppress(IndexError):
            kept = self._workspaces.pop()
        if kept is None or kept.shape != shape:
            workspace = Workspace.of(shape, self.columns.scratch(n_members, growth.makes_blocks))
            if self.vertices is None:
                workspace.work.n_inside[-1] = self.columns.is_present[:, None]
            return workspace
        if len(kept.scratch) == n_members:
            return kept
        return kept.for_team(self.columns.scratch(n_members, growth.makes_blocks))

    def _most_gathered(self) -> int:
        """How many entries of one column may come together from all workers."""
        if self.share is None:
            return 0
        if self.max_bins is None:
            return self.n_examples
        return min(self.n_examples, max(SORTED_ENTRIES, REFINED_ROWS))

    def _n_slots(self, growth: Growth) -> int:
        """Room for the subsets of split-nodes on vertices, to begin with."""
        if self.vertices is None or growth.max_ancestor_distance == 0:
            return 0
        return max(1, min(growth.max_leaf_nodes or FIRST_SLOTS, FIRST_SLOTS))

    def _most_drawn(self, growth: Growth) -> int:
        """Room for one turn of a draw; it may list twice what it draws."""
        if growth.n_drawn == 0:
            return 0
        n_columns = self.columns.patterns.n_columns(growth.max_ancestor_distance)
        share = int(growth.share_drawn * n_columns) + 1
        wanted = growth.n_drawn if growth.n_drawn > 0 else share
        return min(n_columns, 2 * wanted) + 2

    def give_back(self, workspace: Workspace) -> None:
        """Let another tree use these arrays."""
        self._workspaces.append(workspace)

    def n_questions(self) -> int:
        """How many columns a node has to choose among when every subset is there."""
        return self.columns.patterns.n_columns(self.max_ancestor_distance)

    def _has_cycles(self, operator: int, length: int) -> bool:
        here = self.batch.diagonal(operator, length, self.workers)
        if self.share is not None and self.share.halo is not None:
            here = here[self.share.halo.is_own]  # walks of others may leave this part
        return self.communicator.any(bool(here.any()))
