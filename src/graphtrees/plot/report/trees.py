"""The trees that examples of the page went through, each described once."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees._layout import SIGNS
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.plot.boxes import Box, leaf_lines, tint
from graphtrees.plot.report.metrics import digits
from graphtrees.plot.tree import tree_title
from graphtrees.plot.tree_layout import place_boxes
from graphtrees.questions.text import TreeText
from graphtrees.trees.tree import Tree

MOST_LEAVES = 20  # of a tree that is drawn whole; of a larger one only the way is drawn
N_HUES = 10  # of classes, in tree.css
ASKED, LEAF = (2.6, 2.0), (1.6, 2.0)  # width and height of a split-node and a leaf, in font sizes


def describe_tree(fitted: FittedTrees, number_of: int, visited: set[int]) -> dict[str, Any]:
    """The nodes of a tree by number, with places for all of them unless there are too many."""
    tree = fitted.trees[number_of]
    whole = int(tree.is_leaf.sum()) <= MOST_LEAVES
    nodes = range(tree.n_nodes) if whole else sorted(visited)
    words, values = fitted.question_text(number_of), fitted.added_by(tree)
    largest = float(np.abs(values[tree.is_leaf]).max(initial=0.0))
    places = _places(tree) if whole else {}
    described = {}
    for node in nodes:
        is_leaf = tree.left[node] < 0
        entry = _leaf(fitted, values[node], node, largest) if is_leaf else _split(words, node)
        entry["n"] = int(tree.n_samples[node])
        if whole:
            entry["xy"] = places[node]
        described[node] = entry
    return {"title": tree_title(fitted, number_of), "nodes": described, "whole": whole}


def _split(words: TreeText, node: int) -> dict[str, Any]:
    tree = words.tree
    entry = {
        "q": words.question(node),
        "t": words.threshold(node),
        "left": int(tree.left[node]),
        "right": int(tree.right[node]),
    }
    sign = int(tree.sign[node])
    return entry | ({"p": int(tree.pointer[node]), "s": SIGNS[sign]} if sign else {})


def _leaf(fitted: FittedTrees, values: np.ndarray, node: int, largest: float) -> dict[str, Any]:
    lines = leaf_lines(fitted, values, node)[1:]
    shade, hue = tint(fitted, values, largest)
    entry = {"says": ", ".join(lines), "shade": digits(shade, 2)}
    return entry | ({"hue": hue % N_HUES} if hue >= 0 else {})


def _places(tree: Tree) -> dict[int, list[float]]:
    """The middle of every node, y downwards."""
    boxes = {
        node: Box(node, "", *(LEAF if is_leaf else ASKED), is_leaf=is_leaf, shade=0.0)
        for node, is_leaf in enumerate(tree.is_leaf.tolist())
    }
    return {node: [round(x, 1), round(-y, 1)] for node, (x, y) in place_boxes(tree, boxes).items()}
