"""Recipe after recipe on the same folds, as far as time allows."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees._progress import Progress
from graphtrees.estimators.auto.checkpoint import Shelf
from graphtrees.estimators.auto.recipes import Recipe
from graphtrees.estimators.no_split import without_these_warnings
from graphtrees.estimators.out_of_fold import predictions_of, score
from graphtrees.estimators.watching import choose


@dataclass(frozen=True)
class Course:
    """The training examples, their folds, and how predictions of them are scored."""

    X: Any
    y: np.ndarray
    weight: np.ndarray | None
    classes: np.ndarray | None
    fold: np.ndarray
    scoring: Any
    seed: int
    n_jobs: Any

    @property
    def n_folds(self) -> int:
        return int(self.fold.max()) + 1

    def fit(self, recipe: Recipe, rows: np.ndarray) -> Any:
        model = recipe.make(self.classes is not None, self.seed, self.n_jobs)
        weight = {} if self.weight is None else {"sample_weight": self.weight[rows]}
        return model.fit(choose(self.X, rows), self.y[rows], **weight)

    def scores(self, predicted: np.ndarray) -> np.ndarray:
        """The score of each fold; more is better."""
        scores = []
        for fold in range(self.n_folds):
            rows = np.flatnonzero(self.fold == fold)
            weight = None if self.weight is None or self.scoring is not None else self.weight[rows]
            weight = weight if weight is None or weight.any() else None
            scores.append(score(self.scoring, predicted[rows], self.y[rows], self.classes, weight))
        return np.array(scores)

    def mean_score(self, predicted: np.ndarray) -> float:
        return float(self.scores(predicted).mean())


@dataclass(frozen=True)
class Finished:
    """A recipe's predictions out of fold, and how long one fold took."""

    recipe: Recipe
    predicted: np.ndarray
    seconds: float


ROUGHLY = 2.0  # a recipe may be so many times faster than the table of costs says


class Clock:
    """How much time is left, with what it takes to fit the finished recipes once more."""

    def __init__(self, limit: float | None) -> None:
        self.limit = np.inf if limit is None else limit
        self.start = time.monotonic()
        self.reserve = 0.0
        self.a_unit = 0.0  # seconds of a fit of cost 1, as the last recipe had it

    def allows(self, fits: float, seconds: float) -> bool:
        """Whether so many fits of so many seconds can still be made."""
        spent = time.monotonic() - self.start
        return spent + self.reserve + fits * seconds <= self.limit

    def learn(self, done: Finished, n_folds: int) -> None:
        fit = done.seconds / n_folds
        self.reserve += fit
        self.a_unit = fit / done.recipe.cost


def run_recipes(
    course: Course, recipes: list[Recipe], limit: float | None, shelf: Shelf, verbose: int
) -> tuple[list[Finished], dict[str, str]]:
    """What was finished, and why the others were not.

    A recipe for which there is no time left is left out, and the next is tried. The first is run
    whatever it takes.
    """
    clock, finished, missing = Clock(limit), list[Finished](), dict[str, str]()
    progress = Progress("recipe", len(recipes), verbose)
    try:
        for recipe in recipes:
            done = _run(course, recipe, clock, shelf, first=not finished, missing=missing)
            if done is None and recipe.name not in missing:
                missing[recipe.name] = "no time left"
            if done is not None:
                clock.learn(done, course.n_folds)
                finished.append(done)
                note = f"{recipe.name}: {course.mean_score(done.predicted):.5g}"
                progress.step(note)
    except KeyboardInterrupt:
        if not finished:
            raise
        names = [done.recipe.name for done in finished]
        warnings.warn(f"interrupted: goes on with {', '.join(names)}", stacklevel=4)
        known = {*names, *missing}
        missing |= {late.name: "interrupted" for late in recipes if late.name not in known}
    progress.close()
    return finished, missing


def _run(
    course: Course, recipe: Recipe, clock: Clock, shelf: Shelf, first: bool, missing: dict[str, str]
) -> Finished | None:
    """One recipe on every fold; None where time ran out, or where it failed (then `missing`)."""
    kept = shelf.take(recipe)
    if kept is not None:
        return Finished(recipe, *kept)
    # By the table of costs, which is rough, is there time? The first fold then tells more.
    expected = recipe.cost * clock.a_unit / ROUGHLY
    if not first and not clock.allows(course.n_folds + 1, expected):
        return None
    start, predicted = time.monotonic(), None
    for fold in range(course.n_folds):
        spent = time.monotonic() - start
        left = course.n_folds - fold + 1
        if not first and fold and not clock.allows(left, spent / fold):
            return None
        held = np.flatnonzero(course.fold == fold)
        try:
            with without_these_warnings():
                model = course.fit(recipe, np.flatnonzero(course.fold != fold))
            of_fold = predictions_of(model, choose(course.X, held), course.classes)
        except (ValueError, TypeError, MemoryError) as error:
            if first:
                raise
            warnings.warn(f"recipe {recipe.name!r} is left out: {error}", stacklevel=5)
            missing[recipe.name] = f"failed: {error}"
            return None
        predicted = (
            np.zeros((len(course.fold), of_fold.shape[1])) if predicted is None else predicted
        )
        predicted[held] = of_fold
    assert predicted is not None
    seconds = time.monotonic() - start
    shelf.put(recipe, predicted, seconds)
    return Finished(recipe, predicted, seconds)
