"""Many graphs laid side by side in flat arrays: what every container holds and the engine reads.

    graph            0              1          2
    vertices     [a b c d]  |    [a b]   |   [a b c]        vertex_ptr = [0, 4, 6, 9]
    edges        [ab bc cd] |     []     |   [ab ac]        edge_ptr   = [0, 3, 3, 5]

Edges name vertices within their own graph, from 0, so that a graph can be moved without rewriting.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphtrees._layout import OFFSET

# What is done with so many numbers takes too little time to be shared out.
FEW_ITEMS = 8192


@dataclass(frozen=True, eq=False)
class GraphFeatures:
    """Checked values of whole graphs (n_graphs, n_columns); categorical columns hold codes."""

    values: np.ndarray
    names: tuple[str, ...]
    categories: dict[int, tuple]

    def __post_init__(self) -> None:
        self.values.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, so that unpickled arrays are read-only again.
        return GraphFeatures, (self.values, self.names, self.categories)

    def take(self, graphs: np.ndarray | slice) -> GraphFeatures:
        """Those of some graphs."""
        return GraphFeatures(self.values[graphs], self.names, self.categories)

    def is_categorical(self, column: int) -> bool | None:
        """Whether a column is categorical; None where all of its values are missing."""
        if column not in self.categories and np.isnan(self.values[:, column]).all():
            return None
        return column in self.categories


@dataclass(frozen=True, eq=False, repr=False)
class FlatGraphs:
    """Checked graphs in flat, read-only arrays. Made by `validation`; see `Graphs.from_flat`.

    The arrays are owned: they are set read-only on arrival.
    """

    vertex_ptr: np.ndarray  # (G + 1,) graph g owns vertices vertex_ptr[g]:vertex_ptr[g + 1]
    edge_ptr: np.ndarray  # (G + 1,)
    edges: np.ndarray  # (2, E) source and target
    directed: bool
    features: np.ndarray | sp.csr_array  # (N, F) float32 or float64
    feature_names: tuple[str, ...] | None = None
    # categorical column -> its labels; the column holds their codes
    categories: dict[int, tuple] = field(default_factory=dict)
    edge_weights: np.ndarray | None = None  # (E,) float64
    edge_types: np.ndarray | None = None  # (E,) int32 codes into edge_type_names
    edge_type_names: tuple = ()
    edge_features: np.ndarray | None = None  # (E, M) float64
    edge_feature_names: tuple[str, ...] = ()
    vertex_names: np.ndarray | None = None  # (N,) object
    graph_features: GraphFeatures | None = None  # of whole graphs, a row for each

    def __post_init__(self) -> None:
        for value in vars(self).values():
            _freeze(value)

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, so that unpickled arrays are read-only again.
        return partial(type(self), **vars(self)), ()

    def __repr__(self) -> str:
        return (
            f"FlatGraphs(n_graphs={self.n_graphs}, n_vertices={self.n_vertices}, "
            f"n_edges={self.n_edges}, n_features={self.n_features}, directed={self.directed})"
        )

    @property
    def n_graphs(self) -> int:
        return len(self.vertex_ptr) - 1

    @property
    def n_vertices(self) -> int:
        return int(self.vertex_ptr[-1])

    @property
    def n_edges(self) -> int:
        return int(self.edge_ptr[-1])

    @property
    def n_features(self) -> int:
        return int(self.features.shape[1])

    @property
    def graph_feature_names(self) -> tuple[str, ...]:
        return () if self.graph_features is None else self.graph_features.names

    def take(self, graphs: np.ndarray) -> FlatGraphs:
        """The chosen graphs, in the order asked for; a graph may be asked for twice."""
        graphs = np.asarray(graphs, dtype=OFFSET)
        if np.array_equal(graphs, np.arange(self.n_graphs)):
            return self  # nothing of it can change
        vertex_ptr, vertices = _gather_ranges(self.vertex_ptr, graphs)
        edge_ptr, edges = _gather_ranges(self.edge_ptr, graphs)
        return self._with_rows(vertex_ptr, edge_ptr, vertices, edges, graphs)

    def one(self, graph: int) -> FlatGraphs:
        """One graph, sharing the memory of this one where its features are dense."""
        return self.between(graph, graph + 1)

    def between(self, start: int, stop: int) -> FlatGraphs:
        """The graphs from `start` to `stop`, likewise."""
        if (start, stop) == (0, self.n_graphs):
            return self
        vertex_ptr, edge_ptr = self.vertex_ptr[start : stop + 1], self.edge_ptr[start : stop + 1]
        vertices = slice(int(vertex_ptr[0]), int(vertex_ptr[-1]))
        edges = slice(int(edge_ptr[0]), int(edge_ptr[-1]))
        return self._with_rows(
            vertex_ptr - vertices.start, edge_ptr - edges.start, vertices, edges, slice(start, stop)
        )

    def _with_rows(self, vertex_ptr, edge_ptr, vertices, edges, graphs) -> FlatGraphs:
        """Keep the given vertices, edges and graphs, an index array or a slice each."""
        of_graphs = self.graph_features
        return FlatGraphs(
            vertex_ptr=vertex_ptr,
            edge_ptr=edge_ptr,
            edges=np.ascontiguousarray(self.edges[:, edges]),
            directed=self.directed,
            features=self.features[vertices],
            feature_names=self.feature_names,
            categories=self.categories,
            edge_weights=_rows(self.edge_weights, edges),
            edge_types=_rows(self.edge_types, edges),
            edge_type_names=self.edge_type_names,
            edge_features=_rows(self.edge_features, edges),
            edge_feature_names=self.edge_feature_names,
            vertex_names=_rows(self.vertex_names, vertices),
            graph_features=None if of_graphs is None else of_graphs.take(graphs),
        )


def _freeze(value: Any) -> None:
    arrays = [value.data, value.indices, value.indptr] if sp.issparse(value) else [value]
    for array in arrays:
        if isinstance(array, np.ndarray):
            array.flags.writeable = False


def _rows(values: np.ndarray | None, rows) -> np.ndarray | None:
    return None if values is None else values[rows]


def _gather_ranges(ptr: np.ndarray, graphs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The ptr of the chosen ranges side by side, and the old position of each of their items."""
    counts = np.diff(ptr)[graphs]
    new_ptr = starts_of(counts)
    old = np.repeat(ptr[graphs] - new_ptr[:-1], counts)
    old += np.arange(new_ptr[-1], dtype=OFFSET)
    return new_ptr, old


def starts_of(counts: np.ndarray) -> np.ndarray:
    """The ptr of runs of these lengths: ``[0, counts[0], counts[0] + counts[1], ...]``."""
    ptr = np.zeros(len(counts) + 1, dtype=OFFSET)
    np.cumsum(counts, out=ptr[1:])
    return ptr


def spread(values: np.ndarray, ptr: np.ndarray) -> np.ndarray:
    """Whole numbers, values[k] for every item from ptr[k] to ptr[k + 1], counted from 0.

    `np.repeat` does the same, but keeps other threads from running: it is left to do little.
    """
    if ptr[-1] < FEW_ITEMS:
        return np.repeat(values, np.diff(ptr))
    filled = np.flatnonzero(np.diff(ptr))
    out = np.zeros(ptr[-1], OFFSET)
    out[ptr[filled]] = np.diff(values[filled], prepend=0)
    return np.cumsum(out, out=out)


def distinct_values(values: np.ndarray) -> np.ndarray:
    """Sorted, as `np.unique` has them, which may need a table that never lies in a file."""
    ordered = np.sort(values)
    is_first = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def spread_graph_features(flat: FlatGraphs) -> FlatGraphs:
    """The features of graphs as the last features of each of their vertices."""
    given = flat.graph_features
    if given is None:
        return flat
    names = flat.feature_names or tuple(f"x{k}" for k in range(flat.n_features))
    for name in given.names:
        if name in names:
            raise ValueError(
                f"{name!r} is a feature of vertices (or edges) and a graph feature; rename one"
            )
    at_vertices = np.repeat(given.values, np.diff(flat.vertex_ptr), axis=0)
    if sp.issparse(flat.features):
        features = sp.csr_array(sp.hstack([flat.features, at_vertices], format="csr"))
    else:
        features = np.hstack([flat.features, at_vertices])
    theirs = {flat.n_features + k: labels for k, labels in given.categories.items()}
    return replace(
        flat, features=features, feature_names=names + given.names,
        categories=flat.categories | theirs, graph_features=None,
    )  # fmt: skip


def dense(features: Any) -> np.ndarray:
    """Features as a dense array."""
    return features.toarray() if sp.issparse(features) else features


def column_of(features: Any, column: int) -> np.ndarray:
    """One column of features, which is not copied where they are dense."""
    return features[:, [column]].toarray()[:, 0] if sp.issparse(features) else features[:, column]
