"""What a model has to be better than: one answer for all examples, and what is rare."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.ensembles.prediction import predictions
from graphtrees.graphs.labels import as_labels
from graphtrees.graphs.validation.numbers import without_mask

OF_MEANS = ("squared_error", "poisson")  # losses whose start is the mean
RARE = 0.1  # of two classes, the share below which one is rare


def one_answer(y: Any, of_classes: bool) -> Any:
    """The most frequent class, or the mean of each output, (n_outputs,), of a `y` that fits."""
    if of_classes:
        classes, counts = np.unique(np.asarray(as_labels(without_mask(y))), return_counts=True)
        return classes[counts.argmax()]
    numbers = np.asarray(without_mask(y), dtype=np.float64)
    return numbers.reshape(len(numbers), -1).mean(axis=0)


def training_answer(fitted: FittedTrees) -> Any:
    """The one answer of the examples that trees were fitted on; None: unknown.

    A model read from a file has not kept it, but says it before its first question, unless it was
    fitted with weights of classes, with another loss or on draws of the examples.
    """
    training = fitted.training
    if training.answer is not None:
        return training.answer
    if training.parameters.get("class_weight") is not None or fitted.start is not None:
        return None
    if fitted.init is None:
        root = fitted.trees[0].value[:1] if len(fitted.trees) == 1 else None
    elif fitted.classes is not None or training.parameters["loss"] in OF_MEANS:
        root = fitted.init[None]
    else:
        root = None
    if root is None:
        return None
    answer = predictions(fitted, root)
    return answer[0] if fitted.classes is not None else np.ravel(answer)


def rare_class(counts: np.ndarray) -> int | None:
    """The place of the rarer of two classes with these counts; None where neither is rare.

    Accuracy then says little, and average precision is shown beside it.
    """
    if len(counts) != 2 or not 0 < counts.min() < RARE * counts.sum():
        return None
    return int(counts.argmin())
