"""How strongly to draw vertices and edges, and with which sign."""

from __future__ import annotations

import numpy as np

from graphtrees.explain.explanation import Explanation

# Edges are drawn fainter where the largest of them adds less than this share of a vertex.
FAINT_EDGES = 0.3
CARRIED = 0.95  # of the importance is carried by the vertices that are pointed out,
LEAST = 0.02  # each of which has at least this share of the largest


def strengths(explanation: Explanation, what: str, which: np.ndarray) -> np.ndarray:
    """-1 … 1 for some vertices or edges: 1 adds most, negative ones speak against.

    By the paper's method there is no sign: 0 is the faintest, 1 the strongest.
    """
    if explanation.method == "paper":
        return shares(getattr(explanation, f"{what}_importance")[which])
    values = getattr(explanation, f"{what}_attribution")
    largest = float(np.abs(values).max(initial=0.0))
    if what == "edge":
        vertices = np.abs(explanation.vertex_attribution)
        largest = max(largest, FAINT_EDGES * float(vertices.max(initial=0.0)))
    return values[which] / largest if largest > 0 else np.zeros(len(which))


def span(values: np.ndarray) -> tuple[float, float]:
    """The importances that are drawn faintest and strongest.

    All differences would look large if the least were always faintest: it is so only where it is
    at most half of the most. Where all are equal they are drawn alike, neither faint nor strong.
    """
    most, least = float(values.max(initial=0.0)), float(values.min(initial=1.0))
    if most <= 0 or most - least <= 1e-9 * most:
        return 0.0, max(2 * most, 1e-12)
    return min(least, most / 2), most


def shares(values: np.ndarray) -> np.ndarray:
    """0 for the faintest, 1 for the strongest."""
    low, high = span(values)
    return (values - low) / (high - low)


def carriers(explanation: Explanation) -> np.ndarray:
    """The vertices that carry nearly all of the importance, the most important first.

    Empty where nothing tells the vertices apart.
    """
    values = explanation.vertex_importance
    if len(values) < 2 or values.max() - values.min() <= 1e-9 * values.max():
        return np.empty(0, np.int64)
    order = np.lexsort((-_edges_beside(explanation), -np.round(values, 12)))
    before = np.cumsum(values[order]) - values[order]
    return order[(before < CARRIED) & (values[order] > LEAST * values.max())]


def by_importance(explanation: Explanation, vertices: np.ndarray) -> np.ndarray:
    """Places in `vertices`, the most important first; of equal ones, those with such edges."""
    rounded = np.round(explanation.vertex_importance[vertices], 12)
    return np.lexsort((-_edges_beside(explanation)[vertices], -rounded))


def _edges_beside(explanation: Explanation) -> np.ndarray:
    ends = explanation.graph.edge_index.ravel()
    beside = np.tile(explanation.edge_importance, 2)
    return np.bincount(ends, beside, minlength=explanation.graph.n_vertices)
