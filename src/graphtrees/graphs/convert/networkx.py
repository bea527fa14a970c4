"""To and from networkx."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphtrees._optional import require
from graphtrees.graphs.collection import Graphs
from graphtrees.graphs.convert._attributed import Attributed, AttributeNames, assemble
from graphtrees.graphs.convert._many import objects_of
from graphtrees.graphs.flat import dense
from graphtrees.graphs.graph import Graph
from graphtrees.graphs.validation.keywords import suggests_keywords
from graphtrees.graphs.validation.where import GRAPH_NUMBER, NameGraph


@suggests_keywords
def from_networkx(
    graphs: Any,
    features: Sequence[str] | None = None,
    *,
    weight: str | None = "weight",
    edge_type: str | None = None,
    edge_features: Sequence[str] | None = None,
) -> Graph | Graphs:
    """Read one networkx graph, or a list of them.

    Vertices are named by their networkx keys. Parallel edges and self-loops are kept.

    Parameters
    ----------
    graphs : networkx graph of any kind, or iterable of them
        One gives a `Graph`, many give `Graphs`.
    features : list of str, optional
        The vertex attributes to use, strings as categories, lists of numbers as a column for each
        entry: ``x.0``, ``x.1``. A vertex without one has a missing value. Default: every attribute
        that holds numbers, booleans or strings only, or lists of numbers of one length, sorted by
        name; others are named in a warning. Name them when an attribute is the answer you want to
        predict.
    weight : str or None, default="weight"
        The edge attribute with weights, used where it exists; an edge without it weighs 1.
    edge_type : str, optional
        The edge attribute whose values become relations. Every edge needs it.
    edge_features : list of str, optional
        Numeric edge attributes, or lists of numbers, that become weighted relations. Every edge
        needs them.

    Returns
    -------
    Graph or Graphs

    Examples
    --------
    >>> import networkx as nx
    >>> from graphtrees.graphs import from_networkx
    >>> G = nx.Graph()
    >>> G.add_node("Ann", age=31.0, role="boss")
    >>> G.add_node("Bob", age=25.0, role="clerk")
    >>> G.add_edge("Ann", "Bob")
    >>> g = from_networkx(G, features=["age", "role"])
    >>> g.features
    array([[31.,  0.],
           [25.,  1.]])
    >>> g.categories, list(g.vertex_names)
    ({1: ('boss', 'clerk')}, ['Ann', 'Bob'])
    """
    names = AttributeNames(features, weight, edge_type, edge_features)
    return read_networkx(graphs, names)


def read_networkx(
    graphs: Any, names: AttributeNames, name_graph: NameGraph = GRAPH_NUMBER
) -> Graph | Graphs:
    """`from_networkx` whose errors name graphs by `name_graph`."""
    networkx = require("networkx", extra="networkx", purpose="from_networkx")
    items, single = objects_of(graphs, networkx.Graph, "from_networkx reads networkx graphs")
    return assemble([_read(item) for item in items], names, single, name_graph)


def _read(graph: Any) -> Attributed:
    number_of = {key: number for number, key in enumerate(graph.nodes)}
    edges = list(graph.edges(data=True))
    return Attributed(
        directed=graph.is_directed(),
        vertices=[attributes for _, attributes in graph.nodes(data=True)],
        names=list(graph.nodes),
        edges=[(number_of[source], number_of[target]) for source, target, _ in edges],
        edge_attributes=[attributes for _, _, attributes in edges],
    )


def to_networkx(graph: Graph) -> Any:
    """A networkx graph; see `Graph.to_networkx`."""
    networkx = require("networkx", extra="networkx", purpose="to_networkx")
    kind = networkx.DiGraph if graph.directed else networkx.Graph
    if _has_parallel_edges(graph):
        kind = networkx.MultiDiGraph if graph.directed else networkx.MultiGraph
    other = kind()
    keys = _keys(graph)
    other.graph.update(graph.graph_features)
    other.add_nodes_from(zip(keys, _vertex_attributes(graph), strict=True))
    sources, targets = ([keys[end] for end in ends] for ends in graph.edge_index.tolist())
    other.add_edges_from(zip(sources, targets, _edge_attributes(graph), strict=True))
    return other


def _has_parallel_edges(graph: Graph) -> bool:
    edges = graph.edge_index if graph.directed else np.sort(graph.edge_index, axis=0)
    return np.unique(edges, axis=1).shape[1] < graph.n_edges


def _keys(graph: Graph) -> list:
    """The vertex names where they tell vertices apart, else vertex numbers."""
    names = graph.vertex_names
    if names is None or len(set(names)) < len(names):
        return list(range(graph.n_vertices))
    return list(names)


def _vertex_attributes(graph: Graph) -> list[dict[str, Any]]:
    values = dense(graph.features)
    names = graph.feature_names or [f"feature_{column}" for column in range(graph.n_features)]
    vertices: list[dict[str, Any]] = [{} for _ in range(graph.n_vertices)]
    for column, name in enumerate(names):
        labels = graph.categories.get(column)
        for vertex, value in zip(vertices, values[:, column].tolist(), strict=True):
            if labels is None:
                vertex[name] = value
            elif value == value:  # a missing category is an absent attribute
                vertex[name] = labels[int(value)]
    return vertices


def _edge_attributes(graph: Graph) -> list[dict[str, Any]]:
    columns: dict[str, Any] = {}
    if graph.edge_features is not None:
        columns |= dict(zip(graph.edge_feature_names, graph.edge_features.T.tolist(), strict=True))
    own = {"weight": graph.edge_weights, "type": graph.edge_types}
    for name, values in own.items():
        if values is not None and name in columns:
            raise ValueError(f"an edge feature named {name!r} would hide the edges' own {name}")
        if values is not None:
            columns[name] = values.tolist()
    return [
        {name: values[edge] for name, values in columns.items()} for edge in range(graph.n_edges)
    ]
