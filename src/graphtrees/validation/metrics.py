"""Metrics f(y_true, y_pred) given as `scoring`: how they are called, and which way is better."""

from __future__ import annotations

import functools
import inspect
import re
from typing import Any

import numpy as np

from graphtrees._warnings import warn_user

OF_SCORES = ("y_score", "y_prob", "y_proba")  # names of the second parameter
OF_CHANCES = ("log_loss", "d2_log_loss_score")  # of scikit-learn, whatever the parameter is called
ERRORS = {
    "error", "errors", "loss", "losses", "deviance", "rmse", "mse", "mae", "mape", "smape",
    "wape", "rmsle", "msle", "medae", "rmsd", "nll", "logloss", "brier", "entropy",
    "crossentropy", "perplexity", "cost",
}  # fmt: skip
SCORES = {
    "score", "accuracy", "acc", "auc", "auroc", "auprc", "aucpr", "r2", "f1", "f2", "fbeta",
    "precision", "recall", "kappa", "mcc", "corrcoef", "correlation", "pearson", "spearman",
    "kendall", "pearsonr", "spearmanr", "kendalltau", "ndcg", "jaccard", "iou", "dice",
    "sensitivity", "specificity", "concordance", "lift", "profit",
}  # fmt: skip
NEGATED = {"neg", "negative", "minus"}


def is_metric(what: Any) -> bool:
    """Whether this is a metric f(y_true, y_pred) and no scorer f(estimator, X, y)."""
    if not callable(what) or hasattr(what, "_score_func"):
        return False
    names = _positional(what)
    return len(names) == 2 or (
        len(names) > 2 and names[0] in ("y_true", "y", "true", "target", "actual")
    )


def name_of(what: Any) -> str:
    """The name of a metric, or of the one that a scorer of scikit-learn is made of."""
    inner = getattr(what, "_score_func", what)
    while isinstance(inner, functools.partial):
        inner = inner.func
    return getattr(inner, "__name__", type(inner).__name__)


def less_is_better(what: Any, name: str | None = None) -> bool:
    """Whether a metric is an error, by what it, or its entry in a dict, is called.

    Scorers f(estimator, X, y) never are: scikit-learn's rule is that more is better.
    """
    return is_metric(what) and _direction(what, name) is False


def warn_of_direction(what: Any, name: str | None = None) -> None:
    """Say which way is taken for better where nothing tells it."""
    own = name_of(what)
    if is_metric(what) and _direction(what, name) is None:
        called = own if own.isidentifier() else "f"
        warn_user(
            f"scoring: of the metric {name or own!r} more is taken to be better. If less is "
            f"better, give sklearn.metrics.make_scorer({called}, greater_is_better=False); "
            f"make_scorer({called}) says that more is, without this warning"
        )


def warning_of_sign(scorer: Any) -> Any:
    """A scorer that warns, once, where it is called an error and is not negative.

    Of a function(estimator, X, y) more is better, as in scikit-learn.
    """
    is_own = callable(scorer) and not hasattr(scorer, "_score_func") and not is_metric(scorer)
    if not is_own or _direction(scorer, None) is not False:
        return scorer
    warned = False

    @functools.wraps(scorer)
    def score(estimator: Any, X: Any, y: Any, **weight: Any) -> Any:
        nonlocal warned
        value = scorer(estimator, X, y, **weight)
        number = one_number(value, name_of(scorer))
        if not warned and number > 0:
            warned = True
            warn_user(
                f"scoring: {name_of(scorer)!r} sounds like an error and returned {number:.4g}, but "
                "of a function(estimator, X, y) more is better, as in scikit-learn: let it return "
                "the negative of the error"
            )
        return value

    return score


def _direction(what: Any, name: str | None) -> bool | None:
    """True: more is better, False: less, None: its name does not say."""
    senses = [_sense(one) for one in (name_of(what), name) if one is not None]
    return next((one for one in senses if one is not None), None)


def _sense(name: str) -> bool | None:
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+", name)]
    if NEGATED.intersection(words) or words[:1] == ["d2"]:  # a share of a deviance explained
        return True
    is_error, is_score = bool(ERRORS.intersection(words)), bool(SCORES.intersection(words))
    if is_error and is_score:
        return False if words[-1] in ERRORS else None
    return not is_error if is_error or is_score else None


class MetricScorer:
    """A scorer of a metric. One of scores is given those of the last class, or of all classes."""

    def __init__(self, metric: Any, sign: int = 1) -> None:
        self._score_func = metric  # as scikit-learn's own scorers have it
        self._sign = sign

    def __call__(self, model: Any, X: Any, y: Any, **weight: Any) -> float:
        metric, name = self._score_func, name_of(self._score_func)
        if name in OF_CHANCES and _module(metric).startswith("sklearn."):
            value = metric(y, model.predict_proba(X), labels=model.classes_, **weight)
        elif _positional(metric)[1] in OF_SCORES:
            chances = model.predict_proba(X)
            value = metric(y, chances[:, 1] if chances.shape[1] == 2 else chances, **weight)
        else:
            value = metric(y, model.predict(X), **weight)
        return self._sign * one_number(value, name)


def as_scorer(scoring: Any) -> Any:
    """What `scoring` asks for, of which more is better: a metric that is an error is negated."""
    if not callable(scoring):
        return scoring
    warn_of_direction(scoring)
    if not is_metric(scoring):
        return warning_of_sign(scoring)
    return MetricScorer(scoring, -1 if less_is_better(scoring) else 1)


def one_number(value: Any, name: str) -> float:
    """What a metric returned, if it is one number."""
    if isinstance(value, tuple):
        raise TypeError(
            f"scoring: {name!r} returned {value!r:.80}, not one number. LightGBM and XGBoost take "
            "(name, value) or (name, value, is_higher_better); here return the value alone, and "
            f"give sklearn.metrics.make_scorer({name}, greater_is_better=False) if less is better"
        )
    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind not in "biuf":
        raise TypeError(f"scoring: {name!r} must return one number; got {value!r:.80}")
    return float(array.reshape(()))


def _positional(function: Any) -> list[str]:
    """The names of the positional parameters of a function."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _module(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__module__", ""))
