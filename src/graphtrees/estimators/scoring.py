"""The `scoring` parameter: what is watched while boosting goes on."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer, get_scorer_names

from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.ensembles.monitor import Metric, Watched
from graphtrees.ensembles.prediction import one_column, predictions, probabilities
from graphtrees.estimators.parameters import Constraint
from graphtrees.validation.metrics import (
    MetricScorer,
    is_metric,
    less_is_better,
    name_of,
    one_number,
    warn_of_direction,
    warning_of_sign,
)

LOSS = "loss"


@dataclass(frozen=True)
class Given:
    """A set of examples as the user gave it; what scorers are called with."""

    X: Any
    y: Any
    weight: np.ndarray | None


def _is_scoring(value: Any) -> bool:
    if isinstance(value, dict):
        return len(value) > 0 and all(isinstance(k, str) and _is_one(v) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and all(map(_is_one, value))
    return value is None or _is_one(value)


def _is_one(value: Any) -> bool:
    if isinstance(value, str):
        return value == LOSS or value in get_scorer_names()
    return callable(value) and not isinstance(value, type)


SCORING = Constraint(
    "the name of a scikit-learn scorer, 'loss', a function(estimator, X, y) or (y_true, y_pred), "
    "or a list or dict of these, or None",
    _is_scoring,
    ("str", "callable", "list or dict of these", "None"),
)


def make_metrics(fitted: FittedTrees, snapshot: Callable[[], Any], scoring: Any) -> list[Metric]:
    """The metrics that `scoring` asks for, the deciding one first.

    `fitted` turns raw sums into predictions; `snapshot()` is a fitted model of the trees so far.
    """
    loss = fitted.loss
    assert loss is not None
    first, deciding = _named(scoring)[0]
    warn_of_direction(deciding, first)
    metrics = [
        Metric(name, lambda one: loss.mean(one.y, one.raw, one.weight))
        if what == LOSS
        else Metric(name, _scorer(fitted, snapshot, what), not less_is_better(what, name))
        for name, what in _named(scoring)
    ]
    if loss.has_value:
        return metrics
    if scoring is not None and any(what == LOSS for _, what in _named(scoring)):
        raise ValueError("scoring='loss' needs a loss with a method loss(y, raw)")
    return [] if scoring is None else metrics


def _named(scoring: Any) -> list[tuple[str, Any]]:
    if isinstance(scoring, dict):
        return list(scoring.items())
    one = LOSS if scoring is None else scoring
    listed = list(one) if isinstance(one, (list, tuple)) else [one]
    names = [what if isinstance(what, str) else name_of(what) for what in listed]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"scoring holds {twice!r} twice; give a dict of name -> metric")
    return list(zip(names, listed, strict=True))


def wants_examples(scoring: Any) -> list[str]:
    """The names of functions(estimator, X, y), which may read X as they like.

    Metrics, and scorers of scikit-learn, only have it predicted.
    """
    return [
        name
        for name, what in _named(scoring)
        if callable(what) and not is_metric(what) and not hasattr(what, "_score_func")
    ]


def _scorer(
    fitted: FittedTrees, snapshot: Callable[[], Any], what: Any
) -> Callable[[Watched], float]:
    base = _StandingRegressor if fitted.classes is None else _StandingClassifier
    # Scikit-learn's messages name the class: let it be the one that users know.
    kind = type(fitted.estimator, (base,), {})
    scorer = get_scorer(what) if isinstance(what, str) else what
    takes_weight = _takes_weight(scorer)
    scorer = MetricScorer(scorer) if is_metric(scorer) else warning_of_sign(scorer)
    name = name_of(scorer)

    def score(one: Watched) -> float:
        given: Given = one.given
        weighted = takes_weight and given.weight is not None
        weight = {"sample_weight": given.weight} if weighted else {}
        standing = kind(fitted, snapshot, given.X, one.raw)
        return one_number(scorer(standing, given.X, given.y, **weight), name)

    return score


def _takes_weight(scorer: Any) -> bool:
    """Whether a scorer, or the function that a scikit-learn scorer wraps, reads weights."""
    try:
        signature = inspect.signature(getattr(scorer, "_score_func", scorer))
    except (TypeError, ValueError):
        return False
    return "sample_weight" in signature.parameters


class _Standing(BaseEstimator):
    """The model in the middle of its training, as scorers see it.

    Where the examples of X stand is known already, so that a score costs no walk through the trees;
    about anything else the model itself is asked.
    """

    def __init__(
        self, fitted: FittedTrees, snapshot: Callable[[], Any], X: Any, raw: np.ndarray
    ) -> None:
        self.fitted = fitted
        self.snapshot = snapshot
        self.X = X
        self.raw = raw

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def _raw_of(self, X: Any) -> np.ndarray:
        return self.raw if X is self.X else self.snapshot()._raw(X)

    def predict(self, X: Any) -> np.ndarray:
        return predictions(self.fitted, self._raw_of(X))


class _StandingClassifier(ClassifierMixin, _Standing):
    @property
    def classes_(self) -> np.ndarray:
        assert self.fitted.classes is not None
        return self.fitted.classes

    def predict_proba(self, X: Any) -> np.ndarray:
        return probabilities(self.fitted, self._raw_of(X))

    def decision_function(self, X: Any) -> np.ndarray:
        return one_column(self._raw_of(X))


class _StandingRegressor(RegressorMixin, _Standing):
    pass
