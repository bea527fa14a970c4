"""Everything about the training examples that stays the same from tree to tree."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from graphtrees._threads import Workers
from graphtrees.candidates.batch import Batch
from graphtrees.candidates.blocks import Block
from graphtrees.candidates.plan import Plan, QuestionSpace, plan_columns
from graphtrees.kernels import answer, walks

NO_CODES = np.empty(0, np.uint8)


class TrainingData:
    """A batch, the examples in it, and the columns that no split changes.

    `vertices` holds the global vertex number of every vertex example; without it each graph of
    the batch is an example. Columns of the whole graph are computed and binned once.
    """

    def __init__(
        self, batch: Batch, vertices: np.ndarray | None, space: QuestionSpace,
        max_bins: int | None, workers: Workers,
    ) -> None:  # fmt: skip
        self.batch = batch
        self.vertices = vertices
        self.space = space
        self.max_bins = max_bins
        self.workers = workers
        self._plans: dict[tuple[frozenset[int], bool], Plan] = {}
        self._stacks: dict[tuple[str, int], np.ndarray] = {}
        n = batch.n_graphs if vertices is None else len(vertices)
        self.graph_of_example = (
            np.arange(n) if vertices is None else batch.graph_of[vertices]
        )
        if vertices is None or space.max_walk_length == 0:
            self._needed: dict[int, list[np.ndarray]] = {}
        else:
            self._needed = {
                operator: self._needed_vertices(operator, vertices)
                for operator in range(len(space.operators))
            }

    @property
    def n_examples(self) -> int:
        return len(self.graph_of_example)

    def _needed_vertices(self, operator: int, vertices: np.ndarray) -> list[np.ndarray]:
        """For walks that end in an example: the vertices they may be at after 1, 2, ... steps."""
        op = self.batch.operators[operator]
        needed = [np.unique(vertices)]
        for _ in range(self.space.max_walk_length - 1):
            ends = needed[0]
            counts = op.indptr[ends + 1] - op.indptr[ends]
            within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            first = np.repeat(self.batch.vertex_ptr[self.batch.graph_of[ends]], counts)
            starts = op.indices[np.repeat(op.indptr[ends], counts) + within] + first
            needed.insert(0, np.union1d(starts, vertices))
        return needed

    def plan(self, offered: frozenset[int], on_subset: bool) -> Plan:
        key = (offered, on_subset)
        if key not in self._plans:
            self._plans[key] = plan_columns(self.space, offered, on_subset, self._has_cycles)
        return self._plans[key]

    def n_questions(self) -> int:
        """How many columns a node has to choose among when every subset is there."""
        subset = self.plan(frozenset(self.space.walk_types), on_subset=True).width
        n_subsets = 2 * self.space.max_ancestor_distance
        return self.batch.n_columns * (self.whole.plan.width + n_subsets * subset)

    def _has_cycles(self, operator: int, length: int) -> bool:
        return bool(self.batch.diagonal(operator, length, self.workers).any())

    @cached_property
    def whole(self) -> Block:
        """The columns of the whole graph, with every walk type that is ever offered."""
        plan = self.plan(frozenset(self.space.walk_types), on_subset=False)
        block = self.evaluate(np.arange(self.n_examples), plan, NO_CODES, 0)
        block.bin_by_cuts(self.max_bins, self.workers)
        return block

    def subset_block(
        self, examples: np.ndarray, plan: Plan, codes: np.ndarray, want: int
    ) -> Block:
        """The columns of one subset, for the examples of one node."""
        block = self.evaluate(examples, plan, codes, want)
        if self.max_bins is None:
            block.bin_by_cuts(None, self.workers)
        else:
            block.bin_evenly(self.max_bins, self.workers)
        return block

    def evaluate(self, examples: np.ndarray, plan: Plan, codes: np.ndarray, want: int) -> Block:
        batch = self.batch
        graphs = self.graph_of_example[examples]
        block = Block.empty(plan, batch.n_columns, graphs, batch.lane_ptr, batch.lane_features)
        for operator in range(len(self.space.operators)):
            if (plan.slots[operator] >= 0).any():
                if self.vertices is None:
                    self._graph_columns(operator, graphs, block, codes, want)
                else:
                    self._vertex_columns(operator, examples, block, codes, want)
        return block

    def _graph_columns(self, operator, graphs, block, codes, want) -> None:
        batch, op = self.batch, self.batch.operators[operator]
        slots = block.plan.slots[operator]
        walked = self._stack(batch.walked, operator, (slots[1:, [0, 2]] >= 0).any())
        closed = self._stack(batch.diagonal, operator, (slots[1:, 1] >= 0).any())
        self.workers.each(
            lambda start, stop: walks.graph_columns(
                graphs[start:stop], batch.vertex_ptr, batch.x_ptr, batch.n_lanes, batch.x,
                batch.x_walk, walked, closed, op.indptr, op.indices, op.weights, op.divisor,
                codes, want, slots, block.values, block.value_ptr[start : stop + 1],
                block.plan.width, block.alive[start:stop],
            ),
            self.workers.spans(len(graphs), at_least=16),
        )  # fmt: skip

    def _vertex_columns(self, operator, examples, block, codes, want) -> None:
        batch = self.batch
        slots = block.plan.slots[operator]
        assert self.vertices is not None
        vertices = self.vertices[examples]
        if want == 0:
            walked = self._stack(batch.walked, operator, (slots[1:, 0] >= 0).any())
        else:
            walked = self._walk_subset(operator, slots, codes, want)
        closed = self._stack(batch.diagonal, operator, (slots[1:, 1] >= 0).any())
        self.workers.each(
            lambda start, stop: walks.vertex_columns(
                vertices[start:stop], batch.graph_of, batch.vertex_ptr, batch.x_ptr, batch.n_lanes,
                batch.x, batch.x_walk, walked, closed, codes, want, slots, block.values,
                block.value_ptr[start : stop + 1], block.plan.width,
            ),
            self.workers.spans(len(vertices), at_least=256),
        )  # fmt: skip

    def _stack(self, compute, operator: int, wanted: bool) -> np.ndarray:
        """Arrays of walk length 1, 2, ... on top of each other; nothing where nobody asks."""
        if not wanted:
            return np.empty((0, 0), np.float32)
        key = (compute.__name__, operator)
        if key not in self._stacks:
            lengths = range(1, self.space.max_walk_length + 1)
            self._stacks[key] = np.stack([compute(operator, d, self.workers) for d in lengths])
        return self._stacks[key]

    def _walk_subset(self, operator: int, slots, codes, want) -> np.ndarray:
        """A^d (1_S x) for d = 1, 2, ... at the vertices from which walks reach an example."""
        batch = self.batch
        longest = int(np.flatnonzero((slots[:, 0, 0] >= 0)).max(initial=0))
        walked = np.empty((longest, len(batch.x)), np.float32)
        for length in range(1, longest + 1):
            before = batch.x_walk if length == 1 else walked[length - 2]
            ends = self._needed[operator][length - 1]
            mask = (codes, want) if length == 1 else (None, 0)
            batch.step(operator, ends, before, *mask, walked[length - 1], self.workers)
        return walked

    def ask(
        self, graphs, column, operator, length, walk_type, aggregator, codes, want
    ) -> tuple[np.ndarray, np.ndarray]:
        """z at every vertex of these graphs and, for graph examples, phi of each."""
        batch, op = self.batch, self.batch.operators[operator]
        z = np.empty(batch.n_vertices, np.float32)
        phi = np.empty(len(graphs), np.float32)
        cyclic = length > 0 and walk_type == walks.CYCLE
        closed = batch.diagonal(operator, length, self.workers) if cyclic else z
        self.workers.each(
            lambda start, stop: answer.ask(
                graphs[start:stop], batch.vertex_ptr, batch.x_ptr, batch.lane_ptr,
                batch.lane_features, batch.x, column, length, walk_type, aggregator, codes, want,
                op.indptr, op.indices, op.weights, op.divisor, closed, z, phi[start:stop],
            ),
            self.workers.spans(len(graphs), at_least=64),
        )  # fmt: skip
        return z, phi
