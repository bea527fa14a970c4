"""Forests of graphs and vertices: bags, draws of questions, weights, threads."""

from __future__ import annotations

import numpy as np
import pytest
from boosting_tasks import both, classes, examples, numbers
from sklearn.metrics import accuracy_score, r2_score

import graphtrees as gt

QUESTION = ["feature", "walk_length", "walk_type", "aggregator"]


def forest(n_estimators: int = 12, **given) -> gt.GraphForestClassifier:
    settings = {"random_state": 0, "n_jobs": 1, "max_leaf_nodes": 8, "max_walk_length": 1}
    return gt.GraphForestClassifier(n_estimators, **settings | given)


def number_forest(n_estimators: int = 12, **given) -> gt.GraphForestRegressor:
    settings = {"random_state": 0, "n_jobs": 1, "max_leaf_nodes": 8, "max_walk_length": 1}
    return gt.GraphForestRegressor(n_estimators, **settings | given)


@both
def test_out_of_bag_votes_come_from_trees_that_did_not_see_the_example(about):
    """Of one tree: NaN for all it was grown on, and its own word for all others."""
    X = examples(about)
    model = forest(1, oob_score=True).fit(X, classes(X, 3))
    votes = model.oob_decision_function_
    left_out = ~np.isnan(votes[:, 0])
    assert left_out.sum() == len(X) - model.trees_to_dataframe()["n_samples"].iloc[0]
    np.testing.assert_array_equal(votes[left_out], model.predict_proba(X)[left_out])
    said = model.classes_[votes[left_out].argmax(axis=1)]
    assert model.oob_score_ == accuracy_score(classes(X, 3)[left_out], said)


@both
def test_out_of_bag_numbers_come_from_trees_that_did_not_see_the_example(about):
    X = examples(about)
    y = np.column_stack([numbers(X, 0), numbers(X, 1)])
    model = number_forest(1, oob_score=True).fit(X, y)
    left_out = ~np.isnan(model.oob_prediction_[:, 0])
    assert left_out.sum() == len(X) - model.trees_to_dataframe()["n_samples"].iloc[0]
    np.testing.assert_allclose(model.oob_prediction_[left_out], model.predict(X)[left_out])
    assert model.oob_score_ == pytest.approx(r2_score(y[left_out], model.oob_prediction_[left_out]))


def test_a_bag_of_everything_leaves_no_score():
    X = examples("graphs", 2)
    seeds = range(20)
    models = [number_forest(1, oob_score=True, random_state=s).fit(X, [0.0, 1.0]) for s in seeds]
    assert all(np.isnan(model.oob_score_) for model in models), "one example is not enough"


@both
def test_trees_draw_their_questions_from_every_part_of_the_space(about):
    X = examples(about, 120)
    asked = forest(40, max_features=1).fit(X, classes(X)).trees_to_dataframe()
    splits = asked.query("left >= 0")
    assert set(splits["feature"]) == {"x0", "x1", "1"}
    assert set(splits["walk_length"]) == {0, 1}
    assert {None, "+", "-"} == set(splits["sign"])
    if about == "graphs":
        assert set(splits["aggregator"]) == {"sum", "mean", "min", "max"}
        assert set(splits["walk_type"]) >= {"source", "target", "target_source"}


@both
def test_fewer_questions_on_offer_make_roots_more_varied(about):
    X = examples(about)

    def roots(max_features) -> int:
        model = forest(30, max_features=max_features, bootstrap=False).fit(X, classes(X))
        return len(model.trees_to_dataframe().query("node == 0")[QUESTION].drop_duplicates())

    assert roots(None) == 1, "with nothing drawn all trees are the same"
    assert roots(1) > roots(0.5) > 1


@both
@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_threads_change_nothing(about, n_jobs):
    X = examples(about)
    one = forest(oob_score=True).fit(X, classes(X, 3))
    many = forest(oob_score=True, n_jobs=n_jobs).fit(X, classes(X, 3))
    assert one.predict_proba(X).tobytes() == many.predict_proba(X).tobytes()
    assert one.oob_decision_function_.tobytes() == many.oob_decision_function_.tobytes()


@both
def test_more_trees_leave_the_first_ones_as_they_are(about):
    X = examples(about)
    few, many = forest(4).fit(X, classes(X)), forest(9).fit(X, classes(X))
    frame = many.trees_to_dataframe()
    assert few.trees_to_dataframe().equals(frame[frame["tree"] < 4])


def unbalanced(about: str):
    X = examples(about, 120)
    return X, (numbers(X) > np.quantile(numbers(X), 0.85)).astype(int)


@both
@pytest.mark.parametrize("way", ["balanced", "balanced_subsample"])
def test_balance_finds_more_of_the_rare_class(about, way):
    X, y = unbalanced(about)
    unseen = examples(about, 120, seed=1)
    plain = forest(20, max_leaf_nodes=3).fit(X, y).predict_proba(unseen)[:, 1]
    balanced = forest(20, max_leaf_nodes=3, class_weight=way).fit(X, y).predict_proba(unseen)[:, 1]
    assert balanced.mean() > 1.2 * plain.mean()


@both
def test_balance_within_each_bag_weighs_classes_alike_in_each_tree(about):
    X, y = unbalanced(about)
    model = forest(5, class_weight="balanced_subsample", max_depth=1).fit(X, y)
    roots = model.trees_to_dataframe().query("node == 0")["value"]
    np.testing.assert_allclose(np.array(roots.tolist()), 0.5)
    whole = forest(5, class_weight="balanced", max_depth=1).fit(X, y)
    roots = np.array(whole.trees_to_dataframe().query("node == 0")["value"].tolist())
    assert np.abs(roots - 0.5).max() > 0.01, "balanced over all is not balanced in each bag"


@both
def test_without_bags_the_two_kinds_of_balance_are_one(about):
    X, y = unbalanced(about)
    one = forest(3, class_weight="balanced", bootstrap=False).fit(X, y)
    other = forest(3, class_weight="balanced_subsample", bootstrap=False).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


@both
def test_a_bag_without_one_of_the_classes_can_be_balanced(about):
    X = examples(about)
    y = np.array([0] * 58 + [1] * 2)
    model = forest(20, class_weight="balanced_subsample", oob_score=True).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


@both
def test_an_example_of_weight_two_counts_twice_in_every_bag(about):
    """Not as two examples, which could be drawn apart: as one whose every draw counts double."""
    X = examples(about)
    weight = np.ones(len(X))
    weight[:10] = 2.0
    model = number_forest(3, max_depth=1).fit(X, np.arange(60) < 10, sample_weight=weight)
    plain = number_forest(3, max_depth=1).fit(X, np.arange(60) < 10)
    doubled = model.trees_to_dataframe().query("node == 0")["value"].to_numpy()
    single = plain.trees_to_dataframe().query("node == 0")["value"].to_numpy()
    np.testing.assert_allclose(doubled, 2 * single / (1 + single))
