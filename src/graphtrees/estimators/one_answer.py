"""One answer for all examples: what a model has to be better than."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from graphtrees.estimators.members import shown_member
from graphtrees.graphs.labels import as_labels
from graphtrees.graphs.validation.numbers import without_mask

OF_MEANS = ("squared_error", "poisson")  # losses whose start is the mean


def one_answer(y: Any, of_classes: bool) -> Any:
    """The most frequent class, or the mean of each output, (n_outputs,), of a `y` that fits."""
    if of_classes:
        classes, counts = np.unique(np.asarray(as_labels(without_mask(y))), return_counts=True)
        return classes[counts.argmax()]
    numbers = np.asarray(without_mask(y), dtype=np.float64)
    return numbers.reshape(len(numbers), -1).mean(axis=0)


def training_answer(model: Any) -> Any:
    """That of the examples which a model was fitted on; None where nobody knows.

    A model read from a file has not kept it, but says it before its first question, unless it was
    fitted with weights of classes, with another loss or on draws of the examples.
    """
    known = getattr(model, "_one_answer", None)
    if known is not None:
        return known
    model = shown_member(model)[2]  # the members of an ensemble are trained on the same examples
    if getattr(model, "class_weight", None) is not None or model._start is not None:
        return None
    if not hasattr(model, "init_"):
        said = model._trees[0].value[0] if len(model._trees) == 1 else None
    elif is_classifier(model):
        said = model._predict_proba_of(model.init_[None])[0]
    else:
        said = np.ravel(model._predict_of(model.init_[None])) if model.loss in OF_MEANS else None
    if said is None or not is_classifier(model):
        return said
    return model.classes_[said.argmax()]
