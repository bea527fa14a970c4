"""Many graphs as one sequence that scikit-learn can index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from graphtrees.graphs.arrays import Shape
from graphtrees.graphs.flat import FlatGraphs
from graphtrees.graphs.graph import Graph
from graphtrees.graphs.html import summary
from graphtrees.graphs.indexing import positions
from graphtrees.graphs.joining import concatenate
from graphtrees.graphs.validation import Attributes, build_graphs
from graphtrees.graphs.validation.arguments import as_list
from graphtrees.graphs.validation.features import read_graph_features
from graphtrees.graphs.validation.where import kind_of

if TYPE_CHECKING:
    from graphtrees.graphs.examples import Edges, Vertices


class Graphs:
    """A sequence of graphs that share one list of features: the `X` of a task about whole graphs.

    Choosing some of them (`graphs[2:9]`, `graphs[mask]`, `graphs[indices]`) copies no graph.

    Parameters
    ----------
    graphs : iterable of Graph
        All with the same features and directedness. Categories and edge types are united.
    graph_features : DataFrame or array of shape (n_graphs, n_columns), optional
        What is known of each graph as a whole: a molecular weight, an assay. NaN is a missing
        value. A DataFrame gives its column names (else g0, g1, ...), and its categorical, string
        and object columns are categories. Default: what the graphs bring along.

    Examples
    --------
    >>> from graphtrees.graphs import Graph, Graphs
    >>> edge = Graph([[1.0], [2.0]], [(0, 1)])
    >>> path = Graph([[0.0], [0.0], [5.0]], [(0, 1), (1, 2)])
    >>> graphs = Graphs([edge, path, edge])
    >>> len(graphs), graphs[1].n_vertices, len(graphs[[0, 2]])
    (3, 3, 2)
    >>> graphs.vertices
    Vertices(7 of 3 graphs)

    With a number of its own for each graph:

    >>> weighed = Graphs(graphs, graph_features=[[18.0], [44.1], [18.5]])
    >>> weighed[1:].graph_features
    array([[44.1],
           [18.5]])
    """

    __slots__ = ("__weakref__", "_gathered", "_index", "_store")
    _store: FlatGraphs
    _index: np.ndarray | None  # None: every graph of the store, in order
    _gathered: FlatGraphs | None

    def __init__(self, graphs: Iterable[Graph], graph_features: Any = None) -> None:
        flat = graphs.flat if isinstance(graphs, Graphs) else _join(graphs)
        if graph_features is not None:
            read = read_graph_features(graph_features, flat.n_graphs)
            flat = replace(flat, graph_features=read)
        self._hold(flat, None)

    @classmethod
    def from_flat(
        cls,
        *,
        vertex_ptr: Any,
        edges: Any,
        edge_ptr: Any,
        directed: bool = False,
        features: Any = None,
        feature_names: Sequence[str] | None = None,
        categories: Mapping[int, Sequence[Any]] | None = None,
        edge_weights: Any = None,
        edge_types: Any = None,
        edge_features: Any = None,
        edge_feature_names: Sequence[str] | None = None,
        vertex_names: Sequence[Any] | None = None,
    ) -> Graphs:
        """Many graphs at once, from arrays in which they lie side by side.

        The quick way in for data sets of many small graphs.

        Parameters
        ----------
        vertex_ptr : array of int of shape (n_graphs + 1,)
            Graph g owns the vertices ``vertex_ptr[g]:vertex_ptr[g + 1]``.
        edges : array of int of shape (2, n_edges)
            Sources and targets, numbered within their own graph from 0.
        edge_ptr : array of int of shape (n_graphs + 1,)
            Graph g owns the edges ``edge_ptr[g]:edge_ptr[g + 1]``.
        directed, features, feature_names
            As for `Graph`, for all vertices of all graphs.
        categories : mapping of int to labels, optional
            Columns of `features` that hold codes 0, 1, ... for these labels (NaN: missing).
        edge_weights, edge_types, edge_features, edge_feature_names, vertex_names
            As for `Graph`, for all edges or vertices of all graphs.

        Returns
        -------
        Graphs

        Examples
        --------
        >>> from graphtrees.graphs import Graphs
        >>> Graphs.from_flat(
        ...     vertex_ptr=[0, 2, 5], edge_ptr=[0, 1, 3], edges=[[0, 0, 1], [1, 1, 2]],
        ...     features=[[1.0], [2.0], [0.0], [0.0], [5.0]],
        ... )
        Graphs(n_graphs=2, n_vertices=5, n_edges=3, n_features=1)
        """
        given = Attributes(
            features=features,
            feature_names=feature_names,
            categories=categories,
            edge_weights=edge_weights,
            edge_types=edge_types,
            edge_features=edge_features,
            edge_feature_names=edge_feature_names,
            vertex_names=vertex_names,
        )
        return cls._of(build_graphs(vertex_ptr, edge_ptr, edges, directed, given))

    @classmethod
    def _of(cls, store: FlatGraphs, index: np.ndarray | None = None) -> Graphs:
        """Wrap checked arrays, or some of their graphs."""
        graphs = object.__new__(cls)
        graphs._hold(store, index)
        return graphs

    def _hold(self, store: FlatGraphs, index: np.ndarray | None) -> None:
        self._store, self._index = store, index
        self._gathered = store if index is None else None

    def __reduce__(self) -> tuple[Any, ...]:
        # Only the chosen graphs travel, not the whole collection they were chosen from.
        return Graphs._of, (self.flat,)

    def __len__(self) -> int:
        return self._store.n_graphs if self._index is None else len(self._index)

    @property
    def shape(self) -> tuple[int]:
        """``(n_graphs,)``: what scikit-learn asks for."""
        return Shape((len(self),))

    @overload
    def __getitem__(self, key: int) -> Graph: ...
    @overload
    def __getitem__(self, key: Any) -> Graphs: ...
    def __getitem__(self, key: Any) -> Graph | Graphs:
        chosen = positions(key, len(self))
        if self._index is not None:
            chosen = self._index[chosen]
        if isinstance(chosen, np.ndarray):
            return Graphs._of(self._store, chosen)
        return Graph._of(self._store.one(int(chosen)))

    def __iter__(self) -> Iterator[Graph]:
        for place in range(len(self)):
            yield self[place]

    def __repr__(self) -> str:
        chosen = slice(None) if self._index is None else self._index
        n_vertices = int(np.diff(self._store.vertex_ptr)[chosen].sum())
        n_edges = int(np.diff(self._store.edge_ptr)[chosen].sum())
        n_more = len(self.graph_feature_names)
        more = f", {n_more} graph feature{'s' * (n_more > 1)}" if n_more else ""
        return (
            f"Graphs(n_graphs={len(self)}, n_vertices={n_vertices}, n_edges={n_edges}, "
            f"n_features={self.n_features}{', directed=True' if self.directed else ''}{more})"
        )

    def _repr_html_(self) -> str:
        return summary(f"{len(self):,} graphs", self.flat)

    @property
    def flat(self) -> FlatGraphs:
        """These graphs in flat arrays; gathered when first asked for."""
        if self._gathered is None:
            self._gathered = self._store.take(np.asarray(self._index))
        return self._gathered

    @property
    def n_features(self) -> int:
        """Number of features of a vertex."""
        return self._store.n_features

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features, or None."""
        return self._store.feature_names

    @property
    def graph_features(self) -> np.ndarray | None:
        """Values of whole graphs (n_graphs, n_columns), or None.

        A categorical column holds codes into `graph_feature_categories`.
        """
        given = self._store.graph_features
        chosen = slice(None) if self._index is None else self._index
        return None if given is None else given.values[chosen]

    @property
    def graph_feature_names(self) -> tuple[str, ...]:
        """Names of the graph features; empty where there are none."""
        return self._store.graph_feature_names

    @property
    def graph_feature_categories(self) -> dict[int, tuple]:
        """The labels of each categorical graph feature, by its number."""
        given = self._store.graph_features
        return {} if given is None else dict(given.categories)

    @property
    def directed(self) -> bool:
        """Whether edges have a direction."""
        return self._store.directed

    @property
    def vertices(self) -> Vertices:
        """Every vertex of every graph as an example."""
        from graphtrees.graphs.examples import Vertices

        return Vertices(self)

    @property
    def edges(self) -> Edges:
        """Every edge of every graph as an example."""
        from graphtrees.graphs.examples import Edges

        return Edges(self)

    def to_parquet(
        self,
        folder: str | PathLike[str],
        rows_per_file: int = 10_000,
        y: Any = None,
        sample_weight: Any = None,
    ) -> Path:
        """Write these graphs to a folder of Parquet files, which `scan_parquet` reads.

        Each row is a graph. All that graphs have is written, with names and categories. The folder
        is there whole or not at all.

        Parameters
        ----------
        folder : str or path
            A folder that is not there yet, or that is empty.
        rows_per_file : int, default=10000
            How many graphs a file has; the last one may have fewer.
        y : array of shape (n_graphs,) or (n_graphs, n_labels), optional
            Labels of the graphs, written as the column `y`.
        sample_weight : array of shape (n_graphs,), optional
            Weights of the graphs, written as the column `sample_weight`.

        Returns
        -------
        Path
            The folder.
        """
        from graphtrees.graphs.parquet.writing import write_parquet

        return write_parquet(self.flat, folder, rows_per_file, y, sample_weight)


def _join(graphs: Iterable[Graph]) -> FlatGraphs:
    if isinstance(graphs, Graph):
        raise TypeError("Graphs wants several graphs; got one Graph. Use Graphs([graph]).")
    items = as_list(graphs, "graphs", "an iterable of Graph")
    for place, item in enumerate(items):
        if not isinstance(item, Graph):
            raise TypeError(f"item {place} of Graphs must be a Graph; got {kind_of(item)}")
    return concatenate([item.flat for item in items])
