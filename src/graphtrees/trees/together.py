"""Grow a tree together with other workers: run the stages, and exchange what they found.

For each split the workers exchange five things: the sums of both children; the ranges of columns
that have no bins yet; histograms, of which each worker adds up and searches its share; the gains;
the entries of the best column. Where they have parts of one graph, they also exchange which subset
each vertex of a halo is in. See `kernels/growing/together.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from graphtrees._communicator import Communicator, Halo
from graphtrees._layout import IN_PLUS, LEAF, SUM, VALUE
from graphtrees.kernels import grow_together as stages
from graphtrees.kernels.growing.nodes import AGAIN, CHILD, IS_OPEN, N_LEAVES, NEEDS_ROOM, PARENT
from graphtrees.kernels.growing.together import NONE, RANGED, WHOLE
from graphtrees.kernels.growing_records import (
    Nodes,
    PackedStats,
    Patterns,
    Room,
    SearchLimits,
    Together,
    WideStats,
    Work,
)
from graphtrees.kernels.histograms import CUT, MISSING_LEFT, NEWTON, NO_MATTER
from graphtrees.trees.workspace import Shape

# Words of histograms that are exchanged at once: 32 MB.
MOST_WORDS = 4 * 2**20

Stats: TypeAlias = PackedStats | WideStats


@dataclass
class Search:
    """What the stages of one tree work on; run(stage, work, together) runs one of them."""

    run: Callable[[int, Work, Together], None]
    communicator: Communicator
    patterns: Patterns
    n_whole: int  # questions about whole graphs
    n_places: int  # questions about subsets
    stats: Stats
    limits: SearchLimits
    nodes: Nodes
    work: Work
    together: Together
    room: Room
    halo: Halo | None = None
    max_leaf_nodes: int = 0  # 0: no limit

    def grow(self, add_room: Callable[[Work], Work]) -> Work:
        """Split the node with the largest gain until none is left."""
        work, control = self.work, self.work.control
        for sums in (work.n_present, work.present_weight, work.present_total):
            sums[:] = 0  # those of subsets that are not there are added up, too
        self._stage(stages.BEGIN)
        while True:
            self._add_up_children()
            self._stage(stages.OPEN)
            self._search()
            if control[PARENT] == LEAF:
                return self.work
            if control[NEEDS_ROOM]:
                self.work = add_room(self.work)
            self._stage(stages.MARK)
            self._tell_subsets()
            self._stage(stages.APPLY)

    def _stage(self, stage: int, first: int | None = None, last: int = 0) -> None:
        if first is not None:
            self.together.span[:] = first, last
        self.run(stage, self.work, self.together)

    def _tell_subsets(self) -> None:
        """The vertices of halos are in the subsets that their owners found, if anyone will ask."""
        control = self.work.control
        is_last = 0 < self.max_leaf_nodes <= control[N_LEAVES] + 1
        if self.halo is not None and not is_last:
            codes = self.work.codes[self.nodes.slot[control[PARENT]]]
            self.halo.complete(codes, self.communicator)

    # ---- sums of the children -------------------------------------------------------------------

    def _add_up_children(self) -> None:
        """Sums over all workers take the place of those over this worker's rows."""
        work, together = self.work, self.together
        self._stage(stages.COUNT)
        children = [child for child in range(2) if work.control[CHILD + child] >= 0]
        sums = [array for child in children for array in self._sums_of(child)]
        local = np.concatenate([np.ravel(array) for array in sums])
        pure = [bool(together.chosen[child, 0]) for child in children]
        first = [self._first_row(child) for child in children]
        told = self.communicator.all_gather((local, pure, first))
        total, at = np.add.reduce([one[0] for one in told], axis=0), 0
        for array in sums:
            array[...] = total[at : at + array.size].reshape(array.shape)
            at += array.size
        for k, child in enumerate(children):
            rows = [one[2][k] for one in told if len(one[2][k])]
            alike = all(one[1][k] for one in told) and are_alike(self.stats, np.array(rows))
            together.chosen[child, 0] = alike

    def _sums_of(self, child: int) -> Iterator[np.ndarray]:
        number = int(self.work.control[CHILD + child])
        work, nodes = self.work, self.nodes
        yield nodes.n_rows[number : number + 1]
        yield nodes.weight[number : number + 1]
        yield nodes.total[number]
        yield work.n_present[child]
        yield work.present_weight[child]
        yield work.present_total[child]
        yield self.together.n_entries[child]

    def _first_row(self, child: int) -> np.ndarray:
        """The sums of the first row of a child, as an example of what its rows ask for."""
        number = int(self.work.control[CHILD + child])
        start, stop = int(self.nodes.start[number]), int(self.nodes.stop[number])
        return self.stats.words[self.work.rows[start]] if stop > start else np.empty(0, SUM)

    # ---- the search -----------------------------------------------------------------------------

    def _search(self) -> None:
        """The best split of both children; then the node to split next."""
        control, together = self.work.control, self.together
        while True:
            n = int(together.span[1])
            if n:
                self._find_ranges(n)
                self._stage(stages.LAY_OUT, 0, n)
                self._find_gains(n)
                self._stage(stages.CHOOSE, 0, n)
                self._settle(n)
            self._stage(stages.NEXT, 0, n)
            if not control[AGAIN]:
                return

    def _find_ranges(self, n: int) -> None:
        """The ranges of columns that have no bins yet."""
        together = self.together
        asked = np.flatnonzero(together.kind[:n] == RANGED)
        if not len(asked):
            return
        self._stage(stages.RANGES, 0, n)
        counts = np.stack([together.n_read, together.known, together.exponents])[:, asked]
        ends, whole = together.ends[asked], together.is_whole[asked]
        told = self.communicator.all_gather((counts, ends, whole))
        before = [one[0][0] for one in told[: self.communicator.rank]]
        together.n_before[asked] = np.add.reduce([np.zeros(len(asked), np.int64), *before], axis=0)
        total = np.add.reduce([one[0] for one in told], axis=0)
        together.n_read[asked], together.known[asked], together.exponents[asked] = total
        together.ends[asked, 0] = np.min([one[1][:, 0] for one in told], axis=0)
        together.ends[asked, 1] = np.max([one[1][:, 1] for one in told], axis=0)
        together.is_whole[asked] = np.min([one[2] for one in told], axis=0)

    def _find_gains(self, n: int) -> None:
        """The best gain of every column: each worker adds up and searches some of them."""
        start = self.together.start
        n_workers, rank = self.communicator.n_workers, self.communicator.rank
        for first, last in _chunks(start[: n + 1]):
            cuts = _shares(start[first : last + 1], n_workers) + first
            self._make_room(int(start[last] - start[first]))
            self._stage(stages.CELLS, first, last)
            cells, at = self.together.cells, start[cuts] - start[first]
            pieces = [cells[at[k] : at[k + 1]].copy() for k in range(n_workers)]
            mine = self.communicator.reduce_scatter(pieces)
            cells[: len(mine)] = mine
            self._stage(stages.SCAN, int(cuts[rank]), int(cuts[rank + 1]))
            self._tell_gains(cuts)

    def _make_room(self, n_words: int) -> None:
        if len(self.together.cells) < n_words:
            self.together = self.together._replace(cells=np.empty(n_words, SUM))

    def _tell_gains(self, cuts: np.ndarray) -> None:
        together, rank = self.together, self.communicator.rank
        mine = slice(cuts[rank], cuts[rank + 1])
        cuts_here = together.cut[mine].astype(np.int32)
        told = self.communicator.all_gather((together.gain[mine], cuts_here))
        for k, (gain, cut) in enumerate(told):
            together.gain[cuts[k] : cuts[k + 1]] = gain
            together.cut[cuts[k] : cuts[k + 1]] = cut

    # ---- the best column ------------------------------------------------------------------------

    def _settle(self, n: int) -> None:
        """Of each child the cut of its best column; of S+ and S- the smaller threshold."""
        is_open = self.work.control[IS_OPEN : IS_OPEN + 2]
        columns = [i for child in range(2) if is_open[child] for i in self._columns_of(child, n)]
        if not columns:
            return
        is_refined = self._are_refined(columns)
        known = [self._known(i, r) for i, r in zip(columns, is_refined, strict=True)]
        told, chosen = self.communicator.all_gather(known), set[int]()
        for k, (i, refined) in enumerate(zip(columns, is_refined, strict=True)):
            finish = self._finish if refined else self._finish_by_bins
            threshold, missing_left, gain = finish(i, [one[k] for one in told])
            number = int(self.work.control[CHILD + self.together.child[i]])
            if number not in chosen or threshold < self.nodes.threshold[number]:
                chosen.add(number)
                self._keep(number, i, threshold, missing_left, gain)

    def _columns_of(self, child: int, n: int) -> list[int]:
        """The best column; both signs of a subset where they are equally good."""
        together = self.together
        task, n_signs, feature = together.chosen[child].tolist()
        of_child = together.child[:n] == child
        best = float(together.gain[:n][of_child].max(initial=-np.inf))
        near = best * (1 - self.limits.tolerance)
        columns = []
        for sign in range(n_signs):
            is_it = of_child & (together.task[:n] == task + sign)
            at = np.flatnonzero(is_it & (together.feature[:n] == feature))
            columns += [int(i) for i in at if together.gain[i] >= near]
        return columns

    def _are_refined(self, columns: list[int]) -> list[bool]:
        """Which columns are cut among all their values, not between bins."""
        together, limits = self.together, self.limits
        known = [self._is_refined(i, self._most_entries(i)) for i in columns]
        if None not in known:
            return [bool(one) for one in known]
        for i in columns:
            self._stage(stages.READ, i, i + 1)
        counts = self.communicator.all_reduce(together.n_read[columns])
        assert limits.max_bins > 0
        return [
            bool(self._is_refined(i, int(n), True)) for i, n in zip(columns, counts, strict=True)
        ]

    def _is_refined(self, i: int, n: int, exact: bool = False) -> bool | None:
        """None: n, which is at least the number of entries, does not tell."""
        limits = self.limits
        if limits.max_bins == 0:
            return True
        if self.together.task[i] < self.n_whole and not limits.refines_static:
            return False
        return n <= limits.refined_rows if exact or n <= limits.refined_rows else None

    def _most_entries(self, i: int) -> int:
        together, patterns = self.together, self.patterns
        place = int(together.task[i])
        if place < self.n_whole:
            p = patterns.of_whole[place]
        else:
            p = patterns.of_place[(place - self.n_whole) % (2 * self.n_places) // 2]
        return int(together.n_entries[together.child[i], p, together.feature[i]])

    def _known(self, i: int, refined: bool) -> tuple[np.ndarray, ...]:
        """What this worker knows of a column: its entries, or what lies next to the cut."""
        together, scratch = self.together, self.room.scratch
        if not refined:
            self._stage(stages.PART, i, i + 1)
            return together.part.copy(), together.weights.copy()
        self._stage(stages.READ, i, i + 1)
        n = int(together.n_read[i])
        rows = scratch.rows[:n]
        return scratch.values[:n].copy(), self.stats.words[rows], self.stats.weight[rows]

    def _finish(self, i: int, told: list) -> tuple[float, bool, float]:
        """(threshold, missing goes left, gain) of a cut among the entries of all workers."""
        together, scratch, entries = self.together, self.room.scratch, self.room.entries
        values, words, weight = (np.concatenate([one[k] for one in told]) for k in range(3))
        n = len(values)
        scratch.values[:n], scratch.rows[:n] = values, np.arange(n)
        entries.words[:n], entries.weight[:n] = words, weight
        together.n_read[i] = n
        self._stage(stages.FINISH, i, i + 1)
        return float(together.part[0]), bool(together.weights[0]), float(together.gain[i])

    def _finish_by_bins(self, i: int, told: list) -> tuple[float, bool, float]:
        together, work = self.together, self.work
        child = int(together.child[i])
        k, sign = self._subset_of(i)
        highest, lowest = max(one[0][0] for one in told), min(one[0][1] for one in told)
        left, right, every, n = np.add.reduce([one[1] for one in told], axis=0).tolist()
        zero_bin = int(together.zero_bin[i])
        if together.kind[i] == WHOLE and work.n_present[child, k, sign] > n:
            zero_bin = 0
        if zero_bin >= 0:
            if zero_bin <= together.cut[i, CUT]:
                highest = max(highest, 0.0)
            else:
                lowest = min(lowest, 0.0)
        threshold = (float(highest) + float(lowest)) / 2.0
        missing_left = bool(together.cut[i, MISSING_LEFT])
        if together.cut[i, NO_MATTER]:
            zeros = int(work.present_weight[child, k, sign]) - every
            missing_left = left + zeros >= right if threshold >= 0 else left >= right + zeros
        return threshold, missing_left, float(together.gain[i])

    def _subset_of(self, i: int) -> tuple[int, int]:
        """(distance of the subset, its sign) of a column; (0, 0): whole graphs."""
        task = int(self.together.task[i]) - self.n_whole
        if task < 0:
            return 0, 0
        return 1 + task // (2 * self.n_places), task % 2

    def _keep(self, number: int, i: int, threshold: float, missing_left: bool, gain: float) -> None:
        nodes, task = self.nodes, int(self.together.task[i])
        distance, sign = self._subset_of(i)
        place = task
        if distance:
            place = (task - self.n_whole) % (2 * self.n_places) // 2
        nodes.threshold[number], nodes.missing_left[number] = threshold, missing_left
        nodes.gain[number], nodes.feature[number] = gain, self.together.feature[i]
        nodes.distance[number], nodes.place[number] = distance, place
        nodes.sign[number] = IN_PLUS + sign if distance else 0


def are_alike(stats: Stats, words: np.ndarray) -> bool:
    """Whether rows with these sums ask for the same value, so that nothing is to be gained."""
    if len(words) < 2:
        return True
    if isinstance(stats, PackedStats):
        gradient = words[:, 0].astype(np.float64)
        hessian = (words[:, 1] >> stats.count_bits).astype(np.float64)
        return bool((gradient * hessian[0] == gradient[0] * hessian).all())
    if stats.kind == NEWTON:
        gradient, hessian = words[:, 1::2].astype(np.float64), words[:, 2::2].astype(np.float64)
        return bool((gradient * hessian[0] == gradient[0] * hessian).all())
    return bool(((words[:, 1:] != 0) == (words[0, 1:] != 0)).all())


def _chunks(start: np.ndarray) -> Iterator[tuple[int, int]]:
    """Stretches of columns whose cells are exchanged at once."""
    first, n = 0, len(start) - 1
    while first < n:
        last = int(np.searchsorted(start, start[first] + MOST_WORDS, side="right")) - 1
        last = min(n, max(last, first + 1))
        yield first, last
        first = last


def _shares(start: np.ndarray, n_workers: int) -> np.ndarray:
    """Where the columns of each worker begin: about as many words for each."""
    wanted = start[0] + (start[-1] - start[0]) * np.arange(n_workers + 1) // n_workers
    cuts = np.searchsorted(start, wanted, side="left")
    cuts[0], cuts[-1] = 0, len(start) - 1
    return np.maximum.accumulate(cuts)


def new_together(shape: Shape) -> Together:
    """Room for the columns of both children."""
    n = 2 * (shape.n_drawn or int(shape.gain_start[-1])) + 1
    number = np.zeros((9, n), np.int64)
    return Together(
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
