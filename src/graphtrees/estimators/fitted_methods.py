"""Methods of all fitted estimators beside prediction: trees, importances, pictures, files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from graphtrees._layout import LEAF
from graphtrees.ensembles.fitted import FittedTrees, Training
from graphtrees.estimators.docstrings import describe_arguments
from graphtrees.estimators.table import trees_to_dataframe
from graphtrees.trees.tree import Tree
from graphtrees.validation.models import fitted_trees

if TYPE_CHECKING:
    from graphtrees.estimators.base import GraphTreesEstimator


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
            from graphtrees.estimators.saving import load_model as load_any

            loaded = load_any(path)
            if not isinstance(loaded, kind):
                raise TypeError(
                    f"{path} holds a {type(loaded).__name__}, not a {kind.__name__}. "
                    "graphtrees.load_model reads any of them."
                )
            if model is None:
                return loaded
            vars(model).clear()
            vars(model).update(vars(loaded))
            return model

        return load_model


class FilesAndReports:
    """What estimators and ensembles of them share: model files, and the report."""

    def report(self, X: Any, y: Any = None, path: Any = "report.html", **options: Any) -> Path:
        """Write one page of HTML to click through: how good the model is, where it errs, and why.

        Parameters
        ----------
        X : Graphs, Vertices, Edges, list of Graph, or table
            Examples to show, best some that the model was not fitted on.
        y : array of shape (n_examples,), optional
            What is true of them.
        path : str or path, default="report.html"
            Written whole or not at all; the page needs no other file and no network.
        **options
            `class_` to explain; `title`; `names` of the examples; `ids`, more columns to find
            them by, such as SMILES; `labels` to write at the vertices; `max_examples` (1000),
            `n_trees` (5) and `max_vertices` (150) to show.

        Returns
        -------
        pathlib.Path
            Where the page is.
        """
        from graphtrees.plot.report import write_report

        return write_report(self, X, y, path, **options)

    def save(self, path: str | Path) -> None:
        """Write the fitted model as JSON, gzipped where the name ends in .gz: whole or not at all.

        The parameters written are those of the fit, whatever `set_params` changed since.

        Read it back with `graphtrees.load_model`, which never runs code from the file.

        Parameters
        ----------
        path : str or path
            Ends in .json or .json.gz.

        Raises
        ------
        TypeError
            A loss of your own is code, and an ensemble with the recipe "labels" holds a graph,
            which the file does not: use `pickle`.
        """
        from graphtrees.estimators.saving import save_model

        save_model(self, path)

    @describe_arguments
    def save_model(self, path: str | Path) -> None:
        """The same as `save`."""
        self.save(path)

    load_model = LoadModel()


class FittedMethods(FilesAndReports):
    """What scikit-learn, LightGBM and XGBoost let people see of a model, under their names."""

    importance_type: str

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each feature in the gain of all splits, or with ``importance_type="split"`` in
        their number; (n_features,).

        What the count of vertices earned is `constant_importance_`, what neighbourhoods earned is
        `colour_importance_`: together they sum to 1, or are all 0 where no tree has a split.
        """
        return self._shares()[0]

    @property
    def constant_importance_(self) -> float:
        """The share of questions about the constant 1, which count vertices and walks."""
        return float(self._shares()[1][0])

    @property
    def colour_importance_(self) -> float:
        """The share of questions about neighbourhoods; see `colours`."""
        return float(self._shares()[1][1:].sum())

    def _shares(self) -> tuple[np.ndarray, np.ndarray]:
        """Shares of the features, and of the constant and the colours."""
        fitted = fitted_trees(self)
        shares = fitted.feature_shares(self.importance_type)
        return shares[: fitted.features.n_features], shares[fitted.features.n_features :]

    def get_depth(self) -> int:
        """The depth of the deepest tree; a lone leaf has depth 0."""
        return max((int(tree.depth.max()) for tree in fitted_trees(self).trees), default=0)

    def get_n_leaves(self) -> int:
        """The number of leaves, of all trees together."""
        return sum(int(tree.is_leaf.sum()) for tree in fitted_trees(self).trees)

    def importance(
        self, kind: str = "gain", by: str = "feature", X: Any = None, y: Any = None, **options: Any
    ) -> dict[str, float]:
        """What earns the model its predictions: features, or other parts of the questions.

        Parameters
        ----------
        kind : {"gain", "split", "permutation"}, default="gain"
            The share of the summed gain, the share of the splits, or what the score loses when a
            feature is shuffled over the vertices of `X` (see `graphtrees.permutation_importance`).
        by : {"feature", "category", "walk_length", "walk_type", "aggregator", "operator", \
"subset", "question"}, default="feature"
            The part of the question; "permutation" knows features alone.
        X, y : as in `fit`
            Examples to score, for "permutation" only.
        **options
            For "permutation": `scoring`, `n_repeats`, `sample_weight`, `random_state`.

        Returns
        -------
        dict of str to float
            The largest first. Shares sum to 1.

        Examples
        --------
        >>> import graphtrees as gt
        >>> data = gt.datasets.make_walk_counts("cycle", n_graphs=60, random_state=0)
        >>> model = gt.GraphTreeRegressor(max_leaf_nodes=4).fit(data.X, data.y)
        >>> list(model.importance(by="walk_type"))
        ['cycle']
        """
        from graphtrees.explain.permutation import importance_of

        return importance_of(self, kind, by, X, y, options)

    def trees_to_dataframe(self) -> Any:
        """Every node of every tree as one row of a pandas DataFrame: the model as data.

        The columns are `tree`, `output` (-1: the tree speaks for all outputs), `node`, `depth`,
        `feature`, `feature_index`, `category`, `walk_length`, `operator`, `pointer`, `sign`,
        `walk_type`, `aggregator`, `threshold`, `missing_goes`, `left`, `right`, `gain`,
        `n_samples`, `value`. Left is always "at most the threshold".

        For boosting `value` is what the tree learned, before the learning rate: the decision
        function is ``init_ + learning_rate * (sum of the leaf values)``. `plot_tree`,
        `export_text` and `rules` show what is added: after the learning rate.
        """
        return trees_to_dataframe(fitted_trees(self))

    @describe_arguments
    def explain(self, example: Any, class_: Any = None, method: str = "attribution") -> Any:
        """Why the model says what it says about one example.

        Returns
        -------
        graphtrees.explain.Explanation
            With `vertex_importance`, `vertex_attribution`, `rules()`, `plot()`, ...
        """
        from graphtrees.explain import explain

        return explain(self, example, class_, method)


def one_tree(kind: type, model: GraphTreesEstimator, tree: Tree) -> Any:
    """One tree of an ensemble as an estimator of its own."""
    fitted: FittedTrees = model._fitted
    given = fitted.training.parameters
    alone = kind(**{name: v for name, v in given.items() if name in kind()._constraints})
    classes = fitted.classes if hasattr(alone, "predict_proba") else None
    if classes is not None:
        alone.classes_ = classes
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(model, name):
            setattr(alone, name, getattr(model, name))
    alone._fitted = replace(
        fitted, estimator=kind.__name__, trees=(tree,), outputs=averaged_outputs([tree]),
        classes=classes, init=None, scale=1.0, loss=None, start=None,
        training=Training(alone.get_params(deep=False), fitted.training.examples),
    )  # fmt: skip
    return alone


def averaged_outputs(trees: Sequence[Tree]) -> tuple[int, ...]:
    """The outputs that trees whose mean is taken add to."""
    return tuple(-1 if tree.value.shape[1] > 1 else 0 for tree in trees)


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
