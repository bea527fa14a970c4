"""Write a model."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from numbers import Integral, Real
from typing import Any

import numpy as np

from graphtrees.ensembles.losses import is_function_loss
from graphtrees.files.colours import write_colours
from graphtrees.files.disk import pack, write_whole
from graphtrees.files.labels import write_array, write_label
from graphtrees.files.layout import ATTRIBUTES, FORMAT, TREE_FIELDS, VERSION
from graphtrees.graphs.validation.arguments import as_path
from graphtrees.trees.tree import Tree


def save_model(
    model: Any, path: str | os.PathLike, reading: Mapping[str, Any] | None = None
) -> None:
    """Write a fitted estimator; see `GraphTreesEstimator.save`.

    `reading` is how the command line read the data; the library passes over it.
    """
    from graphtrees.files.ensembles import ensemble_text, is_ensemble

    path = as_path(path)
    data = ensemble_text(model, reading) if is_ensemble(model) else model_text(model, reading)
    write_whole(path, pack(data) if str(path).endswith(".gz") else data)


def model_text(model: Any, reading: Mapping[str, Any] | None = None) -> bytes:
    """The file of one model."""
    parts = _describe(model) | ({} if reading is None else {"reading": reading})
    return _to_text(parts, model._trees)


def check_can_be_saved(model: Any) -> None:
    """Raise TypeError where the parameters hold something that JSON cannot."""
    _parameters(model)


def _to_text(parts: dict[str, Any], trees: list[Tree]) -> bytes:
    """JSON with a line for each field of a tree."""
    listed = ",\n".join(map(_tree_text, trees))

    def text(ascii_only: bool) -> bytes:
        head = json.dumps(parts, ensure_ascii=ascii_only, indent=1)
        return f'{head[:-2]},\n "trees": [\n{listed}\n ]\n}}\n'.encode()

    try:
        return text(ascii_only=False)
    except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can carry
        return text(ascii_only=True)


def _tree_text(tree: Tree) -> str:
    fields = [
        f'"{name}": {json.dumps(getattr(tree, name).ravel().tolist())}' for name in TREE_FIELDS
    ]
    return "  {{\n   {}\n  }}".format(",\n   ".join(fields))


def _describe(model: Any) -> dict[str, Any]:
    """Everything but the trees. Only what was fitted is read, no parameter that was set later."""
    from graphtrees.estimators.seen import to_text

    table = model._table
    boosted = hasattr(model, "_learning_rate")
    return {
        "format": FORMAT,
        "version": VERSION,
        "estimator": type(model).__name__,
        "parameters": _parameters(model),
        "kind": model._kind,
        "features": {
            "n_features": table.n_features,
            "names": table.names,
            "categories": [[k, [*map(write_label, v)]] for k, v in table.categories.items()],
            "has_constant": table.has_constant,
            **({"n_graph_features": n} if (n := table.n_graph_features) else {}),
            **({"offsets": [*map(list, table.offsets.items())]} if table.offsets else {}),
            **({} if table.colours is None else {"colours": write_colours(table.colours)}),
        },
        "questions": asdict(model._space),
        "attributes": {
            name: _attribute(getattr(model, name)) for name in ATTRIBUTES if hasattr(model, name)
        },
        "boosting": _boosting(model) if boosted else None,
        "start": None if model._start is None else _start(model._start),
        "run": asdict(model._run) if hasattr(model, "_run") else None,
        "trained_on": to_text(model._trained_on) if hasattr(model, "_trained_on") else None,
        "outputs": [int(output) for output in model._outputs],
    }


def _boosting(model: Any) -> dict[str, Any]:
    return {"learning_rate": float(model._learning_rate), "link": model._loss.link_name}


def _start(start: Any) -> dict[str, Any]:
    """The linear model that the trees start from."""
    return {
        "n_steps": start.n_steps,
        "strength": start.strength,
        "fill": write_array(start.fill),
        "coef": write_array(start.coef.ravel()),
    }


def _parameters(model: Any) -> dict[str, Any]:
    """The parameters of the fit that made the model."""
    given = dict(model._parameters)
    if _holds_functions(given.get("scoring")):
        given["scoring"] = None  # what was watched is in evals_result_; no prediction needs it
    if is_function_loss(given.get("loss")):
        given["loss"] = None  # the link is in the file; training on asks for the function
    return {name: plain_parameter(name, value) for name, value in given.items()}


def _holds_functions(scoring: Any) -> bool:
    values = scoring.values() if isinstance(scoring, dict) else scoring
    values = values if isinstance(scoring, (dict, list, tuple)) else [scoring]
    return any(callable(value) for value in values)


def plain_parameter(name: str, value: Any) -> Any:
    """A parameter as JSON has it."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (tuple, list)):
        return [plain_parameter(name, v) for v in value]
    if isinstance(value, dict):
        return {"dict": [[write_label(k), plain_parameter(name, v)] for k, v in value.items()]}
    if isinstance(value, np.random.RandomState):
        return None  # the stream is spent; a seed would have been kept
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (Integral, Real)):
        return int(value) if isinstance(value, Integral) else float(value)
    if name == "init":
        raise TypeError(
            f"init is a {type(value).__name__}, and a model that starts from an estimator cannot "
            "be written as JSON; use pickle, or init='linear'"
        )
    raise TypeError(
        f"parameter {name!r} is {type(value).__name__}, which a JSON file cannot hold; use pickle"
    )


def _attribute(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return write_array(value)
    return value.item() if isinstance(value, np.generic) else value
