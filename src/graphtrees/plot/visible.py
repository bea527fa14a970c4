"""Which vertices of an explanation to draw, and what to write at them."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees.explain.explanation import Explanation
from graphtrees.graphs import Graph
from graphtrees.graphs.validation.arguments import as_list
from graphtrees.plot.molecules import column_of, elements_of
from graphtrees.plot.strength import carriers
from graphtrees.questions.text import counted

WHOLE = 60  # graphs of at most so many vertices are drawn whole
SURROUNDED = 40  # of more, so many at least, or half as many again as carry weight
LONGEST_LABEL = 18


def choose_vertices(explanation: Explanation, most: int) -> tuple[np.ndarray, str]:
    """The vertices to draw, in order of number, and a note where some are left out.

    Around a vertex or edge that was asked about: everything within the reach of the questions'
    walks. Where that is much, those that carry weight, and what surrounds them.
    """
    graph = explanation.graph
    n = graph.n_vertices
    near, note = np.ones(n, bool), ""
    asked = asked_vertices(explanation)
    if len(asked) and n > 1:
        reach = max(1, explanation.reach)
        near = within(graph, asked, reach)
        if not near.all():
            note = f"{near.sum()} of {n:,} vertices: those within {counted(reach, 'step')}"
    chosen = np.flatnonzero(near)
    if len(chosen) <= min(most, WHOLE):
        return chosen, note
    weighty = carriers(explanation)
    weighty = weighty[near[weighty]]
    rank = _rank(explanation, chosen, asked, weighty)
    n_core = int((rank < 3).sum())
    limit = min(most, len(chosen), max(SURROUNDED, 3 * n_core // 2) if n_core else most)
    if limit == len(chosen):
        return chosen, note
    order = np.lexsort((-explanation.vertex_importance[chosen], rank))[:limit]
    note = f"the {limit} most important of {n:,} vertices"
    if len(weighty) and limit < most:
        note = f"{limit} of {n:,} vertices: those that carry weight, and some around them"
    return np.sort(chosen[order]), note


def _rank(
    explanation: Explanation, chosen: np.ndarray, asked: np.ndarray, weighty: np.ndarray
) -> np.ndarray:
    """0 asked about, 1 carries weight, 2 lies between these, 3 beside them, 4 any other."""
    graph = explanation.graph
    rank = np.full(graph.n_vertices, 4)
    if len(weighty):
        rank[within(graph, weighty, 1)] = 3
        beside = within(graph, asked, 1)
        rank[within(graph, weighty[~beside[weighty]], 1) & beside] = 2
    rank[weighty] = 1
    rank[asked] = 0
    return rank[chosen]


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

    By default the elements of a molecule, the names of the vertices, else their only categorical
    feature, else their numbers.
    """
    if labels is not None and not isinstance(labels, str):
        texts = [str(label) for label in as_list(labels, "labels", "a feature or a list of texts")]
        if len(texts) != graph.n_vertices:
            raise ValueError(
                f"labels must have one entry for each of the {graph.n_vertices} vertices; "
                f"got {len(texts)}"
            )
        return texts
    if labels is not None:
        return values_of(graph, feature_number(graph, labels, "labels"))
    return _by_default(graph)


def _by_default(graph: Graph) -> list[str]:
    elements = elements_of(graph)
    names = None if graph.vertex_names is None else [str(name) for name in graph.vertex_names]
    if elements is not None and names in (None, [f"{e}{k}" for k, e in enumerate(elements)]):
        return elements
    if names is not None:
        return names
    if len(graph.categories) == 1:
        return values_of(graph, next(iter(graph.categories)))
    return [str(vertex) for vertex in range(graph.n_vertices)]


def shorten(text: str, most: int = LONGEST_LABEL) -> str:
    """A long text without its middle: ids differ at their ends.

    >>> shorten("DE89370400440532013000"), shorten("short")
    ('DE893704…532013000', 'short')
    """
    text = drawable(text)
    if len(text) <= most:
        return text
    front = (most - 1) // 2
    return f"{text[:front]}…{text[len(text) - (most - 1 - front) :]}"


def drawable(text: str) -> str:
    """Text that fonts can draw: half of a surrogate pair has no sign.

    >>> drawable("a\\ud800b")
    'a\ufffdb'
    """
    return "".join("\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in text)


def feature_number(graph: Graph, name: str, parameter: str) -> int:
    if graph.feature_names is None or name not in graph.feature_names:
        raise ValueError(
            f"{parameter} names the feature {name!r}; the graph has {graph.feature_names}"
        )
    return graph.feature_names.index(name)


def values_of(graph: Graph, feature: int) -> list[str]:
    """One feature of every vertex, as text."""
    known = graph.categories.get(feature)
    return [_text(value, known) for value in column_of(graph, feature).tolist()]


def _text(value: float, known: tuple | None) -> str:
    if value != value:
        return "?"
    return f"{value:.3g}" if known is None else str(known[int(value)])
