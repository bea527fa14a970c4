"""Draw one tree: questions in words, and the pointers to the subsets they use."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphtrees._layout import SIGNS
from graphtrees._optional import require
from graphtrees.plot.axes import FAINT, INK, MINUS, PLUS, size_in_points
from graphtrees.plot.boxes import Box, make_boxes
from graphtrees.plot.tree_layout import place_boxes

FONT = 9.0  # points, where the figure is ours to size
TITLE = 0.4  # inches above the tree
MARGIN = 2.5  # font sizes around the tree; pointers swing out


def plot_tree(model: Any, tree: int = 0, ax: Any = None, *, max_depth: int | None = None) -> Any:
    """Draw one tree of a fitted model.

    A split-node asks whether its value is more than a threshold: "no" goes left, "yes" right. A
    dashed arrow points from a split-node to the ancestor whose subset of vertices it uses: S+ are
    the vertices whose own value was above that ancestor's threshold, S- the others.

    Parameters
    ----------
    model : fitted estimator
    tree : int, default=0
        Which tree, as in the column `tree` of `trees_to_dataframe`.
    ax : matplotlib Axes, optional
        Where to draw; the tree is fitted into it. Default: a new figure, large enough to read.
    max_depth : int, optional
        Draw no deeper than this.

    Returns
    -------
    matplotlib Axes
    """
    check_is_fitted(model)
    trees = model._trees
    if not isinstance(tree, (int, np.integer)) or not -len(trees) <= tree < len(trees):
        raise IndexError(f"tree must be a number below {len(trees)}; got {tree!r}")
    if max_depth is not None and (not isinstance(max_depth, (int, np.integer)) or max_depth < 0):
        raise ValueError(f"max_depth must be None or an integer of at least 0; got {max_depth!r}")
    require("matplotlib", extra="plot", purpose="plot_tree")
    drawn = trees[tree]
    boxes = make_boxes(model, drawn, model._outputs[tree], max_depth)
    place = place_boxes(drawn, boxes)
    ax, font = _frame(ax, boxes, place)
    for node in boxes:
        _draw_branches(ax, drawn, node, boxes, place, font)
        _draw_pointer(ax, drawn, node, boxes, place, font)
    for node, box in boxes.items():
        _draw_box(ax, box, place[node], font)
    number = int(tree) % len(trees)
    ax.set_title(_title(model, number), fontsize=max(font + 1, 8), color=INK, parse_math=False)
    return ax


def _title(model: Any, tree: int) -> str:
    output = model._outputs[tree]
    classes = list(getattr(model, "classes_", []))
    if hasattr(model, "init_") and len(classes) > 1 and output >= 0:
        spoken_for = classes[1] if len(classes) == 2 else classes[output]
        return f"tree {tree}, for class {spoken_for}"
    return f"tree {tree}"


def _frame(
    ax: Any, boxes: dict[int, Box], place: dict[int, tuple[float, float]]
) -> tuple[Any, float]:
    """The Axes, with a font size for its unit of length."""
    left = min(place[node][0] - box.width / 2 for node, box in boxes.items()) - MARGIN
    right = max(place[node][0] + box.width / 2 for node, box in boxes.items()) + MARGIN
    low = min(place[node][1] - box.height / 2 for node, box in boxes.items()) - 1
    width, height = right - left, 1 - low
    font = FONT
    if ax is None:
        pyplot = require("matplotlib.pyplot", extra="plot", purpose="plot_tree")
        inches = max(3.0, width * FONT / 72), height * FONT / 72
        figure = pyplot.figure(figsize=(inches[0], inches[1] + TITLE))
        ax = figure.add_axes((0.0, 0.0, 1.0, inches[1] / (inches[1] + TITLE)))
    else:
        across, down = size_in_points(ax)
        font = min(across / width, down / height, FONT)
    ax.set_xlim(left, right)
    ax.set_ylim(low, 1)
    ax.set_aspect("equal")
    ax.axis("off")
    return ax, font


def _draw_box(ax: Any, box: Box, centre: tuple[float, float], font: float) -> None:
    patches = require("matplotlib.patches", extra="plot", purpose="plot_tree")
    x, y = centre
    ax.add_patch(
        patches.FancyBboxPatch(
            (x - box.width / 2 + 0.3, y - box.height / 2 + 0.3), box.width - 0.6, box.height - 0.6,
            boxstyle=f"round,pad=0.3,rounding_size={0.9 if box.is_leaf else 0.4}",
            facecolor=_fill(box), edgecolor=INK if not box.is_leaf else FAINT,
            linewidth=0.8 * font / FONT, zorder=3,
        )
    )  # fmt: skip
    ax.text(x, y, box.text, ha="center", va="center", fontsize=font, color=INK, zorder=4,
            linespacing=1.15, parse_math=False)  # fmt: skip


def _fill(box: Box) -> Any:
    """Leaves are tinted by what they say: blue for more, orange for less."""
    colors = require("matplotlib.colors", extra="plot", purpose="plot_tree")
    if not box.is_leaf:
        return "white"
    tint = np.array(colors.to_rgb(PLUS if box.shade >= 0 else MINUS))
    strength = 0.08 + 0.32 * min(1.0, abs(box.shade))
    return tuple(1 - strength * (1 - tint))


def _draw_branches(
    ax: Any, tree: Any, node: int, boxes: dict[int, Box], place: dict[int, tuple[float, float]],
    font: float,
) -> None:  # fmt: skip
    x, y = place[node]
    y -= boxes[node].height / 2
    for child, answer in ((int(tree.left[node]), "no"), (int(tree.right[node]), "yes")):
        if child not in boxes:
            continue
        to_x, to_y = place[child]
        to_y += boxes[child].height / 2
        ax.plot([x, to_x], [y, to_y], color=FAINT, linewidth=1.1 * font / FONT, zorder=1)
        middle = (x + to_x) / 2, (y + to_y) / 2
        _write(ax, middle, answer, 0.9 * font, INK, zorder=2)


def _draw_pointer(
    ax: Any, tree: Any, node: int, boxes: dict[int, Box], place: dict[int, tuple[float, float]],
    font: float,
) -> None:  # fmt: skip
    """A dashed arrow from a split-node to the ancestor whose subset it uses, on the outer side."""
    sign = int(tree.sign[node])
    if not sign or boxes[node].is_leaf:
        return
    patches = require("matplotlib.patches", extra="plot", purpose="plot_tree")
    ancestor = int(tree.pointer[node])
    (x, y), (to_x, to_y) = place[node], place[ancestor]
    side = -1.0 if x < to_x else 1.0
    start = np.array([x + side * boxes[node].width / 2, y + 0.3 * boxes[node].height])
    end = np.array([to_x + side * boxes[ancestor].width / 2, to_y])
    bend = 0.35 * side
    colour = PLUS if SIGNS[sign] == "+" else MINUS
    ax.add_patch(
        patches.FancyArrowPatch(
            start, end, connectionstyle=f"arc3,rad={bend}", arrowstyle="-|>",
            mutation_scale=9 * font / FONT, linestyle=(0, (4, 2.5)), color=colour,
            linewidth=1.2 * font / FONT, zorder=2,
        )
    )  # fmt: skip
    spots = [_on_arc(start, end, bend, t) for t in (0.2, 0.3, 0.4, 0.12, 0.5, 0.6, 0.7, 0.8)]
    at = next((spot for spot in spots if not _covered(spot, boxes, place)), spots[0])
    _write(ax, at, f"S{SIGNS[sign]}", font, colour, zorder=5, fontweight="bold")


def _covered(
    spot: np.ndarray, boxes: dict[int, Box], place: dict[int, tuple[float, float]]
) -> bool:
    """Whether a sign written here would lie on a box."""
    return any(
        abs(spot[0] - place[node][0]) < box.width / 2 + 0.8
        and abs(spot[1] - place[node][1]) < box.height / 2 + 0.6
        for node, box in boxes.items()
    )


def _write(ax: Any, at: Any, text: str, size: float, colour: str, **style: Any) -> None:
    """A short text that hides the line it lies on."""
    ax.text(
        *at, text, ha="center", va="center", fontsize=size, color=colour,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.7}, **style,
    )  # fmt: skip


def _on_arc(start: np.ndarray, end: np.ndarray, bend: float, t: float) -> np.ndarray:
    """A point on matplotlib's "arc3", a curve with one control point beside its middle."""
    along = end - start
    control = (start + end) / 2 + bend * np.array([along[1], -along[0]])
    return (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
