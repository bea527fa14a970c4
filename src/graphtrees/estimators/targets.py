"""From y to what trees are grown on."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils import check_array, column_or_1d, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from graphtrees.estimators.parameters import Constraint, nothing
from graphtrees.graphs.labels import plain

CLASS_WEIGHT = (
    Constraint("a dict", lambda v: isinstance(v, dict))
    | Constraint("'balanced'", lambda v: isinstance(v, str) and v == "balanced")
    | nothing
)


def read_labels(y: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The classes, and the class number of every example."""
    _want_y(y)
    labels = column_or_1d(y, warn=True)
    _same_length(labels, n)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        first = int(np.argmax(~np.isfinite(labels)))
        what = "NaN" if np.isnan(labels[first]) else "infinity"
        raise ValueError(f"Input y contains {what}: y[{first}] has no label")
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.int64)


def warn_of_one_class(classes: np.ndarray) -> None:
    """A classifier of one class is fitted, but hardly what was meant."""
    if len(classes) == 1:
        warnings.warn(
            f"y holds one class only, {plain(classes[0])!r}: the model will predict it for "
            "everything",
            stacklevel=3,
        )


def read_numbers(y: Any, n: int) -> np.ndarray:
    """The targets as (n_examples, n_outputs)."""
    _want_y(y)
    values = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    if values.ndim == 1 or (values.ndim == 2 and values.shape[1] == 1):
        values = column_or_1d(values, warn=True)[:, None]
    if values.ndim != 2:
        raise ValueError(f"y must be (n_examples,) or (n_examples, n_outputs); got {values.shape}")
    _same_length(values, n)
    return values


def _want_y(y: Any) -> None:
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")


def _same_length(y: np.ndarray, n: int) -> None:
    if len(y) != n:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X holds {n} examples, "
            f"y {len(y)} labels"
        )


def class_weights(class_weight: Any, classes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The weight of each class."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, dict):
        unknown = [c for c in class_weight if c not in classes]
        if unknown:
            raise ValueError(f"class_weight names {unknown[0]!r}; the classes are {list(classes)}")
    return compute_class_weight(class_weight, classes=classes, y=classes[codes])


def weigh_classes(
    class_weight: Any, classes: np.ndarray, codes: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """Sample weights times class weights."""
    return weight * class_weights(class_weight, classes, codes)[codes]
