"""Share every step of an example's path among the vertices and edges that its value came from.

A step from a node to its child changes what the tree says. Its value φ is a sum over walks, so
each change is shared by the walks: a vertex has those that start at it, an edge those it lies on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphtrees._layout import CYCLE, MIN_OF, SOURCE, TARGET
from graphtrees.kernels._jit import inner_kernel, kernel, making_kernel
from graphtrees.kernels._references import reference
from graphtrees.kernels.descent import arrive, begin, go_on, make_descent, most_edges, split
from graphtrees.kernels.records import LEFT, RIGHT
from graphtrees.kernels.steps import question_of, read_feature
from graphtrees.kernels.walk_sums import (
    NOTHING,
    make_walk_sums,
    start_at,
    walk_back,
    walk_on_edges,
)


class Scratch(NamedTuple):
    """Memory for the examples of one graph at a time."""

    descent: Any
    sums: Any
    f: Any  # the feature asked about
    part: Any  # by vertex, its part in φ
    starts: Any  # the vertices that have one
    with_edges: Any


@making_kernel
def _make_scratch(jobs, graphs, operators, edges, nodes, with_edges):
    descent = make_descent(jobs, graphs, operators, nodes)
    n_edges = most_edges(jobs, edges)
    return Scratch(
        descent,
        make_walk_sums(jobs, descent.stride, nodes.longest, n_edges, operators),
        np.empty(descent.stride, np.float32),
        np.empty(descent.stride),
        np.empty(descent.stride, np.int64),
        with_edges,
    )


@inner_kernel
def _list_ends(n, vertex, value, question, scratch):
    """List where φ is read: every vertex of its domain, or the example's own.

    The smallest and the largest of a graph are read where they are attained.
    """
    z, codes, sums = scratch.descent.z, scratch.descent.codes, scratch.sums
    low = vertex if vertex >= 0 else 0
    high = vertex + 1 if vertex >= 0 else n
    inside_alone = question.want != 0 and question.walk_type != SOURCE
    sums.size[question.length] = 0
    for v in range(low, high):
        outside = inside_alone and codes[question.shift + v] != question.want
        if not outside and (question.aggregator < MIN_OF or z[v] == value):
            start_at(question.length, v, sums)


@inner_kernel
def _take_ends(question, scratch):
    """The ends are the starts as well; returns how many."""
    sums = scratch.sums
    for k in range(sums.size[question.length]):
        scratch.starts[k] = sums.near[question.length * sums.stride + k]
    return sums.size[question.length]


@inner_kernel
def _own_parts(question, scratch):
    """The parts of vertices where no step is taken; returns how many there are."""
    n_starts = _take_ends(question, scratch)
    want, codes = question.want, scratch.descent.codes
    for k in range(n_starts):
        v = scratch.starts[k]
        value = np.float64(scratch.f[v])
        inside = want == 0 or codes[question.shift + v] == want
        scratch.part[v] = abs(value) if inside and value == value else 0.0
    return n_starts


@inner_kernel
def _closed_parts(first, question, operators, scratch):
    """The parts of vertices where walks end where they began; returns how many there are."""
    n_starts = _take_ends(question, scratch)
    for k in range(n_starts):
        v = scratch.starts[k]
        value = np.float64(scratch.f[v])
        closed = operators.diagonal[question.operator, question.length - 1, first + v]
        scratch.part[v] = abs(closed * value) if value == value else 0.0
    return n_starts


@inner_kernel
def _closed_edges(n_starts, graphs, g, question, operators, edges, scratch):
    """List the edges on closed walks, of every vertex by itself; returns how many."""
    sums = scratch.sums
    n_edges = 0
    for k in range(n_starts):
        v = scratch.starts[k]
        value = np.float64(scratch.f[v])
        if value != value or value == 0.0:
            continue
        sums.size[question.length] = 0
        start_at(question.length, v, sums)
        walk_back(graphs, g, question, operators, sums)
        if sums.seen[v] == sums.clock[0]:
            sums.behind[v] = abs(value)
            n_edges = walk_on_edges(graphs, g, question, operators, edges, sums, n_edges)
    return n_edges


@inner_kernel
def _open_parts(question, scratch):
    """The parts of the vertices that walks start at, and the sizes that edges carry on."""
    sums, codes = scratch.sums, scratch.descent.codes
    want = 0 if question.walk_type == TARGET else question.want
    for k in range(sums.size[0]):
        u = sums.near[k]
        value = np.float64(scratch.f[u])
        if value != value or (want != 0 and codes[question.shift + u] != want):
            value = 0.0
        size = abs(sums.ahead[u] * value)
        scratch.part[u] = 0.0 if size <= NOTHING * sums.ahead_size[u] * abs(value) else size
        sums.behind[u] = abs(value)
        scratch.starts[k] = u
    return sums.size[0]


@inner_kernel
def _share_among_vertices(example, amount, n_starts, shares, scratch):
    """Share one change among the starts by their parts; returns whether any has one."""
    total = 0.0
    for k in range(n_starts):
        total += scratch.part[scratch.starts[k]]
    if total == 0.0:
        shares.absence[example] += amount
        return False
    for k in range(n_starts):
        v = scratch.starts[k]
        shares.vertex[shares.vertex_start[example] + v] += amount * (scratch.part[v] / total)
    return True


@inner_kernel
def _share_among_edges(example, amount, n_edges, is_shared, shares, scratch):
    """The same among the edges listed, which are forgotten."""
    sums = scratch.sums
    total = 0.0
    for k in range(n_edges):
        total += sums.edge_part[sums.edge_near[k]]
    for k in range(n_edges):
        edge = sums.edge_near[k]
        sums.edge_seen[edge] = 0
        if is_shared and total > 0.0:
            share = sums.edge_part[edge] / total
            shares.edge[shares.edge_start[example] + edge] += amount * share
    if is_shared and scratch.with_edges and total == 0.0:
        shares.no_walk[example] += amount


@inner_kernel
def _share_step(
    g, example, vertex, amount, value, question, graphs, operators, edges, shares, scratch
):
    """Share what one step of one example changed; `value` is φ."""
    if value != value:
        shares.absence[example] += amount
        return
    first = graphs.vertex_ptr[g]
    sums = scratch.sums
    _list_ends(graphs.vertex_ptr[g + 1] - first, vertex, value, question, scratch)
    n_edges = 0
    if question.length == 0:
        n_starts = _own_parts(question, scratch)
    elif question.walk_type == CYCLE:
        n_starts = _closed_parts(first, question, operators, scratch)
        if scratch.with_edges:
            n_edges = _closed_edges(n_starts, graphs, g, question, operators, edges, scratch)
    else:
        walk_back(graphs, g, question, operators, sums)
        n_starts = _open_parts(question, scratch)
        if scratch.with_edges:
            n_edges = walk_on_edges(graphs, g, question, operators, edges, sums, 0)
    is_shared = _share_among_vertices(example, amount, n_starts, shares, scratch)
    _share_among_edges(example, amount, n_edges, is_shared, shares, scratch)


@inner_kernel
def _share_split(
    g, root, done, examples, graphs, operators, edges, nodes, contributions, shares, scratch
):  # fmt: skip
    """Share what a split-node changed for each of its examples."""
    question = question_of(nodes, done.node, scratch.descent.stride)
    read_feature(graphs, g, question.feature, scratch.f)
    for k in range(done.start, done.stop):
        e = scratch.descent.order[k]
        child = root + nodes.table[done.node, LEFT if k < done.middle else RIGHT]
        output = examples.output[e]
        amount = contributions.amount[child, output] - contributions.amount[done.node, output]
        if amount == 0.0:
            continue
        vertex = examples.vertex[e]
        value = np.float64(scratch.descent.z[vertex]) if vertex >= 0 else np.float64(done.value)
        _share_step(
            g, e, vertex, amount, value, question, graphs, operators, edges, shares, scratch
        )


@inner_kernel
def _share_trees(jobs, examples, graphs, operators, edges, nodes, contributions, shares, scratch):
    scratch = reference(scratch)
    descent = scratch.descent
    stack = descent.stack
    leaf_of = shares.leaf_of
    for job in range(jobs.graph.shape[0]):
        g = jobs.graph[job]
        for t in range(nodes.tree_ptr.shape[0] - 1):
            root = nodes.tree_ptr[t]
            first, last = jobs.start[job], jobs.stop[job]
            top = begin(t, first, last, examples, nodes, contributions, leaf_of, descent)
            while top > 0:
                top -= 1
                node, start, stop = stack[top, 0], stack[top, 1], stack[top, 2]
                if nodes.table[node, LEFT] < 0:
                    arrive(t, node, start, stop, nodes, leaf_of, descent)
                    continue
                done = split(node, g, examples, graphs, operators, nodes, start, stop, descent)
                _share_split(
                    g, root, done, examples, graphs, operators, edges, nodes, contributions, shares,
                    scratch,
                )  # fmt: skip
                top = go_on(t, done, nodes, top, descent)


@kernel
def attribute(jobs, examples, graphs, operators, edges, nodes, contributions, with_edges, shares):
    """Share the steps of all trees that speak for the outputs of the examples of some jobs."""
    jobs, examples = reference(jobs), reference(examples)
    graphs, operators, edges = reference(graphs), reference(operators), reference(edges)
    nodes, contributions, shares = reference(nodes), reference(contributions), reference(shares)
    scratch = _make_scratch(jobs, graphs, operators, edges, nodes, with_edges)
    _share_trees(jobs, examples, graphs, operators, edges, nodes, contributions, shares, scratch)
