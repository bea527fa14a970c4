"""`AutoGraphClassifier` and `AutoGraphRegressor`."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from graphtrees.estimators.auto.base import AutoGraph
from graphtrees.estimators.parameters import keep_parameters
from graphtrees.estimators.targets import read_labels, read_numbers, warn_of_one_class


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
