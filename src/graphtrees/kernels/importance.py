"""Count which vertices and edges the questions on an example's way looked at, and rank them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphtrees.kernels._jit import inner_kernel, kernel, making_kernel
from graphtrees.kernels._references import reference
from graphtrees.kernels.descent import arrive, begin, go_on, make_descent, most_edges, split
from graphtrees.kernels.records import DEPTH, LEFT, MISSING_LEFT, RIGHT
from graphtrees.kernels.steps import aggregate, goes_left, make_spare, mark, question_of, walk
from graphtrees.kernels.used_edges import make_marks, use_edges


class Scratch(NamedTuple):
    """Memory for the examples of one graph at a time."""

    descent: Any
    asked: Any  # the nodes above, by depth
    count: Any  # in how many used subsets a vertex is
    edge_count: Any  # how many questions used an edge; 0 between examples
    used: Any
    touched: Any  # the edges whose count is not 0
    share: Any  # what a count earns
    histogram: Any
    marks: Any


@making_kernel
def _make_scratch(jobs, graphs, operators, edges, nodes):
    descent = make_descent(jobs, graphs, operators, nodes)
    n_edges = most_edges(jobs, edges)
    return Scratch(
        descent,
        np.empty(nodes.deepest + 1, np.int64),
        np.empty(descent.stride, np.int64),
        np.zeros(n_edges, np.int64),
        np.empty(n_edges, np.int64),
        np.empty(n_edges, np.int64),
        np.empty(nodes.deepest + 1),
        np.empty(nodes.deepest + 1, np.int64),
        make_marks(descent.stride, nodes.longest, n_edges),
    )


@inner_kernel
def _share_out(n_asked, scratch):
    """share[c] = 2^-rank of count c; equal counts share the smaller rank."""
    above = 0
    for c in range(n_asked, -1, -1):
        scratch.share[c] = 0.5 ** (1 + above)
        above += scratch.histogram[c]


@inner_kernel
def _clear(n_asked, scratch):
    for c in range(n_asked + 1):
        scratch.histogram[c] = 0


@inner_kernel
def _rank_vertices(n, n_asked, nodes, scratch):
    """count[v] = in how many used subsets v is; share[c] = what such a count earns."""
    count = scratch.count
    for v in range(n):
        count[v] = 0
    for k in range(n_asked):
        question = question_of(nodes, scratch.asked[k], scratch.descent.stride)
        for v in range(n):
            count[v] += (
                question.want == 0 or scratch.descent.codes[question.shift + v] == question.want
            )
    _clear(n_asked, scratch)
    for v in range(n):
        scratch.histogram[count[v]] += 1
    _share_out(n_asked, scratch)


@inner_kernel
def _rank_edges(graphs, g, vertex, n_asked, nodes, operators, edges, scratch):
    """The same for edges: how many questions used each of those in touched[:the number returned].

    The reader of the counts resets them to 0.
    """
    n_touched = 0
    for k in range(n_asked):
        question = question_of(nodes, scratch.asked[k], scratch.descent.stride)
        n_used = use_edges(
            graphs, g, vertex, question, scratch.descent.codes, operators, edges, scratch.marks,
            scratch.used, 0,
        )  # fmt: skip
        for q in range(n_used):
            edge = scratch.used[q]
            if scratch.edge_count[edge] == 0:
                scratch.touched[n_touched] = edge
                n_touched += 1
            scratch.edge_count[edge] += 1
    _clear(n_asked, scratch)
    scratch.histogram[0] = edges.edge_ptr[g + 1] - edges.edge_ptr[g] - n_touched
    for q in range(n_touched):
        scratch.histogram[scratch.edge_count[scratch.touched[q]]] += 1
    _share_out(n_asked, scratch)
    return n_touched


@inner_kernel
def _add_vertices(node, g, start, stop, examples, graphs, nodes, contributions, scratch, sums):
    """Add to the vertices of the examples order[start:stop], which end in the leaf `node`."""
    n = graphs.vertex_ptr[g + 1] - graphs.vertex_ptr[g]
    _rank_vertices(n, np.int64(nodes.table[node, DEPTH]), nodes, scratch)
    for k in range(start, stop):
        e = scratch.descent.order[k]
        weight = contributions.amount[node, examples.output[e]]
        for v in range(n):
            sums.vertex_sum[sums.vertex_start[e] + v] += weight * scratch.share[scratch.count[v]]


@inner_kernel
def _add_edges(
    node, g, e, examples, graphs, operators, edges, nodes, contributions, scratch, sums
):  # fmt: skip
    """Add to the edges of one example, which ends in the leaf `node`."""
    weight = contributions.amount[node, examples.output[e]]
    n_asked = np.int64(nodes.table[node, DEPTH])
    n_touched = _rank_edges(
        graphs, g, examples.vertex[e], n_asked, nodes, operators, edges, scratch
    )
    base = scratch.share[0]
    sums.edge_base[e] += weight * base
    for q in range(n_touched):
        edge = scratch.touched[q]
        extra = scratch.share[scratch.edge_count[edge]] - base
        sums.edge_sum[sums.edge_start[e] + edge] += weight * extra
        scratch.edge_count[edge] = 0


@inner_kernel
def _add_trees(
    jobs, examples, graphs, operators, edges, nodes, contributions, with_edges, sums, scratch
):
    scratch = reference(scratch)
    descent = scratch.descent
    stack = descent.stack
    table = nodes.table
    leaf_of = sums.leaf_of
    for job in range(jobs.graph.shape[0]):
        g = jobs.graph[job]
        for t in range(nodes.tree_ptr.shape[0] - 1):
            first, last = jobs.start[job], jobs.stop[job]
            # codes[k] always holds the subsets made by the node asked[k] above.
            top = begin(t, first, last, examples, nodes, contributions, leaf_of, descent)
            while top > 0:
                top -= 1
                node, start, stop = stack[top, 0], stack[top, 1], stack[top, 2]
                if table[node, LEFT] < 0:
                    arrive(t, node, start, stop, nodes, leaf_of, descent)
                    _add_vertices(
                        node, g, start, stop, examples, graphs, nodes, contributions, scratch, sums
                    )
                    for k in range(start, stop if with_edges else start):
                        _add_edges(
                            node, g, descent.order[k], examples, graphs, operators, edges, nodes,
                            contributions, scratch, sums,
                        )  # fmt: skip
                    continue
                scratch.asked[table[node, DEPTH]] = node
                done = split(node, g, examples, graphs, operators, nodes, start, stop, descent)
                top = go_on(t, done, nodes, top, descent)


@kernel
def importance(jobs, examples, graphs, operators, edges, nodes, contributions, with_edges, sums):
    """Add |y| 2^-rank of every vertex and edge, tree by tree, for the examples of some jobs."""
    jobs, examples = reference(jobs), reference(examples)
    graphs, operators, edges = reference(graphs), reference(operators), reference(edges)
    nodes, contributions, sums = reference(nodes), reference(contributions), reference(sums)
    scratch = _make_scratch(jobs, graphs, operators, edges, nodes)
    _add_trees(
        jobs, examples, graphs, operators, edges, nodes, contributions, with_edges, sums, scratch
    )


@kernel
def trace(g, vertex, tree, graphs, operators, edges, nodes, out):
    """Lead one example down one tree, writing down what each split-node saw and made.

    Returns the number of steps; the leaf is out.nodes[that].
    """
    graphs, operators, edges = reference(graphs), reference(operators), reference(edges)
    nodes, out = reference(nodes), reference(out)
    n = graphs.vertex_ptr[g + 1] - graphs.vertex_ptr[g]
    marks = make_marks(n, nodes.longest, edges.edge_ptr[g + 1] - edges.edge_ptr[g])
    chosen = np.empty(1, np.int64)
    chosen[0] = g
    spare = make_spare(chosen, graphs, operators)
    root = nodes.tree_ptr[tree]
    node = root
    step = 0
    out.used_ptr[0] = 0
    while nodes.table[node, LEFT] >= 0:
        question = question_of(nodes, node, n)
        threshold = nodes.threshold[node]
        missing_left = nodes.table[node, MISSING_LEFT] != 0
        z = out.z[step]
        walk(graphs, operators, g, question, out.codes, z, spare)
        value = z[vertex] if vertex >= 0 else aggregate(n, z, question, out.codes)
        mark(n, z, question, threshold, missing_left, out.codes, out.codes, step * n)
        out.used_ptr[step + 1] = use_edges(
            graphs, g, vertex, question, out.codes, operators, edges, marks, out.used,
            out.used_ptr[step],
        )  # fmt: skip
        out.nodes[step] = node - root
        out.values[step] = value
        is_left = goes_left(value, threshold, missing_left)
        node = root + (nodes.table[node, LEFT] if is_left else nodes.table[node, RIGHT])
        step += 1
    out.nodes[step] = node - root
    return step
