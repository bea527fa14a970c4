"""Models on disk: readable, versioned JSON, written whole or not at all, holding no code."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from graphtrees.trees.tree import Tree

FORMAT = "graphtrees model"
VERSION = 1

# The dtype of every stored field of a tree: fixed, so that files do not depend on the machine.
_TREE_FIELDS = {
    "column": np.int32, "operator": np.int32, "walk_length": np.int32, "pointer": np.int32,
    "sign": np.int8, "walk_type": np.int8, "aggregator": np.int8, "threshold": np.float64,
    "missing_left": np.bool_, "left": np.int32, "right": np.int32, "depth": np.int32,
    "gain": np.float64, "n_samples": np.int64, "value": np.float64,
}  # fmt: skip

# Fitted attributes that are plain arrays or numbers.
_ATTRIBUTES = (
    "n_features_in_", "feature_names_in_", "classes_", "init_", "n_iter_", "best_iteration_",
    "evals_result_", "oob_score_",
)  # fmt: skip


class ModelFileError(ValueError):
    """The file is not a model that this version can read."""


def save_model(model: Any, path: str | os.PathLike) -> None:
    """Write a fitted estimator; see `GraphTreesEstimator.save`."""
    text = json.dumps(_describe(model), ensure_ascii=False, allow_nan=True, indent=1)
    data = text.encode()
    if str(path).endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    write_whole(Path(path), data)


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
    from dataclasses import asdict

    table = model._table
    return {
        "format": FORMAT,
        "version": VERSION,
        "estimator": type(model).__name__,
        "parameters": {k: _plain(k, v) for k, v in model.get_params(deep=False).items()},
        "kind": model._kind,
        "features": {
            "n_features": table.n_features,
            "names": table.names,
            "categories": [[k, _labels(v)] for k, v in table.categories.items()],
            "has_constant": table.has_constant,
        },
        "questions": asdict(model._space),
        "attributes": {
            name: _array(getattr(model, name)) for name in _ATTRIBUTES if hasattr(model, name)
        },
        "outputs": [int(o) for o in model._outputs],
        "trees": [
            {name: getattr(tree, name).tolist() for name in _TREE_FIELDS} for tree in model._trees
        ],
    }


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
    raise TypeError(f"parameter {name!r} is {type(value).__name__}, which a JSON file cannot hold; use pickle")


def _labels(labels: tuple) -> list:
    return [label.item() if isinstance(label, np.generic) else label for label in labels]


def _array(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        kind = "str" if value.dtype.kind in "UO" else str(value.dtype)
        return {"dtype": kind if value.dtype.kind != "U" else value.dtype.str, "values": value.tolist()}
    return value.item() if isinstance(value, np.generic) else value


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
    if not isinstance(version, int) or version > VERSION:
        raise ModelFileError(
            f"{path}: written as version {version!r}; this graphtrees reads up to {VERSION}. "
            "Install a newer graphtrees."
        )
    try:
        return _rebuild(content)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise ModelFileError(f"{path}: a damaged model: {error!r}") from error


def _read(path: Path) -> Any:
    data = path.read_bytes()
    try:
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        return json.loads(data)
    except (OSError, EOFError, ValueError) as error:
        raise ModelFileError(f"{path}: truncated, or not a graphtrees model: {error}") from error


def _rebuild(content: dict[str, Any]) -> Any:
    import graphtrees.estimators as estimators
    from graphtrees.candidates.features import FeatureTable
    from graphtrees.candidates.plan import QuestionSpace

    name = content["estimator"]
    if name not in estimators.__all__:
        raise ValueError(f"unknown estimator {name!r}")
    parameters = {k: _parameter(v) for k, v in content["parameters"].items()}
    model = getattr(estimators, name)(**parameters)
    features = content["features"]
    names = features["names"]
    model._table = FeatureTable(
        int(features["n_features"]),
        None if names is None else tuple(names),
        {int(k): tuple(v) for k, v in features["categories"]},
        bool(features["has_constant"]),
    )
    questions = {k: tuple(v) if isinstance(v, list) else v for k, v in content["questions"].items()}
    model._space = QuestionSpace(**questions)
    model._kind = content["kind"]
    for attribute, value in content["attributes"].items():
        if attribute not in _ATTRIBUTES:
            raise ValueError(f"unknown attribute {attribute!r}")
        setattr(model, attribute, _from_array(value))
    model._outputs = [int(o) for o in content["outputs"]]
    model._trees = [_tree(t, len(model._table.columns), len(model._space.operators)) for t in content["trees"]]
    if len(model._trees) != len(model._outputs):
        raise ValueError("as many outputs as trees are wanted")
    return model


def _parameter(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_parameter(v) for v in value)
    if isinstance(value, dict):
        return {k: v for k, v in value["dict"]}
    return value


def _from_array(value: Any) -> Any:
    if isinstance(value, dict) and set(value) == {"dtype", "values"}:
        return np.array(value["values"], dtype=object if value["dtype"] == "str" else value["dtype"])
    return value


def _tree(stored: dict[str, Any], n_columns: int, n_operators: int) -> Tree:
    """A tree from its lists, checked so that no number leads a kernel out of its arrays."""
    arrays = {name: np.array(stored[name], dtype) for name, dtype in _TREE_FIELDS.items()}
    n = len(arrays["column"])
    arrays["value"] = arrays["value"].reshape(n, -1)
    if n == 0 or any(len(a) != n for a in arrays.values()):
        raise ValueError("tree fields differ in length")
    nodes = np.arange(n)
    split = arrays["left"] >= 0
    below = np.concatenate([arrays["left"][split], arrays["right"][split]])
    sound = (
        (arrays["left"][split] > nodes[split]).all()
        and (arrays["right"][split] > nodes[split]).all()
        and (below < n).all()
        and len(np.unique(below)) == len(below)
        and (arrays["right"][~split] < 0).all()
        and ((arrays["column"][split] >= 0) & (arrays["column"][split] < n_columns)).all()
        and ((arrays["operator"] >= 0) & (arrays["operator"] < n_operators)).all()
        and ((arrays["pointer"] >= 0) & (arrays["pointer"] <= nodes)).all()
        and ((arrays["walk_length"] >= 0) & (arrays["walk_length"] < 1000)).all()
        and np.isin(arrays["sign"], (0, 1, 2)).all()
        and np.isin(arrays["walk_type"], (0, 1, 2, 3)).all()
        and np.isin(arrays["aggregator"], (-1, 0, 1, 2, 3)).all()
    )
    parent = np.full(n, -1)
    parent[arrays["left"][split]] = parent[arrays["right"][split]] = nodes[split]
    if sound:
        depth = np.zeros(n, np.int32)
        for node in range(1, n):
            depth[node] = depth[parent[node]] + 1
        sound = bool((depth == arrays["depth"]).all()) and bool((parent[1:] >= 0).all())
        sound = sound and bool((arrays["depth"][arrays["pointer"]] <= depth).all())
    if not sound:
        raise ValueError("tree fields do not describe a tree")
    return Tree(**arrays)
