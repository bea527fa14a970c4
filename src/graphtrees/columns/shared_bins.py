"""Bins of whole-graph columns whose rows several workers have: the same as if one had them all.

Each column belongs to one worker. It gets the distinct values of all others with their counts,
makes the bins, and tells all where they end: a full merge, so that nothing is approximate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees._communicator import Communicator
from graphtrees._layout import BIN
from graphtrees.kernels import static_columns
from graphtrees.kernels.growing_records import Patterns, StaticColumns


@dataclass(frozen=True)
class Bins:
    """Values up to last[i], and above last[i - 1], are in bin number[i]."""

    last: np.ndarray
    number: np.ndarray
    n_bins: int
    zero_bin: int


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
        [_counted(columns.values[entries(c, f)]) for c, f in places[rank::n]] for rank in range(n)
    ]
    gathered = communicator.exchange(pieces)
    mine = [
        _bins_of([one[k] for one in gathered], n_present, max_bins) for k in range(len(gathered[0]))
    ]
    for rank, made in enumerate(communicator.all_gather(mine)):
        for (c, f), one in zip(places[rank::n], made, strict=True):
            columns.n_bins[c, f], columns.zero_bin[c, f] = one.n_bins, one.zero_bin
            if one.n_bins > 1:
                values = columns.values[entries(c, f)]
                at = np.minimum(np.searchsorted(one.last, values), len(one.last) - 1)
                bins = np.where(np.isnan(values), one.n_bins, one.number[at])
                columns.bins[entries(c, f)] = bins


def _counted(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Distinct values, how often each comes, and how many values there are, missing ones too."""
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    return distinct, counts, len(values)


def _bins_of(
    gathered: list[tuple[np.ndarray, np.ndarray, int]], n_present: int, max_bins: int
) -> Bins:
    values, n = np.concatenate([one[0] for one in gathered]), sum(one[2] for one in gathered)
    counts = np.concatenate([one[1] for one in gathered])
    order = np.argsort(values, kind="stable")
    ordered = np.repeat(values[order], counts[order])
    bins = np.zeros((1, len(ordered)), BIN)
    numbers = np.zeros((2, 1), np.int64)
    static_columns.bin_columns(
        ordered[None], ordered[None], n_present - n, max_bins, bins, *numbers
    )
    is_last = np.r_[bins[0, 1:] != bins[0, :-1], np.ones(min(1, len(ordered)), bool)]
    last = ordered[is_last]
    return Bins(last, bins[0][is_last].astype(np.int64), int(numbers[0, 0]), int(numbers[1, 0]))
