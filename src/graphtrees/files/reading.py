"""Read a model: the file is data, never code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from graphtrees._layout import MOST_CLASSES, MOST_COEFFICIENTS, MOST_COLUMNS
from graphtrees.files.checking import check_model, check_questions
from graphtrees.files.disk import read_data
from graphtrees.files.ensembles import read_ensemble
from graphtrees.files.layout import ENSEMBLE, FORMAT, KINDS, MOST_ITEMS, VERSION, ModelFileError
from graphtrees.files.parts import (
    read_attributes,
    read_boosting,
    read_estimator,
    read_features,
    read_questions,
    read_run,
    read_start,
    read_trained_on,
)
from graphtrees.files.text import NotJsonError, Text
from graphtrees.files.trees import read_trees
from graphtrees.files.want import want
from graphtrees.graphs.validation.arguments import as_path
from graphtrees.trees.packing import GrownTrees

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


def load_model(path: str | os.PathLike) -> Any:
    """Read a model written by `save`; the file is data, never code.

    Every field is checked before it is used, and its size before it is built: a file from a
    stranger is refused with `ModelFileError`, or is a model. See docs/model-format.md.

    Parameters
    ----------
    path : str or path
        A .json or .json.gz file.

    Returns
    -------
    estimator
        Fitted, of the class that was saved.

    Raises
    ------
    ModelFileError
        The file is damaged, of a later version, or no model.

    Examples
    --------
    >>> import graphtrees as gt, tempfile, pathlib
    >>> star = gt.Graph(None, [(0, 1), (0, 2), (0, 3)])
    >>> tree = gt.GraphTreeRegressor().fit(star.vertices, [3.0, 1.0, 1.0, 1.0])
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "model.json"
    >>> tree.save(file)
    >>> gt.load_model(file).predict(star.vertices)
    array([3., 1., 1., 1.])
    """
    return load_with_reading(path)[0]


def load_with_reading(path: str | os.PathLike) -> tuple[Any, dict[str, Any] | None]:
    """A model, and how the command line read the data that it was trained on, if it did."""
    path = as_path(path)
    data = read_data(path)
    try:
        version, is_one = _check_format(path, Text(data))
        text = Text(data)
        if not is_one:
            return read_ensemble(text, lambda text: _read_member(text, version))
        content = _read_content(text, version)
        text.end()
        reading = content.pop("reading", None)
        want(reading is None or isinstance(reading, dict), "reading is no object")
        return _rebuild(content), reading
    except ModelFileError:
        raise
    except NotJsonError as error:
        raise ModelFileError(f"{path}: truncated, or not a graphtrees model: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise ModelFileError(f"{path}: a damaged model: {error!r}") from error


def _read_member(text: Text, version: int) -> Any:
    """One model of an ensemble, which is of the same version."""
    content = _read_content(text, version)
    want(content["version"] == version, "a member of another version")
    return _rebuild(content)


def _check_format(path: Path, text: Text) -> tuple[int, bool]:
    """The version, once it is known that the file is ours and not too new; is it one model?"""
    if not text.data:
        raise NotJsonError("it is empty")
    if not text.is_next(b"{"):
        raise ModelFileError(f"{path}: not a graphtrees model")
    found: dict[str, Any] = {}
    for name in text.members():
        if name in ("format", "version"):
            found[name] = text.value(1)
        else:
            text.skip()
        if len(found) == 2:
            break
    if found.get("format") not in (FORMAT, ENSEMBLE):
        raise ModelFileError(f"{path}: not a graphtrees model")
    version = found.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        newer = type(version) is int and version > VERSION
        advice = " Install a newer graphtrees." if newer else ""
        raise ModelFileError(
            f"{path}: written as version {str(version)[:40]}; this graphtrees reads 1 to "
            f"{VERSION}.{advice}"
        )
    return version, found["format"] == FORMAT


def _read_content(text: Text, version: int) -> dict[str, Any]:
    """The parts of the file; trees are read as trees."""
    content: dict[str, Any] = {}
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


def _rebuild(content: dict[str, Any]) -> Any:
    want(content["format"] == FORMAT, "a member that is no model")
    model = read_estimator(content["estimator"], content["parameters"])
    model._kind = content["kind"]
    known = type(model._kind) is str and model._kind in KINDS
    want(known, f"unknown kind of example {str(model._kind)[:40]!r}")
    model._table = read_features(content["features"])
    model._space = read_questions(content["questions"])
    check_questions(model)
    for name, value in read_attributes(content["attributes"]).items():
        setattr(model, name, value)
    boosted = hasattr(model, "learning_rate")
    want(boosted is (content["boosting"] is not None), "boosting does not fit the estimator")
    if content["run"] is not None:
        want(boosted, "a run of an estimator that has none")
        model._run = read_run(content["run"])
    if boosted:
        init = getattr(model, "init_", ())
        model._learning_rate, model._loss = read_boosting(content["boosting"], init)
    if content["start"] is not None:
        want(boosted and model.init == "linear", "a start that the parameters do not ask for")
        model._start = read_start(content["start"], model)
    if content.get("trained_on") is not None:
        model._trained_on = read_trained_on(content["trained_on"])
    outputs = content["outputs"]
    want(all(type(output) is int for output in outputs), "outputs are numbers")
    model._outputs, model._trees = outputs, GrownTrees(content["trees"])
    check_model(model)
    return model
