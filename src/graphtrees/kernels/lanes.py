"""Give each graph one lane per feature it holds at all, so that sparse features stay small."""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import kernel

# Two doubles hold a sum of 106 bits: 80 below the largest term, 26 for how many terms there are.
FINEST = 2.0**-80
FULL_RANGE = 2.0**56  # float32 has 24 bits, so whatever is no smaller lies on the grid anyway


@kernel
def count_lanes(vertex_ptr, indptr, indices, n_features, counts):
    """counts[g] = how many features have an entry somewhere in graph g."""
    seen = np.full(n_features, -1, np.int64)
    for g in range(vertex_ptr.shape[0] - 1):
        n = 0
        for e in range(indptr[vertex_ptr[g]], indptr[vertex_ptr[g + 1]]):
            if seen[indices[e]] != g:
                seen[indices[e]] = g
                n += 1
        counts[g] = n


@kernel
def list_lanes(vertex_ptr, indptr, indices, n_features, lane_ptr, lane_features):
    """The features that each graph holds at all, in the order in which they are met."""
    seen = np.full(n_features, -1, np.int64)
    for g in range(vertex_ptr.shape[0] - 1):
        at = lane_ptr[g]
        for e in range(indptr[vertex_ptr[g]], indptr[vertex_ptr[g + 1]]):
            if seen[indices[e]] != g:
                seen[indices[e]] = g
                lane_features[at] = indices[e]
                at += 1


@kernel
def fill_lanes(
    vertex_ptr, indptr, indices, data, n_features, lane_ptr, lane_features, x_ptr, lane_major, x
):
    """Lay each graph's values out in lanes."""
    lane = np.empty(n_features, np.int64)
    for g in range(vertex_ptr.shape[0] - 1):
        for k in range(lane_ptr[g], lane_ptr[g + 1]):
            lane[lane_features[k]] = k - lane_ptr[g]
        for v in range(vertex_ptr[g], vertex_ptr[g + 1]):
            size = vertex_ptr[g + 1] - vertex_ptr[g]
            by_vertex = 1 if lane_major else (x_ptr[g + 1] - x_ptr[g]) // size
            by_lane = size if lane_major else 1
            at = x_ptr[g] + (v - vertex_ptr[g]) * by_vertex
            for e in range(indptr[v], indptr[v + 1]):
                x[at + lane[indices[e]] * by_lane] += data[e]


@kernel
def round_small(vertex_ptr, lane_ptr, x_ptr, lane_major, x, out):
    """Round numbers far smaller than the largest of their lane to a grid, so that sums are exact.

    out = x, but multiples of 2^-80 times a power of two near the lane's largest; what is not that
    small keeps every bit. Returns whether anything changed; then only is `out` written.
    """
    changed = False
    for g in range(vertex_ptr.shape[0] - 1):
        n = vertex_ptr[g + 1] - vertex_ptr[g]
        if n == 0:
            continue
        lanes = lane_ptr[g + 1] - lane_ptr[g]
        by_vertex = 1 if lane_major else (x_ptr[g + 1] - x_ptr[g]) // n
        by_lane = n if lane_major else 1
        for lane in range(lanes):
            at = x_ptr[g] + lane * by_lane
            largest = 0.0
            smallest = np.inf
            for v in range(n):
                size = abs(np.float64(x[at + v * by_vertex]))
                if size > 0.0:
                    largest = max(largest, size)
                    smallest = min(smallest, size)
            if smallest * FULL_RANGE >= largest:
                continue
            if not changed:
                changed = True
                for k in range(x.shape[0]):
                    out[k] = x[k]
            step = 2.0 ** np.floor(np.log2(largest)) * FINEST
            for v in range(n):
                value = np.float64(x[at + v * by_vertex])
                out[at + v * by_vertex] = np.float32(np.round(value / step) * step)
    return changed


@kernel
def count_filled(values, counts):
    """counts[v] = how many values of row v are not 0; a missing one counts."""
    for v in range(values.shape[0]):
        filled = 0
        for k in range(values.shape[1]):
            filled += values[v, k] != 0
        counts[v] = filled


@kernel
def list_filled(values, row_ptr, n_extra, columns, filled):
    """The values that are not 0, row by row, and `n_extra` columns of ones after each row.

    `columns` and `filled` have room for one entry more, which means nothing.
    """
    width = values.shape[1]
    for v in range(values.shape[0]):
        at = row_ptr[v]
        for k in range(width):
            # Branch-free: always write, advance only if non-zero.
            columns[at] = k
            filled[at] = values[v, k]
            at += values[v, k] != 0
        for k in range(n_extra):
            columns[at + k] = width + k
            filled[at + k] = 1.0
