"""One task: fit a method on the training part of a fold, time it, and score it on the test part."""

from __future__ import annotations

import json
import time
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from benchmarks.accuracy.methods import Method, Setting, method
from benchmarks.accuracy.metrics import (
    HIGHER_IS_BETTER,
    METRICS,
    accuracy,
    predict,
    rmse,
    roc_auc,
)
from benchmarks.accuracy.problems import Problem, data_set

__all__ = [
    "HIGHER_IS_BETTER",
    "METRICS",
    "Task",
    "accuracy",
    "fit_and_score",
    "load",
    "measure",
    "rmse",
    "roc_auc",
]

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
    setting = setting_of(problem, task.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of peers: feature names, convergence
        _warm_up(task, chosen, setting, problem, parts[0])
        model, validation = chosen.make(setting), None
        elsewhere = data_set(task.data).tuned_on
        if chosen.tunes and elsewhere:
            model.set_params(settings=settings_found_on(elsewhere, task.method, task.seed))
        if chosen.tunes:
            validation = problem.validation(task.fold)
        return fit_and_score(model, problem, *parts, validation)


def setting_of(problem: Problem, seed: int) -> Setting:
    return Setting(problem.kind, problem.classifies, seed, problem.metric)


@lru_cache(maxsize=64)
def settings_found_on(data: str, name: str, seed: int) -> dict[str, Any]:
    """What a method chooses on the training and validation parts of a set; no test part is read."""
    problem = load(data)
    train, validation = problem.parts(seed, 0, 1)[0], problem.validation(0)
    held = (problem.X[validation], problem.y[validation])
    model = method(name).make(setting_of(problem, seed))
    return model.search(problem.X[train], problem.y[train], held)


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
    model: Any,
    problem: Problem,
    train: np.ndarray,
    test: np.ndarray,
    validation: np.ndarray | None = None,
) -> dict[str, Any]:
    """Fit on the training part alone; the labels of the test part are read after predicting.

    A `validation` part is passed to `fit` as (X, y), to choose settings by.
    """
    check_disjoint(train, test)
    X, y = problem.X[train], problem.y[train]
    held = {}
    if validation is not None:
        check_disjoint(train, validation)
        check_disjoint(validation, test)
        held = {"validation": (problem.X[validation], problem.y[validation])}
    X_test = problem.X[test]
    wall, cpu = time.perf_counter(), time.process_time()
    model.fit(X, y, **held)
    fit_cpu, fitted = time.process_time() - cpu, time.perf_counter()
    told = predict(model, X_test, problem.metric)
    predicted = time.perf_counter()
    return {
        **scored(problem, train, test, told),
        "fit_seconds": round(fitted - wall, 4),
        "fit_cpu_seconds": round(fit_cpu, 4),
        "predict_seconds": round(predicted - fitted, 4),
        **_tuning(model),
    }


def scored(
    problem: Problem, train: np.ndarray, test: np.ndarray, told: np.ndarray
) -> dict[str, Any]:
    """The columns of a row that say how good predictions of the test part are."""
    score, error = METRICS[problem.metric](problem.y[test], told)
    return {
        "metric": problem.metric,
        "score": score,
        "sampling_error": error,
        "n_train": len(train),
        "n_test": len(test),
    }


def _tuning(model: Any) -> dict[str, Any]:
    """What a model that tunes itself chose, and how long choosing took.

    Of a model that tries recipes, its leaderboard: score, seconds, weight, or why there is none.
    """
    if hasattr(model, "leaderboard_"):
        rows = {row["recipe"]: _standing(row) for row in model.leaderboard_}
        return {"chosen": json.dumps(rows), "tuning_seconds": _seconds(model.leaderboard_)}
    if not hasattr(model, "chosen_"):
        return {}
    chosen = json.dumps(model.chosen_, sort_keys=True, default=str)
    return {"chosen": chosen, "tuning_seconds": round(model.tuning_seconds_, 4)}


def _standing(row: dict[str, Any]) -> Any:
    if row["note"]:
        return row["note"]
    return [round(row["score"], 5), round(row["seconds"], 1), round(row["weight"], 3)]


def _seconds(leaderboard: Any) -> float:
    return round(sum(row["seconds"] for row in leaderboard if not row["note"]), 4)


def check_disjoint(train: np.ndarray, test: np.ndarray) -> None:
    shared = np.intersect1d(train, test)
    if len(shared):
        raise ValueError(f"{len(shared)} examples are in both parts, example {shared[0]} first")
