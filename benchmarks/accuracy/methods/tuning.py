"""Settings chosen on the training part: inner folds, or a published validation part.

The estimator that is given to the outer loop tunes itself inside `fit`, so that what it chooses can
only depend on what `fit` is given.

    fit(X, y)  ─►  every candidate on every inner fold  ─►  the best mean  ─►  one fit on all of X
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils.metaestimators import available_if

from benchmarks.accuracy.methods.base import Setting
from benchmarks.accuracy.metrics import HIGHER_IS_BETTER, METRICS, predict

N_INNER_FOLDS = 5
BUDGET = 18  # candidates: as many as the paper's grid for trees has, for every method

Labelled = tuple[Any, np.ndarray]  # examples and their labels


@dataclass(frozen=True)
class Recipe:
    """How to make an estimator from settings, and which settings to try.

    `stages` are numbers of trees: one fit with the last serves all of them, through
    `staged(model, X, stages, metric)`, which predicts with so many trees each. `prepare(X)` is done
    once for all candidates. `takes_validation` says that `fit` takes a part to stop early by.
    `together(models, X, y, validation)`, where there is one, fits several of them side by side.
    Dear methods choose by the first `n_inner` inner folds, among at most `budgets[kind]` settings.
    """

    make: Callable[..., Any]  # make(setting, **settings)
    grid: Mapping[str, tuple[Any, ...]]
    stages: tuple[int, ...] = ()
    staged: Callable[..., list[np.ndarray]] | None = None
    prepare: Callable[[Any], Any] = field(default=lambda X: X)
    takes_validation: bool = False
    together: Callable[..., list[Any]] | None = None
    n_inner: int = N_INNER_FOLDS
    budgets: Mapping[str, int] = field(default_factory=dict)

    def candidates(self, kind: str = "vertices") -> list[dict[str, Any]]:
        """All combinations, or as many of them by chance as the budget allows; never the stages."""
        every = [
            dict(zip(self.grid, values, strict=True)) for values in product(*self.grid.values())
        ]
        most = self.budgets.get(kind, BUDGET) // max(len(self.stages), 1)
        if len(every) <= most:
            return every
        drawn = np.random.default_rng(0).choice(len(every), most, replace=False)
        return [every[i] for i in sorted(drawn)]


class Tuned(BaseEstimator):
    """An estimator that chooses its settings in `fit`; `settings` are used as they are instead."""

    def __init__(
        self, recipe: Recipe, setting: Setting, settings: dict[str, Any] | None = None
    ) -> None:
        self.recipe = recipe
        self.setting = setting
        self.settings = settings

    def fit(self, X: Any, y: np.ndarray, validation: Labelled | None = None) -> Tuned:
        """`validation` replaces the inner folds; the last fit is on X alone in either case."""
        start, y = time.perf_counter(), np.asarray(y)
        X, validation = self._prepared(X, validation)
        self.chosen_ = self.settings or self._search(X, y, validation)
        self.tuning_seconds_ = time.perf_counter() - start
        (self.model_,) = self._fitted(X, y, [self.chosen_], validation)
        self.classes_ = getattr(self.model_, "classes_", None)
        return self

    def search(self, X: Any, y: np.ndarray, validation: Labelled | None = None) -> dict[str, Any]:
        """The settings with the best mean score; of equal ones the first."""
        X, validation = self._prepared(X, validation)
        return self._search(X, np.asarray(y), validation)

    def _prepared(self, X: Any, validation: Labelled | None) -> tuple[Any, Labelled | None]:
        if validation is not None:
            validation = (self.recipe.prepare(validation[0]), validation[1])
        return self.recipe.prepare(X), validation

    def _search(self, X: Any, y: np.ndarray, validation: Labelled | None) -> dict[str, Any]:
        inner = [((X, y), validation)] if validation is not None else list(self._inner(X, y))
        candidates = self.recipe.candidates(self.setting.kind)
        means = np.mean([list(self._scores(candidates, *parts)) for parts in inner], axis=0)
        tried = [
            (score, staged)
            for settings, scores in zip(candidates, means, strict=True)
            for score, staged in zip(scores, self._with_stages(settings), strict=True)
        ]
        return max(tried, key=lambda scored: scored[0])[1]

    def _inner(self, X: Any, y: np.ndarray) -> Iterator[tuple[Labelled, Labelled]]:
        for fit, held in islice(inner_parts(y, self.setting), self.recipe.n_inner):
            yield (X[fit], y[fit]), (X[held], y[held])

    def _with_stages(self, settings: dict[str, Any]) -> list[dict[str, Any]]:
        if not self.recipe.stages:
            return [settings]
        return [settings | {"n_estimators": stage} for stage in self.recipe.stages]

    def _scores(
        self, candidates: list[dict[str, Any]], fit: Labelled, held: Labelled
    ) -> Iterator[list[float]]:
        """Of each candidate the score of every stage, higher always better."""
        metric, stages = self.setting.metric, self.recipe.stages
        sign = 1 if HIGHER_IS_BETTER[metric] else -1
        largest = [self._with_stages(settings)[-1] for settings in candidates]
        for model in self._fitted(*fit, largest, held):
            if self.recipe.staged is None:
                told = [predict(model, held[0], metric)]
            else:
                told = self.recipe.staged(model, held[0], stages, metric)
            yield [sign * METRICS[metric](held[1], values)[0] for values in told]

    def _fitted(
        self, X: Any, y: np.ndarray, candidates: list[dict[str, Any]], held: Labelled | None
    ) -> Iterator[Any]:
        """A fitted model for each of the settings, one after the other or side by side."""
        models = [self.recipe.make(self.setting, **settings) for settings in candidates]
        if self.recipe.together is not None:
            yield from self.recipe.together(models, X, y, held)
            return
        for model in models:
            yield (
                model.fit(X, y, validation=held)
                if self.recipe.takes_validation
                else model.fit(X, y)
            )

    def predict(self, X: Any) -> np.ndarray:
        return self.model_.predict(self.recipe.prepare(X))

    @available_if(lambda self: hasattr(self.model_, "decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        return self.model_.decision_function(self.recipe.prepare(X))

    @available_if(lambda self: hasattr(self.model_, "predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        return self.model_.predict_proba(self.recipe.prepare(X))


def inner_parts(y: np.ndarray, setting: Setting) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Five folds of the training part, the same for every method with the same seed."""
    kind = StratifiedKFold if setting.classifies else KFold
    folds = kind(N_INNER_FOLDS, shuffle=True, random_state=setting.seed)
    return folds.split(np.zeros(len(y)), y)
