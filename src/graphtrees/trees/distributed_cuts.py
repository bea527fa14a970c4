"""The best cut of the best column, among the entries that several workers have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphtrees._layout import IN_PLUS
from graphtrees.kernels import grow_distributed as stages
from graphtrees.kernels.growing.distributed_columns import BINNED, RANGED, WHOLE
from graphtrees.kernels.growing.nodes import CHILD, IS_OPEN
from graphtrees.kernels.histograms import CUT, MISSING_LEFT, NO_MATTER

if TYPE_CHECKING:
    from graphtrees.trees.distributed import Search


@dataclass(frozen=True)
class BestCuts:
    """Settles the splits of both children, once the gains of their columns are known."""

    search: Search

    def settle(self, n: int) -> None:
        """Of each child the cut of its best column; of S+ and S- the smaller threshold."""
        is_open = self.search.work.control[IS_OPEN : IS_OPEN + 2]
        columns = [i for child in range(2) if is_open[child] for i in self._columns_of(child, n)]
        if not columns:
            return
        is_refined = self._are_refined(columns)
        known = [self._known(i, r) for i, r in zip(columns, is_refined, strict=True)]
        gathered, chosen = self.search.communicator.all_gather(known), set[int]()
        for k, (i, refined) in enumerate(zip(columns, is_refined, strict=True)):
            finish = self._finish if refined else self._finish_by_bins
            threshold, missing_left, gain = finish(i, [one[k] for one in gathered])
            number = int(self.search.work.control[CHILD + self.search.shared.child[i]])
            if number not in chosen or threshold < self.search.nodes.threshold[number]:
                chosen.add(number)
                self._keep(number, i, threshold, missing_left, gain)

    def _columns_of(self, child: int, n: int) -> list[int]:
        """The best column; both signs of a subset where they are equally good."""
        shared = self.search.shared
        task, n_signs, feature = shared.chosen[child].tolist()
        of_child = shared.child[:n] == child
        best = float(shared.gain[:n][of_child].max(initial=-np.inf))
        near = best * (1 - self.search.limits.tolerance)
        columns = []
        for sign in range(n_signs):
            is_it = of_child & (shared.task[:n] == task + sign)
            at = np.flatnonzero(is_it & (shared.feature[:n] == feature))
            columns += [int(i) for i in at if shared.gain[i] >= near]
        return columns

    def _are_refined(self, columns: list[int]) -> list[bool]:
        """Which columns are cut among all their values, not between bins."""
        shared = self.search.shared
        known = [self._is_refined(i, *self._most_entries(i)) for i in columns]
        if None not in known:
            return [bool(one) for one in known]
        for i in columns:
            self.search.run_stage(stages.READ, i, i + 1)
        counts = self.search.communicator.all_reduce(shared.n_read[columns])
        return [
            bool(self._is_refined(i, int(n), True)) for i, n in zip(columns, counts, strict=True)
        ]

    def _is_refined(self, i: int, n: int, exact: bool = False) -> bool | None:
        """None: n, which is at least the number of entries, does not tell."""
        limits = self.search.limits
        if limits.max_bins == 0:
            return True
        if self._has_a_bin_for_each_value(i):
            return False
        if self.search.shared.task[i] < self.search.n_whole and not limits.refines_static:
            return False
        return n <= limits.refined_rows if exact or n <= limits.refined_rows else None

    def _has_a_bin_for_each_value(self, i: int) -> bool:
        """Then a cut between bins is one among all values, and entries need not be told."""
        shared = self.search.shared
        if shared.kind[i] == BINNED:
            return bool(self.search.static.is_single[self._place_of(i), shared.feature[i]])
        return bool(
            shared.kind[i] == WHOLE or (shared.kind[i] == RANGED and shared.scale[i, 1] == 0)
        )

    def _most_entries(self, i: int) -> tuple[int, bool]:
        """(number of entries, or more; whether it is exact), as far as all workers know it."""
        shared, patterns = self.search.shared, self.search.patterns
        if shared.kind[i] != BINNED:
            return int(shared.n_read[i]), True
        p = patterns.of_whole[self._place_of(i)]
        return int(shared.n_entries[shared.child[i], p, shared.feature[i]]), False

    def _known(self, i: int, refined: bool) -> tuple[np.ndarray, ...]:
        """What this worker knows of a column: its entries, or what lies next to the cut."""
        shared, scratch = self.search.shared, self.search.room.scratch
        if not refined:
            self.search.run_stage(stages.PART, i, i + 1)
            return shared.part.copy(), shared.weights.copy()
        self.search.run_stage(stages.READ, i, i + 1)
        n = int(shared.n_read[i])
        rows = scratch.rows[:n]
        return (
            scratch.values[:n].copy(),
            self.search.stats.words[rows],
            self.search.stats.weight[rows],
        )

    def _finish(self, i: int, gathered: list) -> tuple[float, bool, float]:
        """(threshold, missing goes left, gain) of a cut among the entries of all workers."""
        shared, scratch, entries = (
            self.search.shared,
            self.search.room.scratch,
            self.search.room.entries,
        )
        values, words, weight = (np.concatenate([one[k] for one in gathered]) for k in range(3))
        n = len(values)
        scratch.values[:n], scratch.rows[:n] = values, np.arange(n)
        entries.words[:n], entries.weight[:n] = words, weight
        shared.n_read[i] = n
        self.search.run_stage(stages.FINISH, i, i + 1)
        return float(shared.part[0]), bool(shared.weights[0]), float(shared.gain[i])

    def _finish_by_bins(self, i: int, gathered: list) -> tuple[float, bool, float]:
        shared, work = self.search.shared, self.search.work
        child = int(shared.child[i])
        k, sign = self._subset_of(i)
        highest, lowest = max(one[0][0] for one in gathered), min(one[0][1] for one in gathered)
        left, right, every, n = np.add.reduce([one[1] for one in gathered], axis=0).tolist()
        zero_bin = int(shared.zero_bin[i])
        if shared.kind[i] == WHOLE and work.n_present[child, k, sign] > n:
            zero_bin = 0
        if zero_bin >= 0:
            if zero_bin <= shared.cut[i, CUT]:
                highest = max(highest, 0.0)
            else:
                lowest = min(lowest, 0.0)
        threshold = (float(highest) + float(lowest)) / 2.0
        missing_left = bool(shared.cut[i, MISSING_LEFT])
        if shared.cut[i, NO_MATTER]:
            zeros = int(work.present_weight[child, k, sign]) - every
            missing_left = left + zeros >= right if threshold >= 0 else left >= right + zeros
        return threshold, missing_left, float(shared.gain[i])

    def _subset_of(self, i: int) -> tuple[int, int]:
        """(distance of the subset, its sign) of a column; (0, 0): whole graphs."""
        task = int(self.search.shared.task[i]) - self.search.n_whole
        if task < 0:
            return 0, 0
        return 1 + task // (2 * self.search.n_places), task % 2

    def _place_of(self, i: int) -> int:
        """The place of a column's question in the plan for subsets, or for whole graphs."""
        task = int(self.search.shared.task[i])
        if task < self.search.n_whole:
            return task
        return (task - self.search.n_whole) % (2 * self.search.n_places) // 2

    def _keep(self, number: int, i: int, threshold: float, missing_left: bool, gain: float) -> None:
        nodes = self.search.nodes
        distance, sign = self._subset_of(i)
        nodes.threshold[number], nodes.missing_left[number] = threshold, missing_left
        nodes.gain[number], nodes.feature[number] = gain, self.search.shared.feature[i]
        nodes.distance[number], nodes.place[number] = distance, self._place_of(i)
        nodes.sign[number] = IN_PLUS + sign if distance else 0
