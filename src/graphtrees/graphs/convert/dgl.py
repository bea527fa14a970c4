"""From DGL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graphtrees._optional import require
from graphtrees.graphs.collection import Graphs
from graphtrees.graphs.convert._many import objects_of
from graphtrees.graphs.convert._relational import Relation, Relational, lay_out
from graphtrees.graphs.convert._tensors import Arrays, assemble, stack, to_matrix, to_numpy
from graphtrees.graphs.graph import Graph
from graphtrees.graphs.validation.keywords import suggests_keywords


@suggests_keywords
def from_dgl(
    graphs: Any,
    features: str | Sequence[str] | None = None,
    *,
    weight: str | None = None,
    edge_type: str | None = None,
    edge_features: Sequence[str] | None = None,
    directed: bool | None = None,
) -> Graph | Graphs:
    """Read one DGL graph, or a list of them; a batched graph gives `Graphs`.

    A graph with several types of vertices or edges becomes one directed graph, laid out as
    `from_pyg` lays out `HeteroData`.

    Parameters
    ----------
    graphs : DGLGraph, or iterable of them
        One gives a `Graph`, many give `Graphs`.
    features : str or list of str, optional
        Keys of ``ndata`` to use, side by side. Default: ``"feat"``; a graph without any vertex
        data has no features.
    weight, edge_type : str, optional
        Keys of ``edata`` with one weight or one relation number for each edge.
    edge_features : list of str, optional
        Keys of ``edata`` whose columns become weighted relations.
    directed : bool, optional
        Default: undirected if every edge is there in both directions, with the same data.

    Returns
    -------
    Graph or Graphs

    Examples
    --------
    DGL installs beside few versions of torch, so this one is not run with the others:

    >>> import dgl  # doctest: +SKIP
    >>> from_dgl(dgl.graph(([0, 1], [1, 2])))  # doctest: +SKIP
    Graph(n_vertices=3, n_edges=2, n_features=0, directed=True)
    """
    dgl = require("dgl", extra="dgl", purpose="from_dgl")
    items, single = objects_of(graphs, dgl.DGLGraph, "from_dgl reads DGL graphs")
    if single and graphs.batch_size > 1:
        items, single = dgl.unbatch(graphs), False
    reader = _Reader(features, weight, edge_type, edge_features)
    if all(item.is_homogeneous for item in items):
        return assemble([reader.read(item) for item in items], directed, single)
    if directed is False or edge_type is not None:
        raise ValueError("a DGL graph of several types gives a directed graph with their relations")
    return assemble(lay_out([reader.read_typed(item) for item in items]), True, single)


class _Reader:
    """Which data to read from every graph."""

    def __init__(self, features, weight, edge_type, edge_features) -> None:
        self.features = (features,) if isinstance(features, str) else features
        self.weight, self.edge_type, self.edge_features = weight, edge_type, edge_features

    def read(self, graph: Any) -> Arrays:
        edges = graph.edata
        return Arrays(
            n_vertices=graph.num_nodes(),
            edges=_ends(graph.edges(order="eid")),
            features=self._vertex_features(graph.ndata),
            weights=_numbers(edges, self.weight),
            types=_numbers(edges, self.edge_type),
            edge_features=self._edge_features(edges),
        )

    def read_typed(self, graph: Any) -> Relational:
        relations = {
            triple: Relation(
                _ends(graph.edges(etype=triple, order="eid")),
                _numbers(graph.edges[triple].data, self.weight),
                self._edge_features(graph.edges[triple].data),
            )
            for triple in graph.canonical_etypes
        }
        return Relational(
            {kind: graph.num_nodes(kind) for kind in graph.ntypes},
            {kind: self._vertex_features(graph.nodes[kind].data) for kind in graph.ntypes},
            relations,
        )

    def _vertex_features(self, data: Mapping[str, Any]) -> Any:
        own = [key for key in data if not key.startswith("_")]  # without _ID and such of DGL
        if self.features is None and not own:
            return None
        keys = ("feat",) if self.features is None else self.features
        return stack([to_matrix(_get(data, key)) for key in keys])

    def _edge_features(self, data: Mapping[str, Any]) -> Any:
        if not self.edge_features:
            return None
        return stack([to_matrix(_get(data, key)) for key in self.edge_features])


def _get(data: Mapping[str, Any], key: str) -> Any:
    if key not in data:
        raise ValueError(f"there is no data {key!r}; there is: {', '.join(sorted(data)) or 'none'}")
    return data[key]


def _numbers(data: Mapping[str, Any], key: str | None) -> np.ndarray | None:
    if key is None:
        return None
    values = to_numpy(_get(data, key))
    return values.reshape(-1) if values.ndim == 2 and values.shape[1] == 1 else values


def _ends(ends: tuple[Any, Any]) -> np.ndarray:
    return np.array([to_numpy(ends[0]), to_numpy(ends[1])], dtype=np.int64)
