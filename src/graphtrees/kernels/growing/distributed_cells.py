"""Histograms of columns whose rows several workers have: filled by each, scanned by one of them."""

from __future__ import annotations

import numpy as np

from graphtrees.kernels import column_search, histograms
from graphtrees.kernels._jit import by_type, inner_kernel
from graphtrees.kernels.bins import find_bins
from graphtrees.kernels.growing.distributed_columns import (
    BINNED,
    LISTED,
    NONE,
    WHOLE,
    read_listed,
)
from graphtrees.kernels.growing.entries import entries_of
from graphtrees.kernels.growing.nodes import CHILD
from graphtrees.kernels.growing.searching import read_bins
from graphtrees.kernels.growing.tasks import column_of_task, pattern_of, rows_of
from graphtrees.kernels.growing_records import PackedStats, WideStats


@inner_kernel
def fill_cells(i, first, source, questions, static, stats, growth, limits, nodes, work,
    shared, room,
):  # fmt: skip
    """The histogram, or the entries, that this worker has of a column; cells begin at `first`."""
    kind = shared.kind[i]
    if kind == NONE:
        return
    scratch = room.scratch
    child = shared.child[i]
    f = shared.feature[i]
    k, c = column_of_task(shared.task[i], questions)
    patterns = source.patterns
    n_bins = shared.n_bins[i]
    if kind == LISTED:
        _write_entries(i, first, source, questions, static, stats, growth, nodes, work, shared,
            room,
        )  # fmt: skip
        return
    if kind == BINNED:
        entries = entries_of(child, k, pattern_of(k, c, patterns), f, patterns, nodes, work)
        bins = static.bins[patterns.whole_start[c] : patterns.whole_start[c + 1]]
        column_search.count_binned(stats, entries, bins, n_bins, scratch)
    elif kind == WHOLE:
        entries = entries_of(child, k, pattern_of(k, c, patterns), f, patterns, nodes, work)
        depth = nodes.depth[work.control[CHILD + child]]
        slot = (depth - k) % growth.max_ancestor_distance
        column = work.blocks[slot, patterns.start[c] :]
        column_search.count_whole(stats, entries, column, n_bins, scratch)
    else:
        n = read_listed(i, source, questions, static, growth, nodes, work, shared, room)
        find_bins(
            scratch.values, n, limits.has_missing, n_bins, shared.scale[i, 0],
            shared.scale[i, 1], shared.scale[i, 2], scratch.bins,
        )  # fmt: skip
        histograms.count_entries(stats, n, n_bins, scratch)
    at = shared.start[i] - first
    for b in range(n_bins + 1):
        for j in range(scratch.cells.shape[1]):
            shared.cells[at] = scratch.cells[b, j]
            at += 1


@inner_kernel
def _write_entries(i, first, source, questions, static, stats, growth, nodes, work, shared, room):
    scratch = room.scratch
    width = stats.words.shape[1]
    n = read_listed(i, source, questions, static, growth, nodes, work, shared, room)
    bits = scratch.values.view(np.int32)
    start = shared.start[i] - first
    for at in range(start, start + shared.n_read[i] * (1 + width)):
        shared.cells[at] = 0
    at = start + shared.n_before[i] * (1 + width)
    for e in range(n):
        shared.cells[at] = bits[e]
        for j in range(width):
            shared.cells[at + 1 + j] = stats.words[scratch.rows[e], j]
        at += 1 + width


@inner_kernel
def _read_entries(i, first, shared, room):
    scratch = room.scratch
    width = room.entries.words.shape[1]
    bits = scratch.values.view(np.int32)
    at = shared.start[i] - first
    for e in range(shared.n_read[i]):
        bits[e] = np.int32(shared.cells[at])
        scratch.rows[e] = e
        for j in range(width):
            room.entries.words[e, j] = shared.cells[at + 1 + j]
        at += 1 + width


def _n_counted_packed(stats, first, stop, cells):
    """How many entries are in some cells of a histogram."""
    n = np.int64(0)
    for b in range(first, stop):
        n += cells[b, 1] & ((np.int64(1) << stats.count_bits) - 1)
    return n


def _n_counted_wide(stats, first, stop, cells):
    n = np.int64(0)
    for b in range(first, stop):
        n += cells[b, 0]
    return n


_n_counted = by_type({PackedStats: _n_counted_packed, WideStats: _n_counted_wide})


@inner_kernel
def scan_column(i, first, questions, stats, limits, nodes, work, shared, room):
    """The best cut of a column whose cells, which begin at `first`, are those of all workers."""
    kind = shared.kind[i]
    if kind == NONE:
        return
    scratch = room.scratch
    k, c = column_of_task(shared.task[i], questions)
    rows = rows_of(shared.child[i], k, c, nodes, work)
    if kind == LISTED:
        _read_entries(i, first, shared, room)
        shared.gain[i] = column_search.search_sorted(
            room.entries, shared.n_read[i], rows, limits, histograms.NO_FLOOR, scratch
        )
        return
    n_bins = shared.n_bins[i]
    at = shared.start[i] - first
    for b in range(n_bins + 1):
        for j in range(scratch.cells.shape[1]):
            scratch.cells[b, j] = shared.cells[at]
            at += 1
    if kind == WHOLE:
        shared.n_read[i] = _n_counted(stats, 1, n_bins, scratch.cells)
        shared.gain[i] = column_search.scan_whole(
            stats, n_bins, rows, limits, histograms.NO_FLOOR, scratch
        )
    else:
        histograms.count_others(n_bins, shared.zero_bin[i], rows, scratch)
        shared.gain[i] = histograms.scan(stats, n_bins, rows, limits, histograms.NO_FLOOR, scratch)
    for j in range(3):
        shared.cut[i, j] = scratch.cut[j]


@inner_kernel
def find_part(i, source, questions, static, stats, growth, limits, nodes, work, shared, room):
    """Of the cut that was chosen by bins: the values next to it, and the weight on each side."""
    scratch = room.scratch
    child = shared.child[i]
    f = shared.feature[i]
    k, c = column_of_task(shared.task[i], questions)
    patterns = source.patterns
    n_bins = shared.n_bins[i]
    if shared.kind[i] == BINNED:
        entries = entries_of(child, k, pattern_of(k, c, patterns), f, patterns, nodes, work)
        n = read_bins(entries, c, patterns, static, scratch)
        for e in range(n):
            at = entries.shift + entries.position[entries.start + e]
            scratch.values[e] = static.values[patterns.whole_start[c] + at]
    else:
        n = read_listed(i, source, questions, static, growth, nodes, work, shared, room)
        if shared.kind[i] == WHOLE:
            find_bins(scratch.values, n, False, n_bins, 0.0, 0.0, 1.0, scratch.bins)
        else:
            find_bins(
                scratch.values, n, limits.has_missing, n_bins, shared.scale[i, 0],
                shared.scale[i, 1], shared.scale[i, 2], scratch.bins,
            )  # fmt: skip
    shared.part[0] = -np.inf
    shared.part[1] = np.inf
    for j in range(3):
        shared.weights[j] = 0
    shared.weights[3] = n
    for e in range(n):
        weight = stats.weight[scratch.rows[e]]
        shared.weights[2] += weight
        if scratch.bins[e] <= shared.cut[i, histograms.CUT]:
            shared.part[0] = max(shared.part[0], np.float64(scratch.values[e]))
            shared.weights[0] += weight
        elif scratch.bins[e] < n_bins:
            shared.part[1] = min(shared.part[1], np.float64(scratch.values[e]))
            shared.weights[1] += weight
