"""Walks that end in vertex examples, from two subsets at once, only as far as anyone asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from graphtrees._layout import CYCLE, SOURCE
from graphtrees._threads import Workers
from graphtrees.candidates.batch import Batch
from graphtrees.candidates.blocks import Block, DenseBlock, EvenBins
from graphtrees.candidates.plan import Plan, QuestionSpace
from graphtrees.candidates.rows import SparseRows
from graphtrees.kernels import columns, even_bins
from graphtrees.kernels._rows import WIDTH

NO_FACTOR = np.empty(0, np.float32)
NOTHING = np.empty(0, np.int64)


@dataclass(frozen=True)
class Listed:
    """The entries of one question's columns; with a factor, rows still to be multiplied by it."""

    place: int
    rows: SparseRows
    factor: np.ndarray | None = None

    def room(self, vertices: np.ndarray) -> np.ndarray:
        """How many entries each of these vertices has at the most."""
        return self.rows.stop[vertices] - self.rows.start[vertices]


class VertexWalks:
    """A^d (1_S x) at the vertices from which walks reach the examples of a node."""

    def __init__(self, batch: Batch, workers: Workers) -> None:
        self.batch = batch
        self.workers = workers

    def stages(
        self, operator: int, vertices: np.ndarray, longest: int
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """Where walks of up to `longest` steps into `vertices` may be after 1, 2, ... steps.

        In front of them what they pass through on the way, where the operator has a middle.
        """
        batch, op = self.batch, self.batch.operators[operator]
        if op.has_middle:
            return batch.passing(operator, self.workers).stages(vertices, longest)
        stages = [vertices]
        mark = np.full(batch.n_vertices, -1, np.int32)
        for stamp in range(longest - 1):
            found = np.empty(batch.n_vertices, np.int64)
            n = columns.reach(
                stages[0], batch.graph_of, batch.vertex_ptr, op.indptr, op.indices, mark, stamp,
                found,
            )  # fmt: skip
            stages.insert(0, found[:n])
        return [(NOTHING, ends) for ends in stages[:longest]]

    def dense_block(
        self, vertices: np.ndarray, plan: Plan, codes: np.ndarray, space: QuestionSpace,
        max_bins: int, min_samples: int,
    ) -> DenseBlock:  # fmt: skip
        """All columns of two subsets, binned without sorting."""
        n_columns, n_rows = 2 * plan.width * self.batch.n_columns, len(vertices)
        bins = EvenBins.empty(n_columns, (n_columns, n_rows))
        for first, values in self.dense_values(vertices, plan, codes, space):
            self._bin(values, first, max_bins, min_samples, bins)
        bins.point()
        alive = np.ones((n_rows, 2), np.uint8)
        return DenseBlock(plan, self.batch.n_columns, 2, bins, alive)

    def dense_values(
        self, vertices: np.ndarray, plan: Plan, codes: np.ndarray, space: QuestionSpace
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Columns of some features at a time: the first of them, values[question, feature, row].

        The question of number 2 × place + sign; memory stays bounded.
        """
        n_lanes = self.batch.n_columns
        asked = [o for o in range(len(space.operators)) if plan.asks(o)]
        stages = [self.stages(o, vertices, plan.longest_source(o)) for o in asked]
        for start in range(0, n_lanes, WIDTH):
            stop = min(start + WIDTH, n_lanes)
            if stop - start > 2:  # eight at once, even if some of them come twice
                start = max(0, stop - WIDTH)
            values = np.empty((2 * plan.width, stop - start, len(vertices)), np.float32)
            for operator, passed in zip(asked, stages, strict=True):
                self._dense_columns(
                    operator, vertices, passed, plan, codes, space, start, stop, values
                )
            yield start, values

    def _bin(
        self, values: np.ndarray, first: int, max_bins: int, min_samples: int, to: EvenBins
    ) -> None:
        """Bins of the columns of some features, the first of them given by its number."""
        n_lanes = values.shape[1]
        columns = values.reshape(-1, values.shape[2])
        bits = columns.view(np.int32)
        self.workers.each(
            lambda start, stop: even_bins.bin_densely(
                columns, bits, start, stop, first, n_lanes, self.batch.n_columns, max_bins,
                min_samples, to.n_bins, to.even, to.bins,
            ),
            self.workers.spans(len(columns), at_least=1 if len(bits.T) > 512 else len(columns)),
        )  # fmt: skip

    def _dense_columns(
        self, operator, vertices, stages, plan: Plan, codes, space: QuestionSpace, start, stop,
        values,
    ) -> None:  # fmt: skip
        batch = self.batch
        walked = np.empty((len(stages), 2 * (stop - start) * batch.n_vertices), np.float32)
        plain = batch.is_plain(operator, space.max_walk_length, self.workers)
        for step, (middles, ends) in enumerate(stages):
            before = batch.x_walk if step == 0 else walked[step - 1]
            self._dense_step(
                operator, middles, ends, start, stop, before, codes, step == 0, plain, walked[step]
            )
        closed = np.empty((0, 0), np.float32)
        if plan.asks_closed[operator]:
            closed = batch.diagonals(operator, space.max_walk_length, self.workers)
        self.workers.each(
            lambda a, b: columns.dense_columns(
                a, b, vertices, batch.n_columns, start, stop, batch.x, batch.x_walk, walked,
                closed, codes, plan.slots[operator], values,
            ),
            self.workers.spans(len(vertices), at_least=256),
        )  # fmt: skip

    def _dense_step(
        self, operator, middles, ends, start, stop, before, codes, first: bool, plain: bool, out
    ) -> None:
        """Rows of two subsets one walk step on; only those of `ends` are filled."""
        batch, op = self.batch, self.batch.operators[operator]
        if op.has_middle:
            batch.passing(operator, self.workers).apart(
                middles, ends, batch.n_columns, start, stop, before, codes, first, plain, out
            )
            return
        self.workers.each(
            lambda a, b: columns.walk_apart(
                ends[a:b], batch.graph_of, batch.vertex_ptr, batch.n_columns, start, stop,
                op.indptr, op.indices, op.weights, op.divisor, before, codes, first, plain, out,
            ),
            self.workers.spans(len(ends), at_least=256),
        )  # fmt: skip

    def entries(
        self, operator: int, vertices: np.ndarray, plan: Plan, codes: np.ndarray, n_signs: int
    ) -> list[Listed]:
        """Entries of one operator's columns from rows kept as lists."""
        batch, slots = self.batch, plan.slots[operator]
        own = batch.listed_rows
        found = []
        if slots[0, SOURCE, 0] >= 0:
            found.append(Listed(int(slots[0, SOURCE, 0]), own, NO_FACTOR))
        rows = own
        longest = plan.longest_source(operator)
        for step, passed in enumerate(self.stages(operator, vertices, longest)):
            rows = self._step(operator, *passed, rows, codes, n_signs, step == 0)
            place = int(slots[step + 1, SOURCE, 0])
            if place >= 0:
                found.append(Listed(place, rows))
        for length in range(1, len(slots)):
            place = int(slots[length, CYCLE, 0])
            if place >= 0:
                factor = batch.diagonal(operator, length, self.workers)
                found.append(Listed(place, own, factor))
        return found

    def append(self, listed: Listed, vertices: np.ndarray, block: Block, codes) -> None:
        """Write the entries of these vertices to the ends of their rows."""
        kernel = columns.sparse_values if listed.factor is None else columns.sparse_own
        factor = () if listed.factor is None else (listed.factor,)
        self._append(kernel, vertices, block, codes, listed.rows, listed.place, *factor)

    def _append(self, kernel, vertices, block: Block, codes, rows: SparseRows, *what) -> None:
        batch = self.batch
        self.workers.each(
            lambda start, stop: kernel(
                vertices[start:stop], batch.graph_of, batch.lane_ptr, batch.lane_features,
                rows.start, rows.stop, rows.lane, rows.value, *what, codes, block.n_signs,
                batch.n_columns, block.row_stop[start:stop], block.columns, block.values,
            ),
            self.workers.spans(len(vertices), at_least=256),
        )  # fmt: skip

    def _step(
        self, operator: int, middles, ends, rows: SparseRows, codes, n_signs: int, first: bool
    ) -> SparseRows:
        """Rows one walk step on; only those of `ends` are filled."""
        batch, op = self.batch, self.batch.operators[operator]
        if op.has_middle:
            return batch.passing(operator, self.workers).lists(
                middles, ends, batch.lane_ptr, rows, codes, n_signs, first
            )
        room = np.zeros(len(ends) + 1, np.int64)
        most = int(batch.n_lanes.max(initial=1)) * n_signs
        columns.sparse_room(
            ends, batch.graph_of, batch.vertex_ptr, op.indptr, op.indices, rows.start, rows.stop,
            most, room[1:],
        )  # fmt: skip
        np.cumsum(room, out=room)
        made = SparseRows.empty(batch.n_vertices, int(room[-1]), np.float32)
        self.workers.each(
            lambda start, stop: columns.walk_apart_sparse(
                ends[start:stop], batch.graph_of, batch.vertex_ptr, batch.lane_ptr, op.indptr,
                op.indices, op.weights, op.divisor, rows.start, rows.stop, rows.lane, rows.value,
                codes, n_signs, first, room[start:stop], made.start, made.stop, made.lane,
                made.value,
            ),
            self.workers.spans(len(ends), at_least=128),
        )  # fmt: skip
        return made
