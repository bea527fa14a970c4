"""Sizes, degrees and features of graphs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from graphtrees.graphs import FlatGraphs
from graphtrees.graphs.identifiers import OddText, find_odd_texts
from graphtrees.graphs.precision import (
    Collapse,
    find_collapses,
    find_edge_collapses,
    find_offsets,
)


@dataclass(frozen=True)
class Spread:
    """The distribution of a quantity, in four numbers."""

    min: float
    median: float
    mean: float
    max: float

    @classmethod
    def of(cls, values: np.ndarray) -> Spread:
        if len(values) == 0:
            return cls(0.0, 0.0, 0.0, 0.0)
        return cls(
            float(values.min()), float(np.median(values)), float(values.mean()), float(values.max())
        )


@dataclass(frozen=True)
class Shape:
    """Sizes of the graphs and degrees of their vertices."""

    n_graphs: int
    n_vertices: int
    n_edges: int
    directed: bool
    weighted: bool
    edge_types: list[str]
    edge_features: list[str]
    spreads: dict[str, Spread]  # vertices and edges of a graph, degrees of a vertex
    n_without_vertices: int
    n_without_edges: int
    n_isolated: int
    n_self_loops: int
    n_repeated_edges: int


@dataclass(frozen=True)
class Features:
    """Which features are constant, missing or otherwise of little use."""

    n_features: int
    categorical: list[str]
    constant: list[str]
    all_missing: list[str]
    missing: dict[str, float]  # share of vertices, for features missing at some but not all
    collapsing: list[Collapse]  # features that float32 cannot hold to their own spread
    odd_texts: list[OddText]  # text that holds names, ids or dates


def describe_shape(flat: FlatGraphs) -> Shape:
    sizes, edges = np.diff(flat.vertex_ptr), np.diff(flat.edge_ptr)
    in_degree, out_degree = _degrees(flat)
    spreads = {"vertices": Spread.of(sizes), "edges": Spread.of(edges)}
    if flat.directed:
        spreads |= {"in-degree": Spread.of(in_degree), "out-degree": Spread.of(out_degree)}
    else:
        spreads |= {"degree": Spread.of(in_degree)}
    return Shape(
        n_graphs=flat.n_graphs,
        n_vertices=flat.n_vertices,
        n_edges=flat.n_edges,
        directed=flat.directed,
        weighted=flat.edge_weights is not None,
        edge_types=[str(name) for name in flat.edge_type_names],
        edge_features=list(flat.edge_feature_names),
        spreads=spreads,
        n_without_vertices=int((sizes == 0).sum()),
        n_without_edges=int((edges == 0).sum()),
        n_isolated=int((in_degree + out_degree == 0).sum()),
        n_self_loops=int((flat.edges[0] == flat.edges[1]).sum()),
        n_repeated_edges=_count_repeats(flat),
    )


def _global_edges(flat: FlatGraphs) -> np.ndarray:
    """Ends of edges (2, n_edges), vertices numbered over all graphs."""
    return flat.edges + np.repeat(flat.vertex_ptr[:-1], np.diff(flat.edge_ptr))


def _degrees(flat: FlatGraphs) -> tuple[np.ndarray, np.ndarray]:
    """In- and out-degrees; an undirected edge counts at both ends, a loop once."""
    source, target = _global_edges(flat)
    in_degree = np.bincount(target, minlength=flat.n_vertices)
    out_degree = np.bincount(source, minlength=flat.n_vertices)
    if flat.directed:
        return in_degree, out_degree
    both = in_degree + out_degree - np.bincount(source[source == target], minlength=flat.n_vertices)
    return both, both


def _count_repeats(flat: FlatGraphs) -> int:
    """How many edges repeat another one of the same ends and type."""
    ends = _global_edges(flat)
    if not flat.directed:
        ends = np.sort(ends, axis=0)
    key = ends[0].astype(np.int64) * max(flat.n_vertices, 1) + ends[1]
    if flat.edge_types is not None:
        key = key * max(len(flat.edge_type_names), 1) + flat.edge_types
    return len(key) - len(np.unique(key))


def describe_features(
    flat: FlatGraphs, of_rows: bool = False, n_graph_features: int = 0
) -> Features:
    """Describe the features of vertices; the last `n_graph_features` are those of whole graphs.

    `of_rows`: the features are columns of a table, from which models subtract offsets themselves.
    """
    names = flat.feature_names or [f"x{column}" for column in range(flat.n_features)]
    low, high, missing = _ranges(flat.features)
    offsets = find_offsets(flat, range(flat.n_features)) if of_rows else {}
    all_missing = (missing == flat.n_vertices) & (flat.n_vertices > 0)
    constant = (low == high) & (missing == 0) & (flat.n_vertices > 0)
    return Features(
        n_features=flat.n_features,
        categorical=[names[column] for column in sorted(flat.categories)],
        constant=[names[column] for column in np.flatnonzero(constant)],
        all_missing=[names[column] for column in np.flatnonzero(all_missing)],
        missing={
            names[column]: float(missing[column] / flat.n_vertices)
            for column in np.flatnonzero((missing > 0) & ~all_missing)
        },
        collapsing=[
            *find_collapses(flat, (), offsets, n_graph_features),
            *find_edge_collapses(flat),
        ],
        odd_texts=find_odd_texts(flat, n_graph_features),
    )


def _ranges(features: np.ndarray | sparse.csr_array) -> tuple[np.ndarray, ...]:
    """Minimum and maximum of each column, and how many are missing."""
    n_rows, n_columns = features.shape
    if n_rows == 0:
        return (np.zeros(n_columns),) * 2 + (np.zeros(n_columns, int),)
    if sparse.issparse(features):
        columns = sparse.csc_array(features)
        missing = np.bincount(
            np.repeat(np.arange(n_columns), np.diff(columns.indptr)),
            np.isnan(columns.data),
            n_columns,
        ).astype(int)
        low, high = (part.toarray().ravel() for part in (columns.nanmin(0), columns.nanmax(0)))
        return low, high, missing
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a column of NaN only
        low, high = np.nanmin(features, axis=0), np.nanmax(features, axis=0)
    return low, high, np.isnan(features).sum(axis=0)
