"""The line graph written out: its vertices are the edges of another graph.

Two edges of an undirected graph are neighbours once for every end they share. In a directed graph
a walk goes on from an edge into a vertex to every edge out of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from oracles.dense import DenseGraph, Labels, encode, operators_of, table_of


class Column(NamedTuple):
    """One feature of every edge."""

    name: str
    cells: list[Any]
    is_label: bool


def dense_lines(graph: Any, labels: Labels, constant: bool = True) -> DenseGraph:
    """The line graph of a `gt.Graph`; `labels` are those of the features of edges."""
    edges = [(int(s), int(t)) for s, t in np.asarray(graph.edge_index).T]
    cells = [column.cells for column in edge_columns(graph)]
    features, columns = encode(len(edges), cells, labels, constant)
    pairs, weights = neighbours(edges, graph.directed)
    operators = operators_of(len(edges), pairs, weights, graph.directed)
    return DenseGraph(features, operators, tuple(pairs), bool(graph.directed), columns)


def neighbours(edges, directed: bool) -> tuple[list[tuple[int, int]], list[float]]:
    """Pairs of edges that follow each other, and how often."""
    pairs, weights = [], []
    for i, one in enumerate(edges):
        for j, other in enumerate(edges):
            if directed:
                times = float(one[1] == other[0])
            else:
                times = float(len(set(one) & set(other))) if i < j else 0.0
            if times:
                pairs.append((i, j))
                weights.append(times)
    return pairs, weights


def edge_columns(graph: Any) -> list[Column]:
    """Its own weight, type and features, then what its two ends have."""
    columns = []
    if graph.edge_weights is not None:
        columns.append(Column("weight", graph.edge_weights.tolist(), False))
    if graph.edge_types is not None:
        columns.append(Column("type", list(graph.edge_types), True))
    for k, name in enumerate(graph.edge_feature_names):
        columns.append(Column(name, graph.edge_features[:, k].tolist(), False))
    sources, targets = graph.edge_index.tolist()
    for k, cells in enumerate(table_of(graph)):
        one, other = [cells[v] for v in sources], [cells[v] for v in targets]
        name = graph.feature_names[k] if graph.feature_names is not None else f"x{k}"
        columns += ends(name, one, other, graph.directed, graph.categories.get(k))
    return columns


def ends(name: str, one: list, other: list, directed: bool, labels) -> list[Column]:
    """The ends of a directed edge in their order; of an undirected one, what has no order."""
    is_label = labels is not None
    if directed:
        return [Column(f"source {name}", one, is_label), Column(f"target {name}", other, is_label)]
    if is_label:
        pairs = [_in_order(a, b) for a, b in zip(one, other, strict=True)]
        return [
            Column(f"{name} of one end", [first for first, _ in pairs], True),
            Column(f"{name} of the other end", [second for _, second in pairs], True),
        ]
    first, second = np.array(one, dtype=float), np.array(other, dtype=float)
    return [
        Column(f"sum of {name}", (first + second).tolist(), False),
        Column(f"least {name}", np.fmin(first, second).tolist(), False),
        Column(f"largest {name}", np.fmax(first, second).tolist(), False),
    ]


def _in_order(a: Any, b: Any) -> tuple[Any, Any]:
    """The smaller label, then the other; where one is missing, both are the other."""
    known = sorted(end for end in (a, b) if end is not None)
    return (known[0], known[-1]) if known else (None, None)
