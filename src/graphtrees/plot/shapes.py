"""The parts of a drawn graph: frame, vertices, edges."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from graphtrees._optional import require
from graphtrees.graphs import Graph
from graphtrees.graphs.validation.numbers import as_numbers
from graphtrees.plot.axes import size_in_points
from graphtrees.plot.layout import lay_out, lay_out_around
from graphtrees.plot.molecules import molecule_layout

# From so many vertices on, what is explained is put in the middle of rings.
MANY = 30
BOND_GAP = 0.07  # between the lines of a double bond, in lengths of an edge


def place_vertices(
    graph: Graph, layout: Any, shown: np.ndarray, ends: np.ndarray, asked: np.ndarray
) -> np.ndarray:
    """Where the vertices lie: as given, as chemists draw them, or by distances along edges.

    `ends` are those of the drawn edges and `asked` those in the middle, both places in `shown`.
    """
    if layout is not None:
        place = as_numbers(layout, "layout").astype(float)
        if place.shape != (graph.n_vertices, 2):
            wanted = (graph.n_vertices, 2)
            raise ValueError(f"layout must have shape {wanted}; got {place.shape}")
        odd = np.flatnonzero(~np.isfinite(place).all(axis=1))
        if len(odd):
            raise ValueError(f"layout puts vertex {odd[0]} at {place[odd[0]].tolist()}")
        return place[shown]
    chemical = molecule_layout(graph) if len(shown) == graph.n_vertices else None
    if chemical is not None:
        return chemical
    if len(asked) and len(shown) > MANY:
        return lay_out_around(len(shown), ends, asked)
    return lay_out(len(shown), ends)


def edges_between(graph: Graph, shown: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The edges with both ends among some vertices, and their ends as places in `shown`."""
    place_of = np.full(graph.n_vertices, -1)
    place_of[shown] = np.arange(len(shown))
    ends = place_of[graph.edge_index]
    drawn = np.flatnonzero((ends >= 0).all(axis=0))
    return drawn, ends[:, drawn]


def frame(ax: Any, place: np.ndarray) -> float:
    """Set the limits; returns how far apart vertices are on paper, in points."""
    ax.set_aspect("equal")
    ax.axis("off")
    if len(place):
        low, high = place.min(axis=0), place.max(axis=0)
        margin = 0.6 + 0.02 * (high - low).max()
        ax.set_xlim(low[0] - margin, high[0] + margin)
        ax.set_ylim(low[1] - margin, high[1] + margin)
    if len(place) < 2:
        return 40.0
    width, height = size_in_points(ax)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    scale = min(width / (right - left), height / (top - bottom))
    nearest = cKDTree(place).query(place, k=2)[0][:, 1]
    return float(scale * max(np.median(nearest), 0.1))


def diameters(share: np.ndarray, step: float) -> np.ndarray:
    """In points: areas grow with importance, and neighbours do not touch."""
    largest = float(np.clip(0.78 * step, 5.0, 32.0))
    smallest = max(2.0, 0.3 * largest)
    return np.sqrt(smallest**2 + (largest**2 - smallest**2) * share)


def draw_edges(
    ax: Any, place: np.ndarray, ends: np.ndarray, share: np.ndarray, colours: np.ndarray,
    step: float, directed: bool, orders: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """Lines, the strongest on top; returns their widths."""
    order = np.argsort(share, kind="stable")
    widths = float(np.clip(step / 30, 0.35, 1.0)) * (0.7 + 4.0 * share)
    loops = ends[0] == ends[1]
    plain = order[~loops[order]]
    if directed:
        _draw_arrows(ax, place, ends[:, plain], colours[plain], widths[plain], step)
    else:
        _draw_lines(ax, place, ends[:, plain], colours[plain], widths[plain],
                    None if orders is None else orders[plain])  # fmt: skip
    patches = require("matplotlib.patches", extra="plot", purpose="plotting")
    for edge in order[loops[order]]:
        x, y = place[ends[0, edge]]
        circle = patches.Circle((x, y + 0.22), 0.22, fill=False, color=colours[edge],
                                linewidth=widths[edge], zorder=1)  # fmt: skip
        ax.add_patch(circle)
    return widths


def _draw_lines(
    ax: Any, place: np.ndarray, ends: np.ndarray, colours: np.ndarray, widths: np.ndarray,
    orders: np.ndarray | None,
) -> None:  # fmt: skip
    """One line an edge; bonds have as many as their order, the second of aromatic ones dashed."""
    collections = require("matplotlib.collections", extra="plot", purpose="plotting")
    lines, edges, styles = place[ends.T], np.arange(ends.shape[1]), ["-"] * ends.shape[1]
    if orders is not None:
        lines, edges, styles = _bond_lines(lines, orders)
    ax.add_collection(
        collections.LineCollection(
            lines, colors=colours[edges], linewidths=widths[edges], linestyles=styles, zorder=1
        )
    )


def _bond_lines(lines: np.ndarray, orders: np.ndarray) -> tuple[np.ndarray, np.ndarray, list]:
    along = lines[:, 1] - lines[:, 0]
    long = np.maximum(np.hypot(*along.T), 1e-12)[:, None]
    aside = BOND_GAP * np.c_[-along[:, 1], along[:, 0]] / long
    offsets = {1.0: [0.0], 1.5: [1.0, -1.0], 2.0: [1.0, -1.0], 3.0: [0.0, 2.0, -2.0]}
    strokes, edges, styles = [], [], []
    for edge, order in enumerate(orders.tolist()):
        for k, offset in enumerate(offsets[order]):
            strokes.append(lines[edge] + offset * aside[edge])
            edges.append(edge)
            styles.append((0, (2, 1.5)) if order == 1.5 and k else "-")
    return np.array(strokes).reshape(-1, 2, 2), np.array(edges, dtype=int), styles


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
