"""Predictions about examples that a model did not see, and how good they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer, get_scorer_names

from graphtrees.ensembles.prediction import one_column
from graphtrees.estimators.parameters import Constraint, nothing
from graphtrees.validation.metrics import name_of, one_number

LEAST_CHANCE = 1e-15
SCORER = nothing | Constraint(
    "the name of a scikit-learn scorer, a function(estimator, X, y) or (y_true, y_pred)",
    lambda v: callable(v) or (isinstance(v, str) and v in get_scorer_names()),
)


def predictions_of(model: Any, X: Any, classes: np.ndarray | None) -> np.ndarray:
    """Numbers (n_examples, n_outputs), or the chance of each class; predicted classes count 1."""
    if classes is None:
        values = np.asarray(model.predict(X), dtype=np.float64)
        return values.reshape(len(values), -1)
    if hasattr(model, "predict_proba"):
        given, known = np.asarray(model.predict_proba(X), np.float64), model.classes_
    else:
        known = classes
        given = (np.asarray(model.predict(X))[:, None] == known).astype(np.float64)
    chances = np.zeros((len(given), len(classes)))
    chances[:, np.searchsorted(classes, known)] = given
    return chances


def score(
    scoring: Any, predicted: np.ndarray, y: np.ndarray, classes: np.ndarray | None,
    weight: np.ndarray | None = None,
) -> float:  # fmt: skip
    """How good predictions are, more is better.

    With `scoring` None it is minus the log loss of classes, or minus the squared error of numbers;
    else what a scorer of scikit-learn says, see `as_scorer`. `y` holds labels as given.
    """
    if scoring is None:
        return -float(np.average(losses(predicted, y, classes), weights=weight))
    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
    fixed = FixedNumbers(predicted) if classes is None else FixedClasses(predicted, classes)
    return one_number(scorer(fixed, np.arange(len(y))[:, None], y), name_of(scorer))


def metric_name(scoring: Any, of_classes: bool) -> str:
    """What `score` measures, by the name of a scikit-learn scorer where it has one."""
    if scoring is None:
        return "neg_log_loss" if of_classes else "neg_mean_squared_error"
    if isinstance(scoring, str):
        return scoring
    return ("neg_" if getattr(scoring, "_sign", 1) < 0 else "") + name_of(scoring)


def losses(predicted: np.ndarray, y: np.ndarray, classes: np.ndarray | None) -> np.ndarray:
    """The log loss or the squared error of each example."""
    if classes is None:
        return ((predicted - y.reshape(len(y), -1)) ** 2).sum(axis=1)
    chance = predicted[np.arange(len(y)), np.searchsorted(classes, y)]
    return -np.log(np.clip(chance, LEAST_CHANCE, None))


class _Fixed(BaseEstimator):
    """An estimator that says what was predicted before, whatever it is asked about."""

    def __sklearn_is_fitted__(self) -> bool:
        return True


class FixedNumbers(RegressorMixin, _Fixed):
    def __init__(self, predicted: np.ndarray) -> None:
        self.predicted = predicted

    def predict(self, X: Any) -> np.ndarray:
        return one_column(self.predicted)


class FixedClasses(ClassifierMixin, _Fixed):
    def __init__(self, predicted: np.ndarray, classes: np.ndarray) -> None:
        self.predicted = predicted
        self.classes = classes

    @property
    def classes_(self) -> np.ndarray:
        return self.classes

    def predict_proba(self, X: Any) -> np.ndarray:
        return self.predicted / self.predicted.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> np.ndarray:
        return self.classes[self.predicted.argmax(axis=1)]
