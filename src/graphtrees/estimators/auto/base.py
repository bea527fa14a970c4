"""What `AutoGraphClassifier` and `AutoGraphRegressor` share: try recipes, weigh them, fit them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from graphtrees.ensembles.examples import Examples
from graphtrees.estimators.auto.checkpoint import Shelf
from graphtrees.estimators.auto.leaderboard import Leaderboard
from graphtrees.estimators.auto.recipes import NAMES, Recipe, recipes_for
from graphtrees.estimators.auto.running import Course, Finished, run_recipes
from graphtrees.estimators.auto.selection import select
from graphtrees.estimators.docstrings import describe_arguments
from graphtrees.estimators.fitted_methods import FilesAndReports
from graphtrees.estimators.fitting import all_or_nothing
from graphtrees.estimators.out_of_fold import SCORER, metric_name, predictions_of
from graphtrees.estimators.parameters import (
    COMMON,
    Constraint,
    check_parameters,
    nothing,
    number,
    some_of,
    whole,
)
from graphtrees.estimators.starts.choosing import deal_out
from graphtrees.validation.examples import read_training, read_weight
from graphtrees.validation.fingerprints import fingerprint
from graphtrees.validation.metrics import as_scorer

CONSTRAINTS = {
    "time_limit": number(0.0, open_low=True) | nothing,
    "scoring": SCORER,
    "cv": whole(2) | Constraint(
        "a splitter or a list of (train, test)", lambda v: hasattr(v, "split") or _is_pairs(v)
    ),
    "recipes": some_of(NAMES) | nothing,
    "checkpoint": nothing | Constraint("a folder", lambda v: isinstance(v, (str, Path))),
    "random_state": COMMON["random_state"], "n_jobs": COMMON["n_jobs"],
    "verbose": COMMON["verbose"],
}  # fmt: skip


def _is_pairs(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) > 1 and all(len(v) == 2 for v in value)


class AutoGraph(FilesAndReports, BaseEstimator):
    """What both share: try recipes, weigh them, fit those that count."""

    members_: list[tuple[str, float, Any]]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    @all_or_nothing
    @describe_arguments
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Try the recipes on the same folds, choose weights, and fit those that have one."""
        check_parameters(self, CONSTRAINTS)
        self._parameters = self.get_params(deep=False)
        examples = read_training(self, X)
        if examples.n < 2:
            raise ValueError(f"{examples.n} sample is too few to make folds of; at least 2 wanted")
        weight = read_weight(sample_weight, examples.n)
        y, targets = self._read_y(y, examples.n)
        fold = self._folds(X, y, targets, weight, groups)
        course = Course(
            X if not hasattr(X, "tocsr") else X.tocsr(), y,
            None if sample_weight is None else weight, getattr(self, "classes_", None),
            fold, as_scorer(self.scoring), self._seed(), self.n_jobs, int(fold.max()) + 1,
        )  # fmt: skip
        recipes = recipes_for(examples.kind, self.recipes)
        shelf = Shelf(self.checkpoint, self._about(course, examples, targets, weight))
        course, finished, missing = run_recipes(
            course, recipes, self.time_limit, shelf, int(self.verbose)
        )  # fmt: skip
        self._keep(course, finished, recipes, missing)
        return self

    def _keep(
        self, course: Course, finished: list[Finished], recipes: list[Recipe], missing: dict
    ) -> None:
        predicted = [one.predicted for one in finished]
        weights = select(predicted, course.mean_score)
        everyone = np.arange(len(course.fold))
        self.members_ = [
            (one.recipe.name, float(weight), course.fit(one.recipe, everyone))
            for one, weight in zip(finished, weights, strict=True)
            if weight > 0
        ]
        scores = {one.recipe.name: course.scores(one.predicted) for one in finished}
        best = max(scores, key=lambda name: scores[name].mean())
        self.best_recipe_ = best
        self.best_score_ = course.mean_score(
            sum(w * t for w, t in zip(weights, predicted, strict=True))
        )
        self.leaderboard_ = Leaderboard.of(
            recipes, scores, {one.recipe.name: one.seconds for one in finished},
            {name: weight for name, weight, _ in self.members_}, missing,
            metric_name(course.scoring, hasattr(self, "classes_")),
        )  # fmt: skip

    @property
    def best_estimator_(self) -> Any:
        """The fitted member with the best score of its own."""
        check_is_fitted(self)
        members = {name: model for name, _, model in self.members_}
        return members[self.best_recipe_]

    def _folds(self, X: Any, y: Any, targets: Any, weight: Any, groups: Any) -> np.ndarray:
        of_classes = hasattr(self, "classes_")
        if isinstance(self.cv, (int, np.integer)) and groups is None:
            codes = targets if of_classes else None
            fold = deal_out(weight, codes, self._seed(), int(self.cv))
            if fold is None:
                raise ValueError("fewer than 2 examples have a weight above 0")
            return fold
        cv = _group_folds(self.cv, self._seed()) if groups is not None else self.cv
        fold = np.full(len(y), -1)
        rows = np.arange(len(y))[:, None]
        for number_, (_, held) in enumerate(check_cv(cv).split(rows, y, groups)):
            fold[held] = number_
        if (fold < 0).any():
            raise ValueError("cv must hold out every example once; some never are")
        return fold

    def _seed(self) -> int:
        if self.random_state is None and self.checkpoint is not None:
            return 0  # a run that is taken up again needs the same folds
        if self._drawn is None:
            self._drawn = int(check_random_state(self.random_state).randint(2**31 - 1))
        return self._drawn

    _drawn: int | None = None

    def _about(self, course: Course, examples: Examples, y: np.ndarray, weight: np.ndarray) -> str:
        """What finished recipes depend on beside themselves."""
        fold = hashlib.blake2b(course.fold.astype(np.int64).tobytes(), digest_size=16)
        return f"{fingerprint(examples, y, weight)} {fold.hexdigest()} {course.seed}"

    def _read_y(self, y: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError

    # ---- prediction -------------------------------------------------------------------------

    def _predicted(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        classes = getattr(self, "classes_", None)
        return sum(w * predictions_of(m, X, classes) for _, w, m in self.members_)  # type: ignore[return-value]

    @describe_arguments
    def explain(self, example: Any, class_: Any = None, method: str = "attribution") -> Any:
        """Why the members say what they say about one example.

        Importances are the weighted mean of all members that can explain. Attributions add up to
        the weighted mean of what the heaviest member, and those on its scale, say; the rules are
        the heaviest member's.
        """
        from graphtrees.estimators.auto.explaining import explain_ensemble

        check_is_fitted(self)
        return explain_ensemble(self, example, class_, method)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "members_")


def _group_folds(cv: Any, seed: int) -> Any:
    from sklearn.model_selection import GroupKFold

    return GroupKFold(int(cv)) if isinstance(cv, (int, np.integer)) else cv
