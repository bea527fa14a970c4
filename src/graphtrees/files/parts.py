"""The small parts of a model file, each checked against what it may hold."""

from __future__ import annotations

import base64
from dataclasses import fields
from typing import Any

import numpy as np

from graphtrees._layout import MOST_COEFFICIENTS, MOST_COLUMNS
from graphtrees.ensembles.fitted import FIXED_PARAMETERS, FittedTrees, Run
from graphtrees.ensembles.linear_columns import most_stored_steps
from graphtrees.ensembles.linear_start import LinearStart, n_linear_columns
from graphtrees.ensembles.losses import Loss, loss_with_link
from graphtrees.files.colours import read_colours
from graphtrees.files.labels import read_array
from graphtrees.files.layout import ATTRIBUTES, FINGERPRINT
from graphtrees.files.want import want, want_members
from graphtrees.graphs.labels import is_missing
from graphtrees.graphs.precision import FARTHEST
from graphtrees.graphs.stored_labels import read_label
from graphtrees.questions.features import FeatureTable
from graphtrees.questions.plan import QuestionSpace

# Times a float32 and the walks of a graph, this is still far from infinity.
LARGEST_COEFFICIENT = 1e200


def read_parameter(value: Any) -> Any:
    """A parameter as `fit` had it."""
    if isinstance(value, list):
        return tuple(read_parameter(v) for v in value)
    if isinstance(value, dict) and set(value) == {"dict"}:
        return {read_label(k): read_parameter(v) for k, v in value["dict"]}
    return read_label(value) if isinstance(value, dict) else value


def read_features(stored: Any) -> FeatureTable:
    """Names, categories and the constant."""
    expected = {"n_features", "names", "categories", "has_constant"}
    optional = {"colours", "n_graph_features", "offsets"}
    optional &= set(stored if isinstance(stored, dict) else ())
    want_members(stored, expected | optional, "features")
    n_features, names, listed = stored["n_features"], stored["names"], stored["categories"]
    want(type(n_features) is int and 0 <= n_features <= MOST_COLUMNS, "n_features is no number")
    want(type(stored["has_constant"]) is bool, "has_constant is true or false")
    if names is not None:
        want(isinstance(names, list) and len(names) == n_features, "names are one per feature")
        want(all(type(name) is str for name in names), "names are strings")
    want(isinstance(listed, list), "categories is no list")
    categories = dict(_category(entry, n_features) for entry in listed)
    want(len(categories) == len(listed), "a feature has its categories twice")
    chosen = None if names is None else tuple(names)
    n_graph_features = stored.get("n_graph_features", 0)
    sound = type(n_graph_features) is int and 0 <= n_graph_features <= n_features
    want(sound, "n_graph_features is no number of features")
    want(names is not None or not n_graph_features, "graph features have names")
    n_vertex_features = n_features - n_graph_features
    colours = read_colours(stored["colours"], n_vertex_features) if "colours" in stored else None
    table = FeatureTable(
        n_features, chosen, categories, stored["has_constant"], colours, n_graph_features,
        _offsets(stored.get("offsets", []), n_features, categories),
    )  # fmt: skip
    want(table.n_columns <= MOST_COLUMNS, "too many categories")
    return table


def _offsets(stored: Any, n_features: int, categories: dict[int, tuple]) -> dict[int, float]:
    """What is subtracted from features before they are compared: pairs of feature and number."""
    want(isinstance(stored, list), "offsets is no list")
    offsets = {}
    for entry in stored:
        want(isinstance(entry, list) and len(entry) == 2, "offsets are pairs")
        feature, offset = entry
        known = type(feature) is int and 0 <= feature < n_features and feature not in categories
        want(known and feature not in offsets, "an offset of a feature that has none")
        sound = type(offset) in (int, float) and abs(offset) <= FARTHEST
        want(sound, "an offset is out of range")
        offsets[feature] = float(offset)
    return offsets


def _category(entry: Any, n_features: int) -> tuple[int, tuple]:
    want(isinstance(entry, list) and len(entry) == 2, "categories are pairs of feature and labels")
    feature, stored = entry
    known = type(feature) is int and 0 <= feature < n_features
    want(known, "categories of a feature that is not there")
    want(isinstance(stored, list), "the labels of a feature are a list")
    labels = tuple(read_label(label) for label in stored)
    want(not any(map(is_missing, labels)), "a label that is missing")
    want(len(set(labels)) == len(labels), "a label is there twice")
    return feature, labels


def read_questions(stored: Any) -> QuestionSpace:
    """The question space; what its fields may hold is checked with the whole model."""
    want_members(stored, {field.name for field in fields(QuestionSpace)}, "questions")
    given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in stored.items()}
    return QuestionSpace(**given)


def read_attributes(stored: Any) -> dict[str, Any]:
    """Fitted attributes by name."""
    want(isinstance(stored, dict), "attributes is no object")
    read = {}
    for name, value in stored.items():
        want(name in ATTRIBUTES, f"unknown attribute {name[:40]!r}")
        if isinstance(value, dict) and name != "evals_result_":
            value = read_array(value, MOST_COLUMNS)
        read[name] = value
    if "evals_result_" in read:
        _check_scores(read["evals_result_"])
    score = read.get("oob_score_", 0.0)
    want(type(score) in (int, float), "oob_score_ is no number")
    return read


def _check_scores(stored: Any) -> None:
    want(isinstance(stored, dict), "evals_result_ is no object")
    for metrics in stored.values():
        want(isinstance(metrics, dict), "evals_result_ holds sets of metrics")
        for scores in metrics.values():
            numbers = isinstance(scores, list) and set(map(type, scores)) <= {int, float}
            want(numbers, "evals_result_ holds lists of numbers")


def read_run(stored: Any) -> Run:
    """Where the training stopped: a seed, a generator's state, a hash, and settings."""
    want_members(stored, {"seed", "generator", "examples", "fixed"}, "run")
    want(_is_below(stored["seed"], 2**63), "the seed of a run is a number")
    want(type(stored["examples"]) is str and len(stored["examples"]) <= 128, "examples is a hash")
    _check_generator(stored["generator"])
    fixed = stored["fixed"]
    want(
        isinstance(fixed, dict) and set(fixed) <= set(FIXED_PARAMETERS),
        "a run with unknown settings",
    )
    want({type(v) for v in fixed.values()} <= {str, int, float, bool}, "settings are plain values")
    return Run(**stored)


def _check_generator(stored: Any) -> None:
    """The state of NumPy's PCG64."""
    want_members(stored, {"bit_generator", "state", "has_uint32", "uinteger"}, "a generator")
    want(stored["bit_generator"] == "PCG64", "an unknown generator")
    want_members(stored["state"], {"state", "inc"}, "the state of a generator")
    large = all(_is_below(number, 2**128) for number in stored["state"].values())
    small = _is_below(stored["has_uint32"], 2) and _is_below(stored["uinteger"], 2**32)
    want(large and small, "the state of a generator is out of range")


def _is_below(value: Any, limit: int) -> bool:
    return type(value) is int and 0 <= value < limit


def read_trained_on(stored: Any) -> np.ndarray:
    """The fingerprints of the training examples, in order and each once."""
    want(type(stored) is str, "trained_on is no text")
    marks = np.frombuffer(base64.b64decode(stored, validate=True), FINGERPRINT)
    want((marks[:-1] < marks[1:]).all(), "the words of trained_on are not in order")
    return marks


def read_start(stored: Any, fitted: FittedTrees) -> LinearStart:
    """The linear model that the trees start from: one coefficient for each column and output."""
    want_members(stored, {"n_steps", "strength", "fill", "coef"}, "start")
    n_steps, strength = stored["n_steps"], stored["strength"]
    most = most_stored_steps(fitted.kind, fitted.questions.max_walk_length)
    want(type(n_steps) is int and 0 <= n_steps <= most, "n_steps of the start is out of range")
    positive = type(strength) in (int, float) and 0 < strength < np.inf
    want(positive, "strength of the start is no positive number")
    init: Any = fitted.init
    n_columns, n_outputs = fitted.features.n_columns, np.size(init)
    n = n_linear_columns(fitted.kind, n_columns, n_steps)
    want(n_outputs > 0 and n * n_outputs <= MOST_COEFFICIENTS, "too many coefficients")
    fill, coef = (_numbers(stored[name], name) for name in ("fill", "coef"))
    want(fill.shape == (n_columns,), "fill is one number for each column")
    want(coef.shape == (n * n_outputs,), "coef does not fit the columns and outputs")
    return LinearStart(n_steps, float(strength), fill, coef.reshape(n, n_outputs))


def _numbers(stored: Any, name: str) -> np.ndarray:
    values = read_array(stored, MOST_COLUMNS + MOST_COEFFICIENTS)
    sound = values.dtype == np.float64 and (np.abs(values) <= LARGEST_COEFFICIENT).all()
    want(sound, f"{name} holds no numbers of a linear model")
    return values


def read_boosting(stored: Any, init: Any) -> tuple[float, Loss]:
    """The learning rate and the link that the trees were made for."""
    want_members(stored, {"learning_rate", "link"}, "boosting")
    rate = stored["learning_rate"]
    positive = type(rate) in (int, float) and 0 < rate < np.inf
    want(positive, "learning_rate is no positive number")
    want(type(stored["link"]) is str, "link is a name")
    return float(rate), loss_with_link(stored["link"], np.size(init))
