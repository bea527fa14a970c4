"""From igraph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphtrees._optional import require
from graphtrees.graphs.collection import Graphs
from graphtrees.graphs.convert._attributed import Attributed, AttributeNames, assemble
from graphtrees.graphs.convert._many import objects_of
from graphtrees.graphs.graph import Graph
from graphtrees.graphs.validation.keywords import suggests_keywords


@suggests_keywords
def from_igraph(
    graphs: Any,
    features: Sequence[str] | None = None,
    *,
    weight: str | None = "weight",
    edge_type: str | None = None,
    edge_features: Sequence[str] | None = None,
) -> Graph | Graphs:
    """Read one igraph graph, or a list of them.

    The vertex attribute ``name``, where there is one, names the vertices.

    Parameters
    ----------
    graphs : igraph.Graph, or iterable of them
        One gives a `Graph`, many give `Graphs`.
    features : list of str, optional
        The vertex attributes to use, as for `from_networkx`; None is missing. Default: every
        attribute but ``name`` that can be a feature, sorted by name.
    weight, edge_type, edge_features
        Edge attributes, as for `from_networkx`.

    Returns
    -------
    Graph or Graphs

    Examples
    --------
    >>> import igraph
    >>> from graphtrees.graphs import from_igraph
    >>> ring = igraph.Graph.Ring(4)
    >>> ring.vs["size"] = [1.0, 2.0, 3.0, 4.0]
    >>> from_igraph(ring)
    Graph(n_vertices=4, n_edges=4, n_features=1)
    """
    igraph = require("igraph", extra="igraph", purpose="from_igraph")
    items, single = objects_of(graphs, igraph.Graph, "from_igraph reads igraph graphs")
    names = AttributeNames(features, weight, edge_type, edge_features)
    return assemble([_read(item) for item in items], names, single)


def _read(graph: Any) -> Attributed:
    names = graph.vs["name"] if "name" in graph.vs.attributes() else None
    return Attributed(
        directed=graph.is_directed(),
        vertices=_rows(graph.vs, but="name"),
        names=names,
        edges=graph.get_edgelist(),
        edge_attributes=_rows(graph.es),
    )


def _rows(sequence: Any, but: str | None = None) -> list[dict]:
    """The attributes of each vertex or edge; igraph keeps them by column, None where absent."""
    columns = {name: sequence[name] for name in sequence.attributes() if name != but}
    return [
        {name: values[row] for name, values in columns.items() if values[row] is not None}
        for row in range(len(sequence))
    ]
