"""Which vertices of an explanation to draw, and what to write at them."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees.explain.explanation import Explanation
from graphtrees.graphs import Graph


def choose_vertices(explanation: Explanation, most: int) -> tuple[np.ndarray, str]:
    """The vertices to draw, in order of number, and a note where some are left out.

    Around a vertex or edge that was asked about: everything within the reach of the questions'
    walks. Where that is still too much, the most important.
    """
    graph = explanation.graph
    n = graph.n_vertices
    near = np.ones(n, bool)
    note = ""
    asked = asked_vertices(explanation)
    if len(asked) and n > 1:
        reach = max(1, explanation.reach)
        near = within(graph, asked, reach)
        if not near.all():
            note = f"{near.sum()} of {n:,} vertices: those within {reach} step{'s' * (reach > 1)}"
    chosen = np.flatnonzero(near)
    if len(chosen) > most:
        rank = -explanation.vertex_importance[chosen]
        rank[np.isin(chosen, asked)] = -np.inf
        chosen = np.sort(chosen[np.argsort(rank, kind="stable")[:most]])
        note = f"the {most} most important of {n:,} vertices"
    return chosen, note


def asked_vertices(explanation: Explanation) -> np.ndarray:
    """The vertex that is explained, or the ends of the edge; none for a whole graph."""
    if explanation.edge is not None:
        return np.unique(explanation.graph.edge_index[:, explanation.edge])
    return np.array([] if explanation.vertex is None else [explanation.vertex], dtype=np.int64)


def within(graph: Graph, start: np.ndarray, n_steps: int) -> np.ndarray:
    """Which vertices are at most so many edges away, whatever their direction."""
    inside = np.zeros(graph.n_vertices, bool)
    inside[start] = True
    source, target = graph.edge_index
    for _ in range(n_steps):
        grown = inside.copy()
        grown[target[inside[source]]] = True
        grown[source[inside[target]]] = True
        inside = grown
    return inside


def labels_of(graph: Graph, labels: Any) -> list[str]:
    """What to write at each vertex: a feature by name, given texts, or what tells them apart.

    By default the names of the vertices, else their only categorical feature, else their numbers.
    """
    if labels is not None and not isinstance(labels, str):
        texts = [str(label) for label in labels]
        if len(texts) != graph.n_vertices:
            raise ValueError(
                f"labels must have one entry for each of the {graph.n_vertices} vertices; "
                f"got {len(texts)}"
            )
        return texts
    if labels is not None:
        return _values(graph, _feature(graph, labels))
    if graph.vertex_names is not None:
        return [str(name) for name in graph.vertex_names]
    if len(graph.categories) == 1:
        return _values(graph, next(iter(graph.categories)))
    return [str(vertex) for vertex in range(graph.n_vertices)]


def _feature(graph: Graph, name: str) -> int:
    if graph.feature_names is None or name not in graph.feature_names:
        raise ValueError(f"labels names the feature {name!r}; the graph has {graph.feature_names}")
    return graph.feature_names.index(name)


def _values(graph: Graph, feature: int) -> list[str]:
    column = graph.features[:, [feature]]
    column = column.toarray() if hasattr(column, "toarray") else column
    known = graph.categories.get(feature)
    return [_text(value, known) for value in column[:, 0].tolist()]


def _text(value: float, known: tuple | None) -> str:
    if value != value:
        return "?"
    return f"{value:.3g}" if known is None else str(known[int(value)])
