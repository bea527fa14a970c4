"""Read a model: the file is data, never code."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees.files.checking import check_model, check_questions, want
from graphtrees.files.layout import ATTRIBUTES, FORMAT, KINDS, VERSION, ModelFileError
from graphtrees.files.trees import read_tree


def load_model(path: str | os.PathLike) -> Any:
    """Read a model written by `save`; the file is data, never code.

    Parameters
    ----------
    path : str or path
        A .json or .json.gz file.

    Returns
    -------
    The fitted estimator.

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
    path = Path(path)
    content = _read(path)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelFileError(f"{path}: not a graphtrees model")
    version = content.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        advice = " Install a newer graphtrees." if type(version) is int and version > 1 else ""
        raise ModelFileError(
            f"{path}: written as version {version!r}; this graphtrees reads 1 to {VERSION}.{advice}"
        )
    try:
        return _rebuild(content)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise ModelFileError(f"{path}: a damaged model: {error!r}") from error


def _read(path: Path) -> Any:
    data = path.read_bytes()
    try:
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        return json.loads(data)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise ModelFileError(f"{path}: truncated, or not a graphtrees model: {error}") from error


def _rebuild(content: dict[str, Any]) -> Any:
    from graphtrees.candidates.plan import QuestionSpace
    from graphtrees.estimators.seen import from_text

    model = _estimator(content["estimator"], content["parameters"])
    model._kind = content["kind"]
    want(model._kind in KINDS, f"unknown kind of example {model._kind!r}")
    model._table = _features(content["features"])
    questions: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v for k, v in content["questions"].items()
    }
    model._space = QuestionSpace(**questions)
    check_questions(model)
    for attribute, value in content["attributes"].items():
        want(attribute in ATTRIBUTES, f"unknown attribute {attribute!r}")
        setattr(model, attribute, _from_array(value))
    if content["run"] is not None:
        model._run = _run(content["run"])
    if content.get("trained_on") is not None:
        model._trained_on = from_text(content["trained_on"])
    model._outputs = [int(o) for o in content["outputs"]]
    model._trees = [read_tree(tree, model) for tree in content["trees"]]
    check_model(model)
    return model


def _estimator(name: str, parameters: dict[str, Any]) -> Any:
    import graphtrees.estimators as estimators
    from graphtrees.estimators.base import GraphTreesEstimator

    kind = getattr(estimators, name) if name in estimators.__all__ else None
    known = isinstance(kind, type) and issubclass(kind, GraphTreesEstimator)
    want(known, f"unknown estimator {name!r}")
    assert kind is not None
    return kind(**{k: _parameter(v) for k, v in parameters.items()})


def _features(stored: dict[str, Any]) -> Any:
    from graphtrees.candidates.features import FeatureTable

    names, n_features = stored["names"], int(stored["n_features"])
    categories = {int(k): tuple(v) for k, v in stored["categories"]}
    want(names is None or len(names) == n_features, "as many names as features are wanted")
    want(all(0 <= k < n_features for k in categories), "categories of a feature that is not there")
    names = None if names is None else tuple(str(name) for name in names)
    return FeatureTable(n_features, names, categories, bool(stored["has_constant"]))


def _run(stored: dict[str, Any]) -> Any:
    """Where the training stopped; the generator's state is tried before it is believed."""
    from graphtrees.estimators.continuing import Run

    run = Run(**stored)
    sound = type(run.seed) is int and type(run.examples) is str and type(run.fixed) is dict
    want(sound, "the run is not described as it should be")
    np.random.default_rng(0).bit_generator.state = run.generator
    return run


def _parameter(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_parameter(v) for v in value)
    if isinstance(value, dict):
        return dict(value["dict"])
    return value


def _from_array(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"dtype", "values"}:
        dtype = object if value["dtype"] == "str" else value["dtype"]
        return np.array(value["values"], dtype=dtype)
    return value
