"""One stage: divide the rows of a node among its children, and list what these hold."""

from __future__ import annotations

import numpy as np

from graphtrees.kernels import histograms
from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels._team import comes_last, goes_on, let_go
from graphtrees.kernels.growing.chance import mixed
from graphtrees.kernels.growing.drawing import begin_draw, draw_columns
from graphtrees.kernels.growing.entries import (
    count_entries,
    lay_out_entries,
    list_entries,
    list_held,
    n_stretches,
)
from graphtrees.kernels.growing.nodes import (
    CHILD,
    IS_OPEN,
    N_DRAWN,
    N_LEAVES,
    N_NODES,
    PARENT,
    add_node,
    is_searched,
    n_subsets,
)
from graphtrees.kernels.growing.sources import list_inside


@inner_kernel
def _make_child(child, stats, growth, nodes, work):
    """One child's rows and node."""
    control = work.control
    parent = control[PARENT]
    start = nodes.start[parent]
    stop = nodes.stop[parent]
    n_left = 0
    for i in range(start, stop):
        n_left += work.goes_left[i]
    from_row = start if child == 0 else start + n_left
    to = from_row
    for i in range(start, stop):
        if work.goes_left[i] == (child == 0):
            work.spare_rows[to] = work.rows[i]
            # Where walk types are drawn, columns of all ancestors are made anew, in this order.
            if work.positions.shape[0] > 1 and growth.walk_type_probability == 1.0:
                work.positions[1, to] = i
            to += 1
    number = control[N_NODES] + child
    key = mixed(nodes.key[parent] + 1 + child)
    add_node(parent, key, from_row, to, work.spare_rows, stats, growth, nodes, number)


@inner_kernel
def _sum_present(child, number, k, s, stats, growth, nodes, work):
    """The sums over rows whose subset, s of the ancestor at distance k, is not empty."""
    words = stats.words
    a = growth.max_ancestor_distance
    n_inside = work.n_inside[(nodes.depth[number] - k) % a if k > 0 else a]
    total = work.present_total[child, k, s]
    if growth.all_present:
        for j in range(words.shape[1]):
            total[j] = nodes.total[number, j]
        work.n_present[child, k, s] = nodes.stop[number] - nodes.start[number]
        work.present_weight[child, k, s] = nodes.weight[number]
        return
    n = 0
    weight = np.int64(0)
    for j in range(words.shape[1]):
        total[j] = 0
    for i in range(nodes.start[number], nodes.stop[number]):
        row = work.rows[i]
        if n_inside[row, s] > 0:
            n += 1
            weight += stats.weight[row]
            for j in range(words.shape[1]):
                total[j] += words[row, j]
    work.n_present[child, k, s] = n
    work.present_weight[child, k, s] = weight


@inner_kernel
def _make_children(stats, growth, nodes, work, n_members, rank):
    for child in range(2):
        if child % n_members == rank:
            _make_child(child, stats, growth, nodes, work)


@inner_kernel
def _adopt_children(nodes, work):
    """The rows of the children take the place of their parent's."""
    control = work.control
    parent = control[PARENT]
    for i in range(nodes.start[parent], nodes.stop[parent]):
        work.rows[i] = work.spare_rows[i]
    for child in range(2):
        control[CHILD + child] = control[N_NODES] + child
    nodes.left[parent] = control[N_NODES]
    nodes.right[parent] = control[N_NODES] + 1
    control[N_NODES] += 2
    control[N_LEAVES] += 1


@inner_kernel
def divide_rows(stats, growth, nodes, work, team, rank, n_members):
    """The rows of a node go to its new children; False: the team must stop."""
    _make_children(stats, growth, nodes, work, n_members, rank)
    if comes_last(team, n_members):
        _adopt_children(nodes, work)
        let_go(team, n_members)
    return goes_on(team)


@inner_kernel
def _is_open(child, stats, growth, limits, nodes, work):
    """Whether a child is looked at for a split of its own."""
    if not is_searched(child, growth, limits, nodes, work):
        return False
    number = work.control[CHILD + child]
    return not histograms.is_pure(stats, work.rows, nodes.start[number], nodes.stop[number])


@inner_kernel
def _open_child(child, is_open, source, questions, growth, nodes, work):
    """The state of the search at its beginning."""
    work.control[IS_OPEN + child] = is_open
    work.control[N_DRAWN + child] = 0
    work.floor[child] = histograms.NO_FLOOR
    if is_open and growth.n_drawn != 0:
        begin_draw(child, False, source.patterns, questions, growth, nodes, work)
        draw_columns(child, growth, nodes, work)


@inner_kernel
def _count_child(child, turn, source, nodes, work, place):
    """How many entries a child has of each feature; members take turns, this returns the next."""
    rank, n_members = place
    patterns = source.patterns
    number = work.control[CHILD + child]
    n = n_stretches(number, n_members, nodes, work)
    for p in range(patterns.n_features.shape[0]):
        if not patterns.is_full[p]:
            for stretch in range(n):
                if turn % n_members == rank:
                    count_entries(child, p, stretch, n, number, patterns, nodes, work)
                turn += 1
    return turn


@inner_kernel
def _lay_out_child(child, source, nodes, work, n_members):
    """One member alone: where these entries go."""
    patterns = source.patterns
    n = n_stretches(work.control[CHILD + child], n_members, nodes, work)
    for p in range(patterns.n_features.shape[0]):
        if not patterns.is_full[p]:
            lay_out_entries(child, p, n, patterns, work)


@inner_kernel
def _describe_child(child, turn, source, questions, stats, growth, nodes, work, place):
    """What a child holds: entries by pattern, sums and rows by subset; returns the next turn."""
    rank, n_members = place
    patterns = source.patterns
    number = work.control[CHILD + child]
    n = n_stretches(number, n_members, nodes, work)
    for p in range(patterns.n_features.shape[0]):
        if not patterns.is_full[p]:
            for stretch in range(n):
                if turn % n_members == rank:
                    list_entries(child, p, stretch, n, number, patterns, nodes, work)
                turn += 1
        if turn % n_members == rank:
            list_held(child, p, questions, patterns, work)
        turn += 1
    for k in range(n_subsets(number, growth, nodes) + 1):
        for s in range(2 if k > 0 else 1):
            if turn % n_members == rank:
                _sum_present(child, number, k, s, stats, growth, nodes, work)
            turn += 1
        if k > 0:
            if turn % n_members == rank:
                list_inside(source, child, k, nodes, work)
            turn += 1
    return turn


@inner_kernel
def describe_alone(child, source, questions, stats, growth, nodes, work):
    """What a child holds, by one thread."""
    _count_child(child, 0, source, nodes, work, (0, 1))
    _lay_out_child(child, source, nodes, work, 1)
    _describe_child(child, 0, source, questions, stats, growth, nodes, work, (0, 1))


@inner_kernel
def prepare_children(source, questions, stats, growth, limits, nodes, work, team, place):
    """What the search needs of the children that are looked at for a split of their own.

    False: the team must stop.
    """
    rank, n_members = place
    is_open = (
        _is_open(0, stats, growth, limits, nodes, work),
        _is_open(1, stats, growth, limits, nodes, work),
    )
    turn = 0
    for child in range(2):
        if child % n_members == rank:
            _open_child(child, is_open[child], source, questions, growth, nodes, work)
        if is_open[child]:
            turn = _count_child(child, turn, source, nodes, work, place)
    if turn > 0:  # some pattern is not full
        if comes_last(team, n_members):
            for child in range(2):
                if is_open[child]:
                    _lay_out_child(child, source, nodes, work, n_members)
            let_go(team, n_members)
        if not goes_on(team):
            return False
    turn = 0
    for child in range(2):
        if is_open[child]:
            turn = _describe_child(
                child, turn, source, questions, stats, growth, nodes, work, place
            )
    return True
