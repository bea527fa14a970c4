"""Everything about the training examples that stays the same from tree to tree."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import cached_property

import numpy as np

from graphtrees._layout import CYCLE, SOURCE, TARGET
from graphtrees._threads import Workers
from graphtrees.candidates.arrays import graph_arrays, operator_arrays
from graphtrees.candidates.batch import Batch
from graphtrees.candidates.blocks import Block, CutBins, DenseBlock, bin_by_cuts
from graphtrees.candidates.feature_limits import FeatureLimits
from graphtrees.candidates.graph_source import GraphColumns
from graphtrees.candidates.plan import Plan, QuestionSpace, plan_columns
from graphtrees.candidates.question import Question
from graphtrees.candidates.question_table import QuestionTable
from graphtrees.kernels import answer, columns
from graphtrees.kernels.growing_records import Growth, StaticColumns
from graphtrees.trees.vertex_walks import VertexWalks
from graphtrees.trees.workspace import Shape, Workspace

NO_CODES = np.empty(0, np.uint8)


class TrainingData:
    """A batch, the examples in it, and the columns that no split changes.

    `vertices` holds the global vertex number of every vertex example; without it each graph of
    the batch is an example, and colours[r, v] is the colour of vertex v in round r + 1 (of vertex
    examples they are columns of the batch). Columns of the whole graph are made and binned once.
    """

    def __init__(
        self, batch: Batch, vertices: np.ndarray | None, space: QuestionSpace,
        max_bins: int | None, workers: Workers, limits: FeatureLimits | None = None,
        colours: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        self.batch = batch
        self.limits = FeatureLimits.none(batch.n_columns) if limits is None else limits
        self.colours = np.empty((0, batch.n_vertices), np.int64) if colours is None else colours
        self.vertices = vertices
        self.space = space
        self.max_bins = max_bins
        self.workers = workers
        self._plans: dict[tuple[frozenset[int], bool], Plan] = {}
        self._legal: dict[frozenset[int], tuple[np.ndarray, np.ndarray]] = {}
        n = batch.n_graphs if vertices is None else len(vertices)
        self.graph_of_example = np.arange(n) if vertices is None else batch.graph_of[vertices]
        self.vertex_walks = VertexWalks(batch, workers)
        self._buffers = threading.local()
        self._workspaces: list = []
        self._shape_of: dict = {}

    @property
    def n_examples(self) -> int:
        return len(self.graph_of_example)

    def graphs_of(self, examples: np.ndarray) -> np.ndarray:
        """The graphs that hold these examples."""
        return examples if self.vertices is None else np.unique(self.graph_of_example[examples])

    # ---- which columns ------------------------------------------------------------------------

    def plan(self, offered: frozenset[int], on_subset: bool) -> Plan:
        key = (offered, on_subset)
        if key not in self._plans:
            self._plans[key] = plan_columns(
                self.space, offered, on_subset, self._has_cycles, self.batch.has_missing,
                self.limits.has_graph_features,
            )  # fmt: skip
        return self._plans[key]

    def legal_columns(self, offered: frozenset[int]) -> tuple[np.ndarray, np.ndarray]:
        """Which columns of the whole graph, and of a pair of subsets, these walk types allow."""
        if offered not in self._legal:
            plan = self.whole[0].plan
            whole = np.isin(plan.walk_type, [SOURCE, *offered])[:, None] & self.limits.allowed(plan)
            subset = self.limits.allowed(self.plan(offered, on_subset=True))
            self._legal[offered] = whole.ravel(), np.repeat(subset, 2, axis=0).ravel()
        return self._legal[offered]

    # ---- graphs: what teams of threads read ---------------------------------------------------

    @cached_property
    def columns(self) -> GraphColumns:
        return GraphColumns.of(
            self.batch, self.colours, self.space, self.questions, self.limits, self.workers
        )

    @cached_property
    def questions(self) -> QuestionTable:
        return QuestionTable.of(
            self.space, self._has_cycles, self.batch.has_missing, self.limits.has_graph_features
        )

    @cached_property
    def static(self) -> StaticColumns:
        table = self.questions
        return self.columns.static(table.whole, table.subset, self.max_bins, self.workers)

    @property
    def n_answers(self) -> int:
        """How many (example, question) pairs the search of a tree level looks at."""
        patterns = self.columns.patterns.record
        on_subsets = self.space.max_ancestor_distance * int(patterns.start[-1])
        return int(patterns.whole_start[-1]) + on_subsets

    def prepare(self) -> None:
        """Compute what all trees share, before they grow side by side.

        A team of threads makes it, which would never be complete while some of them wait for it.
        """
        _ = self.whole if self.vertices is not None else self.static

    def workspace(self, n_members: int, n_words: int, growth: Growth) -> Workspace:
        """Arrays for one tree: some that another tree is done with, or new ones."""
        batch, questions, patterns = self.batch, self.questions, self.columns.patterns.record
        n_features = np.r_[
            patterns.n_features[patterns.of_whole], patterns.n_features[patterns.of_place]
        ]
        shape = Shape(
            self.n_examples, batch.n_vertices, self.limits.n_columns, len(patterns.n_features),
            len(patterns.feature), int(patterns.start[-1]), questions.whole.width,
            questions.subset.width, growth.max_ancestor_distance, n_words, self.max_bins or 0,
            self._most_drawn(growth), growth.makes_blocks, tuple(n_features.tolist()),
        )  # fmt: skip
        with suppress(IndexError):
            kept_shape, kept = self._workspaces.pop()
            if kept_shape == (shape, n_members):
                return kept
        members = [self.columns.scratch() for _ in range(n_members)]
        made = Workspace.of(shape, members)
        made.work.alive[-1] = self.columns.is_alive[:, None]
        self._shape_of[id(made)] = (shape, n_members)
        return made

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
        self._workspaces.append((self._shape_of[id(workspace)], workspace))

    def n_questions(self) -> int:
        """How many columns a node has to choose among when every subset is there."""
        if self.vertices is None:
            return self.columns.patterns.n_columns(self.space.max_ancestor_distance)
        whole, subset = self.legal_columns(frozenset(self.space.walk_types))
        return int(whole.sum() + self.space.max_ancestor_distance * subset.sum())

    def _has_cycles(self, operator: int, length: int) -> bool:
        return bool(self.batch.diagonal(operator, length, self.workers).any())

    # ---- their values -------------------------------------------------------------------------

    @cached_property
    def whole(self) -> tuple[Block | DenseBlock, CutBins]:
        """The columns of the whole graph, with every walk type that is ever offered."""
        plan = self.plan(frozenset(self.space.walk_types), on_subset=False)
        if self.is_dense and self.max_bins is not None:
            return self._whole_densely(plan, self.max_bins)
        block = self.block(np.arange(self.n_examples), plan, None)
        return block, bin_by_cuts(block, self.max_bins)

    def _whole_densely(self, plan: Plan, max_bins: int) -> tuple[DenseBlock, CutBins]:
        batch, vertices = self.batch, self.vertices
        n_columns = plan.width * batch.n_columns
        bins = CutBins.empty(n_columns, (n_columns, self.n_examples), max_bins)

        rows = [self._whole_rows(plan, place) for place in range(plan.width)]

        def fill(place: int, lane: int) -> None:
            column, (values, factor) = place * batch.n_columns + lane, rows[place]
            here = values[vertices, lane]
            here = here if factor is None else here * factor[vertices]
            bins.bins[column] = bins.cut(column, here, 0, max_bins)

        places = [(p, lane) for p in range(plan.width) for lane in range(batch.n_columns)]
        self.workers.each(fill, places)
        bins.point()
        alive = np.ones((self.n_examples, 1), np.uint8)
        return DenseBlock(plan, batch.n_columns, 1, bins, alive), bins

    def _whole_rows(self, plan: Plan, place: int) -> tuple[np.ndarray, np.ndarray | None]:
        """The values of one question at every vertex, and what to multiply them by."""
        batch, operator = self.batch, int(plan.operator[place])
        length, factor = int(plan.walk_length[place]), None
        values = batch.x
        if length and plan.walk_type[place] == CYCLE:
            values, factor = batch.x_walk, batch.diagonal(operator, length, self.workers)
        elif length:
            values = batch.walked(operator, length, self.workers)
        return values.reshape(-1, batch.n_columns), factor

    def block(
        self, examples: np.ndarray, plan: Plan, codes: np.ndarray | None, keep: bool = False
    ) -> Block:
        """The columns of vertices: of whole graphs, or (with codes) of the two subsets of a split.

        Unless it is to be kept, the next block of subsets overwrites this one.
        """
        n_signs = 1 if codes is None else 2
        buffer = None if codes is None or keep else self._buffers.__dict__
        codes = NO_CODES if codes is None else codes
        asked = [o for o in range(len(self.space.operators)) if plan.asks(o)]
        if self.vertices is not None and (n_signs > 1 or self.batch.sparse_rows is not None):
            return self._listed_block(examples, plan, codes, n_signs, asked, buffer)
        room = self.batch.n_lanes[self.graph_of_example[examples]] * (plan.width * n_signs)
        block = Block.empty(plan, self.batch.n_columns, n_signs, room, buffer)
        for operator in asked:
            self._fill_vertices(operator, examples, block)
        return block

    def _listed_block(self, examples, plan: Plan, codes, n_signs: int, asked, buffer) -> Block:
        """Vertex rows kept as lists: walked first, so that a row gets the room that it needs."""
        assert self.vertices is not None
        vertices, walks = self.vertices[examples], self.vertex_walks
        found = [
            listed
            for operator in asked
            for listed in walks.entries(operator, vertices, plan, codes, n_signs)
        ]
        room = sum((listed.room(vertices) for listed in found), np.zeros(len(vertices), np.int64))
        block = Block.empty(plan, self.batch.n_columns, n_signs, room, buffer)
        for listed in found:
            walks.append(listed, vertices, block, codes)
        return block

    def block_bytes(self, examples: np.ndarray, plan: Plan) -> int:
        """The most room that a block of two subsets can take."""
        lanes = int(self.batch.n_lanes[self.graph_of_example[examples]].sum())
        # A bin each, and unless columns are written out in full also a column and a value.
        return lanes * plan.width * 2 * (1 if self.is_dense else 9)

    def _fill_vertices(self, operator: int, examples: np.ndarray, block: Block) -> None:
        """Columns of whole graphs, from rows in full."""
        assert self.vertices is not None
        vertices = self.vertices[examples]
        batch, plan = self.batch, block.plan
        walked = self._asked(batch.walks, operator, plan.asks_walked[operator])
        closed = self._asked(batch.diagonals, operator, plan.asks_closed[operator])
        self.workers.each(
            lambda start, stop: columns.vertex_entries(
                vertices[start:stop], batch.graph_of, batch.vertex_ptr, batch.lane_ptr,
                batch.lane_features, batch.x_ptr, batch.x, batch.x_walk, walked, closed,
                plan.slots[operator], batch.n_columns, block.row_stop[start:stop], block.columns,
                block.values,
            ),
            self.workers.spans(len(vertices), at_least=256),
        )  # fmt: skip

    @cached_property
    def is_dense(self) -> bool:
        """Whether subset columns are best written out in full: vertex rows with few zeros."""
        batch = self.batch
        full = len(batch.lane_features) == batch.n_columns * batch.n_graphs
        return self.vertices is not None and full and batch.sparse_rows is None

    def dense_block(
        self, examples: np.ndarray, plan: Plan, codes: np.ndarray, min_samples: int
    ) -> DenseBlock:
        assert self.vertices is not None
        assert self.max_bins is not None
        return self.vertex_walks.dense_block(
            self.vertices[examples], plan, codes, self.space, self.max_bins, min_samples
        )

    def _asked(self, compute, operator: int, wanted: bool) -> np.ndarray:
        """What belongs to walk lengths 1, 2, ...; nothing where nobody asks."""
        if not wanted:
            return np.empty((0, 0), np.float32)
        return compute(operator, self.space.max_walk_length, self.workers)

    # ---- one question -------------------------------------------------------------------------

    def read(
        self, examples: np.ndarray, question: Question, codes: np.ndarray | None
    ) -> np.ndarray:
        """The answers of vertex examples to a question."""
        assert self.vertices is not None
        z = self.ask(
            self.graphs_of(examples), question.column, question.operator, question.walk_length,
            question.walk_type, NO_CODES if codes is None else codes, question.sign,
        )  # fmt: skip
        return z[self.vertices[examples]]

    def ask(self, graphs, column, operator, length, walk_type, codes, want) -> np.ndarray:
        """z at every vertex of these graphs."""
        batch, op = self.batch, self.batch.operators[operator]
        z = np.empty(batch.n_vertices, np.float32)
        cyclic = length > 0 and walk_type == CYCLE
        closed = batch.diagonal(operator, length, self.workers) if cyclic else None
        lanes = batch.lanes_of(lambda: np.array([column]))
        x = lanes.x
        unmasked = walk_type == TARGET or (want == 0 and not cyclic)
        if length > 0 and unmasked and batch.lists is None:
            x, length = batch.walked(operator, length, self.workers), 0  # walked long ago
        arrays, operators = graph_arrays(batch, lanes, x), operator_arrays(op, closed)
        self.workers.each(
            lambda start, stop: answer.ask(
                graphs[start:stop], arrays, operators, column, length, walk_type, codes, want, z
            ),
            self.workers.spans(len(graphs), at_least=512),
        )  # fmt: skip
        return z
