"""Ensembles of models in one file: each member is a model file of its own inside it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from graphtrees._layout import MOST_CLASSES, MOST_COLUMNS
from graphtrees.files.labels import read_array, write_array
from graphtrees.files.layout import ENSEMBLE, MOST_ITEMS, VERSION
from graphtrees.files.parts import read_parameter, want_members
from graphtrees.files.text import Text
from graphtrees.files.want import want
from graphtrees.files.writing import model_text, plain_parameter

KINDS = ("AutoGraphClassifier", "AutoGraphRegressor")
MOST_MEMBERS = 1000
SMALL = ("format", "version", "estimator", "best_recipe", "best_score")
PARTS = {
    **dict.fromkeys(SMALL, 1), "parameters": MOST_ITEMS, "leaderboard": MOST_ITEMS,
    "reading": MOST_ITEMS, "attributes": MOST_ITEMS + MOST_CLASSES + MOST_COLUMNS,
}  # fmt: skip
ATTRIBUTES = ("n_features_in_", "feature_names_in_", "classes_")
NUMBERS = ("score", "error", "seconds", "weight")  # of a row of the leaderboard


def is_ensemble(model: Any) -> bool:
    return type(model).__name__ in KINDS


def ensemble_text(model: Any, reading: Mapping[str, Any] | None) -> bytes:
    """The file of an ensemble; TypeError where a member cannot be written as JSON."""
    for name, _, member in model.members_:
        if not hasattr(member, "_trees"):
            raise TypeError(
                f"member {name!r} is a {type(member).__name__}, which cannot be written as JSON; "
                f"use pickle, or leave {name!r} out of recipes"
            )
    attributes = {name: getattr(model, name) for name in ATTRIBUTES if hasattr(model, name)}
    head = {
        "format": ENSEMBLE,
        "version": VERSION,
        "estimator": type(model).__name__,
        "parameters": _parameters(model),
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
    head |= {} if reading is None else {"reading": reading}
    members = b",\n".join(
        b'{"name": %s, "weight": %s, "model": %s}'
        % (json.dumps(name).encode(), json.dumps(weight).encode(), model_text(member))
        for name, weight, member in model.members_
    )
    return json.dumps(head, indent=1).encode()[:-2] + b',\n "members": [\n%s\n ]\n}\n' % members


def _parameters(model: Any) -> dict[str, Any]:
    """The parameters of the fit; those that JSON cannot hold were of use in training alone."""
    given = {k: str(v) if k == "checkpoint" and v else v for k, v in model._parameters.items()}
    for name in ("cv", "scoring"):
        if not isinstance(given[name], (int, str, type(None))):
            del given[name]
    return {name: plain_parameter(name, value) for name, value in given.items()}


def _or_none(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def read_ensemble(text: Text, read_model: Any) -> tuple[Any, dict[str, Any] | None]:
    """The ensemble, and how the command line read its data; `read_model` reads a member."""
    content: dict[str, Any] = {}
    for name in text.members():
        if name == "members":
            content[name] = [_read_member(text, read_model) for _ in _few(text)]
        else:
            want(name in PARTS, f"unknown part {name[:40]!r}")
            content[name] = text.value(PARTS[name])
    text.end()
    reading = content.pop("reading", None)
    want(reading is None or isinstance(reading, dict), "reading is no object")
    want_members(content, {*PARTS, "members"} - {"reading"}, "an ensemble")
    return _rebuild(content), reading


def _few(text: Text) -> Any:
    for number in text.items():
        want(number < MOST_MEMBERS, f"more than {MOST_MEMBERS} members")
        yield number


def _read_member(text: Text, read_model: Any) -> tuple[str, float, Any]:
    found: dict[str, Any] = {}
    for name in text.members():
        want(name in ("name", "weight", "model"), f"unknown part {name[:40]!r} of a member")
        found[name] = read_model(text) if name == "model" else text.value(1)
    want_members(found, {"name", "weight", "model"}, "a member")
    weight = found["weight"]
    want(type(found["name"]) is str, "the name of a member is a string")
    want(type(weight) in (int, float) and 0 < weight <= 1, "the weight of a member is no share")
    return found["name"], float(weight), found["model"]


def _rebuild(content: dict[str, Any]) -> Any:
    import graphtrees.estimators as estimators
    from graphtrees.estimators.auto.base import CONSTRAINTS
    from graphtrees.estimators.out_of_fold import metric_name
    from graphtrees.estimators.parameters import check_parameters

    name = content["estimator"]
    want(type(name) is str and name in KINDS, f"unknown estimator {str(name)[:40]!r}")
    want(isinstance(content["parameters"], dict), "parameters is no object")
    given = {k: read_parameter(v) for k, v in content["parameters"].items()}
    model = getattr(estimators, name)(**given)
    check_parameters(model, CONSTRAINTS)
    model._parameters = model.get_params(deep=False)
    _read_attributes(model, content["attributes"])
    model.members_ = content["members"]
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
    want(len({member._kind for _, _, member in members}) == 1, "members on other examples")
    of_classes = hasattr(model, "predict_proba")
    for _, _, member in members:
        want(member.n_features_in_ == getattr(model, "n_features_in_", None), "other features")
        want(hasattr(member, "predict_proba") is of_classes, "members that predict other things")
        want(_names(member) == _names(model), "members with other names of features")
        if of_classes:
            same = np.array_equal(member.classes_, getattr(model, "classes_", ()))
            want(same, "members with other classes")
        else:
            want(_n_outputs(member) == _n_outputs(first), "members with other outputs")


def _names(model: Any) -> list[str] | None:
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def _n_outputs(member: Any) -> int:
    init = getattr(member, "init_", None)
    return member._trees[0].value.shape[1] if init is None else len(init)


def _read_leaderboard(stored: Any, metric: str) -> Any:
    from graphtrees.estimators.auto.leaderboard import Leaderboard

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
