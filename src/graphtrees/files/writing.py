"""Write a model."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees.files.layout import ATTRIBUTES, FORMAT, TREE_FIELDS, VERSION


def save_model(model: Any, path: str | os.PathLike) -> None:
    """Write a fitted estimator; see `GraphTreesEstimator.save`."""
    text = json.dumps(_describe(model), ensure_ascii=False, allow_nan=True, indent=1)
    data = text.encode()
    if str(path).endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    write_whole(Path(path), data)


def check_can_be_saved(model: Any) -> None:
    """Raise TypeError where the parameters hold something that JSON cannot."""
    _parameters(model)


def write_whole(path: Path, data: bytes) -> None:
    """Write to a neighbouring file, then move it into place: a reader never sees half of it."""
    handle, draft = tempfile.mkstemp(dir=path.parent or Path("."), prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        os.chmod(draft, 0o666 & ~_umask())
        os.replace(draft, path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _describe(model: Any) -> dict[str, Any]:
    from graphtrees.estimators.seen import to_text

    table = model._table
    return {
        "format": FORMAT,
        "version": VERSION,
        "estimator": type(model).__name__,
        "parameters": _parameters(model),
        "kind": model._kind,
        "features": {
            "n_features": table.n_features,
            "names": table.names,
            "categories": [[k, _labels(v)] for k, v in table.categories.items()],
            "has_constant": table.has_constant,
        },
        "questions": asdict(model._space),
        "attributes": {
            name: _array(getattr(model, name)) for name in ATTRIBUTES if hasattr(model, name)
        },
        "run": asdict(model._run) if hasattr(model, "_run") else None,
        "trained_on": to_text(model._trained_on) if hasattr(model, "_trained_on") else None,
        "outputs": [int(o) for o in model._outputs],
        "trees": [
            {name: getattr(tree, name).tolist() for name in TREE_FIELDS} for tree in model._trees
        ],
    }


def _parameters(model: Any) -> dict[str, Any]:
    given = model.get_params(deep=False)
    if _holds_functions(given.get("scoring")):
        given["scoring"] = None  # what was watched is in evals_result_; no prediction needs it
    return {name: _plain(name, value) for name, value in given.items()}


def _holds_functions(scoring: Any) -> bool:
    values = scoring.values() if isinstance(scoring, dict) else scoring
    values = values if isinstance(scoring, (dict, list, tuple)) else [scoring]
    return any(callable(value) for value in values)


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (tuple, list)):
        return [_plain(name, v) for v in value]
    if isinstance(value, dict):
        return {"dict": [[_plain(name, k), _plain(name, v)] for k, v in value.items()]}
    if isinstance(value, np.random.RandomState):
        return None  # the stream is spent; a seed would have been kept
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(
        f"parameter {name!r} is {type(value).__name__}, which a JSON file cannot hold; use pickle"
    )


def _labels(labels: tuple) -> list:
    return [label.item() if isinstance(label, np.generic) else label for label in labels]


def _array(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        kind = "str" if value.dtype.kind == "O" else value.dtype.str
        return {
            "dtype": kind if value.dtype.kind in "UO" else str(value.dtype),
            "values": value.tolist(),
        }
    return value.item() if isinstance(value, np.generic) else value
