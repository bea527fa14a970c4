"""How many values are not zero, and how many columns each graph holds, without laying them out."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from graphtrees.graphs.flat import FlatGraphs, spread
from graphtrees.questions.features import FeatureTable

# Codes are marked in a table of all pairs where it has at most so many bytes for each of them.
FLAGS_A_PAIR = 16


def count_filled(flat: FlatGraphs, table: FeatureTable) -> tuple[int, bool]:
    """How many encoded values are not zero, and whether any is missing."""
    given: Any = flat.features
    constant = flat.n_vertices * table.has_constant
    if sparse.issparse(given):
        return given.nnz + constant, bool(np.isnan(given.data).any())
    count, missing = constant, False
    for feature in range(flat.n_features):
        column = given[:, feature]
        unknown = np.isnan(column)
        if feature in table.categories:
            count += int((~unknown).sum())
        else:
            count += int(np.count_nonzero(column))
            missing = missing or bool(unknown.any())
    return count, missing


def count_lanes(flat: FlatGraphs, table: FeatureTable) -> np.ndarray:
    """How many columns hold anything in each graph."""
    given: Any = flat.features
    n = flat.n_graphs
    graph_of = spread(np.arange(n), flat.vertex_ptr)
    lanes = np.full(n, int(table.has_constant))
    if sparse.issparse(given):
        by_graph = spread(graph_of, given.indptr)
        return lanes + _distinct(by_graph, given.indices, n, flat.n_features)
    for feature in range(flat.n_features):
        column = given[:, feature]
        if feature not in table.categories:
            lanes += 1
            continue
        known = ~np.isnan(column)
        codes = column[known].astype(np.int64)
        lanes += _distinct(graph_of[known], codes, n, int(codes.max(initial=-1)) + 1)
    return lanes


def _distinct(graph_of: np.ndarray, codes: np.ndarray, n_graphs: int, n_codes: int) -> np.ndarray:
    """How many different codes, of so many, each graph has."""
    pairs = graph_of * n_codes + codes
    if n_graphs * n_codes > FLAGS_A_PAIR * len(pairs):
        return np.bincount(np.unique(pairs) // max(1, n_codes), minlength=n_graphs)
    is_there = np.zeros(n_graphs * n_codes, bool)
    is_there[pairs] = True
    return np.count_nonzero(is_there.reshape(n_graphs, n_codes), axis=1)
