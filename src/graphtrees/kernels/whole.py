"""Graphs down trees in whole numbers, for graphs whose numbers are small and whole.

Then every sum is exact in int32, in any order, so no rounding errors are carried and the compiler
can add eight numbers at once. The answers are those of `steps`, to the bit. Whole-graph walks and
what trees ask about them come back from tree to tree, so they are computed once a graph.

    values   row 0, 1                  walks from a subset, made anew for each question
             row 2 + lane              x of one lane; the last lane is 0, for features without one
             row _row(o, d, lane)      A_o^d x
    codes    row 0                     1 for all vertices
             row 1 + k                 the subsets made by the ancestor at depth k

Rows are filled up with zeros to a multiple of eight, by at least one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphtrees._layout import (
    CYCLE,
    IN_MINUS,
    IN_PLUS,
    MEAN_OF,
    MIN_OF,
    OUTSIDE,
    SOURCE,
    SUM_OF,
    TARGET,
)
from graphtrees.kernels._jit import inlined_kernel, inner_kernel, making_kernel
from graphtrees.kernels.records import DEPTH, FEATURE, IS_USED, LEFT, MISSING_LEFT, RIGHT
from graphtrees.kernels.steps import goes_left, question_of

EXACT = 2.0**24  # whole numbers below it have a float32 of their own
KEPT_VALUES = 2**18  # at most so many numbers are kept for one graph
NEAR = 8  # graphs with at most so many neighbours a vertex are walked without inner loops
LARGE = np.int32(2**30)
IN_PLUS_32, IN_MINUS_32, OUTSIDE_32 = np.int32(IN_PLUS), np.int32(IN_MINUS), np.int32(OUTSIDE)


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
def _row(graph, operator, length, lane):
    """Where A^length x of a lane is kept."""
    walk = 1 + operator * graph.longest + length - 1 if length > 0 else 0
    return 2 + walk * (graph.n_lanes + 1) + lane


@inner_kernel
def is_whole(graphs, operators, g, longest):
    """Whether all that any question can ask of a graph is a whole number that float32 holds."""
    first = graphs.vertex_ptr[g]
    n = graphs.vertex_ptr[g + 1] - first
    n_operators = operators.indptr.shape[0]
    if n == 0 or operators.middle_ptr.shape[0] > 1 or operators.divisor.shape[1] > 0:
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
        graph.codes[0, v] = IN_PLUS_32 if v < n else OUTSIDE_32
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
        _forget(room, 2 + lane, g)
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
def _forget(room, row, g):
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


@inlined_kernel
def _step(operators, o, graph, degree, source, target):
    """Row `target` = A times row `source`."""
    values = graph.values
    if degree <= NEAR:
        for v in range(graph.n):
            total = 0
            for k in range(o * NEAR, o * NEAR + degree):
                total += graph.near_weight[k, v] * values[source, graph.near[k, v]]
            values[target, v] = total
    else:
        for v in range(graph.n):
            total = 0
            at = graph.first + v
            for e in range(operators.indptr[o, at], operators.indptr[o, at + 1]):
                neighbour = values[source, np.int64(operators.indices[e])]
                total += np.int64(operators.weights[e]) * neighbour
            values[target, v] = total
    for v in range(graph.n, values.shape[1]):
        values[target, v] = 0


@inlined_kernel
def _walk_everyone(operators, question, graph, room, lane):
    """The row of a whole-graph walk."""
    o = question.operator
    row = _row(graph, o, question.length, lane)
    if room.is_kept[row] == graph.number + 1:
        return row
    before = 2 + lane
    for length in range(1, question.length + 1):
        row = _row(graph, o, length, lane)
        if room.is_kept[row] != graph.number + 1:
            _step(operators, o, graph, room.degree[o], before, row)
            _forget(room, row, graph.number)
        before = row
    return row


@inlined_kernel
def _walk_subset(operators, question, graph, room, lane, which):
    """The row of a walk that starts in a subset: row `which` of the codes."""
    values = graph.values
    codes = graph.codes
    want = np.int32(question.want)
    for v in range(values.shape[1]):
        values[0, v] = values[2 + lane, v] if codes[which, v] == want else 0
    degree = room.degree[question.operator]
    source = 0
    for _ in range(question.length):
        _step(operators, question.operator, graph, degree, source, 1 - source)
        source = 1 - source
    return source


@inlined_kernel
def _close(operators, question, graph, lane):
    """The row of closed walks."""
    o = question.operator
    for v in range(graph.n):
        closed = np.int32(operators.diagonal[o, question.length - 1, graph.first + v])
        graph.values[0, v] = closed * graph.values[2 + lane, v]
    return 0


@inlined_kernel
def _sum(values, row, codes, which, want):
    total = np.int32(0)
    for v in range(values.shape[1]):
        total = np.int32(total + (values[row, v] if codes[which, v] == want else np.int32(0)))
    return total


@inlined_kernel
def _lowest(values, row, codes, which, want):
    lowest = LARGE
    for v in range(values.shape[1]):
        value = values[row, v] if codes[which, v] == want else LARGE
        lowest = value if value < lowest else lowest
    return lowest


@inlined_kernel
def _highest(values, row, codes, which, want):
    highest = -LARGE
    for v in range(values.shape[1]):
        value = values[row, v] if codes[which, v] == want else -LARGE
        highest = value if value > highest else highest
    return highest


@inlined_kernel
def _aggregate(graph, row, aggregator, which, want, count, others):
    """The aggregator over a subset that is not empty, and over zeros at some others."""
    want = np.int32(want)
    if aggregator == SUM_OF:
        return np.float32(_sum(graph.values, row, graph.codes, which, want))
    if aggregator == MEAN_OF:
        total = np.float64(_sum(graph.values, row, graph.codes, which, want))
        return np.float32(total / (count + others))
    if aggregator == MIN_OF:
        lowest = _lowest(graph.values, row, graph.codes, which, want)
        return np.float32(min(lowest, np.int32(0)) if others > 0 else lowest)
    highest = _highest(graph.values, row, graph.codes, which, want)
    return np.float32(max(highest, np.int32(0)) if others > 0 else highest)


@inlined_kernel
def _mark(graph, row, question, which, threshold, n_inside, made):
    """Write the subsets of a node to row `made` of the codes; returns how many are in plus."""
    if question.aggregator == SUM_OF:
        threshold = threshold / max(1, n_inside)
    # A whole number is above the threshold if it is above the whole number below it.
    cut = np.int32(min(max(np.floor(threshold), -2.0 * EXACT), 2.0 * EXACT))
    want = np.int32(question.want if question.want != 0 else IN_PLUS)
    values = graph.values
    codes = graph.codes
    n_plus = np.int32(0)
    for v in range(values.shape[1]):
        code = IN_PLUS_32 if values[row, v] > cut else IN_MINUS_32
        code = code if codes[which, v] == want else OUTSIDE_32
        codes[made, v] = code
        n_plus = np.int32(n_plus + (np.int32(1) if code == IN_PLUS_32 else np.int32(0)))
    return n_plus


@inlined_kernel
def _value_of(graph, row, question, which, room):
    """φ of a question whose z is in a row."""
    n_inside = room.n_inside[which, question.want]
    if question.want == 0:
        if question.walk_type == CYCLE and question.length > 0:
            return _aggregate(graph, row, question.aggregator, 0, IN_PLUS, graph.n, 0)
        value = room.answers[row, question.aggregator]
        if value != value:
            value = _aggregate(graph, row, question.aggregator, 0, IN_PLUS, graph.n, 0)
            room.answers[row, question.aggregator] = value
        return value
    if n_inside == 0:
        return np.float32(np.nan)
    if question.walk_type != SOURCE:
        return _aggregate(graph, row, question.aggregator, which, question.want, n_inside, 0)
    if question.length > 0:
        return _aggregate(graph, row, question.aggregator, 0, IN_PLUS, graph.n, 0)
    others = graph.n - n_inside
    return _aggregate(graph, row, question.aggregator, which, question.want, n_inside, others)


@inlined_kernel
def _answer(operators, question, graph, room, which):
    """The row that holds z of a question; row `which` of the codes has the subset it uses."""
    lane = room.lane_at[question.feature] - 1
    lane = graph.n_lanes if lane < 0 else lane
    if question.length == 0:
        return 2 + lane
    if question.walk_type == CYCLE:
        return _close(operators, question, graph, lane)
    if question.want == 0 or question.walk_type == TARGET:
        return _walk_everyone(operators, question, graph, room, lane)
    return _walk_subset(operators, question, graph, room, lane, which)


@inner_kernel
def lead_whole(graph, first_tree, stop_tree, examples, operators, nodes, room, out):
    """Lead the graph that is in the room down some trees: out[place, tree] = leaf."""
    table = nodes.table
    for tree in range(first_tree, stop_tree):
        root = nodes.tree_ptr[tree]
        node = root
        while table[node, LEFT] >= 0:
            question = question_of(nodes, node, 1)
            threshold = nodes.threshold[node]
            which = question.shift + 1 if question.want != 0 else 0
            row = _answer(operators, question, graph, room, which)
            value = _value_of(graph, row, question, which, room)
            if table[node, IS_USED]:
                made = np.int64(table[node, DEPTH]) + 1
                n_inside = room.n_inside[which, question.want if question.want != 0 else IN_PLUS]
                n_plus = _mark(graph, row, question, which, threshold, n_inside, made)
                room.n_inside[made, IN_PLUS] = n_plus
                room.n_inside[made, IN_MINUS] = n_inside - n_plus
            left = goes_left(value, threshold, table[node, MISSING_LEFT] != 0)
            node = root + np.int64(table[node, LEFT] if left else table[node, RIGHT])
        for e in range(examples.ptr[graph.number], examples.ptr[graph.number + 1]):
            out[examples.place[e], tree] = node - root
