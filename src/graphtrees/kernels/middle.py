"""Walks from edge to edge, through the vertices they share; see `candidates/incidence.py`.

A step goes in, from edges to the vertices between them, and out again. What a vertex gathered is
kept as two float64 (the sum, and what rounding took from it) and not rounded before it arrives at
an edge: taking an edge out of a sum it is in leaves exactly the others.

Everywhere `in_indptr`, `in_indices` list the edges into every vertex, `indptr`, `indices` the
vertices that an edge is reached from, and `beside` tells that an edge is among its own neighbours
until it is taken out.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import kernel


@kernel
def touched(rows, graph_of, column_ptr, indptr, indices, mark, stamp, n, out):
    """List at out[n:] the columns of some rows, each once unless marked; returns where it ends."""
    for i in range(rows.shape[0]):
        first = column_ptr[graph_of[rows[i]]]
        for e in range(indptr[rows[i]], indptr[rows[i] + 1]):
            u = first + indices[e]
            if mark[u] != stamp:
                mark[u] = stamp
                out[n] = u
                n += 1
    return n


@kernel
def step_in(
    middles, graph_of, middle_ptr, in_indptr, in_indices, row_ptr, n_lanes, from_lane, width,
    values, vertex_ptr, codes, plain, sum_ptr, hi, lo,
):  # fmt: skip
    """hi + lo = the sum of what enters each of `middles`, lane by lane.

    Edges of graph g have rows of n_lanes[g] values from row_ptr[g] on, of which `width` lanes from
    from_lane on are walked (-1: all). With codes the two subsets go to two stretches of lanes.
    Rows of sums start at sum_ptr[g].
    """
    coded = codes.shape[0] > 0
    for i in range(middles.shape[0]):
        m = middles[i]
        g = graph_of[m]
        # Unsigned numbers spare the compiler a test for indices that count from the end.
        lanes = np.uint64(n_lanes[g] if width < 0 else width)
        stride = np.uint64(2) * lanes if coded else lanes
        at = np.uint64(sum_ptr[g]) + np.uint64(m - middle_ptr[g]) * stride
        for k in range(at, at + stride):
            hi[k] = 0.0
            lo[k] = 0.0
        for e in range(in_indptr[m], in_indptr[m + 1]):
            u = np.int64(in_indices[e])
            row = np.uint64(row_ptr[g] + u * n_lanes[g] + from_lane)
            to = at
            if coded:
                code = codes[vertex_ptr[g] + u]
                if code == 0:
                    continue
                if code == 2:
                    to = at + lanes
            if plain:  # whole and small: float64 adds them exactly
                for lane in range(lanes):
                    hi[to + lane] += values[row + lane]
            else:
                for lane in range(lanes):
                    term = np.float64(values[row + lane])
                    before = hi[to + lane]
                    total = before + term
                    back = total - before
                    lo[to + lane] += (before - (total - back)) + (term - back)
                    hi[to + lane] = total


@kernel
def step_out(
    ends, graph_of, vertex_ptr, indptr, indices, divisor, beside, row_ptr, n_lanes, from_lane,
    width, values, codes, plain, sum_ptr, hi, lo, out_ptr, out,
):  # fmt: skip
    """out = A values at the edges `ends`, from the sums that `step_in` left."""
    coded = codes.shape[0] > 0
    widest = 1
    for g in range(n_lanes.shape[0]):
        widest = max(widest, n_lanes[g] if width < 0 else 2 * width)
    sums = np.empty(widest, np.float64)
    errors = np.empty(widest, np.float64)
    for i in range(ends.shape[0]):
        v = ends[i]
        g = graph_of[v]
        here = v - vertex_ptr[g]
        lanes = np.uint64(n_lanes[g] if width < 0 else width)
        stride = np.uint64(2) * lanes if coded else lanes
        for k in range(stride):
            sums[k] = 0.0
            errors[k] = 0.0
        for e in range(indptr[v], indptr[v + 1]):
            at = np.uint64(sum_ptr[g]) + np.uint64(indices[e]) * stride
            if plain:
                for k in range(stride):
                    sums[k] += hi[at + k]
            else:
                for k in range(stride):
                    term = hi[at + k]
                    before = sums[k]
                    total = before + term
                    back = total - before
                    errors[k] += (before - (total - back)) + (term - back) + lo[at + k]
                    sums[k] = total
        if beside and not (coded and codes[v] == 0):
            n_ends = np.float64(indptr[v + 1] - indptr[v])
            to = lanes if coded and codes[v] == 2 else np.uint64(0)
            row = np.uint64(row_ptr[g] + here * n_lanes[g] + from_lane)
            for lane in range(lanes):
                term = -n_ends * values[row + lane]
                before = sums[to + lane]
                total = before + term
                back = total - before
                errors[to + lane] += (before - (total - back)) + (term - back)
                sums[to + lane] = total
        over = divisor[v] if divisor.shape[0] > 0 else 1.0
        at = np.uint64(out_ptr[g]) + np.uint64(here) * stride
        for k in range(stride):
            out[at + k] = np.float32((sums[k] + errors[k]) / over)


@kernel
def list_in(
    middles, graph_of, vertex_ptr, lane_ptr, in_indptr, in_indices, row_start, row_stop, row_lane,
    row_value, codes, n_signs, first_step, room_at, out_start, out_stop, out_lane, out_hi, out_lo,
):  # fmt: skip
    """`step_in` for rows kept as lists of (lane, value); room_at[i] is where middles[i] may write.

    In later steps, and in `out`, lane `s × lanes + lane` belongs to the subset of sign s.
    """
    widest = 1
    for g in range(lane_ptr.shape[0] - 1):
        widest = max(widest, lane_ptr[g + 1] - lane_ptr[g])
    place = np.full(widest * n_signs, -1, np.int64)
    for i in range(middles.shape[0]):
        m = middles[i]
        g = graph_of[m]
        lanes = lane_ptr[g + 1] - lane_ptr[g]
        start = room_at[i]
        stop = start
        for e in range(in_indptr[m], in_indptr[m + 1]):
            u = vertex_ptr[g] + in_indices[e]
            shift = 0
            if first_step and n_signs > 1:
                if codes[u] == 0:
                    continue
                shift = (np.int64(codes[u]) - 1) * lanes
            for k in range(row_start[u], row_stop[u]):
                term = np.float64(row_value[k])
                if term != term:  # a missing value adds nothing
                    continue
                lane = row_lane[k] + shift
                if place[lane] < 0:
                    place[lane] = stop
                    out_lane[stop] = lane
                    out_hi[stop] = 0.0
                    out_lo[stop] = 0.0
                    stop += 1
                at = place[lane]
                before = out_hi[at]
                total = before + term
                back = total - before
                out_lo[at] += (before - (total - back)) + (term - back)
                out_hi[at] = total
        for k in range(start, stop):
            place[out_lane[k]] = -1
        out_start[m] = start
        out_stop[m] = stop


@kernel
def list_out(
    ends, graph_of, middle_ptr, lane_ptr, indptr, indices, divisor, beside,
    sum_start, sum_stop, sum_lane, sum_hi, sum_lo, row_start, row_stop, row_lane, row_value,
    codes, n_signs, first_step, room_at, out_start, out_stop, out_lane, out_value,
):  # fmt: skip
    """`step_out` for lists: the entries that are not 0 of each of the edges `ends`."""
    widest = 1
    for g in range(lane_ptr.shape[0] - 1):
        widest = max(widest, lane_ptr[g + 1] - lane_ptr[g])
    hi = np.zeros(widest * n_signs, np.float64)
    lo = np.zeros(widest * n_signs, np.float64)
    seen = np.zeros(widest * n_signs, np.uint8)
    found = np.empty(widest * n_signs, np.int64)
    for i in range(ends.shape[0]):
        v = ends[i]
        g = graph_of[v]
        n_found = 0
        for e in range(indptr[v], indptr[v + 1]):
            m = middle_ptr[g] + indices[e]
            for k in range(sum_start[m], sum_stop[m]):
                lane = np.int64(sum_lane[k])
                if seen[lane] == 0:
                    seen[lane] = 1
                    found[n_found] = lane
                    n_found += 1
                term = sum_hi[k]
                before = hi[lane]
                total = before + term
                back = total - before
                lo[lane] += (before - (total - back)) + (term - back) + sum_lo[k]
                hi[lane] = total
        apart = first_step and n_signs > 1
        shift = 0
        if apart:
            shift = (np.int64(codes[v]) - 1) * (lane_ptr[g + 1] - lane_ptr[g])
        if beside and shift >= 0:
            n_ends = np.float64(indptr[v + 1] - indptr[v])
            for k in range(row_start[v], row_stop[v]):
                term = -n_ends * row_value[k]
                if term == term:
                    lane = np.int64(row_lane[k]) + shift
                    before = hi[lane]
                    total = before + term
                    back = total - before
                    lo[lane] += (before - (total - back)) + (term - back)
                    hi[lane] = total
        over = divisor[v] if divisor.shape[0] > 0 else 1.0
        at = room_at[i]
        out_start[v] = at
        for f in range(n_found):
            lane = found[f]
            value = np.float32((hi[lane] + lo[lane]) / over)
            if value != 0.0:
                out_lane[at] = lane
                out_value[at] = value
                at += 1
            hi[lane] = 0.0
            lo[lane] = 0.0
            seen[lane] = 0
        out_stop[v] = at
