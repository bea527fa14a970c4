"""From tables of vertices and edges: pandas, polars or Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graphtrees.graphs.collection import Graphs
from graphtrees.graphs.convert._tables import Table, find_ends, read_members
from graphtrees.graphs.flat import GraphFeatures, starts_of
from graphtrees.graphs.graph import Graph
from graphtrees.graphs.validation import Attributes, build_graphs
from graphtrees.graphs.validation.arguments import as_name, as_names
from graphtrees.graphs.validation.features import check_graph_features
from graphtrees.graphs.validation.keywords import suggests_keywords
from graphtrees.graphs.validation.where import GRAPH_NUMBER


@suggests_keywords
def from_tables(
    vertices_df: Any,
    edges_df: Any,
    graphs_df: Any = None,
    *,
    vertex_id: str = "id",
    source: str = "source",
    target: str = "target",
    graph_id: str = "graph_id",
    features: Sequence[str] | None = None,
    weight: str | None = None,
    edge_type: str | None = None,
    edge_features: Sequence[str] | None = None,
    graph_features: Sequence[str] | None = None,
    directed: bool = False,
) -> Graph | Graphs:
    """Read a table of vertices and a table of edges (pandas, polars or Arrow).

    Parameters
    ----------
    vertices_df : table with a row for each vertex
        Holds `vertex_id`, the features and, for many graphs, `graph_id`: then vertex ids need to
        be unique only within their graph. With a `graph_id` the result is `Graphs`, else a
        `Graph`.
    edges_df : table with a row for each edge
        Holds `source` and `target`, which are vertex ids. With many graphs it holds `graph_id`
        too, unless every vertex id is unique.
    graphs_df : table with a row for each graph, optional
        Holds `graph_id`. Gives the order of the graphs, so that its other columns can serve as
        labels, the `graph_features`, and graphs without vertices. Default: the order in which
        graphs first appear among the vertices.
    vertex_id, source, target, graph_id : str
        Names of columns.
    features : list of str, optional
        Columns of `vertices_df`. Default: every column that is not an id.
    weight, edge_type : str, optional
        Columns of `edges_df` with a weight for each edge, and with its relation.
    edge_features : list of str, optional
        Columns of `edges_df` that become weighted relations.
    graph_features : list of str, optional
        Columns of `graphs_df` with numbers or categories of whole graphs; see `Graphs`. Default:
        none, because the labels may be among them.
    directed : bool, default=False
        Whether edges lead from source to target only.

    Returns
    -------
    Graph or Graphs
        Vertices are named by their ids.

    Raises
    ------
    ValueError
        A column is not there, an id is missing or repeats, or an edge names a vertex that is not
        in the table.

    Examples
    --------
    >>> import pandas as pd
    >>> from graphtrees.graphs import from_tables
    >>> people = pd.DataFrame({"id": ["ann", "bob"], "age": [31, 25]})
    >>> calls = pd.DataFrame({"source": ["ann"], "target": ["bob"]})
    >>> from_tables(people, calls)
    Graph(n_vertices=2, n_edges=1, n_features=1)
    """
    weight, edge_type = as_name(weight, "weight"), as_name(edge_type, "edge_type")
    edge_features = as_names(edge_features, "edge_features", "columns")
    vertices, edges = _as_table(vertices_df, "vertices"), _as_table(edges_df, "edges")
    graphs = None if graphs_df is None else _as_table(graphs_df, "graphs")
    _check_graph_column(vertices, edges, graphs, graph_id)
    members = read_members(vertices, graphs, vertex_id, graph_id)
    ends = find_ends(edges, members, source, target, graph_id)
    owner = members.owner[ends[0]]
    order = np.argsort(owner, kind="stable")
    names = _feature_columns(vertices, features, (vertex_id, graph_id))
    values, categories = vertices.numbers(names)
    given = Attributes(
        features=values[members.order],
        feature_names=names,
        categories=categories,
        edge_weights=None if weight is None else edges.complete_numbers([weight])[order, 0],
        edge_types=None if edge_type is None else edges.ids(edge_type)[order],
        edge_features=edges.complete_numbers(edge_features)[order] if edge_features else None,
        edge_feature_names=edge_features,
        vertex_names=members.ids[members.order],
    )
    flat = build_graphs(
        members.vertex_ptr,
        starts_of(np.bincount(owner, minlength=members.n_graphs)),
        members.number[ends][:, order],
        directed,
        given,
        None if members.graph_keys is None else GRAPH_NUMBER,
    )
    if graph_features is not None:
        flat = replace(flat, graph_features=_graph_columns(graphs, graph_features))
    return Graph._of(flat) if members.graph_keys is None else Graphs._of(flat)


def _as_table(frame: Any, name: str) -> Table:
    """The command line passes a `Table`, whose messages name files and lines."""
    return frame if isinstance(frame, Table) else Table(frame, name)


def _graph_columns(graphs: Table | None, asked: Sequence[str]) -> GraphFeatures | None:
    """Columns of the table of graphs, whose rows are the graphs in order."""
    if graphs is None:
        raise ValueError("graph_features names columns of graphs_df, which is not given")
    columns = as_names(asked, "graph_features", "columns") or []
    values, categories = graphs.numbers(columns)
    return check_graph_features(values, columns, categories)


def _check_graph_column(vertices: Table, edges: Table, graphs: Table | None, graph_id: str) -> None:
    if graph_id in vertices:
        return
    others = [edges.name] if graph_id in edges else []
    others += [] if graphs is None else [graphs.name]
    if others:
        raise ValueError(
            f"{vertices.name}: no column {graph_id!r} says which graph a vertex belongs to; "
            f"{others[0]} has one"
        )


def _feature_columns(
    vertices: Table, asked: Sequence[str] | None, ids: tuple[str, str]
) -> list[str]:
    chosen = as_names(asked, "features", "columns")
    return [n for n in vertices.columns if n not in ids] if chosen is None else chosen
