"""Networks of all folds and seeds of a set, trained at once: for a GPU, which one fold leaves idle.

The protocol is that of a single task (`measuring.measure`): settings are chosen on the training
part of each fold, and each network sees its own part alone. Only the steps are taken together.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.accuracy.measuring import Task, check_disjoint, load, scored, setting_of
from benchmarks.accuracy.methods import method
from benchmarks.accuracy.methods.tuning import Labelled, Recipe, Tuned
from benchmarks.accuracy.metrics import HIGHER_IS_BETTER, METRICS, predict
from benchmarks.accuracy.problems import Problem, data_set


@dataclass
class Run:
    """One task: its parts, and the network that was chosen for it."""

    task: Task
    estimator: Tuned
    train: np.ndarray
    test: np.ndarray
    given: Labelled
    validation: Labelled | None
    chosen: dict[str, Any] | None = None
    model: Any = None


def can_run(task: Task) -> bool:
    """Networks that are trained side by side, on sets that settings are chosen on themselves."""
    chosen = method(task.method)
    if not chosen.tunes or data_set(task.data).tuned_on:
        return False
    return _recipe(task).together is not None and _recipe(task).n_inner == 1


def gpu() -> str:
    """The name of the GPU that is used; empty without one."""
    import torch

    return torch.cuda.get_device_name() if torch.cuda.is_available() else ""


def _use_tensor_cores() -> None:
    """Products of a GPU in TF32: 10 bits of the factors, sums in single precision."""
    import torch

    torch.set_float32_matmul_precision("high")


def _recipe(task: Task) -> Recipe:
    return method(task.method).make.args[0]


def measure_at_once(tasks: Sequence[Task]) -> Iterator[tuple[Task, dict[str, Any]]]:
    """The columns of each task's row; all of one set and method. Seconds are an equal share."""
    problem = load(tasks[0].data)
    runs = _runs(tasks, problem)
    _use_tensor_cores()
    wall, cpu = time.perf_counter(), time.process_time()
    _choose(runs)
    tuned = time.perf_counter()
    _fit_again([run for run in runs if run.validation is None])
    share = 1 / len(runs)
    seconds = {
        "fit_seconds": round(share * (time.perf_counter() - wall), 4),
        "fit_cpu_seconds": round(share * (time.process_time() - cpu), 4),
        "tuning_seconds": round(share * (tuned - wall), 4),
    }
    for run in runs:
        start = time.perf_counter()
        told = predict(run.model, problem.X[run.test], problem.metric)
        took = round(time.perf_counter() - start, 4)
        chosen = json.dumps(run.chosen, sort_keys=True)
        columns = scored(problem, run.train, run.test, told) | seconds
        yield run.task, columns | {"predict_seconds": took, "chosen": chosen}


def _runs(tasks: Sequence[Task], problem: Problem) -> list[Run]:
    """Equal parts are one object, so that they are held once."""
    parts: dict[bytes, Labelled] = {}

    def part(rows: np.ndarray) -> Labelled:
        return parts.setdefault(rows.tobytes(), (problem.X[rows], problem.y[rows]))

    runs = []
    for task in tasks:
        train, test = problem.parts(task.seed, task.fold, task.n_folds)
        held = problem.validation(task.fold)
        check_disjoint(train, test)
        if held is not None:
            check_disjoint(train, held)
            check_disjoint(held, test)
        estimator = method(task.method).make(setting_of(problem, task.seed))
        validation = None if held is None else part(held)
        runs.append(Run(task, estimator, train, test, part(train), validation))
    return runs


def _choose(runs: Sequence[Run]) -> None:
    """The candidates of all runs at once; each run takes its best, of equal ones the first."""
    from benchmarks.accuracy.methods.together import Part, fit_parts

    parts = []
    for run in runs:
        fit, held = (
            next(run.estimator._inner(*run.given))
            if run.validation is None
            else (run.given, run.validation)
        )
        parts.append(Part(_candidates(run), *fit, held))
    fit_parts(parts)
    for run, part in zip(runs, parts, strict=True):
        metric = run.estimator.setting.metric
        sign, (X, y) = 1 if HIGHER_IS_BETTER[metric] else -1, part.validation
        scores = [sign * METRICS[metric](y, predict(model, X, metric))[0] for model in part.models]
        best = int(np.argmax(scores))
        run.chosen, run.model = _settings(run)[best], part.models[best]


def _settings(run: Run) -> list[dict[str, Any]]:
    return run.estimator.recipe.candidates(run.estimator.setting.kind)


def _candidates(run: Run) -> list[Any]:
    estimator = run.estimator
    return [estimator.recipe.make(estimator.setting, **each) for each in _settings(run)]


def _fit_again(runs: Sequence[Run]) -> None:
    """On the whole training parts; with a validation part the chosen network had all of it."""
    from benchmarks.accuracy.methods.together import Part, fit_parts

    if not runs:
        return
    for run in runs:
        run.model = run.estimator.recipe.make(run.estimator.setting, **run.chosen)
    fit_parts([Part([run.model], *run.given) for run in runs])
