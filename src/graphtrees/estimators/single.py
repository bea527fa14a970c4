"""One decision tree."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.utils import Bunch

from graphtrees.ensembles.losses import weighted_mean
from graphtrees.estimators.base import GraphTreesEstimator
from graphtrees.estimators.fitting import all_or_nothing
from graphtrees.estimators.inside import way_to_leaves
from graphtrees.estimators.parameters import (
    COMMON,
    GROWTH,
    QUESTIONS,
    keep_parameters,
    one_of,
)
from graphtrees.estimators.reading import read_weight
from graphtrees.estimators.targets import (
    CLASS_WEIGHT,
    read_labels,
    read_numbers,
    warn_of_one_class,
    weigh_classes,
)
from graphtrees.kernels.search import ENTROPY, GINI, NEWTON
from graphtrees.trees.criterion import Criterion, Statistics
from graphtrees.trees.grower import grow_tree
from graphtrees.trees.packing import GrownTrees
from graphtrees.trees.routing import sum_values
from graphtrees.trees.splitter import Splitter
from graphtrees.trees.tree import pruning_path

IMPURITIES = {"gini": GINI, "entropy": ENTROPY, "log_loss": ENTROPY}


class AveragedTrees(GraphTreesEstimator):
    """Prediction of trees and forests: the mean of what the trees say."""

    def _mean_values(self, X: Any) -> np.ndarray:
        with self._workers() as workers:
            router = self._router(X, workers)
            out = np.zeros((router.n_examples, self._trees[0].value.shape[1]))
            sum_values(router, self._trees, [-1] * len(self._trees), 1.0, out)
        return out / len(self._trees)

    def _hold(self, trees: list) -> None:
        self._trees = GrownTrees(trees)
        self._outputs = [-1 if tree.value.shape[1] > 1 else 0 for tree in trees]


class AveragedClassifier(ClassifierMixin, AveragedTrees):
    """Class probabilities as the mean of the trees' class shares."""

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, (n_examples, n_classes), in the order of `classes_`."""
        return self._mean_values(X)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each example."""
        chances = self.predict_proba(X)
        return self.classes_[chances.argmax(axis=1)]


class AveragedRegressor(RegressorMixin, AveragedTrees):
    """Predictions as the mean of the trees' values."""

    def predict(self, X: Any) -> np.ndarray:
        """The predicted value of each example, (n_examples,) or (n_examples, n_outputs)."""
        values = self._mean_values(X)
        return values[:, 0] if values.shape[1] == 1 else values


class _OneTree(GraphTreesEstimator):
    def _grow(
        self, examples, statistics: Statistics, criterion: Criterion, used: np.ndarray
    ) -> list:
        with self._workers() as workers:
            data = self._training_data(examples, workers)
            rng = np.random.default_rng(self._seed())
            splitter = Splitter(data, statistics, criterion, self.min_samples_leaf, rng)
            return [grow_tree(splitter, self._limits(), used).tree]

    def decision_path(self, X: Any) -> Any:
        """Which nodes of the tree each example passes.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_examples, n_nodes)
            1 where the example passes the node, numbered as in `trees_to_dataframe`.
        """
        return way_to_leaves(self._trees, self.apply(X))

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """How the tree would shrink as `ccp_alpha` grows.

        Parameters
        ----------
        X, y, sample_weight : as in `fit`

        Returns
        -------
        Bunch
            `ccp_alphas`, from 0 on, each of which prunes one more node, and `impurities`, that of
            all leaves together after each.
        """
        whole = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight)
        impurity, weight = whole._impurity(y, sample_weight)
        alphas, lost = pruning_path(whole._trees[0], weight)
        kept = whole._trees[0].gain.sum() / weight
        return Bunch(ccp_alphas=alphas, impurities=impurity - kept + lost)


class GraphTreeClassifier(_OneTree, AveragedClassifier):
    """A decision tree that classifies graphs, vertices or edges.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        What a split should lower.
    max_walk_length : int, default=2
        How many steps the walks of a question may take, at most 1000; 0 asks about vertices alone.
    max_ancestor_distance : int, default=2
        How far up the tree a split may look for a subset of vertices; 0 turns subsets off.
    walk_types : tuple of {"source", "cycle", "target", "target_source"}
        Ways to limit walks to a subset: those that start in it, come back to where they started,
        end in it, or both start and end in it.
    aggregators : tuple of {"sum", "mean", "min", "max"}
        Ways to make one number of all vertices of a graph (graph examples only).
    walk_type_probability : float, default=1.0
        The chance that a node is offered a walk type.
    operators : name or tuple of names, default=("adjacency",)
        What a step of a walk does: follow edges ("adjacency"), follow them backwards ("reverse"),
        or average what comes in ("mean"). "relations" follows every edge type, and every edge
        feature as weights, on its own, as do "reverse_relations" and "mean_relations"; a single
        one goes by its name, such as "double" or "mean:double".
    add_constant : bool, default=True
        Whether to add a feature that is 1 at every vertex, so that walks can be counted.
    categorical_features : "from_dtype", None, or list of names or numbers
        Features whose values are labels; a question then asks about one label. A column of text
        cannot be left out; the labels of one that are numbers are then read as these numbers.
    max_leaf_nodes, max_depth : int or None, default=None
        Limits to the size of the tree.
    min_samples_leaf : int, default=1
        The fewest examples on either side of a split.
    min_gain : float, default=0.0
        A split must gain more than this; gains are decreases of impurity times weight.
    ccp_alpha : float, default=0.0
        Minimal cost-complexity pruning, as in scikit-learn.
    max_bins : int or None, default=255
        Distinct values told apart in the search; None tries every value.
    class_weight : dict, "balanced" or None
    random_state : int, RandomState or None
    n_jobs : int or None
        Threads; None is OMP_NUM_THREADS or every core. The result never depends on it.
    verbose : int, default=0
    importance_type : {"gain", "split"}, default="gain"
        What `feature_importances_` are shares of: the gain of all splits, or their number.
    memory_limit : int, str or None, default=None
        The most that `fit` may allocate, in bytes or as text such as "2GB" or "500MB". `fit`
        estimates its need from the sizes of the data and raises MemoryError before it starts;
        None is what the machine has available.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_
    feature_importances_ : ndarray of shape (n_features_in_,)
        Shares of the features; that of the count of vertices is `constant_importance_`.

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
        max_leaf_nodes=None, max_depth=None, min_samples_leaf=1, min_gain=0.0, ccp_alpha=0.0,
        max_bins=255, class_weight=None, random_state=None, n_jobs=None, verbose=0,
        importance_type="gain", memory_limit=None,
    ):  # fmt: skip
        keep_parameters(self, locals())

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : Graphs, Vertices, Edges, list of Graph, or table (n_examples, n_features)
            What gets a label.
        y : array of shape (n_examples,)
            The class of each example.
        sample_weight : array of shape (n_examples,), optional
        """
        examples = self._read_training(X)
        self.classes_, codes = read_labels(y, examples.n)
        warn_of_one_class(self.classes_)
        weight = read_weight(sample_weight, examples.n)
        weight = weigh_classes(self.class_weight, self.classes_, codes, weight)
        statistics = Statistics.classes(codes, len(self.classes_), weight)
        criterion = Criterion(IMPURITIES[self.criterion])
        self._hold(self._grow(examples, statistics, criterion, np.flatnonzero(weight > 0)))
        return self

    def _impurity(self, y: Any, sample_weight: Any) -> tuple[float, float]:
        codes = np.searchsorted(self.classes_, np.asarray(y))
        weight = read_weight(sample_weight, len(codes))
        weight = weigh_classes(self.class_weight, self.classes_, codes, weight)
        share = np.bincount(codes, weight) / weight.sum()
        if IMPURITIES[self.criterion] == GINI:
            return 1 - float((share**2).sum()), weight.sum()
        share = share[share > 0]
        return -float((share * np.log2(share)).sum()), weight.sum()


class GraphTreeRegressor(_OneTree, AveragedRegressor):
    """A decision tree that predicts numbers for graphs, vertices or edges.

    The parameters are those of `GraphTreeClassifier`, with ``criterion="squared_error"``.

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
        max_leaf_nodes=None, max_depth=None, min_samples_leaf=1, min_gain=0.0, ccp_alpha=0.0,
        max_bins=255, random_state=None, n_jobs=None, verbose=0,
        importance_type="gain", memory_limit=None,
    ):  # fmt: skip
        keep_parameters(self, locals())

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree on numbers y, (n_examples,) or (n_examples, n_outputs)."""
        examples = self._read_training(X)
        targets = read_numbers(y, examples.n)
        weight = read_weight(sample_weight, examples.n)
        centre = np.array([weighted_mean(column, weight) for column in targets.T])
        statistics = squared_error_statistics(targets - centre, weight)
        trees = self._grow(examples, statistics, Criterion(NEWTON), np.flatnonzero(weight > 0))
        self._hold([tree.shifted(centre) for tree in trees])
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
