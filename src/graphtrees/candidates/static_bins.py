"""Bins of the columns that no split changes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from graphtrees._threads import Workers
from graphtrees.candidates.patterns import EntryPatterns
from graphtrees.kernels import static_columns
from graphtrees.kernels.growing_records import StaticColumns

# Waking a thread takes as long as making so many values.
VALUES_A_THREAD = 50_000


def bin_columns(
    columns: StaticColumns, patterns: EntryPatterns, n_alive: int, max_bins: int, workers: Workers
) -> None:
    """Fill in the bins; NumPy sorts several times faster than a kernel can.

    `n_alive` examples have an answer: those without an entry answer 0.
    """
    record = patterns.record

    def bin_some(f: int, first: int, last: int, p: int) -> None:
        """Places from `first` to `last` share pattern p, so they lie side by side."""
        span = slice(record.whole_start[first], record.whole_start[last])
        ptr = patterns.feature_ptr[p]
        entries = slice(ptr[f], ptr[f + 1])
        values = columns.values[span].reshape(last - first, -1)[:, entries]
        bins = columns.bins[span].reshape(last - first, -1)[:, entries]
        static_columns.bin_columns(
            values, np.sort(values, axis=1), n_alive - values.shape[1], max_bins, bins,
            columns.n_bins[first:last, f], columns.zero_bin[first:last, f],
        )  # fmt: skip

    tasks = []
    for first, last in _runs(record.of_whole):
        p = int(record.of_whole[first])
        for f, n in enumerate(np.diff(patterns.feature_ptr[p])):
            height = max(1, VALUES_A_THREAD // max(1, int(n)))
            parts = range(first, last if n else first, height)
            tasks += [(f, k, min(last, k + height), p) for k in parts]
    workers.each(bin_some, tasks)


def _runs(numbers: np.ndarray) -> list[tuple[int, int]]:
    """(start, stop) of every run of equal numbers."""
    changes = np.flatnonzero(np.diff(numbers)) + 1
    cuts = [0, *changes.tolist(), len(numbers)] if len(numbers) else [0]
    return list(pairwise(cuts))
