"""Every column that a split may be chosen among, for vertex examples.

A column is a question without its threshold. Most of its values are 0, so an example is a list of
entries (column, value) for those that are not; NaN stands for a missing value.

    column = (place × n_signs + sign) × n_features + feature

`place` is the question's place in the plan. The two subsets that a split-node made are evaluated
together: a neighbour's values go to the accumulator of the subset that holds it.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import kernel
from graphtrees.kernels._rows import (
    WIDTH,
    add,
    fetch,
    fill,
    minus,
    narrow,
    over,
    read_at,
    times,
    widen,
    write_at,
)

SOURCE, CYCLE = 0, 1
AHEAD = 8  # vertices: as long as it takes to fetch from memory


@kernel
def _walk_eight(
    v, first, n_lanes, from_lane, indptr, indices, weights, divisor, values, codes, first_step,
    plain, out,
):  # fmt: skip
    """`walk_apart` into one vertex, for eight lanes at once."""
    none = fill(0.0)
    hi_1, lo_1, hi_2, lo_2 = none, none, none, none
    for e in range(indptr[v], indptr[v + 1]):
        u = first + indices[e]
        w = fill(np.float64(weights[e]))
        if first_step:
            own = times(w, widen(read_at(values, u * n_lanes + from_lane)))
            a = own if codes[u] == 1 else none
            b = own if codes[u] == 2 else none
        else:
            a = times(w, widen(read_at(values, 2 * u * WIDTH)))
            b = times(w, widen(read_at(values, (2 * u + 1) * WIDTH)))
        total_1 = add(hi_1, a)
        total_2 = add(hi_2, b)
        if not plain:
            back_1 = minus(total_1, hi_1)
            back_2 = minus(total_2, hi_2)
            lo_1 = add(lo_1, add(minus(hi_1, minus(total_1, back_1)), minus(a, back_1)))
            lo_2 = add(lo_2, add(minus(hi_2, minus(total_2, back_2)), minus(b, back_2)))
        hi_1 = total_1
        hi_2 = total_2
    by = fill(divisor[v] if divisor.shape[0] > 0 else 1.0)
    write_at(out, 2 * v * WIDTH, narrow(over(add(hi_1, lo_1), by)))
    write_at(out, (2 * v + 1) * WIDTH, narrow(over(add(hi_2, lo_2), by)))


@kernel
def walk_apart(
    vertices, graph_of, vertex_ptr, n_lanes, from_lane, to_lane, indptr, indices, weights, divisor,
    values, codes, first_step, plain, out,
):  # fmt: skip
    """One step of all walks into `vertices`, the two subsets side by side in `out`.

    Every graph has all `n_lanes`; those from from_lane to to_lane are walked. On the first step
    `values` holds the vertices' own rows and `codes` tells neighbours apart; later, like `out`,
    it has rows of two stretches of walked lanes. `plain`: float64 adds these numbers exactly.
    """
    width = to_lane - from_lane
    hi = np.empty(2 * width, np.float64)
    lo = np.empty(2 * width, np.float64)
    for i in range(vertices.shape[0]):
        v = vertices[i]
        first = vertex_ptr[graph_of[v]]
        if i + AHEAD < vertices.shape[0]:
            later = vertices[i + AHEAD]
            there = vertex_ptr[graph_of[later]]
            for e in range(indptr[later], indptr[later + 1]):
                u = there + indices[e]
                fetch(values, u * n_lanes + from_lane if first_step else 2 * u * width)
        if width == WIDTH:
            _walk_eight(
                v, first, n_lanes, from_lane, indptr, indices, weights, divisor, values, codes,
                first_step, plain, out,
            )  # fmt: skip
            continue
        for k in range(2 * width):
            hi[k] = 0.0
            lo[k] = 0.0
        for e in range(indptr[v], indptr[v + 1]):
            u = first + indices[e]
            to = 0
            lanes = 2 * width
            row = u * lanes
            if first_step:
                if codes[u] == 0:
                    continue
                to = (np.int64(codes[u]) - 1) * width
                lanes = width
                row = u * n_lanes + from_lane
            w = np.float64(weights[e])
            for lane in range(lanes):
                term = w * values[row + lane]
                before = hi[to + lane]
                total = before + term
                back = total - before
                lo[to + lane] += (before - (total - back)) + (term - back)
                hi[to + lane] = total
        by = divisor[v] if divisor.shape[0] > 0 else 1.0
        for k in range(2 * width):
            out[v * 2 * width + k] = np.float32((hi[k] + lo[k]) / by)


@kernel
def dense_columns(
    from_row, to_row, vertices, n_lanes, from_lane, to_lane, x, x_walk, walked, diagonal, codes,
    slots, out,
):  # fmt: skip
    """Columns written out in full, out[question, lane, row], for data that is mostly not 0.

    `walked[d - 1]` is what `walk_apart` left. Rows go in small stretches that stay in cache.
    """
    width = to_lane - from_lane
    for start in range(from_row, to_row, 128):
        stop = min(start + 128, to_row)
        for d in range(slots.shape[0]):
            for closed in range(2):
                place = np.int64(slots[d, CYCLE if closed else SOURCE, 0])
                if place < 0 or (closed and d == 0):
                    continue
                for s in range(2):
                    for lane in range(width):
                        to = out[2 * place + s, lane]
                        if d > 0 and not closed:
                            reached = walked[d - 1]
                            for i in range(start, stop):
                                to[i] = reached[(2 * vertices[i] + s) * width + lane]
                            continue
                        for i in range(start, stop):
                            v = vertices[i]
                            value = np.float32(0.0)
                            if codes[v] == s + 1:
                                value = x[v * n_lanes + from_lane + lane]
                                if closed:
                                    value = x_walk[v * n_lanes + from_lane + lane]
                                    value = np.float32(np.float64(diagonal[d - 1, v]) * value)
                            to[i] = value


@kernel
def vertex_entries(
    vertices, graph_of, vertex_ptr, lane_ptr, lane_features, x_ptr, x, x_walk, walked, diagonal,
    slots, n_features, row_stop, columns, values,
):  # fmt: skip
    """Entries of one operator's whole-graph columns for vertex examples, added at row_stop[i]."""
    longest = slots.shape[0] - 1
    for i in range(vertices.shape[0]):
        v = vertices[i]
        g = graph_of[v]
        first_lane = lane_ptr[g]
        lanes = lane_ptr[g + 1] - first_lane
        row = x_ptr[g] + (v - vertex_ptr[g]) * lanes
        cursor = row_stop[i]
        for d in range(longest + 1):
            for closed in range(2):
                place = np.int64(slots[d, CYCLE if closed else SOURCE, 0])
                if place < 0 or (closed and d == 0):
                    continue
                for lane in range(lanes):
                    if closed:
                        factor = np.float64(diagonal[d - 1, v])
                        value = np.float32(factor * x_walk[row + lane])
                    elif d > 0:
                        value = walked[d - 1, row + lane]
                    else:
                        value = x[row + lane]
                    if value != 0.0:
                        feature = lane_features[first_lane + lane]
                        columns[cursor] = place * n_features + feature
                        values[cursor] = value
                        cursor += 1
        row_stop[i] = cursor


@kernel
def reach(ends, graph_of, vertex_ptr, indptr, indices, mark, stamp, out):
    """List `ends` and every vertex one step before them, each once; returns how many."""
    n = 0
    for i in range(ends.shape[0]):
        v = ends[i]
        if mark[v] != stamp:
            mark[v] = stamp
            out[n] = v
            n += 1
    for i in range(ends.shape[0]):
        first = vertex_ptr[graph_of[ends[i]]]
        for e in range(indptr[ends[i]], indptr[ends[i] + 1]):
            u = first + indices[e]
            if mark[u] != stamp:
                mark[u] = stamp
                out[n] = u
                n += 1
    return n


@kernel
def sparse_room(ends, graph_of, vertex_ptr, indptr, indices, row_start, row_stop, most, out):
    """How many entries one walk step into each of `ends` can have at the most."""
    for i in range(ends.shape[0]):
        first = vertex_ptr[graph_of[ends[i]]]
        n = 0
        for e in range(indptr[ends[i]], indptr[ends[i] + 1]):
            u = first + indices[e]
            n += row_stop[u] - row_start[u]
        out[i] = min(n, most)


@kernel
def walk_apart_sparse(
    ends, graph_of, vertex_ptr, lane_ptr, indptr, indices, weights, divisor,
    row_start, row_stop, row_lane, row_value, codes, n_signs, first_step, room_at,
    out_start, out_stop, out_lane, out_value,
):  # fmt: skip
    """`walk_apart` for rows kept as lists of (lane, value); room_at[i] is where ends[i] may write.

    In later steps, and in `out`, lane `s × lanes + lane` belongs to the subset of sign s.
    """
    widest = 1
    for g in range(lane_ptr.shape[0] - 1):
        widest = max(widest, lane_ptr[g + 1] - lane_ptr[g])
    hi = np.zeros(widest * n_signs, np.float64)
    lo = np.zeros(widest * n_signs, np.float64)
    seen = np.zeros(widest * n_signs, np.uint8)
    touched = np.empty(widest * n_signs, np.int64)
    for i in range(ends.shape[0]):
        v = ends[i]
        g = graph_of[v]
        first = vertex_ptr[g]
        lanes = lane_ptr[g + 1] - lane_ptr[g]
        n_touched = 0
        for e in range(indptr[v], indptr[v + 1]):
            u = first + indices[e]
            shift = 0
            if first_step and n_signs > 1:
                if codes[u] == 0:
                    continue
                shift = (np.int64(codes[u]) - 1) * lanes
            w = np.float64(weights[e])
            for k in range(row_start[u], row_stop[u]):
                term = w * row_value[k]
                if term != term:  # a missing value adds nothing
                    continue
                lane = row_lane[k] + shift
                if seen[lane] == 0:
                    seen[lane] = 1
                    touched[n_touched] = lane
                    n_touched += 1
                before = hi[lane]
                total = before + term
                back = total - before
                lo[lane] += (before - (total - back)) + (term - back)
                hi[lane] = total
        by = divisor[v] if divisor.shape[0] > 0 else 1.0
        at = room_at[i]
        out_start[v] = at
        for t in range(n_touched):
            lane = touched[t]
            value = np.float32((hi[lane] + lo[lane]) / by)
            if value != 0.0:
                out_lane[at] = lane
                out_value[at] = value
                at += 1
            hi[lane] = 0.0
            lo[lane] = 0.0
            seen[lane] = 0
        out_stop[v] = at


@kernel
def sparse_values(
    vertices, graph_of, lane_ptr, lane_features, row_start, row_stop, row_lane, row_value,
    place, codes, n_signs, n_features, row_end, columns, values,
):  # fmt: skip
    """Append to each row the entries of one walk length, as `walk_apart_sparse` left them."""
    for i in range(vertices.shape[0]):
        v = vertices[i]
        g = graph_of[v]
        lanes = lane_ptr[g + 1] - lane_ptr[g]
        cursor = row_end[i]
        for k in range(row_start[v], row_stop[v]):
            lane = np.int64(row_lane[k])
            s = lane // lanes
            feature = lane_features[lane_ptr[g] + lane - s * lanes]
            columns[cursor] = (place * n_signs + s) * n_features + feature
            values[cursor] = row_value[k]
            cursor += 1
        row_end[i] = cursor


@kernel
def sparse_own(
    vertices, graph_of, lane_ptr, lane_features, row_start, row_stop, row_lane, row_value,
    place, factor, codes, n_signs, n_features, row_end, columns, values,
):  # fmt: skip
    """Append each vertex's own values, or (with a factor) those times its closed walks."""
    for i in range(vertices.shape[0]):
        v = vertices[i]
        mine = 1 if n_signs == 1 else np.int64(codes[v])
        if mine == 0:
            continue
        cursor = row_end[i]
        start = lane_ptr[graph_of[v]]
        for k in range(row_start[v], row_stop[v]):
            value = row_value[k]
            if factor.shape[0] > 0:
                value = np.float32(np.float64(factor[v]) * value)
                if value != value:
                    continue
            if value != 0.0:
                feature = lane_features[start + row_lane[k]]
                columns[cursor] = (place * n_signs + mine - 1) * n_features + feature
                values[cursor] = value
                cursor += 1
        row_end[i] = cursor
