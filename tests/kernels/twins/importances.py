"""Twins of the kernels of `importance`; see `answers`."""

from __future__ import annotations

import numpy as np

from graphtrees._layout import CYCLE, SOURCE, TARGET
from graphtrees.kernels import records
from graphtrees.kernels.records import EdgeArrays, GraphArrays, NodeArrays, OperatorArrays
from kernels.twins.answers import Step, follow


def _edges_of_walks(
    starts, ends, length, g, graphs: GraphArrays, operators: OperatorArrays, o, edges: EdgeArrays
) -> set[int]:
    """The edges on some walk from one of the starts to one of the ends; both are masks."""
    first, n = graphs.vertex_ptr[g], len(starts)
    indptr = operators.indptr[o]
    steps = [
        (e, int(operators.indices[e]), v)
        for v in range(n)
        for e in range(indptr[first + v], indptr[first + v + 1])
    ]
    after, before = [starts], [ends]  # who can be reached, and who can still arrive, in k steps
    for _ in range(length - 1):
        after.append(np.isin(np.arange(n), [v for _, u, v in steps if after[-1][u]]))
        before.append(np.isin(np.arange(n), [u for _, u, v in steps if before[-1][v]]))
    return {
        int(edge)
        for k in range(length)
        for e, u, v in steps
        if after[k][u] and before[length - 1 - k][v]
        for edge in edges.entry_edges[edges.entry_ptr[e] : edges.entry_ptr[e + 1]]
    }


def _edges_used(
    step: Step, vertex, g, graphs, operators, edges: EdgeArrays, nodes: NodeArrays
) -> set[int]:
    """The edges of the walks that one question keeps and that end where its value is read."""
    row = nodes.table[step.node]
    length, walk_type, o = row[records.LENGTH], row[records.WALK_TYPE], row[records.OPERATOR]
    everyone = np.ones_like(step.inside)
    ends = everyone if walk_type == SOURCE else step.inside
    if vertex >= 0:
        ends = ends & (np.arange(len(ends)) == vertex)
    if length == 0 or not len(edges.entry_edges):
        return set()
    if walk_type != CYCLE:
        starts = everyone if walk_type == TARGET else step.inside
        return _edges_of_walks(starts, ends, length, g, graphs, operators, o, edges)
    alone = [np.arange(len(ends)) == v for v in np.flatnonzero(ends)]
    used = [_edges_of_walks(v, v, length, g, graphs, operators, o, edges) for v in alone]
    return set().union(*used)


def _shares(counts: np.ndarray) -> np.ndarray:
    """2^-rank; the largest count has rank 1, equal counts share the smaller rank."""
    return np.array([0.5 ** (1 + np.count_nonzero(counts > c)) for c in counts])


def importance(jobs, examples, graphs, operators, edges, nodes, contributions, with_edges, sums):
    for g, start, stop in zip(*jobs, strict=True):
        n = graphs.vertex_ptr[g + 1] - graphs.vertex_ptr[g]
        n_edges = edges.edge_ptr[g + 1] - edges.edge_ptr[g]
        for e in range(start, stop):
            vertex, output = examples.vertex[e], examples.output[e]
            for t in range(len(nodes.tree_ptr) - 1):
                sums.leaf_of[e, t] = -1
                if not contributions.adds_to[t, output]:
                    continue
                steps, leaf = follow(graphs, operators, nodes, g, vertex, nodes.tree_ptr[t])
                sums.leaf_of[e, t] = leaf - nodes.tree_ptr[t]
                weight = contributions.amount[leaf, output]
                count = sum((step.inside.astype(int) for step in steps), np.zeros(n, int))
                at = slice(sums.vertex_start[e], sums.vertex_start[e] + n)
                sums.vertex_sum[at] += weight * _shares(count)
                if with_edges:
                    count = np.zeros(n_edges + 1, int)  # one more, which nobody uses
                    for step in steps:
                        used = _edges_used(step, vertex, g, graphs, operators, edges, nodes)
                        count[list(used)] += 1
                    *shares, base = _shares(count)
                    sums.edge_base[e] += weight * base
                    at = slice(sums.edge_start[e], sums.edge_start[e] + n_edges)
                    sums.edge_sum[at] += weight * (np.array(shares) - base)


def trace(g, vertex, tree, graphs, operators, edges, nodes, out):
    root = nodes.tree_ptr[tree]
    steps, leaf = follow(graphs, operators, nodes, g, vertex, root)
    n = out.z.shape[1]
    out.used_ptr[0] = 0
    for k, step in enumerate(steps):
        out.nodes[k], out.values[k], out.z[k] = step.node - root, step.phi, step.z
        out.codes[k * n : (k + 1) * n] = step.made
        used = sorted(_edges_used(step, vertex, g, graphs, operators, edges, nodes))
        out.used_ptr[k + 1] = out.used_ptr[k] + len(used)
        out.used[out.used_ptr[k] : out.used_ptr[k + 1]] = used
    out.nodes[len(steps)] = leaf - root
    return len(steps)
