"""The kernels once more in plain NumPy: slow, obvious, and what compiled ones are tested against.

A twin has the name and the arguments of its kernel, and is written from the definition of what the
kernel computes. Here are those of `walks`, `lanes`, `diagonal` and `answer`.
"""

from __future__ import annotations

from math import fsum
from typing import NamedTuple

import numpy as np

from graphtrees._layout import (
    CYCLE,
    IN_MINUS,
    IN_PLUS,
    OUTSIDE,
    SOURCE,
    SUM_OF,
    TARGET,
    TARGET_SOURCE,
)
from graphtrees.kernels import records
from graphtrees.kernels.records import GraphArrays, NodeArrays, OperatorArrays


class Operator(NamedTuple):
    """A of one graph, dense, and what its rows are divided by after they are summed up."""

    matrix: np.ndarray
    over: np.ndarray

    def sum_into(self, v: int, f: np.ndarray) -> np.float32:
        """(A f)[v], exact until it is rounded; what is not a neighbour is not looked at."""
        near = np.flatnonzero(self.matrix[v])
        return np.float32(fsum(self.matrix[v, near] * f[near]) / self.over[v])

    def step(self, f: np.ndarray) -> np.ndarray:
        return np.array([self.sum_into(v, f) for v in range(len(f))], np.float32)


def vertices_of(g: int, vertex_ptr: np.ndarray) -> slice:
    return slice(int(vertex_ptr[g]), int(vertex_ptr[g + 1]))


def operator_of(
    g, vertex_ptr, indptr, indices, weights, divisor, endpoint_ptr=(), into_indptr=(),
    into_sources=(), skips_itself=False,
) -> Operator:  # fmt: skip
    """Where walks pass through a middle, the matrix of every pair of vertices they join."""
    rows = vertices_of(g, vertex_ptr)
    n = rows.stop - rows.start
    through = len(endpoint_ptr) > 1
    middle = vertices_of(g, endpoint_ptr) if through else rows
    matrix = np.zeros((n, middle.stop - middle.start))
    for v in range(n):
        entries = slice(indptr[rows.start + v], indptr[rows.start + v + 1])
        matrix[v, indices[entries]] = weights[entries]
    if through:
        into = np.zeros((middle.stop - middle.start, n))
        for m in range(len(into)):
            first = middle.start + m
            into[m, into_sources[into_indptr[first] : into_indptr[first + 1]]] = 1.0
        matrix = matrix @ into
        np.fill_diagonal(matrix, 0.0 if skips_itself else matrix.diagonal())
    return Operator(matrix, divisor[rows] if len(divisor) else np.ones(n))


def lanes_of(g, vertex_ptr, x_ptr, lanes, lane_major, x) -> np.ndarray:
    """A view of one graph's values, a row for each vertex and a column for each lane."""
    n = int(vertex_ptr[g + 1] - vertex_ptr[g])
    block = x[x_ptr[g] : x_ptr[g + 1]]
    if lane_major:
        return block.reshape(lanes, n).T
    return block.reshape(n, len(block) // n if n else lanes)[:, :lanes]


def feature_of(g, feature, vertex_ptr, x_ptr, lane_ptr, lane_features, lane_major, x) -> np.ndarray:
    """One feature at the vertices of one graph; without a lane it is 0."""
    features = lane_features[lane_ptr[g] : lane_ptr[g + 1]]
    values = lanes_of(g, vertex_ptr, x_ptr, len(features), lane_major, x)
    lane = np.flatnonzero(features == feature)
    return values[:, lane[0]] if len(lane) else np.zeros(len(values), np.float32)


def inside_of(codes: np.ndarray, want: int, n: int) -> np.ndarray:
    """Which of n vertices are in the subset used; 0 wants all of them."""
    return codes == want if want else np.ones(n, bool)


def walk(f, inside, length, walk_type, operator: Operator, closed) -> np.ndarray:
    """z = (A^length masked by the subset) f; `closed` is the diagonal of A^length."""
    if length == 0:
        return np.where(inside, f, np.float32(0.0))
    f = np.where(np.isnan(f), np.float32(0.0), f)
    if walk_type == CYCLE:
        return np.where(inside, np.float64(closed) * f, 0.0).astype(np.float32)
    if walk_type in (SOURCE, TARGET_SOURCE):
        f = np.where(inside, f, np.float32(0.0))
    for _ in range(length):
        f = operator.step(f)
    return np.where(inside, f, np.float32(0.0)) if walk_type in (TARGET, TARGET_SOURCE) else f


def aggregate(z, inside, walk_type, aggregator) -> np.float32:
    """The value of a graph; NaN where nothing is left to aggregate."""
    z = z if walk_type == SOURCE else z[inside]
    known = z[~np.isnan(z)]
    if not inside.any() or not len(known):
        return np.float32(np.nan)
    total = fsum(known)
    return np.float32((total, total / len(known), known.min(), known.max())[aggregator])


def subsets_of(z, inside, aggregator, threshold, missing_left) -> np.ndarray:
    """IN_PLUS, IN_MINUS or OUTSIDE for every vertex of a graph."""
    if aggregator == SUM_OF and inside.any():
        threshold = threshold / inside.sum()
    plus = np.where(np.isnan(z), not missing_left, z.astype(np.float64) > threshold)
    return np.where(inside, np.where(plus, IN_PLUS, IN_MINUS), OUTSIDE).astype(np.uint8)


# ---- walks, lanes, diagonal -----------------------------------------------------------------


def walk_step(
    vertices, graph_of, vertex_ptr, x_ptr, n_lanes, lane_major, indptr, indices, weights, divisor,
    values, out,
):  # fmt: skip
    for v in vertices:
        g = graph_of[v]
        operator = operator_of(g, vertex_ptr, indptr, indices, weights, divisor)
        place = v - vertex_ptr[g]
        before = lanes_of(g, vertex_ptr, x_ptr, n_lanes[g], lane_major, values)
        after = lanes_of(g, vertex_ptr, x_ptr, n_lanes[g], lane_major, out)
        after[place] = [operator.sum_into(place, lane) for lane in before.T]


def count_lanes(vertex_ptr, indptr, indices, n_features, counts):
    for g in range(len(vertex_ptr) - 1):
        counts[g] = len(_features_in(g, vertex_ptr, indptr, indices))


def list_lanes(vertex_ptr, indptr, indices, n_features, lane_ptr, lane_features):
    for g in range(len(vertex_ptr) - 1):
        entries = indices[indptr[vertex_ptr[g]] : indptr[vertex_ptr[g + 1]]]
        _, first = np.unique(entries, return_index=True)
        lane_features[lane_ptr[g] : lane_ptr[g + 1]] = entries[np.sort(first)]


def fill_lanes(
    vertex_ptr, indptr, indices, data, n_features, lane_ptr, lane_features, x_ptr, lane_major, x
):
    for g in range(len(vertex_ptr) - 1):
        features = lane_features[lane_ptr[g] : lane_ptr[g + 1]]
        values = lanes_of(g, vertex_ptr, x_ptr, len(features), lane_major, x)
        for v in range(len(values)):
            for e in range(indptr[vertex_ptr[g] + v], indptr[vertex_ptr[g] + v + 1]):
                values[v, features == indices[e]] += data[e]


def _features_in(g, vertex_ptr, indptr, indices) -> np.ndarray:
    return np.unique(indices[indptr[vertex_ptr[g]] : indptr[vertex_ptr[g + 1]]])


def count_filled(values, counts):
    counts[:] = (values != 0).sum(axis=1)


def list_filled(values, row_ptr, n_extra, columns, filled):
    full = np.hstack([values, np.ones((len(values), n_extra), np.float32)])
    columns[:-1] = np.nonzero(full)[1]
    filled[:-1] = full[full != 0]


def round_small(vertex_ptr, lane_ptr, x_ptr, lane_major, x, out):
    rounded, changed = x.copy(), False
    for g in range(len(vertex_ptr) - 1):
        values = lanes_of(g, vertex_ptr, x_ptr, lane_ptr[g + 1] - lane_ptr[g], lane_major, rounded)
        for lane in values.T:
            sizes = np.abs(lane[lane != 0][~np.isnan(lane[lane != 0])]).astype(np.float64)
            if len(sizes) and sizes.max() > 2.0**56 * sizes.min():
                step = np.ldexp(1.0, int(np.frexp(sizes.max())[1]) - 1 - 80)
                lane[:] = np.round(lane.astype(np.float64) / step) * step
                changed = True
    if changed:
        out[:] = rounded
    return changed


def closed_walks(
    graphs, vertex_ptr, indptr, indices, weights, divisor, t_indptr, t_indices, t_weights,
    length, room, out,
):  # fmt: skip
    for g in graphs:
        matrix, over = operator_of(g, vertex_ptr, indptr, indices, weights, divisor)
        power = np.linalg.matrix_power(matrix / over[:, None], length)
        out[vertices_of(g, vertex_ptr)] = power.diagonal()


# ---- answer ---------------------------------------------------------------------------------


def power_of(g, graphs: GraphArrays, operators: OperatorArrays, o) -> Operator:
    """One of several operators, of one graph."""
    return operator_of(
        g, graphs.vertex_ptr, operators.indptr[o], operators.indices, operators.weights,
        operators.divisor[o], operators.endpoint_ptr, operators.into_indptr[o],
        operators.into_sources, operators.skips_itself,
    )  # fmt: skip


def closed_of(g, length, graphs: GraphArrays, operators: OperatorArrays, o) -> np.ndarray:
    """The diagonal of A^length; the only one there is, where there is one."""
    row = min(max(length, 1), operators.diagonal.shape[1]) - 1
    return operators.diagonal[o, row, vertices_of(g, graphs.vertex_ptr)]


def ask(chosen, graphs, operators, feature, length, walk_type, codes, want, z):
    for g in chosen:
        rows = vertices_of(g, graphs.vertex_ptr)
        f = feature_of(g, feature, **graphs._asdict())
        inside = inside_of(codes[rows], want, len(f))
        closed = closed_of(g, length, graphs, operators, 0)
        z[rows] = walk(f, inside, length, walk_type, power_of(g, graphs, operators, 0), closed)


class Step(NamedTuple):
    """What a split-node saw and made on the way of one example."""

    node: int
    inside: np.ndarray
    z: np.ndarray
    phi: np.float32
    made: np.ndarray


def follow(graphs, operators, nodes: NodeArrays, g, vertex, root) -> tuple[list[Step], int]:
    """The way of one vertex of a graph (-1: the graph itself) down one tree, and its leaf."""
    steps: list[Step] = []
    number = root
    while nodes.table[number, records.LEFT] >= 0:
        row, threshold = nodes.table[number], nodes.threshold[number]
        o, length = row[records.OPERATOR], row[records.LENGTH]
        walk_type, aggregator = row[records.WALK_TYPE], row[records.AGGREGATOR]
        missing_left = bool(row[records.MISSING_LEFT])
        f = feature_of(g, row[records.FEATURE], **graphs._asdict())
        codes = steps[row[records.POINTER_DEPTH]].made if row[records.SIGN] else np.empty(0)
        inside = inside_of(codes, row[records.SIGN], len(f))
        operator, closed = power_of(g, graphs, operators, o), None
        if walk_type == CYCLE and length > 0:
            closed = closed_of(g, length, graphs, operators, o)
        z = walk(f, inside, length, walk_type, operator, closed)
        phi = aggregate(z, inside, walk_type, aggregator) if aggregator >= 0 else z[vertex]
        made = subsets_of(z, inside, aggregator, threshold, missing_left)
        steps.append(Step(number, inside, z, phi, made))
        goes_left = missing_left if np.isnan(phi) else phi <= threshold
        number = root + row[records.LEFT if goes_left else records.RIGHT]
    return steps, number


def route(work, examples, graphs, operators, nodes, out):
    for g in work.graphs:
        for e in range(examples.ptr[g], examples.ptr[g + 1]):
            for tree in range(work.first_tree, work.stop_tree):
                root = nodes.tree_ptr[tree]
                leaf = follow(graphs, operators, nodes, g, examples.vertex[e], root)[1]
                out[examples.place[e], tree] = leaf - root


def route_whole(work, examples, graphs, operators, nodes, is_left, out):
    for i, g in enumerate(work.graphs):
        if _is_whole(g, graphs, operators, nodes.longest):
            alone = work._replace(graphs=work.graphs[i : i + 1])
            route(alone, examples, graphs, operators, nodes, out)
        else:
            is_left[i] = True


def _is_whole(g, graphs, operators, longest) -> bool:
    """Whether all numbers of a graph, and all sums of them, are whole and exact in float32."""
    rows = vertices_of(g, graphs.vertex_ptr)
    n, x = rows.stop - rows.start, graphs.x[graphs.x_ptr[g] : graphs.x_ptr[g + 1]]
    if n == 0 or len(operators.endpoint_ptr) > 1 or operators.divisor.shape[1]:
        return False
    matrices = [power_of(g, graphs, operators, o).matrix for o in range(len(operators.indptr))]
    numbers = np.concatenate([x, *(matrix.ravel() for matrix in matrices)])
    if not np.array_equal(numbers, np.floor(numbers)):
        return False
    growth = max(1.0, *(np.abs(matrix).sum(axis=1).max() for matrix in matrices))
    return n * max(1.0, np.abs(x).max(initial=0.0)) * growth**longest < 2.0**24


def add_values(leaves, tree_ptr, values, outputs, scale, out):
    for t in range(leaves.shape[1]):
        said = scale * values[tree_ptr[t] + leaves[:, t]]
        if outputs[t] < 0:
            out += said
        else:
            out[:, outputs[t]] += said[:, 0]
