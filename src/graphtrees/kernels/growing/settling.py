"""One stage: settle the best split of a child."""

from __future__ import annotations

import numpy as np

from graphtrees._layout import IN_PLUS
from graphtrees.kernels import column_search, histograms
from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels.growing.chance import mixed
from graphtrees.kernels.growing.drawing import drawn_column
from graphtrees.kernels.growing.entries import entries_of
from graphtrees.kernels.growing.nodes import CHILD, N_DRAWN
from graphtrees.kernels.growing.searching import read_bins, read_column
from graphtrees.kernels.growing.tasks import column_of_task, pattern_of, rows_of


@inner_kernel
def _finish(
    child, column, source, questions, static, stats, growth, limits, nodes, work, scratch,
    source_scratch,
):  # fmt: skip
    """(threshold, missing goes left, gain) of the best cut of a column, (task, feature)."""
    task, f = column
    k, c = column_of_task(task, questions)
    s = 0 if k == 0 else c % 2
    rows = rows_of(child, k, c, nodes, work)
    static_bins = 0
    zero_bin = -1
    n = read_column(
        child, k, c, f, source, questions, static, growth, nodes, work, scratch, source_scratch
    )
    coarse = n > limits.refined_rows or not limits.refines_static
    if k == 0 and limits.max_bins > 0 and coarse:
        patterns = source.patterns
        entries = entries_of(child, 0, patterns.of_whole[c], f, patterns, nodes, work)
        n = read_bins(entries, c, patterns, static, scratch)
        for i in range(n):
            at = entries.shift + entries.position[entries.start + i]
            scratch.values[i] = static.values[patterns.whole_start[c] + at]
        static_bins = static.n_bins[c, f]
        zero_bin = static.zero_bin[c, f]
    gain, highest, lowest = column_search.best_cut(
        stats, n, static_bins, zero_bin, rows, limits, scratch
    )
    threshold = (highest + lowest) / 2.0
    missing_left = scratch.cut[histograms.MISSING_LEFT] != 0
    if scratch.cut[histograms.NO_MATTER]:
        missing_left = left_is_heavier(
            n, threshold, work.present_weight[child, k, s], stats, scratch
        )
    return threshold, missing_left, gain


@inner_kernel
def left_is_heavier(n, threshold, weight_present, stats, scratch):
    """Whether at least half of the weight with a known answer goes left."""
    left = np.int64(0)
    right = np.int64(0)
    zeros = weight_present
    for i in range(n):
        weight = stats.weight[scratch.rows[i]]
        value = np.float64(scratch.values[i])
        zeros -= weight
        if value <= threshold:
            left += weight
        elif value > threshold:
            right += weight
    if threshold >= 0.0:
        left += zeros
    else:
        right += zeros
    return left >= right


@inner_kernel
def _comes_first(a, b, growth, key):
    """Whether of two equally good questions the first is kept: the simpler one, or at random."""
    if growth.ties_at_random:
        one = mixed(key ^ mixed(a))
        other = mixed(key ^ mixed(b))
        if one != other:
            return one < other
    return a < b


@inner_kernel
def _name(task, f, walk_types, questions):
    """A number for every question, smaller for simpler ones; both signs of a subset are alike.

    It is made of the parts of the question alone, so that the same question has the same chance
    whatever else may be asked.
    """
    k, c = column_of_task(task, questions)
    if k == 0:
        d, o = questions.whole_length[c], questions.whole_operator[c]
        walk_type, aggregator = questions.whole_walk_type[c], questions.whole_aggregator[c]
    else:
        place = c // 2
        d, o = questions.length[place], questions.operator[place]
        walk_type, aggregator = questions.walk_type[walk_types, place], questions.aggregator[place]
    name = ((np.int64(k) * 1024 + d) * 4096 + o) * 32 + walk_type * 8 + aggregator + 1
    return name * 2**24 + f


@inner_kernel
def _gain_of_task(child, task, work):
    """The largest gain of a question, over all shares of the features."""
    best = -np.inf
    for share in range(work.task_gain.shape[2]):
        best = max(best, work.task_gain[child, task, share])
    return best


@inner_kernel
def _best_of_all(child, patterns, questions, growth, limits, nodes, work):
    """(largest gain, task, feature) among all questions."""
    number = work.control[CHILD + child]
    key = nodes.key[number]
    best = -np.inf
    for task in range(work.task_gain.shape[1]):
        best = max(best, _gain_of_task(child, task, work))
    near = best * (1 - limits.tolerance)
    chosen = np.int64(-1)
    chosen_task = -1
    feature = -1
    for task in range(work.task_gain.shape[1] if best > 0.0 else 0):
        if _gain_of_task(child, task, work) >= near:
            k, c = column_of_task(task, questions)
            p = pattern_of(k, c, patterns)
            for i in range(work.n_held[child, p]):
                f = np.int64(work.held[child, p, i])
                if work.gain[child, work.gain_start[task] + f] >= near:
                    name = _name(task, f, nodes.walk_types[number], questions)
                    if chosen < 0 or _comes_first(name, chosen, growth, key):
                        chosen, chosen_task, feature = name, task, f
    return best, chosen_task, feature


@inner_kernel
def _best_of_drawn(child, patterns, questions, growth, limits, nodes, work):
    """(largest gain, task, feature) among the questions drawn."""
    control = work.control
    number = control[CHILD + child]
    key = nodes.key[number]
    best = -np.inf
    for i in range(control[N_DRAWN + child]):
        best = max(best, work.gain[child, i])
    near = best * (1 - limits.tolerance)
    chosen = np.int64(-1)
    chosen_task = -1
    feature = -1
    for i in range(control[N_DRAWN + child] if best > 0.0 else 0):
        if work.gain[child, i] >= near:
            task, f = drawn_column(child, i, patterns, questions, work)
            name = _name(task, f, nodes.walk_types[number], questions)
            if chosen < 0 or _comes_first(name, chosen, growth, key):
                chosen, chosen_task, feature = name, task, f
    return best, chosen_task, feature


@inner_kernel
def gain_of(child, task, f, patterns, questions, growth, work):
    """The gain of a column; -inf where it was not asked about."""
    if growth.n_drawn == 0:
        known = _gain_of_task(child, task, work) > 0.0
        return work.gain[child, work.gain_start[task] + f] if known else -np.inf
    control = work.control
    for i in range(control[N_DRAWN + child]):
        drawn, feature = drawn_column(child, i, patterns, questions, work)
        if drawn == task and feature == f:
            return work.gain[child, i]
    return -np.inf


@inner_kernel
def choose(child, patterns, questions, growth, limits, nodes, work):
    """(largest gain, task, number of signs, feature) of the simplest of the best columns.

    With two signs, S+ and S- of the same question are tasks that follow each other. No signs: there
    is no split.
    """
    if growth.n_drawn == 0:
        best, task, f = _best_of_all(child, patterns, questions, growth, limits, nodes, work)
    else:
        best, task, f = _best_of_drawn(child, patterns, questions, growth, limits, nodes, work)
    n_whole = questions.whole_length.shape[0]
    if task < 0:
        return best, 0, 0, 0
    if task < n_whole:
        return best, task, 1, f
    return best, task - (task - n_whole) % 2, 2, f


@inner_kernel
def find_cuts(
    child, source, questions, static, stats, growth, limits, nodes, work, scratch, source_scratch,
    place,
):  # fmt: skip
    """The cuts of the column that a child is to be split by, one for each sign that is as good.

    S+ and S- may be cut by different members; place = (rank, n_members).
    """
    rank, n_members = place
    if child % n_members != rank and (child + 2) % n_members != rank:
        return
    patterns = source.patterns
    best, task, n_signs, f = choose(child, patterns, questions, growth, limits, nodes, work)
    near = best * (1 - limits.tolerance)
    for s in range(2):
        if (child + 2 * s) % n_members != rank:
            continue
        work.cut_task[child, s] = task + s
        work.cut_feature[child, s] = f
        work.cut_gain[child, s] = -np.inf
        if s < n_signs and gain_of(child, task + s, f, patterns, questions, growth, work) >= near:
            threshold, missing_left, gain = _finish(
                child, (task + s, f), source, questions, static, stats, growth, limits, nodes,
                work, scratch, source_scratch,
            )  # fmt: skip
            work.cut_gain[child, s] = gain
            work.cut_threshold[child, s] = threshold
            work.cut_missing_left[child, s] = missing_left


@inner_kernel
def settle_child(child, questions, nodes, work):
    """Of equally good splits the simplest; then the smaller threshold, then S+."""
    number = work.control[CHILD + child]
    is_chosen = False
    for s in range(2):
        if work.cut_gain[child, s] == -np.inf:
            continue
        if not is_chosen or work.cut_threshold[child, s] < nodes.threshold[number]:
            is_chosen = True
            k, c = column_of_task(work.cut_task[child, s], questions)
            nodes.threshold[number] = work.cut_threshold[child, s]
            nodes.missing_left[number] = work.cut_missing_left[child, s]
            nodes.gain[number] = work.cut_gain[child, s]
            nodes.distance[number] = k
            nodes.place[number] = c if k == 0 else c // 2
            nodes.sign[number] = 0 if k == 0 else IN_PLUS + c % 2
            nodes.feature[number] = work.cut_feature[child, s]
