"""Forests: what is known of them when nothing is drawn, and what bagging must give when it is."""

from __future__ import annotations

import numpy as np
import pytest
from models import FORESTS, name_of
from pandas.testing import assert_frame_equal
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import graphtrees as gt

N = 150
PLAIN = {"max_walk_length": 0, "max_ancestor_distance": 0, "add_constant": False}
SINGLE = {
    gt.GraphForestClassifier: gt.GraphTreeClassifier,
    gt.GraphForestRegressor: gt.GraphTreeRegressor,
}
THEIRS = {
    gt.GraphForestClassifier: RandomForestClassifier,
    gt.GraphForestRegressor: RandomForestRegressor,
}
both = pytest.mark.parametrize("kind", FORESTS, ids=name_of)


def a_task(kind: type, seed: int = 0, noise: float = 0.3):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 64, (N, 5)) / 8.0
    score = np.sin(X[:, 0]) + X[:, 1] / 3 + noise * rng.normal(size=N)
    y = (score > np.median(score)).astype(int) if kind is gt.GraphForestClassifier else score
    return X, y


@both
def test_a_forest_that_draws_nothing_is_one_tree_many_times(kind):
    X, y = a_task(kind)
    vertices = gt.Graph(X, []).vertices
    forest = kind(3, bootstrap=False, max_features=None, max_leaf_nodes=8, **PLAIN)
    forest.fit(vertices, y)
    tree = SINGLE[kind](max_leaf_nodes=8, **PLAIN).fit(vertices, y)
    frame = forest.trees_to_dataframe()
    for number in range(3):
        one = frame[frame["tree"] == number].reset_index(drop=True).assign(tree=0)
        assert_frame_equal(one, tree.trees_to_dataframe(), check_exact=True)
    np.testing.assert_allclose(forest.predict(vertices), tree.predict(vertices), rtol=1e-15)


@both
def test_a_bootstrap_draws_as_many_as_there_are_and_leaves_a_third_out(kind):
    X, y = a_task(kind)
    forest = kind(20, random_state=0).fit(X, y)
    roots = forest.trees_to_dataframe().query("node == 0")["n_samples"]
    assert 0.58 * N < roots.mean() < 0.69 * N, "1 - 1/e of the examples are drawn at least once"
    fewer = kind(20, max_samples=0.3, random_state=0).fit(X, y)
    assert fewer.trees_to_dataframe().query("node == 0")["n_samples"].max() <= 0.3 * N
    fewest = kind(20, max_samples=10, random_state=0).fit(X, y)
    assert fewest.trees_to_dataframe().query("node == 0")["n_samples"].max() <= 10


@both
def test_the_out_of_bag_score_is_close_to_the_score_on_new_examples(kind):
    X, y = a_task(kind)
    unseen, y_unseen = a_task(kind, seed=1)
    forest = kind(25, oob_score=True, random_state=0).fit(X, y)
    assert forest.score(X, y) > forest.oob_score_ + 0.05, "trees know what they were grown on"
    assert forest.oob_score_ == pytest.approx(forest.score(unseen, y_unseen), abs=0.12)


@both
def test_the_out_of_bag_score_is_close_to_scikit_learns(kind):
    X, y = a_task(kind)
    ours = kind(40, max_features=3, oob_score=True, random_state=0).fit(X, y)
    theirs = THEIRS[kind](40, max_features=3, oob_score=True, random_state=0).fit(X, y)
    assert ours.oob_score_ == pytest.approx(theirs.oob_score_, abs=0.06)


def test_labels_of_pure_noise_are_not_learnt_out_of_bag():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(N, 3)), rng.integers(0, 2, N)
    forest = gt.GraphForestClassifier(25, oob_score=True, random_state=0).fit(X, y)
    assert forest.score(X, y) > 0.95
    assert 0.35 < forest.oob_score_ < 0.65


def test_out_of_bag_votes_are_shares_of_the_classes():
    X, y = a_task(gt.GraphForestClassifier)
    forest = gt.GraphForestClassifier(25, oob_score=True, random_state=0).fit(X, y)
    votes = forest.oob_decision_function_
    assert votes.shape == (N, 2)
    np.testing.assert_allclose(votes.sum(axis=1), 1.0)
    assert forest.oob_score_ == np.mean(votes.argmax(axis=1) == y)


def test_out_of_bag_predictions_are_on_the_scale_of_y():
    X, y = a_task(gt.GraphForestRegressor)
    forest = gt.GraphForestRegressor(25, oob_score=True, random_state=0).fit(X, y + 1000.0)
    assert forest.oob_prediction_.shape == (N,)
    residual = y + 1000.0 - forest.oob_prediction_
    assert forest.oob_score_ == pytest.approx(1 - residual.var() / y.var(), abs=0.01)


@both
def test_an_example_that_every_tree_saw_has_no_out_of_bag_vote(kind):
    X, y = a_task(kind)
    forest = kind(1, oob_score=True, random_state=0).fit(X, y)
    said = forest.oob_decision_function_[:, 0] if hasattr(forest, "oob_decision_function_") else (
        forest.oob_prediction_
    )  # fmt: skip
    n_drawn = forest.trees_to_dataframe()["n_samples"].iloc[0]
    assert np.isnan(said).sum() == n_drawn


@both
def test_a_share_of_the_features_is_rounded_as_in_scikit_learn(kind):
    """Half of five features are two: the draw of one seed is the draw of two at a time."""
    X, y = a_task(kind)
    share = kind(3, max_features=0.5, random_state=0).fit(X, y)
    number = kind(3, max_features=2, random_state=0).fit(X, y)
    assert_frame_equal(share.trees_to_dataframe(), number.trees_to_dataframe())


@both
def test_more_features_on_offer_make_trees_more_alike(kind):
    """Drawing questions is what sets trees apart, beyond the bootstrap."""
    X, y = a_task(kind)

    def distinct_roots(max_features) -> int:
        forest = kind(20, max_features=max_features, random_state=0).fit(X, y)
        return forest.trees_to_dataframe().query("node == 0")["feature"].nunique()

    assert distinct_roots(1) > distinct_roots(None)


@both
def test_a_forest_of_graphs_draws_questions(kind):
    data = gt.datasets.make_red_isolated_vertex(n_graphs=40, n_vertices=8, random_state=0)
    y = data.y if kind is gt.GraphForestClassifier else np.asarray(data.y, dtype=float)
    forest = kind(10, random_state=0, n_jobs=1, max_leaf_nodes=8, oob_score=True).fit(data.X, y)
    roots = forest.trees_to_dataframe().query("node == 0")
    asked = roots[["feature", "walk_length", "walk_type", "aggregator"]].drop_duplicates()
    assert len(asked) > 3
    assert np.isfinite(forest.oob_score_)
