"""Walks from one of two subsets, and the rest: the same trees as by walking from both."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphtrees as gt
from graphtrees.columns import making, vertex_columns


def a_task(seed: int, dense: bool) -> tuple[gt.Graph, np.ndarray, np.random.Generator]:
    """A graph with counts at its vertices; on a ring of positive ones every walk brings some."""
    rng = np.random.default_rng(seed)
    n = 40
    ring = np.column_stack([np.arange(n), np.roll(np.arange(n), 1)])
    features = rng.integers(1 if dense else 0, 3, (n, 3)).astype(float)
    edges = np.r_[ring, rng.integers(0, n, (0 if dense else 60, 2))]
    return gt.Graph(features, edges), features, rng


def trees_of(model, X, y):
    """Every column of every node, as text: NaN equals itself."""
    return model.fit(X, y).trees_to_dataframe().to_csv()


@given(seed=st.integers(0, 10**6), dense=st.booleans(), p=st.sampled_from([1.0, 0.5]))
def test_the_rest_of_a_walk_gives_the_trees_of_both_walks(seed, dense, p):
    graph, features, rng = a_task(seed, dense)
    rows = rng.permutation(len(features))[:30]
    y = graph.adjacency() @ features[:, 0] * (features[:, 1] > 1) + rng.integers(0, 2, 40)
    model = gt.GraphTreeRegressor(
        min_samples_leaf=2, max_ancestor_distance=2, walk_type_probability=p, random_state=0
    )  # fmt: skip
    models = []
    for largest in (vertex_columns.LARGEST_WHOLE, 0):  # 0: both subsets are walked from
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(making, "SPARSE_SHARE", 2.0)
            patch.setattr(vertex_columns, "LARGEST_WHOLE", largest)
            models.append(trees_of(model, graph.vertices[rows], y[rows]))
    assert models[0] == models[1]
