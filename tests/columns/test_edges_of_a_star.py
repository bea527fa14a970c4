"""A star with 10,000 leaves: 50 million pairs of neighbouring edges, none of them written out."""

from __future__ import annotations

import numpy as np
import pytest
from models import FORESTS, SIX, name_of, small

import graphtrees as gt

N_LEAVES = 10_000
COLOUR = np.arange(N_LEAVES + 1) % 7


@pytest.fixture(scope="module")
def star() -> gt.Graph:
    """Vertex 0 is the hub; the first leaf has a leaf of its own."""
    spokes = np.column_stack([np.zeros(N_LEAVES, int), np.arange(1, N_LEAVES + 1)])
    features = np.r_[COLOUR, 0][:, None].astype(float)
    edges = np.vstack([spokes, [1, N_LEAVES + 1]])
    return gt.Graph(features, edges, feature_names=["colour"])


asked = {"max_walk_length": 2, "operators": ("adjacency", "mean"), "max_leaf_nodes": 4}


@pytest.mark.parametrize("kind", SIX, ids=name_of)
def test_the_edges_of_a_large_star_are_told_apart(kind, star):
    y = (star.edge_index[1] % 7 > 3).astype(int)
    y[-1] = 0
    model = small(kind, **asked, max_ancestor_distance=1).fit(star.edges, y)
    if kind not in FORESTS:
        np.testing.assert_array_equal(np.round(model.predict(star.edges)), y)
    explanation = model.explain(star.edges[3])
    assert explanation.edge_importance.shape == (N_LEAVES + 1,)
    assert explanation.edge_importance.sum() == pytest.approx(1.0)
    assert explanation.vertex_importance.shape == (N_LEAVES + 2,)
    assert explanation.vertex_importance.sum() == pytest.approx(1.0)


def test_the_edge_that_misses_the_hub_is_found(star):
    y = np.zeros(N_LEAVES + 1)
    y[-1] = 5.0
    model = gt.GraphTreeRegressor(max_leaf_nodes=2, n_jobs=1).fit(star.edges, y)
    assert model.predict(star.edges[[N_LEAVES]]) == pytest.approx(5.0)
    np.testing.assert_allclose(model.predict(star.edges[:N_LEAVES]), 0.0, atol=1e-12)


def test_every_spoke_is_beside_all_others_and_not_beside_itself():
    spokes = [np.column_stack([np.zeros(n, int), np.arange(1, n + 1)]) for n in (N_LEAVES, 3)]
    graphs = gt.Graphs([gt.Graph(None, edges) for edges in spokes])
    y = np.r_[np.ones(N_LEAVES), np.zeros(3)]
    model = gt.GraphTreeRegressor(max_walk_length=1, max_leaf_nodes=2, n_jobs=1)
    root = model.fit(graphs.edges, y).trees_to_dataframe().iloc[0]
    assert (root["walk_length"], root["threshold"]) == (1, (N_LEAVES - 1 + 2) / 2)
    np.testing.assert_allclose(model.predict(graphs.edges), y, atol=1e-12)
