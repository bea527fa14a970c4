"""Draw an explanation: the graph, with what mattered large and dark."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees.explain.explanation import Explanation
from graphtrees.graphs.validation.arguments import as_count
from graphtrees.plot.axes import INK, an_axes, check_title, importance_colours, signed_colours
from graphtrees.plot.labels import draw_labels, write_below
from graphtrees.plot.molecules import bond_orders
from graphtrees.plot.shapes import diameters, draw_edges, edges_between, frame, place_vertices
from graphtrees.plot.strength import by_importance, carriers, span, strengths
from graphtrees.plot.visible import asked_vertices, choose_vertices, drawable, labels_of, shorten
from graphtrees.questions.text import number, signed

FIGURE = (7.0, 5.25)
# Where nothing tells vertices apart and there is no room, so many get their label.
FEW_LABELS = 12
# From this share on, what was not found is worth a word.
WORTH_A_WORD = 0.1


def plot_explanation(
    explanation: Explanation,
    ax: Any = None,
    *,
    labels: Any = None,
    layout: Any = None,
    max_vertices: int = 300,
    title: str | None = None,
    colorbar: bool = True,
) -> Any:
    """Draw a graph with its vertices and edges coloured by what they add to the prediction.

    Blue speaks for the explained class, orange against it; in regression blue raises the number,
    orange lowers it. The larger, the more. What features of the whole graph add is written below.
    By the paper's method dark is important, and there is no sign.

    Parameters
    ----------
    explanation : Explanation
        From ``model.explain(example)``; ``explanation.plot()`` is the same as this.
    ax : matplotlib Axes, optional
        Where to draw; default: a new figure.
    labels : str or sequence, optional
        What to write at the vertices: the name of a feature, or one text for each vertex. Default:
        the elements of a molecule, else their names, else their only categorical feature, else
        their numbers.
    layout : array of shape (n_vertices, 2), optional
        Where the vertices lie. Default: molecules as RDKit draws them, where it is installed;
        many vertices around the one that is explained; else distances on paper like distances
        along edges.
    max_vertices : int, default=300
        Draw at most so many, the most important. Of a large graph only those that carry weight,
        and what surrounds them, are drawn.
    title : str, optional
        Default: what was predicted.
    colorbar : bool, default=True
        Whether to show what the colours stand for.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import graphtrees as gt
    >>> star = gt.Graph(None, [(0, 1), (0, 2), (0, 3)])
    >>> path = gt.Graph(None, [(0, 1), (1, 2), (2, 3)])
    >>> model = gt.GraphTreeClassifier().fit([star, path], ["star", "path"])
    >>> ax = gt.plot_explanation(model.explain(star), title="why a star?")
    >>> ax.get_title()
    'why a star?'
    """
    max_vertices = as_count(max_vertices, "max_vertices")
    check_title(title)
    ax = an_axes(ax, "Explanation.plot", FIGURE)
    graph, explanation = explanation.graph, explanation.without_graph_features()
    shown, note = choose_vertices(explanation, max_vertices)
    texts = labels_of(graph, labels)
    drawn, ends = edges_between(graph, shown)
    asked = np.flatnonzero(np.isin(shown, asked_vertices(explanation)))
    place = place_vertices(graph, layout, shown, ends, asked)
    step = frame(ax, place)
    _draw_edges(ax, explanation, place, ends, drawn, step)
    dots, faces, across = _draw_vertices(ax, explanation, place, shown, step)
    if colorbar and len(shown):
        _draw_bar(ax, dots, explanation)
    ax.set_title(drawable(_title(explanation) if title is None else title), fontsize=10, color=INK,
                 parse_math=False)  # fmt: skip
    below = write_below(ax, _notes(note, explanation))
    order, n_weighty = _label_order(explanation, shown, asked)
    draw_labels(ax, place, [texts[v] for v in shown], order, n_weighty, across, faces, step, below)
    return ax


def _draw_vertices(
    ax: Any, explanation: Explanation, place: np.ndarray, shown: np.ndarray, step: float
) -> tuple[Any, np.ndarray, np.ndarray]:
    """The dots, their colours and their diameters."""
    strength = strengths(explanation, "vertex", shown)
    across = diameters(np.abs(strength), step)
    asked = np.isin(shown, asked_vertices(explanation))
    if explanation.method == "paper":
        values = explanation.vertex_importance[shown]
        (low, high), colours = span(values), importance_colours()
        faces = colours(strength)
    else:
        values = explanation.vertex_attribution[shown]
        high = float(np.abs(explanation.vertex_attribution).max(initial=0.0)) or 1.0
        low, colours = -high, signed_colours()
        faces = colours(0.5 + 0.5 * strength)
    dots = ax.scatter(
        place[:, 0], place[:, 1], s=across**2, c=values, cmap=colours, vmin=low, vmax=high,
        edgecolors=np.where(asked, INK, "#6b7280"),
        linewidths=np.where(asked, 2.5, 0.4 + 0.4 * (step > 15)), zorder=3,
    )  # fmt: skip
    return dots, faces, across


def _draw_edges(
    ax: Any, explanation: Explanation, place: np.ndarray, ends: np.ndarray, drawn: np.ndarray,
    step: float,
) -> None:  # fmt: skip
    strength = strengths(explanation, "edge", drawn)
    share = np.abs(strength)
    if explanation.method == "paper":
        colours = importance_colours()(0.25 + 0.75 * share)
    else:
        colours = signed_colours()(0.5 + 0.5 * np.sign(strength) * (0.3 + 0.7 * share))
    colours[share < 0.02] = [0.78, 0.79, 0.81, 1.0]
    orders = bond_orders(explanation.graph)
    directed = explanation.graph.directed
    chosen = None if orders is None else orders[drawn]
    widths = draw_edges(ax, place, ends, share, colours, step, directed, chosen)
    if explanation.edge is not None:
        (edge,) = np.flatnonzero(drawn == explanation.edge)
        ax.plot(*place[ends[:, edge]].T, color=INK, linewidth=widths[edge] + 5, alpha=0.25,
                solid_capstyle="round", zorder=0.5)  # fmt: skip


def _label_order(
    explanation: Explanation, shown: np.ndarray, asked: np.ndarray
) -> tuple[np.ndarray, int]:
    """First what was asked about, then by importance; and how many of these carry weight."""
    order = by_importance(explanation, shown)
    order = np.concatenate([asked, order[~np.isin(order, asked)]]).astype(int)
    weighty = np.isin(shown[order], carriers(explanation))
    return order, len(asked) + int(weighty[len(asked) :].sum()) if weighty.any() else FEW_LABELS


def _draw_bar(ax: Any, dots: Any, explanation: Explanation) -> None:
    bar = ax.figure.colorbar(dots, ax=ax, shrink=0.6, aspect=25, pad=0.02)
    label = "vertex importance"
    if explanation.method != "paper":
        what = "the prediction" if explanation.class_ is None else f"class {explanation.class_}"
        label = f"what a vertex adds to {shorten(what, 30)}"
    bar.set_label(label, color=INK, fontsize=9, parse_math=False)
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)


def _notes(note: str, explanation: Explanation) -> list[str]:
    """What is not drawn: vertices left out, graph features, what finding nothing added."""
    size = float(np.abs(explanation.vertex_attribution).sum()) + abs(explanation.absence)
    lines = [note] if note else []
    if explanation.method != "paper" and explanation.graph_line():
        lines.append(explanation.graph_line())
    if explanation.method != "paper" and abs(explanation.absence) > WORTH_A_WORD * size:
        absence = signed(float(f"{explanation.absence:.3g}"))
        lines.append(f"what was asked for and not found adds {absence}")
    return lines


def _title(explanation: Explanation) -> str:
    title = f"class {explanation.class_}, probability {number(explanation.score)}"
    if explanation.class_ is None:
        title = f"prediction {number(explanation.score)}"
    if explanation.vertex is not None:
        return f"vertex {shorten(explanation.vertex_label(explanation.vertex), 40)}: {title}"
    if explanation.edge is not None:
        return f"edge {explanation.edge}: {title}"
    return title
