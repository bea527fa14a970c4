"""Weights, draws and brakes: what a tree sees, and what stops it."""

from __future__ import annotations

import numpy as np
import pytest
from boosting_tasks import (
    assert_same_model,
    both,
    classes,
    classifier,
    examples,
    numbers,
    regressor,
)
from sklearn.ensemble import HistGradientBoostingClassifier

import graphtrees as gt


@both
def test_a_share_of_the_examples_grows_each_tree(about):
    X = examples(about)
    model = regressor(6, subsample=0.4).fit(X, numbers(X))
    roots = model.trees_to_dataframe().query("node == 0")
    assert set(roots["n_samples"]) == {24}
    assert roots["value"].nunique() == 6, "each tree draws anew"


@both
def test_examples_that_were_not_drawn_move_along_too(about):
    """What the run thinks of every example is what the finished model says of it."""
    X = examples(about)
    y = numbers(X)
    model = regressor(6, subsample=0.3).fit(X, y)
    assert model.evals_result_["train"]["loss"][-1] == pytest.approx(
        np.mean((model.predict(X) - y) ** 2), rel=1e-12
    )


@both
def test_an_example_without_weight_is_as_if_it_were_not_there(about):
    X = examples(about)
    y, weight = numbers(X), np.ones(len(X))
    weight[:20] = 0.0
    y[:20] = 1e6
    with_zeros = regressor().fit(X, y, sample_weight=weight)
    without = regressor().fit(X[20:], y[20:])
    np.testing.assert_array_equal(with_zeros.predict(X), without.predict(X))


@both
def test_no_example_without_weight_is_set_aside_for_early_stopping(about):
    X = examples(about)
    y, weight = numbers(X), np.ones(len(X))
    weight[:20] = 0.0
    with_zeros = regressor(30, early_stopping=True).fit(X, y, sample_weight=weight)
    without = regressor(30, early_stopping=True).fit(X[20:], y[20:])
    assert with_zeros.evals_result_ == without.evals_result_
    np.testing.assert_array_equal(with_zeros.predict(X), without.predict(X))


def test_a_class_without_weight_is_known_though_a_part_is_set_aside():
    X = examples("graphs")
    y = classes(X, 3)
    for early_stopping in (False, True):
        model = classifier(3, early_stopping=early_stopping).fit(X, y, sample_weight=y < 2)
        assert model.classes_.tolist() == [0, 1, 2]


@both
def test_feature_fraction_draws_features_for_each_tree(about):
    X = gt.Graphs(
        [
            gt.Graph(np.random.default_rng(k).normal(size=(4, 6)), [(0, 1), (1, 2)])
            for k in range(40)
        ]
    )
    X = X if about == "graphs" else X.vertices[::4]
    y = np.random.default_rng(0).normal(size=40)
    model = regressor(30, feature_fraction=0.3, add_constant=False).fit(X, y)
    frame = model.trees_to_dataframe().query("left >= 0")
    assert frame.groupby("tree")["feature"].nunique().max() <= 2
    assert frame["feature"].nunique() == 6, "in the end every feature has its turn"


@both
def test_a_share_of_the_questions_at_each_node_makes_trees_differ(about):
    X = examples(about)
    y = numbers(X)
    drawn = regressor(20, learning_rate=1e-9, feature_fraction_per_node=0.1).fit(X, y)
    whole = regressor(20, learning_rate=1e-9).fit(X, y)

    def roots(model) -> int:
        asked = ["feature", "walk_length", "walk_type", "aggregator"]
        return len(model.trees_to_dataframe().query("node == 0")[asked].drop_duplicates())

    assert roots(whole) == 1, "without draws each tree sees the same"
    assert roots(drawn) > 3


@both
@pytest.mark.parametrize(
    "given",
    [{"subsample": 0.5}, {"feature_fraction": 0.5}, {"feature_fraction_per_node": 0.3}],
    ids=str,
)
def test_draws_are_seeded(about, given):
    X = examples(about)
    y = classes(X)
    one, again = (classifier(random_state=3, **given).fit(X, y) for _ in range(2))
    assert_same_model(one, again, X)
    other = classifier(random_state=4, **given).fit(X, y)
    assert one.decision_function(X).tobytes() != other.decision_function(X).tobytes()


@both
def test_regularisation_shrinks_leaves_towards_nothing(about):
    X = examples(about)
    y = numbers(X)

    def spread(l2: float) -> float:
        model = regressor(1, l2_regularization=l2, max_leaf_nodes=2).fit(X, y)
        return model.predict(X).std()

    assert spread(0.0) > spread(10.0) > spread(1000.0) > 0.0


@both
def test_a_leaf_is_the_sum_of_residuals_over_weight_and_regularisation(about):
    X = examples(about)
    y = numbers(X)
    model = regressor(1, l2_regularization=7.0).fit(X, y)
    values = model.trees_to_dataframe().set_index("node")["value"]
    leaf = model.apply(X)[:, 0]
    for node in np.unique(leaf):
        left = (y - model.init_[0])[leaf == node]
        assert values[node] == pytest.approx(left.sum() / (len(left) + 7.0))


@both
def test_a_split_must_gain_more_than_the_least_gain(about):
    X = examples(about)
    y = numbers(X)
    gains = regressor(1).fit(X, y).trees_to_dataframe().query("left >= 0")["gain"]
    least = float(gains.median())
    braked = regressor(1, min_gain=least).fit(X, y).trees_to_dataframe().query("left >= 0")["gain"]
    assert len(braked) < len(gains)
    assert (braked > least).all()


def test_the_least_gain_is_that_of_lightgbm():
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    table = rng.integers(1, 60, (160, 4)) / 8.0
    y = np.sin(table[:, 0]) * 3 + table[:, 1] + rng.normal(size=160)
    plain = {"max_walk_length": 0, "max_ancestor_distance": 0, "add_constant": False}
    X = gt.Graph(table, []).vertices
    for least in (20.0, 50.0, 100.0):
        ours = gt.GraphBoostingRegressor(
            3, min_gain=least, max_leaf_nodes=16, min_samples_leaf=5, l2_regularization=0.0, **plain
        ).fit(X, y)  # fmt: skip
        settings = {
            "objective": "regression", "min_gain_to_split": least, "num_leaves": 16,
            "min_data_in_leaf": 5, "min_data_in_bin": 1, "learning_rate": ours.learning_rate,
            "verbose": -1, "num_threads": 1,
        }  # fmt: skip
        theirs = lightgbm.train(
            settings, lightgbm.Dataset(table, y, params=settings), num_boost_round=3
        )
        assert len(ours.trees_to_dataframe()) == len(theirs.trees_to_dataframe())
        np.testing.assert_allclose(ours.predict(X), theirs.predict(table), rtol=1e-5)


@both
def test_class_weights_are_weights_of_the_examples(about):
    X = examples(about)
    y = np.array(["a", "b", "c"])[classes(X, 3)]
    weight = np.array([{"a": 1.0, "b": 4.0, "c": 0.5}[label] for label in y])
    by_class = classifier(class_weight={"b": 4.0, "c": 0.5}).fit(X, y)
    by_example = classifier().fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(by_class.predict_proba(X), by_example.predict_proba(X))


@both
def test_balanced_classes_weigh_the_same(about):
    X = examples(about)
    y = (numbers(X) > np.quantile(numbers(X), 0.8)).astype(int)
    share = y.mean()
    weight = np.where(y == 1, 0.5 / share, 0.5 / (1 - share))
    balanced = classifier(class_weight="balanced").fit(X, y)
    by_hand = classifier().fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(balanced.predict_proba(X), by_hand.predict_proba(X), rtol=1e-6)
    assert balanced.init_[0] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 1.0, 1: 3.5}], ids=str)
def test_class_weights_are_those_of_histogram_boosting(class_weight):
    """Weights of the examples, too, so that no two splits have equal gains."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, 60, (160, 4)) / 8.0
    y = (np.sin(table[:, 0]) * 3 + table[:, 1] + rng.normal(size=160) > 6).astype(int)
    weight = rng.uniform(0.5, 2.0, 160)
    given = {"learning_rate": 0.3, "max_leaf_nodes": 6, "min_samples_leaf": 8}
    given |= {"l2_regularization": 0.5, "class_weight": class_weight}
    ours = gt.GraphBoostingClassifier(5, **given).fit(table, y, sample_weight=weight)
    theirs = HistGradientBoostingClassifier(max_iter=5, early_stopping=False, **given)
    theirs.fit(table, y, sample_weight=weight)
    np.testing.assert_allclose(ours.predict_proba(table), theirs.predict_proba(table), rtol=1e-4)
