"""Examples in Parquet files, on one machine: they are read when a fit or a prediction begins."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees._communicator import ALONE
from graphtrees.graphs.collection import Graphs
from graphtrees.graphs.examples import Vertices
from graphtrees.graphs.labels import is_missing
from graphtrees.graphs.large import GraphTables
from graphtrees.graphs.large.loading import load_part
from graphtrees.graphs.parquet import GraphFiles


def is_scanned(X: Any) -> bool:
    return isinstance(X, (GraphFiles, GraphTables))


def read_all(X: Any, chosen: np.ndarray | None = None) -> Any:
    """Graphs, or those vertices of one graph that are chosen (None: all); else X as it is."""
    if isinstance(X, GraphFiles):
        return X.read_all()
    if not isinstance(X, GraphTables):
        return X
    flat, _ = load_part(X, 1, ALONE)
    vertices = np.arange(flat.n_vertices) if chosen is None else chosen
    return Vertices._of(Graphs._of(flat), np.zeros_like(vertices), vertices)


def read_task(X: Any, y: Any, weight: Any = None) -> tuple[Any, Any, Any]:
    """Examples, labels and weights; columns of the files may be named instead of the latter two."""
    if not is_scanned(X):
        return X, y, weight
    labels, chosen = labels_of(X, y)
    return read_all(X, chosen), labels, weights_of(X, weight, chosen)


def labels_of(X: GraphFiles | GraphTables, y: Any) -> tuple[Any, np.ndarray | None]:
    """Labels; of one graph, those of the vertices that have one, and which these are."""
    if isinstance(X, GraphFiles):
        return X.labels(y) if isinstance(y, str) else y, None
    if isinstance(y, str):
        chosen, labels = X.labelled(y)
        return labels, chosen
    given = _for_each_vertex(X, y, "y")
    chosen = np.flatnonzero([not is_missing(label) for label in given])
    return given[chosen], chosen


def weights_of(X: GraphFiles | GraphTables, weight: Any, chosen: np.ndarray | None) -> Any:
    """The same of weights; None where there are none."""
    if isinstance(X, GraphFiles):
        return X.labels(weight) if isinstance(weight, str) else weight
    if weight is None:
        return None
    named = isinstance(weight, str)
    given = X.weights(weight) if named else _for_each_vertex(X, weight, "sample_weight")
    return given[chosen]


def _for_each_vertex(X: GraphTables, given: Any, what: str) -> np.ndarray:
    array = np.asarray(given)
    if array.shape[:1] != (len(X),):
        raise ValueError(
            f"{what} must be the name of a column of vertices, or have an entry for each of the "
            f"{len(X)} vertices; got shape {array.shape}"
        )
    return array
