"""The columns that no split changes: their values, their bins, and what they tell of subsets."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from graphtrees._communicator import ALONE, Communicator
from graphtrees._layout import BIN, VALUE
from graphtrees._teams import run_team
from graphtrees._threads import Workers
from graphtrees.columns.patterns import EntryPatterns
from graphtrees.columns.shared_bins import bin_together
from graphtrees.kernels import static_columns
from graphtrees.kernels._references import stored
from graphtrees.kernels.growing_records import StaticColumns
from graphtrees.kernels.static_columns import room_to_bin
from graphtrees.questions.plan import Plan

NO_CODES = np.empty(0, np.uint8)

# Waking a thread takes as long as making so many values.
VALUES_A_THREAD = 50_000

LARGEST_COUNT = 2**24  # up to here float32 holds every whole number


def make_static(
    data, plan: Plan, subset: Plan, is_present: np.ndarray, max_bins: int | None,
    workers: Workers, communicator: Communicator = ALONE,
) -> StaticColumns:  # fmt: skip
    """The columns of a plan about whole graphs and, but for the exact search, their bins.

    `data` are the columns of graphs or of vertices; `is_present`: which examples have an answer.
    """
    patterns = data.patterns
    starts, n_features = patterns.record.whole_start, patterns.record.is_kept.shape[1]
    values = np.empty(starts[-1], VALUE)
    bins = np.empty(starts[-1] if max_bins is not None else 0, BIN)
    numbers = np.zeros((3, plan.width, n_features), np.int64)
    bound = np.full((subset.width, n_features), -1, np.int64)
    columns = StaticColumns(values, bins, *numbers, bound)
    members = min(workers.n_threads, 1 + values.size // VALUES_A_THREAD)
    source = stored(data.source())
    scratch = [stored(room) for room in data.scratch(members)]
    every = np.arange(len(is_present), dtype=np.int32)
    run_team(
        workers, members,
        lambda team, rank: static_columns.make_static(
            source, every, NO_CODES, plan.places, scratch[rank], values, team, (rank, members)
        ),
    )  # fmt: skip
    if max_bins is None:
        return columns
    if communicator.n_workers == 1:
        _bin_columns(columns, patterns, int(is_present.sum()), max_bins, workers)
    else:
        n_present = int(communicator.all_reduce(np.array(is_present.sum())))
        bin_together(
            columns, patterns.record, patterns.feature_ptr, n_present, max_bins, communicator
        )
    return columns


def widest_bounds(columns: StaticColumns, communicator: Communicator) -> StaticColumns:
    """The largest bound of any worker; -1, none, is larger than all."""
    if communicator.n_workers > 1:
        bound = np.where(columns.bound < 0, LARGEST_COUNT, columns.bound)
        largest = communicator.all_reduce(bound, np.maximum)
        columns.bound[:] = np.where(largest < LARGEST_COUNT, largest, -1)
    return columns


def bound_by(columns: StaticColumns, patterns: EntryPatterns, whole: int, place: int) -> None:
    """Answers to a question about subsets are 0, 1, ... up to the largest of one about all.

    That is known for the features that both questions are about.
    """
    record = patterns.record
    p = int(record.of_whole[whole])
    ptr = patterns.feature_ptr[p]
    filled = np.diff(ptr) > 0
    values = columns.values[record.whole_start[whole] : record.whole_start[whole + 1]]
    columns.bound[place, record.is_kept[p]] = 0
    if filled.any():
        largest = np.maximum.reduceat(values, ptr[:-1][filled])
        columns.bound[place, filled] = np.where(largest < LARGEST_COUNT, largest, -1)


def _bin_columns(
    columns: StaticColumns, patterns: EntryPatterns, n_present: int, max_bins: int, workers: Workers
) -> None:
    """Fill in the bins; NumPy sorts several times faster than a kernel can.

    `n_present` examples have an answer: those without an entry answer 0.
    """
    record = patterns.record

    def bin_some(f: int, first: int, last: int, p: int) -> None:
        """Places from `first` to `last` share pattern p, so they lie side by side."""
        span = slice(record.whole_start[first], record.whole_start[last])
        ptr = patterns.feature_ptr[p]
        entries = slice(ptr[f], ptr[f + 1])
        values = columns.values[span].reshape(last - first, -1)[:, entries]
        bins = columns.bins[span].reshape(last - first, -1)[:, entries]
        n = values.shape[1]
        static_columns.bin_columns(
            values, np.sort(values, axis=1), n_present - n, max_bins, room_to_bin(n), bins,
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
