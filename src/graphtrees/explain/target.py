"""Which output of a model an explanation speaks about, and with which sign."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees.explain.packing import PackedModel
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


def choose_target(model: Any, packed: PackedModel, X: Any, class_: Any) -> Target:
    """The class asked for, else the predicted one; for regressors the output, else the first."""
    if not hasattr(model, "classes_"):
        return _of_numbers(model, packed, X, class_)
    chances = np.asarray(model.predict_proba(X))
    best = chances.argmax(axis=1)
    code = best if class_ is None else np.full(len(best), _class_code(model, class_))
    one_sided = packed.n_outputs == 1 and hasattr(model, "init_")
    return Target(
        output=np.zeros(len(code), np.int64) if packed.n_outputs == 1 else code.astype(np.int64),
        sign=np.where(one_sided & (code == 0), -1.0, 1.0),
        labels=model.classes_[code],
        scores=chances[np.arange(len(code)), code],
        predictions=model.classes_[best],
    )


def _of_numbers(model: Any, packed: PackedModel, X: Any, class_: Any) -> Target:
    said = np.asarray(model.predict(X), dtype=float)
    said = said.reshape(len(said), -1)
    output = 0 if class_ is None else class_
    if not isinstance(output, (int, np.integer)) or not 0 <= output < said.shape[1]:
        raise ValueError(
            f"{type(model).__name__} predicts numbers: class_ must be None or the number of an "
            f"output below {said.shape[1]}; got {class_!r}"
        )
    n = len(said)
    place = np.full(n, min(int(output), packed.n_outputs - 1), np.int64)
    column = said[:, int(output)]
    return Target(place, np.ones(n), None, column, column)


def _class_code(model: Any, class_: Any) -> int:
    codes = {label: code for code, label in enumerate(model.classes_.tolist())}
    code = codes.get(plain(class_)) if isinstance(class_, Hashable) else None
    if code is None:
        raise ValueError(f"class_ must be one of {model.classes_.tolist()}; got {class_!r:.200}")
    return code
