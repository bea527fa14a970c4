"""One stage: search the children, column by column."""

from __future__ import annotations

import numpy as np

from graphtrees._layout import MEAN_OF
from graphtrees.kernels import column_search, graph_values
from graphtrees.kernels._jit import by_numbers, by_type, inner_kernel
from graphtrees.kernels._team import next_task
from graphtrees.kernels.growing.drawing import drawn_column
from graphtrees.kernels.growing.entries import entries_of, n_entries
from graphtrees.kernels.growing.nodes import CHILD, IS_OPEN, N_DRAWN
from graphtrees.kernels.growing.sources import ask_column
from graphtrees.kernels.growing.tasks import column_of_task, is_legal, pattern_of, rows_of
from graphtrees.kernels.growing_records import (
    Entries,
    ExactGraphSource,
    GraphSource,
    PlainGraphSource,
)
from graphtrees.kernels.vertex_records import VertexSource

INFINITY, EMPTY = graph_values.INFINITY, graph_values.EMPTY

# A column of whole numbers is counted without a look at its range where that leaves no more than
# so many bins for each entry.
BINS_AN_ENTRY = 2


def _is_real_entry(values, value):
    """1 for an answer that is present and not 0; the type of `values` tells which kind it is."""
    return np.uint64(value != np.float32(0.0)) & np.uint64(value != INFINITY)


def _is_small_entry(values, value):
    return np.uint64(value != 0) & np.uint64(value != EMPTY)


_is_entry = by_numbers(_is_real_entry, _is_small_entry)


@inner_kernel
def _gather(entries, values, scratch):
    """The entries of one column that are not 0 into scratch; returns how many there are."""
    position = entries.position
    entry_row = entries.row
    kept_values = scratch.values
    kept_rows = scratch.rows
    shift = np.uint64(entries.shift)
    n = np.uint64(0)
    # Branch-free: always write, advance only if non-zero and present.
    for i in range(np.uint64(entries.start), np.uint64(entries.stop)):
        value = values[shift + np.uint64(position[i])]
        kept_values[n] = np.float32(value)
        kept_rows[n] = entry_row[i]
        n += _is_entry(values, value)
    return np.int64(n)


def _read_real(column, entries, c, sizes, source, questions, scratch):
    return _gather(entries, column, scratch)


def _read_small(column, entries, c, sizes, source, questions, scratch):
    """The same of int16, where sums stand for means."""
    n = _gather(entries, column, scratch)
    values = scratch.values
    rows = scratch.rows
    if questions.aggregator[c // 2] == MEAN_OF:
        over_all = questions.is_over_all[c // 2]
        vertex_ptr = source.layout.vertex_ptr
        for i in range(n):
            g = np.int64(rows[i])
            size = np.int64(sizes[g, c % 2])
            if over_all:
                size = vertex_ptr[g + 1] - vertex_ptr[g]
            values[i] = values[i] / np.float32(size)
    return n


read_block = by_numbers(_read_real, _read_small)


@inner_kernel
def _read_own(child, k, c, f, patterns, static, nodes, work, scratch):
    """Answers of vertices about themselves: those about whole graphs, inside a subset alone."""
    whole = patterns.own[c // 2]
    shift = np.int64(patterns.feature_start[patterns.of_whole[whole], f])
    rows = work.inside[k - 1]
    number = work.control[CHILD + child]
    n = work.n_inside_rows[child, k - 1, c % 2]
    start = nodes.start[number] if c % 2 == 0 else nodes.stop[number] - n
    inside = Entries(rows, rows, start, start + n, shift)
    return _gather(inside, static.values[patterns.whole_start[whole] :], scratch)


def _read_of_graphs(source, child, k, c, f, questions, static, growth, nodes, work, scratch):
    patterns = source.patterns
    entries = entries_of(child, k, patterns.of_place[c // 2], f, patterns, nodes, work)
    number = work.control[CHILD + child]
    slot = (nodes.depth[number] - k) % growth.max_ancestor_distance
    column = work.blocks[slot, patterns.start[c] :]
    return read_block(column, entries, c, work.n_inside[slot], source, questions, scratch)


def _read_of_vertices(source, child, k, c, f, questions, static, growth, nodes, work, scratch):
    patterns = source.patterns
    if patterns.own[c // 2] >= 0:
        return _read_own(child, k, c, f, patterns, static, nodes, work, scratch)
    entries = entries_of(child, k, patterns.of_place[c // 2], f, patterns, nodes, work)
    slot = (nodes.depth[work.control[CHILD + child]] - k) % growth.max_ancestor_distance
    return _gather(entries, work.blocks[slot, patterns.start[c] :], scratch)


_read_made = by_type(
    {
        GraphSource: _read_of_graphs,
        ExactGraphSource: _read_of_graphs,
        PlainGraphSource: _read_of_graphs,
        VertexSource: _read_of_vertices,
    }
)


@inner_kernel
def read_column(
    child, k, c, f, source, questions, static, growth, nodes, work, scratch, source_scratch
):
    """The entries of one column that are not 0 into scratch; returns how many there are."""
    if k > 0 and growth.makes_blocks:
        return _read_made(source, child, k, c, f, questions, static, growth, nodes, work, scratch)
    patterns = source.patterns
    entries = entries_of(child, k, pattern_of(k, c, patterns), f, patterns, nodes, work)
    if k == 0:
        column = static.values[patterns.whole_start[c] : patterns.whole_start[c + 1]]
        return _gather(entries, column, scratch)
    return ask_column(
        source, child, k, c, f, entries, questions, growth, nodes, work, scratch, source_scratch
    )


@inner_kernel
def read_bins(entries, c, patterns, static, scratch):
    """The entries of a whole-graph column with their bins."""
    start = patterns.whole_start[c] + entries.shift
    n = entries.stop - entries.start
    for i in range(n):
        scratch.rows[i] = entries.row[entries.start + i]
        scratch.bins[i] = static.bins[start + entries.position[entries.start + i]]
    return n


@inner_kernel
def _search_column(
    child, column, source, questions, static, stats, growth, limits, nodes, work, scratch,
    source_scratch,
):  # fmt: skip
    """The best gain of a column, (distance, column of its block, feature), of a child; or -inf.

    Below the floor, a gain that another column has, a smaller gain or -inf may be returned.
    """
    k, c, f = column
    floor = work.floor[child]
    number = work.control[CHILD + child]
    rows = rows_of(child, k, c, nodes, work)
    patterns = source.patterns
    p = pattern_of(k, c, patterns)
    n = n_entries(child, p, f, patterns, nodes, work)
    if n == 0 or column_search.hopeless(n, rows.n_present, rows.n_rows - rows.n_present, limits):
        return -np.inf
    if k == 0 and limits.max_bins > 0:
        n_bins = static.n_bins[c, f]
        if n_bins < 2:
            return -np.inf
        entries = entries_of(child, k, p, f, patterns, nodes, work)
        bins = static.bins[patterns.whole_start[c] : patterns.whole_start[c + 1]]
        return column_search.best_static_gain(
            stats, entries, bins, n_bins, static.zero_bin[c, f], rows, limits, floor, scratch
        )
    if k > 0 and growth.makes_blocks:
        bound = static.bound[c // 2, f]
        if 0 <= bound < min(limits.max_bins, BINS_AN_ENTRY * n):
            entries = entries_of(child, k, p, f, patterns, nodes, work)
            slot = (nodes.depth[number] - k) % growth.max_ancestor_distance
            column = work.blocks[slot, patterns.start[c] :]
            return column_search.best_whole_gain(
                stats, entries, column, bound, rows, limits, floor, scratch
            )
    n = read_column(
        child, k, c, f, source, questions, static, growth, nodes, work, scratch, source_scratch
    )
    return column_search.best_gain(stats, n, rows, limits, floor, scratch) if n > 0 else -np.inf


@inner_kernel
def _raise_floor(child, gain, work):
    """Raise the floor to this gain: columns that gain less need not be looked at closely.

    Where two threads do so at once, one of the two gains may be lost. That costs time, and no
    more: a column that gains as much as the best one is above any floor.
    """
    if gain > work.floor[child]:
        work.floor[child] = gain


@inner_kernel
def _search_task(
    child, piece, source, questions, static, stats, growth, limits, nodes, work, scratch,
    source_scratch,
):  # fmt: skip
    """The best gain of one question about a share of the features that the node holds."""
    n_shares = work.task_gain.shape[2]
    task = piece // n_shares
    share = piece % n_shares
    best = -np.inf
    if is_legal(work.control[CHILD + child], task, questions, growth, nodes):
        k, c = column_of_task(task, questions)
        p = pattern_of(k, c, source.patterns)
        number = work.control[CHILD + child]
        n_present = work.n_present[child, k, 0 if k == 0 else c % 2]
        n_missing = nodes.n_rows[number] - n_present
        n_held = work.n_held[child, p]
        for i in range(share * n_held // n_shares, (share + 1) * n_held // n_shares):
            f = np.int64(work.held[child, p, i])
            n = n_entries(child, p, f, source.patterns, nodes, work)
            gain = -np.inf
            if not column_search.hopeless(n, n_present, n_missing, limits):
                gain = _search_column(
                    child, (k, c, f), source, questions, static, stats, growth, limits, nodes,
                    work, scratch, source_scratch,
                )  # fmt: skip
            work.gain[child, work.gain_start[task] + f] = gain
            best = max(best, gain)
            _raise_floor(child, gain, work)
    work.task_gain[child, task, share] = best


@inner_kernel
def search_all(
    source, questions, static, stats, growth, limits, nodes, work, scratch, source_scratch, team,
    n_members,
):  # fmt: skip
    n_pieces = work.task_gain.shape[1] * work.task_gain.shape[2]
    while True:
        piece = next_task(team, n_members, 1)
        if piece >= 2 * n_pieces:
            break
        # The same columns for both children, one after the other: they are in the cache then.
        child = piece % 2
        if work.control[IS_OPEN + child]:
            _search_task(
                child, piece // 2, source, questions, static, stats, growth, limits, nodes,
                work, scratch, source_scratch,
            )  # fmt: skip


@inner_kernel
def search_drawn(
    source, questions, static, stats, growth, limits, nodes, work, scratch, source_scratch, team,
    n_members,
):  # fmt: skip
    control = work.control
    while True:
        task = next_task(team, n_members, 1)
        if task >= control[N_DRAWN] + control[N_DRAWN + 1]:
            break
        child = 0 if task < control[N_DRAWN] else 1
        at = task - child * control[N_DRAWN]
        drawn, f = drawn_column(child, at, source.patterns, questions, work)
        k, c = column_of_task(drawn, questions)
        gain = _search_column(
            child, (k, c, f), source, questions, static, stats, growth, limits, nodes, work,
            scratch, source_scratch,
        )  # fmt: skip
        work.gain[child, at] = gain
        _raise_floor(child, gain, work)
