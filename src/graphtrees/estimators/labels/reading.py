"""What `WithLabels` may be given, and what it calls the features that it adds."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees.estimators.labels.copies import Parts
from graphtrees.estimators.labels.evidence import WAYS
from graphtrees.graphs import Edges, Graph, Graphs, Vertices
from graphtrees.graphs.validation.where import kind_of
from graphtrees.validation.targets import read_labels, read_numbers


def read_parts(X: Any) -> Parts:
    """Vertices or edges; anything else is refused with advice."""
    if isinstance(X, (Vertices, Edges)):
        if len(X) == 0:
            raise ValueError("X holds no examples; at least one is needed")
        return X
    whole_graphs = isinstance(X, (Graphs, Graph)) or (
        isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], Graph)
    )
    raise TypeError(
        "WithLabels needs vertices or edges, such as g.vertices, of graphs in which other labels "
        f"are known; got {kind_of(X)}."
        + (" Whole graphs have no neighbours: use the estimator alone." if whole_graphs else "")
    )


def check_pair(known: Any) -> None:
    if not isinstance(known, (tuple, list)) or len(known) != 2:
        raise ValueError(f"known must be a pair (X, y) of further labels; got {kind_of(known)}")


def read_further(y: Any, n: int, classes: np.ndarray | None, n_values: int) -> np.ndarray:
    """Further labels as indicators of the fitted classes, or as numbers."""
    if classes is None:
        values = read_numbers(y, n)
        if values.shape[1] != n_values:
            raise ValueError(f"y of known has {values.shape[1]} columns; y had {n_values}")
        return values
    present, codes = read_labels(y, n)
    unknown = np.setdiff1d(present, classes)
    if len(unknown):
        raise ValueError(f"known holds the class {unknown.tolist()[0]!r}, which y did not")
    return np.eye(n_values)[np.searchsorted(classes, present)[codes]]


def n_hidden(classes: np.ndarray | None) -> int:
    """Indicators that are not shown as channels: of two classes, one says it all."""
    return int(classes is not None and len(classes) == 2)


def channel_names(classes: np.ndarray | None, n_values: int) -> list[str]:
    """One for each channel, in their order."""
    if classes is not None:
        about = [f" {label}" for label in classes[n_hidden(classes) :]]
    else:
        about = [""] if n_values == 1 else [f" {k}" for k in range(n_values)]
    return [f"label{one} ({way})" for way in WAYS for one in about]
