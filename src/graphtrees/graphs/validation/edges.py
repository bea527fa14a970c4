"""Validate edges: lists of pairs or sparse adjacencies, with weights, types and features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphtrees._layout import OFFSET
from graphtrees.graphs.frames import is_frame, read_frame
from graphtrees.graphs.labels import encode, object_array
from graphtrees.graphs.validation.arguments import as_list
from graphtrees.graphs.validation.features import check_names, read_matrix
from graphtrees.graphs.validation.numbers import as_array, as_numbers, check_range, without_mask
from graphtrees.graphs.validation.sparse import check_sparse
from graphtrees.graphs.validation.where import Where


def read_pairs(edges: Any, axis: int = 1) -> np.ndarray:
    """Pairs of vertex numbers as (2, n_edges); `axis` is the one that holds source and target."""
    array = as_array(edges, "edges")
    if array.size == 0:
        return np.zeros((2, 0), OFFSET)
    wanted = "(n_edges, 2)" if axis == 1 else "(2, n_edges)"
    if array.ndim != 2 or array.shape[axis] != 2:
        turned = array.ndim == 2 and array.shape[1 - axis] == 2
        hint = ". Pass its transpose, edges.T" if turned else ""
        raise ValueError(f"edges must have shape {wanted}; got {array.shape}{hint}")
    return _as_integers(array.T if axis == 1 else array)


def _as_integers(pairs: np.ndarray) -> np.ndarray:
    if pairs.dtype.kind == "u" and pairs.max() > np.iinfo(OFFSET).max:
        raise ValueError(f"edges: {int(pairs.max())} is no vertex number")
    if pairs.dtype.kind in "iu":
        return np.array(pairs, dtype=OFFSET, order="C")
    if pairs.dtype.kind not in "fO":
        raise TypeError(f"edges must be integers (vertex numbers); got the dtype {pairs.dtype}")
    try:
        if any(isinstance(end, (str, bytes)) for end in pairs.flat if pairs.dtype.kind == "O"):
            raise TypeError
        numbers = pairs.astype(np.float64)
    except OverflowError:
        raise ValueError("edges: a number is too large to be a vertex number") from None
    except (TypeError, ValueError):
        raise TypeError(
            "edges must be integers (vertex numbers); got objects that are not"
        ) from None
    whole = (np.abs(numbers) < 2**53) & (np.trunc(numbers) == numbers)
    if not whole.all():
        edge = int(np.argmin(whole.all(axis=0)))
        source, target = numbers[:, edge]
        raise ValueError(
            f"edge {edge} is ({source:g}, {target:g}); edges must be whole vertex numbers"
        )
    return np.array(numbers, dtype=OFFSET, order="C")


def check_ends(pairs: np.ndarray, where: Where) -> None:
    """Every edge joins vertices of its own graph."""
    if pairs.shape[1] == 0:
        return
    size_of = np.diff(where.vertex_ptr)
    sizes = size_of[0] if len(size_of) == 1 else np.repeat(size_of, np.diff(where.edge_ptr))
    outside = ((pairs < 0) | (pairs >= sizes)).any(axis=0)
    if outside.any():
        edge = int(np.argmax(outside))
        graph = where.graph_of_edge(edge)
        source, target = pairs[:, edge].tolist()
        raise ValueError(
            f"{where.graph(graph)}edge ({source}, {target}) points outside its "
            f"{int(size_of[graph])} vertices"
        )


def read_adjacency(matrix: Any, directed: bool) -> tuple[np.ndarray, np.ndarray | None]:
    """Edges (2, n_edges) and weights of a matrix with A[i, j] = weight of the edge j -> i.

    Weights that are all 1 are no weights.
    """
    check_sparse(matrix, "the adjacency")
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a sparse adjacency must be square; got shape {matrix.shape}")
    if matrix.dtype.kind not in "biuf":
        raise TypeError(f"a sparse adjacency must hold real numbers; got {matrix.dtype}")
    csr = sp.csr_array(matrix, copy=True).astype(np.float64)
    csr.sum_duplicates()
    csr.eliminate_zeros()
    entries = sp.coo_array(csr)
    rows, columns, weights = entries.row, entries.col, entries.data
    check_range(weights, lambda k: f"edge ({columns[k]}, {rows[k]}): its weight", missing_ok=False)
    if not directed:
        _check_symmetric(csr)
        once = rows >= columns
        rows, columns, weights = rows[once], columns[once], weights[once]
    pairs = np.array([columns, rows], dtype=OFFSET)
    return pairs, None if (weights == 1).all() else np.array(weights)


def _check_symmetric(csr: sp.csr_array) -> None:
    unequal = sp.coo_array(csr != csr.T)
    if unequal.nnz:
        row, column = int(unequal.row[0]), int(unequal.col[0])
        raise ValueError(
            f"the adjacency of an undirected graph must be symmetric; entry ({row}, {column}) is "
            f"{csr[row, column]:g} and entry ({column}, {row}) is {csr[column, row]:g}. "
            "Pass directed=True, or A.maximum(A.T)."
        )


def read_weights(weights: Any, where: Where) -> np.ndarray | None:
    """One finite number for each edge."""
    if weights is None:
        return None
    array = as_numbers(weights, "edge_weights").astype(np.float64)
    _check_one_each(array, "edge_weights", where)
    check_range(array, lambda edge: f"{where.edge(edge)}: its weight", missing_ok=False)
    return array


def read_types(types: Any, where: Where) -> tuple[np.ndarray | None, tuple]:
    """Codes int32 and the labels they stand for."""
    if types is None:
        return None, ()
    types = without_mask(types)
    array = types
    if not isinstance(types, np.ndarray):
        array = object_array(as_list(types, "edge_types", "a sequence of labels"))
    _check_one_each(array, "edge_types", where)
    try:
        codes, names = encode(array)
    except TypeError as error:
        raise TypeError(f"edge_types must be labels, such as strings: {error}") from None
    if codes.size and codes.min() < 0:
        edge = int(np.argmin(codes))
        raise ValueError(
            f"{where.edge(edge)}: its type is {array[edge]!r}; every edge needs a type"
        )
    return codes.astype(np.int32), names


def read_edge_features(
    features: Any, names: Sequence[str] | None, where: Where
) -> tuple[np.ndarray | None, tuple[str, ...]]:
    """Numbers (n_edges, m) and their names; no columns are no edge features."""
    if features is None:
        return None, ()
    array, own_names = _edge_columns(features)
    if array.shape[0] != where.edge_ptr[-1]:
        raise ValueError(f"edge_features has {array.shape[0]} rows for {_edges(where)}")
    n_columns = array.shape[1]
    default = tuple(f"edge_feature_{column}" for column in range(n_columns))
    given = names if names is not None else own_names or default
    chosen = check_names(given, "edge_feature_names", n_columns)

    def place(edge: int, column: int) -> str:
        return f"{where.edge(edge)}: edge feature {chosen[column]!r} (0 takes an edge out of it)"

    check_range(array, place, missing_ok=False)
    return (array, chosen) if n_columns else (None, ())


def _edge_columns(features: Any) -> tuple[np.ndarray, tuple[str, ...] | None]:
    if not is_frame(features):
        matrix = read_matrix(features, "edge_features", "n_edges", " Labels go to edge_types.")
        return matrix.astype(np.float64), None
    values, names, categories = read_frame(features, "edge_features")
    if categories:
        column = min(categories)
        name = column if names is None else names[column]
        raise TypeError(f"edge_features: column {name!r} is not numbers; pass it as edge_types")
    return values.astype(np.float64), names


def _check_one_each(array: np.ndarray, what: str, where: Where) -> None:
    if array.ndim != 1:
        raise ValueError(f"{what} must be one-dimensional; got shape {array.shape}")
    if len(array) != where.edge_ptr[-1]:
        raise ValueError(f"{what} has {len(array)} entries for {_edges(where)}")


def _edges(where: Where) -> str:
    n_edges = int(where.edge_ptr[-1])
    return "1 edge" if n_edges == 1 else f"{n_edges} edges"
