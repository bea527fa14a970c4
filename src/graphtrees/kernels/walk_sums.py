"""Sums over the walks of a question, by the vertices and edges that they pass."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphtrees.kernels._jit import inner_kernel, making_kernel

# A sum that is this much smaller than its terms is what rounding left of 0.
NOTHING = 1e-12


class WalkSums(NamedTuple):
    """Memory for them; rows of `stride` vertices, one for each step of a walk.

    near[s] lists the `size[s]` vertices that may stand at step s. `ahead` sums the walks from a
    vertex to the end, `ahead_size` their sizes, `behind` the sizes of those that lead to it, each
    times the size of the value where it starts.
    """

    stride: Any
    size: Any
    near: Any
    seen: Any  # who is in near[s] already, by the time of the clock
    ahead: Any
    ahead_size: Any
    behind: Any
    clock: Any
    between: Any  # sums at the vertices between edges
    between_near: Any
    between_seen: Any
    edge_part: Any  # what the walks on an edge carry
    edge_seen: Any  # whether an edge is listed in edge_near
    edge_near: Any


@making_kernel
def make_walk_sums(jobs, stride, longest, n_edges, operators):
    n_between = 1
    for job in range(jobs.graph.shape[0] if operators.endpoint_ptr.shape[0] > 1 else 0):
        g = jobs.graph[job]
        n_between = max(n_between, operators.endpoint_ptr[g + 1] - operators.endpoint_ptr[g])
    room = (longest + 1) * stride
    return WalkSums(
        stride,
        np.zeros(longest + 1, np.int64),
        np.empty(room, np.int64),
        np.zeros(room, np.int64),
        np.empty(room),
        np.empty(room),
        np.empty(room),
        np.zeros(1, np.int64),
        np.empty(n_between),
        np.empty(n_between, np.int64),
        np.zeros(n_between, np.int64),
        np.empty(n_edges),
        np.zeros(n_edges, np.uint8),
        np.empty(n_edges, np.int64),
    )


@inner_kernel
def start_at(step, v, sums):
    """List a vertex where walks end, `step` steps from where they start."""
    here = step * sums.stride
    sums.near[here + sums.size[step]] = v
    sums.size[step] += 1
    sums.ahead[here + v] = 1.0
    sums.ahead_size[here + v] = 1.0
    sums.behind[here + v] = 0.0


@inner_kernel
def _back_along_edges(s, first, o, operators, sums):
    """From the vertices of step s + 1 to those of step s."""
    now = sums.clock[0]
    here = s * sums.stride
    there = here + sums.stride
    size = 0
    for k in range(sums.size[s + 1]):
        v = sums.near[there + k]
        over = operators.divisor[o, first + v] if operators.divisor.shape[1] > 0 else 1.0
        for e in range(operators.indptr[o, first + v], operators.indptr[o, first + v + 1]):
            u = np.int64(operators.indices[e])
            weight = np.float64(operators.weights[e]) / over
            if sums.seen[here + u] != now:
                sums.seen[here + u] = now
                sums.near[here + size] = u
                size += 1
                sums.ahead[here + u] = 0.0
                sums.ahead_size[here + u] = 0.0
                sums.behind[here + u] = 0.0
            sums.ahead[here + u] += sums.ahead[there + v] * weight
            sums.ahead_size[here + u] += sums.ahead_size[there + v] * abs(weight)
    sums.size[s] = size


@inner_kernel
def _hand_to_middle(s, first, o, operators, sums):
    """Sum at the vertices between edges what the edges of step s + 1 hold; returns how many."""
    now = sums.clock[0]
    there = (s + 1) * sums.stride
    n_between = 0
    for k in range(sums.size[s + 1]):
        v = sums.near[there + k]
        over = operators.divisor[o, first + v] if operators.divisor.shape[1] > 0 else 1.0
        handed = sums.ahead[there + v] / over
        for e in range(operators.indptr[o, first + v], operators.indptr[o, first + v + 1]):
            m = np.int64(operators.indices[e])
            if sums.between_seen[m] != now:
                sums.between_seen[m] = now
                sums.between[m] = 0.0
                sums.between_near[n_between] = m
                n_between += 1
            sums.between[m] += handed
    return n_between


@inner_kernel
def _take_from_middle(s, m_first, o, n_between, operators, sums):
    """Sum at the edges of step s what the vertices between hold; these are their sizes."""
    now = sums.clock[0]
    here = s * sums.stride
    size = 0
    for k in range(n_between):
        m = sums.between_near[k]
        row = m_first + m
        for e in range(operators.into_indptr[o, row], operators.into_indptr[o, row + 1]):
            u = np.int64(operators.into_sources[e])
            if sums.seen[here + u] != now:
                sums.seen[here + u] = now
                sums.near[here + size] = u
                size += 1
                sums.ahead_size[here + u] = 0.0
            sums.ahead_size[here + u] += sums.between[m]
    sums.size[s] = size


@inner_kernel
def _back_through_vertices(s, first, m_first, o, operators, sums):
    """The same where edges are walked, through the vertices between them; see `incidence`."""
    n_between = _hand_to_middle(s, first, o, operators, sums)
    _take_from_middle(s, m_first, o, n_between, operators, sums)
    here = s * sums.stride
    there = here + sums.stride
    for k in range(sums.size[s]):
        u = sums.near[here + k]
        sums.ahead[here + u] = sums.ahead_size[here + u]
    for k in range(sums.size[s + 1] if operators.skips_itself else 0):
        v = sums.near[there + k]
        ends = operators.indptr[o, first + v + 1] - operators.indptr[o, first + v]
        over = operators.divisor[o, first + v] if operators.divisor.shape[1] > 0 else 1.0
        if ends > 0:
            sums.ahead[here + v] -= ends * sums.ahead[there + v] / over
    for k in range(sums.size[s]):
        u = sums.near[here + k]
        if sums.ahead[here + u] <= NOTHING * sums.ahead_size[here + u]:
            sums.ahead[here + u] = 0.0
        sums.ahead_size[here + u] = sums.ahead[here + u]


@inner_kernel
def walk_back(graphs, g, question, operators, sums):
    """Fill the lists of all steps before the last, where the walks end."""
    first = graphs.vertex_ptr[g]
    o = question.operator
    for s in range(question.length - 1, -1, -1):
        sums.clock[0] += 1
        if operators.endpoint_ptr.shape[0] > 1:
            _back_through_vertices(s, first, operators.endpoint_ptr[g], o, operators, sums)
        else:
            _back_along_edges(s, first, o, operators, sums)


@inner_kernel
def _carry(entry, amount, edges, sums, n_edges):
    """Add to the edges that make an entry, by their shares; returns how many edges are listed."""
    for p in range(edges.entry_ptr[entry], edges.entry_ptr[entry + 1]):
        edge = edges.entry_edges[p]
        if sums.edge_seen[edge] == 0:
            sums.edge_seen[edge] = 1
            sums.edge_near[n_edges] = edge
            sums.edge_part[edge] = 0.0
            n_edges += 1
        sums.edge_part[edge] += amount * edges.entry_shares[p]
    return n_edges


@inner_kernel
def walk_on_edges(graphs, g, question, operators, edges, sums, n_edges):
    """Add to edge_part what the walks on each edge carry; returns how many edges are listed.

    behind[0] holds the sizes of the values that walks start with.
    """
    first = graphs.vertex_ptr[g]
    o = question.operator
    for s in range(question.length):
        here = s * sums.stride
        there = here + sums.stride
        for k in range(sums.size[s + 1]):
            v = sums.near[there + k]
            over = operators.divisor[o, first + v] if operators.divisor.shape[1] > 0 else 1.0
            for e in range(operators.indptr[o, first + v], operators.indptr[o, first + v + 1]):
                size = abs(np.float64(operators.weights[e]))
                carried = sums.behind[here + np.int64(operators.indices[e])] * size / over
                sums.behind[there + v] += carried
                carried *= sums.ahead_size[there + v]
                if carried != 0.0:
                    n_edges = _carry(e, carried, edges, sums, n_edges)
    return n_edges
