"""Stages of a search by several workers, each of which has some of the rows.

    sums of the children, ranges ─► lay out ─► histograms ─► scan ─► choose ─► cut of the best
                ⇅                                  ⇅          ⇅                   ⇅

At ⇅ the workers tell each other what they have; `trees/distributed.py` does that. All numbers that
decide anything are then the same for every worker, and the same as if one had all the rows.

Ranges are found before the sums of all workers are known, so that both take one exchange: of all
columns that may need one. Columns drawn later, where a first draw held no split, take another.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels import column_search
from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels.bins import bin_of, choose_bins, range_of
from graphtrees.kernels.growing.children import describe_alone
from graphtrees.kernels.growing.drawing import begin_draw, draw_columns, drawn_column
from graphtrees.kernels.growing.entries import n_entries
from graphtrees.kernels.growing.nodes import CHILD, IS_OPEN, N_DRAWN, N_LEAVES, is_searched
from graphtrees.kernels.growing.searching import BINS_AN_ENTRY, read_column
from graphtrees.kernels.growing.settling import choose
from graphtrees.kernels.growing.tasks import column_of_task, is_legal, pattern_of, rows_of

# What the workers tell each other about a column: nothing, since it cannot part the node; its
# histogram, in bins made before training, for whole numbers, or from its range; its entries.
NONE, BINNED, WHOLE, RANGED, LISTED = range(5)


@inner_kernel
def count_child(child, source, questions, stats, growth, nodes, work, shared):
    """What this worker has of a child: its entries, and the sums of its rows."""
    patterns = source.patterns
    describe_alone(child, source, questions, stats, growth, nodes, work)
    for p in range(patterns.n_features.shape[0]):
        for f in range(patterns.n_features[p]):
            n = 0
            if patterns.is_kept[p, f]:
                n = n_entries(child, p, f, patterns, nodes, work)
            shared.n_entries[child, p, f] = n


@inner_kernel
def expect_child(child, source, questions, growth, nodes, work):
    """Whether a child may be searched, by what this worker knows; the first draw."""
    control = work.control
    control[N_DRAWN + child] = 0
    control[IS_OPEN + child] = 0
    number = control[CHILD + child]
    if number < 0 or 0 <= growth.max_depth <= nodes.depth[number]:
        return
    control[IS_OPEN + child] = not 0 < growth.max_leaf_nodes <= control[N_LEAVES]
    if control[IS_OPEN + child] and growth.n_drawn != 0:
        begin_draw(child, False, source.patterns, questions, growth, nodes, work)
        draw_columns(child, growth, nodes, work)


@inner_kernel
def open_child(child, is_pure, source, questions, growth, limits, nodes, work, shared):
    """Whether a child is searched, by the sums of all workers; the features that any holds."""
    control = work.control
    patterns = source.patterns
    control[IS_OPEN + child] = not is_pure and is_searched(child, growth, limits, nodes, work)
    if not control[IS_OPEN + child]:
        control[N_DRAWN + child] = 0
        return
    for p in range(patterns.n_features.shape[0]):
        n = 0
        for f in range(patterns.n_features[p]):
            work.held[child, p, n] = f
            n += shared.n_entries[child, p, f] > 0 and questions.is_offered[f] != 0
        work.n_held[child, p] = n


@inner_kernel
def _kind_of(child, k, c, f, of_all, patterns, static, growth, limits, nodes, work, shared):
    """As `searching._search_column` chooses; RANGED may turn out to be LISTED or NONE.

    By the sums of all workers, or of this one: then RANGED is any that may be so for all.
    """
    rows = rows_of(child, k, c, nodes, work)
    n = shared.n_entries[child, pattern_of(k, c, patterns), f]
    if n == 0:
        return NONE
    if of_all and column_search.hopeless(n, rows.n_present, rows.n_rows - rows.n_present, limits):
        return NONE
    if k == 0 and limits.max_bins > 0:
        return BINNED if static.n_bins[c, f] > 1 else NONE
    if k > 0 and growth.makes_blocks:
        bound = static.bound[c // 2, f]
        if 0 <= bound < min(limits.max_bins, BINS_AN_ENTRY * n):
            return WHOLE
    return RANGED


@inner_kernel
def _list_column(
    i, column, of_all, patterns, questions, static, growth, limits, nodes, work, shared
):
    """Column number i of this turn, (child, task, feature), of which nothing is known yet."""
    child, task, f = column
    k, c = column_of_task(task, questions)
    shared.child[i] = child
    shared.task[i] = task
    shared.feature[i] = f
    shared.kind[i] = _kind_of(
        child, k, c, f, of_all, patterns, static, growth, limits, nodes, work, shared
    )
    shared.n_read[i] = 0
    shared.known[i] = 0
    shared.exponents[i] = 0
    shared.ends[i, 0] = np.float32(np.inf)
    shared.ends[i, 1] = np.float32(-np.inf)
    shared.is_whole[i] = 1


@inner_kernel
def list_columns(of_all, patterns, questions, static, growth, limits, nodes, work, shared):
    """The columns of this turn, child after child; `of_all`: the sums are those of all workers."""
    control = work.control
    i = 0
    for child in range(2):
        if not control[IS_OPEN + child]:
            continue
        number = control[CHILD + child]
        for at in range(control[N_DRAWN + child]):
            task, f = drawn_column(child, at, patterns, questions, work)
            _list_column(
                i, (child, task, f), of_all, patterns, questions, static, growth, limits, nodes,
                work, shared,
            )  # fmt: skip
            i += 1
        for task in range(work.task_gain.shape[1] if growth.n_drawn == 0 else 0):
            if not is_legal(number, task, questions, growth, nodes):
                continue
            k, c = column_of_task(task, questions)
            p = pattern_of(k, c, patterns)
            for at in range(work.n_held[child, p]):
                f = np.int64(work.held[child, p, at])
                _list_column(
                    i, (child, task, f), of_all, patterns, questions, static, growth, limits,
                    nodes, work, shared,
                )  # fmt: skip
                i += 1
    shared.span[0] = 0
    shared.span[1] = i


@inner_kernel
def read_listed(i, source, questions, static, growth, nodes, work, shared, room):
    """The entries that this worker has of a column, into the room of a thread; how many."""
    k, c = column_of_task(shared.task[i], questions)
    return read_column(
        shared.child[i], k, c, shared.feature[i], source, questions, static, growth, nodes,
        work, room.scratch, room.source,
    )  # fmt: skip


@inner_kernel
def find_range(i, source, questions, static, growth, limits, nodes, work, shared, room):
    """The range of the entries that this worker has of a column."""
    if shared.kind[i] != RANGED:
        return
    scratch = room.scratch
    n = read_listed(i, source, questions, static, growth, nodes, work, shared, room)
    if n == 0:
        return
    low, high, known, exponents, is_whole = range_of(scratch.values, n, limits.has_missing, scratch)
    shared.n_read[i] = n
    shared.known[i] = known
    shared.exponents[i] = exponents
    shared.ends[i, 0] = low
    shared.ends[i, 1] = high
    shared.is_whole[i] = is_whole


@inner_kernel
def _choose_kind(i, rows, limits, shared):
    """From the range that all workers found: whether the column is LISTED, or its bins."""
    n = shared.n_read[i]
    n_missing = rows.n_rows - rows.n_present
    if n == 0 or column_search.hopeless(n, rows.n_present, n_missing, limits):
        return NONE
    if limits.max_bins == 0 or n <= column_search.SORTED_ENTRIES:
        return LISTED
    low = shared.ends[i, 0]
    high = shared.ends[i, 1]
    has_zeros = rows.n_present > n
    if has_zeros:
        low = min(low, np.float32(0.0))
        high = max(high, np.float32(0.0))
    if not low < high:
        return NONE
    n_bins, bottom, middle, step = choose_bins(
        low, high, shared.exponents[i], shared.known[i], shared.is_whole[i] != 0,
        limits.max_bins, rows.n_rows,
    )  # fmt: skip
    shared.n_bins[i] = n_bins
    shared.scale[i, 0] = bottom
    shared.scale[i, 1] = middle
    shared.scale[i, 2] = step
    if has_zeros:
        shared.zero_bin[i] = bin_of(np.float32(0.0), n_bins, bottom, middle, step)
    return RANGED


@inner_kernel
def lay_out(patterns, questions, static, limits, nodes, work, shared):
    """Where the cells of each column stand."""
    width = nodes.total.shape[1]
    at = np.int64(0)
    for i in range(shared.span[1]):
        f = shared.feature[i]
        k, c = column_of_task(shared.task[i], questions)
        rows = rows_of(shared.child[i], k, c, nodes, work)
        shared.start[i] = at
        shared.gain[i] = -np.inf
        shared.zero_bin[i] = -1
        shared.n_bins[i] = -1
        if shared.kind[i] == BINNED:
            shared.n_bins[i] = static.n_bins[c, f]
            n = shared.n_entries[shared.child[i], pattern_of(k, c, patterns), f]
            if rows.n_present > n:
                shared.zero_bin[i] = static.zero_bin[c, f]
        elif shared.kind[i] == WHOLE:
            shared.n_bins[i] = static.bound[c // 2, f] + 1
        elif shared.kind[i] == RANGED:
            shared.kind[i] = _choose_kind(i, rows, limits, shared)
        if shared.kind[i] == LISTED:
            at += shared.n_read[i] * (1 + width)
        elif shared.kind[i] != NONE:
            at += (shared.n_bins[i] + 1) * width
    shared.start[shared.span[1]] = at


@inner_kernel
def choose_columns(patterns, questions, growth, limits, nodes, work, shared):
    """The best column of each child, from the gains of all."""
    control = work.control
    if growth.n_drawn == 0:
        for child in range(2):
            for task in range(work.task_gain.shape[1]):
                for share in range(work.task_gain.shape[2]):
                    work.task_gain[child, task, share] = -np.inf
    at = 0
    for i in range(shared.span[1]):
        child = shared.child[i]
        gain = shared.gain[i]
        if growth.n_drawn == 0:
            task = shared.task[i]
            work.gain[child, work.gain_start[task] + shared.feature[i]] = gain
            work.task_gain[child, task, 0] = max(gain, work.task_gain[child, task, 0])
        else:
            at = 0 if i == 0 or shared.child[i - 1] != child else at + 1
            work.gain[child, at] = gain
    for child in range(2):
        shared.chosen[child, 1] = 0
        if control[IS_OPEN + child]:
            _, task, n_signs, f = choose(child, patterns, questions, growth, limits, nodes, work)
            shared.chosen[child, 0] = task
            shared.chosen[child, 1] = n_signs
            shared.chosen[child, 2] = f
