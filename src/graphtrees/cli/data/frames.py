"""Rows of files as the tables that `from_tables` reads, and its errors with files and lines."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from graphtrees._optional import require
from graphtrees.cli.data.columns import Rows
from graphtrees.cli.data.reading import Reading
from graphtrees.cli.errors import UserError

KEYS = {
    "vertices": ("id_column", "graph_column"),
    "edges": ("source_column", "target_column", "graph_column"),
    "graphs": ("graph_column",),
}


def feature_columns(reading: Reading, columns: list[str]) -> list[str]:
    """The columns of vertices to learn from: those asked for, or all that are nothing else."""
    if reading.features is not None:
        return list(reading.features)
    others = (reading.id_column, reading.graph_column, reading.target)
    return [name for name in columns if name not in others]


def make_frames(tables: dict[str, Rows], reading: Reading, features: list[str]) -> dict[str, Any]:
    """The columns that matter, ids as text, features as numbers or categories."""
    pandas = require("pandas", extra="pandas", purpose="reading tables")
    frames: dict[str, dict[str, Any]] = {name: {} for name in tables}
    for name in features:
        frames["vertices"][name] = _feature(tables["vertices"], name, reading, pandas)
    for column in (reading.weight, *reading.edge_features):
        if column is not None:
            frames["edges"][column] = tables["edges"].values(column, exact=True)
    if reading.edge_type is not None:
        frames["edges"][reading.edge_type] = tables["edges"].ids(reading.edge_type)
    for name, rows in tables.items():
        for option in KEYS[name]:
            column = getattr(reading, option)
            if column in rows.columns:
                frames[name][column] = _objects(rows.ids(column, option))
    return {name: pandas.DataFrame(columns) for name, columns in frames.items()}


def _feature(rows: Rows, name: str, reading: Reading, pandas: Any) -> Any:
    as_text = name in reading.as_text
    values = rows.values(name, as_text, exact=reading.exact and not as_text)
    return pandas.Categorical(values) if values.dtype == object else values


def _objects(items: list[str]) -> np.ndarray:
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def with_place(error: Exception, tables: dict[str, Rows]) -> UserError:
    """An error of `from_tables` with the file and the line in it."""
    text = str(error)
    name = text.partition(":")[0]
    if name not in tables:
        return UserError(text)
    rows = tables[name]
    placed = re.sub(r"\brow (\d+)\b", lambda found: rows.places[int(found[1])], text)
    return UserError(placed.replace(name, str(rows.file.path), 1))
