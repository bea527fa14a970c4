"""What a model says about examples, beside what is true of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphtrees.estimators.one_answer import training_answer
from graphtrees.estimators.targets import read_labels, read_numbers
from graphtrees.graphs.labels import plain


@dataclass(frozen=True, eq=False)
class Answers:
    """Classes are numbered by `labels`, those of the model first; for numbers that is None.

    `truth` is None where nobody knows it; `chances` has a column for each class of the model.
    `always` is the one answer for all that training would give, None where it is unknown: the
    number of a class, or a number.
    """

    labels: list[Any] | None
    said: np.ndarray
    truth: np.ndarray | None
    chances: np.ndarray | None
    always: Any = None

    @property
    def n(self) -> int:
        return len(self.said)

    def take(self, rows: np.ndarray) -> Answers:
        """Some of the examples."""
        parts = (self.said, self.truth, self.chances)
        said, truth, chances = (None if one is None else one[rows] for one in parts)
        assert said is not None
        return Answers(self.labels, said, truth, chances, self.always)

    @property
    def sureness(self) -> np.ndarray:
        """The probability of what is said."""
        assert self.chances is not None
        return self.chances.max(axis=1)

    @property
    def residual(self) -> np.ndarray:
        """How much more the truth is than what is said."""
        assert self.truth is not None
        return self.truth - self.said

    def order(self) -> np.ndarray:
        """The examples to look at first: the surest mistakes, then what is least sure.

        For numbers the largest errors. Where the truth is unknown: the least sure, or as they come.
        """
        if self.labels is None:
            if self.truth is None:
                return np.arange(self.n)
            return np.argsort(-np.abs(self.residual), kind="stable")
        if self.truth is None:
            return np.argsort(self.sureness, kind="stable")
        right = self.said == self.truth
        return np.lexsort((np.where(right, self.sureness, -self.sureness), right))


def read_answers(model: Any, X: Any, y: Any, output: Any = None) -> Answers:
    """Ask the model about X, and check y against it."""
    check_is_fitted(model)
    if hasattr(model, "classes_"):
        return _of_classes(model, X, y)
    said = np.asarray(model.predict(X), dtype=float)
    said = said.reshape(len(said), -1)
    column = 0 if output is None else output
    if not isinstance(column, (int, np.integer)) or not 0 <= column < said.shape[1]:
        raise ValueError(
            f"class_ must be None or the number of an output below {said.shape[1]}; got {output!r}"
        )
    truth = None if y is None else read_numbers(y, len(said))
    if truth is not None and truth.shape != said.shape:
        raise ValueError(
            f"y has {truth.shape[1]} outputs, but {type(model).__name__} was fitted with "
            f"{said.shape[1]}"
        )
    always = training_answer(model)
    return Answers(
        None, said[:, column], None if truth is None else truth[:, column], None,
        None if always is None else float(always[column]),
    )  # fmt: skip


def _of_classes(model: Any, X: Any, y: Any) -> Answers:
    chances = np.asarray(model.predict_proba(X), dtype=float)
    said = chances.argmax(axis=1)
    labels = [plain(label) for label in model.classes_]
    if y is None:
        return Answers(labels, said, None, chances)
    present, codes = read_labels(y, len(said))
    known = {label: code for code, label in enumerate(labels)}
    met = [plain(label) for label in present]
    for label in met:
        known.setdefault(label, len(known))  # a class that the model has never seen
    truth = np.array([known[label] for label in met])[codes]
    always = training_answer(model)
    return Answers(
        list(known), said, truth, chances, None if always is None else known[plain(always)]
    )
