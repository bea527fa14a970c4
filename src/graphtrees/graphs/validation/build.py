"""Build checked flat graphs: one graph, or many already side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphtrees._layout import OFFSET, VERTEX
from graphtrees.graphs.flat import FlatGraphs
from graphtrees.graphs.labels import object_array, plain
from graphtrees.graphs.validation.arguments import as_count, as_flag, as_list
from graphtrees.graphs.validation.edges import (
    check_ends,
    read_adjacency,
    read_edge_features,
    read_pairs,
    read_types,
    read_weights,
)
from graphtrees.graphs.validation.features import check_features, given_categories, read_features
from graphtrees.graphs.validation.numbers import as_array, without_mask
from graphtrees.graphs.validation.where import GRAPH_NUMBER, NameGraph, Where, kind_of

MOST_VERTICES = int(np.iinfo(VERTEX).max)


@dataclass(frozen=True)
class Attributes:
    """What vertices and edges carry, as the user gave it."""

    features: Any = None
    feature_names: Sequence[str] | None = None
    categories: Mapping[int, Sequence[Any]] | None = None
    edge_weights: Any = None
    edge_types: Any = None
    edge_features: Any = None
    edge_feature_names: Sequence[str] | None = None
    vertex_names: Sequence[Any] | None = None


def build_graph(edges: Any, directed: bool, n_vertices: Any, given: Attributes) -> FlatGraphs:
    """The arguments of `Graph`, checked."""
    directed = as_flag(directed, "directed")
    size = None
    if sp.issparse(edges):
        _refuse_edge_attributes(given)
        pairs, weights = read_adjacency(edges, directed)
        given, size = replace(given, edge_weights=weights), edges.shape[0]
        _same_size(n_vertices, size, "n_vertices", "the adjacency")
    else:
        pairs = read_pairs([] if edges is None else edges)
    n_vertices = _count_vertices(given.features, n_vertices, size, pairs)
    vertex_ptr = np.array([0, n_vertices], dtype=OFFSET)
    edge_ptr = np.array([0, pairs.shape[1]], dtype=OFFSET)
    return _assemble(Where(vertex_ptr, edge_ptr, None), pairs, directed, given)


def build_graphs(
    vertex_ptr: Any,
    edge_ptr: Any,
    edges: Any,
    directed: bool,
    given: Attributes,
    name_graph: NameGraph = GRAPH_NUMBER,
) -> FlatGraphs:
    """The arguments of `Graphs.from_flat`, checked; errors name graphs by `name_graph`."""
    pairs = read_pairs(edges, axis=0)
    vertex_ptr = _read_ptr(vertex_ptr, "vertex_ptr")
    edge_ptr = _read_ptr(edge_ptr, "edge_ptr")
    if len(vertex_ptr) != len(edge_ptr):
        raise ValueError(
            f"vertex_ptr is for {len(vertex_ptr) - 1} graphs, edge_ptr for {len(edge_ptr) - 1}"
        )
    if edge_ptr[-1] != pairs.shape[1]:
        raise ValueError(f"edge_ptr ends at {edge_ptr[-1]}; edges has {pairs.shape[1]} columns")
    directed = as_flag(directed, "directed")
    return _assemble(Where(vertex_ptr, edge_ptr, name_graph), pairs, directed, given)


def _assemble(where: Where, pairs: np.ndarray, directed: bool, given: Attributes) -> FlatGraphs:
    _check_sizes(where)
    check_ends(pairs, where)
    n_vertices = int(where.vertex_ptr[-1])
    read = read_features(given.features, given.feature_names, n_vertices)
    read = given_categories(given.categories, read)
    check_features(read, where)
    types, type_names = read_types(given.edge_types, where)
    edge_features, edge_feature_names = read_edge_features(
        given.edge_features, given.edge_feature_names, where
    )
    return FlatGraphs(
        vertex_ptr=where.vertex_ptr,
        edge_ptr=where.edge_ptr,
        edges=pairs,
        directed=directed,
        features=read.values,
        feature_names=read.names,
        categories=read.categories,
        edge_weights=read_weights(given.edge_weights, where),
        edge_types=types,
        edge_type_names=type_names,
        edge_features=edge_features,
        edge_feature_names=edge_feature_names,
        vertex_names=_read_vertex_names(given.vertex_names, n_vertices),
    )


def _check_sizes(where: Where) -> None:
    """The engine can number the vertices of every graph."""
    sizes = np.diff(where.vertex_ptr)
    if sizes.max(initial=0) > MOST_VERTICES:
        graph = int(np.argmax(sizes))
        raise ValueError(
            f"{where.graph(graph)}a graph has at most {MOST_VERTICES} vertices; got {sizes[graph]}"
        )


def _refuse_edge_attributes(given: Attributes) -> None:
    for name in ("edge_weights", "edge_types", "edge_features"):
        if getattr(given, name) is not None:
            raise ValueError(
                f"{name} cannot go with a sparse adjacency, whose entries are the weights; "
                "give edges as a list of pairs"
            )


def _count_vertices(features: Any, asked: Any, size: int | None, pairs: np.ndarray) -> int:
    """From the features, else from n_vertices, the adjacency, or the largest vertex number."""
    if asked is not None:
        asked = as_count(asked, "n_vertices", 0, MOST_VERTICES)
    if features is not None:
        rows = _n_rows(features)
        _same_size(asked, rows, "n_vertices", "features")
        _same_size(size, rows, "the adjacency", "features")
        return rows
    if asked is not None:
        return int(asked)
    if size is not None:
        return int(size)
    last = int(pairs.max(initial=-1))
    if last >= MOST_VERTICES:
        raise ValueError(f"edges: {last} is no vertex number; a graph has at most {MOST_VERTICES}")
    return last + 1


def _n_rows(features: Any) -> int:
    shape = getattr(features, "shape", None)
    try:
        return int(shape[0]) if shape is not None else len(features)
    except (TypeError, IndexError, ValueError, OverflowError):
        raise TypeError(
            f"features must be an array, a DataFrame, a sparse matrix or None; "
            f"got {kind_of(features)}"
        ) from None


def _same_size(given: Any, rows: int, name: str, other: str) -> None:
    if given is not None and given != rows:
        raise ValueError(f"{name} gives {given} vertices, {other} gives {rows}")


def _read_ptr(ptr: Any, what: str) -> np.ndarray:
    array = as_array(ptr, what)
    if array.ndim != 1 or len(array) == 0 or array.dtype.kind not in "iu":
        raise ValueError(
            f"{what} must be integers (n_graphs + 1,); got {array.dtype} {array.shape}"
        )
    starts = array.astype(OFFSET)
    if starts[0] != 0:
        raise ValueError(f"{what} must start at 0; got {starts[0]}")
    falls = np.diff(starts) < 0
    if falls.any():
        raise ValueError(f"{what} must never fall; it does at graph {int(np.argmax(falls))}")
    return starts


def _read_vertex_names(names: Any, n_vertices: int) -> np.ndarray | None:
    if names is None:
        return None
    listed = as_list(without_mask(names), "vertex_names", "a sequence of names")
    array = object_array(plain(name) for name in listed)
    if len(array) != n_vertices:
        raise ValueError(f"vertex_names has {len(array)} names for {n_vertices} vertices")
    return array
