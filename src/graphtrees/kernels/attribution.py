"""Share every step of an example's path among the vertices and edges that its value came from.

A step from a node to its child changes what the tree says. Its value φ is a sum over walks, so
each change is shared by the walks: a vertex has those that start at it, an edge those it lies on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphtrees.kernels._jit import kernel
from graphtrees.kernels.importance import _ask, _make_subsets, _part, _values_of

SOURCE, CYCLE, TARGET = 0, 1, 2
MIN_OF, MAX_OF = 2, 3
# A sum that is this much smaller than its terms is what rounding left of 0.
NOTHING = 1e-12


class Operators(NamedTuple):
    """The operators of all graphs end to end, and the edges behind each of their entries."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    divisor: np.ndarray
    middle_ptr: np.ndarray
    in_indptr: np.ndarray
    in_indices: np.ndarray
    beside: bool
    diagonal: np.ndarray
    entry_ptr: np.ndarray
    entry_edges: np.ndarray
    entry_shares: np.ndarray


class Nodes(NamedTuple):
    """The nodes of all trees end to end; `said` is what each adds to each output."""

    feature: np.ndarray
    operator: np.ndarray
    length: np.ndarray
    walk_type: np.ndarray
    aggregator: np.ndarray
    pointer_depth: np.ndarray
    sign: np.ndarray
    threshold: np.ndarray
    missing_left: np.ndarray
    left: np.ndarray
    right: np.ndarray
    depth: np.ndarray
    said: np.ndarray


class Shares(NamedTuple):
    """Example e owns vertex[vertex_start[e]:] and edge[edge_start[e]:]."""

    vertex_start: np.ndarray
    vertex: np.ndarray
    edge_start: np.ndarray
    edge: np.ndarray
    absence: np.ndarray
    no_walk: np.ndarray
    leaf: np.ndarray  # (example, tree), -1 where the tree does not speak


class Scratch(NamedTuple):
    """By step of a walk: who may stand there (`near`, `size` of them), and sums over walks.

    `ahead` sums the walks from a vertex to the end, `ahead_size` their sizes, `behind` the sizes
    of those that lead to it, each times the size of the value where it starts.
    """

    size: np.ndarray
    near: np.ndarray
    seen: np.ndarray
    ahead: np.ndarray
    ahead_size: np.ndarray
    behind: np.ndarray
    clock: np.ndarray
    between: np.ndarray  # sums at the vertices between edges
    between_near: np.ndarray
    between_seen: np.ndarray
    part: np.ndarray  # by vertex
    edge_part: np.ndarray
    edge_seen: np.ndarray
    edge_near: np.ndarray


# Handing over a NamedTuple counts references to all its arrays: loops read arrays of their own, and
# call nothing.


@kernel
def _back_along_edges(
    now, first, n_from, near_from, ahead_from, sizes_from, indptr, indices, weights, divisor, seen,
    near, ahead, sizes, behind,
):  # fmt: skip
    """From the vertices of one step to those of the step before; returns how many these are."""
    size = 0
    for k in range(n_from):
        v = near_from[k]
        over = divisor[first + v]
        for e in range(indptr[first + v], indptr[first + v + 1]):
            u = np.int64(indices[e])
            weight = np.float64(weights[e]) / over
            if seen[u] != now:
                seen[u] = now
                near[size] = u
                size += 1
                ahead[u], sizes[u], behind[u] = 0.0, 0.0, 0.0
            ahead[u] += ahead_from[v] * weight
            sizes[u] += sizes_from[v] * abs(weight)
    return size


@kernel
def _back_through_vertices(
    now, first, m_first, n_from, near_from, ahead_from, indptr, indices, divisor, in_indptr,
    in_indices, beside, seen, near, ahead, sizes, between_seen, between_near, between,
):  # fmt: skip
    """The same where edges are walked, through the vertices between them; see `incidence`."""
    n_between = 0
    for k in range(n_from):
        v = near_from[k]
        handed = ahead_from[v] / divisor[first + v]
        for e in range(indptr[first + v], indptr[first + v + 1]):
            m = np.int64(indices[e])
            if between_seen[m] != now:
                between_seen[m] = now
                between[m] = 0.0
                between_near[n_between] = m
                n_between += 1
            between[m] += handed
    size = 0
    for k in range(n_between):
        m = between_near[k]
        for e in range(in_indptr[m_first + m], in_indptr[m_first + m + 1]):
            u = np.int64(in_indices[e])
            if seen[u] != now:
                seen[u] = now
                near[size] = u
                size += 1
                sizes[u] = 0.0
            sizes[u] += between[m]
    for k in range(size):
        ahead[near[k]] = sizes[near[k]]
    for k in range(n_from if beside else 0):
        v = near_from[k]
        ends = indptr[first + v + 1] - indptr[first + v]
        if ends > 0:
            ahead[v] -= ends * ahead_from[v] / divisor[first + v]
    for k in range(size):
        u = near[k]
        if ahead[u] <= NOTHING * sizes[u]:
            ahead[u] = 0.0
        sizes[u] = ahead[u]
    return size


@kernel
def _walk_back(g, first, o, length, ops, work):
    """Fill the lists of all steps before the last, from which the walks end."""
    for s in range(length - 1, -1, -1):
        work.clock[0] += 1
        if ops.middle_ptr.shape[0] > 1:
            work.size[s] = _back_through_vertices(
                work.clock[0], first, ops.middle_ptr[g], work.size[s + 1], work.near[s + 1],
                work.ahead[s + 1], ops.indptr[o], ops.indices, ops.divisor[o], ops.in_indptr[o],
                ops.in_indices, ops.beside, work.seen[s], work.near[s], work.ahead[s],
                work.ahead_size[s], work.between_seen, work.between_near, work.between,
            )  # fmt: skip
        else:
            work.size[s] = _back_along_edges(
                work.clock[0], first, work.size[s + 1], work.near[s + 1], work.ahead[s + 1],
                work.ahead_size[s + 1], ops.indptr[o], ops.indices, ops.weights, ops.divisor[o],
                work.seen[s], work.near[s], work.ahead[s], work.ahead_size[s], work.behind[s],
            )  # fmt: skip


@kernel
def _add_step(
    first, n_to, near_to, behind_from, behind_to, sizes_to, indptr, indices, weights, divisor,
    entry_ptr, entry_edges, entry_shares, edge_seen, edge_near, edge_part, n_edges,
):  # fmt: skip
    """One step forward: what it carries, to its vertices and to the edges; see `_add_edges`."""
    for k in range(n_to):
        v = near_to[k]
        over = divisor[first + v]
        for e in range(indptr[first + v], indptr[first + v + 1]):
            carried = behind_from[np.int64(indices[e])] * abs(np.float64(weights[e])) / over
            behind_to[v] += carried
            carried *= sizes_to[v]
            if carried == 0.0:
                continue
            for p in range(entry_ptr[e], entry_ptr[e + 1]):
                edge = entry_edges[p]
                if edge_seen[edge] == 0:
                    edge_seen[edge] = 1
                    edge_near[n_edges] = edge
                    edge_part[edge] = 0.0
                    n_edges += 1
                edge_part[edge] += carried * entry_shares[p]
    return n_edges


@kernel
def _add_edges(first, o, length, ops, work, n_edges):
    """Add to edge_part what the walks on each edge carry; returns how many edges are listed.

    behind[0] holds the sizes of the values that walks start with.
    """
    for s in range(length):
        n_edges = _add_step(
            first, work.size[s + 1], work.near[s + 1], work.behind[s], work.behind[s + 1],
            work.ahead_size[s + 1], ops.indptr[o], ops.indices, ops.weights, ops.divisor[o],
            ops.entry_ptr, ops.entry_edges, ops.entry_shares, work.edge_seen, work.edge_near,
            work.edge_part, n_edges,
        )  # fmt: skip
    return n_edges


@kernel
def _start_walks(n_starts, near, ahead, sizes, f, codes, shift, want, part, behind):
    """The parts of the vertices that walks start at, and the sizes that edges carry on."""
    for k in range(n_starts):
        u = near[k]
        value = np.float64(f[u])
        if value != value or (want != 0 and codes[shift + u] != want):
            value = 0.0
        size = abs(ahead[u] * value)
        part[u] = 0.0 if size <= NOTHING * sizes[u] * abs(value) else size
        behind[u] = abs(value)


@kernel
def _list_ends(
    n, vertex, walk_type, aggregator, phi, z, codes, shift, want, near, ahead, sizes, behind
):
    """List where φ is read: every vertex of its domain, or the example's own; returns how many.

    The smallest and the largest of a graph are read where they are attained.
    """
    size = 0
    low = vertex if vertex >= 0 else 0
    high = vertex + 1 if vertex >= 0 else n
    inside_alone = want != 0 and walk_type != SOURCE
    for v in range(low, high):
        outside = inside_alone and codes[shift + v] != want
        if not outside and (aggregator < MIN_OF or z[v] == phi):
            near[size] = v
            size += 1
            ahead[v], sizes[v], behind[v] = 1.0, 1.0, 0.0
    return size


@kernel
def _closed_parts(first, o, length, f, ops, work):
    """The parts of vertices where walks end where they began."""
    for k in range(work.size[length]):
        v = work.near[length, k]
        value = np.float64(f[v])
        known = value == value
        work.part[v] = abs(ops.diagonal[o, length - 1, first + v] * value) if known else 0.0


@kernel
def _closed_edges(g, first, o, length, f, ops, work):
    """The edges on closed walks: of every vertex by itself."""
    n_edges = 0
    n_ends = work.size[length]
    ends = work.near[length, :n_ends].copy()
    for v in ends:
        value = np.float64(f[v])
        if value != value or value == 0.0:
            continue
        work.size[length] = 1
        work.near[length, 0] = v
        work.ahead[length, v], work.ahead_size[length, v], work.behind[length, v] = 1.0, 1.0, 0.0
        _walk_back(g, first, o, length, ops, work)
        if work.seen[0, v] == work.clock[0]:
            work.behind[0, v] = abs(value)
            n_edges = _add_edges(first, o, length, ops, work, n_edges)
    return n_edges


@kernel
def _own_parts(length, f, codes, shift, want, work):
    """The parts of vertices where no step is taken."""
    for k in range(work.size[length]):
        v = work.near[length, k]
        value = np.float64(f[v])
        inside = want == 0 or codes[shift + v] == want
        work.part[v] = abs(value) if inside and value == value else 0.0


@kernel
def _share(example, amount, starts, n_edges, with_edges, shares, work):
    """Share one change among the vertices that walks start at, and the edges listed."""
    total = 0.0
    for k in range(starts.shape[0]):
        total += work.part[starts[k]]
    if total == 0.0:
        shares.absence[example] += amount
    else:
        for k in range(starts.shape[0]):
            v = starts[k]
            shares.vertex[shares.vertex_start[example] + v] += amount * (work.part[v] / total)
    on_edges = 0.0
    for k in range(n_edges):
        on_edges += work.edge_part[work.edge_near[k]]
    for k in range(n_edges):
        edge = work.edge_near[k]
        work.edge_seen[edge] = 0
        if total > 0.0 and on_edges > 0.0:
            share = work.edge_part[edge] / on_edges
            shares.edge[shares.edge_start[example] + edge] += amount * share
    if total > 0.0 and with_edges and on_edges == 0.0:
        shares.no_walk[example] += amount


@kernel
def _share_step(
    g, node, example, vertex, amount, phi, n, vertex_ptr, f, z, codes, shift, with_edges, nodes,
    ops, shares, work,
):  # fmt: skip
    """Share what one step of one example changed."""
    value = z[vertex] if vertex >= 0 else phi
    if value != value:
        shares.absence[example] += amount
        return
    first = vertex_ptr[g]
    o = nodes.operator[node]
    length = nodes.length[node]
    walk_type = nodes.walk_type[node]
    want = np.int64(nodes.sign[node])
    work.size[length] = _list_ends(
        n, vertex, walk_type, nodes.aggregator[node], phi, z, codes, shift, want,
        work.near[length], work.ahead[length], work.ahead_size[length], work.behind[length],
    )  # fmt: skip
    n_edges = 0
    if length == 0:
        _own_parts(length, f, codes, shift, want, work)
        starts = work.near[0, : work.size[0]]
    elif walk_type == CYCLE:
        _closed_parts(first, o, length, f, ops, work)
        starts = work.near[length, : work.size[length]].copy()
        if with_edges:
            n_edges = _closed_edges(g, first, o, length, f, ops, work)
    else:
        _walk_back(g, first, o, length, ops, work)
        _start_walks(
            work.size[0], work.near[0], work.ahead[0], work.ahead_size[0], f, codes, shift,
            0 if walk_type == TARGET else want, work.part, work.behind[0],
        )  # fmt: skip
        starts = work.near[0, : work.size[0]]
        if with_edges:
            n_edges = _add_edges(first, o, length, ops, work, n_edges)
    _share(example, amount, starts, n_edges, with_edges, shares, work)


@kernel
def _make_scratch(longest, n, n_edges, n_between):
    steps = longest + 1
    return Scratch(
        np.zeros(steps, np.int64),
        np.empty((steps, n), np.int64),
        np.zeros((steps, n), np.int64),
        np.empty((steps, n)),
        np.empty((steps, n)),
        np.empty((steps, n)),
        np.zeros(1, np.int64),
        np.empty(n_between),
        np.empty(n_between, np.int64),
        np.zeros(n_between, np.int64),
        np.empty(n),
        np.empty(n_edges),
        np.zeros(n_edges, np.uint8),
        np.empty(n_edges, np.int64),
    )


@kernel
def attribute(
    job_graph, job_start, job_stop, example_vertex, example_output, vertex_ptr, edge_ptr, x_ptr,
    lane_ptr, lane_features, x, ops, tree_ptr, nodes, speaks, deepest, longest, with_edges, shares,
):  # fmt: skip
    """Share the steps of all trees that speak for the outputs of some examples.

    A job is a stretch of examples of one graph: each question is asked of the graph once for all
    of them, going down a tree depth first as `importance` does.
    """
    most, crowd, most_edges, most_between = 1, 1, 1, 1
    for job in range(job_graph.shape[0]):
        g = job_graph[job]
        most = max(most, vertex_ptr[g + 1] - vertex_ptr[g])
        most_edges = max(most_edges, edge_ptr[g + 1] - edge_ptr[g])
        crowd = max(crowd, job_stop[job] - job_start[job])
        if ops.middle_ptr.shape[0] > 1:
            most_between = max(most_between, ops.middle_ptr[g + 1] - ops.middle_ptr[g])
    work = _make_scratch(longest, most, most_edges, most_between)
    sums, errors = np.empty(most_between), np.empty(most_between)
    z, spare, f = (
        np.empty(most, np.float32), np.empty(most, np.float32), np.empty(most, np.float32),
    )  # fmt: skip
    codes = np.zeros((deepest + 1) * most, np.uint8)
    order, aside = np.empty(crowd, np.int64), np.empty(crowd, np.int64)
    stack = np.empty((deepest + 2, 3), np.int64)
    for job in range(job_graph.shape[0]):
        g = job_graph[job]
        n = vertex_ptr[g + 1] - vertex_ptr[g]
        for t in range(tree_ptr.shape[0] - 1):
            heard = 0
            for e in range(job_start[job], job_stop[job]):
                if speaks[t, example_output[e]]:
                    order[heard] = e
                    heard += 1
            top = 1 if heard > 0 else 0
            stack[0, 0], stack[0, 1], stack[0, 2] = tree_ptr[t], 0, heard
            while top > 0:
                top -= 1
                node, start, stop = stack[top, 0], stack[top, 1], stack[top, 2]
                if nodes.left[node] < 0:
                    for k in range(start, stop):
                        shares.leaf[order[k], t] = node - tree_ptr[t]
                    continue
                shift = np.int64(nodes.pointer_depth[node]) * most
                phi = _ask(
                    g, node, vertex_ptr, x_ptr, lane_ptr, lane_features, x, ops.indptr,
                    ops.indices, ops.weights, ops.divisor, ops.middle_ptr, ops.in_indptr,
                    ops.in_indices, ops.beside, ops.diagonal, nodes.feature, nodes.operator,
                    nodes.length, nodes.walk_type, nodes.aggregator, nodes.sign, codes, shift, z,
                    spare, sums, errors,
                )  # fmt: skip
                _make_subsets(
                    n, z, nodes.aggregator[node], nodes.threshold[node], nodes.missing_left[node],
                    codes, shift, np.int64(nodes.sign[node]), np.int64(nodes.depth[node]) * most,
                )  # fmt: skip
                middle = _part(
                    node, phi, z, nodes.aggregator, nodes.threshold, nodes.missing_left,
                    example_vertex, order, start, stop, aside,
                )  # fmt: skip
                _values_of(
                    lane_features, lane_ptr[g], lane_ptr[g + 1], nodes.feature[node], n, x_ptr[g],
                    x, f,
                )  # fmt: skip
                left, right = tree_ptr[t] + nodes.left[node], tree_ptr[t] + nodes.right[node]
                for k in range(start, stop):
                    e = order[k]
                    output = example_output[e]
                    child = left if k < middle else right
                    amount = nodes.said[child, output] - nodes.said[node, output]
                    if amount != 0.0:
                        _share_step(
                            g, node, e, example_vertex[e], amount, phi, n, vertex_ptr, f, z, codes,
                            shift, with_edges, nodes, ops, shares, work,
                        )  # fmt: skip
                if middle < stop:
                    stack[top, 0], stack[top, 1], stack[top, 2] = right, middle, stop
                    top += 1
                if start < middle:
                    stack[top, 0], stack[top, 1], stack[top, 2] = left, start, middle
                    top += 1
