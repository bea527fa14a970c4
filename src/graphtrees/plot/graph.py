"""Draw a graph as it is, before any model."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees._optional import require
from graphtrees.graphs import Graph
from graphtrees.graphs.validation.arguments import as_count
from graphtrees.plot.axes import INK, an_axes, check_title, importance_colours
from graphtrees.plot.explanation import FIGURE
from graphtrees.plot.labels import draw_labels, write_below
from graphtrees.plot.molecules import bond_orders, column_of
from graphtrees.plot.shapes import diameters, draw_edges, edges_between, frame, place_vertices
from graphtrees.plot.visible import drawable, feature_number, labels_of, within

PLAIN = "#dbe7f3"
# For categories; ten that all kinds of colour vision tell apart, then they repeat.
KINDS = ("#a6cee3", "#fdbf6f", "#b2df8a", "#fb9a99", "#cab2d6", "#ffff99", "#b3b3b3", "#66c2a5",
         "#e7c6a5", "#8da0cb")  # fmt: skip


def plot_graph(
    graph: Graph,
    ax: Any = None,
    *,
    labels: Any = None,
    color: str | None = None,
    layout: Any = None,
    max_vertices: int = 300,
    title: str | None = None,
) -> Any:
    """Draw a graph; ``graph.plot()`` is the same as this.

    Parameters
    ----------
    graph : Graph
        What to draw.
    ax : matplotlib Axes, optional
        Where to draw; default: a new figure.
    labels : str or sequence, optional
        What to write at the vertices: the name of a feature, or one text for each vertex. Default:
        the elements of a molecule, else their names, else their only categorical feature, else
        their numbers.
    color : str, optional
        The name of a feature to colour the vertices by.
    layout : array of shape (n_vertices, 2), optional
        Where the vertices lie. Default: molecules as RDKit draws them, where it is installed,
        else distances on paper like distances along edges.
    max_vertices : int, default=300
        Of a larger graph, draw so many around the vertex with the most edges.
    title : str, optional
        Default: none.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import graphtrees as gt
    >>> path = gt.Graph([[1], [2], [5]], [(0, 1), (1, 2)], feature_names=["size"])
    >>> ax = gt.plot_graph(path, color="size", title="a path")
    >>> ax.get_title()
    'a path'
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"plot_graph takes a Graph; got {type(graph).__name__}")
    max_vertices = as_count(max_vertices, "max_vertices")
    check_title(title)
    texts = labels_of(graph, labels)
    feature = None if color is None else feature_number(graph, color, "color")
    ax = an_axes(ax, "Graph.plot", FIGURE)
    shown = _some_of(graph, max_vertices)
    drawn, ends = edges_between(graph, shown)
    place = place_vertices(graph, layout, shown, ends, np.empty(0, int))
    step = frame(ax, place)
    orders = bond_orders(graph)
    grey = np.tile([0.6, 0.63, 0.67, 1.0], (len(drawn), 1))
    draw_edges(ax, place, ends, np.full(len(drawn), 0.15), grey, step, graph.directed,
               None if orders is None else orders[drawn])  # fmt: skip
    across = diameters(np.full(len(shown), 0.6), step)
    faces = _draw_vertices(ax, graph, feature, place, shown, across, step)
    ax.set_title(drawable(_title(graph) if title is None else title), fontsize=10, color=INK,
                 parse_math=False)  # fmt: skip
    cut = len(shown) < graph.n_vertices
    note = write_below(ax, [f"{len(shown)} of {graph.n_vertices:,} vertices"] if cut else [])
    order = np.argsort(-_degrees(graph)[shown], kind="stable")
    draw_labels(ax, place, [texts[v] for v in shown], order, 12, across, faces, step, note)
    return ax


def _some_of(graph: Graph, most: int) -> np.ndarray:
    """All vertices, or those nearest to the one with the most edges."""
    n = graph.n_vertices
    if n <= most:
        return np.arange(n)
    degree = _degrees(graph)
    distance = np.full(n, n)
    reached = np.array([int(degree.argmax())])
    for steps in range(n):
        inside = within(graph, reached, 1)
        fresh = inside & (distance == n)
        distance[fresh] = steps
        if inside.sum() == len(reached) or inside.sum() >= most:
            break
        reached = np.flatnonzero(inside)
    return np.sort(np.lexsort((-degree, distance))[:most])


def _degrees(graph: Graph) -> np.ndarray:
    return np.bincount(graph.edge_index.ravel(), minlength=graph.n_vertices)


def _draw_vertices(
    ax: Any, graph: Graph, feature: int | None, place: np.ndarray, shown: np.ndarray,
    across: np.ndarray, step: float,
) -> np.ndarray:  # fmt: skip
    """The dots; returns their colours."""
    style = {"s": across**2, "edgecolors": "#6b7280", "linewidths": 0.4 + 0.4 * (step > 15),
             "zorder": 3}  # fmt: skip
    to_rgba = require("matplotlib.colors", extra="plot", purpose="Graph.plot").to_rgba
    if feature is None or len(shown) == 0:
        ax.scatter(place[:, 0], place[:, 1], c=[PLAIN] * len(shown), **style)
        return np.tile(to_rgba(PLAIN), (len(shown), 1))
    assert graph.feature_names is not None
    name, values = graph.feature_names[feature], column_of(graph, feature)[shown]
    known = graph.categories.get(feature)
    if known is None:
        dots = ax.scatter(place[:, 0], place[:, 1], c=values, cmap=importance_colours(),
                          plotnonfinite=True, **style)  # fmt: skip
        bar = ax.figure.colorbar(dots, ax=ax, shrink=0.6, aspect=25, pad=0.02)
        bar.set_label(drawable(name), color=INK, fontsize=9, parse_math=False)
        return dots.to_rgba(values)
    codes = np.where(np.isnan(values), -1, values).astype(int)
    faces = np.array([to_rgba("white" if c < 0 else KINDS[c % len(KINDS)]) for c in codes])
    ax.scatter(place[:, 0], place[:, 1], c=faces, **style)
    for code in np.unique(codes[codes >= 0]).tolist():
        ax.scatter([], [], c=[KINDS[code % len(KINDS)]], edgecolors="#6b7280",
                   label=drawable(str(known[code])))  # fmt: skip
    ax.legend(title=drawable(name), frameon=False, fontsize=8, title_fontsize=9, loc="center left",
              bbox_to_anchor=(1.0, 0.5))  # fmt: skip
    return faces


def _title(graph: Graph) -> str:
    many = ("vertex" if graph.n_vertices == 1 else "vertices", "edge" + "s" * (graph.n_edges != 1))
    return f"{graph.n_vertices:,} {many[0]}, {graph.n_edges:,} {many[1]}"
