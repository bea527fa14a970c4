"""Graphs with further columns: one copy for each set of labels that is left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from graphtrees._layout import OFFSET
from graphtrees.ensembles.neighbourhood import Neighbourhood
from graphtrees.graphs import Edges, FlatGraphs, Graphs, Vertices
from graphtrees.graphs.line_graph import line_graph

Parts = Vertices | Edges


def among_used(X: Parts) -> Parts:
    """The examples, among those graphs only that have any."""
    used, place = np.unique(X.graph_of, return_inverse=True)
    return type(X)._of(X.graphs[used], place.astype(OFFSET), np.array(X._part_of))


def places_of(X: Parts) -> np.ndarray:
    """Examples numbered over all their graphs."""
    return X._ptr(X.graphs)[X.graph_of] + X._part_of


def neighbourhood_of(X: Parts) -> Neighbourhood:
    """Which vertices, or which edges, are neighbours."""
    flat = X.graphs.flat
    if not isinstance(X, Edges):
        return Neighbourhood.of(flat)
    bare = np.empty((flat.n_vertices, 0))
    return Neighbourhood.of(
        line_graph(replace(flat, features=bare, feature_names=None, categories={}))
    )


def with_columns(
    X: Parts, columns: list[np.ndarray], names: list[str], copy_of: np.ndarray
) -> Parts:
    """The examples in graphs with further features; `columns` holds those of each copy.

    `copy_of` tells which copy each example looks at. The edges of edge examples get the columns.
    """
    flat, n_copies = X.graphs.flat, len(columns)
    copies = flat.take(np.tile(np.arange(flat.n_graphs), n_copies))
    add = _to_edges if isinstance(X, Edges) else _to_vertices
    widened = Graphs._of(add(copies, np.concatenate(columns), names))
    return type(X)._of(widened, copy_of * flat.n_graphs + X.graph_of, np.array(X._part_of))


def _to_vertices(flat: FlatGraphs, columns: np.ndarray, names: list[str]) -> FlatGraphs:
    given = flat.feature_names or tuple(f"x{k}" for k in range(flat.n_features))
    features: Any = flat.features
    if sparse.issparse(features):
        features = sparse.csr_array(sparse.hstack([features, columns], format="csr"))
    else:
        features = np.hstack([features, columns])
    return replace(flat, features=features, feature_names=(*given, *_new(names, given)))


def _to_edges(flat: FlatGraphs, columns: np.ndarray, names: list[str]) -> FlatGraphs:
    given = flat.edge_feature_names
    features = columns if flat.edge_features is None else np.hstack([flat.edge_features, columns])
    return replace(flat, edge_features=features, edge_feature_names=(*given, *_new(names, given)))


def _new(names: list[str], given: tuple[str, ...]) -> list[str]:
    """Names that no feature has."""
    while set(names) & set(given):
        names = [f"{name}'" for name in names]
    return names
