"""One task: fit a method on the training part of a fold, time it, and score it on the test part."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.accuracy.methods import Method, Setting, method
from benchmarks.accuracy.problems import Problem, data_set

N_WARM_UP = 100  # training examples that a method is warmed up on
_warm: set[tuple[str, str]] = set()


@dataclass(frozen=True, order=True)
class Task:
    """What is measured once. `n_folds` tells fold 3 of 5 from fold 3 of 10."""

    data: str
    method: str
    seed: int
    fold: int
    n_folds: int


@lru_cache(maxsize=2)
def load(name: str) -> Problem:
    """A problem, kept for the next task of the same worker."""
    return data_set(name).load()


def measure(task: Task) -> dict[str, Any]:
    """The results of one task, as columns of its row."""
    problem, chosen = load(task.data), method(task.method)
    parts = problem.parts(task.seed, task.fold, task.n_folds)
    setting = Setting(problem.kind, problem.classifies, task.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of peers: feature names, convergence
        _warm_up(task, chosen, setting, problem, parts[0])
        return fit_and_score(chosen.make(setting), problem, *parts)


def _warm_up(
    task: Task, chosen: Method, setting: Setting, problem: Problem, train: np.ndarray
) -> None:
    """Load what is compiled, once in a process for each set, on a few training examples."""
    if chosen.warm is None or (task.data, task.method) in _warm:
        return
    some = np.random.default_rng(0).permutation(train)[:N_WARM_UP]
    model = chosen.warm(setting).fit(problem.X[some], problem.y[some])
    model.predict(problem.X[some])
    _warm.add((task.data, task.method))


def fit_and_score(
    model: Any, problem: Problem, train: np.ndarray, test: np.ndarray
) -> dict[str, Any]:
    """Fit on the training part alone; the labels of the test part are read after predicting."""
    _check_disjoint(train, test)
    X, y = problem.X[train], problem.y[train]
    X_test = problem.X[test]
    wall, cpu = time.perf_counter(), time.process_time()
    model.fit(X, y)
    fit_cpu, fitted = time.process_time() - cpu, time.perf_counter()
    told = _predict(model, X_test, problem.metric)
    predicted = time.perf_counter()
    score, error = METRICS[problem.metric](problem.y[test], told)
    return {
        "metric": problem.metric,
        "score": score,
        "sampling_error": error,
        "n_train": len(train),
        "n_test": len(test),
        "fit_seconds": round(fitted - wall, 4),
        "fit_cpu_seconds": round(fit_cpu, 4),
        "predict_seconds": round(predicted - fitted, 4),
    }


def _check_disjoint(train: np.ndarray, test: np.ndarray) -> None:
    shared = np.intersect1d(train, test)
    if len(shared):
        raise ValueError(f"{len(shared)} examples are in both parts, example {shared[0]} first")


def _predict(model: Any, X: Any, metric: str) -> np.ndarray:
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
HIGHER_IS_BETTER = {"accuracy": True, "ROC AUC": True, "RMSE": False}
