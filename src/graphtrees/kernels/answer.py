"""Ask one question of graphs, and lead examples through whole trees.

Training asks the question a split-node settled on; prediction asks only the questions on an
example's way.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphtrees._layout import CYCLE, NO_AGGREGATOR, SOURCE, TARGET
from graphtrees.kernels._counter import take
from graphtrees.kernels._jit import inlined_kernel, inner_kernel, kernel, making_kernel
from graphtrees.kernels._references import reference
from graphtrees.kernels.records import DEPTH, IS_USED, LEFT, MISSING_LEFT, RIGHT, Question
from graphtrees.kernels.steps import (
    aggregate,
    goes_left,
    lane_of,
    make_spare,
    mark,
    part,
    question_of,
    walk,
)
from graphtrees.kernels.whole import lead_whole
from graphtrees.kernels.whole_room import KEPT_VALUES, enter, is_whole, leave, make_room


@kernel
def ask(chosen, graphs, operators, feature, length, walk_type, codes, want, z):
    """One question along the first operator to many graphs: z at every vertex."""
    graphs, operators = reference(graphs), reference(operators)
    spare = make_spare(chosen, graphs, operators)
    for i in range(chosen.shape[0]):
        g = chosen[i]
        first = graphs.vertex_ptr[g]
        question = Question(
            np.int64(feature), 0, np.int64(length), np.int64(walk_type), NO_AGGREGATOR, first,
            np.int64(want),
        )  # fmt: skip
        walk(graphs, operators, g, question, codes, z[first : graphs.vertex_ptr[g + 1]], spare)


class Scratch(NamedTuple):
    """Memory of one thread."""

    stride: Any  # room for the vertices of one graph
    z: Any
    codes: Any  # codes[k * stride:] are the subsets made by the ancestor at depth k
    kept: Any  # whole-graph walks, which come back from tree to tree
    is_kept: Any  # 1 + the graph that each of them belongs to
    order: Any  # the examples of a graph, those of a node side by side
    aside: Any
    stack: Any  # (node, start, stop) in `order`, of nodes that wait
    spare: Any


@making_kernel
def _make_scratch(work, examples, graphs, operators, nodes):
    stride = 1
    n_kept = 1
    crowd = 1
    for i in range(work.graphs.shape[0]):
        g = work.graphs[i]
        stride = max(stride, graphs.vertex_ptr[g + 1] - graphs.vertex_ptr[g])
        n_walks = _count_walks(graphs, operators, nodes, g)
        n_kept = max(n_kept, n_walks if n_walks <= KEPT_VALUES else 1)
        crowd = max(crowd, examples.ptr[g + 1] - examples.ptr[g])
    return Scratch(
        stride,
        np.empty(stride, np.float32),
        np.zeros((nodes.deepest + 1) * stride, np.uint8),
        np.empty(KEPT_VALUES, np.float32),
        np.zeros(n_kept, np.int64),
        np.empty(crowd, np.int64),
        np.empty(crowd, np.int64),
        np.empty((nodes.deepest + 2, 3), np.int64),
        make_spare(work.graphs, graphs, operators),
    )


@inlined_kernel
def _count_walks(graphs, operators, nodes, g):
    """How many whole-graph walks of a graph there are."""
    n_lanes = graphs.lane_ptr[g + 1] - graphs.lane_ptr[g]
    return operators.indptr.shape[0] * nodes.longest * n_lanes


@inlined_kernel
def _trees_of(work, piece):
    """(start, stop) of the trees of a piece of work."""
    n_trees = work.stop_tree - work.first_tree
    part = piece % work.n_parts
    return (
        work.first_tree + n_trees * part // work.n_parts,
        work.first_tree + n_trees * (part + 1) // work.n_parts,
    )


@inner_kernel
def _keep(graphs, operators, nodes, g, question, scratch):
    """The number of a whole-graph walk among those kept, computed if it is new; -1: it is not."""
    n = graphs.vertex_ptr[g + 1] - graphs.vertex_ptr[g]
    n_lanes = graphs.lane_ptr[g + 1] - graphs.lane_ptr[g]
    lane = lane_of(graphs, g, question.feature)
    if question.length == 0 or question.walk_type == CYCLE or lane < 0:
        return -1
    if question.want != 0 and question.walk_type != TARGET:
        return -1
    if _count_walks(graphs, operators, nodes, g) * n > KEPT_VALUES:
        return -1
    number = (question.operator * nodes.longest + question.length - 1) * n_lanes + lane
    if scratch.is_kept[number] != g + 1:
        scratch.is_kept[number] = g + 1
        everyone = Question(
            question.feature, question.operator, question.length, SOURCE, NO_AGGREGATOR, 0, 0
        )
        values = scratch.kept[number * n : (number + 1) * n]
        walk(graphs, operators, g, everyone, scratch.codes, values, scratch.spare)
    return number


@inner_kernel
def _answer(graphs, operators, nodes, g, question, scratch):
    """z of a question to one graph, in the scratch."""
    n = graphs.vertex_ptr[g + 1] - graphs.vertex_ptr[g]
    number = _keep(graphs, operators, nodes, g, question, scratch)
    if number < 0:
        walk(graphs, operators, g, question, scratch.codes, scratch.z, scratch.spare)
        return
    for v in range(n):
        outside = question.want != 0 and scratch.codes[question.shift + v] != question.want
        scratch.z[v] = np.float32(0.0) if outside else scratch.kept[number * n + v]


@inner_kernel
def _lead(root, g, examples, graphs, operators, nodes, scratch, tree, out):
    """Lead the examples of one graph down one tree, depth first."""
    n = graphs.vertex_ptr[g + 1] - graphs.vertex_ptr[g]
    table = nodes.table
    order = scratch.order
    stack = scratch.stack
    stack[0, 0] = root
    stack[0, 1] = 0
    stack[0, 2] = examples.ptr[g + 1] - examples.ptr[g]
    for k in range(stack[0, 2]):
        order[k] = examples.ptr[g] + k
    top = 1
    while top > 0:
        top -= 1
        node = stack[top, 0]
        start = stack[top, 1]
        stop = stack[top, 2]
        if table[node, LEFT] < 0:
            for k in range(start, stop):
                out[examples.place[order[k]], tree] = node - root
            continue
        question = question_of(nodes, node, scratch.stride)
        threshold = nodes.threshold[node]
        missing_left = table[node, MISSING_LEFT] != 0
        _answer(graphs, operators, nodes, g, question, scratch)
        if question.aggregator >= 0:
            value = aggregate(n, scratch.z, question, scratch.codes)
            middle = stop if goes_left(value, threshold, missing_left) else start
        else:
            middle = part(
                scratch.z, examples.vertex, threshold, missing_left, order, start, stop,
                scratch.aside,
            )  # fmt: skip
        if table[node, IS_USED]:
            subset = np.int64(table[node, DEPTH]) * scratch.stride
            codes = scratch.codes
            mark(n, scratch.z, question, threshold, missing_left, codes, codes, subset)
        if middle < stop:
            stack[top, 0] = root + table[node, RIGHT]
            stack[top, 1] = middle
            stack[top, 2] = stop
            top += 1
        if start < middle:
            stack[top, 0] = root + table[node, LEFT]
            stack[top, 1] = start
            stack[top, 2] = middle
            top += 1


@kernel
def route(work, examples, graphs, operators, nodes, out):
    """out[place, tree] = the leaf (numbered within its tree) where each example ends.

    All threads call this with the same `work`, and take the next piece from its counter. The
    records are `stored`.
    """
    scratch = _make_scratch(work, examples, graphs, operators, nodes)
    n_pieces = work.graphs.shape[0] * work.n_parts
    piece = take(work.counter, work.at_once)
    while piece < n_pieces:
        for k in range(piece, min(piece + work.at_once, n_pieces)):
            g = work.graphs[k // work.n_parts]
            start, stop = _trees_of(work, k)
            for tree in range(start, stop):
                root = nodes.tree_ptr[tree]
                _lead(root, g, examples, graphs, operators, nodes, scratch, tree, out)
        piece = take(work.counter, work.at_once)


@kernel
def route_whole(work, examples, graphs, operators, nodes, is_left, out):
    """The same for graphs, not vertices, of small whole numbers; is_left[i]: graph i is not one.

    A kernel of its own, so that who needs one of the two does not wait for both to be compiled.
    """
    room = make_room(work.graphs, graphs, operators, nodes)
    n_pieces = work.graphs.shape[0] * work.n_parts
    piece = take(work.counter, work.at_once)
    while piece < n_pieces:
        for k in range(piece, min(piece + work.at_once, n_pieces)):
            g = work.graphs[k // work.n_parts]
            if not is_whole(graphs, operators, g, nodes.longest):
                is_left[k // work.n_parts] = True
                continue
            start, stop = _trees_of(work, k)
            graph = enter(graphs, operators, g, room, nodes.longest)
            lead_whole(graph, start, stop, examples, operators, nodes, room, out)
            leave(graphs, graph, room)
        piece = take(work.counter, work.at_once)


@kernel
def add_values(leaves, tree_ptr, values, outputs, scale, out):
    """out[example] += scale × leaf value, tree after tree; output -1 means all of them."""
    for i in range(leaves.shape[0]):
        for t in range(leaves.shape[1]):
            node = tree_ptr[t] + leaves[i, t]
            if outputs[t] < 0:
                for k in range(out.shape[1]):
                    out[i, k] += scale * values[node, k]
            else:
                out[i, outputs[t]] += scale * values[node, 0]
