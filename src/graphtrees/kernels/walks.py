"""Carry vertex values one step along every walk of the whole graph.

Values live in one flat float32 array of blocks: graph g owns `n_vertices × n_lanes` numbers from
`x_ptr[g]` on, one lane for each feature that the graph holds at all; see `columns/batch.py`.

A walk sum is gathered in float64 together with its rounding error (Knuth's two-sum), then rounded
once to float32: the order of the neighbours leaves no trace.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import kernel


@kernel
def walk_step(
    vertices, graph_of, vertex_ptr, x_ptr, n_lanes, lane_major, indptr, indices, weights, divisor,
    values, out,
):  # fmt: skip
    """out = A values at `vertices` (global numbers)."""
    widest = 1
    for g in range(n_lanes.shape[0]):
        widest = max(widest, n_lanes[g])
    hi = np.empty(widest, np.float64)
    lo = np.empty(widest, np.float64)
    for i in range(vertices.shape[0]):
        v = vertices[i]
        g = graph_of[v]
        lanes = n_lanes[g]
        by_vertex = 1 if lane_major else lanes
        by_lane = vertex_ptr[g + 1] - vertex_ptr[g] if lane_major else 1
        for lane in range(lanes):
            hi[lane] = 0.0
            lo[lane] = 0.0
        for e in range(indptr[v], indptr[v + 1]):
            w = np.float64(weights[e])
            row = x_ptr[g] + np.int64(indices[e]) * by_vertex
            for lane in range(lanes):
                term = w * values[row + lane * by_lane]
                total = hi[lane] + term
                back = total - hi[lane]
                lo[lane] += (hi[lane] - (total - back)) + (term - back)
                hi[lane] = total
        over = divisor[v] if divisor.shape[0] > 0 else 1.0
        at = x_ptr[g] + (v - vertex_ptr[g]) * by_vertex
        for lane in range(lanes):
            out[at + lane * by_lane] = np.float32((hi[lane] + lo[lane]) / over)
