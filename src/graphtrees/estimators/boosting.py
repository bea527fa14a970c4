"""Gradient boosting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from graphtrees.ensembles import losses
from graphtrees.ensembles.prediction import one_column, predictions, probabilities
from graphtrees.estimators.boosted import BOOSTING, BoostedTrees, Targets
from graphtrees.estimators.docstrings import describe_arguments, fill_parameters
from graphtrees.estimators.own_loss import OWN_LOSS, own_loss
from graphtrees.estimators.parameters import (
    CLASS_WEIGHT,
    COMMON,
    GROWTH,
    QUESTIONS,
    keep_parameters,
    number,
    one_of,
)
from graphtrees.estimators.predicting import PredictsClasses, PredictsNumbers
from graphtrees.validation.targets import (
    class_weights,
    read_labels,
    read_numbers,
    warn_of_one_class,
)

REGRESSION_LOSSES = ("squared_error", "absolute_error", "huber", "quantile", "poisson")
OF_BOOSTING = (
    "estimators_", "init_", "init_estimator_", "n_iter_", "best_iteration_", "best_score_",
    "evals_result_",
)  # fmt: skip
STRATEGIES = ("one_vs_rest", "softmax", "multi_output_tree")


@fill_parameters("classes_", "n_classes_", *OF_BOOSTING)
class GraphBoostingClassifier(PredictsClasses, BoostedTrees):
    """Gradient boosting that classifies graphs, vertices or edges.

    Trees are added round by round, each where the sum of those before it errs. This is the
    estimator to try first: it has early stopping, and a loss for many purposes.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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
            "loss": one_of("log_loss") | OWN_LOSS,
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
        colours=0, colour_features="auto",
        max_leaf_nodes="auto", max_depth=None, min_samples_leaf=10, min_gain=0.0, ccp_alpha=0.0,
        max_bins=255, loss="log_loss", multi_strategy="one_vs_rest", l2_regularization=3.0,
        subsample=1.0, feature_fraction=1.0, feature_fraction_per_node=1.0, early_stopping=False,
        validation_fraction=0.1, n_iter_no_change=10, tol=1e-7, scoring=None, class_weight=None,
        init=None, warm_start=False, random_state=None, n_jobs=None, verbose=0,
        importance_type="gain", memory_limit=None,
    ):  # fmt: skip
        keep_parameters(self, locals())

    def _read_y(self, y: Any, weight: np.ndarray, n: int) -> Targets:
        self.classes_, codes = read_labels(y, n)
        warn_of_one_class(self.classes_)
        weights = class_weights(self.class_weight, self.classes_, codes)
        n_classes = len(self.classes_)
        n_outputs = 1 if n_classes <= 2 else n_classes
        return Targets(
            codes, weight * weights[codes], self._make_loss(n_classes, n_outputs), n_outputs,
            self.classes_, weights,
        )  # fmt: skip

    def _read_eval_y(
        self, y: Any, weight: np.ndarray, n: int, targets: Targets, held_out: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        present, codes = read_labels(y, n)
        unknown = np.setdiff1d(present, self.classes_)
        if len(unknown):
            raise ValueError(f"eval_set holds the class {unknown.tolist()[0]!r}, which y does not")
        codes = np.searchsorted(self.classes_, present)[codes]
        assert targets.class_weights is not None
        return codes, weight * targets.class_weights[codes] if held_out else weight

    def _shares_tree(self, n_outputs: int) -> bool:
        return self.multi_strategy == "multi_output_tree" and n_outputs > 2

    def _make_loss(self, n_classes: int, n_outputs: int) -> losses.Loss:
        if not isinstance(self.loss, str):
            return own_loss(self.loss, n_outputs, max(2, n_classes))
        if n_classes <= 2:
            return losses.BinaryLogLoss()
        kind = losses.OneVsRest if self.multi_strategy == "one_vs_rest" else losses.Softmax
        return kind(n_classes)

    @describe_arguments
    def decision_function(self, X: Any) -> np.ndarray:
        """Sums of the trees: (n_examples,) for two classes, else (n_examples, n_classes)."""
        return one_column(self._raw(X))

    @describe_arguments
    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """`predict_proba` after each round."""
        return self._staged(X, probabilities)

    @describe_arguments
    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """`predict` after each round."""
        return self._staged(X, predictions)

    @describe_arguments
    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """`decision_function` after each round."""
        return self._staged(X, lambda _, raw: one_column(raw))


@fill_parameters(*OF_BOOSTING)
class GraphBoostingRegressor(PredictsNumbers, BoostedTrees):
    """Gradient boosting that predicts numbers for graphs, vertices or edges.

    Trees are added round by round, each where the sum of those before it errs. This is the
    estimator to try first: it has early stopping, and a loss for many purposes. `y` may have
    several columns, each fitted as if alone.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    {attributes}

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
            "loss": one_of(*REGRESSION_LOSSES) | OWN_LOSS,
            "alpha": number(0.0, 1.0, open_low=True),
        }
    )

    def __init__(
        self, n_estimators=100, *, learning_rate=0.1,
        max_walk_length=2, max_ancestor_distance=2,
        walk_types=("source", "cycle", "target", "target_source"),
        aggregators=("sum", "mean", "min", "max"), walk_type_probability=1.0,
        operators=("adjacency",), add_constant=True, categorical_features="from_dtype",
        colours=0, colour_features="auto",
        max_leaf_nodes="auto", max_depth=None, min_samples_leaf=10, min_gain=0.0, ccp_alpha=0.0,
        max_bins=255, loss="squared_error", alpha=0.9, l2_regularization=0.0,
        subsample=1.0, feature_fraction=1.0, feature_fraction_per_node=1.0, early_stopping=False,
        validation_fraction=0.1, n_iter_no_change=10, tol=1e-7, scoring=None, init=None,
        warm_start=False, random_state=None, n_jobs=None, verbose=0,
        importance_type="gain", memory_limit=None,
    ):  # fmt: skip
        keep_parameters(self, locals())

    def _read_y(self, y: Any, weight: np.ndarray, n: int) -> Targets:
        values = self._numbers(y, n)
        return Targets(values, weight, self._make_loss(values.shape[1]), values.shape[1])

    def _numbers(self, y: Any, n: int) -> np.ndarray:
        values = read_numbers(y, n)
        if isinstance(self.loss, str) and self.loss == "poisson" and (values < 0).any():
            raise ValueError("loss='poisson' wants y >= 0; some values are negative")
        return values

    def _read_eval_y(
        self, y: Any, weight: np.ndarray, n: int, targets: Targets, held_out: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        values, n_outputs = self._numbers(y, n), targets.n_outputs
        if values.shape[1] != n_outputs:
            raise ValueError(f"y of eval_set has {values.shape[1]} columns; y has {n_outputs}")
        return values, weight

    def _make_loss(self, n_outputs: int) -> losses.Loss:
        if not isinstance(self.loss, str):
            return own_loss(self.loss, n_outputs)
        return {
            "squared_error": losses.SquaredError,
            "absolute_error": losses.AbsoluteError,
            "huber": lambda: losses.Huber(self.alpha),
            "quantile": lambda: losses.Quantile(self.alpha),
            "poisson": losses.Poisson,
        }[self.loss]()

    @describe_arguments
    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """`predict` after each round."""
        return self._staged(X, predictions)
