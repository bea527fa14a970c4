"""Carry vertex values along walks, and read from them the columns that splits are chosen among.

Values live in one flat float32 array of blocks: graph g owns `n_vertices × n_lanes` numbers from
`x_ptr[g]` on, row by row, one lane for each feature that the graph holds at all.

A walk sum is gathered in float64 together with its rounding error (Knuth's two-sum), then rounded
once to float32: the order of the neighbours leaves no trace.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import kernel

SOURCE, CYCLE, TARGET, TARGET_SOURCE = 0, 1, 2, 3


@kernel
def _gather(
    out, at, start, stop, indices, weights, divisor, values, base, lanes, codes, first, want, hi, lo
):
    """out[at : at + lanes] = sum of weight × value over the neighbours (those coded `want`)."""
    for lane in range(lanes):
        hi[lane] = 0.0
        lo[lane] = 0.0
    for e in range(start, stop):
        u = np.int64(indices[e])
        if want != 0 and codes[first + u] != want:
            continue
        w = np.float64(weights[e])
        row = base + u * lanes
        for lane in range(lanes):
            term = w * values[row + lane]
            total = hi[lane] + term
            back = total - hi[lane]
            lo[lane] += (hi[lane] - (total - back)) + (term - back)
            hi[lane] = total
    for lane in range(lanes):
        out[at + lane] = np.float32((hi[lane] + lo[lane]) / divisor)


@kernel
def walk_step(
    vertices, graph_of, vertex_ptr, x_ptr, n_lanes, indptr, indices, weights, divisor,
    values, codes, want, out,
):  # fmt: skip
    """One step of every walk that ends in one of `vertices` (global numbers)."""
    widest = 1
    for g in range(n_lanes.shape[0]):
        widest = max(widest, np.int64(n_lanes[g]))
    hi = np.empty(widest, np.float64)
    lo = np.empty(widest, np.float64)
    for i in range(vertices.shape[0]):
        v = vertices[i]
        g = graph_of[v]
        lanes = np.int64(n_lanes[g])
        first = vertex_ptr[g]
        base = x_ptr[g]
        over = divisor[v] if divisor.shape[0] > 0 else 1.0
        _gather(
            out, base + (v - first) * lanes, indptr[v], indptr[v + 1], indices, weights, over,
            values, base, lanes, codes, first, want, hi, lo,
        )  # fmt: skip


@kernel
def _statistics(values, base, lanes, members, n_members, hi, lo, lowest, highest, counts):
    """Sum (as hi + lo), minimum, maximum and count of the values present, for every lane."""
    for lane in range(lanes):
        hi[lane] = 0.0
        lo[lane] = 0.0
        lowest[lane] = np.inf
        highest[lane] = -np.inf
        counts[lane] = 0
    for i in range(n_members):
        row = base + np.int64(members[i]) * lanes
        for lane in range(lanes):
            value = np.float64(values[row + lane])
            if value == value:
                total = hi[lane] + value
                back = total - hi[lane]
                lo[lane] += (hi[lane] - (total - back)) + (value - back)
                hi[lane] = total
                lowest[lane] = min(lowest[lane], value)
                highest[lane] = max(highest[lane], value)
                counts[lane] += 1


@kernel
def _emit(slot, out, at, width, lanes, hi, lo, lowest, highest, counts, n_zeros):
    """Write sum, mean, min and max to their columns, `n_zeros` further entries being zero."""
    for lane in range(lanes):
        entry = at + lane * width
        n = counts[lane] + n_zeros
        total = hi[lane] + lo[lane]
        low = lowest[lane]
        high = highest[lane]
        if n_zeros > 0:
            low = min(low, 0.0)
            high = max(high, 0.0)
        if n == 0:
            total = np.nan
            low = np.nan
            high = np.nan
        if slot[0] >= 0:
            out[entry + slot[0]] = np.float32(total)
        if slot[1] >= 0:
            out[entry + slot[1]] = np.float32(total / n) if n > 0 else np.float32(np.nan)
        if slot[2] >= 0:
            out[entry + slot[2]] = np.float32(low)
        if slot[3] >= 0:
            out[entry + slot[3]] = np.float32(high)


@kernel
def _wanted(slot):
    return slot[0] >= 0 or slot[1] >= 0 or slot[2] >= 0 or slot[3] >= 0


@kernel
def graph_columns(
    graphs, vertex_ptr, x_ptr, n_lanes, x, x_walk, walked, diagonal,
    indptr, indices, weights, divisor, codes, want, slots, out, out_ptr, width, alive,
):  # fmt: skip
    """Every column of one operator for whole-graph examples.

    slots[d, walk type, aggregator] is the column's place among the `width` of a lane, or -1.
    `walked[d - 1]` holds A^d x, `diagonal[d - 1]` the diagonal of A^d; `want` 0 asks about the
    whole graph, else about the vertices with that code. `alive[i]` tells whether graph i has any.
    """
    longest = slots.shape[0] - 1
    room = 1
    widest = 1
    most = 1
    for i in range(graphs.shape[0]):
        g = graphs[i]
        n = vertex_ptr[g + 1] - vertex_ptr[g]
        room = max(room, n * n_lanes[g])
        widest = max(widest, np.int64(n_lanes[g]))
        most = max(most, n)
    here = np.empty(room, np.float32)
    there = np.empty(room, np.float32)
    members = np.empty(most, np.int32)
    everyone = np.arange(most).astype(np.int32)
    hi = np.empty(widest, np.float64)
    lo = np.empty(widest, np.float64)
    lowest = np.empty(widest, np.float64)
    highest = np.empty(widest, np.float64)
    counts = np.empty(widest, np.int64)
    for i in range(graphs.shape[0]):
        g = graphs[i]
        first = vertex_ptr[g]
        n = vertex_ptr[g + 1] - first
        lanes = np.int64(n_lanes[g])
        base = x_ptr[g]
        at = out_ptr[i]
        n_members = 0
        for v in range(n):
            if want == 0 or codes[first + v] == want:
                members[n_members] = v
                n_members += 1
        alive[i] = n_members > 0
        if n_members == 0:
            for entry in range(at, at + lanes * width):
                out[entry] = np.nan
            continue

        if _wanted(slots[0, SOURCE]) or _wanted(slots[0, CYCLE]):
            _statistics(x, base, lanes, members, n_members, hi, lo, lowest, highest, counts)
            _emit(
                slots[0, SOURCE], out, at, width, lanes, hi, lo, lowest, highest, counts,
                n - n_members,
            )  # fmt: skip
            _emit(slots[0, CYCLE], out, at, width, lanes, hi, lo, lowest, highest, counts, 0)

        for d in range(1, longest + 1):
            if _wanted(slots[d, CYCLE]):
                for j in range(n_members):
                    row = np.int64(members[j]) * lanes
                    factor = np.float64(diagonal[d - 1, first + members[j]])
                    for lane in range(lanes):
                        here[row + lane] = np.float32(factor * x_walk[base + row + lane])
                _statistics(here, 0, lanes, members, n_members, hi, lo, lowest, highest, counts)
                _emit(slots[d, CYCLE], out, at, width, lanes, hi, lo, lowest, highest, counts, 0)
            if _wanted(slots[d, TARGET]) or (want == 0 and _wanted(slots[d, SOURCE])):
                _statistics(
                    walked[d - 1], base, lanes, members, n_members, hi, lo, lowest, highest, counts
                )
                kind = TARGET if want != 0 else SOURCE
                _emit(slots[d, kind], out, at, width, lanes, hi, lo, lowest, highest, counts, 0)

        if want == 0:
            continue
        last = 0
        for d in range(1, longest + 1):
            if _wanted(slots[d, SOURCE]) or _wanted(slots[d, TARGET_SOURCE]):
                last = d
        for d in range(1, last + 1):
            if d > 1:
                here, there = there, here
            for v in range(n):
                over = divisor[first + v] if divisor.shape[0] > 0 else 1.0
                start = indptr[first + v]
                stop = indptr[first + v + 1]
                if d == 1:
                    _gather(
                        there, v * lanes, start, stop, indices, weights, over,
                        x_walk, base, lanes, codes, first, want, hi, lo,
                    )  # fmt: skip
                else:
                    _gather(
                        there, v * lanes, start, stop, indices, weights, over,
                        here, 0, lanes, codes, first, 0, hi, lo,
                    )  # fmt: skip
            if _wanted(slots[d, SOURCE]):
                _statistics(there, 0, lanes, everyone, n, hi, lo, lowest, highest, counts)
                _emit(slots[d, SOURCE], out, at, width, lanes, hi, lo, lowest, highest, counts, 0)
            if _wanted(slots[d, TARGET_SOURCE]):
                _statistics(there, 0, lanes, members, n_members, hi, lo, lowest, highest, counts)
                _emit(
                    slots[d, TARGET_SOURCE], out, at, width, lanes, hi, lo, lowest, highest,
                    counts, 0,
                )  # fmt: skip


@kernel
def vertex_columns(
    vertices, graph_of, vertex_ptr, x_ptr, n_lanes, x, x_walk, walked, diagonal,
    codes, want, slots, out, out_ptr, width,
):  # fmt: skip
    """Every column of one operator for vertex examples; `walked[d - 1]` is A^d (1_S x)."""
    longest = slots.shape[0] - 1
    for i in range(vertices.shape[0]):
        v = vertices[i]
        g = graph_of[v]
        lanes = np.int64(n_lanes[g])
        row = x_ptr[g] + (v - vertex_ptr[g]) * lanes
        at = out_ptr[i]
        inside = want == 0 or codes[v] == want
        slot = slots[0, SOURCE, 0]
        if slot >= 0:
            for lane in range(lanes):
                out[at + lane * width + slot] = x[row + lane] if inside else np.float32(0.0)
        for d in range(1, longest + 1):
            slot = slots[d, SOURCE, 0]
            if slot >= 0:
                for lane in range(lanes):
                    out[at + lane * width + slot] = walked[d - 1, row + lane]
            slot = slots[d, CYCLE, 0]
            if slot >= 0:
                factor = np.float64(diagonal[d - 1, v]) if inside else 0.0
                for lane in range(lanes):
                    out[at + lane * width + slot] = np.float32(factor * x_walk[row + lane])
