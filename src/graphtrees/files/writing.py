"""Fitted trees as a dict, and as the text of a file."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees._disk import write_whole
from graphtrees.ensembles.fitted import FittedTrees, Start
from graphtrees.ensembles.linear_start import LinearStart
from graphtrees.ensembles.losses import Loss, is_function_loss
from graphtrees.files.colours import write_colours
from graphtrees.files.labels import write_array
from graphtrees.files.layout import ATTRIBUTES, FINGERPRINT, FORMAT, TREE_FIELDS, VERSION
from graphtrees.files.packing import pack
from graphtrees.graphs.stored_labels import write_label
from graphtrees.trees.tree import Tree


def write_file(path: Path, data: bytes) -> None:
    """Write the text of a model or an ensemble, gzipped where the name ends in .gz."""
    write_whole(path, pack(data) if str(path).endswith(".gz") else data)


def model_text(
    fitted: FittedTrees, attributes: dict[str, Any], reading: Mapping[str, Any] | None = None
) -> bytes:
    """The file of one model. `attributes` are the public ones of its estimator.

    `reading` is how the command line read the data; the library passes over it.
    """
    parts = to_dict(fitted, attributes) | ({} if reading is None else {"reading": reading})
    return _to_text(parts, fitted.trees)


def _to_text(parts: dict[str, Any], trees: Sequence[Tree]) -> bytes:
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


def to_dict(fitted: FittedTrees, attributes: dict[str, Any]) -> dict[str, Any]:
    """Everything but the trees. Only what was fitted is read, no parameter that was set later."""
    features, training = fitted.features, fitted.training
    return {
        "format": FORMAT,
        "version": VERSION,
        "estimator": fitted.estimator,
        "parameters": plain_parameters(training.parameters),
        "kind": fitted.kind,
        "features": {
            "n_features": features.n_features,
            "names": features.names,
            "categories": [[k, [*map(write_label, v)]] for k, v in features.categories.items()],
            "has_constant": features.has_constant,
            **({"n_graph_features": n} if (n := features.n_graph_features) else {}),
            **({"offsets": [*map(list, features.offsets.items())]} if features.offsets else {}),
            **({} if features.colours is None else {"colours": write_colours(features.colours)}),
        },
        "questions": asdict(fitted.questions),
        "attributes": {
            name: _attribute(attributes[name]) for name in ATTRIBUTES if name in attributes
        },
        "boosting": None if fitted.loss is None else _boosting(fitted.scale, fitted.loss),
        "start": None if fitted.start is None else _start(fitted.start),
        "run": None if training.run is None else asdict(training.run),
        "trained_on": None if training.examples is None else _trained_on(training.examples),
        "outputs": [int(output) for output in fitted.outputs],
    }


def _boosting(learning_rate: float, loss: Loss) -> dict[str, Any]:
    return {"learning_rate": float(learning_rate), "link": loss.link_name}


def _start(start: Start) -> dict[str, Any]:
    """The linear model that the trees start from."""
    assert isinstance(start, LinearStart)  # `init` of other kinds is refused as a parameter
    return {
        "n_steps": start.n_steps,
        "strength": start.strength,
        "fill": write_array(start.fill),
        "coef": write_array(start.coef.ravel()),
    }


def _trained_on(fingerprints: np.ndarray) -> str:
    """Some five letters each."""
    return base64.b64encode(np.asarray(fingerprints, FINGERPRINT).tobytes()).decode()


def plain_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """Parameters as JSON has them; TypeError for one that it cannot hold."""
    given = dict(parameters)
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
