"""Graphs down trees in whole numbers, for graphs whose numbers are small and whole.

Then every sum is exact in int32, in any order, so no rounding errors are carried and the compiler
can add eight numbers at once. The answers are those of `steps`, to the bit. Whole-graph walks and
what trees ask about them come back from tree to tree, so they are computed once a graph.
"""

from __future__ import annotations

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
from graphtrees.kernels._jit import inlined_kernel, inner_kernel
from graphtrees.kernels.records import DEPTH, IS_USED, LEFT, MISSING_LEFT, RIGHT
from graphtrees.kernels.steps import goes_left, question_of
from graphtrees.kernels.whole_room import EXACT, NEAR, forget, row_of

LARGE = np.int32(2**30)
IN_PLUS_32, IN_MINUS_32, OUTSIDE_32 = np.int32(IN_PLUS), np.int32(IN_MINUS), np.int32(OUTSIDE)


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
    row = row_of(graph, o, question.length, lane)
    if room.is_kept[row] == graph.number + 1:
        return row
    before = 2 + lane
    for length in range(1, question.length + 1):
        row = row_of(graph, o, length, lane)
        if room.is_kept[row] != graph.number + 1:
            _step(operators, o, graph, room.degree[o], before, row)
            forget(room, row, graph.number)
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
def _mark(graph, row, question, which, threshold, n_inside, subset):
    """Write the subsets of a node to row `subset` of the codes; returns how many are in plus."""
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
        codes[subset, v] = code
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
                subset = np.int64(table[node, DEPTH]) + 1
                n_inside = room.n_inside[which, question.want if question.want != 0 else IN_PLUS]
                n_plus = _mark(graph, row, question, which, threshold, n_inside, subset)
                room.n_inside[subset, IN_PLUS] = n_plus
                room.n_inside[subset, IN_MINUS] = n_inside - n_plus
            left = goes_left(value, threshold, table[node, MISSING_LEFT] != 0)
            node = root + np.int64(table[node, LEFT] if left else table[node, RIGHT])
        for e in range(examples.ptr[graph.number], examples.ptr[graph.number + 1]):
            out[examples.place[e], tree] = node - root
