"""Any scikit-learn estimator as the start of boosting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from graphtrees.ensembles.examples import Examples
from graphtrees.ensembles.losses import Loss
from graphtrees.estimators.starts.linear import Fitted
from graphtrees.estimators.watching import Task, choose
from graphtrees.questions.features import FeatureTable


@dataclass(frozen=True, eq=False)
class BorrowedStart:
    """A fitted estimator whose predictions, on the scale of the trees, are what they start from."""

    estimator: Any
    loss: Loss
    classes: np.ndarray | None

    @property
    def text(self) -> str:
        return f"a {type(self.estimator).__name__}"

    def raw(self, features: FeatureTable, examples: Examples) -> np.ndarray:
        """What is added for each example, (n_examples, n_outputs)."""
        return raw_of(self.estimator, examples.given, self.loss, self.classes)


def fit_borrowed(
    given: Any, task: Task, weight: np.ndarray, loss: Loss, classes: np.ndarray | None,
    fold_of: np.ndarray,
) -> Fitted:  # fmt: skip
    """Fit a copy on all examples, and one on the rest of each fold to tell where it stands."""
    if not loss.has_inverse:
        raise ValueError(
            "init=estimator needs a loss whose link is known; a loss of your own must have no link"
        )
    raw = None
    for fold in range(int(fold_of.max()) + 1):
        held = np.flatnonzero(fold_of == fold)
        model = _fit(given, task, weight, np.flatnonzero(fold_of != fold))
        held_raw = raw_of(model, choose(task.X, held), loss, classes)
        raw = np.zeros((len(weight), held_raw.shape[1])) if raw is None else raw
        raw[held] = held_raw
    start = BorrowedStart(_fit(given, task, weight, np.arange(len(weight))), loss, classes)
    assert raw is not None
    return Fitted(start, np.zeros(raw.shape[1]), raw)


def _fit(given: Any, task: Task, weight: np.ndarray, rows: np.ndarray) -> Any:
    model = clone(given)
    X, y = choose(task.X, rows), np.asarray(task.y)[rows]
    if (weight == 1).all():
        return model.fit(X, y)
    if not has_fit_parameter(model, "sample_weight"):
        raise ValueError(
            f"init: the fit of {type(model).__name__} takes no sample_weight, but the examples "
            "have weights"
        )
    return model.fit(X, y, sample_weight=weight[rows])


def raw_of(model: Any, X: Any, loss: Loss, classes: np.ndarray | None) -> np.ndarray:
    """Predictions of an estimator on the scale on which trees add up."""
    if classes is None:
        values = np.asarray(model.predict(X), dtype=np.float64)
        return _finite(loss.inverse(values.reshape(len(values), -1)), model)
    if not hasattr(model, "predict_proba"):
        raise TypeError(f"init: {type(model).__name__} has no predict_proba, which classes need")
    held_raw = np.asarray(model.predict_proba(X), dtype=np.float64)
    chances = np.zeros((len(held_raw), len(classes)))
    chances[:, np.searchsorted(classes, model.classes_)] = held_raw
    return _finite(loss.inverse(chances), model)


def _finite(raw: np.ndarray, model: Any) -> np.ndarray:
    if not np.isfinite(raw).all():
        raise ValueError(f"init: {type(model).__name__} predicts values that are NaN or infinite")
    return raw
