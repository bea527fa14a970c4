"""One stage: search the children, column by column."""

from __future__ import annotations

import numpy as np

from graphtrees.kernels import column_search, graph_values
from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels._team import next_task
from graphtrees.kernels.growing.drawing import drawn_column
from graphtrees.kernels.growing.nodes import CHILD, IS_OPEN, N_DRAWN
from graphtrees.kernels.growing.tasks import column_of_task, is_legal, pattern_of
from graphtrees.kernels.growing_records import ColumnRows, Entries

INFINITY = graph_values.INFINITY

# A column of whole numbers is counted without a look at its range where that leaves no more than
# so many bins for each entry.
BINS_AN_ENTRY = 2


@inner_kernel
def _gather(child, p, f, values, work, scratch):
    """The entries of one column that are not 0 into scratch; returns how many there are."""
    position = work.entry_position[child]
    entry_row = work.entry_row[child]
    found = scratch.values
    rows = scratch.rows
    n = np.uint64(0)
    start = np.uint64(work.entry_ptr[child, p, f])
    for i in range(start, np.uint64(work.entry_ptr[child, p, f + 1])):
        # Branch-free: always write, advance only if non-zero and alive.
        value = values[np.uint64(position[i])]
        found[n] = value
        rows[n] = entry_row[i]
        n += np.uint64(value != np.float32(0.0)) & np.uint64(value != INFINITY)
    return np.int64(n)


@inner_kernel
def _ask_graphs(child, k, c, f, source, questions, growth, nodes, work, scratch, source_scratch):
    """`_gather` for a column that was not made: every graph is asked now."""
    number = work.control[CHILD + child]
    place = c // 2
    want = 1 + c % 2
    layout = source.layout
    o = questions.operator[place]
    d = questions.length[place]
    walk_type = questions.walk_type[nodes.walk_types[number], place]
    aggregator = questions.aggregator[place]
    depth = nodes.depth[number] - k
    codes = work.codes[depth % (growth.max_ancestor_distance + 1)]
    alive = work.alive[depth % growth.max_ancestor_distance]
    p = source.patterns.of_place[place]
    first = source.patterns.ptr[p, 0]
    n = 0
    for i in range(work.entry_ptr[child, p, f], work.entry_ptr[child, p, f + 1]):
        g = np.int64(work.entry_row[child, i])
        if alive[g, want - 1]:
            lane = layout.lane_at[first + work.entry_position[child, i]] - layout.lane_ptr[g]
            graph_values.walk_lane(
                g, lane, o, d, walk_type, codes, want, layout, source.operators, source_scratch
            )
            value = graph_values.aggregate(
                g, walk_type, aggregator, codes, want, layout, source_scratch.z
            )
            scratch.values[n] = value
            scratch.rows[n] = g
            n += value != 0.0
    return n


@inner_kernel
def read_column(
    child, k, c, f, source, questions, static, growth, nodes, work, scratch, source_scratch
):
    """The entries of one column that are not 0 into scratch; returns how many there are."""
    patterns = source.patterns
    p = pattern_of(k, c, patterns)
    if k == 0:
        column = static.values[patterns.whole_start[c] : patterns.whole_start[c + 1]]
        return _gather(child, p, f, column, work, scratch)
    if growth.makes_blocks:
        slot = (nodes.depth[work.control[CHILD + child]] - k) % growth.max_ancestor_distance
        column = work.blocks[slot, patterns.start[c] : patterns.start[c + 1]]
        return _gather(child, p, f, column, work, scratch)
    return _ask_graphs(
        child, k, c, f, source, questions, growth, nodes, work, scratch, source_scratch
    )


@inner_kernel
def read_bins(child, f, c, patterns, static, work, scratch):
    """The entries of a whole-graph column with their bins."""
    position = work.entry_position[child]
    entry_row = work.entry_row[child]
    p = patterns.of_whole[c]
    start = patterns.whole_start[c]
    first = work.entry_ptr[child, p, f]
    n = work.entry_ptr[child, p, f + 1] - first
    for i in range(n):
        scratch.rows[i] = entry_row[first + i]
        scratch.bins[i] = static.bins[start + position[first + i]]
    return n


@inner_kernel
def _search_column(
    child, k, c, f, source, questions, static, stats, growth, limits, nodes, work, scratch,
    source_scratch,
):  # fmt: skip
    """The best gain of one column of a child; -inf: none."""
    number = work.control[CHILD + child]
    s = 0 if k == 0 else c % 2
    rows = ColumnRows(
        nodes.stop[number] - nodes.start[number], work.n_alive[child, k, s], nodes.total[number],
        work.alive_total[child, k, s],
    )  # fmt: skip
    patterns = source.patterns
    p = pattern_of(k, c, patterns)
    start = work.entry_ptr[child, p, f]
    stop = work.entry_ptr[child, p, f + 1]
    n = stop - start
    if n == 0 or column_search.hopeless(n, rows.n_alive, rows.n_rows - rows.n_alive, limits):
        return -np.inf
    if k == 0 and limits.max_bins > 0:
        n_bins = static.n_bins[c, f]
        if n_bins < 2:
            return -np.inf
        n = read_bins(child, f, c, patterns, static, work, scratch)
        return column_search.best_static_gain(
            stats, n, n_bins, static.zero_bin[c, f], rows, limits, scratch
        )
    if k > 0 and growth.makes_blocks:
        bound = static.bound[c // 2, f]
        if 0 <= bound < min(limits.max_bins, BINS_AN_ENTRY * n):
            entries = Entries(work.entry_position[child], work.entry_row[child], start, stop)
            slot = (nodes.depth[number] - k) % growth.max_ancestor_distance
            column = work.blocks[slot, patterns.start[c] : patterns.start[c + 1]]
            return column_search.best_whole_gain(
                stats, entries, column, bound, rows, limits, scratch
            )
    n = read_column(
        child, k, c, f, source, questions, static, growth, nodes, work, scratch, source_scratch
    )
    return column_search.best_gain(stats, n, rows, limits, scratch) if n > 0 else -np.inf


@inner_kernel
def _search_task(
    child, task, source, questions, static, stats, growth, limits, nodes, work, scratch,
    source_scratch,
):  # fmt: skip
    """The best gain of one question about every feature that the node holds."""
    best = -np.inf
    if is_legal(work.control[CHILD + child], task, questions, growth, nodes):
        k, c = column_of_task(task, questions)
        p = pattern_of(k, c, source.patterns)
        number = work.control[CHILD + child]
        n_alive = work.n_alive[child, k, 0 if k == 0 else c % 2]
        n_missing = nodes.stop[number] - nodes.start[number] - n_alive
        ptr = work.entry_ptr[child, p]
        for i in range(work.n_held[child, p]):
            f = np.int64(work.held[child, p, i])
            n = ptr[f + 1] - ptr[f]
            gain = -np.inf
            if not column_search.hopeless(n, n_alive, n_missing, limits):
                gain = _search_column(
                    child, k, c, f, source, questions, static, stats, growth, limits, nodes, work,
                    scratch, source_scratch,
                )  # fmt: skip
            work.gain[child, work.gain_start[task] + f] = gain
            best = max(best, gain)
    work.task_gain[child, task] = best


@inner_kernel
def search_all(
    source, questions, static, stats, growth, limits, nodes, work, scratch, source_scratch, team,
    n_members,
):  # fmt: skip
    n_tasks = work.task_gain.shape[1]
    while True:
        task = next_task(team, n_members, 1)
        if task >= 2 * n_tasks:
            break
        child = task // n_tasks
        if work.control[IS_OPEN + child]:
            _search_task(
                child, task % n_tasks, source, questions, static, stats, growth, limits, nodes,
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
        work.gain[child, at] = _search_column(
            child, k, c, f, source, questions, static, stats, growth, limits, nodes, work,
            scratch, source_scratch,
        )  # fmt: skip
