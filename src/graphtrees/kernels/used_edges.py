"""Which edges the walks of a question take."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphtrees._layout import CYCLE, SOURCE, TARGET
from graphtrees.kernels._jit import inner_kernel, making_kernel


class Marks(NamedTuple):
    """Memory for following walks; rows of `stride` vertices, one for each step."""

    stride: Any
    size: Any  # how many vertices near[s] lists
    near: Any
    seen: Any  # who is in near[s] already, by the time of the first clock
    live: Any  # who can be reached from a start, by the same time
    clock: Any  # times of (walks, questions)
    stamp: Any  # the last question that used an edge, by the second clock


@making_kernel
def make_marks(stride, longest, n_edges):
    return Marks(
        stride,
        np.zeros(longest + 1, np.int64),
        np.empty((longest + 1) * stride, np.int64),
        np.zeros((longest + 1) * stride, np.int64),
        np.zeros((longest + 1) * stride, np.int64),
        np.zeros(2, np.int64),
        np.zeros(n_edges, np.int64),
    )


@inner_kernel
def _go_back(question, first, operators, marks):
    """List in near[s] who may stand at step s of a walk that ends in near[length]."""
    now = marks.clock[0]
    o = question.operator
    for s in range(question.length - 1, -1, -1):
        marks.size[s] = 0
        here = s * marks.stride
        for k in range(marks.size[s + 1]):
            v = first + marks.near[here + marks.stride + k]
            for e in range(operators.indptr[o, v], operators.indptr[o, v + 1]):
                u = np.int64(operators.indices[e])
                if marks.seen[here + u] != now:
                    marks.seen[here + u] = now
                    marks.near[here + marks.size[s]] = u
                    marks.size[s] += 1


@inner_kernel
def _use_entry(e, edges, marks, used, n_used):
    """Add the edges that make an entry to `used`, once each."""
    for p in range(edges.entry_ptr[e], edges.entry_ptr[e + 1]):
        edge = edges.entry_edges[p]
        if marks.stamp[edge] != marks.clock[1]:
            marks.stamp[edge] = marks.clock[1]
            used[n_used] = edge
            n_used += 1
    return n_used


@inner_kernel
def _use_walks(question, start, want, first, codes, operators, edges, marks, used, n_used):
    """Add to `used`, once each, the edges on some walk that ends in near[length].

    The walks start at the vertex `start`, or with -1 wherever the code is `want` (0: anywhere).
    Going back from the ends, near[s] lists who may stand at step s; going forward again, live[s]
    marks those of them that a start can reach:

        step      0      1      2
        near     abc    bcd     d       d is the end
        live     a      bc      d       a is the start: the edges ab, ac, bd, cd are used
    """
    marks.clock[0] += 1
    now = marks.clock[0]
    o = question.operator
    _go_back(question, first, operators, marks)
    for k in range(marks.size[0]):
        v = marks.near[k]
        if v == start or (start < 0 and (want == 0 or codes[question.shift + v] == want)):
            marks.live[v] = now
    for s in range(question.length):
        here = s * marks.stride
        for k in range(marks.size[s + 1]):
            v = marks.near[here + marks.stride + k]
            for e in range(operators.indptr[o, first + v], operators.indptr[o, first + v + 1]):
                if marks.live[here + np.int64(operators.indices[e])] == now:
                    marks.live[here + marks.stride + v] = now
                    n_used = _use_entry(e, edges, marks, used, n_used)
    return n_used


@inner_kernel
def use_edges(graphs, g, vertex, question, codes, operators, edges, marks, used, n_used):
    """List the edges one question uses; for a vertex example those of the walks that end there.

    They are written to used[n_used:]; returns where they stop.
    """
    length, kind = question.length, question.walk_type
    if length == 0 or edges.entry_edges.shape[0] == 0:
        return n_used
    marks.clock[1] += 1
    first = graphs.vertex_ptr[g]
    low = vertex if vertex >= 0 else 0
    high = vertex + 1 if vertex >= 0 else graphs.vertex_ptr[g + 1] - first
    marks.size[length] = 0
    for v in range(low, high):
        if question.want != 0 and kind != SOURCE and codes[question.shift + v] != question.want:
            continue
        marks.near[length * marks.stride + marks.size[length]] = v
        marks.size[length] += 1
        if kind == CYCLE:
            n_used = _use_walks(question, v, 0, first, codes, operators, edges, marks, used, n_used)
            marks.size[length] = 0
    if kind == CYCLE:
        return n_used
    want = 0 if kind == TARGET else question.want
    return _use_walks(question, -1, want, first, codes, operators, edges, marks, used, n_used)
