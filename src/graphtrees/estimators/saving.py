"""Estimators and model files: an estimator of what a file holds, and back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from graphtrees.ensembles.losses import UnsavedLoss
from graphtrees.estimators.parameters import check_parameters
from graphtrees.files.layout import ATTRIBUTES, ENSEMBLE
from graphtrees.files.parts import read_parameter
from graphtrees.files.reading import damage_reported, from_dict, read_file
from graphtrees.files.want import want
from graphtrees.files.writing import model_text, write_file
from graphtrees.graphs.validation.arguments import as_path
from graphtrees.validation.models import fitted_trees


def save_model(
    model: Any, path: str | os.PathLike, reading: Mapping[str, Any] | None = None
) -> None:
    """Write a fitted estimator; see `GraphTreesEstimator.save`.

    `reading` is how the command line read the data; the library passes over it.
    """
    path = as_path(path)
    if hasattr(model, "members_"):
        from graphtrees.estimators.auto.saving import auto_text

        write_file(path, auto_text(model, reading))
    else:
        write_file(path, file_text(model, reading))


def file_text(model: Any, reading: Mapping[str, Any] | None = None) -> bytes:
    """The file of one estimator."""
    fitted = fitted_trees(model)
    public = {name: getattr(model, name) for name in ATTRIBUTES if hasattr(model, name)}
    return model_text(fitted, public, reading)


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
    with damage_reported(path):
        content, reading = read_file(path)
        if content["format"] != ENSEMBLE:
            return build_estimator(content), reading
        from graphtrees.estimators.auto.saving import build_auto

        return build_auto(content), reading


def forget_verbosity(model: Any) -> None:
    """How loud a command was is no part of a model, nor of its file."""
    model.set_params(verbose=0)
    parameters = model._parameters if hasattr(model, "members_") else None
    if parameters is None:
        parameters = fitted_trees(model).training.parameters
    parameters["verbose"] = 0


def build_estimator(content: dict[str, Any]) -> Any:
    """The fitted estimator that the parts of a file describe."""
    model = _unfitted(content["estimator"], content["parameters"])
    parameters = model.get_params(deep=False)
    fitted, attributes = from_dict(content, parameters, hasattr(model, "predict_proba"))
    for name, value in attributes.items():
        setattr(model, name, value)
    model._fitted = fitted
    return model


def _unfitted(name: Any, parameters: Any) -> Any:
    """An estimator of ours, with parameters that `fit` would accept."""
    import graphtrees.estimators as estimators
    from graphtrees.estimators.base import GraphTreesEstimator

    kind = getattr(estimators, name) if type(name) is str and name in estimators.__all__ else None
    known = isinstance(kind, type) and issubclass(kind, GraphTreesEstimator)
    want(known, f"unknown estimator {str(name)[:40]!r}")
    assert kind is not None
    want(isinstance(parameters, dict), "parameters is no object")
    given = {name: read_parameter(value) for name, value in parameters.items()}
    if "loss" in given and given["loss"] is None:
        given["loss"] = UnsavedLoss()
    model = kind(**given)
    check_parameters(model, model._constraints)
    _check_loose_parameters(model.get_params(deep=False))
    return model


def _check_loose_parameters(parameters: dict[str, Any]) -> None:
    """Those whose check in `fit` waits for the examples."""
    weights = parameters.get("class_weight")
    if isinstance(weights, dict):
        numbers = all(type(weight) in (int, float) for weight in weights.values())
        want(numbers and np.isfinite([*weights.values()]).all(), "class_weight is no weights")
    chosen = parameters["categorical_features"]
    listed = chosen if isinstance(chosen, tuple) else ()
    sound = chosen is None or isinstance(chosen, tuple) or type(chosen) in (str, int)
    want(sound and all(type(one) in (str, int) for one in listed), "categorical_features is odd")
