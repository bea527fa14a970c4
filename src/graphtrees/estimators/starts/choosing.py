"""From the parameter `init` to a fitted start."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees.ensembles.examples import Examples
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.estimators.parameters import Constraint, nothing, one_of
from graphtrees.estimators.starts.borrowed import fit_borrowed
from graphtrees.estimators.starts.linear import N_FOLDS, Fitted, fit_linear
from graphtrees.estimators.walk_lengths import walk_lengths
from graphtrees.estimators.watching import Task

LINEAR = "linear"


def _is_estimator(value: Any) -> bool:
    methods = (getattr(value, name, None) for name in ("fit", "predict"))
    return not isinstance(value, type) and all(map(callable, methods))


INIT = nothing | one_of(LINEAR) | Constraint("an estimator with fit and predict", _is_estimator)


def make_start(
    model: Any, fitted: FittedTrees, task: Task, examples: Examples, y: np.ndarray,
    weight: np.ndarray, seed: int,
) -> Fitted | None:  # fmt: skip
    """The start that `init` of a boosting estimator asks for; None: the constants of the loss.

    `fitted` has no trees yet.
    """
    if model.init is None:
        return None
    classes, loss = fitted.classes, fitted.loss
    assert loss is not None
    fold_of = deal_out(weight, None if classes is None else y, seed)
    if fold_of is None or (classes is not None and len(classes) < 2):
        return None
    if isinstance(model.init, str):
        longest = np.minimum(
            walk_lengths(model.max_walk_length, fitted.features), fitted.questions.max_walk_length
        )
        return fit_linear(fitted.features, examples, y, weight, loss, longest, fold_of)
    given = Task(task.X, y if classes is None else classes[y])
    if classes is None and y.shape[1] == 1:
        given = Task(task.X, y[:, 0])
    return fit_borrowed(model.init, given, weight, loss, classes, fold_of)


def deal_out(
    weight: np.ndarray, codes: np.ndarray | None, seed: int, at_most: int = N_FOLDS
) -> np.ndarray | None:
    """A fold for each example, classes in equal parts; None where there is one example only."""
    n_folds = min(at_most, int((weight > 0).sum()))
    if n_folds < 2:
        return None
    order = np.random.default_rng(seed).permutation(len(weight))
    kind = np.zeros(len(weight), np.int64) if codes is None else codes
    order = order[np.lexsort((kind[order], weight[order] == 0))]
    fold_of = np.empty(len(weight), np.int64)
    fold_of[order] = np.arange(len(weight)) % n_folds
    return fold_of
