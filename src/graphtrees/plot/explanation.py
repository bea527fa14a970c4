"""Draw an explanation: the graph, with what mattered large and dark."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from graphtrees._optional import require
from graphtrees.candidates.words import number
from graphtrees.explain.explanation import Explanation
from graphtrees.plot.axes import (
    FAINT,
    INK,
    PLUS,
    an_axes,
    importance_colours,
    readable_on,
    size_in_points,
)
from graphtrees.plot.layout import lay_out
from graphtrees.plot.visible import asked_vertices, choose_vertices, labels_of

FIGURE = (7.0, 5.25)
# Labels are written at every vertex where there is room, else only at the most important.
ROOM_FOR_LABELS = 11.0  # points from vertex to vertex
FEW_LABELS = 12


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
    """Draw a graph with its vertices and edges sized and shaded by importance.

    Parameters
    ----------
    explanation : Explanation
        From ``model.explain(example)``; ``explanation.plot()`` is the same as this.
    ax : matplotlib Axes, optional
        Where to draw; default: a new figure.
    labels : str or sequence, optional
        What to write at the vertices: the name of a feature, or one text for each vertex. Default:
        their names, else their only categorical feature, else their numbers.
    layout : array of shape (n_vertices, 2), optional
        Where the vertices lie. Default: distances on paper like distances along edges.
    max_vertices : int, default=300
        Draw at most so many, the most important. Around a vertex that is explained, only those
        that the walks can come from are drawn.
    title : str, optional
        Default: what was predicted.
    colorbar : bool, default=True

    Returns
    -------
    matplotlib Axes
    """
    if not isinstance(max_vertices, (int, np.integer)) or max_vertices < 1:
        raise ValueError(f"max_vertices must be an integer of at least 1; got {max_vertices!r}")
    ax = an_axes(ax, "Explanation.plot", FIGURE)
    shown, note = choose_vertices(explanation, int(max_vertices))
    texts = labels_of(explanation.graph, labels)
    number_of = np.full(explanation.graph.n_vertices, -1)
    number_of[shown] = np.arange(len(shown))
    ends = number_of[explanation.graph.edge_index]
    drawn = np.flatnonzero((ends >= 0).all(axis=0))
    place = _place(explanation, layout, shown, ends[:, drawn])
    _frame(ax, place)
    step = _step_in_points(ax, place)
    _draw_edges(ax, explanation, place, ends[:, drawn], drawn, step)
    shades = _draw_vertices(ax, explanation, place, shown, step)
    _draw_labels(ax, explanation, place, shown, [texts[v] for v in shown], step)
    if colorbar and len(shown):
        bar = ax.figure.colorbar(shades, ax=ax, shrink=0.6, aspect=25, pad=0.02)
        bar.set_label("vertex importance", color=INK, fontsize=9)
        bar.ax.tick_params(labelsize=8)
        bar.outline.set_visible(False)
    ax.set_title(title if title is not None else _title(explanation), fontsize=10, color=INK,
                 parse_math=False)  # fmt: skip
    if note:
        ax.text(0.5, -0.02, note, transform=ax.transAxes, ha="center", va="top", fontsize=8,
                color=FAINT)  # fmt: skip
    return ax


def _place(
    explanation: Explanation, layout: Any, shown: np.ndarray, ends: np.ndarray
) -> np.ndarray:
    if layout is None:
        return lay_out(len(shown), ends)
    place = np.asarray(layout, dtype=float)
    if place.shape != (explanation.graph.n_vertices, 2):
        wanted = (explanation.graph.n_vertices, 2)
        raise ValueError(f"layout must have shape {wanted}; got {place.shape}")
    return place[shown]


def _frame(ax: Any, place: np.ndarray) -> None:
    ax.set_aspect("equal")
    ax.axis("off")
    if len(place):
        low, high = place.min(axis=0), place.max(axis=0)
        margin = 0.6 + 0.02 * (high - low).max()
        ax.set_xlim(low[0] - margin, high[0] + margin)
        ax.set_ylim(low[1] - margin, high[1] + margin)


def _step_in_points(ax: Any, place: np.ndarray) -> float:
    """How far apart vertices are on paper: everything is sized by it."""
    if len(place) < 2:
        return 40.0
    width, height = size_in_points(ax)
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    scale = min(width / (right - left), height / (high - low))
    nearest = cKDTree(place).query(place, k=2)[0][:, 1]
    return float(scale * max(np.median(nearest), 0.1))


def _range(values: np.ndarray) -> tuple[float, float]:
    """The importances that are drawn faintest and strongest.

    All differences would look large if the least were always faintest: it is so only where it is
    at most half of the most. Where all are equal they are drawn alike, neither faint nor strong.
    """
    most, least = float(values.max(initial=0.0)), float(values.min(initial=1.0))
    if most <= 0 or most - least <= 1e-9 * most:
        return 0.0, max(2 * most, 1e-12)
    return min(least, most / 2), most


def _shares(values: np.ndarray) -> np.ndarray:
    """0 for the faintest, 1 for the strongest."""
    low, high = _range(values)
    return (values - low) / (high - low)


def _draw_vertices(
    ax: Any, explanation: Explanation, place: np.ndarray, shown: np.ndarray, step: float
) -> Any:
    values = explanation.vertex_importance[shown]
    across = _diameters(values, step)
    asked = np.isin(shown, asked_vertices(explanation))
    low, high = _range(values)
    return ax.scatter(
        place[:, 0], place[:, 1], s=across**2, c=values, cmap=importance_colours(), vmin=low,
        vmax=high,
        edgecolors=np.where(asked, PLUS, "#6b7280"),
        linewidths=np.where(asked, 2.5, 0.4 + 0.4 * (step > 15)), zorder=3,
    )  # fmt: skip


def _diameters(values: np.ndarray, step: float) -> np.ndarray:
    """In points: areas grow with importance, and neighbours do not touch."""
    largest = float(np.clip(0.78 * step, 5.0, 32.0))
    smallest = max(2.0, 0.3 * largest)
    return np.sqrt(smallest**2 + (largest**2 - smallest**2) * _shares(values))


def _draw_edges(
    ax: Any, explanation: Explanation, place: np.ndarray, ends: np.ndarray, drawn: np.ndarray,
    step: float,
) -> None:  # fmt: skip
    share = _shares(explanation.edge_importance[drawn])
    asked = drawn == (-1 if explanation.edge is None else explanation.edge)
    order = np.argsort(share, kind="stable")  # the important ones on top
    widths = float(np.clip(step / 30, 0.35, 1.0)) * (0.7 + 4.0 * share)
    colours = importance_colours()(0.25 + 0.75 * share)
    colours[share < 0.02] = [0.78, 0.79, 0.81, 1.0]
    loops = ends[0] == ends[1]
    plain = order[~loops[order]]
    if explanation.graph.directed:
        _draw_arrows(ax, place, ends[:, plain], colours[plain], widths[plain], step)
    else:
        collections = require("matplotlib.collections", extra="plot", purpose="plotting")
        lines = place[ends[:, plain].T]
        ax.add_collection(
            collections.LineCollection(
                lines, colors=colours[plain], linewidths=widths[plain], zorder=1
            )
        )
    patches = require("matplotlib.patches", extra="plot", purpose="plotting")
    for edge in np.flatnonzero(asked):
        ax.plot(
            *place[ends[:, edge]].T, color=PLUS, linewidth=widths[edge] + 4, alpha=0.5, zorder=0.5
        )
    for edge in order[loops[order]]:
        x, y = place[ends[0, edge]]
        ax.add_patch(
            patches.Circle((x, y + 0.22), 0.22, fill=False, color=colours[edge],
                           linewidth=widths[edge], zorder=1)
        )  # fmt: skip


def _draw_arrows(
    ax: Any, place: np.ndarray, ends: np.ndarray, colours: np.ndarray, widths: np.ndarray,
    step: float,
) -> None:  # fmt: skip
    patches = require("matplotlib.patches", extra="plot", purpose="plotting")
    room = 0.3 * min(step, 34.0)
    for (source, target), colour, width in zip(ends.T, colours, widths, strict=True):
        ax.add_patch(
            patches.FancyArrowPatch(
                place[source], place[target], arrowstyle="-|>", color=colour, linewidth=width,
                mutation_scale=5 + 2 * width, shrinkA=room, shrinkB=room, zorder=1,
                connectionstyle="arc3,rad=0.08",
            )
        )  # fmt: skip


def _draw_labels(
    ax: Any, explanation: Explanation, place: np.ndarray, shown: np.ndarray, texts: list[str],
    step: float,
) -> None:  # fmt: skip
    values = explanation.vertex_importance[shown]
    shades = importance_colours()(_shares(values))
    across = _diameters(values, step)
    longest = max((len(text) for text in texts), default=0)
    roomy = step >= ROOM_FOR_LABELS * max(1.0, longest / 3)
    wanted = _most_important(explanation, shown)[: len(shown) if roomy else FEW_LABELS]
    size = float(np.clip(0.4 * step, 6.0, 10.0))
    for k in wanted:
        inside = across[k] >= 0.62 * size * max(1, len(texts[k]))
        ax.annotate(
            texts[k], place[k], ha="center", va="center" if inside else "bottom", fontsize=size,
            xytext=(0, 0 if inside else across[k] / 2), textcoords="offset points",
            color=readable_on(shades[k]) if inside else INK, zorder=4, parse_math=False,
        )  # fmt: skip


def _most_important(explanation: Explanation, shown: np.ndarray) -> np.ndarray:
    """Who gets a label first: what was asked about, then by importance, of edges where equal."""
    n, ends = explanation.graph.n_vertices, explanation.graph.edge_index
    beside = np.bincount(ends.ravel(), np.tile(explanation.edge_importance, 2), minlength=n)
    asked = np.isin(shown, asked_vertices(explanation))
    rounded = np.round(explanation.vertex_importance[shown], 12)
    return np.lexsort((-beside[shown], -rounded, ~asked))


def _title(explanation: Explanation) -> str:
    said = f"class {explanation.class_}, probability {number(explanation.score)}"
    if explanation.class_ is None:
        said = f"prediction {number(explanation.score)}"
    if explanation.vertex is not None:
        return f"vertex {explanation.vertex_label(explanation.vertex)}: {said}"
    if explanation.edge is not None:
        return f"edge {explanation.edge}: {said}"
    return said
