"""Grow a tree together with other workers: run the stages, and exchange what they found.

For each split the workers exchange four things: the sums of both children, with the ranges of
columns that have no bins yet; histograms, of which each worker adds up and searches its share; the
gains; the entries of the best column, or what lies next to its cut. Where they have parts of one
graph, they also exchange which subset each vertex of a halo is in. See
`kernels/growing/distributed_columns.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from graphtrees._communicator import Communicator, Halo
from graphtrees._layout import LEAF, SUM, VALUE
from graphtrees.kernels import grow_distributed as stages
from graphtrees.kernels.growing.distributed_columns import NONE, RANGED
from graphtrees.kernels.growing.nodes import AGAIN, CHILD, N_LEAVES, NEEDS_ROOM, PARENT
from graphtrees.kernels.growing_records import (
    Nodes,
    PackedStats,
    Patterns,
    Room,
    SearchLimits,
    SharedColumns,
    StaticColumns,
    WideStats,
    Work,
)
from graphtrees.kernels.histograms import NEWTON
from graphtrees.trees.distributed_cuts import BestCuts
from graphtrees.trees.distributed_gains import SharedGains
from graphtrees.trees.distributed_ranges import Ranges, SharedRanges
from graphtrees.trees.workspace import Shape

Stats: TypeAlias = PackedStats | WideStats


@dataclass
class Search:
    """What the stages of one tree work on; run(stage, work, shared) runs one of them."""

    run: Callable[[int, Work, SharedColumns], None]
    communicator: Communicator
    patterns: Patterns
    static: StaticColumns
    n_whole: int  # questions about whole graphs
    n_places: int  # questions about subsets
    stats: Stats
    limits: SearchLimits
    nodes: Nodes
    work: Work
    shared: SharedColumns
    room: Room
    halo: Halo | None = None
    max_leaf_nodes: int = 0  # 0: no limit

    def grow(self, add_room: Callable[[Work], Work]) -> Work:
        """Split the node with the largest gain until none is left."""
        work, control = self.work, self.work.control
        for sums in (work.n_present, work.present_weight, work.present_total):
            sums[:] = 0  # those of subsets that are not there are added up, too
        self.run_stage(stages.BEGIN)
        while True:
            ranges = self._add_up_children()
            self.run_stage(stages.OPEN)
            self._search(ranges)
            if control[PARENT] == LEAF:
                return self.work
            if control[NEEDS_ROOM]:
                self.work = add_room(self.work)
            self.run_stage(stages.MARK)
            self._exchange_subsets()
            self.run_stage(stages.APPLY)

    def run_stage(self, stage: int, first: int | None = None, last: int = 0) -> None:
        if first is not None:
            self.shared.span[:] = first, last
        self.run(stage, self.work, self.shared)

    def _exchange_subsets(self) -> None:
        """The vertices of halos are in the subsets that their owners found, if anyone will ask."""
        control = self.work.control
        is_last = 0 < self.max_leaf_nodes <= control[N_LEAVES] + 1
        if self.halo is not None and not is_last:
            codes = self.work.codes[self.nodes.slot[control[PARENT]]]
            self.halo.complete(codes, self.communicator)

    # ---- sums of the children -------------------------------------------------------------------

    def _add_up_children(self) -> list[Ranges]:
        """Sums over all workers take the place of those over this worker's rows.

        Returns the ranges that every worker found, of all columns that may need one.
        """
        work, shared = self.work, self.shared
        self.run_stage(stages.COUNT)
        children = [child for child in range(2) if work.control[CHILD + child] >= 0]
        sums = [array for child in children for array in self._sums_of(child)]
        local = np.concatenate([np.ravel(array) for array in sums])
        pure = [bool(shared.chosen[child, 0]) for child in children]
        examples = [self._example(child) for child in children]
        self.run_stage(stages.EXPECT)
        ranges = SharedRanges(self).here()
        gathered = self.communicator.all_gather((local, pure, examples, ranges))
        total, at = np.add.reduce([one[0] for one in gathered], axis=0), 0
        for array in sums:
            array[...] = total[at : at + array.size].reshape(array.shape)
            at += array.size
        for k, child in enumerate(children):
            rows = [one[2][k] for one in gathered if len(one[2][k])]
            alike = all(one[1][k] for one in gathered) and are_alike(self.stats, np.array(rows))
            shared.chosen[child, 0] = alike
        return [one[3] for one in gathered]

    def _sums_of(self, child: int) -> Iterator[np.ndarray]:
        number = int(self.work.control[CHILD + child])
        work, nodes = self.work, self.nodes
        yield nodes.n_rows[number : number + 1]
        yield nodes.weight[number : number + 1]
        yield nodes.total[number]
        yield work.n_present[child]
        yield work.present_weight[child]
        yield work.present_total[child]
        yield self.shared.n_entries[child]

    def _example(self, child: int) -> np.ndarray:
        """The sums of a row of a child, as an example of what its rows ask for if all are alike."""
        number = int(self.work.control[CHILD + child])
        rows = self.work.rows[int(self.nodes.start[number]) : int(self.nodes.stop[number])]
        if not len(rows):
            return np.empty(0, SUM)
        alike = bool(self.shared.chosen[child, 0])
        return example_of(self.stats, self.stats.words[rows if alike else rows[:1]])

    # ---- the search -----------------------------------------------------------------------------

    def _search(self, ranges: list[Ranges]) -> None:
        """The best split of both children; then the node to split next."""
        control, shared = self.work.control, self.shared
        while True:
            n = int(shared.span[1])
            if n:
                SharedRanges(self).take(ranges, n)
                self.run_stage(stages.LAY_OUT, 0, n)
                if shared.start[n]:  # else no column can part a node
                    SharedGains(self).find(n)
                self.run_stage(stages.CHOOSE, 0, n)
                BestCuts(self).settle(n)
            self.run_stage(stages.NEXT, 0, n)
            if not control[AGAIN]:
                return
            if (self.shared.kind[: shared.span[1]] == RANGED).any():
                ranges = self.communicator.all_gather(SharedRanges(self).here())


def are_alike(stats: Stats, words: np.ndarray) -> bool:
    """Whether rows with these sums ask for the same value, so that nothing is to be gained."""
    if len(words) < 2:
        return True
    if not _asks_for_steps(stats):
        return bool(((words[:, 1:] != 0) == (words[:1, 1:] != 0)).all())
    for g, h in _steps(stats, words):
        asks = (g != 0) | (h != 0)
        g, h = g[asks].astype(np.float64), h[asks].astype(np.float64)
        if not (g * h[:1] == g[:1] * h).all():
            return False
    return True


def example_of(stats: Stats, words: np.ndarray) -> np.ndarray:
    """One row that asks for what these rows, which are alike, ask for: of each output the first."""
    example = words[0].copy()
    if not _asks_for_steps(stats):
        return example
    for k, (g, h) in enumerate(_steps(stats, words)):
        first = int(np.argmax((g != 0) | (h != 0)))
        here = slice(0, 2) if isinstance(stats, PackedStats) else slice(1 + 2 * k, 3 + 2 * k)
        example[here] = words[first, here]
    return example


def _asks_for_steps(stats: Stats) -> bool:
    return isinstance(stats, PackedStats) or stats.kind == NEWTON


def _steps(stats: Stats, words: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Gradient and hessian of every row, for each output."""
    if isinstance(stats, PackedStats):
        yield words[:, 0], words[:, 1] >> stats.count_bits
    else:
        for k in range(1, words.shape[1], 2):
            yield words[:, k], words[:, k + 1]


def new_shared_columns(shape: Shape) -> SharedColumns:
    """Room for the columns of both children."""
    n = 2 * (shape.n_drawn or int(shape.gain_start[-1])) + 1
    number = np.zeros((9, n), np.int64)
    return SharedColumns(
        np.zeros(2, np.int64), np.zeros((2, shape.n_patterns, shape.n_features), np.int64),
        *number[:3], np.full(n, NONE, np.uint8), *number[3:7], np.zeros((n, 2), VALUE),
        np.zeros(n, np.uint8), *number[7:9], np.zeros((n, 3)), np.zeros(n + 1, np.int64),
        np.empty(0, SUM), np.zeros(n), np.zeros((n, 3), np.int64), np.zeros((2, 3), np.int64),
        np.zeros(2), np.zeros(4, np.int64),
    )  # fmt: skip


def room_for(stats: Stats, n: int) -> Stats:
    """Statistics of n entries, to be filled in."""
    return stats._replace(
        words=np.zeros((n, stats.words.shape[1]), SUM), weight=np.zeros(n, stats.weight.dtype)
    )
