"""Bins of whole-graph columns whose rows several workers have: the same as if one had them all.

Each column belongs to one worker. It gets the distinct values of all others with their counts,
makes the bins, and tells all where they end: a full merge, so that nothing is approximate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from graphtrees._communicator import Communicator
from graphtrees._layout import BIN, VALUE
from graphtrees.kernels import static_columns
from graphtrees.kernels.growing_records import Patterns, StaticColumns
from graphtrees.kernels.static_columns import room_to_bin

# Whole numbers below this are counted, and found again, without sorting them.
MOST_COUNTED = 2**12


@dataclass(frozen=True)
class Columns:
    """What is told about many columns, end to end: many small arrays take long to send.

    Of each column some values, a number for each of them, and some facts.
    """

    sizes: np.ndarray
    values: np.ndarray
    numbers: np.ndarray
    facts: np.ndarray  # (n_columns, n_facts)

    @classmethod
    def of(cls, columns: Sequence[Counts | Bins]) -> Columns:
        sizes = np.array([len(one.values) for one in columns], np.int64)
        values = np.concatenate([np.empty(0, VALUE), *(one.values for one in columns)])
        numbers = np.concatenate([np.empty(0, np.int64), *(one.numbers for one in columns)])
        return cls(sizes, values, numbers, np.array([one[2:] for one in columns], np.int64))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        at = 0
        for size, facts in zip(self.sizes.tolist(), self.facts.tolist(), strict=True):
            yield self.values[at : at + size], self.numbers[at : at + size], *facts
            at += size


class Counts(NamedTuple):
    """Distinct values, how often each comes, and how many values there are, missing ones too."""

    values: np.ndarray
    numbers: np.ndarray
    n: int


class Bins(NamedTuple):
    """Values up to values[i], and above values[i - 1], are in bin numbers[i]."""

    values: np.ndarray
    numbers: np.ndarray
    n_bins: int
    zero_bin: int
    is_single: int  # each bin holds one value

    def find(self, values: np.ndarray) -> np.ndarray:
        """The bin of every value; n_bins is that of missing ones."""
        whole = _as_small_whole(values)
        if whole is None:
            return np.where(np.isnan(values), self.n_bins, self._find_known(values))
        return self._find_known(np.arange(whole.max() + 1, dtype=values.dtype))[whole]

    def _find_known(self, values: np.ndarray) -> np.ndarray:
        at = np.minimum(np.searchsorted(self.values, values), len(self.values) - 1)
        return self.numbers[at]


def bin_together(
    columns: StaticColumns, patterns: Patterns, feature_ptr: list[np.ndarray], n_present: int,
    max_bins: int, communicator: Communicator,
) -> None:  # fmt: skip
    """Fill in the bins. `n_present` examples of all workers have an answer: others answer 0."""
    places = [
        (c, f)
        for c, p in enumerate(patterns.of_whole)
        for f in np.flatnonzero(patterns.is_kept[p]).tolist()
    ]

    def entries(c: int, f: int) -> slice:
        ptr = feature_ptr[int(patterns.of_whole[c])]
        start = int(patterns.whole_start[c])
        return slice(start + int(ptr[f]), start + int(ptr[f + 1]))

    n = communicator.n_workers
    pieces = [
        Columns.of([_counted(columns.values[entries(c, f)]) for c, f in places[rank::n]])
        for rank in range(n)
    ]
    gathered = zip(*communicator.exchange(pieces), strict=True)
    own = Columns.of(
        [_bins_of(list(map(Counts._make, one)), n_present, max_bins) for one in gathered]
    )
    for rank, received in enumerate(communicator.all_gather(own)):
        for (c, f), one in zip(places[rank::n], received, strict=True):
            bins = Bins(*one)
            columns.n_bins[c, f], columns.zero_bin[c, f] = bins.n_bins, bins.zero_bin
            columns.is_single[c, f] = bins.is_single
            here = entries(c, f)
            if bins.n_bins > 1 and here.stop > here.start:
                columns.bins[here] = bins.find(columns.values[here])


def _as_small_whole(values: np.ndarray) -> np.ndarray | None:
    """As whole numbers, where all are such, small, not below 0, and none is missing."""
    if not (len(values) and values.min() >= 0 and values.max() < MOST_COUNTED):
        return None
    whole = values.astype(np.intp)
    return whole if (whole == values).all() else None


def _counted(values: np.ndarray) -> Counts:
    whole = _as_small_whole(values)
    if whole is not None:
        counts = np.bincount(whole)
        distinct = np.flatnonzero(counts)
        return Counts(distinct.astype(values.dtype), counts[distinct], len(values))
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    return Counts(distinct, counts, len(values))


def _bins_of(gathered: list[Counts], n_present: int, max_bins: int) -> Bins:
    values, n = np.concatenate([one.values for one in gathered]), sum(one.n for one in gathered)
    counts = np.concatenate([one.numbers for one in gathered])
    order = np.argsort(values, kind="stable")
    ordered = np.repeat(values[order], counts[order])
    bins = np.zeros((1, len(ordered)), BIN)
    numbers = np.zeros((2, 1), np.int64)
    static_columns.bin_columns(
        ordered[None],
        ordered[None],
        n_present - n,
        max_bins,
        room_to_bin(len(ordered)),
        bins,
        *numbers,
    )
    is_last = np.r_[bins[0, 1:] != bins[0, :-1], np.ones(min(1, len(ordered)), bool)]
    n_bins, zero_bin = numbers[:, 0].tolist()
    n_distinct = len(np.unique(np.append(values, 0.0 if n_present > n else values[:1])))
    return Bins(
        ordered[is_last], bins[0][is_last].astype(np.int64), n_bins, zero_bin, n_bins == n_distinct
    )
