"""Random forests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import compute_class_weight

from graphtrees._progress import Progress
from graphtrees._threads import Workers
from graphtrees.ensembles.examples import Examples
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.ensembles.forest import ForestSettings, grow_forest
from graphtrees.ensembles.losses import weighted_mean
from graphtrees.ensembles.prediction import leaves_of
from graphtrees.estimators.docstrings import describe_arguments, fill_parameters
from graphtrees.estimators.fitted_methods import one_tree, way_to_leaves
from graphtrees.estimators.fitting import all_or_nothing
from graphtrees.estimators.no_split import warn_of_no_split
from graphtrees.estimators.parameters import (
    CLASS_WEIGHT,
    COMMON,
    GROWTH,
    QUESTIONS,
    flag,
    keep_parameters,
    nothing,
    number,
    one_of,
    whole,
)
from graphtrees.estimators.predicting import PredictsClasses, PredictsNumbers
from graphtrees.estimators.single import (
    IMPURITIES,
    AveragedTrees,
    GraphTreeClassifier,
    GraphTreeRegressor,
    squared_error_statistics,
)
from graphtrees.kernels.histograms import NEWTON
from graphtrees.trees.criterion import Criterion, Statistics
from graphtrees.trees.tree import Tree
from graphtrees.validation.examples import read_weight
from graphtrees.validation.models import fitted_trees
from graphtrees.validation.targets import (
    read_labels,
    read_numbers,
    warn_of_one_class,
    weigh_classes,
)

# From weights and how often each example is drawn to what a tree is grown on.
MakeStatistics = Callable[[np.ndarray, np.ndarray], Statistics]

FOREST = {
    "n_estimators": whole(1),
    "max_features": one_of("sqrt", "log2") | whole(1) | number(0.0, 1.0, open_low=True) | nothing,
    "bootstrap": flag,
    "oob_score": flag,
    "max_samples": whole(1) | number(0.0, 1.0, open_low=True) | nothing,
}


class _Forest(AveragedTrees):
    @describe_arguments
    def decision_path(self, X: Any) -> tuple[Any, np.ndarray]:
        """Which nodes of all trees each example passes.

        Returns
        -------
        indicator : scipy.sparse.csr_matrix of shape (n_examples, n_nodes of all trees)
            1 where the example passes the node.
        n_nodes_ptr : ndarray of shape (n_trees + 1,)
            The nodes of tree k are the columns ``n_nodes_ptr[k]:n_nodes_ptr[k + 1]``.
        """
        trees = fitted_trees(self).trees
        n_nodes_ptr = np.cumsum([0] + [tree.n_nodes for tree in trees])
        return way_to_leaves(trees, self.apply(X)), n_nodes_ptr

    def _grow(
        self, fitted: FittedTrees, examples: Examples, make_statistics: MakeStatistics,
        criterion: Criterion, weight: np.ndarray,
    ) -> tuple[list[Tree], np.ndarray | None]:  # fmt: skip
        """All trees, and with `oob_score` what those say that did not see an example."""
        if self.oob_score and not self.bootstrap:
            raise ValueError(
                "oob_score=True needs bootstrap=True: without it no example is left out"
            )
        rng = np.random.default_rng(self._seed(examples.workers))
        seeds = [int(seed) for seed in rng.integers(0, 2**63, (self.n_estimators,))]
        progress = Progress("tree", self.n_estimators, self.verbose)
        with self._workers() as workers:
            data = self._training_data(fitted, examples, workers)
            data.prepare()  # before the threads start, so that they share it
            settings = ForestSettings(
                self._limits(examples.n), self.bootstrap,
                _n_samples(self.max_samples, examples.n), self._max_features(data.n_questions()),
            )  # fmt: skip
            grown = grow_forest(
                data, make_statistics, weight, criterion, settings, seeds, progress.step,
                examples.helpers,
            )  # fmt: skip
            progress.close()
            trees = [one.tree for one, _ in grown]
            if not self.oob_score:
                return trees, None
            counts = [drawn for _, drawn in grown]
            return trees, _out_of_bag(
                replace(fitted, trees=tuple(trees)), examples, counts, workers
            )

    def _trees_at_once(self, n_threads: int, n_classes: int) -> int:
        return min(n_threads, self.n_estimators)

    def _share_of_questions(self, n_questions: int) -> float:
        drawn = self._max_features(n_questions)
        if drawn is None or isinstance(drawn, float):
            return 1.0 if drawn is None else drawn
        return drawn / max(1, n_questions)

    def _max_features(self, n_questions: int) -> int | float | None:
        if self.max_features == "sqrt":
            return max(1, int(np.sqrt(n_questions)))
        if self.max_features == "log2":
            return max(1, int(np.log2(max(2, n_questions))))
        return self.max_features


def _out_of_bag(
    fitted: FittedTrees, examples: Examples, counts: list[np.ndarray], workers: Workers
) -> np.ndarray:
    """Mean value over the trees that did not see an example; NaN where all of them did."""
    leaves = leaves_of(fitted, examples, workers)
    total, n_unseen = np.zeros((examples.n, fitted.n_outputs)), np.zeros(examples.n)
    for k, (tree, drawn) in enumerate(zip(fitted.trees, counts, strict=True)):
        out = drawn == 0
        total[out] += tree.value[leaves[out, k]]
        n_unseen[out] += 1
    with np.errstate(invalid="ignore", divide="ignore"):
        return total / n_unseen[:, None]


def _n_samples(max_samples: Any, n: int) -> int | None:
    if max_samples is None:
        return None
    if isinstance(max_samples, (int, np.integer)):
        if max_samples > n:
            raise ValueError(f"max_samples={max_samples} is more than the {n} examples")
        return int(max_samples)
    return max(1, round(max_samples * n))


@fill_parameters("classes_", "n_classes_", "estimators_", "oob_score_", "oob_decision_function_")
class GraphForestClassifier(PredictsClasses, _Forest):
    """A random forest that classifies graphs, vertices or edges.

    Each tree grows on a bootstrap of the examples, each node chooses among a draw of the
    questions. A forest needs little tuning, and with ``oob_score=True`` has a score without a test
    set.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> import graphtrees as gt
    >>> data = gt.datasets.make_red_isolated_vertex(n_graphs=60, n_vertices=12, random_state=0)
    >>> forest = gt.GraphForestClassifier(n_estimators=20, random_state=0).fit(data.X, data.y)
    >>> forest.predict_proba(data.X[:3]).shape
    (3, 2)
    """

    _constraints = (
        QUESTIONS
        | GROWTH
        | COMMON
        | FOREST
        | {
            "criterion": one_of(*IMPURITIES),
            "class_weight": one_of("balanced_subsample") | CLASS_WEIGHT,
        }
    )

    def __init__(
        self, n_estimators=100, *, criterion="gini", max_features="sqrt", bootstrap=True,
        max_samples=None, oob_score=False,
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

    @property
    def estimators_(self) -> list[GraphTreeClassifier]:
        """The trees, each as an estimator of its own."""
        return [one_tree(GraphTreeClassifier, self, tree) for tree in fitted_trees(self).trees]

    @describe_arguments
    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest.

        Returns
        -------
        self
        """
        examples, fitted = self._read_training(X)
        self.classes_, codes = read_labels(y, examples.n)
        fitted = replace(fitted, classes=self.classes_)
        warn_of_one_class(self.classes_)
        weight = read_weight(sample_weight, examples.n)
        per_tree = self.class_weight == "balanced_subsample" and self.bootstrap
        if not per_tree:
            whole_set = (
                "balanced" if self.class_weight == "balanced_subsample" else self.class_weight
            )
            weight = weigh_classes(whole_set, self.classes_, codes, weight)

        def make_statistics(weights: np.ndarray, counts: np.ndarray) -> Statistics:
            if per_tree:
                seen = np.repeat(codes, counts)
                balance = np.ones(len(self.classes_))
                present = np.unique(seen)
                balance[present] = compute_class_weight("balanced", classes=present, y=seen)
                weights = weights * balance[codes]
            return Statistics.classes(codes, len(self.classes_), weights)

        criterion = Criterion(IMPURITIES[self.criterion])
        trees, unseen = self._grow(fitted, examples, make_statistics, criterion, weight)
        self._finish(fitted, trees, y)
        warn_of_no_split(self, examples, codes, weight)
        if unseen is not None:
            self.oob_decision_function_ = unseen
            known = ~np.isnan(unseen[:, 0])
            best = unseen[known].argmax(axis=1)
            self.oob_score_ = float(accuracy_score(codes[known], best)) if known.any() else np.nan
        return self


@fill_parameters("estimators_", "oob_score_", "oob_prediction_")
class GraphForestRegressor(PredictsNumbers, _Forest):
    """A random forest that predicts numbers for graphs, vertices or edges.

    Each tree grows on a bootstrap of the examples, each node chooses among a draw of the
    questions: a third of them by default. A forest needs little tuning, and with
    ``oob_score=True`` has a score without a test set.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> import graphtrees as gt
    >>> data = gt.datasets.make_walk_counts("source", n_graphs=40, random_state=0)
    >>> forest = gt.GraphForestRegressor(n_estimators=10, random_state=0).fit(data.X, data.y)
    >>> forest.predict(data.X).shape
    (40,)
    """

    _constraints = QUESTIONS | GROWTH | COMMON | FOREST | {"criterion": one_of("squared_error")}

    def __init__(
        self, n_estimators=100, *, criterion="squared_error", max_features=1 / 3, bootstrap=True,
        max_samples=None, oob_score=False,
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

    @property
    def estimators_(self) -> list[GraphTreeRegressor]:
        """The trees, each as an estimator of its own."""
        return [one_tree(GraphTreeRegressor, self, tree) for tree in fitted_trees(self).trees]

    @describe_arguments
    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest.

        Returns
        -------
        self
        """
        examples, fitted = self._read_training(X)
        targets = read_numbers(y, examples.n)
        weight = read_weight(sample_weight, examples.n)
        centre = np.array([weighted_mean(column, weight) for column in targets.T])

        def make_statistics(weights: np.ndarray, counts: np.ndarray) -> Statistics:
            return squared_error_statistics(targets - centre, weights)

        trees, unseen = self._grow(fitted, examples, make_statistics, Criterion(NEWTON), weight)
        self._finish(fitted, [tree.shifted(centre) for tree in trees], y)
        warn_of_no_split(self, examples, targets, weight)
        if unseen is not None:
            values = unseen + centre
            known = ~np.isnan(values[:, 0])
            self.oob_prediction_ = values[:, 0] if values.shape[1] == 1 else values
            enough = known.sum() > 1
            self.oob_score_ = float(r2_score(targets[known], values[known])) if enough else np.nan
        return self
