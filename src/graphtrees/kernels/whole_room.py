"""Memory for one graph of small whole numbers at a time, and how a graph gets into it.

    values   row 0, 1                  walks from a subset, made anew for each question
             row 2 + lane              x of one lane; the last lane is 0, for features without one
             row row_of(o, d, lane)    A_o^d x
    codes    row 0                     1 for all vertices
             row 1 + k                 the subsets made by the ancestor at depth k

Rows are filled up with zeros to a multiple of eight, by at least one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphtrees._layout import IN_PLUS, OUTSIDE
from graphtrees.kernels._jit import inlined_kernel, inner_kernel, making_kernel
from graphtrees.kernels.records import FEATURE

EXACT = 2.0**24  # whole numbers below it have a float32 of their own
KEPT_VALUES = 2**18  # at most so many numbers are kept for one graph
NEAR = 8  # graphs with at most so many neighbours a vertex are walked without inner loops


class Room(NamedTuple):
    """Memory for one graph at a time."""

    values: Any  # int32, flat
    is_kept: Any  # 1 + the number of the graph that a row of values was computed for
    answers: Any  # float32 (rows, 4): what each aggregator makes of a row, NaN: not asked yet
    lane_at: Any  # 1 + the lane of each feature, 0 where it has none
    codes: Any  # int32, flat
    n_inside: Any  # (rows of codes, 3): how many vertices have each code
    near: Any  # int32, flat: neighbours of vertices, -1 once there are no more
    near_weight: Any
    degree: Any  # the largest number of neighbours, by operator


class Graph(NamedTuple):
    """One graph of whole numbers, in its room."""

    values: Any
    codes: Any
    near: Any
    near_weight: Any
    number: Any
    first: Any
    n: Any
    n_lanes: Any
    longest: Any


@making_kernel
def make_room(chosen, graphs, operators, nodes):
    n_operators = operators.indptr.shape[0]
    width = 8
    n_rows = 1
    n_features = 0
    for i in range(chosen.shape[0]):
        g = chosen[i]
        rows = _count_rows(graphs, g, n_operators, nodes.longest)
        n = graphs.vertex_ptr[g + 1] - graphs.vertex_ptr[g]
        if rows * _width(n) <= KEPT_VALUES:
            width = max(width, _width(n))
            n_rows = max(n_rows, rows)
    for node in range(nodes.table.shape[0]):
        n_features = max(n_features, np.int64(nodes.table[node, FEATURE]) + 1)
    return Room(
        np.empty(KEPT_VALUES, np.int32),
        np.zeros(n_rows, np.int64),
        np.empty((n_rows, 4), np.float32),
        np.zeros(n_features, np.int64),
        np.empty((nodes.deepest + 2) * width, np.int32),
        np.zeros((nodes.deepest + 2, 3), np.int64),
        np.empty(n_operators * NEAR * width, np.int32),
        np.empty(n_operators * NEAR * width, np.int32),
        np.empty(n_operators, np.int64),
    )


@inlined_kernel
def _width(n):
    return (n // 8 + 1) * 8


@inlined_kernel
def _count_rows(graphs, g, n_operators, longest):
    return 2 + (graphs.lane_ptr[g + 1] - graphs.lane_ptr[g] + 1) * (1 + n_operators * longest)


@inlined_kernel
def row_of(graph, operator, length, lane):
    """Where A^length x of a lane is kept."""
    walk = 1 + operator * graph.longest + length - 1 if length > 0 else 0
    return 2 + walk * (graph.n_lanes + 1) + lane


@inner_kernel
def is_whole(graphs, operators, g, longest):
    """Whether all that any question can ask of a graph is a whole number that float32 holds."""
    first = graphs.vertex_ptr[g]
    n = graphs.vertex_ptr[g + 1] - first
    n_operators = operators.indptr.shape[0]
    if n == 0 or operators.endpoint_ptr.shape[0] > 1 or operators.divisor.shape[1] > 0:
        return False
    if _count_rows(graphs, g, n_operators, longest) * _width(n) > KEPT_VALUES:
        return False
    largest = 1.0
    for k in range(graphs.x_ptr[g], graphs.x_ptr[g + 1]):
        value = graphs.x[k]
        if not (abs(value) < EXACT and value == np.floor(value)):
            return False
        largest = max(largest, abs(np.float64(value)))
    for o in range(n_operators):
        growth = 1.0
        for v in range(first, first + n):
            total = 0.0
            for e in range(operators.indptr[o, v], operators.indptr[o, v + 1]):
                weight = np.float64(operators.weights[e])
                if not (abs(weight) < EXACT and weight == np.floor(weight)):
                    return False
                total += abs(weight)
            growth = max(growth, total)
        if not n * largest * growth**longest < EXACT:
            return False
    return True


@making_kernel
def enter(graphs, operators, g, room, longest):
    """Copy one graph into the room."""
    first = graphs.vertex_ptr[g]
    n = graphs.vertex_ptr[g + 1] - first
    width = _width(n)
    n_lanes = graphs.lane_ptr[g + 1] - graphs.lane_ptr[g]
    n_rows = _count_rows(graphs, g, operators.indptr.shape[0], longest)
    n_near = operators.indptr.shape[0] * NEAR
    graph = Graph(
        room.values[: n_rows * width].reshape((n_rows, width)),
        room.codes[: room.n_inside.shape[0] * width].reshape((room.n_inside.shape[0], width)),
        room.near[: n_near * width].reshape((n_near, width)),
        room.near_weight[: n_near * width].reshape((n_near, width)),
        g,
        first,
        n,
        n_lanes,
        longest,
    )
    _copy_values(graphs, graph, room)
    for o in range(operators.indptr.shape[0]):
        _copy_neighbours(operators, o, graph, room)
    for v in range(width):
        graph.codes[0, v] = np.int32(IN_PLUS) if v < n else np.int32(OUTSIDE)
    room.n_inside[0, IN_PLUS] = n
    return graph


@inner_kernel
def _copy_values(graphs, graph, room):
    g = graph.number
    n = graph.n
    base = graphs.x_ptr[g]
    by_vertex = 1 if graphs.lane_major else (graphs.x_ptr[g + 1] - base) // n
    by_lane = n if graphs.lane_major else 1
    for lane in range(graph.n_lanes + 1):
        for v in range(graph.values.shape[1]):
            graph.values[2 + lane, v] = 0
        forget(room, 2 + lane, g)
    for lane in range(graph.n_lanes):
        feature = np.int64(graphs.lane_features[graphs.lane_ptr[g] + lane])
        if feature < room.lane_at.shape[0]:
            room.lane_at[feature] = lane + 1
        for v in range(n):
            graph.values[2 + lane, v] = np.int32(graphs.x[base + v * by_vertex + lane * by_lane])


@inner_kernel
def leave(graphs, graph, room):
    """Make the room ready for another graph."""
    for k in range(graphs.lane_ptr[graph.number], graphs.lane_ptr[graph.number + 1]):
        feature = np.int64(graphs.lane_features[k])
        if feature < room.lane_at.shape[0]:
            room.lane_at[feature] = 0


@inlined_kernel
def forget(room, row, g):
    """A row now holds values of graph g, about which nothing has been asked."""
    room.is_kept[row] = g + 1
    for k in range(4):
        room.answers[row, k] = np.nan


@inner_kernel
def _copy_neighbours(operators, o, graph, room):
    """Neighbours in rows of their own, filled up with one that is 0; none if there are too many."""
    most = 0
    for v in range(graph.first, graph.first + graph.n):
        most = max(most, operators.indptr[o, v + 1] - operators.indptr[o, v])
    room.degree[o] = most
    if most > NEAR:
        return
    for k in range(most):
        for v in range(graph.n):
            e = operators.indptr[o, graph.first + v] + k
            here = e < operators.indptr[o, graph.first + v + 1]
            graph.near[o * NEAR + k, v] = np.int32(operators.indices[e]) if here else graph.n
            graph.near_weight[o * NEAR + k, v] = np.int32(operators.weights[e]) if here else 1
