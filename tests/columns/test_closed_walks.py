"""Closed walks, counted by threads that have a stretch of the graphs each."""

from __future__ import annotations

import numpy as np
import pytest

import graphtrees as gt
from graphtrees._threads import Workers
from graphtrees.columns.closed_walks import closed_walks
from graphtrees.questions.operators import build_operators


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("directed", [True, False], ids=["directed", "undirected"])
def test_they_are_the_diagonal_of_the_power(directed, length, n_threads):
    rng = np.random.default_rng(length)
    graphs = gt.Graphs(
        gt.Graph(
            None, rng.integers(0, max(n, 1), (3 * n, 2)), n_vertices=n, directed=directed,
            edge_weights=rng.integers(-2, 3, 3 * n),
        )
        for n in (4, 0, 300, 1, 260, 5, 280)
    )  # fmt: skip
    expected = [
        np.linalg.matrix_power(graph.adjacency().toarray(), length).diagonal() for graph in graphs
    ]
    (operator,) = build_operators(graphs.flat, ("adjacency",))
    with Workers(n_threads) as workers:
        counted = closed_walks(operator, graphs.flat.vertex_ptr, length, workers)
    assert counted.tolist() == np.concatenate(expected).tolist()
