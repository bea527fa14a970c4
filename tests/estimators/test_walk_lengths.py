"""`max_walk_length` may differ from feature to feature."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import graphtrees as gt


def some_graphs(n: int = 60):
    rng = np.random.default_rng(0)
    graphs = []
    for _ in range(n):
        size = int(rng.integers(4, 9))
        edges = [(i, i + 1) for i in range(size - 1)]
        features = pd.DataFrame(rng.integers(0, 4, (size, 3)), columns=["a", "b", "c"])
        graphs.append(gt.Graph(features, edges))
    return graphs, rng.normal(size=n)


def walk_lengths_used(model) -> dict[str, int]:
    table = model.trees_to_dataframe()
    splits = table[table["feature_index"] >= 0]
    return splits.groupby("feature")["walk_length"].max().to_dict()


def estimators():
    return [
        gt.GraphBoostingRegressor(30, max_bins=None, min_samples_leaf=1),
        gt.GraphBoostingRegressor(30, min_samples_leaf=1),
        gt.GraphForestRegressor(10, random_state=0),
    ]


@pytest.mark.parametrize("model", estimators(), ids=["exact", "binned", "forest"])
@pytest.mark.parametrize("of", ["graphs", "vertices"])
def test_a_feature_is_walked_no_further_than_its_own_limit(model, of):
    graphs, y = some_graphs()
    X = graphs
    if of == "vertices":
        X = gt.Vertices(gt.Graphs(graphs))
        y = np.random.default_rng(1).normal(size=len(X))
    used = walk_lengths_used(model.set_params(max_walk_length={"a": 0, "b": 1}).fit(X, y))
    assert used["a"] == 0
    assert used["b"] == 1
    assert used["c"] == 2
    assert max(used.values()) == 2


def test_a_dict_by_place_and_a_list_mean_the_same():
    graphs, y = some_graphs()
    by_name = gt.GraphBoostingRegressor(10, max_walk_length={"a": 0, "c": 1}).fit(graphs, y)
    by_place = gt.GraphBoostingRegressor(10, max_walk_length={0: 0, 2: 1}).fit(graphs, y)
    listed = gt.GraphBoostingRegressor(10, max_walk_length=[0, 2, 1]).fit(graphs, y)
    np.testing.assert_array_equal(by_name.predict(graphs), by_place.predict(graphs))
    np.testing.assert_array_equal(by_name.predict(graphs), listed.predict(graphs))


def test_the_same_limit_for_all_is_the_plain_number():
    graphs, y = some_graphs()
    number = gt.GraphBoostingRegressor(10, max_walk_length=2).fit(graphs, y)
    listed = gt.GraphBoostingRegressor(10, max_walk_length=np.full(3, 2)).fit(graphs, y)
    np.testing.assert_array_equal(number.predict(graphs), listed.predict(graphs))


def test_exempt_features_are_as_good_as_graphs_without_edges():
    """Walk length 0 for all features and no constant: edges play no part."""
    graphs, y = some_graphs()
    bare = [gt.Graph(pd.DataFrame(g.features, columns=["a", "b", "c"]), []) for g in graphs]
    settings = {"n_estimators": 10, "add_constant": False}
    exempt = gt.GraphBoostingRegressor(max_walk_length=[0, 0, 0], **settings).fit(graphs, y)
    alone = gt.GraphBoostingRegressor(max_walk_length=0, **settings).fit(bare, y)
    np.testing.assert_array_equal(exempt.predict(graphs), alone.predict(bare))


def test_a_model_with_a_dict_is_saved_and_loaded(tmp_path):
    graphs, y = some_graphs()
    model = gt.GraphBoostingRegressor(5, max_walk_length={"a": 0, 1: 1}).fit(graphs, y)
    model.save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    assert again.get_params()["max_walk_length"] == {"a": 0, 1: 1}
    np.testing.assert_array_equal(model.predict(graphs), again.predict(graphs))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"aa": 1}, "names the feature 'aa', which X does not have; did you mean 'a'"),
        ({7: 1}, "names the feature 7, which X does not have"),
        ([1, 2], "has 2 numbers; X has 3 features"),
        ({"a": -1}, "must be an integer from 0 to 1000 or a dict"),
        ("a", "must be an integer from 0 to 1000 or a dict"),
    ],
)
def test_wrong_limits_are_refused(value, message):
    graphs, y = some_graphs(10)
    with pytest.raises(ValueError, match=message):
        gt.GraphBoostingRegressor(max_walk_length=value).fit(graphs, y)
