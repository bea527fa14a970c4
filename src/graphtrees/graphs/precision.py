"""Features whose distinct values are one and the same in float32, in which they are compared."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from graphtrees._layout import VALUE
from graphtrees.graphs.flat import FlatGraphs, dense

# Of so many vertices, evenly spread over all of them, are the values looked at.
MOST_VALUES = 10_000

# Up to this share of the distinct values may be lost before anything is said.
LOST_SHARE = 0.05

# Values nearer to each other than this share of their size differ by rounding alone.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Collapse:
    """A feature that loses distinct values: so many there were, so many are left."""

    name: str
    n_distinct: int
    n_left: int
    constant: float  # near the values that are lost: subtract it, and they are kept
    noun: str = "feature"  # or "edge feature"

    @property
    def text(self) -> str:
        return (
            f"{self.noun} {self.name!r}: only {self.n_left:,} of {self.n_distinct:,} distinct "
            "values can be told apart, because features are compared as float32 (7 digits): "
            f"subtract a constant from it first, such as {self.constant:.17g}"
        )


def find_collapses(
    flat: FlatGraphs, leave_out: Collection[int] = (), n_graph_features: int = 0
) -> list[Collapse]:
    """The features, without these and without categories, of which float32 loses values.

    Sparse features are left out, but for the last `n_graph_features`, those of whole graphs: a
    constant cannot be subtracted from them.
    """
    values, first = flat.features, 0
    if sp.issparse(values):
        first = flat.n_features - n_graph_features
        values = dense(values[:, first:])
    names = flat.feature_names or tuple(f"x{column}" for column in range(flat.n_features))
    unfit = {*flat.categories, *leave_out}
    wanted = {names[c]: c - first for c in range(first, flat.n_features) if c not in unfit}
    return _collapses(values, wanted, "feature")


def find_edge_collapses(flat: FlatGraphs) -> list[Collapse]:
    """The same of the features of edges."""
    if flat.edge_features is None:
        return []
    wanted = {str(name): column for column, name in enumerate(flat.edge_feature_names)}
    return _collapses(flat.edge_features, wanted, "edge feature")


def _collapses(values: np.ndarray, columns: dict[str, int], noun: str) -> list[Collapse]:
    if values.dtype == VALUE or not len(values):
        return []
    some = values[:: -(-len(values) // MOST_VALUES)]
    found = []
    for name, column in columns.items():
        distinct = np.unique(some[:, column])
        distinct = _without_rounding(distinct[~np.isnan(distinct)])
        left = len(np.unique(distinct.astype(VALUE)))
        if left < (1 - LOST_SHARE) * len(distinct):
            found.append(Collapse(name, len(distinct), left, _constant(distinct), noun))
    return found


def _without_rounding(distinct: np.ndarray) -> np.ndarray:
    """Sorted values without those that the one before them equals but for rounding."""
    is_new = np.diff(distinct, prepend=-np.inf) > ROUNDING * np.abs(distinct)
    return distinct[is_new]


def _constant(distinct: np.ndarray) -> float:
    """The smallest of the values that share their float32 with another, rounded down."""
    rounded = distinct.astype(VALUE)
    first = int(np.argmax(rounded[1:] == rounded[:-1]))
    return float(np.floor(distinct[first]))
