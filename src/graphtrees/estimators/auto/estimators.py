"""`AutoGraphClassifier` and `AutoGraphRegressor`."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from graphtrees.ensembles.prediction import one_column
from graphtrees.estimators.auto.base import AutoGraph
from graphtrees.estimators.docstrings import describe_arguments
from graphtrees.estimators.parameters import keep_parameters
from graphtrees.estimators.predicting import ScoresClasses
from graphtrees.validation.targets import read_labels, read_numbers, warn_of_one_class

SHARED = """Parameters
----------
time_limit : float or None, default=300
    Seconds for all of `fit`. It is kept by cutting the list of recipes and, with many examples, by
    comparing them on fewer folds: the first recipe is always run, and no fit is broken off, so
    that it may be overrun. None: all recipes, on all folds.
scoring : str, callable or None, default=None
    A scorer of scikit-learn, or a metric ``(y_true, y_pred)``: if its name says that it is an
    error it counts negatively. None: the log loss for classes, the squared error for numbers.
cv : int, splitter or list of (train, test), default=5
    Folds; each example is held out once.
recipes : sequence of str or None, default=None
    The names of those to try, which docs/accuracy-tools.md lists; None is all that fit the
    examples.
checkpoint : folder or None, default=None
    Where to keep the predictions of finished recipes. A run that was stopped is taken up again by
    running it once more. `random_state` of None means 0 then.
random_state : int, RandomState or None, default=None
    The same seed gives the same model, if there is time for the same recipes.
n_jobs : int or None, default=None
    Threads; the model does not depend on it. None is what OMP_NUM_THREADS says, else every core.
verbose : int, default=0
    1: progress in one line, once it takes long; 2: a line for every recipe.

Attributes
----------
leaderboard_ : Leaderboard
    Rows with `recipe`, `score`, `error` (its standard error over folds), `seconds`, `weight` and
    `note`, the best first. `to_pandas()` makes a DataFrame of it.
members_ : list of (name, weight, fitted estimator)
    What the predictions are the weighted mean of.
best_estimator_ : estimator
    The member with the best score of its own.
best_recipe_ : str
    Its name.
best_score_ : float
    The score of the weighted mean out of fold, on which the weights were chosen.
n_features_in_ : int
    Number of features seen in `fit`.
feature_names_in_ : ndarray of shape (n_features,)
    Their names; only where they have names."""


def _with_shared(kind: Any) -> Any:
    """Replace "{shared}" in the docstring of a class."""
    kind.__doc__ = inspect.cleandoc(kind.__doc__ or "").replace("{shared}", SHARED)
    return kind


@_with_shared
class AutoGraphClassifier(ScoresClasses, AutoGraph):
    """Classify without choosing an estimator: try several, and combine the best.

    Recipes are tried one after another, all on the same folds, until the time is up: boosting
    without walks and with them, for graphs forests and boosting on neighbourhoods, a linear start,
    a forest, and for vertices and edges the labels around them. A weighted mean of them
    is chosen by forward selection on predictions out of fold, and its members are fitted on
    everything.

    {shared}
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.

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

    @describe_arguments
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, (n_examples, n_classes), in the order of `classes_`."""
        predicted = self._predicted(X)
        return predicted / predicted.sum(axis=1, keepdims=True)

    @describe_arguments
    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each example."""
        predicted = self._predicted(X)
        return self.classes_[predicted.argmax(axis=1)]


@_with_shared
class AutoGraphRegressor(RegressorMixin, AutoGraph):
    """Predict numbers without choosing an estimator: try several, and combine the best.

    Recipes are tried and combined as by `AutoGraphClassifier`. `y` may have several columns.

    {shared}

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

    @describe_arguments
    def predict(self, X: Any) -> np.ndarray:
        """The predicted value of each example, (n_examples,) or (n_examples, n_outputs)."""
        return one_column(self._predicted(X))
