"""Validate features of whole graphs: a table or an array with a row for each graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphtrees.graphs.flat import GraphFeatures
from graphtrees.graphs.frames import is_frame, read_frame
from graphtrees.graphs.validation.features import check_names, read_matrix
from graphtrees.graphs.validation.numbers import check_range

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
    if len(values) != n_graphs:
        raise ValueError(f"graph_features has {len(values)} rows for {n_graphs} graphs")
    numbered = [f"g{k}" for k in range(values.shape[1])]
    return check_graph_features(values, numbered if names is None else names, categories)


def check_graph_features(
    values: np.ndarray, names: Sequence[str], categories: dict[int, tuple]
) -> GraphFeatures | None:
    """Every column has a name of its own, and no value that the engine cannot hold."""
    checked = check_names(names, WHAT, values.shape[1])
    check_range(values, lambda row, k: f"graph {row}: graph feature {checked[k]!r}", True)
    return GraphFeatures(values.astype(np.float64), checked, categories) if checked else None
