"""Every column that a split may be chosen among, for the rows of one node.

A column is a question without its threshold. Most of its values are 0, so a row is a list of
entries (column, value) for those that are not; NaN stands for a missing value.

    column = (place × n_signs + sign) × n_features + feature

`place` is the question's place in the plan. The two subsets that a split-node made are evaluated
together: a neighbour's values go to the accumulator of the subset that holds it.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import kernel

SOURCE, CYCLE, TARGET, TARGET_SOURCE = 0, 1, 2, 3


@kernel
def _summary(values, at, n, sign, want, zero, low, high):
    """Sum (as hi + lo), smallest, largest and number missing of the vertices signed `want`.

    `want` 0 takes all vertices. The same lines serve whole numbers, where every error term is 0,
    and floats, where `lo` gathers what rounding took from `hi`.
    """
    hi = zero
    lo = zero
    missing = 0
    for v in range(n):
        if want == 0 or sign[v] == want:
            value = zero + values[at + v]
            if value == value:
                total = hi + value
                back = total - hi
                lo += (hi - (total - back)) + (value - back)
                hi = total
                low = min(low, value)
                high = max(high, value)
            else:
                missing += 1
    return hi, lo, low, high, missing


@kernel
def _put(
    slot, s, n_signs, n_features, feature, hi, lo, low, high, n, n_zeros, cursor, columns, values
):
    """Append the sum, mean, min and max that are not 0; `n_zeros` further vertices are 0."""
    count = n + n_zeros
    for aggregator in range(4):
        place = np.int64(slot[aggregator])
        if place < 0:
            continue
        if count == 0:
            value = np.float32(np.nan)
        elif aggregator == 0:
            value = np.float32(hi + lo)
        elif aggregator == 1:
            value = np.float32(np.float64(hi + lo) / count)
        elif aggregator == 2:
            value = np.float32(low)
            if n_zeros > 0:
                value = min(value, np.float32(0.0))
        else:
            value = np.float32(high)
            if n_zeros > 0:
                value = max(value, np.float32(0.0))
        if value != 0.0:
            columns[cursor] = (place * n_signs + s) * n_features + feature
            values[cursor] = value
            cursor += 1
    return cursor


@kernel
def _one_step(values, n, first, start, stop, targets, sources, weights, divisor, zero, hi, lo, out):
    """One walk step of one lane of one graph: values[0] from S+ and values[1] from S-.

    One loop over all edges: a loop inside a loop over few neighbours would spend its time on
    mispredicted exits.
    """
    for v in range(n):
        hi[0, v] = zero
        hi[1, v] = zero
        lo[0, v] = zero
        lo[1, v] = zero
    # Unsigned numbers spare the compiler a test for indices that count from the end.
    for e in range(np.uint64(start), np.uint64(stop)):
        u = np.uint32(sources[e])
        v = np.uint32(targets[e])
        w = zero + weights[e]
        for s in range(np.uint32(2)):
            term = w * values[s, u]
            before = hi[s, v]
            total = before + term
            back = total - before
            lo[s, v] += (before - (total - back)) + (term - back)
            hi[s, v] = total
    if divisor.shape[0] > 0:
        for v in range(n):
            out[0, v] = (hi[0, v] + lo[0, v]) / divisor[first + v]
            out[1, v] = (hi[1, v] + lo[1, v]) / divisor[first + v]
    else:
        for v in range(n):
            out[0, v] = hi[0, v] + lo[0, v]
            out[1, v] = hi[1, v] + lo[1, v]


@kernel
def _wanted(slot):
    return slot[0] >= 0 or slot[1] >= 0 or slot[2] >= 0 or slot[3] >= 0


@kernel
def graph_entries(
    graphs, vertex_ptr, lane_ptr, lane_features, x_ptr, x, x_walk, walked, diagonal,
    indptr, targets, indices, weights, divisor, codes, n_signs, slots, zero, low, high,
    n_features, row_stop, columns, values, alive,
):  # fmt: skip
    """Entries of one operator's columns for whole-graph examples, appended at row_stop[i].

    slots[d, walk type, aggregator] is a question's place, or -1. `walked[d - 1]` holds A^d x,
    `diagonal[d - 1]` the diagonal of A^d. n_signs 1 asks about whole graphs, 2 about the subsets
    in `codes`; alive[i, s] tells whether graph i has any vertex there. `zero`, `low` and `high`
    start sums and extremes and carry their type: float64, or int64 for small whole numbers.
    """
    longest = slots.shape[0] - 1
    most = 1
    for i in range(graphs.shape[0]):
        most = max(most, vertex_ptr[graphs[i] + 1] - vertex_ptr[graphs[i]])
    sign = np.ones(most, np.uint8)
    closed = np.empty(most, x.dtype)
    here = np.empty((2, most), x.dtype)
    there = np.empty((2, most), x.dtype)
    hi_of = np.full((2, most), zero)
    lo_of = np.full((2, most), zero)
    zero = hi_of[0, 0]  # in 64 bits also where nothing is compiled and float32 + 0.0 is float32
    counts = np.zeros(n_signs, np.int64)
    last = 0
    for d in range(1, longest + 1):
        if n_signs > 1 and (_wanted(slots[d, SOURCE]) or _wanted(slots[d, TARGET_SOURCE])):
            last = d
    for i in range(graphs.shape[0]):
        g = graphs[i]
        first = vertex_ptr[g]
        n = vertex_ptr[g + 1] - first
        cursor = row_stop[i]
        for s in range(n_signs):
            counts[s] = 0
        if n_signs > 1:
            for v in range(n):
                sign[v] = codes[first + v]
                if sign[v] > 0:
                    counts[np.int64(sign[v]) - 1] += 1
        else:
            counts[0] = n
        for s in range(n_signs):
            alive[i, s] = counts[s] > 0
        for lane in range(lane_ptr[g + 1] - lane_ptr[g]):
            at = x_ptr[g] + lane * n
            feature = np.int64(lane_features[lane_ptr[g] + lane])
            for s in range(n_signs):
                inside = counts[s]
                if inside == 0:
                    continue
                want = 0 if n_signs == 1 else s + 1
                if _wanted(slots[0, SOURCE]) or _wanted(slots[0, CYCLE]):
                    hi, lo, least, most_, gone = _summary(x, at, n, sign, want, zero, low, high)
                    cursor = _put(
                        slots[0, SOURCE], s, n_signs, n_features, feature, hi, lo, least, most_,
                        inside - gone, n - inside, cursor, columns, values,
                    )  # fmt: skip
                    cursor = _put(
                        slots[0, CYCLE], s, n_signs, n_features, feature, hi, lo, least, most_,
                        inside - gone, 0, cursor, columns, values,
                    )  # fmt: skip
                for d in range(1, longest + 1):
                    slot = slots[d, SOURCE] if n_signs == 1 else slots[d, TARGET]
                    if _wanted(slot):
                        hi, lo, least, most_, gone = _summary(
                            walked[d - 1], at, n, sign, want, zero, low, high
                        )
                        cursor = _put(
                            slot, s, n_signs, n_features, feature, hi, lo, least, most_, inside,
                            0, cursor, columns, values,
                        )  # fmt: skip
                    if _wanted(slots[d, CYCLE]):
                        for v in range(n):
                            closed[v] = (zero + diagonal[d - 1, first + v]) * x_walk[at + v]
                        hi, lo, least, most_, gone = _summary(
                            closed, 0, n, sign, want, zero, low, high
                        )
                        cursor = _put(
                            slots[d, CYCLE], s, n_signs, n_features, feature, hi, lo, least,
                            most_, inside, 0, cursor, columns, values,
                        )  # fmt: skip
            nothing = True
            for v in range(n if last > 0 else 0):
                value = x_walk[at + v]
                nothing = nothing and (value == 0 or sign[v] == 0)
                here[0, v] = value if sign[v] == 1 else 0
                here[1, v] = value if sign[v] == 2 else 0
            if nothing:  # no value to carry: every sum is 0
                continue
            for d in range(1, last + 1):
                _one_step(
                    here, n, first, indptr[first], indptr[first + n], targets, indices, weights,
                    divisor, zero, hi_of, lo_of, there,
                )  # fmt: skip
                for s in range(n_signs):
                    inside = counts[s]
                    if inside == 0:
                        continue
                    if _wanted(slots[d, SOURCE]):
                        hi, lo, least, most_, gone = _summary(
                            there[s], 0, n, sign, 0, zero, low, high
                        )
                        cursor = _put(
                            slots[d, SOURCE], s, n_signs, n_features, feature, hi, lo, least,
                            most_, n, 0, cursor, columns, values,
                        )  # fmt: skip
                    if _wanted(slots[d, TARGET_SOURCE]):
                        hi, lo, least, most_, gone = _summary(
                            there[s], 0, n, sign, s + 1, zero, low, high
                        )
                        cursor = _put(
                            slots[d, TARGET_SOURCE], s, n_signs, n_features, feature, hi, lo,
                            least, most_, inside, 0, cursor, columns, values,
                        )  # fmt: skip
                here, there = there, here
        row_stop[i] = cursor


@kernel
def walk_apart(
    vertices, graph_of, vertex_ptr, n_lanes, from_lane, to_lane, indptr, indices, weights, divisor,
    values, codes, first_step, plain, out,
):  # fmt: skip
    """One step of all walks into `vertices`, the two subsets side by side in `out`.

    Every graph has all `n_lanes`; those from from_lane to to_lane are walked. On the first step
    `values` holds the vertices' own rows and `codes` tells neighbours apart; later, like `out`,
    it has rows of two stretches of walked lanes.
    """
    width = to_lane - from_lane
    hi = np.empty(2 * width, np.float64)
    lo = np.empty(2 * width, np.float64)
    for i in range(vertices.shape[0]):
        v = vertices[i]
        first = vertex_ptr[graph_of[v]]
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
            if plain:  # whole and small: float64 adds them exactly
                for lane in range(lanes):
                    hi[to + lane] += w * values[row + lane]
            else:
                for lane in range(lanes):
                    term = w * values[row + lane]
                    before = hi[to + lane]
                    total = before + term
                    back = total - before
                    lo[to + lane] += (before - (total - back)) + (term - back)
                    hi[to + lane] = total
        over = divisor[v] if divisor.shape[0] > 0 else 1.0
        for k in range(2 * width):
            out[v * 2 * width + k] = np.float32((hi[k] + lo[k]) / over)


@kernel
def dense_columns(
    from_row, to_row, vertices, n_lanes, from_lane, to_lane, x, x_walk, walked, diagonal, codes,
    slots, out,
):  # fmt: skip
    """Columns written out in full, out[question, lane, row], for data that is mostly not 0.

    `walked[d - 1]` is what `walk_apart` left. Rows go in small stretches that stay in cache.
    """
    longest = slots.shape[0] - 1
    width = to_lane - from_lane
    for start in range(from_row, to_row, 128):
        stop = min(start + 128, to_row)
        for lane in range(width):
            for d in range(longest + 1):
                place = np.int64(slots[d, SOURCE, 0])
                for s in range(2 if place >= 0 else 0):
                    for i in range(start, stop):
                        v = vertices[i]
                        if d > 0:
                            value = walked[d - 1, (2 * v + s) * width + lane]
                        elif codes[v] == s + 1:
                            value = x[v * n_lanes + from_lane + lane]
                        else:
                            value = np.float32(0.0)
                        out[2 * place + s, lane, i] = value
                place = np.int64(slots[d, CYCLE, 0]) if d > 0 else -1
                for s in range(2 if place >= 0 else 0):
                    for i in range(start, stop):
                        v = vertices[i]
                        value = np.float32(0.0)
                        if codes[v] == s + 1:
                            own = x_walk[v * n_lanes + from_lane + lane]
                            value = np.float32(np.float64(diagonal[d - 1, v]) * own)
                        out[2 * place + s, lane, i] = value


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
        over = divisor[v] if divisor.shape[0] > 0 else 1.0
        at = room_at[i]
        out_start[v] = at
        for t in range(n_touched):
            lane = touched[t]
            value = np.float32((hi[lane] + lo[lane]) / over)
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
