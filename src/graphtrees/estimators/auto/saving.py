"""Ensembles and their files."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from graphtrees._layout import MOST_COLUMNS
from graphtrees.estimators.auto.base import CONSTRAINTS
from graphtrees.estimators.auto.estimators import AutoGraphClassifier, AutoGraphRegressor
from graphtrees.estimators.auto.leaderboard import Leaderboard
from graphtrees.estimators.out_of_fold import metric_name
from graphtrees.estimators.parameters import check_parameters
from graphtrees.estimators.saving import build_estimator, file_text
from graphtrees.files.ensembles import ensemble_text
from graphtrees.files.labels import read_array, write_array
from graphtrees.files.parts import read_parameter
from graphtrees.files.want import want, want_members
from graphtrees.files.writing import plain_parameter

KINDS = {kind.__name__: kind for kind in (AutoGraphClassifier, AutoGraphRegressor)}
ATTRIBUTES = ("n_features_in_", "feature_names_in_", "classes_")
NUMBERS = ("score", "error", "seconds", "weight")  # of a row of the leaderboard


def auto_text(model: Any, reading: Mapping[str, Any] | None) -> bytes:
    """The file of an ensemble; TypeError where a member cannot be written as JSON."""
    for name, _, member in model.members_:
        if not hasattr(member, "_fitted"):
            raise TypeError(
                f"member {name!r} is a {type(member).__name__}, which cannot be written as JSON; "
                f"use pickle, or leave {name!r} out of recipes"
            )
    attributes = {name: getattr(model, name) for name in ATTRIBUTES if hasattr(model, name)}
    parts = {
        "estimator": type(model).__name__,
        "parameters": _parameters(model._parameters),
        "attributes": {
            name: write_array(value) if isinstance(value, np.ndarray) else value
            for name, value in attributes.items()
        },
        "best_recipe": model.best_recipe_,
        "best_score": _or_none(model.best_score_),
        "leaderboard": [
            row | {name: _or_none(row[name]) for name in NUMBERS} for row in model.leaderboard_
        ],
    }
    parts |= {} if reading is None else {"reading": reading}
    members = [(name, weight, file_text(member)) for name, weight, member in model.members_]
    return ensemble_text(parts, members)


def _parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters of the fit; those that JSON cannot hold were of use in training alone."""
    given = {k: str(v) if k == "checkpoint" and v else v for k, v in parameters.items()}
    for name in ("cv", "scoring"):
        if not isinstance(given[name], (int, str, type(None))):
            del given[name]
    return {name: plain_parameter(name, value) for name, value in given.items()}


def _or_none(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def build_auto(content: dict[str, Any]) -> Any:
    """The fitted ensemble that the parts of a file describe."""
    name = content["estimator"]
    want(type(name) is str and name in KINDS, f"unknown estimator {str(name)[:40]!r}")
    want(isinstance(content["parameters"], dict), "parameters is no object")
    given = {k: read_parameter(v) for k, v in content["parameters"].items()}
    model: Any = KINDS[name](**given)
    check_parameters(model, CONSTRAINTS)
    model._parameters = model.get_params(deep=False)
    _read_attributes(model, content["attributes"])
    model.members_ = [(name, w, build_estimator(parts)) for name, w, parts in content["members"]]
    _check_members(model)
    model.best_recipe_ = content["best_recipe"]
    want(model.best_recipe_ in [one for one, _, _ in model.members_], "best_recipe is no member")
    model.best_score_ = _number(content["best_score"], "best_score")
    known = "scoring" in given  # a function that scores is no part of the file
    metric = metric_name(model.scoring, hasattr(model, "predict_proba")) if known else ""
    model.leaderboard_ = _read_leaderboard(content["leaderboard"], metric)
    return model


def _read_attributes(model: Any, stored: Any) -> None:
    want(isinstance(stored, dict) and set(stored) <= set(ATTRIBUTES), "unknown attributes")
    for name, value in stored.items():
        setattr(model, name, read_array(value, MOST_COLUMNS) if name[0] != "n" else value)


def _check_members(model: Any) -> None:
    """Members that can be added up: of one kind of example, with the same classes or outputs."""
    members = model.members_
    want(len(members) > 0, "there is no member")
    want(len({name for name, _, _ in members}) == len(members), "a member is there twice")
    want(abs(sum(weight for _, weight, _ in members) - 1) < 1e-6, "weights do not sum to 1")
    first = members[0][2]
    want(len({member._fitted.kind for _, _, member in members}) == 1, "members on other examples")
    of_classes = hasattr(model, "predict_proba")
    for _, _, member in members:
        want(member.n_features_in_ == getattr(model, "n_features_in_", None), "other features")
        want(hasattr(member, "predict_proba") is of_classes, "members that predict other things")
        want(_names(member) == _names(model), "members with other names of features")
        if of_classes:
            same = np.array_equal(member.classes_, getattr(model, "classes_", ()))
            want(same, "members with other classes")
        else:
            want(member._fitted.n_outputs == first._fitted.n_outputs, "members with other outputs")


def _names(model: Any) -> list[str] | None:
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def _read_leaderboard(stored: Any, metric: str) -> Leaderboard:
    want(isinstance(stored, list), "leaderboard is no list")
    rows = []
    for row in stored:
        want_members(row, {"recipe", "note", *NUMBERS}, "a row of the leaderboard")
        want(type(row["recipe"]) is str and type(row["note"]) is str, "a row without its words")
        rows.append(row | {name: _number(row[name], name) for name in NUMBERS})
    return Leaderboard(rows, metric)


def _number(value: Any, name: str) -> float:
    want(value is None or type(value) in (int, float), f"{name} is no number")
    return math.nan if value is None else float(value)
