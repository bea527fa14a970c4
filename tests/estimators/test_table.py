"""The table of a model: exactly the columns that are promised, each with what is promised."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest
from builders import a_graph, some_graphs
from models import CLASSIFIERS, SIX, name_of, small

import graphtrees as gt

COLUMNS = [
    "tree", "output", "node", "depth", "feature", "feature_index", "category", "walk_length",
    "operator", "pointer", "sign", "walk_type", "aggregator", "threshold", "missing_goes", "left",
    "right", "gain", "n_samples", "value",
]  # fmt: skip


@cache
def fitted(kind: type, about: str):
    graphs = gt.Graphs(
        a_graph(5, seed=seed, directed=True, feature_names=["age", "size"]) for seed in range(20)
    )
    X = graphs if about == "graphs" else graphs.vertices[::2]
    given = {"operators": ("adjacency", "reverse", "mean"), "max_leaf_nodes": 8}
    return small(kind, **given).fit(X, np.arange(len(X)) % 3), X


@pytest.fixture(params=[(kind, about) for kind in SIX for about in ("graphs", "vertices")],
                ids=lambda p: f"{name_of(p[0])}-{p[1]}")  # fmt: skip
def told(request) -> pd.DataFrame:
    model, _ = fitted(*request.param)
    frame = model.trees_to_dataframe()
    frame.attrs = {"kind": request.param[0], "about": request.param[1], "model": model}
    return frame


def splits_of(frame):
    return frame[frame["left"] >= 0]


def test_the_columns_are_those_promised(told):
    assert told.columns.tolist() == COLUMNS


def test_trees_and_nodes_are_numbered_from_zero(told):
    assert sorted(told["tree"].unique()) == list(range(told["tree"].max() + 1))
    for _, tree in told.groupby("tree"):
        assert tree["node"].tolist() == list(range(len(tree)))
        assert tree["depth"].iloc[0] == 0


def test_children_come_after_their_parent_one_deeper(told):
    for _, tree in told.groupby("tree"):
        nodes = tree.set_index("node")
        splits = splits_of(nodes)
        children = np.r_[splits["left"], splits["right"]]
        assert sorted(children) == list(range(1, len(nodes)))
        for side in ("left", "right"):
            assert (splits[side] > splits.index).all()
            assert (nodes.loc[splits[side], "depth"].to_numpy() == splits["depth"] + 1).all()


def test_a_split_names_its_question(told):
    splits = splits_of(told)
    features = ["age", "size", "1"]
    assert splits["feature"].tolist() == [features[i] for i in splits["feature_index"]]
    assert splits["category"].isna().all()
    assert splits["walk_length"].isin([0, 1, 2]).all()
    assert splits["operator"].isin(["adjacency", "reverse", "mean"]).all()
    assert splits["walk_type"].isin(["source", "cycle", "target", "target_source"]).all()
    assert splits["missing_goes"].isin(["left", "right"]).all()
    assert np.isfinite(splits["threshold"]).all()
    assert (splits["gain"] > 0).all()
    if told.attrs["about"] == "graphs":
        assert splits["aggregator"].isin(["sum", "mean", "min", "max"]).all()
    else:
        assert splits["aggregator"].isna().all()
        assert splits["walk_type"].isin(["source", "cycle"]).all()


def test_a_pointer_is_an_ancestor_at_most_two_edges_up_with_a_sign(told):
    for _, tree in told.groupby("tree"):
        parent = {}
        for _, row in splits_of(tree).iterrows():
            parent[row["left"]] = parent[row["right"]] = row["node"]
        for _, row in splits_of(tree).iterrows():
            near = [row["node"], parent.get(row["node"]), parent.get(parent.get(row["node"]))]
            assert row["pointer"] in near
            if row["pointer"] == row["node"]:
                assert row["sign"] is None
            else:
                assert row["sign"] in ("+", "-")


def test_a_leaf_has_no_question(told):
    leaves = told[told["left"] < 0]
    assert (leaves["right"] == -1).all()
    assert (leaves["feature_index"] == -1).all()
    for name in ("feature", "category", "operator", "sign", "walk_type", "aggregator"):
        assert leaves[name].isna().all()


def test_values_are_one_number_or_one_per_class(told):
    for value in told["value"]:
        if told.attrs["kind"] in (gt.GraphTreeClassifier, gt.GraphForestClassifier):
            assert len(value) == 3
            assert sum(value) == pytest.approx(1.0)
        else:
            assert isinstance(value, float)


def test_outputs_are_the_classes_that_trees_speak_for(told):
    if told.attrs["kind"] is gt.GraphBoostingClassifier:
        assert told.groupby("tree")["output"].first().tolist() == [0, 1, 2] * 3
    elif told.attrs["kind"] not in CLASSIFIERS:
        assert (told["output"] == 0).all()


def test_importances_are_shares_of_the_gain(told):
    splits = splits_of(told)
    gains = np.bincount(splits["feature_index"], weights=splits["gain"], minlength=3)
    model = told.attrs["model"]
    importances = np.r_[model.feature_importances_, model.constant_importance_]
    np.testing.assert_allclose(importances, gains / gains.sum())
    assert importances.shape == (3,)


@pytest.mark.parametrize("kind", [gt.GraphBoostingClassifier, gt.GraphBoostingRegressor],
                         ids=name_of)  # fmt: skip
@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_the_decision_is_the_start_plus_the_leaves_times_the_learning_rate(kind, about):
    model, X = fitted(kind, about)
    frame = model.trees_to_dataframe().set_index(["tree", "node"])
    leaves = model.apply(X)
    said = np.tile(model.init_, (len(X), 1))
    for tree in range(leaves.shape[1]):
        output = frame.loc[(tree, 0), "output"]
        said[:, output] += model.learning_rate * frame.loc[tree].loc[leaves[:, tree], "value"]
    got = model.decision_function(X) if kind in CLASSIFIERS else model.predict(X)[:, None]
    np.testing.assert_allclose(got, said, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", [gt.GraphBoostingClassifier, gt.GraphBoostingRegressor],
                         ids=name_of)  # fmt: skip
def test_the_last_stage_is_the_prediction(kind):
    model, X = fitted(kind, "graphs")
    stages = list(model.staged_predict(X))
    assert len(stages) == model.n_iter_
    np.testing.assert_array_equal(stages[-1], model.predict(X))


def test_a_tree_that_speaks_for_all_classes_holds_a_value_for_each():
    X = some_graphs(20)
    model = small(gt.GraphBoostingClassifier, multi_strategy="multi_output_tree")
    frame = model.fit(X, np.arange(20) % 3).trees_to_dataframe()
    assert frame["tree"].nunique() == 3
    assert all(len(value) == 3 for value in frame["value"])
