"""Gradient boosting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from graphtrees.ensembles import losses
from graphtrees.estimators.boosted import BOOSTING, BoostedTrees
from graphtrees.estimators.parameters import (
    COMMON,
    GROWTH,
    QUESTIONS,
    Constraint,
    keep_parameters,
    number,
    one_of,
)
from graphtrees.estimators.targets import (
    CLASS_WEIGHT,
    class_weights,
    read_labels,
    read_numbers,
    warn_of_one_class,
)

REGRESSION_LOSSES = ("squared_error", "absolute_error", "huber", "quantile", "poisson")
STRATEGIES = ("one_vs_rest", "softmax", "multi_output_tree")
CUSTOM = Constraint("an object with a method gradient(y, raw)", losses.is_custom_loss)


class GraphBoostingClassifier(ClassifierMixin, BoostedTrees):
    """Gradient boosting that classifies graphs, vertices or edges.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of rounds.
    learning_rate : float, default=0.1
        What each tree's values are multiplied by.
    max_walk_length, max_ancestor_distance, walk_types, aggregators, walk_type_probability, \
operators, add_constant, categorical_features
        Which questions a split may ask; see `GraphTreeClassifier`.
    max_leaf_nodes : int or None, default=10
    max_depth : int or None, default=None
    min_samples_leaf : int, default=10
    min_gain, ccp_alpha : float, default=0.0
    max_bins : int or None, default=255
        The size of a tree; see `GraphTreeClassifier`.
    loss : "log_loss" or object, default="log_loss"
        An object is a loss of your own: it has a method ``gradient(y, raw)`` and may have
        ``hessian(y, raw)``, ``init(y, weight)``, ``loss(y, raw)``, ``link(raw)`` and
        ``leaf_value(y, raw, weight)``; see docs/boosting.md.
    multi_strategy : {"one_vs_rest", "softmax", "multi_output_tree"}, default="one_vs_rest"
        For three classes and more: one tree per class and round, each against the rest; one per
        class bound by the softmax; or one tree per round with a value for every class.
    l2_regularization : float, default=3.0 for classes and 0.0 for numbers
        Added to the hessian of every leaf: shrinks the values of small leaves.
    subsample, feature_fraction : float, default=1.0
        Share of the examples, and of the feature columns, that each tree sees.
    feature_fraction_per_node : float, default=1.0
        Share of the questions that each node chooses among.
    early_stopping : bool, default=False
        Stop when the first metric of the last `eval_set`, or of a share `validation_fraction` set
        aside, has not improved by more than `tol` for `n_iter_no_change` rounds; the trees after
        the best round are dropped.
    scoring : str, callable, list or dict of these, or None
        What to watch: names of scikit-learn scorers, functions ``(estimator, X, y)``, metrics
        ``(y_true, y_pred)`` such as `sklearn.metrics.f1_score`, or "loss". Of a metric more is
        better, unless its name ends in "_error", "_loss" or "_deviance". None is the loss.
    class_weight : dict, "balanced" or None
    warm_start : bool, default=False
        Whether `fit` goes on from the trees already there.
    random_state : int, RandomState or None
    n_jobs : int or None
        Threads; None is OMP_NUM_THREADS or every core. The result never depends on it.
    verbose : int, default=0
        1: progress in one line, once it takes long; 2: a line for every round; more: a line for
        every so many rounds, such as 10.
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
    best_score_ : dict
        Set name -> metric name -> score after the round `best_iteration_`.
    estimators_ : ndarray of shape (n_iter_, trees of a round)
        Every tree as an estimator of its own.
    init_ : ndarray
        What each output starts from: the decision function is `init_` plus `learning_rate` times
        the sum of the leaves' values.
    n_iter_ : int
        Rounds kept.
    best_iteration_ : int
        The round, from 0, with the best first metric of the last set watched.
    evals_result_ : dict
        Set name -> metric name -> score after each round; "train" is always among the sets.

    Examples
    --------
    >>> import graphtrees as gt
    >>> data = gt.datasets.make_red_isolated_vertex(n_graphs=200, n_vertices=20, random_state=0)
    >>> model = gt.GraphBoostingClassifier(n_estimators=20, random_state=0).fit(data.X, data.y)
    >>> model.predict_proba(data.X[:2]).shape
    (2, 2)
    """

    _constraints = (
        QUESTIONS
        | GROWTH
        | COMMON
        | BOOSTING
        | {
            "loss": one_of("log_loss") | CUSTOM,
            "multi_strategy": one_of(*STRATEGIES),
            "class_weight": CLASS_WEIGHT,
        }
    )

    def __init__(
        self, n_estimators=100, *, learning_rate=0.1,
        max_walk_length=2, max_ancestor_distance=2,
        walk_types=("source", "cycle", "target", "target_source"),
        aggregators=("sum", "mean", "min", "max"), walk_type_probability=1.0,
        operators=("adjacency",), add_constant=True, categorical_features="from_dtype",
        max_leaf_nodes=10, max_depth=None, min_samples_leaf=10, min_gain=0.0, ccp_alpha=0.0,
        max_bins=255, loss="log_loss", multi_strategy="one_vs_rest", l2_regularization=3.0,
        subsample=1.0, feature_fraction=1.0, feature_fraction_per_node=1.0, early_stopping=False,
        validation_fraction=0.1, n_iter_no_change=10, tol=1e-7, scoring=None, class_weight=None,
        warm_start=False, random_state=None, n_jobs=None, verbose=0,
        importance_type="gain", memory_limit=None,
    ):  # fmt: skip
        keep_parameters(self, locals())

    def _read_y(self, y: Any, weight: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
        self.classes_, codes = read_labels(y, n)
        warn_of_one_class(self.classes_)
        self._class_weights = class_weights(self.class_weight, self.classes_, codes)
        return codes, weight * self._class_weights[codes]

    def _read_eval_y(
        self, y: Any, weight: np.ndarray, n: int, held_out: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        present, codes = read_labels(y, n)
        unknown = np.setdiff1d(present, self.classes_)
        if len(unknown):
            raise ValueError(f"eval_set holds the class {unknown.tolist()[0]!r}, which y does not")
        codes = np.searchsorted(self.classes_, present)[codes]
        return codes, weight * self._class_weights[codes] if held_out else weight

    def _n_outputs(self) -> int:
        return 1 if len(self.classes_) <= 2 else len(self.classes_)

    def _shares_tree(self) -> bool:
        return self.multi_strategy == "multi_output_tree" and self._n_outputs() > 1

    def _make_loss(self) -> losses.Loss:
        n_classes = len(self.classes_)
        if not isinstance(self.loss, str):
            return losses.CustomLoss(self.loss, self._n_outputs(), max(2, n_classes))
        if n_classes <= 2:
            return losses.BinaryLogLoss()
        kind = losses.OneVsRest if self.multi_strategy == "one_vs_rest" else losses.Softmax
        return kind(n_classes)

    def _decision_function_of(self, raw: np.ndarray) -> np.ndarray:
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def _predict_proba_of(self, raw: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 1:
            return np.ones((len(raw), 1))
        return self._loss.link(raw)

    def _predict_of(self, raw: np.ndarray) -> np.ndarray:
        return self.classes_[self._predict_proba_of(raw).argmax(axis=1)]

    def decision_function(self, X: Any) -> np.ndarray:
        """Sums of the trees: (n_examples,) for two classes, else (n_examples, n_classes)."""
        return self._decision_function_of(self._raw(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, (n_examples, n_classes), in the order of `classes_`."""
        return self._predict_proba_of(self._raw(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each example."""
        return self._predict_of(self._raw(X))

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """`predict_proba` after each round."""
        return map(self._predict_proba_of, self._staged_raw(X))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """`predict` after each round."""
        return map(self._predict_of, self._staged_raw(X))

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """`decision_function` after each round."""
        return map(self._decision_function_of, self._staged_raw(X))


class GraphBoostingRegressor(RegressorMixin, BoostedTrees):
    """Gradient boosting that predicts numbers for graphs, vertices or edges.

    The parameters are those of `GraphBoostingClassifier` without the classes, and

    loss : {"squared_error", "absolute_error", "huber", "quantile", "poisson"} or object
    alpha : float, default=0.9
        The level of the "quantile" loss, and the share of residuals that "huber" takes as small.

    Examples
    --------
    >>> import graphtrees as gt
    >>> data = gt.datasets.make_walk_counts("source", n_graphs=50, random_state=0)
    >>> model = gt.GraphBoostingRegressor(n_estimators=20, random_state=0).fit(data.X, data.y)
    >>> model.predict(data.X).shape
    (50,)
    """

    _constraints = (
        QUESTIONS
        | GROWTH
        | COMMON
        | BOOSTING
        | {
            "loss": one_of(*REGRESSION_LOSSES) | CUSTOM,
            "alpha": number(0.0, 1.0, open_low=True),
        }
    )

    def __init__(
        self, n_estimators=100, *, learning_rate=0.1,
        max_walk_length=2, max_ancestor_distance=2,
        walk_types=("source", "cycle", "target", "target_source"),
        aggregators=("sum", "mean", "min", "max"), walk_type_probability=1.0,
        operators=("adjacency",), add_constant=True, categorical_features="from_dtype",
        max_leaf_nodes=10, max_depth=None, min_samples_leaf=10, min_gain=0.0, ccp_alpha=0.0,
        max_bins=255, loss="squared_error", alpha=0.9, l2_regularization=0.0,
        subsample=1.0, feature_fraction=1.0, feature_fraction_per_node=1.0, early_stopping=False,
        validation_fraction=0.1, n_iter_no_change=10, tol=1e-7, scoring=None, warm_start=False,
        random_state=None, n_jobs=None, verbose=0,
        importance_type="gain", memory_limit=None,
    ):  # fmt: skip
        keep_parameters(self, locals())

    def _read_y(self, y: Any, weight: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
        values = read_numbers(y, n)
        if isinstance(self.loss, str) and self.loss == "poisson" and (values < 0).any():
            raise ValueError("loss='poisson' wants y >= 0; some values are negative")
        self._n_outputs = values.shape[1]
        return values, weight

    def _read_eval_y(
        self, y: Any, weight: np.ndarray, n: int, held_out: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        n_outputs = self._n_outputs
        values, weight = self._read_y(y, weight, n)
        self._n_outputs = n_outputs
        if values.shape[1] != n_outputs:
            raise ValueError(f"y of eval_set has {values.shape[1]} columns; y has {n_outputs}")
        return values, weight

    def _make_loss(self) -> losses.Loss:
        if not isinstance(self.loss, str):
            return losses.CustomLoss(self.loss, self._n_outputs)
        return {
            "squared_error": losses.SquaredError,
            "absolute_error": losses.AbsoluteError,
            "huber": lambda: losses.Huber(self.alpha),
            "quantile": lambda: losses.Quantile(self.alpha),
            "poisson": losses.Poisson,
        }[self.loss]()

    def _predict_of(self, raw: np.ndarray) -> np.ndarray:
        values = self._loss.link(raw)
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any) -> np.ndarray:
        """The predicted value of each example, (n_examples,) or (n_examples, n_outputs)."""
        return self._predict_of(self._raw(X))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """`predict` after each round."""
        return map(self._predict_of, self._staged_raw(X))
