"""From a file to its parts, and to fitted trees: the file is data, never code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphtrees._layout import MOST_CLASSES, MOST_COEFFICIENTS, MOST_COLUMNS
from graphtrees.ensembles.fitted import FittedTrees, Training
from graphtrees.files.checking import check_model, check_questions
from graphtrees.files.ensembles import read_ensemble
from graphtrees.files.layout import ENSEMBLE, FORMAT, KINDS, MOST_ITEMS, VERSION, ModelFileError
from graphtrees.files.packing import read_data
from graphtrees.files.parts import (
    read_attributes,
    read_boosting,
    read_features,
    read_questions,
    read_run,
    read_start,
    read_trained_on,
)
from graphtrees.files.text import NotJsonError, Text
from graphtrees.files.trees import read_trees
from graphtrees.files.want import want

# The most items of each part but the trees and outputs; "reading" is the command line's own.
PARTS = {
    "format": 1, "version": 1, "estimator": 1, "kind": 1, "boosting": 10, "run": 1000,
    "trained_on": 1, "start": 2 * MOST_COEFFICIENTS,
    "questions": MOST_ITEMS, "parameters": MOST_ITEMS, "reading": MOST_ITEMS,
    "attributes": MOST_ITEMS + MOST_CLASSES + MOST_COLUMNS, "features": 3 * MOST_COLUMNS,
}  # fmt: skip
OPTIONAL = ("reading", "trained_on")
SINCE_2 = ("boosting", "trained_on")
SINCE_3 = ("start",)
QUESTIONS_SINCE_2 = {"directed": None, "edge_features": None}  # null: not known


Content = dict[str, Any]  # the parts of a file by name; trees are read as trees


@contextmanager
def damage_reported(path: Path) -> Iterator[None]:
    """Whatever is wrong with a file inside this block becomes a `ModelFileError`."""
    try:
        yield
    except ModelFileError:
        raise
    except NotJsonError as error:
        raise ModelFileError(f"{path}: truncated, or not a graphtrees model: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise ModelFileError(f"{path}: a damaged model: {error!r}") from error


def read_file(path: Path) -> tuple[Content, dict[str, Any] | None]:
    """The parts of a model or an ensemble, and how the command line read its data, if it did."""
    data = read_data(path)
    version, is_one = _check_format(path, Text(data))
    text = Text(data)
    if is_one:
        content = _read_content(text, version)
        text.end()
    else:
        content = read_ensemble(text, lambda text: _read_member(text, version))
    reading = content.pop("reading", None)
    want(reading is None or isinstance(reading, dict), "reading is no object")
    return content, reading


def _read_member(text: Text, version: int) -> Content:
    """One model of an ensemble, which is of the same version."""
    content = _read_content(text, version)
    want(content["version"] == version, "a member of another version")
    want(content["format"] == FORMAT, "a member that is no model")
    return content


def _check_format(path: Path, text: Text) -> tuple[int, bool]:
    """The version, once it is known that the file is ours and not too new; is it one model?"""
    if not text.data:
        raise NotJsonError("it is empty")
    if not text.is_next(b"{"):
        raise ModelFileError(f"{path}: not a graphtrees model")
    head: dict[str, Any] = {}
    for name in text.members():
        if name in ("format", "version"):
            head[name] = text.value(1)
        else:
            text.skip()
        if len(head) == 2:
            break
    if head.get("format") not in (FORMAT, ENSEMBLE):
        raise ModelFileError(f"{path}: not a graphtrees model")
    version = head.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        newer = type(version) is int and version > VERSION
        advice = " Install a newer graphtrees." if newer else ""
        raise ModelFileError(
            f"{path}: written as version {str(version)[:40]}; this graphtrees reads 1 to "
            f"{VERSION}.{advice}"
        )
    return version, head["format"] == FORMAT


def _read_content(text: Text, version: int) -> Content:
    """The parts of the file; trees are read as trees."""
    content: Content = {}
    for name in text.members():
        if name == "trees":
            content[name] = read_trees(text)
        elif name == "outputs":
            content[name] = text.numbers()
        else:
            want(name in PARTS, f"unknown part {name[:40]!r}")
            content[name] = text.value(PARTS[name])
    left_out = (() if version >= 2 else SINCE_2) + (() if version >= 3 else SINCE_3)
    for name in (*PARTS, "trees", "outputs"):
        expected = name in content or name in OPTIONAL or name in left_out
        want(expected and not (name in content and name in left_out), f"no part {name!r}")
    if version < 3:
        content["start"] = None
    if version == 1:
        content["boosting"] = _boosting_of_version_1(content)
        content["questions"] = _questions_of_version_1(content["questions"])
    return content


def _questions_of_version_1(stored: Any) -> dict[str, Any]:
    """Version 1 did not tell what the edges were like, so those of new graphs go unchecked."""
    known = isinstance(stored, dict) and not set(stored) & set(QUESTIONS_SINCE_2)
    want(known, "questions are not those of version 1")
    return stored | QUESTIONS_SINCE_2


def _boosting_of_version_1(content: dict[str, Any]) -> dict[str, Any] | None:
    """What version 2 writes on its own, version 1 left to the parameters and the classes."""
    parameters = content["parameters"]
    if "learning_rate" not in parameters:
        return None
    if "classes_" not in content["attributes"]:
        link = "exp" if parameters["loss"] == "poisson" else "identity"
    elif len(content["attributes"]["classes_"]["values"]) <= 2:
        link = "logistic"
    else:
        strategy = parameters["multi_strategy"]
        link = "one_vs_rest" if strategy == "one_vs_rest" else "softmax"
    return {"learning_rate": parameters["learning_rate"], "link": link}


def from_dict(
    content: Content, parameters: dict[str, Any], of_classes: bool
) -> tuple[FittedTrees, dict[str, Any]]:
    """Fitted trees, and the public attributes of their estimator; every number is checked.

    `parameters` are those of the estimator, `of_classes` whether it predicts classes.
    """
    kind, boosted = content["kind"], "learning_rate" in parameters
    want(type(kind) is str and kind in KINDS, f"unknown kind of example {str(kind)[:40]!r}")
    features, questions = read_features(content["features"]), read_questions(content["questions"])
    check_questions(questions, kind, parameters["operators"])
    attributes = read_attributes(content["attributes"])
    want(boosted is (content["boosting"] is not None), "boosting does not fit the estimator")
    want(boosted or content["run"] is None, "a run of an estimator that has none")
    seen = content.get("trained_on")
    outputs = content["outputs"]
    want(all(type(output) is int for output in outputs), "outputs are numbers")
    fitted = FittedTrees(
        content["estimator"], kind, features, questions, None, tuple(content["trees"]),
        tuple(outputs), attributes.get("classes_"),
        training=Training(
            parameters,
            None if seen is None else read_trained_on(seen),
            run=None if content["run"] is None else read_run(content["run"]),
        ),
    )  # fmt: skip
    if boosted:
        init: Any = attributes.get("init_", ())
        rate, loss = read_boosting(content["boosting"], init)
        fitted = replace(fitted, init=init, scale=rate, loss=loss)
    if content["start"] is not None:
        linear = boosted and parameters["init"] == "linear"
        want(linear, "a start that the parameters do not ask for")
        fitted = replace(fitted, start=read_start(content["start"], fitted))
    check_model(fitted, attributes, of_classes)
    return fitted, attributes
