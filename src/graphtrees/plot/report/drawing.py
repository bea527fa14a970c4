"""The drawing of one example: where its vertices lie, and how important they are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphtrees._threads import one_thread_for_matrices
from graphtrees.explain.explanation import Explanation
from graphtrees.graphs import Graph
from graphtrees.plot.molecules import bond_orders
from graphtrees.plot.report.metrics import digits
from graphtrees.plot.shapes import edges_between, place_vertices
from graphtrees.plot.strength import strengths
from graphtrees.plot.visible import asked_vertices, choose_vertices, labels_of

MOST_EDGES = 1000
GRID = 100  # a length of 1, about that of an edge, in the whole numbers of the page
PARTS = 10_000  # importances are told in parts of so many


@dataclass(frozen=True, eq=False)
class Shown:
    """The vertices and edges of a graph that are drawn, by number."""

    vertices: np.ndarray
    edges: np.ndarray
    note: str


@dataclass
class Drawer:
    """Draws examples; a graph drawn before is laid out once."""

    max_vertices: int
    labels: str | Callable[[Graph], Any] | None
    _places: dict[tuple[int, bytes], np.ndarray] = field(default_factory=dict)
    _texts: dict[int, list[str]] = field(default_factory=dict)

    def forget(self) -> None:
        """Graphs are known by their identity: forget them when they go."""
        self._places.clear()
        self._texts.clear()

    def choose(self, explanation: Explanation) -> Shown:
        vertices, note = choose_vertices(explanation, self.max_vertices)
        edges, _ = edges_between(explanation.graph, vertices)
        if len(edges) > MOST_EDGES:
            rank = -explanation.edge_importance[edges]
            rank[edges == explanation.edge] = -np.inf
            left_out = f"the {MOST_EDGES:,} most important of {len(edges):,} edges"
            note = f"{note}; {left_out}" if note else left_out
            edges = np.sort(edges[np.argsort(rank, kind="stable")[:MOST_EDGES]])
        return Shown(vertices, edges, note)

    def draw(self, explanation: Explanation, shown: Shown) -> dict[str, Any]:
        """As the page reads it: `xy` and `e` (ends of edges) are flat lists of numbers.

        `vi` and `ei` are importances, `vs` and `es` how strongly to draw them, 0 … 100; `va` and
        `ea` what they add to the prediction, `absence` what was added by finding nothing, and
        `graph` what features of the whole graph add, in words.
        """
        graph = explanation.graph
        number_of = np.zeros(graph.n_vertices, np.int64)
        number_of[shown.vertices] = np.arange(len(shown.vertices))
        ends = number_of[graph.edge_index[:, shown.edges]]
        texts = self._labels(graph)
        asked = np.flatnonzero(np.isin(shown.vertices, asked_vertices(explanation)))
        drawing: dict[str, Any] = {
            "v": shown.vertices.tolist(),
            "xy": self._place(graph, shown, ends, asked).ravel().tolist(),
            "e": ends.T.ravel().tolist(),
            **_strength(explanation, "vertex", shown.vertices),
            **_strength(explanation, "edge", shown.edges),
            "l": [texts[vertex] for vertex in shown.vertices],
            "asked": asked.tolist(),
            "note": shown.note,
            "size": [graph.n_vertices, graph.n_edges],
            "absence": digits(explanation.absence, 3),
            "graph": "" if explanation.method == "paper" else explanation.graph_line(),
        }
        orders = bond_orders(graph)
        if orders is not None:
            drawing["bonds"] = orders[shown.edges].tolist()
        if explanation.edge is not None:
            drawing["edge"] = int(np.flatnonzero(shown.edges == explanation.edge)[0])
        if graph.directed:
            drawing["directed"] = 1
        return drawing

    def _labels(self, graph: Graph) -> list[str]:
        if id(graph) not in self._texts:
            labels = self.labels(graph) if callable(self.labels) else self.labels
            self._texts[id(graph)] = labels_of(graph, labels)
        return self._texts[id(graph)]

    def _place(self, graph: Graph, shown: Shown, ends: np.ndarray, asked: np.ndarray) -> np.ndarray:
        """Whole numbers, y downwards, from 0."""
        seen = shown.vertices.tobytes() + shown.edges.tobytes() + asked.tobytes()
        key = id(graph), seen
        if key not in self._places:
            with one_thread_for_matrices():
                place = place_vertices(graph, None, shown.vertices, ends, asked).copy()
            place[:, 1] *= -1
            if len(place):
                place -= place.min(axis=0)
            self._places[key] = np.rint(GRID * place).astype(np.int64)
        return self._places[key]


def _strength(explanation: Explanation, what: str, which: np.ndarray) -> dict[str, list]:
    """Importance, how strongly to draw it, and what is added, where that has a sign."""
    letter = what[0]
    strength = strengths(explanation, what, which)
    values = getattr(explanation, f"{what}_importance")[which]
    drawn: dict[str, list] = {
        f"{letter}i": np.rint(PARTS * values).astype(int).tolist(),
        f"{letter}s": np.rint(100 * np.clip(np.abs(strength), 0.0, 1.0)).astype(int).tolist(),
    }
    if explanation.method != "paper":
        added = getattr(explanation, f"{what}_attribution")[which]
        drawn[f"{letter}a"] = [digits(value, 3) for value in added.tolist()]
    return drawn
