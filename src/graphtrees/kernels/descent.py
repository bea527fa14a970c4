"""Lead the examples of one graph down a tree together, depth first.

Each question is asked of the graph once for all of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphtrees.kernels._jit import inner_kernel, making_kernel
from graphtrees.kernels.records import DEPTH, LEFT, MISSING_LEFT, RIGHT
from graphtrees.kernels.steps import (
    aggregate,
    goes_left,
    make_spare,
    mark,
    part,
    question_of,
    walk,
)


class Descent(NamedTuple):
    """Memory for it; stack[k] is a node with its examples order[start:stop]."""

    stride: Any  # room for the vertices of one graph
    z: Any
    codes: Any  # codes[k * stride:] are the subsets made by the ancestor at depth k
    order: Any
    aside: Any
    stack: Any
    spare: Any


class Split(NamedTuple):
    """What a node did to its examples order[start:stop]: those up to `middle` go left.

    `value` is that of a graph example.
    """

    node: Any
    start: Any
    middle: Any
    stop: Any
    value: Any


@making_kernel
def make_descent(jobs, graphs, operators, nodes):
    stride = 1
    crowd = 1
    for job in range(jobs.graph.shape[0]):
        g = jobs.graph[job]
        stride = max(stride, graphs.vertex_ptr[g + 1] - graphs.vertex_ptr[g])
        crowd = max(crowd, jobs.stop[job] - jobs.start[job])
    return Descent(
        stride,
        np.empty(stride, np.float32),
        np.zeros((nodes.deepest + 1) * stride, np.uint8),
        np.empty(crowd, np.int64),
        np.empty(crowd, np.int64),
        np.empty((nodes.deepest + 2, 3), np.int64),
        make_spare(jobs.graph, graphs, operators),
    )


@making_kernel
def most_edges(jobs, edges):
    """Room for the edges of one graph."""
    most = 1
    for job in range(jobs.graph.shape[0]):
        g = jobs.graph[job]
        most = max(most, edges.edge_ptr[g + 1] - edges.edge_ptr[g])
    return most


@inner_kernel
def begin(tree, start, stop, examples, nodes, contributions, leaf_of, descent):
    """Put the examples whose output a tree adds to at its root; returns the height of the stack."""
    n_examples = 0
    for e in range(start, stop):
        leaf_of[e, tree] = -1
        if contributions.adds_to[tree, examples.output[e]]:
            descent.order[n_examples] = e
            n_examples += 1
    descent.stack[0, 0] = nodes.tree_ptr[tree]
    descent.stack[0, 1] = 0
    descent.stack[0, 2] = n_examples
    return 1 if n_examples > 0 else 0


@inner_kernel
def arrive(tree, node, start, stop, nodes, leaf_of, descent):
    """The examples order[start:stop] end in the leaf `node`."""
    for k in range(start, stop):
        leaf_of[descent.order[k], tree] = node - nodes.tree_ptr[tree]


@inner_kernel
def split(node, g, examples, graphs, operators, nodes, start, stop, descent):
    """Ask a node's question, make its subsets, part its examples."""
    n = graphs.vertex_ptr[g + 1] - graphs.vertex_ptr[g]
    question = question_of(nodes, node, descent.stride)
    threshold = nodes.threshold[node]
    missing_left = nodes.table[node, MISSING_LEFT] != 0
    subset = np.int64(nodes.table[node, DEPTH]) * descent.stride
    codes = descent.codes
    walk(graphs, operators, g, question, codes, descent.z, descent.spare)
    value = aggregate(n, descent.z, question, codes) if question.aggregator >= 0 else 0.0
    mark(n, descent.z, question, threshold, missing_left, codes, codes, subset)
    if question.aggregator >= 0:
        middle = stop if goes_left(value, threshold, missing_left) else start
    else:
        middle = part(
            descent.z, examples.vertex, threshold, missing_left, descent.order, start, stop,
            descent.aside,
        )  # fmt: skip
    return Split(node, start, middle, stop, value)


@inner_kernel
def go_on(tree, done, nodes, top, descent):
    """Put the children that have examples on the stack; returns its height."""
    stack = descent.stack
    root = nodes.tree_ptr[tree]
    if done.middle < done.stop:
        stack[top, 0] = root + nodes.table[done.node, RIGHT]
        stack[top, 1] = done.middle
        stack[top, 2] = done.stop
        top += 1
    if done.start < done.middle:
        stack[top, 0] = root + nodes.table[done.node, LEFT]
        stack[top, 1] = done.start
        stack[top, 2] = done.middle
        top += 1
    return top
