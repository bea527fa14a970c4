"""What a score is: accuracy, ROC AUC and RMSE, each with its error as an estimate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score


def predict(model: Any, X: Any, metric: str) -> np.ndarray:
    """Labels or numbers; for ROC AUC the score of the second class."""
    if metric != "ROC AUC":
        return np.asarray(model.predict(X))
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X))[:, 1]
    return np.asarray(model.decision_function(X))


# Each metric returns the score and its standard error as an estimate from this many examples.
def accuracy(y: np.ndarray, told: np.ndarray) -> tuple[float, float]:
    score = float(np.mean(y == told))
    return score, float(np.sqrt(score * (1 - score) / len(y)))


def roc_auc(y: np.ndarray, told: np.ndarray) -> tuple[float, float]:
    """The error is DeLong's: the spread of each example's share of pairs in the right order."""
    _check_finite(told)
    positive = y == y.max()
    high, low = told[positive], told[~positive]
    of_high, of_low = _share_below(high, low), 1 - _share_below(low, high)
    variance = of_high.var(ddof=1) / len(high) + of_low.var(ddof=1) / len(low)
    return float(roc_auc_score(positive, told)), float(np.sqrt(variance))


def _share_below(values: np.ndarray, others: np.ndarray) -> np.ndarray:
    """For each value the share of the others below it; equal ones count half."""
    others = np.sort(others)
    below, up_to = (np.searchsorted(others, values, side) for side in ("left", "right"))
    return (below + up_to) / (2 * len(others))


def rmse(y: np.ndarray, told: np.ndarray) -> tuple[float, float]:
    """The error follows from that of the mean squared error, by the delta method."""
    _check_finite(told)
    squares = (np.asarray(told, float) - y) ** 2
    score = float(np.sqrt(squares.mean()))
    return score, float(squares.std(ddof=1) / np.sqrt(len(y)) / (2 * score)) if score else 0.0


def _check_finite(told: np.ndarray) -> None:
    if not np.isfinite(told).all():
        raise ValueError(f"{np.count_nonzero(~np.isfinite(told))} predictions are not finite")


METRICS: dict[str, Callable[[np.ndarray, np.ndarray], tuple[float, float]]] = {
    "accuracy": accuracy,
    "ROC AUC": roc_auc,
    "RMSE": rmse,
}
HIGHER_IS_BETTER = {"accuracy": True, "ROC AUC": True, "RMSE": False, "importance ratio": True}
