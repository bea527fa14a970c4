"""Graphs and vertices as rows of a table, for methods that know no graphs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from benchmarks.columns import adjacency, aggregates
from graphtrees import Graphs, Vertices

LONGEST_WALK = 2
GRAPHS_AT_ONCE = 1000  # bounds the memory of dense columns


def columns_of(X: Any) -> Any:
    """One row for each example."""
    return vertex_columns(X) if isinstance(X, Vertices) else whole_graph_columns(X)


class OnColumns(BaseEstimator):
    """An estimator of tables, on columns made of graphs or vertices."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: np.ndarray) -> OnColumns:
        self.classes_, codes = np.unique(y, return_inverse=True)  # XGBoost wants 0, 1, ...
        self.classifies_ = hasattr(self.estimator, "predict_proba")
        self.estimator.fit(columns_of(X), codes if self.classifies_ else y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        told = self.estimator.predict(columns_of(X))
        return self.classes_[told] if self.classifies_ else told

    def predict_proba(self, X: Any) -> np.ndarray:
        return self.estimator.predict_proba(columns_of(X))


def whole_graph_columns(graphs: Graphs) -> np.ndarray:
    """Sum, mean, minimum and maximum over the vertices of A^d [X, 1], for d = 0, 1, 2."""
    return np.vstack([np.hstack(list(_blocks(part))) for part in _pieces(graphs)])


def _pieces(graphs: Graphs) -> Iterator[Graphs]:
    for start in range(0, len(graphs), GRAPHS_AT_ONCE):
        yield graphs[start : start + GRAPHS_AT_ONCE]


def _blocks(graphs: Graphs) -> Iterator[np.ndarray]:
    A, ptr = adjacency(graphs), graphs.flat.vertex_ptr
    X = dense(encoded(graphs))
    z, everyone = np.hstack([X, np.ones((len(X), 1), np.float32)]), np.ones(len(X), bool)
    for length in range(LONGEST_WALK + 1):
        z = A @ z if length else z
        yield from aggregates(z, everyone, ptr)


def vertex_columns(X: Vertices) -> Any:
    """The vertex's own features, then means over neighbours and over neighbours' neighbours."""
    A, features, rows = adjacency(X.graphs), encoded(X.graphs), places(X)
    degrees = np.asarray(A.sum(axis=1)).reshape(-1, 1)
    blocks = [features]
    for _ in range(LONGEST_WALK):
        blocks.append(neighbour_means(A, blocks[-1]))
    if sp.issparse(features):
        return sp.csr_matrix(sp.hstack([*blocks, sp.csr_array(degrees)]))[rows]  # for LightGBM
    return np.hstack([*blocks, degrees])[rows]


def neighbour_means(A: sp.csr_array, X: Any) -> Any:
    """The mean over neighbours; of a dense table, over those whose value is known."""
    if sp.issparse(X):
        degrees = np.maximum(np.asarray(A.sum(axis=1)).ravel(), 1e-12)
        return sp.csr_array(sp.diags_array(1 / degrees) @ A @ X)
    known = ~np.isnan(X)
    counts = A @ known.astype(np.float32)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (A @ np.where(known, X, 0)) / counts  # NaN where no neighbour is known


def places(X: Vertices) -> np.ndarray:
    """Rows of the vertices among all vertices of their graphs."""
    return X.graphs.flat.vertex_ptr[X.graph_of] + X.vertex_of


def encoded(graphs: Graphs) -> Any:
    """All vertices' features as numbers: (n_vertices, n_columns), a category a column of 0 and 1.

    Sparse where the features are, or where there are categories.
    """
    flat = graphs.flat
    if not flat.categories:
        return flat.features
    codes = dense(flat.features)
    blocks = [
        _one_hot(codes[:, column], len(flat.categories[column]))
        if column in flat.categories
        else sp.csr_array(codes[:, [column]])
        for column in range(flat.n_features)
    ]
    return sp.csr_array(sp.hstack(blocks)).astype(np.float32)


def _one_hot(codes: np.ndarray, n_labels: int) -> sp.csr_array:
    """A code that is missing is a row of zeros."""
    rows = np.flatnonzero(codes >= 0)
    cells = (np.ones(len(rows), np.float32), (rows, codes[rows].astype(np.int64)))
    return sp.csr_array(cells, shape=(len(codes), n_labels))


def dense(features: Any) -> np.ndarray:
    features = features.toarray() if sp.issparse(features) else features
    return np.asarray(features, np.float32)
