"""A tree as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.graphs.validation.arguments import as_count, as_depth
from graphtrees.questions.text import counted, number
from graphtrees.validation.models import fitted_trees

MOST_SPACING = 1000


def export_text(
    model: Any, tree: int = 0, *, max_depth: int | None = 10, spacing: int = 3,
    show_weights: bool = False,
) -> str:  # fmt: skip
    """Write one tree of a fitted model as text, as scikit-learn's `export_text` does.

    The quickest way to read a tree where pictures cannot be shown.

    Parameters
    ----------
    model : fitted estimator
        Any of the six.
    tree : int, default=0
        Which tree, as in the column `tree` of `trees_to_dataframe`.
    max_depth : int or None, default=10
        What is deeper is left out, and said to be.
    spacing : int, default=3
        Letters by which each level is moved to the right.
    show_weights : bool, default=False
        Whether to add the number of training examples to each leaf.

    Returns
    -------
    str
        Every split-node twice, once for each side. "S+ of node 0" are the vertices whose own value
        was above the threshold of node 0, "S- of node 0" the others. Of boosting, the value of a
        leaf is what it adds to the prediction: after the learning rate, as in `rules()`.

    Examples
    --------
    >>> import graphtrees as gt
    >>> star = gt.Graph(None, [(0, 1), (0, 2), (0, 3)])
    >>> path = gt.Graph(None, [(0, 1), (1, 2), (2, 3)])
    >>> model = gt.GraphTreeClassifier().fit([star, path], ["star", "path"])
    >>> print(gt.export_text(model))
    |--- node 0: largest number of neighbours <= 2.5
    |   |--- class: path
    |--- node 0: largest number of neighbours >  2.5
    |   |--- class: star
    <BLANKLINE>
    """
    fitted = fitted_trees(model)
    number_of = choose_tree(fitted, tree)
    depth, spacing = as_depth(max_depth), as_count(spacing, "spacing", most=MOST_SPACING)
    writer = _Writer(fitted, number_of, depth, spacing, show_weights)
    writer.write(0)
    return "\n".join([*writer.lines, ""])


def choose_tree(fitted: FittedTrees, tree: Any, name: str = "tree") -> int:
    """The number of a tree of a model, from 0."""
    n = len(fitted.trees)
    if isinstance(tree, bool) or not isinstance(tree, (int, np.integer)) or not -n <= tree < n:
        raise IndexError(f"{name} must be a number below {n}; got {tree!r}")
    return int(tree) % n


class _Writer:
    def __init__(
        self,
        fitted: FittedTrees,
        tree: int,
        max_depth: int | None,
        spacing: int,
        show_weights: bool,
    ) -> None:
        self.fitted, self.tree = fitted, fitted.trees[tree]
        self.values = fitted.added_by(self.tree)
        self.words = fitted.question_text(tree)
        self.max_depth, self.spacing, self.show_weights = max_depth, spacing, show_weights
        self.lines: list[str] = []

    def write(self, node: int) -> None:
        tree, depth = self.tree, int(self.tree.depth[node])
        if tree.left[node] < 0:
            return self._line(depth, self._leaf(node))
        if self.max_depth is not None and depth > self.max_depth:
            below = tree.depth[self._below(node)].max() - depth
            return self._line(depth, f"truncated branch of depth {below}")
        threshold = self.words.threshold(node)
        for sign, child in (("<=", tree.left[node]), ("> ", tree.right[node])):
            self._line(depth, f"node {node}: {self.words.question(node)} {sign} {threshold}")
            self.write(int(child))
        return None

    def _line(self, depth: int, text: str) -> None:
        indent = ("|" + " " * self.spacing) * depth
        self.lines.append(f"{indent}|{'-' * self.spacing} {text}")

    def _below(self, node: int) -> list[int]:
        below = [node]
        for one in below:
            if self.tree.left[one] >= 0:
                below += [int(self.tree.left[one]), int(self.tree.right[one])]
        return below

    def _leaf(self, node: int) -> str:
        values = self.values[node]
        text = f"value: [{', '.join(number(value) for value in values)}]"
        if self.fitted.classes is not None and not self.fitted.is_boosted:
            text = f"class: {self.fitted.classes[values.argmax()]}"
        if self.show_weights:
            text += f" ({counted(int(self.tree.n_samples[node]), 'example')})"
        return text
