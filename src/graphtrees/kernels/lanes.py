"""Give each graph one lane per feature it holds at all, so that sparse features stay small."""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import kernel


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
def fill_lanes(
    vertex_ptr, indptr, indices, data, n_features, lane_ptr, lane_features, x_ptr, lane_major, x
):
    """List each graph's features in ascending order and lay its values out in lanes."""
    seen = np.full(n_features, -1, np.int64)
    lane = np.empty(n_features, np.int64)
    for g in range(vertex_ptr.shape[0] - 1):
        start = lane_ptr[g]
        n = 0
        for e in range(indptr[vertex_ptr[g]], indptr[vertex_ptr[g + 1]]):
            if seen[indices[e]] != g:
                seen[indices[e]] = g
                lane_features[start + n] = indices[e]
                n += 1
        lane_features[start : start + n].sort()
        for k in range(n):
            lane[lane_features[start + k]] = k
        for v in range(vertex_ptr[g], vertex_ptr[g + 1]):
            by_vertex = 1 if lane_major else n
            by_lane = vertex_ptr[g + 1] - vertex_ptr[g] if lane_major else 1
            at = x_ptr[g] + (v - vertex_ptr[g]) * by_vertex
            for e in range(indptr[v], indptr[v + 1]):
                x[at + lane[indices[e]] * by_lane] += data[e]
