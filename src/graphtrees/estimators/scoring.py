"""The `scoring` parameter: what is watched while boosting goes on."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import get_scorer, get_scorer_names

from graphtrees.ensembles.losses import Loss
from graphtrees.ensembles.monitor import Metric, Watched
from graphtrees.estimators.parameters import Constraint

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
    return callable(value)


SCORING = Constraint(
    "the name of a scikit-learn scorer, 'loss', a function(estimator, X, y) or (y_true, y_pred), "
    "or a list or dict of these, or None",
    _is_scoring,
    ("str", "callable", "list or dict of these", "None"),
)


def make_metrics(model: Any, snapshot: Callable[[], Any], loss: Loss, scoring: Any) -> list[Metric]:
    """The metrics that `scoring` asks for, the deciding one first.

    `model` turns raw sums into predictions; `snapshot()` is a fitted model of the trees so far.
    """
    metrics = [
        Metric(name, lambda one: loss.mean(one.y, one.raw, one.weight))
        if what == LOSS
        else Metric(name, _scorer(model, snapshot, what), larger_is_better=_larger_is_better(what))
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
    names = [what if isinstance(what, str) else _name(what) for what in listed]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"scoring holds {twice!r} twice; give a dict of name -> metric")
    return list(zip(names, listed, strict=True))


def _name(scorer: Any) -> str:
    inner = getattr(scorer, "_score_func", scorer)
    return getattr(inner, "__name__", type(inner).__name__)


def _scorer(model: Any, snapshot: Callable[[], Any], what: Any) -> Callable[[Watched], float]:
    classifies = isinstance(model, ClassifierMixin)
    base = _StandingClassifier if classifies else _StandingRegressor
    # Scikit-learn's messages name the class: let it be the one that users know.
    kind = type(type(model).__name__, (base,), {})
    scorer = get_scorer(what) if isinstance(what, str) else what
    takes_weight = _takes_weight(scorer)
    if _is_metric(scorer):
        scorer = _scorer_of(scorer)

    def score(one: Watched) -> float:
        given: Given = one.given
        weighted = takes_weight and given.weight is not None
        weight = {"sample_weight": given.weight} if weighted else {}
        return scorer(kind(model, snapshot, given.X, one.raw), given.X, given.y, **weight)

    return score


def _positional(function: Any) -> list[str]:
    """The names of the positional parameters of a function."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _is_metric(what: Any) -> bool:
    """Whether this is a metric f(y_true, y_pred) and no scorer f(estimator, X, y)."""
    if isinstance(what, str) or hasattr(what, "_score_func"):
        return False
    names = _positional(what)
    return len(names) == 2 or (len(names) > 2 and names[0] in ("y_true", "y"))


def _larger_is_better(what: Any) -> bool:
    """False for metrics that are called an error, a loss or a deviance, as in scikit-learn."""
    is_error = _is_metric(what) and _name(what).endswith(("_error", "_loss", "_deviance"))
    return not is_error


def _scorer_of(metric: Any) -> Callable[..., float]:
    """A scorer of a metric; one of scores is given those of the last class, or of all classes."""
    of_scores = _positional(metric)[1] in ("y_score", "y_prob", "y_proba")

    def score(model: Any, X: Any, y: Any, **weight: Any) -> float:
        if not of_scores:
            return metric(y, model.predict(X), **weight)
        chances = model.predict_proba(X)
        return metric(y, chances[:, 1] if chances.shape[1] == 2 else chances, **weight)

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

    def __init__(self, model: Any, snapshot: Any, X: Any, raw: np.ndarray) -> None:
        self.model = model
        self.snapshot = snapshot
        self.X = X
        self.raw = raw

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def _raw_of(self, X: Any) -> np.ndarray:
        return self.raw if X is self.X else self.snapshot()._raw(X)

    def predict(self, X: Any) -> np.ndarray:
        return self.model._predict_of(self._raw_of(X))


class _StandingClassifier(ClassifierMixin, _Standing):
    @property
    def classes_(self) -> np.ndarray:
        return self.model.classes_

    def predict_proba(self, X: Any) -> np.ndarray:
        return self.model._predict_proba_of(self._raw_of(X))

    def decision_function(self, X: Any) -> np.ndarray:
        return self.model._decision_function_of(self._raw_of(X))


class _StandingRegressor(RegressorMixin, _Standing):
    pass
