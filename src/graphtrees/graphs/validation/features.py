"""Validate features of vertices and of whole graphs: arrays, frames, sparse matrices, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphtrees._layout import VALUE
from graphtrees.graphs.flat import GraphFeatures
from graphtrees.graphs.frames import is_frame, read_frame
from graphtrees.graphs.validation.arguments import as_list
from graphtrees.graphs.validation.numbers import as_numbers, check_range
from graphtrees.graphs.validation.sparse import check_sparse
from graphtrees.graphs.validation.where import Where, kind_of

FRAME_HINT = " Give a DataFrame for categorical columns."


@dataclass(frozen=True)
class Features:
    """Features read, not yet tied to a number of vertices."""

    values: np.ndarray | sp.csr_array
    names: tuple[str, ...] | None
    categories: dict[int, tuple]


def read_features(features: Any, names: Sequence[str] | None, n_vertices: int) -> Features:
    """Features of any accepted kind as numbers, names and categories."""
    read = _read_values(features, n_vertices)
    n_features = read.values.shape[1]
    chosen = read.names if names is None else check_names(names, "feature_names", n_features)
    return Features(read.values, chosen, read.categories)


def _read_values(features: Any, n_vertices: int) -> Features:
    if features is None:
        return Features(np.zeros((n_vertices, 0), VALUE), None, {})
    if sp.issparse(features):
        return Features(_read_sparse(features), None, {})
    if is_frame(features):
        values, names, categories = read_frame(features, "features")
        checked = None if names is None else check_names(names, "feature_names", len(names))
        return Features(values, checked, categories)
    return Features(read_matrix(features, "features", "n_vertices", FRAME_HINT), None, {})


def read_matrix(values: Any, what: str, rows: str, hint: str) -> np.ndarray:
    """A two-dimensional array of numbers."""
    array = as_numbers(values, what, hint)
    if array.ndim == 1:
        raise ValueError(
            f"{what} must be two-dimensional, ({rows}, n_columns); got shape {array.shape}. "
            f"Use {what}.reshape(-1, 1) for one number each."
        )
    if array.ndim != 2:
        raise ValueError(
            f"{what} must be two-dimensional, ({rows}, n_columns); got shape {array.shape}"
        )
    return array


def _read_sparse(matrix: Any) -> sp.csr_array:
    check_sparse(matrix, "features")
    if matrix.dtype.kind not in "biuf":
        raise TypeError(f"features must be real numbers; got the dtype {matrix.dtype}")
    csr = sp.csr_array(matrix, copy=True, dtype=matrix.dtype)
    csr = csr.astype(np.float32 if matrix.dtype == np.float32 else np.float64)
    csr.sum_duplicates()
    return csr


def check_names(names: Sequence[str], what: str, wanted: int) -> tuple[str, ...]:
    checked = tuple(as_list(names, what, "a sequence of strings"))
    for name in checked:
        if not isinstance(name, str):
            raise TypeError(f"{what} must be strings; got {name!r}")
    if len(checked) != wanted:
        raise ValueError(f"{what} has {len(checked)} names for {wanted} columns")
    if len(set(checked)) < wanted:
        twice = next(name for i, name in enumerate(checked) if name in checked[:i])
        raise ValueError(f"{what} holds {twice!r} twice; every column needs a name of its own")
    return tuple(str(name) for name in checked)


def check_features(features: Features, where: Where) -> None:
    """One row for each vertex, and no value that the engine cannot hold."""
    values, wanted = features.values, int(where.vertex_ptr[-1])
    if values.shape[0] != wanted:
        vertices = "1 vertex" if wanted == 1 else f"{wanted} vertices"
        raise ValueError(f"features has {values.shape[0]} rows for {vertices}")

    def place(row: int, column: int) -> str:
        name = column if features.names is None else repr(features.names[column])
        return f"{where.vertex(row)}: feature {name}"

    if sp.issparse(values):
        entries = sp.coo_array(values)
        check_range(entries.data, lambda k: place(entries.row[k], entries.col[k]), missing_ok=True)
    else:
        check_range(values, place, missing_ok=True)
    for column, labels in features.categories.items():
        _check_codes(
            values[:, [column]], len(labels), lambda row, column=column: place(row, column)
        )


def given_categories(categories: Mapping[int, Sequence[Any]] | None, read: Features) -> Features:
    """Features whose columns already hold codes, with the labels that the codes stand for."""
    if categories is not None and not isinstance(categories, Mapping):
        raise TypeError(f"categories must map columns to labels; got {kind_of(categories)}")
    if not categories:
        return read
    if sp.issparse(read.values):
        raise ValueError("categories need dense features; got a sparse matrix")
    n_features = read.values.shape[1]
    for column in categories:
        if not isinstance(column, (int, np.integer)) or not 0 <= column < n_features:
            raise ValueError(f"categories names column {column} of {n_features} features")
    merged = {**read.categories, **{int(c): tuple(labels) for c, labels in categories.items()}}
    return Features(read.values, read.names, merged)


def _check_codes(codes: np.ndarray, n_labels: int, place: Any) -> None:
    known = codes[~np.isnan(codes)]
    if known.size and (known.min() < 0 or known.max() >= n_labels or (known % 1).any()):
        wrong = ~np.isnan(codes) & ((codes < 0) | (codes >= n_labels) | (codes % 1 != 0))
        row = int(np.argmax(wrong))
        raise ValueError(f"{place(row)} holds the code {codes.flat[row]:g} for {n_labels} labels")


def read_graph_features(table: Any, n_graphs: int) -> GraphFeatures | None:
    """Values, names and categories; None for a table without columns."""
    if hasattr(table, "to_frame"):  # one column of a table
        table = table.to_frame()
    if is_frame(table):
        values, names, categories = read_frame(table, "graph_features")
    else:
        values, names, categories = (
            read_matrix(table, "graph_features", "n_graphs", FRAME_HINT),
            None,
            {},
        )
    if len(values) != n_graphs:
        raise ValueError(f"graph_features has {len(values)} rows for {n_graphs} graphs")
    numbered = [f"g{k}" for k in range(values.shape[1])]
    return check_graph_features(values, numbered if names is None else names, categories)


def check_graph_features(
    values: np.ndarray, names: Sequence[str], categories: dict[int, tuple]
) -> GraphFeatures | None:
    """Every column has a name of its own, and no value that the engine cannot hold."""
    checked = check_names(names, "graph_features", values.shape[1])
    check_range(values, lambda row, k: f"graph {row}: graph feature {checked[k]!r}", True)
    return GraphFeatures(values.astype(np.float64), checked, categories) if checked else None
