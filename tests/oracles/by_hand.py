"""Graphs and tables of trees small enough to work out on paper."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from graphtrees.graphs.graph import Graph
from oracles.dense import DenseGraph, dense
from oracles.questions import Question
from oracles.replay import COLUMNS

NO_EDGES = np.zeros((0, 2), dtype=int)


def a_graph(features, edges=NO_EDGES, **kwargs: Any) -> DenseGraph:
    """A graph with one feature (a list of numbers) or several (a list of rows)."""
    values = np.array(features, dtype=float)
    values = values[:, None] if values.ndim == 1 else values
    return dense(Graph(values, np.array(edges).reshape(-1, 2), **kwargs))


def a_path(features=(1.0, 10.0, 100.0)) -> DenseGraph:
    """0 – 1 – 2."""
    return a_graph(features, [(0, 1), (1, 2)])


def crossed_graphs() -> tuple[DenseGraph, DenseGraph]:
    """The pair of Lemma 4.3: four corners, joined along one diagonal or the other.

    vertex   0       1        2        3
    corner   (1,1)   (1,-1)   (-1,1)   (-1,-1)
    """
    corners = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    return a_graph(corners, [(0, 3)]), a_graph(corners, [(1, 2)])


def circulant(n: int, steps: tuple[int, ...]) -> DenseGraph:
    """Vertices on a ring, each joined to those that many places on; no features."""
    edges = [(i, (i + step) % n) for step in steps for i in range(n)]
    return dense(Graph(None, np.array(edges), n_vertices=n))


def ask(feature: int = 0, walk_length: int = 0, **kwargs: Any) -> Question:
    """A question; by default the sum of the first feature over the whole graph."""
    asked = {
        "operator": "adjacency",
        "pointer": 0,
        "sign": None,
        "walk_type": "source",
        "aggregator": "sum",
    } | kwargs
    return Question(feature=feature, walk_length=walk_length, **asked)


def subset(n_vertices: int, *vertices: int) -> np.ndarray:
    mask = np.zeros(n_vertices, dtype=bool)
    mask[list(vertices)] = True
    return mask


def a_leaf(node: int, value: Any, **kwargs: Any) -> dict[str, Any]:
    blank = dict.fromkeys(COLUMNS) | {"tree": 0, "output": 0, "depth": 0, "n_samples": 1}
    return blank | {"node": node, "feature_index": -1, "value": value} | kwargs


def a_split(
    node: int, question: Question, threshold: float, left: int, right: int, **kwargs: Any
) -> dict[str, Any]:
    asked = question._asdict()
    asked["feature_index"] = asked.pop("feature")
    cells = {"threshold": threshold, "left": left, "right": right, "missing_goes": "left"}
    return a_leaf(node, 0.0) | asked | cells | kwargs


def a_table(*rows: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(COLUMNS))
