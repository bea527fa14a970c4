"""Twins of the kernels of `importance`; see `reference`."""

from __future__ import annotations

import numpy as np

from graphtrees._layout import CYCLE, SOURCE, TARGET
from graphtrees.kernels.reference import Graphs, Nodes, Step, follow


def _edges_of_walks(starts, ends, length, g, graphs: Graphs, operator, entries) -> set[int]:
    """The edges on some walk from one of the starts to one of the ends; both are masks."""
    first, n = graphs.vertex_ptr[g], len(starts)
    indptr = graphs.indptr[operator]
    steps = [
        (e, int(graphs.indices[e]), v)
        for v in range(n)
        for e in range(indptr[first + v], indptr[first + v + 1])
    ]
    after, before = [starts], [ends]  # who can be reached, and who can still arrive, in k steps
    for _ in range(length - 1):
        after.append(np.isin(np.arange(n), [v for _, u, v in steps if after[-1][u]]))
        before.append(np.isin(np.arange(n), [u for _, u, v in steps if before[-1][v]]))
    entry_ptr, entry_edges = entries
    return {
        int(edge)
        for k in range(length)
        for e, u, v in steps
        if after[k][u] and before[length - 1 - k][v]
        for edge in entry_edges[entry_ptr[e] : entry_ptr[e + 1]]
    }


def _edges_used(step: Step, vertex, g, graphs: Graphs, nodes: Nodes, entries) -> set[int]:
    """The edges of the walks that one question keeps and that end where its value is read."""
    length, walk_type = nodes.length[step.node], nodes.walk_type[step.node]
    everyone = np.ones_like(step.inside)
    ends = everyone if walk_type == SOURCE else step.inside
    if vertex >= 0:
        ends = ends & (np.arange(len(ends)) == vertex)
    if length == 0 or not len(entries[1]):
        return set()
    operator = nodes.operator[step.node]
    if walk_type != CYCLE:
        starts = everyone if walk_type == TARGET else step.inside
        return _edges_of_walks(starts, ends, length, g, graphs, operator, entries)
    alone = [np.arange(len(ends)) == v for v in np.flatnonzero(ends)]
    found = [_edges_of_walks(one, one, length, g, graphs, operator, entries) for one in alone]
    return set().union(*found)


def _shares(counts: np.ndarray) -> np.ndarray:
    """2^-rank; the largest count has rank 1, equal counts share the smaller rank."""
    return np.array([0.5 ** (1 + np.count_nonzero(counts > c)) for c in counts])


def importance(
    job_graph, job_start, job_stop, example_vertex, example_output,
    vertex_ptr, edge_ptr, x_ptr, lane_ptr, lane_features, x,
    indptr, indices, weights, divisor, middle_ptr, in_indptr, in_indices, beside, diagonal,
    entry_ptr, entry_edges,
    tree_ptr, feature, operator, length, walk_type, aggregator, pointer_depth, sign, threshold,
    missing_left, left, right, depth, speaks, said, deepest, longest, with_edges,
    vertex_start, vertex_sum, edge_start, edge_sum, edge_base, leaf_of,
):  # fmt: skip
    graphs = Graphs(
        vertex_ptr, x_ptr, lane_ptr, lane_features, False, x, indptr, indices, weights, divisor,
        middle_ptr, in_indptr, in_indices, beside, diagonal,
    )  # fmt: skip
    nodes = Nodes(
        feature, operator, length, walk_type, aggregator, pointer_depth, sign, threshold,
        missing_left, left, right,
    )  # fmt: skip
    for g, start, stop in zip(job_graph, job_start, job_stop, strict=True):
        n, n_edges = vertex_ptr[g + 1] - vertex_ptr[g], edge_ptr[g + 1] - edge_ptr[g]
        for e in range(start, stop):
            for t in range(len(tree_ptr) - 1):
                leaf_of[e, t] = -1
                if not speaks[t, example_output[e]]:
                    continue
                steps, leaf = follow(graphs, nodes, g, example_vertex[e], tree_ptr[t])
                leaf_of[e, t] = leaf - tree_ptr[t]
                weight = said[leaf, example_output[e]]
                count = sum((step.inside.astype(int) for step in steps), np.zeros(n, int))
                vertex_sum[vertex_start[e] : vertex_start[e] + n] += weight * _shares(count)
                if with_edges:
                    count = np.zeros(n_edges + 1, int)  # one more, which nobody uses
                    for step in steps:
                        entries = entry_ptr, entry_edges
                        used = _edges_used(step, example_vertex[e], g, graphs, nodes, entries)
                        count[list(used)] += 1
                    *shares, base = _shares(count)
                    edge_base[e] += weight * base
                    at = slice(edge_start[e], edge_start[e] + n_edges)
                    edge_sum[at] += weight * (np.array(shares) - base)


def trace(
    g, vertex, vertex_ptr, edge_ptr, x_ptr, lane_ptr, lane_features, x,
    indptr, indices, weights, divisor, middle_ptr, in_indptr, in_indices, beside, diagonal,
    entry_ptr, entry_edges,
    root, feature, operator, length, walk_type, aggregator, pointer_depth, sign, threshold,
    missing_left, left, right, longest, nodes, values, z, codes, used_ptr, used,
):  # fmt: skip
    graphs = Graphs(
        vertex_ptr, x_ptr, lane_ptr, lane_features, False, x, indptr, indices, weights, divisor,
        middle_ptr, in_indptr, in_indices, beside, diagonal,
    )  # fmt: skip
    questions = Nodes(
        feature, operator, length, walk_type, aggregator, pointer_depth, sign, threshold,
        missing_left, left, right,
    )  # fmt: skip
    steps, leaf = follow(graphs, questions, g, vertex, root)
    n = z.shape[1]
    used_ptr[0] = 0
    for k, step in enumerate(steps):
        nodes[k], values[k], z[k] = step.node - root, step.phi, step.z
        codes[k * n : (k + 1) * n] = step.made
        found = sorted(_edges_used(step, vertex, g, graphs, questions, (entry_ptr, entry_edges)))
        used_ptr[k + 1] = used_ptr[k] + len(found)
        used[used_ptr[k] : used_ptr[k + 1]] = found
    nodes[len(steps)] = leaf - root
    return len(steps)
