"""From y to what trees are grown on."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_array, column_or_1d, compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from graphtrees.files.labels import check_classes
from graphtrees.graphs.frames import is_frame
from graphtrees.graphs.labels import as_labels, is_missing, plain
from graphtrees.graphs.validation.numbers import missing_as_nan, without_mask
from graphtrees.validation.examples import (
    LARGEST_WEIGHT,
    refuse_odd_numbers,
    refuse_twin_columns,
)

# Gains are squares of sums of weighted targets, and float64 ends at 1.8e308.
LARGEST_TARGET = 1e100


def read_labels(y: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The classes, and the class number of every example."""
    _want_y(y)
    if is_frame(y):
        refuse_twin_columns(y, "y")
    _refuse_sets(y)
    given = as_labels(without_mask(y))
    _refuse_columns(given)
    labels = column_or_1d(given, warn=True)
    _same_length(labels, n)
    _refuse_missing_labels(labels, y)
    _refuse_odd_labels(labels)
    with np.errstate(invalid="ignore"):  # it casts to integers, whatever the size
        check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    check_classes(classes)
    return classes, codes.astype(np.int64)


def labels_to_score(y: Any) -> Any:
    """Classes to compare predictions with, as arrays that scikit-learn reads; none is missing."""
    _want_y(y)
    labels = as_labels(without_mask(y))
    _refuse_missing_labels(np.asarray(labels).ravel(), y)
    return labels


def _refuse_sets(y: Any) -> None:
    """Several labels for some examples, listed."""
    of_objects = getattr(getattr(y, "dtype", None), "kind", "") == "O"
    items = y if isinstance(y, (list, tuple)) or of_objects else ()
    several = [item for item in items if isinstance(item, (list, tuple, set, frozenset))]
    uneven = any(isinstance(one, (set, frozenset)) for one in several)
    if uneven or len({len(one) for one in several}) > 1:
        raise ValueError(
            f"y holds several labels for an example, such as {several[0]!r:.60}. Turn them into "
            "columns of 0 and 1 by sklearn.preprocessing.MultiLabelBinarizer().fit_transform(y), "
            "and fit sklearn.multioutput.MultiOutputClassifier(model)"
        )


def _refuse_columns(given: Any) -> None:
    """Several labels for each example, in columns."""
    try:
        labels = np.asarray(given)
    except ValueError:  # lists within lists, as deep as no array can be
        raise ValueError("y should be a 1d array of labels; got lists within lists") from None
    if labels.ndim != 2 or labels.shape[1] < 2:
        return
    is_indicator = np.isin(labels, (0, 1)).all()
    one_hot = ""
    if is_indicator and (np.count_nonzero(labels, axis=1) == 1).all():
        one_hot = " If each column is a class of its own (one-hot), give y.argmax(axis=1)."
    raise ValueError(
        f"y should be a 1d array, got an array of shape {labels.shape} instead: one label for each "
        "example is wanted. To predict several, fit a model for each column: "
        f"sklearn.multioutput.MultiOutputClassifier(model).fit(X, y).{one_hot}"
    )


def _refuse_missing_labels(labels: np.ndarray, y: Any) -> None:
    """Every example has a label; y holds them as they were given."""
    if labels.dtype.kind == "f":
        missing = ~np.isfinite(labels)
    elif labels.dtype.kind == "O":
        missing = np.array([is_missing(label) for label in labels], dtype=bool)
    else:
        return
    if missing.any():
        first = labels[int(np.argmax(missing))]
        infinite = labels.dtype.kind == "f" and np.isinf(first)
        what = "infinity" if infinite else "None" if first is None else "NaN"
        words = ("has no label", "nor have")
        known = (
            _finite_expression(y, not infinite) if labels.dtype.kind == "f" else "pandas.notna(y)"
        )
        raise ValueError(f"Input y contains {what}: {_first_rows(missing, words, known)}")


def _finite_expression(y: Any, is_nan: bool) -> str:
    """Python for which numbers of y are finite; NumPy cannot tell of pandas' own dtypes.

    `is_nan`: of those that are not, some are missing.
    """
    is_table = np.ndim(y) > 1
    dtypes = getattr(y, "dtypes", ()) if is_table else (getattr(y, "dtype", None),)
    others = [one for one in dtypes if one is not None and not isinstance(one, np.dtype)]
    in_rows = ".all(axis=1)" if is_table else ""
    if not others and np.asarray(y).dtype.kind == "O":
        known = "pandas.notna(y)" if is_nan else "np.isfinite(np.array(y, float))"
        return known + in_rows
    if not others:
        return f"np.isfinite(y){in_rows}"
    pandas = any(type(one).__module__.startswith("pandas") for one in others)
    return f"np.isfinite(y.to_numpy({'float, na_value=np.nan' if pandas else ''})){in_rows}"


def _first_rows(missing: np.ndarray, words: tuple[str, str], known: str) -> str:
    """Which entries of y are odd, in words for the first and the others, and what to do."""
    rows, n = np.flatnonzero(missing), len(missing)
    others = ", ".join(f"y[{row}]" for row in rows[1:5])
    more = f" and {len(rows) - 5} more" if len(rows) > 5 else ""
    listed = f", {words[1]} {others}{more}" if others else ""
    return (
        f"y[{rows[0]}] {words[0]}{listed}: {len(rows)} of {n} examples. Leave them out: X[known] "
        f"and y[known], with known = {known}"
    )


def _refuse_odd_labels(labels: np.ndarray) -> None:
    """Refuse objects that are no strings: several kinds by name, others by the first of them."""
    objects = labels if labels.dtype.kind == "O" else ()
    odd = [place for place, label in enumerate(objects) if not isinstance(label, str)]
    if not odd:
        return
    kinds = sorted({type(label).__name__ for label in labels})
    if len(kinds) > 1:
        raise TypeError(
            f"the labels in y must be of one kind; got {' and '.join(kinds)}: "
            "turn them all into strings, for one"
        )
    label = labels[odd[0]]
    if isinstance(label, (bool, int, float)):
        raise ValueError(
            f"Unknown label type: y is an array of objects, each of them of type {kinds[0]}; give "
            f"y.astype({kinds[0]})"
        )
    raise ValueError(
        f"Unknown label type: y[{odd[0]}] is {label!r:.60}, of type {type(label).__name__}. Labels "
        "must be strings, numbers or booleans, all of one kind; convert y, for example with "
        "[str(label) for label in y]"
    )


def warn_of_one_class(classes: np.ndarray) -> None:
    """A classifier of one class is fitted, but hardly what was meant."""
    if len(classes) == 1:
        warnings.warn(
            f"y holds one class only, {plain(classes[0])!r}: the model will predict it for "
            "everything",
            stacklevel=4,  # warn_of_one_class, fit, its decorator
        )


def read_numbers(y: Any, n: int) -> np.ndarray:
    """The targets as (n_examples, n_outputs)."""
    _want_y(y)
    refuse_odd_numbers(y, "y", ". Labels are predicted by the classifiers, such as "
                       "GraphBoostingClassifier")  # fmt: skip
    try:
        values = check_array(missing_as_nan(y), ensure_2d=False, dtype=np.float64, input_name="y")
    except ValueError as error:
        raise _with_rows(error, y) from None
    except OverflowError:
        raise ValueError(f"y holds a number beyond {LARGEST_TARGET:g}; scale y down") from None
    if values.ndim == 1 or (values.ndim == 2 and values.shape[1] == 1):
        values = column_or_1d(values, warn=True)[:, None]
    if values.ndim != 2:
        raise ValueError(f"y must be (n_examples,) or (n_examples, n_outputs); got {values.shape}")
    _same_length(values, n)
    if np.abs(values).max(initial=0.0) > LARGEST_TARGET:
        row = int(np.argmax(np.abs(values).max(axis=1)))
        worst = float(values[row][np.argmax(np.abs(values[row]))])
        raise ValueError(f"y[{row}] is {worst:g}, beyond {LARGEST_TARGET:g}; scale y down")
    return values


def refuse_missing_numbers(y: Any, n: int) -> None:
    """The same error as `read_numbers` raises, before examples are set aside and rows move."""
    if _odd_rows(y) is not None:
        read_numbers(y, n)


def _odd_rows(y: Any) -> tuple[np.ndarray, bool] | None:
    """The rows where y is NaN, or else infinite, and whether it is NaN; None: no such row."""
    given = np.asarray(without_mask(y), dtype=None if hasattr(y, "dtype") else object)
    given = missing_as_nan(given)
    if given.size == 0 or given.dtype.kind not in "biufO":
        return None  # others are refused by their kind
    try:
        values = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    rows = values.reshape(len(values), -1) if values.ndim else values.reshape(1, 1)
    for odd, is_nan in ((np.isnan(rows), True), (np.isinf(rows), False)):
        if odd.any():
            return np.asarray(odd.any(axis=1)), is_nan
    return None


def _with_rows(error: ValueError, y: Any) -> ValueError:
    """What scikit-learn has against y, with the rows where it is NaN or infinite."""
    odd = _odd_rows(y)
    if odd is None:
        return error
    rows, is_nan = odd
    known = _finite_expression(y, is_nan)
    words = ("has no value", "nor have") if is_nan else ("is infinite", "as are")
    start = str(error).partition(".\n")[0].rstrip(".")
    return ValueError(f"{start}: {_first_rows(rows, words, known)}")


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
            listed = [plain(c) for c in classes]
            raise ValueError(
                f"class_weight names {plain(unknown[0])!r}; the classes are {listed!r:.200}"
            )
        for name, weight in class_weight.items():
            if not isinstance(weight, Real) or not 0 <= as_float(weight) <= LARGEST_WEIGHT:
                raise ValueError(
                    f"class_weight of {plain(name)!r} must be a number from 0 to "
                    f"{LARGEST_WEIGHT:g}; got {plain(weight)!r}"
                )
    return compute_class_weight(class_weight, classes=classes, y=classes[codes])


def weigh_classes(
    class_weight: Any, classes: np.ndarray, codes: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """Sample weights times class weights."""
    return weight * class_weights(class_weight, classes, codes)[codes]


def as_float(value: Any) -> float:
    """The number, infinite where an integer is too large for a float."""
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf
