"""What stands in each node of a drawn tree, and how large that is."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from graphtrees._optional import require
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.plot.visible import shorten
from graphtrees.questions.text import TreeText, counted, number, signed

SPLIT_WIDTH = 26  # characters
LINE = 1.25  # height of a line, in font sizes
PADDING = 0.7
NO_BREAK = "\u00a0"


@dataclass(frozen=True)
class Box:
    """A node of the drawing; lengths are in font sizes.

    `shade` is -1 … 1 for a leaf; where there are three classes and more, `hue` is the class it says
    and `shade` how surely.
    """

    node: int
    text: str
    width: float
    height: float
    is_leaf: bool
    shade: float
    folded: bool = False  # a split-node whose children are not drawn
    hue: int = -1


def make_boxes(fitted: FittedTrees, number_of: int, max_depth: int | None) -> dict[int, Box]:
    """The boxes of all nodes of a tree to draw, by node number."""
    tree, words = fitted.trees[number_of], fitted.question_text(number_of)
    values = fitted.added_by(tree)
    largest = float(np.abs(values[tree.is_leaf]).max(initial=0.0))
    boxes = {}
    for node in range(tree.n_nodes):
        if max_depth is not None and tree.depth[node] > max_depth:
            continue
        is_leaf = bool(tree.left[node] < 0)
        folded = not is_leaf and max_depth is not None and tree.depth[node] == max_depth
        lines = leaf_lines(fitted, values[node], node) if is_leaf else _split_lines(words, node)
        lines += [counted(int(tree.n_samples[node]), "example")] + (["…"] if folded else [])
        width = max(_width(line) for line in lines) + 3 * PADDING
        height = len(lines) * LINE + 2 * PADDING
        shade, hue = tint(fitted, values[node], largest) if is_leaf else (0.0, -1)
        boxes[node] = Box(node, "\n".join(lines), width, height, is_leaf, shade, folded, hue)
    return boxes


def _split_lines(words: TreeText, node: int) -> list[str]:
    question = words.question(node)
    subset = words.subset(node)
    if subset is not None:
        question = question.replace(subset, subset.replace(" ", NO_BREAK))
    test = f"{question} >{NO_BREAK}{words.threshold(node)}{NO_BREAK}?"
    return [f"node {node}", *textwrap.wrap(test, SPLIT_WIDTH)]


def leaf_lines(fitted: FittedTrees, values: np.ndarray, node: int) -> list[str]:
    """What a leaf says; `values` are what it adds."""
    classes = fitted.classes
    if fitted.is_boosted and len(values) == 1:
        return [f"leaf {node}", signed(values[0])]
    if classes is None or fitted.is_boosted:
        names = [f"output {k}" for k in range(len(values))] if classes is None else list(classes)
        if len(values) == 1:
            return [f"leaf {node}", number(values[0])]
        order = np.argsort(-np.abs(values), kind="stable")[:3]
        return [
            f"leaf {node}",
            *(f"{shorten(str(names[k]), 22)}: {number(values[k])}" for k in order),
        ]
    present = [k for k in np.argsort(-values, kind="stable")[:3] if values[k] > 0]
    return [f"leaf {node}", *(f"{shorten(str(classes[k]), 22)}: {values[k]:.0%}" for k in present)]


def tint(fitted: FittedTrees, values: np.ndarray, largest: float) -> tuple[float, int]:
    """-1 … 1: the sign and size of a leaf's value; and the class, where there are many."""
    of_classes = fitted.classes is not None
    if len(values) > 2 and of_classes:
        best = int(values.argmax())
        top = largest if fitted.is_boosted else 1.0
        return float(np.clip(values[best] / top, 0.0, 1.0)) if top > 0 else 0.0, best
    if fitted.is_boosted or not of_classes:
        return (float(values[0] / largest) if len(values) == 1 and largest > 0 else 0.0), -1
    return (float(values[1] - values[0]) if len(values) == 2 else float(values.max())), -1


@lru_cache(maxsize=4096)
def _width(text: str) -> float:
    """How wide a text is, in font sizes."""
    textpath = require("matplotlib.textpath", extra="plot", purpose="plot_tree")
    if not text.strip():
        return 0.0
    return (
        float(textpath.TextPath((0, 0), text.replace("$", r"\$"), size=10).get_extents().width) / 10
    )
