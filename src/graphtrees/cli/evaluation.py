"""How good a model is, on examples it has not seen, and how sure that is."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    log_loss,
    mean_absolute_error,
    r2_score,
    roc_auc_score,
    root_mean_squared_error,
)
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from graphtrees.cli.console import Console
from graphtrees.cli.data import Data
from graphtrees.cli.errors import UserError
from graphtrees.validation.baseline import one_answer, rare_class

RESAMPLES = 200  # of the test part, for the spread of a score
Part = tuple[np.ndarray, np.ndarray]  # training and test examples


@dataclass(frozen=True)
class Score:
    """A measure with its spread: over folds, or over resamples of the test part."""

    value: float
    spread: float
    folds: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.value:.4f} ± {self.spread:.4f}"


@dataclass(frozen=True)
class Evaluation:
    """Scores on unseen examples, and those of an answer that looks at nothing."""

    method: str
    n_train: int
    n_test: int
    scores: dict[str, Score]
    baseline: dict[str, float]
    rare_class: str | None  # the one that average precision is of

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def hold_out(data: Data, task: str, share: float, seed: int) -> Part:
    """A random split into training and test examples, stratified where possible."""
    places = np.arange(len(data))
    strata = _strata(data.y, task, 2)
    smaller = min(share, 1 - share) * len(data)
    if strata is not None and len(np.unique(strata)) > smaller:
        strata = None  # not every class can be in both parts
    try:
        train, test = train_test_split(places, test_size=share, random_state=seed, stratify=strata)
    except ValueError as error:
        raise UserError(f"{data.name}: {len(data)} examples cannot be split: {error}") from error
    return np.sort(train), np.sort(test)


def folds_of(data: Data, task: str, n_folds: int, seed: int) -> list[Part]:
    if n_folds > len(data):
        raise UserError(f"--cv {n_folds} is more than the {len(data)} examples of {data.name}")
    strata = _strata(data.y, task, n_folds)
    kind = KFold if strata is None else StratifiedKFold
    folds = kind(n_folds, shuffle=True, random_state=seed)
    return [(train, test) for train, test in folds.split(np.arange(len(data)), strata)]


def _strata(y: Any, task: str, at_least: int) -> Any:
    """The classes, if each has enough examples to be dealt out; else None."""
    if task == "regression":
        return None
    counts = np.unique(y, return_counts=True)[1]
    return y if len(counts) > 1 and counts.min() >= at_least else None


def evaluate(model: Any, data: Data, part: Part, task: str) -> Evaluation:
    """Score a model that was fitted on the one part on the other."""
    train, test = data.take(part[0]), data.take(part[1])
    answers = _answers(model, test.X, task)
    rare = _rare_label(data.y, task)
    scores = {
        name: Score(measure(test.y, answers), _resampled(measure, test.y, answers))
        for name, measure in _measures(model, test.y, task, rare).items()
    }
    baseline = _baseline(train.y, test.y, task, rare)
    rare_name = None if rare is None else str(rare)
    return Evaluation("test part", len(train), len(test), scores, baseline, rare_name)


def _rare_label(y: Any, task: str) -> Any:
    """The class that is so rare, of two, that accuracy says little; None where neither is."""
    if task == "regression":
        return None
    classes, counts = np.unique(np.asarray(y), return_counts=True)
    place = rare_class(counts)
    return None if place is None else classes[place]


def cross_validate(
    model: Any, data: Data, parts: list[Part], task: str, console: Console
) -> Evaluation:
    """Fit and score fold after fold, on copies of the model."""
    by_fold: list[dict[str, float]] = []
    baselines = []
    start, rare = time.monotonic(), _rare_label(data.y, task)
    for number, (rest, held) in enumerate(parts, 1):
        train, test = data.take(rest), data.take(held)
        fitted = clone(model).fit(train.X, train.y)
        answers = _answers(fitted, test.X, task)
        measures = _measures(fitted, test.y, task, rare)
        by_fold.append({name: measure(test.y, answers) for name, measure in measures.items()})
        baselines.append(_baseline(train.y, test.y, task, rare))
        name, value = next(iter(by_fold[-1].items()))
        spent = time.monotonic() - start
        console.note(f"fold {number}/{len(parts)} · {name} {value:.4f} · {spent:.1f} s")
    shared = [name for name in by_fold[0] if all(name in fold for fold in by_fold)]
    return Evaluation(
        f"{len(parts)}-fold cross-validation",
        len(parts[0][0]),
        len(data),
        {name: _over_folds([fold[name] for fold in by_fold]) for name in shared},
        {name: float(np.mean([one[name] for one in baselines])) for name in baselines[0]},
        None if rare is None else str(rare),
    )


def _over_folds(values: list[float]) -> Score:
    return Score(float(np.mean(values)), float(np.std(values, ddof=1)), values)


@dataclass(frozen=True)
class _Answers:
    labels: np.ndarray
    chances: np.ndarray | None

    def take(self, rows: np.ndarray) -> _Answers:
        return _Answers(self.labels[rows], None if self.chances is None else self.chances[rows])


Measure = Callable[[Any, _Answers], float]


def _answers(model: Any, X: Any, task: str) -> _Answers:
    if task == "regression":
        return _Answers(model.predict(X), None)
    chances = model.predict_proba(X)
    return _Answers(model.classes_[chances.argmax(axis=1)], chances)


def _measures(model: Any, y: Any, task: str, rare: Any) -> dict[str, Measure]:
    if task == "regression":
        return {
            "r2": lambda y, a: float(r2_score(y, a.labels)) if len(y) > 1 else np.nan,
            "rmse": lambda y, a: float(root_mean_squared_error(y, a.labels)),
            "mae": lambda y, a: float(mean_absolute_error(y, a.labels)),
        }
    measures: dict[str, Measure] = {"accuracy": lambda y, a: float(accuracy_score(y, a.labels))}
    classes = model.classes_
    if len(classes) == 2 and len(np.unique(y)) == 2:
        measures["roc_auc"] = lambda y, a: float(roc_auc_score(y, a.chances[:, 1]))  # type: ignore[index]
        if rare is not None:
            place = int(np.flatnonzero(classes == rare)[0])
            measures["average_precision"] = lambda y, a: float(
                average_precision_score(y == rare, a.chances[:, place])  # type: ignore[index]
            )
    if len(classes) > 1 and np.isin(y, classes).all():
        measures["log_loss"] = lambda y, a: float(log_loss(y, a.chances, labels=classes))
    return measures


def _resampled(measure: Measure, y: Any, answers: _Answers) -> float:
    """How much a score moves when the test examples are drawn again from themselves."""
    rng = np.random.default_rng(0)
    values = []
    for _ in range(RESAMPLES):
        rows = rng.integers(0, len(y), len(y))
        if len(np.unique(y[rows])) > 1 or len(np.unique(y)) == 1:
            values.append(measure(y[rows], answers.take(rows)))
    return float(np.std(values, ddof=1)) if len(values) > 1 else float("nan")


def _baseline(y_train: Any, y_test: Any, task: str, rare: Any) -> dict[str, float]:
    """The score of one answer for all: the most frequent class of training, or its mean."""
    answer = one_answer(y_train, task != "regression")
    if task == "regression":
        return {"rmse": float(root_mean_squared_error(y_test, np.full(len(y_test), answer[0])))}
    scores = {"accuracy": float(np.mean(y_test == answer))}
    return (
        scores if rare is None else scores | {"average_precision": float(np.mean(y_test == rare))}
    )
