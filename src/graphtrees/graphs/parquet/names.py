"""Names of vertices, which may be anything: as text or integers, else each as JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from graphtrees.graphs.labels import is_missing
from graphtrees.graphs.parquet.arrow import natural_type, pyarrow, without_dictionary
from graphtrees.graphs.stored_labels import is_carried, read_label, write_label

PLAIN, JSON = "plain", "json"


def name_array(names: np.ndarray) -> tuple[Any, str]:
    """The names as an Arrow array, and whether they are in it as they are or as JSON."""
    pa, items = pyarrow(), names.tolist()
    dtype = natural_type([name for name in items if name is not None])
    if dtype is not None:
        return pa.array(items, dtype), PLAIN
    return pa.array([_to_json(name) for name in items], pa.large_string()), JSON


def _to_json(name: Any) -> str:
    if name is None:
        return "null"
    if isinstance(name, float) and name != name:
        return "NaN"
    if not is_carried(name):
        raise TypeError(
            f"the vertex name {name!r:.60} of type {type(name).__name__} cannot be written to a "
            "file; give names as text or numbers"
        )
    return json.dumps(write_label(name))


def names_from(array: Any, form: str) -> list:
    """The names that `name_array` wrote."""
    items = without_dictionary(array).to_pylist()
    return items if form == PLAIN else [_from_json(text) for text in items]


def _from_json(text: Any) -> Any:
    try:
        content = json.loads(text)
        return content if is_missing(content) else read_label(content)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ValueError(f"the vertex name {text!r:.60} is no JSON of a name: {error}") from None
