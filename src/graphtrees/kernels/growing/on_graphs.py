"""Whole graphs: apply the best split of a node, make the columns of its subsets, ask one column."""

from __future__ import annotations

import numpy as np

from graphtrees._layout import IN_MINUS, IN_PLUS, OUTSIDE, SUM_OF
from graphtrees.kernels import graph_lane, graph_values
from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels._team import next_task
from graphtrees.kernels.growing.chance import draw_walk_types, mixed
from graphtrees.kernels.growing.nodes import CHILD, N_LEAVES, PARENT
from graphtrees.kernels.steps import lane_of


@inner_kernel
def _mark(first, n, z, aggregator, threshold, missing_left, codes, want, out):
    """Write the two subsets that a split-node makes of one graph."""
    n_inside = 0
    for v in range(n):
        n_inside += want == 0 or codes[first + v] == want
    if aggregator == SUM_OF and n_inside > 0:
        threshold = threshold / n_inside
    for v in range(n):
        if want != 0 and codes[first + v] != want:
            out[first + v] = OUTSIDE
        elif z[v] != z[v]:
            out[first + v] = IN_MINUS if missing_left else IN_PLUS
        else:
            out[first + v] = IN_PLUS if np.float64(z[v]) > threshold else IN_MINUS


@inner_kernel
def _count_inside(g, codes, layout, n_inside):
    """How many vertices each of the two subsets of a graph holds."""
    n_inside[g, 0] = 0
    n_inside[g, 1] = 0
    for v in range(layout.vertex_ptr[g], layout.vertex_ptr[g + 1]):
        if codes[v] != OUTSIDE:
            n_inside[g, np.int64(codes[v]) - 1] += 1


@inner_kernel
def _apply_to_graph(g, parent, questions, growth, nodes, work, layout, operators, scratch):
    """Ask one graph the parent's question: whether it goes left, and the subsets it makes."""
    distance = nodes.distance[parent]
    place = nodes.place[parent]
    want = nodes.sign[parent]
    depth = nodes.depth[parent]
    if distance == 0:
        o = questions.whole_operator[place]
        d = questions.whole_length[place]
        walk_type = questions.whole_walk_type[place]
        aggregator = questions.whole_aggregator[place]
    else:
        o = questions.operator[place]
        d = questions.length[place]
        walk_type = questions.walk_type[nodes.walk_types[parent], place]
        aggregator = questions.aggregator[place]
    ring = growth.max_ancestor_distance + 1
    codes = work.codes[max(0, depth - distance) % ring]
    lane = lane_of(layout, g, nodes.feature[parent])
    graph_lane.walk_lane(g, lane, o, d, walk_type, codes, want, layout, operators, scratch)
    answer = graph_lane.aggregate(g, walk_type, aggregator, codes, want, layout, scratch.z)
    if growth.max_ancestor_distance > 0:
        first = layout.vertex_ptr[g]
        n = layout.vertex_ptr[g + 1] - first
        subsets = work.codes[depth % ring]
        _mark(
            first, n, scratch.z, aggregator, nodes.threshold[parent], nodes.missing_left[parent],
            codes, want, subsets,
        )  # fmt: skip
        _count_inside(g, subsets, layout, work.n_inside[depth % growth.max_ancestor_distance])
    if answer != answer:
        return nodes.missing_left[parent]
    return np.float64(answer) <= nodes.threshold[parent]


@inner_kernel
def _list_graphs(first, last, side, n_sides, work, scratch):
    """The graphs of rows first:last that go to this side, or to any; returns how many."""
    n = 0
    for i in range(first, last):
        if n_sides == 1 or work.goes_left[i] == (side == 0):
            scratch.graphs[n] = work.rows[i]
            n += 1
    return n


@inner_kernel
def _make_subset_columns(first, last, parent, questions, growth, nodes, work, source, scratch):
    """The columns that the children of rows first:last will ask about."""
    a = growth.max_ancestor_distance
    depth = nodes.depth[parent]
    oldest = depth
    n_sides = 1
    if growth.walk_type_probability < 1.0:  # columns of older subsets were made for other types
        oldest = max(0, depth - a + 1)
        n_sides = 2
    for side in range(n_sides):
        n = _list_graphs(first, last, side, n_sides, work, scratch)
        walk_types = draw_walk_types(growth, mixed(nodes.key[parent] + 1 + side))
        for k in range(oldest, depth + 1):
            graph_values.make_graphs(
                n, work.codes[k % (a + 1)], 2, questions.places[walk_types], source, scratch,
                work.blocks[k % a],
            )  # fmt: skip


def apply_to_graphs(source, questions, static, growth, nodes, work, scratch, team, rank, n_members):
    """Part the rows of a node, mark the two subsets, and make the columns of these."""
    parent = work.control[PARENT]
    start = nodes.start[parent]
    stop = nodes.stop[parent]
    more = growth.max_leaf_nodes == 0 or work.control[N_LEAVES] + 1 < growth.max_leaf_nodes
    makes = more and growth.makes_blocks and growth.max_ancestor_distance > 0
    while True:
        first = start + next_task(team, n_members, graph_values.GRAPHS_A_TILE)
        if first >= stop:
            break
        last = min(stop, first + graph_values.GRAPHS_A_TILE)
        for i in range(first, last):
            g = np.int64(work.rows[i])
            work.goes_left[i] = _apply_to_graph(
                g, parent, questions, growth, nodes, work, source.layout, source.operators, scratch
            )
        if makes:
            _make_subset_columns(
                first, last, parent, questions, growth, nodes, work, source, scratch
            )


def ask_graphs(
    source, child, k, c, f, entries, questions, growth, nodes, work, scratch, source_scratch
):
    """The entries of one column that was not made: every graph is asked now."""
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
    n_inside = work.n_inside[depth % growth.max_ancestor_distance]
    first = source.patterns.ptr[source.patterns.of_place[place], 0] + entries.shift
    n = 0
    for i in range(entries.start, entries.stop):
        g = np.int64(entries.row[i])
        if n_inside[g, want - 1] > 0:
            lane = layout.lane_at[first + entries.position[i]] - layout.lane_ptr[g]
            graph_lane.walk_lane(
                g, lane, o, d, walk_type, codes, want, layout, source.operators, source_scratch
            )
            value = graph_lane.aggregate(
                g, walk_type, aggregator, codes, want, layout, source_scratch.z
            )
            scratch.values[n] = value
            scratch.rows[n] = g
            n += value != 0.0
    return n
