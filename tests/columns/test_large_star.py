"""A star with 100,000 leaves: one vertex that everything passes through."""

from __future__ import annotations

import numpy as np
import pytest
from models import FORESTS, SIX, name_of, small

import graphtrees as gt

N_LEAVES = 100_000
COLOUR = np.arange(N_LEAVES + 1) % 7


def a_star(n_leaves: int) -> gt.Graph:
    """Vertex 0 is the hub; the feature of a vertex is its colour, 0 … 6."""
    edges = np.column_stack([np.zeros(n_leaves, int), np.arange(1, n_leaves + 1)])
    return gt.Graph(COLOUR[: n_leaves + 1, None].astype(float), edges)


@pytest.fixture(scope="module")
def star() -> gt.Graph:
    return a_star(N_LEAVES)


asked = {"max_walk_length": 2, "operators": ("adjacency", "mean"), "max_leaf_nodes": 4}


@pytest.mark.parametrize("kind", SIX, ids=name_of)
def test_a_large_star_is_one_graph_among_others(kind, star):
    X = [star, *(a_star(n) for n in (10, 20, 30, 40, 50))]
    model = small(kind, **asked).fit(X, [1, 0, 0, 0, 1, 1])
    assert np.isfinite(model.predict(X)).all()
    if kind not in FORESTS:
        assert model.predict(X[:1]) == model.predict(X[5:]), "both are large, and nothing else"


@pytest.mark.parametrize("kind", SIX, ids=name_of)
def test_the_vertices_of_a_large_star_are_told_apart(kind, star):
    y = (COLOUR > 3).astype(int)
    model = small(kind, **asked, max_ancestor_distance=1).fit(star.vertices, y)
    np.testing.assert_array_equal(np.round(model.predict(star.vertices)), y)


def test_the_hub_is_found_among_its_leaves(star):
    y = np.zeros(N_LEAVES + 1)
    y[0] = 5.0
    model = gt.GraphTreeRegressor(max_leaf_nodes=2, n_jobs=1).fit(star.vertices, y)
    root = model.trees_to_dataframe().iloc[0]
    assert (root["walk_length"], root["walk_type"]) == (1, "source")
    assert model.predict(star.vertices[[0]]) == pytest.approx(5.0)
    np.testing.assert_allclose(model.predict(star.vertices[1:]), 0.0, atol=1e-12)


@pytest.mark.parametrize("walk_length", [1, 2])
def test_walks_through_the_hub_are_counted_exactly(star, walk_length):
    """As many walks of length one end at the hub as there are leaves; of length two, at a leaf."""
    X = [gt.Graph(None, g.edge_index.T) for g in (star, a_star(N_LEAVES - 1))]
    aggregator = "max" if walk_length == 1 else "min"
    asked = {"max_walk_length": walk_length, "aggregators": (aggregator,)}
    model = gt.GraphTreeRegressor(max_leaf_nodes=2, n_jobs=1, **asked).fit(X, [1.0, 0.0])
    root = model.trees_to_dataframe().iloc[0]
    assert (root["walk_length"], root["threshold"]) == (walk_length, N_LEAVES - 0.5)
    assert model.predict(X).tolist() == [1.0, 0.0]
