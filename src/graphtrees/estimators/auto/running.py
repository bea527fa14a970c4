"""Recipe after recipe on the same folds, as far as time allows."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
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
    n_folds: int  # that recipes are scored on: all, or the first ones where time is short

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

    def on_folds(self, at_most: float) -> Course:
        """The same with recipes scored on so many folds at most."""
        return replace(self, n_folds=int(min(self.n_folds, at_most)))

    def fewest_folds(self) -> int:
        """The folds that hold out enough examples to compare recipes on, or all there are."""
        counted = None if self.weight is None else self.weight > 0
        held = np.cumsum(np.bincount(self.fold, counted, minlength=self.n_folds))
        return min(self.n_folds, 1 + int(np.searchsorted(held, ENOUGH_HELD_OUT)))


@dataclass(frozen=True)
class Finished:
    """A recipe's predictions out of fold, how long they took, and of how many folds they are."""

    recipe: Recipe
    predicted: np.ndarray
    seconds: float
    n_folds: int


ROUGHLY = 2.0  # a recipe may be so many times faster than the table of costs says
ENOUGH_HELD_OUT = 1000  # examples; with fewer every fold is used, whatever it takes


class Clock:
    """How much time is left, with what it takes to fit the finished recipes once more."""

    def __init__(self, limit: float | None, total_cost: float = 1.0) -> None:
        self.limit = np.inf if limit is None else limit
        self.total_cost = total_cost  # of one fit of each recipe
        self.start = time.monotonic()
        self.reserve = 0.0
        self.most_folds = np.inf
        self.a_unit = 0.0  # seconds of a fit of cost 1, as the last recipe had it

    def plan(self, course: Course, a_unit: float) -> None:
        """Use as many folds as leave time for every recipe, if a fit of cost 1 takes `a_unit`."""
        of_each = self.total_cost * a_unit
        if self.limit < (course.n_folds + 1) * of_each:
            self.most_folds = max(course.fewest_folds(), int(self.limit / of_each) - 1)

    def allows(self, fits: float, seconds: float) -> bool:
        """Whether so many fits of so many seconds can still be made."""
        spent = time.monotonic() - self.start
        return spent + self.reserve + fits * seconds <= self.limit

    def folds_left(self, course: Course, n_done: int, seconds: float) -> int:
        """On how many folds a recipe can be scored, the `n_done` of them included; 0: too few.

        Its last fit, on all examples, is counted. A fit takes `seconds`.
        """
        fewest = max(course.fewest_folds(), n_done)
        for n_folds in range(course.n_folds, fewest - 1, -1):
            if self.allows(n_folds - n_done + 1, seconds):
                return n_folds
        return 0

    def learn(self, done: Finished) -> None:
        fit = done.seconds / done.n_folds
        self.reserve += fit
        self.a_unit = fit / done.recipe.cost


def run_recipes(
    course: Course, recipes: list[Recipe], limit: float | None, shelf: Shelf, verbose: int
) -> tuple[Course, list[Finished], dict[str, str]]:
    """The course with the folds that were used, what was finished, and why the others were not.

    Where time is short, recipes are scored on fewer folds, as long as these hold out enough
    examples. A recipe for which there is no time left is left out, and the next is tried. The
    first is run whatever it takes.
    """
    clock = Clock(limit, sum(recipe.cost for recipe in recipes))
    finished, missing = list[Finished](), dict[str, str]()
    progress = Progress("recipe", len(recipes), verbose)
    try:
        for recipe in recipes:
            done = _run(course, recipe, clock, shelf, first=not finished, missing=missing)
            if done is None and recipe.name not in missing:
                missing[recipe.name] = "no time left"
            if done is not None:
                clock.learn(done)
                course = course.on_folds(min(done.n_folds, clock.most_folds))
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
    return course, finished, missing


def _run(
    course: Course, recipe: Recipe, clock: Clock, shelf: Shelf, first: bool, missing: dict[str, str]
) -> Finished | None:
    """One recipe on every fold; None where time ran out, or where it failed (then `missing`)."""
    kept = shelf.take(recipe)
    if kept is not None and kept[2] >= course.fewest_folds():
        return Finished(recipe, *kept)
    # By the table of costs, which is rough, is there time? The first fold then tells more.
    expected = recipe.cost * clock.a_unit / ROUGHLY
    if not first and not clock.folds_left(course, 0, expected):
        return None
    start, predicted, fold = time.monotonic(), np.empty(0), 0
    while fold < course.n_folds:
        begun = time.monotonic()
        try:
            rows, of_fold = _predict_fold(course, recipe, fold)
        except (ValueError, TypeError, MemoryError) as error:
            if first:
                raise
            warnings.warn(f"recipe {recipe.name!r} is left out: {error}", stacklevel=5)
            missing[recipe.name] = f"failed: {error}"
            return None
        predicted = predicted if fold else np.zeros((len(course.fold), of_fold.shape[1]))
        predicted[rows] = of_fold
        fold, now = fold + 1, time.monotonic()
        if first and fold == 2:  # the first fold may have waited for code to be compiled
            clock.plan(course, (now - begun) / recipe.cost)
            course = course.on_folds(max(2, clock.most_folds))
        elif not first and fold < course.n_folds:
            course = course.on_folds(clock.folds_left(course, fold, (now - start) / fold))
    if not course.n_folds:
        return None
    done = Finished(recipe, predicted, time.monotonic() - start, course.n_folds)
    shelf.put(recipe, predicted, done.seconds, done.n_folds)
    return done


def _predict_fold(course: Course, recipe: Recipe, fold: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows of a fold, and what is predicted of them by a fit on the other rows."""
    held = np.flatnonzero(course.fold == fold)
    with without_these_warnings():
        model = course.fit(recipe, np.flatnonzero(course.fold != fold))
    return held, predictions_of(model, choose(course.X, held), course.classes)
