"""Draw one tree: questions in words, and the pointers to the subsets they use."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees._layout import SIGNS
from graphtrees._optional import require
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.explain.text import choose_tree
from graphtrees.graphs.validation.arguments import as_depth
from graphtrees.plot.axes import FAINT, INK, MINUS, PLUS, size_in_points
from graphtrees.plot.boxes import Box, make_boxes
from graphtrees.plot.tree_layout import place_boxes
from graphtrees.plot.visible import drawable
from graphtrees.trees.tree import Tree
from graphtrees.validation.models import fitted_trees

FONT = 9.0  # points, where the figure is ours to size
TITLE = 0.4  # inches above the tree
MARGIN = 2.5  # font sizes around the tree; pointers pass beside boxes
BESIDE = 0.8  # font sizes from a box to a pointer that passes it
APART = 0.36  # of the width of a box, from its branch to the pointer along it
LEGEND = 3.4  # font sizes below the tree
HUES = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#b279a2", "#eeca3b", "#72b7b2", "#9d755d",
        "#ff9da6", "#8a8f98")  # fmt: skip


def plot_tree(
    model: Any, tree: int = 0, ax: Any = None, *, max_depth: int | None = None,
    tree_index: int | None = None,
) -> Any:  # fmt: skip
    """Draw one tree of a fitted model.

    A split-node asks whether its value is more than a threshold: "no" goes left, "yes" right. A
    dashed arrow points from a split-node to the ancestor whose subset of vertices it uses: S+ are
    the vertices whose own value was above that ancestor's threshold, S- the others. A leaf of
    boosting shows what it adds to the prediction: after the learning rate, as in `rules()`.

    Parameters
    ----------
    model : fitted estimator
        Any of the six.
    tree : int, default=0
        Which tree, as in the column `tree` of `trees_to_dataframe`.
    ax : matplotlib Axes, optional
        Where to draw; the tree is fitted into it. Default: a new figure, large enough to read.
    max_depth : int, optional
        Draw no deeper than this.
    tree_index : int, optional
        The same as `tree`, by LightGBM's name.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import graphtrees as gt
    >>> star = gt.Graph(None, [(0, 1), (0, 2), (0, 3)])
    >>> path = gt.Graph(None, [(0, 1), (1, 2), (2, 3)])
    >>> model = gt.GraphTreeClassifier().fit([star, path], ["star", "path"])
    >>> ax = gt.plot_tree(model)
    >>> ax.figure.savefig("tree.png")  # doctest: +SKIP
    """
    fitted = fitted_trees(model)
    if tree_index is not None:
        number = choose_tree(fitted, tree_index, "tree_index")
    else:
        number = choose_tree(fitted, tree)
    max_depth = as_depth(max_depth)
    require("matplotlib", extra="plot", purpose="plot_tree")
    drawn = fitted.trees[number]
    boxes = make_boxes(fitted, number, max_depth)
    place = place_boxes(drawn, boxes)
    pointing = [node for node in boxes if drawn.sign[node] and not boxes[node].is_leaf]
    ax, font = _frame(ax, boxes, place, LEGEND if pointing else 0.0)
    for node in boxes:
        _draw_branches(ax, drawn, node, boxes, place, font)
    for node in pointing:
        _draw_pointer(ax, drawn, node, boxes, place, font)
    for node, box in boxes.items():
        _draw_box(ax, box, place[node], font)
    if pointing:
        _draw_legend(ax, fitted.kind, font)
    ax.set_title(
        drawable(tree_title(fitted, number)), fontsize=max(font + 1, 8), color=INK, parse_math=False
    )
    return ax


def tree_title(fitted: FittedTrees, tree: int) -> str:
    """The number of a tree, the class it adds to, and what boosting starts from."""
    output = fitted.outputs[tree]
    classes = [] if fitted.classes is None else list(fitted.classes)
    title = f"tree {tree}"
    if fitted.is_boosted and len(classes) > 1 and output >= 0:
        spoken_for = classes[1] if len(classes) == 2 else classes[output]
        title = f"tree {tree}, for class {spoken_for}"
    return title if fitted.start is None else f"{title}; starts from {fitted.start.text}"


def _frame(
    ax: Any, boxes: dict[int, Box], place: dict[int, tuple[float, float]], below: float
) -> tuple[Any, float]:
    """The Axes, with a font size for its unit of length and some room below the tree."""
    left = min(place[node][0] - box.width / 2 for node, box in boxes.items()) - MARGIN
    right = max(place[node][0] + box.width / 2 for node, box in boxes.items()) + MARGIN
    low = min(place[node][1] - box.height / 2 for node, box in boxes.items()) - 1 - below
    wide = 46.0 if below else 0.0  # the legend
    left, right = min(left, (left + right - wide) / 2), max(right, (left + right + wide) / 2)
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
    ax.text(x, y, drawable(box.text), ha="center", va="center", fontsize=font, color=INK, zorder=4,
            linespacing=1.15, parse_math=False)  # fmt: skip


def _fill(box: Box) -> Any:
    """Leaves are tinted by what they say: blue for more, orange for less, or by their class."""
    colors = require("matplotlib.colors", extra="plot", purpose="plot_tree")
    if not box.is_leaf:
        return "white"
    colour = HUES[box.hue % len(HUES)] if box.hue >= 0 else PLUS if box.shade >= 0 else MINUS
    strength = 0.08 + (0.5 if box.hue >= 0 else 0.32) * min(1.0, abs(box.shade))
    return tuple(1 - strength * (1 - np.array(colors.to_rgb(colour))))


def _draw_branches(
    ax: Any, tree: Tree, node: int, boxes: dict[int, Box], place: dict[int, tuple[float, float]],
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
    ax: Any, tree: Tree, node: int, boxes: dict[int, Box], place: dict[int, tuple[float, float]],
    font: float,
) -> None:  # fmt: skip
    """A dashed arrow from a split-node to the ancestor whose subset it uses."""
    patches = require("matplotlib.patches", extra="plot", purpose="plot_tree")
    paths = require("matplotlib.path", extra="plot", purpose="plot_tree")
    sign = SIGNS[int(tree.sign[node])]
    points = _way_up(tree, node, boxes, place)
    colour = PLUS if sign == "+" else MINUS
    ax.add_patch(
        patches.FancyArrowPatch(
            path=paths.Path(points), arrowstyle="-|>", mutation_scale=9 * font / FONT,
            linestyle=(0, (4, 2.5)), color=colour, linewidth=1.2 * font / FONT, zorder=2,
            joinstyle="round",
        )
    )  # fmt: skip
    at = points[0] + 0.35 * (points[1] - points[0])
    _write(ax, at, f"S{sign}", font, colour, zorder=5, fontweight="bold")


def _way_up(
    tree: Tree, node: int, boxes: dict[int, Box], place: dict[int, tuple[float, float]]
) -> np.ndarray:
    """Outside of the branches and close by the boxes in between, so that it crosses no other."""
    ancestor = int(tree.pointer[node])
    (x, y), child = place[node], node
    up = _parent(tree, node)
    side = 1.0 if x >= place[up][0] else -1.0
    points = [(x + side * APART * boxes[node].width, y + boxes[node].height / 2)]
    while up != ancestor:
        (x, y), box = place[up], boxes[up]
        side = 1.0 if place[child][0] >= x else -1.0
        beside = x + side * (box.width / 2 + BESIDE)
        points += [(beside, y - box.height / 2), (beside, y + box.height / 2)]
        child, up = up, _parent(tree, up)
    (x, y), box = place[ancestor], boxes[ancestor]
    side = 1.0 if place[child][0] >= x else -1.0
    points.append((x + side * APART * box.width, y - box.height / 2))
    return np.array(points)


def _parent(tree: Tree, node: int) -> int:
    (parent,) = np.flatnonzero((tree.left == node) | (tree.right == node))
    return int(parent)


def _draw_legend(ax: Any, kind: str, font: float) -> None:
    """What S+ and S- are."""
    many = "edges" if kind == "edges" else "vertices"
    (left, right), low = ax.get_xlim(), ax.get_ylim()[0]
    texts = {
        "+": f"S+ of a node: the {many} above its threshold",
        "-": f"S- of a node: the others of the {many} it used",
    }
    for row, (sign, text) in enumerate(texts.items()):
        y, x = low + 2.2 - 1.4 * row, (left + right) / 2 - 18
        colour = PLUS if sign == "+" else MINUS
        ax.plot([x, x + 4], [y, y], color=colour, linestyle=(0, (4, 2.5)),
                linewidth=1.2 * font / FONT)  # fmt: skip
        ax.text(x + 5, y, text, ha="left", va="center", fontsize=0.9 * font, color=INK)


def _write(ax: Any, at: Any, text: str, size: float, colour: str, **style: Any) -> None:
    """A short text that hides the line it lies on."""
    ax.text(
        *at, text, ha="center", va="center", fontsize=size, color=colour,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.7}, **style,
    )  # fmt: skip
