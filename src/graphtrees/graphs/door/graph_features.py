"""Features of whole graphs at the door: a table or an array with a row for each graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees.graphs.door.features import check_names, read_matrix
from graphtrees.graphs.door.numbers import check_range
from graphtrees.graphs.frames import is_frame, read_frame
from graphtrees.graphs.graph_features import GraphFeatures

WHAT = "graph_features"


def read_graph_features(table: Any, n_graphs: int) -> GraphFeatures | None:
    """Values, names and categories; None for a table without columns."""
    if hasattr(table, "to_frame"):  # one column of a table
        table = table.to_frame()
    if is_frame(table):
        values, names, categories = read_frame(table, WHAT)
    else:
        hint = " Give a DataFrame for categorical columns."
        values, names, categories = read_matrix(table, WHAT, "n_graphs", hint), None, {}
    n_rows, n_columns = values.shape
    if n_rows != n_graphs:
        raise ValueError(f"graph_features has {n_rows} rows for {n_graphs} graphs")
    listed = [f"g{k}" for k in range(n_columns)] if names is None else names
    checked = check_names(listed, f"{WHAT}: the columns", n_columns)
    check_range(values, lambda row, k: f"graph {row}: graph feature {checked[k]!r}", True)
    if not n_columns:
        return None
    return GraphFeatures(values.astype(np.float64), checked, categories)
