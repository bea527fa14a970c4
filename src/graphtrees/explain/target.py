"""Which output of a model an explanation is about, and with which sign."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.ensembles.prediction import predictions, probabilities
from graphtrees.graphs.labels import plain


@dataclass(frozen=True)
class Target:
    """What is explained of every example.

    `output` numbers the model's outputs; `sign` is -1 where a tree's value speaks for the other of
    two classes. `labels` are the explained classes (None for numbers), `scores` the predicted
    probability of them or the predicted number, `predictions` what `predict` says.
    """

    output: np.ndarray
    sign: np.ndarray
    labels: np.ndarray | None
    scores: np.ndarray
    predictions: np.ndarray


def choose_target(fitted: FittedTrees, raw: np.ndarray, class_: Any) -> Target:
    """The class asked for, else the predicted one; for regressors the output, else the first.

    `raw` is where the examples stand after all trees.
    """
    if fitted.classes is None:
        return _of_numbers(fitted, raw, class_)
    chances = probabilities(fitted, raw)
    best = chances.argmax(axis=1)
    code = best if class_ is None else np.full(len(best), _class_code(fitted.classes, class_))
    one_sided = fitted.n_outputs == 1 and fitted.is_boosted
    return Target(
        output=np.zeros(len(code), np.int64) if fitted.n_outputs == 1 else code.astype(np.int64),
        sign=np.where(one_sided & (code == 0), -1.0, 1.0),
        labels=fitted.classes[code],
        scores=chances[np.arange(len(code)), code],
        predictions=fitted.classes[best],
    )


def _of_numbers(fitted: FittedTrees, raw: np.ndarray, class_: Any) -> Target:
    values = predictions(fitted, raw).reshape(len(raw), -1)
    output = 0 if class_ is None else class_
    if not isinstance(output, (int, np.integer)) or not 0 <= output < values.shape[1]:
        raise ValueError(
            f"{fitted.estimator} predicts numbers: class_ must be None or the number of an "
            f"output below {values.shape[1]}; got {class_!r}"
        )
    n = len(values)
    place = np.full(n, min(int(output), fitted.n_outputs - 1), np.int64)
    column = values[:, int(output)]
    return Target(place, np.ones(n), None, column, column)


def _class_code(classes: np.ndarray, class_: Any) -> int:
    codes = {label: code for code, label in enumerate(classes.tolist())}
    code = codes.get(plain(class_)) if isinstance(class_, Hashable) else None
    if code is None:
        raise ValueError(f"class_ must be one of {classes.tolist()}; got {class_!r:.200}")
    return code
