"""`AutoGraphClassifier` and `AutoGraphRegressor`."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from graphtrees.estimators.auto.keeping import Shelf
from graphtrees.estimators.auto.leaderboard import Leaderboard
from graphtrees.estimators.auto.recipes import NAMES, Recipe, recipes_for
from graphtrees.estimators.auto.running import Course, Finished, run_recipes
from graphtrees.estimators.auto.selection import select
from graphtrees.estimators.continuing import fingerprint
from graphtrees.estimators.fitting import all_or_nothing
from graphtrees.estimators.inside import LoadModel
from graphtrees.estimators.out_of_fold import SCORER, predictions_of
from graphtrees.estimators.parameters import (
    COMMON,
    Constraint,
    check_parameters,
    keep_parameters,
    nothing,
    number,
    some_of,
    whole,
)
from graphtrees.estimators.reading import Examples, read_examples, read_weight
from graphtrees.estimators.starts.choosing import deal_out
from graphtrees.estimators.targets import read_labels, read_numbers, warn_of_one_class

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


class AutoGraph(BaseEstimator):
    """What both share: try recipes, weigh them, fit those that count."""

    members_: list[tuple[str, float, Any]]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Try the recipes on the same folds, choose weights, and fit those that have one.

        Parameters
        ----------
        X : Graphs, Vertices, Edges, list of Graph, or table (n_examples, n_features)
        y : array of shape (n_examples,), for regression also (n_examples, n_outputs)
        sample_weight : array of shape (n_examples,), optional
        groups : array of shape (n_examples,), optional
            Examples of one group are never in two folds: atoms of one molecule, say.
        """
        check_parameters(self, CONSTRAINTS)
        examples = read_examples(self, X, reset=True)
        if examples.n < 2:
            raise ValueError(f"{examples.n} sample is too few to make folds of; at least 2 wanted")
        weight = read_weight(sample_weight, examples.n)
        y, targets = self._read_y(y, examples.n)
        course = Course(
            X if not hasattr(X, "tocsr") else X.tocsr(), y,
            None if sample_weight is None else weight, getattr(self, "classes_", None),
            self._folds(X, y, targets, weight, groups), self.scoring, self._seed(), self.n_jobs,
        )  # fmt: skip
        recipes = recipes_for(examples.kind, self.recipes)
        shelf = Shelf(self.checkpoint, self._about(course, examples, targets, weight))
        finished, missing = run_recipes(
            course, recipes, self.time_limit, shelf, int(self.verbose)
        )  # fmt: skip
        self._keep(course, finished, recipes, missing)
        return self

    def _keep(
        self, course: Course, finished: list[Finished], recipes: list[Recipe], missing: dict
    ) -> None:
        told = [one.told for one in finished]
        weights = select(told, course.mean_score)
        everyone = np.arange(len(course.fold))
        self.members_ = [
            (one.recipe.name, float(weight), course.fit(one.recipe, everyone))
            for one, weight in zip(finished, weights, strict=True)
            if weight > 0
        ]
        scores = {one.recipe.name: course.scores(one.told) for one in finished}
        best = max(scores, key=lambda name: scores[name].mean())
        self.best_recipe_ = best
        self.best_score_ = course.mean_score(sum(w * t for w, t in zip(weights, told, strict=True)))
        self.leaderboard_ = Leaderboard.of(
            recipes, scores, {one.recipe.name: one.seconds for one in finished},
            {name: weight for name, weight, _ in self.members_}, missing,
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

    def _told(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        classes = getattr(self, "classes_", None)
        return sum(w * predictions_of(m, X, classes) for _, w, m in self.members_)  # type: ignore[return-value]

    def explain(self, example: Any, class_: Any = None, method: str = "attribution") -> Any:
        """Why the members say what they say about one example.

        Importances are the weighted mean of all members that can explain. Attributions add up to
        the weighted mean of what the heaviest member, and those on its scale, say; the rules are
        the heaviest member's.
        """
        from graphtrees.estimators.auto.explaining import explain_ensemble

        check_is_fitted(self)
        return explain_ensemble(self, example, class_, method)

    def save(self, path: str | Path) -> None:
        """Write the fitted ensemble as JSON, gzipped where the name ends in .gz.

        Read it back with `graphtrees.load_model`. An ensemble with the recipe "labels" cannot be
        written so; pickle works for all.
        """
        from graphtrees.files import save_model

        check_is_fitted(self)
        save_model(self, path)

    def save_model(self, path: str | Path) -> None:
        """The same as `save`."""
        self.save(path)

    load_model = LoadModel()

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "members_")


def _group_folds(cv: Any, seed: int) -> Any:
    from sklearn.model_selection import GroupKFold

    return GroupKFold(int(cv)) if isinstance(cv, (int, np.integer)) else cv


class AutoGraphClassifier(ClassifierMixin, AutoGraph):
    """Classify without choosing an estimator: try several, and combine the best.

    Recipes are tried from cheap to dear, all on the same folds, until the time is up: boosting
    without walks, with walks, from a linear start, a forest, larger trees, and for vertices and
    edges the labels around them. A weighted mean of them is chosen by forward selection on
    predictions out of fold, and its members are fitted on everything.

    Parameters
    ----------
    time_limit : float or None, default=300
        Seconds for all of `fit`. It is kept by cutting the list of recipes: the first one is
        always run, and no fit is broken off, so that it may be overrun. None: all recipes.
    scoring : str, callable or None
        A scorer of scikit-learn. None: the log loss for classes, the squared error for numbers.
    cv : int, splitter or list of (train, test), default=5
        Folds; each example is held out once.
    recipes : sequence of str or None
        The names of those to try; None is all that fit the examples. See
        `graphtrees.estimators.auto.recipes`.
    checkpoint : folder or None
        Where to keep the predictions of finished recipes. A run that was stopped is taken up
        again by running it once more. `random_state` of None means 0 then.
    random_state : int, RandomState or None
        The same seed gives the same model, if time cuts the list at the same place.
    n_jobs : int or None
    verbose : int, default=0
        1: progress in one line, once it takes long; 2: a line for every recipe.

    Attributes
    ----------
    leaderboard_ : Leaderboard
        Rows with `recipe`, `score`, `error` (its standard error over folds), `seconds`, `weight`
        and `note`, the best first. `to_pandas()` makes a DataFrame of it.
    members_ : list of (name, weight, fitted estimator)
    best_estimator_ : estimator
        The member with the best score of its own; its name is `best_recipe_`.
    best_score_ : float
        The score of the weighted mean out of fold, on which the weights were chosen.
    classes_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> import graphtrees as gt
    >>> data = gt.datasets.make_red_isolated_vertex(n_graphs=100, n_vertices=10, random_state=0)
    >>> model = gt.AutoGraphClassifier(recipes=["table", "walks"], cv=3, random_state=0)
    >>> model.fit(data.X, data.y).best_recipe_
    'walks'
    """

    def __init__(
        self, time_limit=300, *, scoring=None, cv=5, recipes=None, checkpoint=None,
        random_state=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        keep_parameters(self, locals())

    def _read_y(self, y: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
        self.classes_, codes = read_labels(y, n)
        warn_of_one_class(self.classes_)
        return self.classes_[codes], codes

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, (n_examples, n_classes), in the order of `classes_`."""
        told = self._told(X)
        return told / told.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each example."""
        told = self._told(X)
        return self.classes_[told.argmax(axis=1)]


class AutoGraphRegressor(RegressorMixin, AutoGraph):
    """Predict numbers without choosing an estimator: try several, and combine the best.

    The parameters and attributes are those of `AutoGraphClassifier`.

    Examples
    --------
    >>> import graphtrees as gt
    >>> data = gt.datasets.make_walk_counts("source", n_graphs=60, random_state=0)
    >>> model = gt.AutoGraphRegressor(recipes=["table", "forest"], cv=3, random_state=0)
    >>> model.fit(data.X, data.y).predict(data.X).shape
    (60,)
    """

    def __init__(
        self, time_limit=300, *, scoring=None, cv=5, recipes=None, checkpoint=None,
        random_state=None, n_jobs=None, verbose=0,
    ):  # fmt: skip
        keep_parameters(self, locals())

    def _read_y(self, y: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
        values = read_numbers(y, n)
        return (values[:, 0] if values.shape[1] == 1 else values), values

    def predict(self, X: Any) -> np.ndarray:
        """The predicted value of each example, (n_examples,) or (n_examples, n_outputs)."""
        told = self._told(X)
        return told[:, 0] if told.shape[1] == 1 else told
