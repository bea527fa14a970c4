"""One decision tree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch

from graphtrees.ensembles.examples import Examples
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.ensembles.losses import weighted_mean
from graphtrees.estimators.base import GraphTreesEstimator
from graphtrees.estimators.docstrings import describe_arguments, fill_parameters
from graphtrees.estimators.fitted_methods import averaged_outputs, way_to_leaves
from graphtrees.estimators.fitting import all_or_nothing
from graphtrees.estimators.no_split import warn_of_no_split
from graphtrees.estimators.parameters import (
    CLASS_WEIGHT,
    COMMON,
    GROWTH,
    QUESTIONS,
    keep_parameters,
    one_of,
)
from graphtrees.estimators.predicting import PredictsClasses, PredictsNumbers
from graphtrees.kernels.histograms import ENTROPY, GINI, NEWTON
from graphtrees.trees.criterion import Criterion, Statistics
from graphtrees.trees.grower import Draws, grow_tree
from graphtrees.trees.tree import Tree, pruning_path
from graphtrees.validation.baseline import one_answer
from graphtrees.validation.examples import read_weight
from graphtrees.validation.models import fitted_trees
from graphtrees.validation.targets import (
    read_labels,
    read_numbers,
    warn_of_one_class,
    weigh_classes,
)

IMPURITIES = {"gini": GINI, "entropy": ENTROPY, "log_loss": ENTROPY}


class AveragedTrees(GraphTreesEstimator):
    """Trees and forests: predictions are means of the trees."""

    def _finish(self, fitted: FittedTrees, trees: list[Tree], y: Any) -> None:
        """Keep the trees; `y` as the user gave it."""
        answer = one_answer(y, fitted.classes is not None)
        self._fitted = replace(
            fitted, trees=tuple(trees), outputs=averaged_outputs(trees),
            training=replace(fitted.training, answer=answer),
        )  # fmt: skip


class _OneTree(AveragedTrees):
    def _grow(
        self, fitted: FittedTrees, examples: Examples, statistics: Statistics,
        criterion: Criterion, used: np.ndarray,
    ) -> list[Tree]:  # fmt: skip
        with self._workers() as workers:
            data = self._training_data(fitted, examples, workers)
            rng = np.random.default_rng(self._seed(examples.workers))
            limits, n_threads = self._limits(len(used)), workers.n_threads
            draws = Draws.of(rng)
            grown = grow_tree(data, statistics, criterion, limits, used, draws, n_threads)
            return [grown.tree]

    @describe_arguments
    def decision_path(self, X: Any) -> Any:
        """Which nodes of the tree each example passes.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_examples, n_nodes)
            1 where the example passes the node, numbered as in `trees_to_dataframe`.
        """
        return way_to_leaves(fitted_trees(self).trees, self.apply(X))

    @describe_arguments
    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """How the tree would shrink as `ccp_alpha` grows; read it to choose one.

        Returns
        -------
        Bunch
            `ccp_alphas`, from 0 on, each of which prunes one more node, and `impurities`, that of
            all leaves together after each.
        """
        whole = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight)
        impurity, weight = whole._impurity(y, sample_weight)
        tree = whole._fitted.trees[0]
        alphas, lost = pruning_path(tree, weight)
        kept = tree.gain.sum() / weight
        return Bunch(ccp_alphas=alphas, impurities=impurity - kept + lost)


@fill_parameters("classes_", "n_classes_")
class GraphTreeClassifier(PredictsClasses, _OneTree):
    """A decision tree that classifies graphs, vertices or edges.

    One tree is the model to read: every split is a question in plain words. Forests and boosting
    usually predict better.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> import graphtrees as gt
    >>> triangle = gt.Graph(None, [(0, 1), (1, 2), (2, 0)])
    >>> path = gt.Graph(None, [(0, 1), (1, 2)])
    >>> tree = gt.GraphTreeClassifier().fit([triangle, path], ["ring", "chain"])
    >>> tree.predict([gt.Graph(None, [(0, 1), (1, 2), (2, 3), (3, 0)])])
    array(['ring'], dtype='<U5')
    """

    _constraints = (
        QUESTIONS
        | GROWTH
        | COMMON
        | {"criterion": one_of(*IMPURITIES), "class_weight": CLASS_WEIGHT}
    )

    def __init__(
        self, *, criterion="gini",
        max_walk_length=2, max_ancestor_distance=2,
        walk_types=("source", "cycle", "target", "target_source"),
        aggregators=("sum", "mean", "min", "max"), walk_type_probability=1.0,
        operators=("adjacency",), add_constant=True, categorical_features="from_dtype",
        colours=0, colour_features="auto",
        max_leaf_nodes=None, max_depth=None, min_samples_leaf=1, min_gain=0.0, ccp_alpha=0.0,
        max_bins=255, class_weight=None, random_state=None, n_jobs=None, verbose=0,
        importance_type="gain", memory_limit=None,
    ):  # fmt: skip
        keep_parameters(self, locals())

    @describe_arguments
    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Returns
        -------
        self
        """
        examples, fitted = self._read_training(X)
        self.classes_, codes = read_labels(y, examples.n)
        fitted = replace(fitted, classes=self.classes_)
        warn_of_one_class(self.classes_)
        weight = read_weight(sample_weight, examples.n)
        weight = weigh_classes(self.class_weight, self.classes_, codes, weight)
        statistics = Statistics.classes(codes, len(self.classes_), weight)
        criterion = Criterion(IMPURITIES[self.criterion])
        used = np.flatnonzero(weight > 0)
        self._finish(fitted, self._grow(fitted, examples, statistics, criterion, used), y)
        warn_of_no_split(self, examples, codes, weight)
        return self

    def _impurity(self, y: Any, sample_weight: Any) -> tuple[float, float]:
        codes = read_labels(y, len(y))[1]
        weight = read_weight(sample_weight, len(codes))
        weight = weigh_classes(self.class_weight, self.classes_, codes, weight)
        share = np.bincount(codes, weight) / weight.sum()
        if IMPURITIES[self.criterion] == GINI:
            return 1 - float((share**2).sum()), weight.sum()
        share = share[share > 0]
        return -float((share * np.log2(share)).sum()), weight.sum()


@fill_parameters()
class GraphTreeRegressor(PredictsNumbers, _OneTree):
    """A decision tree that predicts numbers for graphs, vertices or edges.

    One tree is the model to read: every split is a question in plain words. Forests and boosting
    usually predict better. `y` may have several columns: a leaf then holds a value for each.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> import graphtrees as gt
    >>> star = gt.Graph(None, [(0, 1), (0, 2), (0, 3)])
    >>> tree = gt.GraphTreeRegressor().fit(star.vertices, [3.0, 1.0, 1.0, 1.0])
    >>> tree.predict(star.vertices)
    array([3., 1., 1., 1.])
    """

    _constraints = QUESTIONS | GROWTH | COMMON | {"criterion": one_of("squared_error")}

    def __init__(
        self, *, criterion="squared_error",
        max_walk_length=2, max_ancestor_distance=2,
        walk_types=("source", "cycle", "target", "target_source"),
        aggregators=("sum", "mean", "min", "max"), walk_type_probability=1.0,
        operators=("adjacency",), add_constant=True, categorical_features="from_dtype",
        colours=0, colour_features="auto",
        max_leaf_nodes=None, max_depth=None, min_samples_leaf=1, min_gain=0.0, ccp_alpha=0.0,
        max_bins=255, random_state=None, n_jobs=None, verbose=0,
        importance_type="gain", memory_limit=None,
    ):  # fmt: skip
        keep_parameters(self, locals())

    @describe_arguments
    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Returns
        -------
        self
        """
        examples, fitted = self._read_training(X)
        targets = read_numbers(y, examples.n)
        weight = read_weight(sample_weight, examples.n)
        centre = np.array([weighted_mean(column, weight) for column in targets.T])
        statistics = squared_error_statistics(targets - centre, weight)
        used = np.flatnonzero(weight > 0)
        trees = self._grow(fitted, examples, statistics, Criterion(NEWTON), used)
        self._finish(fitted, [tree.shifted(centre) for tree in trees], y)
        warn_of_no_split(self, examples, targets, weight)
        return self

    def _impurity(self, y: Any, sample_weight: Any) -> tuple[float, float]:
        targets = read_numbers(y, len(y))
        weight = read_weight(sample_weight, len(y))
        means = np.average(targets, axis=0, weights=weight)
        return float(np.average((targets - means) ** 2, axis=0, weights=weight).sum()), weight.sum()


def squared_error_statistics(targets: np.ndarray, weight: np.ndarray) -> Statistics:
    """Squared error as a Newton step from zero: g = -w·y, h = w.

    Targets should be centred: gains are differences of squares of their sums.
    """
    spread = np.repeat(weight[:, None], targets.shape[1], axis=1)
    return Statistics.newton(-targets * spread, spread, weight)
