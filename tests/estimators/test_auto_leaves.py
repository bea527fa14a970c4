"""`max_leaf_nodes="auto"` follows the number of examples."""

from __future__ import annotations

import numpy as np
import pytest

import graphtrees as gt


@pytest.mark.parametrize(("n_examples", "leaves"), [(300, 10), (1500, 15), (5000, 31)])
def test_auto_is_one_leaf_for_every_hundred_examples(n_examples, leaves):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n_examples, 3)), rng.normal(size=n_examples)
    model = gt.GraphBoostingRegressor(1, min_samples_leaf=1).fit(X, y)
    assert model.max_leaf_nodes == "auto"
    assert model.get_n_leaves() == leaves


def test_auto_gives_the_trees_of_the_number_it_stands_for():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(400, 3)), rng.normal(size=400)
    auto = gt.GraphBoostingRegressor(5).fit(X, y).predict(X)
    np.testing.assert_array_equal(
        auto, gt.GraphBoostingRegressor(5, max_leaf_nodes=10).fit(X, y).predict(X)
    )
    tree = gt.GraphTreeRegressor(max_leaf_nodes="auto").fit(X, y)
    assert tree.get_n_leaves() == 10


def test_a_saved_tree_of_an_ensemble_keeps_auto(tmp_path):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(100, 2)), rng.normal(size=100)
    tree = gt.GraphBoostingRegressor(2).fit(X, y).estimators_.ravel()[0]
    tree.save(tmp_path / "tree.json")
    np.testing.assert_array_equal(gt.load_model(tmp_path / "tree.json").predict(X), tree.predict(X))
