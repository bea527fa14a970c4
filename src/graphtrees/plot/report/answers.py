"""What a model says about examples, beside what is true of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees.ensembles.examples import Examples
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.ensembles.prediction import predictions, probabilities, raw_values
from graphtrees.graphs.labels import plain
from graphtrees.validation.baseline import training_answer
from graphtrees.validation.models import workers_of
from graphtrees.validation.targets import read_labels, read_numbers


@dataclass(frozen=True, eq=False)
class Answers:
    """Classes are numbered by `labels`, those of the model first; for numbers that is None.

    `truth` is None where it is unknown; `chances` has a column for each class of the model.
    `always` is the one answer for all that training would give, None where it is unknown: the
    number of a class, or a number.
    """

    labels: list[Any] | None
    predicted: np.ndarray
    truth: np.ndarray | None
    chances: np.ndarray | None
    always: Any = None

    @property
    def n(self) -> int:
        return len(self.predicted)

    def take(self, rows: np.ndarray) -> Answers:
        """Some of the examples."""
        parts = (self.predicted, self.truth, self.chances)
        predicted, truth, chances = (None if one is None else one[rows] for one in parts)
        assert predicted is not None
        return Answers(self.labels, predicted, truth, chances, self.always)

    @property
    def sureness(self) -> np.ndarray:
        """The probability of what is predicted."""
        assert self.chances is not None
        return self.chances.max(axis=1)

    @property
    def residual(self) -> np.ndarray:
        """How much more the truth is than what is predicted."""
        assert self.truth is not None
        return self.truth - self.predicted

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
        right = self.predicted == self.truth
        return np.lexsort((np.where(right, self.sureness, -self.sureness), right))


def read_answers(
    model: Any, shown: FittedTrees, examples: Examples, y: Any, output: Any
) -> Answers:
    """Ask the model about examples, and check y against it.

    `shown` are the trees of the model, or of the heaviest member of an ensemble.
    """
    if shown.classes is not None:
        return _of_classes(model, shown, examples, y)
    values = np.asarray(_ask(model, shown, examples), dtype=float).reshape(examples.n, -1)
    column = 0 if output is None else output
    if not isinstance(column, (int, np.integer)) or not 0 <= column < values.shape[1]:
        raise ValueError(
            f"class_ must be None or the number of an output below {values.shape[1]}; got "
            f"{output!r}"
        )
    truth = None if y is None else read_numbers(y, examples.n)
    if truth is not None and truth.shape != values.shape:
        raise ValueError(
            f"y has {truth.shape[1]} outputs, but {type(model).__name__} was fitted with "
            f"{values.shape[1]}"
        )
    always = training_answer(shown)
    return Answers(
        None, values[:, column], None if truth is None else truth[:, column], None,
        None if always is None else float(always[column]),
    )  # fmt: skip


def _ask(model: Any, shown: FittedTrees, examples: Examples) -> np.ndarray:
    """Probabilities of classes, or numbers; an ensemble reads the examples for each member."""
    if hasattr(model, "members_"):
        ask = model.predict if shown.classes is None else model.predict_proba
        return ask(examples.given)
    with workers_of(model) as workers:
        raw = raw_values(shown, examples, workers)
    return predictions(shown, raw) if shown.classes is None else probabilities(shown, raw)


def _of_classes(model: Any, shown: FittedTrees, examples: Examples, y: Any) -> Answers:
    chances = np.asarray(_ask(model, shown, examples), dtype=float)
    predicted = chances.argmax(axis=1)
    labels = [plain(label) for label in model.classes_]
    if y is None:
        return Answers(labels, predicted, None, chances)
    present, codes = read_labels(y, len(predicted))
    known = {label: code for code, label in enumerate(labels)}
    met = [plain(label) for label in present]
    for label in met:
        known.setdefault(label, len(known))  # a class that the model has never seen
    truth = np.array([known[label] for label in met])[codes]
    always = training_answer(shown)
    return Answers(
        list(known), predicted, truth, chances, None if always is None else known[plain(always)]
    )
