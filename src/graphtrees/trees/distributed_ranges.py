"""The ranges of columns that have no bins yet, over the entries that several workers have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from graphtrees.kernels import grow_distributed as stages
from graphtrees.kernels.growing.distributed_columns import RANGED

if TYPE_CHECKING:
    from graphtrees.trees.distributed import Search

# Of some columns: their numbers; entries, known ones and summed exponents; ends; is_whole.
Ranges: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class SharedRanges:
    """Finds the ranges that this worker has, and joins those of all."""

    search: Search

    def here(self) -> Ranges:
        """The ranges of the entries that this worker has."""
        shared, n = self.search.shared, int(self.search.shared.span[1])
        if (shared.kind[:n] == RANGED).any():
            self.search.run_stage(stages.RANGES, 0, n)
        asked = np.flatnonzero((shared.kind[:n] == RANGED) & (shared.n_read[:n] > 0))
        counts = np.stack([of[asked] for of in (shared.n_read, shared.known, shared.exponents)])
        return self._numbers_of(asked), counts, shared.ends[asked], shared.is_whole[asked]

    def take(self, ranges: list[Ranges], n: int) -> None:
        """Ranges over all workers, for those of the first n columns that need one."""
        shared, rank = self.search.shared, self.search.communicator.rank
        asked = np.flatnonzero(shared.kind[:n] == RANGED)
        asked = asked[np.argsort(self._numbers_of(asked))]
        known = self._numbers_of(asked)
        sums = np.zeros((len(ranges), 3, len(asked)), np.int64)
        shared.ends[asked], shared.is_whole[asked] = (np.inf, -np.inf), 1
        for sums_of_worker, (numbers, counts, ends, is_whole) in zip(sums, ranges, strict=True):
            is_asked = np.isin(numbers, known, assume_unique=True)
            at = np.searchsorted(known, numbers[is_asked])
            sums_of_worker[:, at] = counts[:, is_asked]
            i, ends = asked[at], ends[is_asked]
            shared.ends[i, 0] = np.minimum(shared.ends[i, 0], ends[:, 0])
            shared.ends[i, 1] = np.maximum(shared.ends[i, 1], ends[:, 1])
            shared.is_whole[i] &= is_whole[is_asked]
        shared.n_before[asked] = sums[:rank, 0].sum(axis=0)
        shared.n_read[asked], shared.known[asked], shared.exponents[asked] = sums.sum(axis=0)

    def _numbers_of(self, columns: np.ndarray) -> np.ndarray:
        """A number for each of these columns that all workers know it by."""
        shared, start = self.search.shared, self.search.work.gain_start
        at = start[shared.task[columns]] + shared.feature[columns]
        return shared.child[columns] * start[-1] + at
