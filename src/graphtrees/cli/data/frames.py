"""Rows of files as the tables that `from_tables` reads, and its errors with files and lines."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np

from graphtrees._optional import require
from graphtrees.cli.data.columns import Rows
from graphtrees.cli.data.reading import Reading
from graphtrees.cli.errors import UserError
from graphtrees.graphs.labels import object_array

KEYS = {
    "vertices": ("id_column", "graph_column"),
    "edges": ("source_column", "target_column", "graph_column"),
    "graphs": ("graph_column",),
}


def make_frames(
    tables: dict[str, Rows], reading: Reading, features: list[str], graph_features: list[str]
) -> dict[str, Any]:
    """The columns that matter, ids as text, features as numbers or categories."""
    pandas = require("pandas", extra="pandas", purpose="reading tables")
    frames: dict[str, dict[str, Any]] = {name: {} for name in tables}
    for name in features:
        frames["vertices"][name] = feature_values(tables["vertices"], name)
    for name in graph_features:
        frames["graphs"][name] = feature_values(tables["graphs"], name)
    for column in (reading.weight, *reading.edge_features):
        if column is not None:
            frames["edges"][column] = tables["edges"].values(column, numbers_only=True)
    if reading.edge_type is not None:
        frames["edges"][reading.edge_type] = tables["edges"].ids(reading.edge_type)
    for name, rows in tables.items():
        for option in KEYS[name]:
            column = getattr(reading, option)
            if column in rows.columns:
                frames[name][column] = object_array(rows.ids(column, option))
    return {name: pandas.DataFrame(columns) for name, columns in frames.items()}


def feature_values(rows: Rows, name: str) -> Any:
    """A column as `from_tables` wants it: numbers, or categories."""
    pandas = require("pandas", extra="pandas", purpose="reading tables")
    if rows.has_dates(name):
        return rows.days(name)
    values = rows.values(name)
    return pandas.Categorical(values) if values.dtype == object else values


def known_edges(tables: dict[str, Rows], reading: Reading) -> Rows:
    """The edges both of whose ends are vertices; a warning counts the others."""
    vertices, edges, graph = tables["vertices"], tables["edges"], reading.graph_column
    ids = vertices.ids(reading.id_column, "id_column")
    with_graph = graph in vertices.columns and graph in edges.columns
    owners = vertices.ids(graph) if with_graph else [None] * len(ids)
    known = set(zip(owners, ids, strict=True))
    of_edges = edges.ids(graph) if with_graph else [None] * len(edges)
    both = np.ones(len(edges), bool)
    for option in ("source_column", "target_column"):
        ends = edges.ids(getattr(reading, option), option)
        both &= [pair in known for pair in zip(of_edges, ends, strict=True)]
    if both.all():
        return edges
    warnings.warn(
        f"{edges.file.shown}: {(~both).sum():,} of {len(both):,} edges have an end that is no "
        "vertex: left out",
        stacklevel=2,
    )
    return edges.take(np.flatnonzero(both))


def with_place(error: Exception, tables: dict[str, Rows]) -> UserError:
    """An error of `from_tables` with the file and the line in it."""
    text = str(error)
    name = text.partition(":")[0]
    if name not in tables:
        return UserError(text)
    rows = tables[name]
    placed = re.sub(
        r"\brow (\d+)\b", lambda m: rows.file.place(int(rows.frame.index[int(m[1])])), text
    )
    hint = "; --unknown-ids drop leaves such edges out" if " is no vertex" in text else ""
    return UserError(placed.replace(name, rows.file.shown, 1) + hint)
