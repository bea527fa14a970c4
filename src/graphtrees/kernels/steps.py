"""What a split-node does to one graph: walk, aggregate, make subsets.

Training, prediction and explanation all ask through these, so a tree predicts what it was
trained on.
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
    TARGET_SOURCE,
)
from graphtrees.kernels._jit import inlined_kernel, inner_kernel, making_kernel
from graphtrees.kernels._sums import two_sum
from graphtrees.kernels.records import (
    AGGREGATOR,
    FEATURE,
    LENGTH,
    OPERATOR,
    POINTER_DEPTH,
    SIGN,
    WALK_TYPE,
    Question,
    Spare,
)


@inlined_kernel
def question_of(nodes, node, stride):
    """What a node asks; subsets of the ancestor at depth k start at k * stride."""
    table = nodes.table
    return Question(
        np.int64(table[node, FEATURE]),
        np.int64(table[node, OPERATOR]),
        np.int64(table[node, LENGTH]),
        np.int64(table[node, WALK_TYPE]),
        np.int64(table[node, AGGREGATOR]),
        np.int64(table[node, POINTER_DEPTH]) * stride,
        np.int64(table[node, SIGN]),
    )


@making_kernel
def make_spare(chosen, graphs, operators):
    """Room for walks in any of the chosen graphs."""
    most = 1
    most_middle = 1
    for i in range(chosen.shape[0]):
        g = chosen[i]
        most = max(most, graphs.vertex_ptr[g + 1] - graphs.vertex_ptr[g])
        if operators.endpoint_ptr.shape[0] > 1:
            most_middle = max(
                most_middle, operators.endpoint_ptr[g + 1] - operators.endpoint_ptr[g]
            )
    return Spare(
        np.empty(most, np.float32),
        np.empty(most_middle, np.float64),
        np.empty(most_middle, np.float64),
    )


@inlined_kernel
def lane_of(graphs, g, feature):
    """The lane that holds a feature in one graph (lanes are sorted), or -1: it is 0 everywhere."""
    start = graphs.lane_ptr[g]
    stop = graphs.lane_ptr[g + 1]
    low = start
    high = stop
    while low < high:
        middle = (low + high) // 2
        if graphs.lane_features[middle] < feature:
            low = middle + 1
        else:
            high = middle
    return low - start if low < stop and graphs.lane_features[low] == feature else -1


@inner_kernel
def read_feature(graphs, g, feature, f):
    """f = one feature at the vertices of one graph, as it was given."""
    n = graphs.vertex_ptr[g + 1] - graphs.vertex_ptr[g]
    base = graphs.x_ptr[g]
    by_vertex = 1 if graphs.lane_major else (graphs.x_ptr[g + 1] - base) // max(1, n)
    by_lane = n if graphs.lane_major else 1
    lane = lane_of(graphs, g, feature)
    for v in range(n):
        f[v] = graphs.x[base + v * by_vertex + lane * by_lane] if lane >= 0 else np.float32(0.0)


@inner_kernel
def _pass(graphs, operators, g, o, z, spare):
    """z = A z, by way of the endpoints of one graph."""
    first = graphs.vertex_ptr[g]
    m_first = operators.endpoint_ptr[g]
    sums = spare.sums
    errors = spare.errors
    for m in range(operators.endpoint_ptr[g + 1] - m_first):
        hi = 0.0
        lo = 0.0
        for e in range(
            operators.into_indptr[o, m_first + m], operators.into_indptr[o, m_first + m + 1]
        ):
            hi, lo = two_sum(hi, lo, np.float64(z[np.int64(operators.into_sources[e])]))
        sums[m] = hi
        errors[m] = lo
    for v in range(graphs.vertex_ptr[g + 1] - first):
        hi = 0.0
        lo = 0.0
        start = operators.indptr[o, first + v]
        stop = operators.indptr[o, first + v + 1]
        for e in range(start, stop):
            m = np.int64(operators.indices[e])
            hi, lo = two_sum(hi, lo, sums[m])
            lo += errors[m]
        if operators.skips_itself:
            hi, lo = two_sum(hi, lo, -np.float64(stop - start) * z[v])
        over = operators.divisor[o, first + v] if operators.divisor.shape[1] > 0 else 1.0
        z[v] = np.float32((hi + lo) / over)


@inner_kernel
def _step(graphs, operators, g, o, z, before):
    """z = A z in one graph."""
    first = graphs.vertex_ptr[g]
    n = graphs.vertex_ptr[g + 1] - first
    for v in range(n):
        before[v] = z[v]
    for v in range(n):
        hi = 0.0
        lo = 0.0
        for e in range(operators.indptr[o, first + v], operators.indptr[o, first + v + 1]):
            term = np.float64(operators.weights[e]) * before[np.int64(operators.indices[e])]
            hi, lo = two_sum(hi, lo, term)
        over = operators.divisor[o, first + v] if operators.divisor.shape[1] > 0 else 1.0
        z[v] = np.float32((hi + lo) / over)


@inner_kernel
def _start(graphs, operators, g, question, codes, z):
    """What a walk starts from, masked by the subset; returns whether there are steps to take."""
    first = graphs.vertex_ptr[g]
    n = graphs.vertex_ptr[g + 1] - first
    length, kind, want, shift = question.length, question.walk_type, question.want, question.shift
    base = graphs.x_ptr[g]
    by_vertex = 1 if graphs.lane_major else (graphs.x_ptr[g + 1] - base) // max(1, n)
    by_lane = n if graphs.lane_major else 1
    lane = lane_of(graphs, g, question.feature)
    is_closed = length > 0 and kind == CYCLE
    is_masked = length == 0 or kind != TARGET
    for v in range(n):
        value = np.float32(0.0)
        if lane >= 0:
            value = graphs.x[base + v * by_vertex + lane * by_lane]
        if is_masked and want != 0 and codes[shift + v] != want:
            value = np.float32(0.0)
        if length > 0 and value != value:  # a missing value adds nothing to a sum
            value = np.float32(0.0)
        if is_closed:
            row = min(length, operators.diagonal.shape[1]) - 1
            closed = operators.diagonal[question.operator, row, first + v]
            value = np.float32(np.float64(closed) * value)
        z[v] = value
    return lane >= 0 and length > 0 and kind != CYCLE


@inner_kernel
def walk(graphs, operators, g, question, codes, z, spare):
    """z = (A^length masked by the subset) f for one graph.

    The subset is every vertex v with codes[shift + v] == want; `want` 0 means all of them.
    """
    if not _start(graphs, operators, g, question, codes, z):
        return
    for _ in range(question.length):
        if operators.endpoint_ptr.shape[0] > 1:
            _pass(graphs, operators, g, question.operator, z, spare)
        else:
            _step(graphs, operators, g, question.operator, z, spare.before)
    kind, want = question.walk_type, question.want
    if want != 0 and (kind == TARGET or kind == TARGET_SOURCE):
        for v in range(graphs.vertex_ptr[g + 1] - graphs.vertex_ptr[g]):
            if codes[question.shift + v] != want:
                z[v] = np.float32(0.0)


@inner_kernel
def aggregate(n, z, question, codes):
    """The value of a graph example: NaN where nothing is left to aggregate."""
    hi = 0.0
    lo = 0.0
    lowest = np.inf
    highest = -np.inf
    count = 0
    n_inside = 0
    want = question.want
    for v in range(n):
        inside = want == 0 or codes[question.shift + v] == want
        if inside:
            n_inside += 1
        value = np.float64(z[v])
        if (inside or question.walk_type == SOURCE) and value == value:
            hi, lo = two_sum(hi, lo, value)
            lowest = min(lowest, value)
            highest = max(highest, value)
            count += 1
    if count == 0 or n_inside == 0:
        return np.float32(np.nan)
    if question.aggregator == SUM_OF:
        return np.float32(hi + lo)
    if question.aggregator == MEAN_OF:
        return np.float32((hi + lo) / count)
    return np.float32(lowest if question.aggregator == MIN_OF else highest)


@inlined_kernel
def goes_left(value, threshold, missing_left):
    """Which side a value goes to; NaN is missing."""
    return missing_left if value != value else value <= threshold


@inner_kernel
def mark(n, z, question, threshold, missing_left, codes, subsets, start):
    """Write the two subsets a split-node makes: IN_PLUS, IN_MINUS, OUTSIDE."""
    want, shift = question.want, question.shift
    if question.aggregator == SUM_OF:
        n_inside = 0
        for v in range(n):
            if want == 0 or codes[shift + v] == want:
                n_inside += 1
        threshold = threshold / max(1, n_inside)
    for v in range(n):
        if want != 0 and codes[shift + v] != want:
            subsets[start + v] = OUTSIDE
        elif z[v] != z[v]:
            subsets[start + v] = IN_MINUS if missing_left else IN_PLUS
        else:
            subsets[start + v] = IN_PLUS if np.float64(z[v]) > threshold else IN_MINUS


@inner_kernel
def part(values, vertex_of, threshold, missing_left, order, start, stop, aside):
    """Move the examples order[start:stop] that go left to the front; returns how far they reach."""
    middle = start
    n_aside = 0
    for k in range(start, stop):
        if goes_left(values[vertex_of[order[k]]], threshold, missing_left):
            order[middle] = order[k]
            middle += 1
        else:
            aside[n_aside] = order[k]
            n_aside += 1
    for k in range(n_aside):
        order[middle + k] = aside[k]
    return middle
