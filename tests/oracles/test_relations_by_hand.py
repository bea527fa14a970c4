"""The oracle's relations, labels and line graphs, each on a graph small enough to see."""

from __future__ import annotations

import numpy as np
import pandas as pd

import graphtrees as gt
from oracles.dense import dense
from oracles.lines import dense_lines, edge_columns


def two_roads(directed: bool = False) -> gt.Graph:
    """Vertices 0, 1, 2; two parallel roads from 0 to 1, a path from 1 to 2."""
    return gt.Graph(
        [[1.0], [10.0], [np.nan]],
        [(0, 1), (0, 1), (1, 2)],
        directed=directed,
        edge_weights=[2.0, -0.5, 3.0],
        edge_types=["road", "road", "path"],
        edge_features=pd.DataFrame({"toll": [4.0, 0.0, -1.0]}),
    )


def test_a_type_keeps_the_weights_of_its_edges_and_a_column_is_its_own():
    operators = dense(two_roads(directed=True)).operators
    assert operators["adjacency"].tolist() == [[0, 0, 0], [1.5, 0, 0], [0, 3, 0]]
    assert operators["road"].tolist() == [[0, 0, 0], [1.5, 0, 0], [0, 0, 0]]
    assert operators["path"].tolist() == [[0, 0, 0], [0, 0, 0], [0, 3, 0]]
    assert operators["toll"].tolist() == [[0, 0, 0], [4, 0, 0], [0, -1, 0]]
    assert operators["reverse:toll"].tolist() == [[0, 4, 0], [0, 0, -1], [0, 0, 0]]
    assert operators["mean:toll"].tolist() == [[0, 0, 0], [1, 0, 0], [0, -1, 0]]
    assert operators["mean"] is operators["mean:adjacency"]


def test_a_label_is_one_where_it_is_carried_and_missing_or_unknown_is_none_of_them():
    kind = pd.Categorical(["red", None, "violet"])
    told = dense(gt.Graph(pd.DataFrame({"kind": kind}), []), labels={0: ("blue", "red")})
    assert told.features.tolist() == [[0, 1, 1], [0, 0, 1], [0, 0, 1]]
    assert told.columns == ((0, "blue"), (0, "red"), (1, None))


def test_edges_are_neighbours_once_for_every_end_they_share():
    lines = dense_lines(two_roads(), {1: ("path", "road")})
    assert lines.operators["adjacency"].tolist() == [[0, 2, 1], [2, 0, 1], [1, 1, 0]]


def test_directed_edges_follow_head_to_tail_and_a_loop_follows_itself():
    graph = gt.Graph(None, [(0, 1), (1, 1), (1, 2)], directed=True)
    lines = dense_lines(graph, {})
    # Entry [i, j]: edge j is followed by edge i.
    assert lines.operators["adjacency"].tolist() == [[0, 0, 0], [1, 1, 0], [1, 1, 0]]


def test_an_edge_has_what_it_has_and_what_its_ends_have():
    told = {column.name: column.cells for column in edge_columns(two_roads())}
    assert list(told) == ["weight", "type", "toll", "sum of x0", "least x0", "largest x0"]
    assert told["type"] == ["road", "road", "path"]
    np.testing.assert_equal(told["sum of x0"], [11.0, 11.0, np.nan])
    assert told["least x0"] == [1.0, 1.0, 10.0]
    directed = {column.name: column.cells for column in edge_columns(two_roads(directed=True))}
    assert directed["source x0"] == [1.0, 1.0, 10.0]
    np.testing.assert_equal(directed["target x0"], [10.0, 10.0, np.nan])
