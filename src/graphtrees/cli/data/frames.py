"""Tables of files as the data frames that `from_tables` reads."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from graphtrees._optional import require
from graphtrees.cli.data.reading import Reading
from graphtrees.cli.data.table import Table
from graphtrees.graphs.convert._tables import Table as NamedFrame
from graphtrees.graphs.labels import object_array

ID_COLUMNS = {
    "vertices": ("id_column", "graph_column"),
    "edges": ("source_column", "target_column", "graph_column"),
    "graphs": ("graph_column",),
}


def make_frames(
    tables: dict[str, Table], reading: Reading, features: list[str], graph_features: list[str]
) -> dict[str, NamedFrame]:
    """Frames of the columns in use: ids as text, features as numbers or categories.

    Errors about a frame name the file and the line.
    """
    pandas = require("pandas", extra="pandas", purpose="reading tables")
    columns: dict[str, dict[str, Any]] = {name: {} for name in tables}
    for name in features:
        columns["vertices"][name] = feature_values(tables["vertices"], name)
    for name in graph_features:
        columns["graphs"][name] = feature_values(tables["graphs"], name)
    for column in (reading.weight, *reading.edge_features):
        if column is not None:
            columns["edges"][column] = tables["edges"].values(column, numbers_only=True)
    if reading.edge_type is not None:
        columns["edges"][reading.edge_type] = tables["edges"].ids(reading.edge_type)
    for name, table in tables.items():
        for option in ID_COLUMNS[name]:
            column = getattr(reading, option)
            if column in table.columns:
                columns[name][column] = object_array(table.ids(column, option))
    return {
        name: NamedFrame(pandas.DataFrame(columns[name]), table.file.name, table.row_name)
        for name, table in tables.items()
    }


def feature_values(table: Table, name: str) -> Any:
    """A column as `from_tables` wants it: numbers, or categories."""
    pandas = require("pandas", extra="pandas", purpose="reading tables")
    if table.has_dates(name):
        return table.days(name)
    values = table.values(name)
    return pandas.Categorical(values) if values.dtype == object else values


def known_edges(tables: dict[str, Table], reading: Reading) -> Table:
    """The edges both of whose ends are vertices; a warning counts the others."""
    vertices, edges, graph = tables["vertices"], tables["edges"], reading.graph_column
    ids = vertices.ids(reading.id_column, "id_column")
    with_graph = graph in vertices.columns and graph in edges.columns
    vertex_graphs = vertices.ids(graph) if with_graph else [None] * len(ids)
    known = set(zip(vertex_graphs, ids, strict=True))
    edge_graphs = edges.ids(graph) if with_graph else [None] * len(edges)
    kept = np.ones(len(edges), bool)
    for option in ("source_column", "target_column"):
        ends = edges.ids(getattr(reading, option), option)
        kept &= [pair in known for pair in zip(edge_graphs, ends, strict=True)]
    if kept.all():
        return edges
    warnings.warn(
        f"{edges.file.name}: {(~kept).sum():,} of {len(kept):,} edges have an end that is no "
        "vertex: left out",
        stacklevel=2,
    )
    return edges.take(np.flatnonzero(kept))
