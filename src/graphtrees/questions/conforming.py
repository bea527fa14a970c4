"""New examples beside those of `fit`: the same kinds of features, of labels and of edges.

A column of numbers that arrives as text must never be read by the codes of its labels. What can be
converted without loss is converted, with a warning; what cannot is refused by name.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from graphtrees._layout import VALUE
from graphtrees.graphs.direction import has_direction
from graphtrees.graphs.flat import FlatGraphs, column_of, dense
from graphtrees.graphs.line_graph import LineGraphs
from graphtrees.questions.features import FeatureTable
from graphtrees.questions.operator_name import ADJACENCY, OperatorName
from graphtrees.questions.plan import QuestionSpace


def uncoded(table: FeatureTable, flat: FlatGraphs) -> FlatGraphs:
    """Training examples whose columns are numbers wherever `table` has no categories.

    Labels that are numbers become these numbers; others cannot be left out of the categories.
    """
    changed = {}
    for feature in _labelled_as_numbers(table, flat):
        codes, labels = _codes(flat, feature), flat.categories[feature]
        text = _first_text(codes, labels)
        if text is not None:
            raise ValueError(
                f"feature {table.name(feature)!r} holds labels, such as {text!r}, but "
                "categorical_features leaves it out: name it there, or drop the column"
            )
        changed[feature] = _values(table.name(feature), codes, labels)
    return _with_numbers(flat, changed)


def conform(table: FeatureTable, flat: FlatGraphs, fitted_by: str) -> FlatGraphs:
    """New examples with the kinds of features that were fitted, or an error that names one."""
    for feature, labels in table.categories.items():
        _check_labels(table.name(feature), labels, flat, feature, fitted_by)
    changed = {}
    for feature in _labelled_as_numbers(table, flat):
        codes, labels = _codes(flat, feature), flat.categories[feature]
        text = _first_text(codes, labels)
        if text is not None:
            raise ValueError(
                f"feature {table.name(feature)!r} was numbers when {fitted_by} was fitted; now it "
                f"holds labels, such as {text!r}: read the column as numbers, with NaN where a "
                "value is missing"
            )
        if not np.isnan(codes).all():
            warnings.warn(
                f"feature {table.name(feature)!r} was numbers when {fitted_by} was fitted; now it "
                "is categorical: its labels are numbers and are read as such",
                stacklevel=2,
            )
        changed[feature] = _values(table.name(feature), codes, labels)
    return _with_numbers(flat, changed)


def check_edges(space: QuestionSpace, flat: FlatGraphs, fitted_by: str) -> None:
    """Raise where edges have another direction than those of `fit`, or lack its relations."""
    on_edges = isinstance(flat, LineGraphs)
    if not (flat.n_vertices if on_edges else flat.n_edges):
        return
    if space.directed is not None and flat.directed != space.directed:
        _check_direction(bool(space.directed), flat, fitted_by)
    if on_edges or space.edge_features is None:
        return
    for text in space.operators:
        relation = OperatorName.parse(text).relation
        if relation == ADJACENCY:
            continue
        if relation in space.edge_features:
            if relation not in flat.edge_feature_names:
                raise ValueError(
                    f"{fitted_by} walks along the edge feature {relation!r}; the graphs of X have "
                    f"{_listed('edge features', flat.edge_feature_names)}"
                )
        elif flat.edge_types is None:
            raise ValueError(
                f"{fitted_by} walks along edges of the type {relation!r}; the graphs of X have no "
                "edge types"
            )


def _check_direction(directed: bool, flat: FlatGraphs, fitted_by: str) -> None:
    """Edges without a direction can be walked as two; edges with one cannot be walked both ways."""
    if isinstance(flat, LineGraphs) or (not directed and has_direction(flat)):
        raise ValueError(
            f"{fitted_by} was fitted on graphs with directed={directed}; "
            f"got graphs with directed={flat.directed}"
        )
    if directed:
        warnings.warn(
            f"{fitted_by} was fitted on directed graphs; those of X are undirected: each edge is "
            "walked both ways. Make them with directed=True if their edges have a direction",
            stacklevel=2,
        )


def _listed(what: str, names: tuple[str, ...]) -> str:
    return f"the {what} {', '.join(map(repr, names))}" if names else f"no {what}"


def _labelled_as_numbers(table: FeatureTable, flat: FlatGraphs) -> list[int]:
    """The features that `table` takes for numbers and that came as labels."""
    return sorted(set(flat.categories) - set(table.categories))


def _check_labels(name: str, fitted: tuple, flat: FlatGraphs, feature: int, by: str) -> None:
    """Labels of the kind that was fitted: text does not meet numbers. New labels are welcome."""
    came = flat.categories.get(feature)
    possible = {"numbers"} if came is None else {_kind(label) for label in came}
    kinds = {_kind(label) for label in fitted}
    if not fitted or possible <= kinds:
        return  # whichever of the labels occur
    codes = _codes(flat, feature)
    known = codes[~np.isnan(codes)]
    present = known[:1].tolist() if came is None else _present(codes, came)
    if not known.size or {_kind(label) for label in present} & kinds:
        return
    raise ValueError(
        f"feature {name!r} held labels that are {_kind(fitted[0])}, such as {fitted[0]!r}, when "
        f"{by} was fitted; now it holds {_kind(present[0])}, such as {present[0]!r}"
    )


# Labels of one kind may be equal, whatever their types: a Timestamp and the datetime of a file.
NUMBERS = (Real, Decimal, np.bool_)
KINDS: dict[str, Any] = {
    "text": str,
    "numbers": NUMBERS,
    "times": datetime,
    "spans of time": timedelta,
}


def _kind(label: Any) -> str:
    for name, types in KINDS.items():
        if isinstance(label, types):
            return name
    return f"of type {type(label).__name__}"


def _is_number(label: Any) -> bool:
    return isinstance(label, NUMBERS)


def _codes(flat: FlatGraphs, feature: int) -> np.ndarray:
    return np.asarray(column_of(flat.features, feature), np.float64)


def _present(codes: np.ndarray, labels: tuple) -> list:
    return [labels[int(code)] for code in np.unique(codes[~np.isnan(codes)])]


def _first_text(codes: np.ndarray, labels: tuple) -> Any:
    """A label that occurs and is no number, best one that does not look like one; else None."""
    texts = [label for label in _present(codes, labels) if not _is_number(label)]
    return min(texts, key=_looks_like_a_number, default=None)


def _looks_like_a_number(label: Any) -> bool:
    try:
        float(label)
    except (TypeError, ValueError):
        return False
    return True


def _values(name: str, codes: np.ndarray, labels: tuple) -> np.ndarray:
    """The labels as the numbers they are, NaN where there is none."""
    numbers = np.array([*map(_as_float, labels), np.nan])
    values = numbers[np.where(np.isnan(codes), -1, codes).astype(np.int64)]
    if (np.abs(values) > np.finfo(VALUE).max).any():
        raise ValueError(
            f"feature {name!r} holds a label beyond the range of {np.dtype(VALUE)}, which cannot "
            "be read as a number: name the feature in categorical_features, or scale it down"
        )
    return values


def _as_float(label: Any) -> float:
    """A label that is a number, infinite where it is too large for a float; NaN for others."""
    try:
        return float(label) if _is_number(label) else np.nan
    except OverflowError:
        return np.inf


def _with_numbers(flat: FlatGraphs, changed: dict[int, np.ndarray]) -> FlatGraphs:
    if not changed:
        return flat
    features = np.array(dense(flat.features), np.float64)
    for feature, values in changed.items():
        features[:, feature] = values
    kept = {k: labels for k, labels in flat.categories.items() if k not in changed}
    return replace(flat, features=features, categories=kept)
