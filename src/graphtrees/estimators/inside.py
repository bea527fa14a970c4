"""What scikit-learn, LightGBM and XGBoost let people see of a fitted model, under their names."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from graphtrees._layout import LEAF
from graphtrees.candidates.features import FeatureTable
from graphtrees.estimators.docstrings import describe_arguments
from graphtrees.trees.packing import GrownTrees
from graphtrees.trees.tree import Tree

SHARED = ("_kind", "_table", "_space", "_trained_on")  # what trees of one model have in common


class LoadModel:
    """`Class.load_model(path)` gives a model; ``model.load_model(path)`` becomes the one read."""

    def __get__(self, model: Any, kind: type) -> Any:
        def load_model(path: str | Path) -> Any:
            """Read a model that `save_model` wrote; never runs code from the file.

            On a class, returns the model read. On an estimator, it becomes the model read, and
            is returned.

            Parameters
            ----------
            path : str or path
                A .json or .json.gz file.

            Raises
            ------
            TypeError
                The file holds another kind of estimator.
            """
            from graphtrees.files import load_model as read

            found = read(path)
            if not isinstance(found, kind):
                raise TypeError(
                    f"{path} holds a {type(found).__name__}, not a {kind.__name__}. "
                    "graphtrees.load_model reads any of them."
                )
            if model is None:
                return found
            vars(model).clear()
            vars(model).update(vars(found))
            return model

        return load_model


class Inside:
    """Looking inside, for all estimators."""

    importance_type: str
    _trees: GrownTrees
    _table: FeatureTable

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each feature in the gain of all splits, or with ``importance_type="split"`` in
        their number; (n_features,).

        What the count of vertices earned is `constant_importance_`, what neighbourhoods earned is
        `colour_importance_`: together they sum to 1, or are all 0 where no tree has a split.
        """
        return self._shares()[: self._table.n_features]

    @property
    def constant_importance_(self) -> float:
        """The share of questions about the constant 1, which count vertices and walks."""
        return float(self._shares()[self._table.n_features])

    @property
    def colour_importance_(self) -> float:
        """The share of questions about neighbourhoods; see `colours`."""
        return float(self._shares()[self._table.n_features + 1 :].sum())

    def _shares(self) -> np.ndarray:
        """By feature; then the constant and the colours."""
        check_is_fitted(self)
        sums = np.zeros(self._table.n_features + 1 + self._table.n_colours)
        features = self._table.feature_of()
        for tree in self._trees:
            splits = ~tree.is_leaf
            earned = tree.gain[splits] if self.importance_type == "gain" else 1.0
            np.add.at(sums, features[tree.column[splits]], earned)
        total = sums.sum()
        return sums / total if total > 0 else sums

    def get_depth(self) -> int:
        """The depth of the deepest tree; a lone leaf has depth 0."""
        check_is_fitted(self)
        return max((int(tree.depth.max()) for tree in self._trees), default=0)

    def get_n_leaves(self) -> int:
        """The number of leaves, of all trees together."""
        check_is_fitted(self)
        return sum(int(tree.is_leaf.sum()) for tree in self._trees)

    @describe_arguments
    def save_model(self, path: str | Path) -> None:
        """The same as `save`."""
        self.save(path)  # type: ignore[attr-defined]

    load_model = LoadModel()


def one_tree(kind: type, model: Any, tree: Tree) -> Any:
    """One tree of an ensemble as an estimator of its own."""
    shared = {k: v for k, v in model._parameters.items() if k in kind()._constraints}
    alone = kind(**shared)
    alone._parameters = alone.get_params(deep=False)
    for name in (*SHARED, "n_features_in_", "feature_names_in_"):
        if hasattr(model, name):
            setattr(alone, name, copy.copy(getattr(model, name)))
    alone._hold([tree])
    return alone


def way_to_leaves(trees: Sequence[Tree], leaves: np.ndarray) -> sparse.csr_matrix:
    """Which nodes each example passes: (n_examples, n_nodes of all trees)."""
    starts = np.cumsum([0] + [tree.n_nodes for tree in trees])
    passed = []  # for each tree, a row of node numbers up from each leaf, LEAF beyond the root
    for tree, start, leaf in zip(trees, starts, leaves.T, strict=False):
        parent = np.full(tree.n_nodes, LEAF, np.int64)
        for child in (tree.left, tree.right):
            splits = np.flatnonzero(~tree.is_leaf)
            parent[child[splits]] = splits
        at = leaf.astype(np.int64)
        while (at != LEAF).any():
            passed.append(np.where(at == LEAF, LEAF, at + start))
            at = np.where(at == LEAF, LEAF, parent[at])
    nodes = np.stack(passed, axis=1) if passed else np.empty((len(leaves), 0), np.int64)
    rows, places = np.nonzero(nodes != LEAF)
    shape = (len(leaves), int(starts[-1]))
    ones = np.ones(len(rows), np.int64)
    return sparse.csr_matrix((ones, (rows, nodes[rows, places])), shape=shape)
