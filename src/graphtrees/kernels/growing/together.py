"""Stages of a search by several workers, each of which has some of the rows.

    list the columns ─► range of each ─► lay out ─► histograms ─► scan ─► choose ─► cut of the best
                              ⇅                          ⇅          ⇅                   ⇅

At ⇅ the workers tell each other what they have; `trees/together.py` does that. All numbers that
decide anything are then the same for every worker, and the same as if one had all the rows.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels import column_search, histograms
from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels.bins import bin_of, choose_bins, find_bins, range_of
from graphtrees.kernels.growing.children import sum_present
from graphtrees.kernels.growing.drawing import begin_draw, draw_columns, drawn_column
from graphtrees.kernels.growing.entries import entries_of, list_entries, n_entries
from graphtrees.kernels.growing.nodes import CHILD, IS_OPEN, N_DRAWN, is_searched
from graphtrees.kernels.growing.searching import BINS_AN_ENTRY, read_bins, read_column
from graphtrees.kernels.growing.settling import choose
from graphtrees.kernels.growing.tasks import column_of_task, is_legal, pattern_of
from graphtrees.kernels.growing_records import ColumnRows

# What the workers tell each other about a column: nothing, since it cannot part the node; its
# histogram, in bins made before training, for whole numbers, or from its range; its entries.
NONE, BINNED, WHOLE, RANGED, LISTED = range(5)


@inner_kernel
def count_child(child, source, questions, stats, growth, nodes, work, together):
    """What this worker has of a child: its entries, and the sums of its rows."""
    number = work.control[CHILD + child]
    patterns = source.patterns
    list_entries(child, number, questions, patterns, nodes, work)
    sum_present(child, number, work.rows, stats, growth, nodes, work)
    for p in range(patterns.n_features.shape[0]):
        for f in range(patterns.n_features[p]):
            n = 0
            if patterns.is_kept[p, f]:
                n = n_entries(child, p, f, patterns, nodes, work)
            together.n_entries[child, p, f] = n


@inner_kernel
def open_child(child, is_pure, source, questions, growth, limits, nodes, work, together):
    """Whether a child is searched; the features that any worker holds; the first draw."""
    control = work.control
    patterns = source.patterns
    control[N_DRAWN + child] = 0
    control[IS_OPEN + child] = not is_pure and is_searched(child, growth, limits, nodes, work)
    if not control[IS_OPEN + child]:
        return
    for p in range(patterns.n_features.shape[0]):
        n = 0
        for f in range(patterns.n_features[p]):
            work.held[child, p, n] = f
            n += together.n_entries[child, p, f] > 0 and questions.is_offered[f] != 0
        work.n_held[child, p] = n
    if growth.n_drawn != 0:
        begin_draw(child, False, patterns, questions, growth, nodes, work)
        draw_columns(child, growth, nodes, work)


@inner_kernel
def _rows_of(child, k, c, nodes, work):
    number = work.control[CHILD + child]
    s = 0 if k == 0 else c % 2
    return ColumnRows(
        nodes.n_rows[number], work.n_present[child, k, s], nodes.total[number],
        work.present_total[child, k, s],
    )  # fmt: skip


@inner_kernel
def _kind_of(child, k, c, f, patterns, static, growth, limits, nodes, work, together):
    """As `searching._search_column` chooses; RANGED may turn out to be LISTED or NONE."""
    rows = _rows_of(child, k, c, nodes, work)
    n = together.n_entries[child, pattern_of(k, c, patterns), f]
    if n == 0 or column_search.hopeless(n, rows.n_present, rows.n_rows - rows.n_present, limits):
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
    i, child, task, f, patterns, questions, static, growth, limits, nodes, work, together
):
    k, c = column_of_task(task, questions)
    together.child[i] = child
    together.task[i] = task
    together.feature[i] = f
    together.kind[i] = _kind_of(
        child, k, c, f, patterns, static, growth, limits, nodes, work, together
    )
    together.n_read[i] = 0
    together.known[i] = 0
    together.exponents[i] = 0
    together.ends[i, 0] = np.float32(np.inf)
    together.ends[i, 1] = np.float32(-np.inf)
    together.is_whole[i] = 1


@inner_kernel
def list_columns(patterns, questions, static, growth, limits, nodes, work, together):
    """The columns of this turn, child after child."""
    control = work.control
    i = 0
    for child in range(2):
        if not control[IS_OPEN + child]:
            continue
        number = control[CHILD + child]
        for at in range(control[N_DRAWN + child]):
            task, f = drawn_column(child, at, patterns, questions, work)
            _list_column(
                i, child, task, f, patterns, questions, static, growth, limits, nodes, work,
                together,
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
                    i, child, task, f, patterns, questions, static, growth, limits, nodes, work,
                    together,
                )  # fmt: skip
                i += 1
    together.span[0] = 0
    together.span[1] = i


@inner_kernel
def read_listed(i, source, questions, static, growth, nodes, work, together, room):
    """The entries that this worker has of a column, into the room of a thread; how many."""
    k, c = column_of_task(together.task[i], questions)
    return read_column(
        together.child[i], k, c, together.feature[i], source, questions, static, growth, nodes,
        work, room.scratch, room.source,
    )  # fmt: skip


@inner_kernel
def find_range(i, source, questions, static, growth, limits, nodes, work, together, room):
    """The range of the entries that this worker has of a column."""
    if together.kind[i] != RANGED:
        return
    scratch = room.scratch
    n = read_listed(i, source, questions, static, growth, nodes, work, together, room)
    if n == 0:
        return
    low, high, known, exponents, is_whole = range_of(scratch.values, n, limits.has_missing, scratch)
    together.n_read[i] = n
    together.known[i] = known
    together.exponents[i] = exponents
    together.ends[i, 0] = low
    together.ends[i, 1] = high
    together.is_whole[i] = is_whole


@inner_kernel
def _choose_kind(i, rows, limits, together):
    """From the range that all workers found: whether the column is LISTED, or its bins."""
    n = together.n_read[i]
    n_missing = rows.n_rows - rows.n_present
    if n == 0 or column_search.hopeless(n, rows.n_present, n_missing, limits):
        return NONE
    if limits.max_bins == 0 or n <= column_search.SORTED_ENTRIES:
        return LISTED
    low = together.ends[i, 0]
    high = together.ends[i, 1]
    has_zeros = rows.n_present > n
    if has_zeros:
        low = min(low, np.float32(0.0))
        high = max(high, np.float32(0.0))
    if not low < high:
        return NONE
    n_bins, bottom, middle, step = choose_bins(
        low, high, together.exponents[i], together.known[i], together.is_whole[i] != 0,
        limits.max_bins, rows.n_rows,
    )  # fmt: skip
    together.n_bins[i] = n_bins
    together.scale[i, 0] = bottom
    together.scale[i, 1] = middle
    together.scale[i, 2] = step
    if has_zeros:
        together.zero_bin[i] = bin_of(np.float32(0.0), n_bins, bottom, middle, step)
    return RANGED


@inner_kernel
def lay_out(patterns, questions, static, limits, nodes, work, together):
    """Where the cells of each column stand."""
    width = nodes.total.shape[1]
    at = np.int64(0)
    for i in range(together.span[1]):
        f = together.feature[i]
        k, c = column_of_task(together.task[i], questions)
        rows = _rows_of(together.child[i], k, c, nodes, work)
        together.start[i] = at
        together.gain[i] = -np.inf
        together.zero_bin[i] = -1
        together.n_bins[i] = -1
        if together.kind[i] == BINNED:
            together.n_bins[i] = static.n_bins[c, f]
            n = together.n_entries[together.child[i], pattern_of(k, c, patterns), f]
            if rows.n_present > n:
                together.zero_bin[i] = static.zero_bin[c, f]
        elif together.kind[i] == WHOLE:
            together.n_bins[i] = static.bound[c // 2, f] + 1
        elif together.kind[i] == RANGED:
            together.kind[i] = _choose_kind(i, rows, limits, together)
        if together.kind[i] == LISTED:
            at += together.n_read[i] * (1 + width)
        elif together.kind[i] != NONE:
            at += (together.n_bins[i] + 1) * width
    together.start[together.span[1]] = at


@inner_kernel
def fill_cells(i, first, source, questions, static, stats, growth, limits, nodes, work,
    together, room,
):  # fmt: skip
    """The histogram, or the entries, that this worker has of a column; cells begin at `first`."""
    kind = together.kind[i]
    if kind == NONE:
        return
    scratch = room.scratch
    child = together.child[i]
    f = together.feature[i]
    k, c = column_of_task(together.task[i], questions)
    patterns = source.patterns
    n_bins = together.n_bins[i]
    if kind == LISTED:
        _write_entries(i, first, source, questions, static, stats, growth, nodes, work, together,
            room,
        )  # fmt: skip
        return
    if kind == BINNED:
        entries = entries_of(child, pattern_of(k, c, patterns), f, patterns, nodes, work)
        bins = static.bins[patterns.whole_start[c] : patterns.whole_start[c + 1]]
        column_search.count_binned(stats, entries, bins, n_bins, scratch)
    elif kind == WHOLE:
        entries = entries_of(child, pattern_of(k, c, patterns), f, patterns, nodes, work)
        depth = nodes.depth[work.control[CHILD + child]]
        slot = (depth - k) % growth.max_ancestor_distance
        column = work.blocks[slot, patterns.start[c] : patterns.start[c + 1]]
        column_search.count_whole(stats, entries, column, n_bins, scratch)
    else:
        n = read_listed(i, source, questions, static, growth, nodes, work, together, room)
        find_bins(
            scratch.values, n, limits.has_missing, n_bins, together.scale[i, 0],
            together.scale[i, 1], together.scale[i, 2], scratch.bins,
        )  # fmt: skip
        histograms.count_entries(stats, n, n_bins, scratch)
    at = together.start[i] - first
    for b in range(n_bins + 1):
        for j in range(scratch.cells.shape[1]):
            together.cells[at] = scratch.cells[b, j]
            at += 1


@inner_kernel
def _write_entries(i, first, source, questions, static, stats, growth, nodes, work, together, room):
    scratch = room.scratch
    width = stats.words.shape[1]
    n = read_listed(i, source, questions, static, growth, nodes, work, together, room)
    bits = scratch.values.view(np.int32)
    start = together.start[i] - first
    for at in range(start, start + together.n_read[i] * (1 + width)):
        together.cells[at] = 0
    at = start + together.n_before[i] * (1 + width)
    for e in range(n):
        together.cells[at] = bits[e]
        for j in range(width):
            together.cells[at + 1 + j] = stats.words[scratch.rows[e], j]
        at += 1 + width


@inner_kernel
def _read_entries(i, first, together, room):
    scratch = room.scratch
    width = room.entries.words.shape[1]
    bits = scratch.values.view(np.int32)
    at = together.start[i] - first
    for e in range(together.n_read[i]):
        bits[e] = np.int32(together.cells[at])
        scratch.rows[e] = e
        for j in range(width):
            room.entries.words[e, j] = together.cells[at + 1 + j]
        at += 1 + width


@inner_kernel
def scan_column(i, first, questions, stats, limits, nodes, work, together, room):
    """The best cut of a column whose cells, which begin at `first`, are those of all workers."""
    kind = together.kind[i]
    if kind == NONE:
        return
    scratch = room.scratch
    k, c = column_of_task(together.task[i], questions)
    rows = _rows_of(together.child[i], k, c, nodes, work)
    if kind == LISTED:
        _read_entries(i, first, together, room)
        together.gain[i] = column_search.search_sorted(
            room.entries, together.n_read[i], rows, limits, scratch
        )
        return
    n_bins = together.n_bins[i]
    at = together.start[i] - first
    for b in range(n_bins + 1):
        for j in range(scratch.cells.shape[1]):
            scratch.cells[b, j] = together.cells[at]
            at += 1
    if kind == WHOLE:
        together.gain[i] = column_search.scan_whole(stats, n_bins, rows, limits, scratch)
    else:
        histograms.count_others(n_bins, together.zero_bin[i], rows, scratch)
        together.gain[i] = histograms.scan(stats, n_bins, rows, limits, scratch)
    for j in range(3):
        together.cut[i, j] = scratch.cut[j]


@inner_kernel
def choose_columns(patterns, questions, growth, limits, nodes, work, together):
    """The best column of each child, from the gains of all."""
    control = work.control
    if growth.n_drawn == 0:
        for child in range(2):
            for task in range(work.task_gain.shape[1]):
                for share in range(work.task_gain.shape[2]):
                    work.task_gain[child, task, share] = -np.inf
    at = 0
    for i in range(together.span[1]):
        child = together.child[i]
        gain = together.gain[i]
        if growth.n_drawn == 0:
            task = together.task[i]
            work.gain[child, work.gain_start[task] + together.feature[i]] = gain
            work.task_gain[child, task, 0] = max(gain, work.task_gain[child, task, 0])
        else:
            at = 0 if i == 0 or together.child[i - 1] != child else at + 1
            work.gain[child, at] = gain
    for child in range(2):
        together.chosen[child, 1] = 0
        if control[IS_OPEN + child]:
            _, task, n_signs, f = choose(child, patterns, questions, growth, limits, nodes, work)
            together.chosen[child, 0] = task
            together.chosen[child, 1] = n_signs
            together.chosen[child, 2] = f


@inner_kernel
def find_part(i, source, questions, static, stats, growth, limits, nodes, work, together, room):
    """Of the cut that was chosen by bins: the values next to it, and the weight on each side."""
    scratch = room.scratch
    child = together.child[i]
    f = together.feature[i]
    k, c = column_of_task(together.task[i], questions)
    patterns = source.patterns
    n_bins = together.n_bins[i]
    if together.kind[i] == BINNED:
        entries = entries_of(child, pattern_of(k, c, patterns), f, patterns, nodes, work)
        n = read_bins(entries, c, patterns, static, scratch)
        for e in range(n):
            at = entries.shift + entries.position[entries.start + e]
            scratch.values[e] = static.values[patterns.whole_start[c] + at]
    else:
        n = read_listed(i, source, questions, static, growth, nodes, work, together, room)
        if together.kind[i] == WHOLE:
            find_bins(scratch.values, n, False, n_bins, 0.0, 0.0, 1.0, scratch.bins)
        else:
            find_bins(
                scratch.values, n, limits.has_missing, n_bins, together.scale[i, 0],
                together.scale[i, 1], together.scale[i, 2], scratch.bins,
            )  # fmt: skip
    together.part[0] = -np.inf
    together.part[1] = np.inf
    for j in range(3):
        together.weights[j] = 0
    together.weights[3] = n
    for e in range(n):
        weight = stats.weight[scratch.rows[e]]
        together.weights[2] += weight
        if scratch.bins[e] <= together.cut[i, histograms.CUT]:
            together.part[0] = max(together.part[0], np.float64(scratch.values[e]))
            together.weights[0] += weight
        elif scratch.bins[e] < n_bins:
            together.part[1] = min(together.part[1], np.float64(scratch.values[e]))
            together.weights[1] += weight
