"""`scan_graph`: one graph in Parquet tables of vertices and of edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees.graphs.convert.tables import from_tables
from graphtrees.graphs.graph import Graph
from graphtrees.graphs.large.tables import FEATURES, IDS, TableFiles
from graphtrees.graphs.parquet import arrow
from graphtrees.graphs.parquet.columns import (
    BOOLEAN,
    DATE,
    INTEGER,
    NUMBERS,
    TEXT,
)
from graphtrees.graphs.parquet.labels import join_labels, labels_from
from graphtrees.graphs.validation.arguments import as_flag, as_name, as_names
from graphtrees.graphs.validation.keywords import suggests_keywords

# Columns of vertices that are no features, unless `labels` names others.
LABELS = ("label", "y", "sample_weight")
ID_TEXT = "integers or text, the ids of vertices"


@suggests_keywords
def scan_graph(
    vertices: Any, edges: Any, *, vertex_id: str = "id", source: str = "source",
    target: str = "target", features: Sequence[str] | None = None,
    labels: Sequence[str] | None = None, weight: str | None = None, edge_type: str | None = None,
    edge_features: Sequence[str] | None = None, partition_by: str | None = None,
    directed: bool = False,
) -> GraphTables:  # fmt: skip
    """One graph in Parquet tables of vertices and of edges, of which only the footers are read.

    For a graph that does not fit one machine: each worker of a cluster gets some of its vertices,
    with all that is around them, and all train one model together; see `graphtrees.distributed`.

    Parameters
    ----------
    vertices, edges : str or path
        A folder of Parquet files, or one file. Each worker has to see them at this path.
    vertex_id, source, target : str
        Names of columns: the ids of vertices, which are integers or text, and the ids at the ends
        of edges.
    features : list of str, optional
        Columns of `vertices`. Default: every column that is not named otherwise.
    labels : list of str, optional
        Columns of `vertices` that are no features: labels, and weights of examples. Default: those
        of ``label``, ``y`` and ``sample_weight`` that are there.
    weight, edge_type : str, optional
        Columns of `edges` with a weight for each edge, and with its relation.
    edge_features : list of str, optional
        Columns of `edges` that become weighted relations.
    partition_by : str, optional
        A column of `vertices`: those with the same value go to the same worker. Default: a hash of
        the ids decides. Where neighbours go to the same worker, fewer vertices are held twice.
    directed : bool, default=False
        Whether edges lead from source to target only.

    Returns
    -------
    GraphTables

    Raises
    ------
    ValueError
        A file is damaged, or a column is not there or holds something else than it must.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import pandas as pd
    >>> import graphtrees as gt
    >>> people = pd.DataFrame({"id": ["ann", "bob", "cid"], "age": [31, 25, 40]})
    >>> people["label"] = [1, 0, None]
    >>> calls = pd.DataFrame({"source": ["ann", "bob"], "target": ["bob", "cid"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     here = pathlib.Path(folder)
    ...     people.to_parquet(here / "people.parquet")
    ...     calls.to_parquet(here / "calls.parquet")
    ...     tables = gt.scan_graph(here / "people.parquet", here / "calls.parquet")
    ...     print(tables, tables.feature_names, tables.labelled("label"))
    GraphTables(n_vertices=3, n_edges=2, n_features=1) ('age',) (array([0, 1]), array([1., 0.]))
    """
    of_vertices, of_edges = TableFiles.scan(vertices, "vertices"), TableFiles.scan(edges, "edges")
    asked = as_names(labels, "labels", "columns")
    others = [name for name in LABELS if name in of_vertices.columns] if asked is None else asked
    chosen = as_names(features, "features", "columns")
    if chosen is None:
        taken = {vertex_id, partition_by, *others}
        chosen = [name for name in of_vertices.columns if name not in taken]
    tables = GraphTables(
        _vertices=of_vertices,
        _edges=of_edges,
        vertex_id=as_name(vertex_id, "vertex_id"),
        source=as_name(source, "source"),
        target=as_name(target, "target"),
        feature_names=tuple(chosen),
        label_columns=tuple(others),
        weight=as_name(weight, "weight"),
        edge_type=as_name(edge_type, "edge_type"),
        edge_feature_names=tuple(as_names(edge_features, "edge_features", "columns") or ()),
        partition_by=as_name(partition_by, "partition_by"),
        directed=as_flag(directed, "directed"),
    )
    tables._check()
    return tables


@dataclass(frozen=True, eq=False, repr=False)
class GraphTables:
    """One graph in Parquet files, which workers read when they train; made by `scan_graph`.

    Vertices are numbered by their rows.

    Attributes
    ----------
    vertex_id, source, target, weight, edge_type, partition_by : str or None
        Names of columns, as given.
    feature_names, label_columns, edge_feature_names : tuple of str
        Columns with the features of vertices, with what is no feature, and with those of edges.
    directed : bool
        Whether edges have a direction.

    Examples
    --------
    >>> import graphtrees as gt
    >>> tables = gt.scan_graph("vertices/", "edges/")         # doctest: +SKIP
    >>> graph = tables.read_all()                             # doctest: +SKIP
    """

    _vertices: TableFiles
    _edges: TableFiles
    vertex_id: str
    source: str
    target: str
    feature_names: tuple[str, ...]
    label_columns: tuple[str, ...]
    weight: str | None
    edge_type: str | None
    edge_feature_names: tuple[str, ...]
    partition_by: str | None
    directed: bool

    def __repr__(self) -> str:
        return (
            f"GraphTables(n_vertices={self.n_vertices}, n_edges={self.n_edges}, "
            f"n_features={self.n_features})"
        )

    def __len__(self) -> int:
        return self.n_vertices

    @property
    def n_vertices(self) -> int:
        """Number of vertices: rows of their table."""
        return self._vertices.n_rows

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return self._edges.n_rows

    @property
    def n_features(self) -> int:
        """Number of features of a vertex."""
        return len(self.feature_names)

    def labelled(self, column: str) -> tuple[np.ndarray, np.ndarray]:
        """Which vertices have a label, and the labels.

        Parameters
        ----------
        column : str
            The column that holds them: numbers, booleans, text or dates. Vertices where it is null
            or NaN have none.

        Returns
        -------
        vertices : array of int of shape (n_labelled,)
            Their rows, in order.
        labels : array of shape (n_labelled,)
        """
        if column in self.feature_names:
            raise ValueError(
                f"column {column!r} is among the features; name it in labels of scan_graph, or "
                "leave it out of features"
            )
        wanted = frozenset({*NUMBERS, TEXT, DATE})
        self._vertices.holds(column, wanted, "numbers, booleans, text or dates")
        pa = arrow.pyarrow()
        places, parts, first = [np.empty(0, np.int64)], [], 0
        for array in self._vertices.read([column]).arrays[column]:
            known = array.is_valid().to_numpy(zero_copy_only=False)
            if pa.types.is_floating(array.type):
                known = known & ~np.isnan(arrow.as_numbers(array))
            places.append(first + np.flatnonzero(known))
            parts.append(labels_from(pa.chunked_array([array.filter(pa.array(known))]), column))
            first += len(array)
        return np.concatenate(places), join_labels(parts, set()) if parts else np.empty(0)

    def weights(self, column: str) -> np.ndarray:
        """The weights of all vertices; NaN where there is none.

        Parameters
        ----------
        column : str
            The column that holds them.

        Returns
        -------
        array of shape (n_vertices,)
        """
        self._vertices.holds(column, NUMBERS, "numbers")
        return self._vertices.read([column]).numbers(column, missing_ok=True)

    def read_all(self) -> Graph:
        """The graph, in the memory of this machine.

        Returns
        -------
        Graph
            Vertices are named by their ids.
        """
        vertices = [self.vertex_id, *self.feature_names]
        edges = [self.source, self.target, *self._edge_columns]
        graph = from_tables(
            self._vertices.frame(vertices), self._edges.frame(edges),
            vertex_id=self.vertex_id, source=self.source, target=self.target,
            graph_id="", features=list(self.feature_names), weight=self.weight,
            edge_type=self.edge_type, edge_features=list(self.edge_feature_names) or None,
            directed=self.directed,
        )  # fmt: skip
        assert isinstance(graph, Graph)
        return graph

    @property
    def _edge_columns(self) -> list[str]:
        named = [name for name in (self.weight, self.edge_type) if name is not None]
        return list(dict.fromkeys([*named, *self.edge_feature_names]))

    @property
    def _id_kind(self) -> str:
        """What ids are: "integer" or "text"."""
        return self._vertices.holds(self.vertex_id, IDS, ID_TEXT)

    def _check(self) -> None:
        """Every column is there, and holds what it must."""
        kind = self._id_kind
        for column in (self.source, self.target):
            if self._edges.holds(column, IDS, ID_TEXT) != kind:
                raise ValueError(
                    f"edges: column {column!r} must hold ids as {self.vertex_id!r} of vertices "
                    "does, both integers or both text"
                )
        for column in self.feature_names:
            self._vertices.holds(column, FEATURES, "numbers, booleans or text")
        for column in [*filter(None, [self.weight]), *self.edge_feature_names]:
            self._edges.holds(column, NUMBERS, "numbers")
        labels = frozenset({INTEGER, BOOLEAN, TEXT})
        if self.edge_type is not None:
            self._edges.holds(self.edge_type, labels, "text or integers")
        if self.partition_by is not None:
            self._vertices.holds(self.partition_by, labels, "text or integers")
