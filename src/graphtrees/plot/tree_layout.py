"""Where the boxes of a tree go: parents above and between their children, none overlapping."""

from __future__ import annotations

import numpy as np

from graphtrees.plot.boxes import Box
from graphtrees.trees.tree import Tree

BESIDE = 1.6  # between boxes side by side, in font sizes
BELOW = 3.2  # between levels


def place_boxes(tree: Tree, boxes: dict[int, Box]) -> dict[int, tuple[float, float]]:
    """The centre of every box, in font sizes; the root is on top."""
    levels = _levels(tree, boxes)
    shift: dict[int, float] = {}  # of a child against its parent
    outline: dict[int, list[tuple[float, float]]] = {}  # left and right edge by level below
    for node in sorted(boxes, reverse=True):  # children have larger numbers
        box = boxes[node]
        own = (-box.width / 2, box.width / 2)
        if box.is_leaf or box.folded:
            outline[node] = [own]
            continue
        left, right = (outline.pop(int(child[node])) for child in (tree.left, tree.right))
        apart = _apart(left, right)
        shift[int(tree.left[node])], shift[int(tree.right[node])] = -apart / 2, apart / 2
        outline[node] = [own, *_join(left, right, apart)]
    x = {0: 0.0}
    for node in sorted(boxes):
        for child in (int(tree.left[node]), int(tree.right[node])):
            if child in shift:
                x[child] = x[node] + shift[child]
    return {node: (x[node], levels[int(tree.depth[node])]) for node in boxes}


def _levels(tree: Tree, boxes: dict[int, Box]) -> list[float]:
    """The height of the middle of each level, going down."""
    depths = [int(tree.depth[node]) for node in boxes]
    tallest = np.zeros(max(depths) + 1)
    np.maximum.at(tallest, depths, [box.height for box in boxes.values()])
    middles, y = [], 0.0
    for height in tallest.tolist():
        middles.append(y - height / 2)
        y -= height + BELOW
    return middles


def _apart(left: list[tuple[float, float]], right: list[tuple[float, float]]) -> float:
    """How far apart two outlines must stand to be clear of each other at every level."""
    return max(a[1] - b[0] for a, b in zip(left, right, strict=False)) + BESIDE


def _join(
    left: list[tuple[float, float]], right: list[tuple[float, float]], apart: float
) -> list[tuple[float, float]]:
    joined = []
    for level in range(max(len(left), len(right))):
        spans = []
        if level < len(left):
            spans.append((left[level][0] - apart / 2, left[level][1] - apart / 2))
        if level < len(right):
            spans.append((right[level][0] + apart / 2, right[level][1] + apart / 2))
        joined.append((min(span[0] for span in spans), max(span[1] for span in spans)))
    return joined
