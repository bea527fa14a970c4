"""The best gain of every column, from histograms to which several workers add what they have.

    fill what others search ─► send ─► fill what this one searches ─► receive, add ─► scan ─► gains

Columns are shared out: each worker adds up and searches its share, and tells the others its best.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphtrees._layout import SUM
from graphtrees.kernels import grow_distributed as stages
from graphtrees.kernels.sparse_words import add_packed, pack

if TYPE_CHECKING:
    from graphtrees.trees.distributed import Search

# Words of histograms that are exchanged at once: 32 MB.
MOST_WORDS = 4 * 2**20


@dataclass(frozen=True)
class SharedGains:
    """Finds the gains of the columns that this worker searches, and gathers the best of all."""

    search: Search

    def find(self, n: int) -> None:
        """The gains of the first n columns; -inf where another column is better for sure."""
        search, start = self.search, self.search.shared.start
        rank, n_workers = search.communicator.rank, search.communicator.n_workers
        for first, last in _chunks(start[: n + 1]):
            cuts = _shares(start[first : last + 1], n_workers) + first
            self._make_room(int(start[last] - start[first]))
            cells = self._add_up(cuts)
            self._run(stages.SCAN, cuts[rank], cuts[rank + 1], cells)
            self._tell(cuts)

    def _add_up(self, cuts: np.ndarray) -> np.ndarray:
        """The sums over all workers of this one's share; share k is of columns from cuts[k] on.

        Cells for others are filled first: they travel while this worker fills its own.
        """
        communicator, cells = self.search.communicator, self.search.shared.cells
        rank = communicator.rank
        at = self.search.shared.start[cuts] - self.search.shared.start[cuts[0]]
        self._run(stages.CELLS, cuts[0], cuts[rank], cells)
        self._run(stages.CELLS, cuts[rank + 1], cuts[-1], cells[at[rank + 1] :])
        shares = [cells[a:b] for a, b in itertools.pairwise(at)]
        pieces = [None if k == rank else packed(share) for k, share in enumerate(shares)]
        receive = communicator.start_exchange(pieces)
        self._run(stages.CELLS, cuts[rank], cuts[rank + 1], shares[rank])
        for k, piece in enumerate(receive()):
            if k != rank:
                add_packed(*piece, shares[rank])
        return shares[rank]

    def _run(self, stage: int, first: int, last: int, cells: np.ndarray) -> None:
        """Run a stage on some columns, whose cells are these."""
        search = self.search
        if first < last:
            search.shared.span[:] = first, last
            search.run(stage, search.work, search.shared._replace(cells=cells))

    def _make_room(self, n_words: int) -> None:
        if len(self.search.shared.cells) < n_words:
            self.search.shared = self.search.shared._replace(cells=np.empty(n_words, SUM))

    def _tell(self, cuts: np.ndarray) -> None:
        """Tell the others the best columns of this worker's share; no other one can be chosen."""
        shared, rank = self.search.shared, self.search.communicator.rank
        best = self._best(int(cuts[rank]), int(cuts[rank + 1]))
        candidates = best, shared.gain[best], shared.cut[best], shared.n_read[best]
        shared.gain[cuts[0] : cuts[-1]] = -np.inf
        for columns, gain, cut, n_read in self.search.communicator.all_gather(candidates):
            shared.gain[columns], shared.cut[columns], shared.n_read[columns] = gain, cut, n_read

    def _best(self, first: int, last: int) -> np.ndarray:
        """Those of some columns that are as good as the best of them, for either child."""
        shared = self.search.shared
        gain, child = shared.gain[first:last], shared.child[first:last]
        best = np.array([gain[child == one].max(initial=0.0) for one in range(2)])
        near = best * (1 - self.search.limits.tolerance)
        return first + np.flatnonzero((gain > 0.0) & (gain >= near[child]))


def packed(words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Words of which most are 0, as `add_packed` takes them; they are packed where they stand."""
    bits = np.empty((len(words) + 7) // 8, np.uint8)
    return bits, words[: pack(words, bits, words)]


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
