"""Twins of the kernels of `columns`, and of `make_graph` of `graph_values`; see `reference`.

Which entries a row has is settled, their order within the row is not.
"""

from __future__ import annotations

from math import fsum

import numpy as np

from graphtrees._layout import CYCLE, IN_MINUS, IN_PLUS
from graphtrees.kernels._rows import WIDTH
from graphtrees.kernels.reference import (
    aggregate,
    inside_of,
    lanes_of,
    operator_of,
    vertices_of,
    walk,
)


def _append(i, column, value, row_stop, columns, values) -> None:
    if value != 0.0:
        columns[row_stop[i]] = column
        values[row_stop[i]] = value
        row_stop[i] += 1


def make_graph(g, codes, n_signs, slots, source, careful, errors, scratch, block):
    layout, operators, patterns = source.layout, source.operators, source.patterns
    rows = vertices_of(g, layout.vertex_ptr)
    lanes = slice(layout.lane_ptr[g], layout.lane_ptr[g + 1])
    n_lanes, n = lanes.stop - lanes.start, rows.stop - rows.start
    first, n_rows = layout.first_row[g], -(-n_lanes // WIDTH) * n
    x = layout.x[first : first + n_rows].ravel()
    own = lanes_of(0, np.array([0, n]), np.array([0, len(x)]), n_lanes, False, x)
    for o, s in np.ndindex(len(slots), n_signs):
        operator = operator_of(
            g, layout.vertex_ptr, operators.indptr[o], operators.sources, operators.weights,
            operators.divisor[o],
        )  # fmt: skip
        inside = inside_of(codes[rows], s + 1 if n_signs > 1 else 0, len(own))
        for length, walk_type, aggregator in np.argwhere(slots[o] >= 0):
            cyclic = walk_type == CYCLE and length > 0
            closed = operators.diagonal[o, length - 1, rows] if cyclic else None
            place = slots[o, length, walk_type, aggregator]
            of, start = patterns.of_place, patterns.start[2 * place + s :]
            if n_signs == 1:
                of, start = patterns.of_whole, patterns.whole_start[place:]
            for position, f in zip(layout.position[of[place], lanes], own.T, strict=True):
                if position >= 0:
                    z = walk(f.astype(np.float32), inside, length, walk_type, operator, closed)
                    answer = aggregate(z, inside, walk_type, aggregator)
                    block[start[0] + position] = answer if inside.any() else np.inf


def walk_apart(
    vertices, graph_of, vertex_ptr, n_lanes, from_lane, to_lane, indptr, indices, weights, divisor,
    values, codes, first_step, plain, out,
):  # fmt: skip
    width = to_lane - from_lane
    for v in vertices:
        g = graph_of[v]
        rows = vertices_of(g, vertex_ptr)
        if first_step:
            own = values.reshape(-1, n_lanes)[rows, from_lane:to_lane]
            signed = [(codes[rows] == sign)[:, None] for sign in (IN_PLUS, IN_MINUS)]
            apart = np.hstack([np.where(inside, own, 0.0) for inside in signed])
        else:
            apart = values.reshape(-1, 2 * width)[rows]
        operator = operator_of(g, vertex_ptr, indptr, indices, weights, divisor)
        out.reshape(-1, 2 * width)[v] = [operator.sum_into(v - rows.start, f) for f in apart.T]


def dense_columns(
    from_row, to_row, vertices, n_lanes, from_lane, to_lane, x, x_walk, walked, diagonal, codes,
    slots, out,
):  # fmt: skip
    lanes = slice(from_lane, to_lane)
    own, carried = (values.reshape(-1, n_lanes)[:, lanes] for values in (x, x_walk))
    for length, walk_type in np.argwhere(slots[:, :, 0] >= 0):
        question = 2 * slots[length, walk_type, 0]
        for s in range(2):
            for i in range(from_row, to_row):
                v = vertices[i]
                if walk_type != CYCLE and length > 0:
                    row = walked[length - 1].reshape(-1, 2, to_lane - from_lane)[v, s]
                elif codes[v] != s + 1:
                    row = 0.0
                elif length > 0:
                    row = np.float64(diagonal[length - 1, v]) * carried[v]
                else:
                    row = own[v]
                out[question + s, :, i] = row


def vertex_entries(
    vertices, graph_of, vertex_ptr, lane_ptr, lane_features, x_ptr, x, x_walk, walked, diagonal,
    slots, n_features, row_stop, columns, values,
):  # fmt: skip
    for i, v in enumerate(vertices):
        g = graph_of[v]
        features = lane_features[lane_ptr[g] : lane_ptr[g + 1]]
        for length, walk_type in np.argwhere(slots[:, :, 0] >= 0):
            cyclic = walk_type == CYCLE and length > 0
            source = x if length == 0 else x_walk if cyclic else walked[length - 1]
            z = lanes_of(g, vertex_ptr, x_ptr, len(features), False, source)[v - vertex_ptr[g]]
            if cyclic:
                z = (np.float64(diagonal[length - 1, v]) * z).astype(np.float32)
            for feature, value in zip(features, z, strict=True):
                column = slots[length, walk_type, 0] * n_features + feature
                _append(i, column, value, row_stop, columns, values)


def _sources(v, graph_of, vertex_ptr, indptr, indices) -> np.ndarray:
    """The vertices one step before v, numbered among all."""
    return vertex_ptr[graph_of[v]] + indices[indptr[v] : indptr[v + 1]]


def reach(ends, graph_of, vertex_ptr, indptr, indices, mark, stamp, out):
    before = [_sources(v, graph_of, vertex_ptr, indptr, indices) for v in ends]
    found = list(dict.fromkeys(np.concatenate([ends, *before]).tolist()))
    out[: len(found)] = found
    mark[found] = stamp
    return len(found)


def sparse_room(ends, graph_of, vertex_ptr, indptr, indices, row_start, row_stop, most, out):
    for i, v in enumerate(ends):
        before = _sources(v, graph_of, vertex_ptr, indptr, indices)
        out[i] = min((row_stop - row_start)[before].sum(), most)


def walk_apart_sparse(
    ends, graph_of, vertex_ptr, lane_ptr, indptr, indices, weights, divisor,
    row_start, row_stop, row_lane, row_value, codes, n_signs, first_step, room_at,
    out_start, out_stop, out_lane, out_value,
):  # fmt: skip
    for i, v in enumerate(ends):
        lanes = lane_ptr[graph_of[v] + 1] - lane_ptr[graph_of[v]]
        terms: dict[int, list[float]] = {}
        sources = _sources(v, graph_of, vertex_ptr, indptr, indices)
        for u, weight in zip(sources, weights[indptr[v] : indptr[v + 1]], strict=True):
            sign = int(codes[u]) if first_step and n_signs > 1 else 1
            for k in range(row_start[u], row_stop[u]):
                if sign and not np.isnan(row_value[k]):
                    lane = int(row_lane[k] + (sign - 1) * lanes)
                    terms.setdefault(lane, []).append(np.float64(weight) * row_value[k])
        out_start[v] = out_stop[v] = room_at[i]
        for lane, numbers in terms.items():
            value = np.float32(fsum(numbers) / (divisor[v] if len(divisor) else 1.0))
            _append(v, lane, value, out_stop, out_lane, out_value)


def sparse_values(
    vertices, graph_of, lane_ptr, lane_features, row_start, row_stop, row_lane, row_value,
    place, codes, n_signs, n_features, row_end, columns, values,
):  # fmt: skip
    for i, v in enumerate(vertices):
        features = lane_features[lane_ptr[graph_of[v]] : lane_ptr[graph_of[v] + 1]]
        for k in range(row_start[v], row_stop[v]):
            s, lane = divmod(row_lane[k], len(features))
            column = (place * n_signs + s) * n_features + features[lane]
            _append(i, column, row_value[k], row_end, columns, values)


def sparse_own(
    vertices, graph_of, lane_ptr, lane_features, row_start, row_stop, row_lane, row_value,
    place, factor, codes, n_signs, n_features, row_end, columns, values,
):  # fmt: skip
    for i, v in enumerate(vertices):
        sign = int(codes[v]) if n_signs > 1 else 1
        features = lane_features[lane_ptr[graph_of[v]] : lane_ptr[graph_of[v] + 1]]
        for k in range(row_start[v], row_stop[v] if sign else row_start[v]):
            column = (place * n_signs + sign - 1) * n_features + features[row_lane[k]]
            value = row_value[k]
            if len(factor):  # a missing value takes no walk
                value = np.float32(np.float64(factor[v]) * np.nan_to_num(value))
            _append(i, column, value, row_end, columns, values)
