"""`multi_strategy="multi_output_tree"`: one tree a round, a value for every class in each leaf."""

from __future__ import annotations

import numpy as np
import pytest
from boosting_tasks import both, classes, classifier, examples
from scipy.special import softmax

import graphtrees as gt

SHARED = {"multi_strategy": "multi_output_tree"}


@both
def test_a_round_is_one_tree_with_a_value_for_every_class(about):
    X = examples(about)
    model = classifier(6, **SHARED).fit(X, classes(X, 4))
    frame = model.trees_to_dataframe()
    assert frame["tree"].nunique() == model.n_iter_ == 6
    assert set(frame["output"]) == {-1}
    assert {len(value) for value in frame["value"]} == {4}


@both
def test_the_decision_is_the_start_and_the_sum_of_the_leaves(about):
    X = examples(about)
    model = classifier(3, **SHARED).fit(X, classes(X, 3))
    values = model.trees_to_dataframe().set_index(["tree", "node"])["value"]
    leaves = model.apply(X)
    told = np.tile(model.init_, (len(X), 1))
    for tree in range(3):
        told += model.learning_rate * np.array([values[tree, leaf] for leaf in leaves[:, tree]])
    np.testing.assert_allclose(model.decision_function(X), told, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X), softmax(told, axis=1), rtol=1e-12)


@both
def test_leaves_hold_a_newton_step_for_every_class(about):
    """From the shares of the classes: minus summed gradient over summed hessian."""
    X = examples(about)
    y = classes(X, 3)
    model = classifier(1, l2_regularization=0.5, **SHARED).fit(X, y)
    chance = softmax(np.tile(model.init_, (len(X), 1)), axis=1)
    gradient, hessian = chance - np.eye(3)[y], chance * (1 - chance)
    frame = model.trees_to_dataframe().set_index("node")
    leaf = model.apply(X)[:, 0]
    for node in np.unique(leaf):
        rows = leaf == node
        step = -gradient[rows].sum(axis=0) / (hessian[rows].sum(axis=0) + 0.5)
        np.testing.assert_allclose(frame.loc[node, "value"], step, rtol=1e-9)


@both
def test_one_tree_for_all_learns_as_well_as_one_for_each(about):
    X = examples(about, n=120)
    y = classes(X, 4)
    shared = classifier(20, max_leaf_nodes=8, **SHARED).fit(X, y)
    apart = classifier(20, max_leaf_nodes=8, multi_strategy="softmax").fit(X, y)
    assert shared.score(X, y) > apart.score(X, y) - 0.1
    losses = shared.evals_result_["train"]["loss"]
    assert losses == sorted(losses, reverse=True)


def test_two_classes_need_one_value_whatever_the_strategy():
    X = examples("graphs")
    models = [
        classifier(multi_strategy=strategy).fit(X, classes(X))
        for strategy in ("one_vs_rest", "softmax", "multi_output_tree")
    ]
    raws = {model.decision_function(X).tobytes() for model in models}
    assert len(raws) == 1
    assert set(models[2].trees_to_dataframe()["output"]) == {0}


@both
def test_forty_classes_take_one_tree_a_round(about):
    X = examples(about, n=120)
    y = np.arange(120) % 40
    model = classifier(2, min_samples_leaf=1, **SHARED).fit(X, y)
    assert len(model._fitted.trees) == 2
    assert model.predict_proba(X).shape == (120, 40)
    assert set(model.predict(X)) <= set(y)


def test_a_shared_tree_is_saved_and_read_back(tmp_path):
    X = examples("graphs")
    model = classifier(3, **SHARED).fit(X, classes(X, 3))
    model.save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    assert again.decision_function(X).tobytes() == model.decision_function(X).tobytes()


@pytest.mark.parametrize("strategy", ["one_vs_rest", "softmax", "multi_output_tree"])
def test_every_strategy_is_watched_and_stopped(strategy):
    X = examples("vertices", n=120)
    model = classifier(
        60, learning_rate=0.5, multi_strategy=strategy, early_stopping=True, n_iter_no_change=3
    ).fit(X, classes(X, 3))
    scores = model.evals_result_["validation"]["loss"]
    assert model.best_iteration_ == int(np.argmin(scores)) == model.n_iter_ - 1
    assert len(scores) < 60


@pytest.mark.parametrize("strategy", ["multi_output_tree", "softmax", "one_vs_rest"])
def test_no_leaf_is_flatter_than_allowed_in_any_output(strategy):
    """A third class of little weight: its chance is 2e-4, so a leaf needs five examples and more.

    Without it, the tree parts single examples.
    """
    x = np.arange(100.0)
    y = (np.sin(x) > 0).astype(int)
    weight = np.ones(100)
    y[50], weight[50] = 2, 0.02
    model = gt.GraphBoostingClassifier(
        3, multi_strategy=strategy, min_samples_leaf=1, l2_regularization=0.0, max_leaf_nodes=None
    ).fit(x[:, None], y, sample_weight=weight)
    frame, leaf_of = model.trees_to_dataframe(), model.apply(x[:, None])
    raw = np.tile(model.init_, (100, 1))
    least = []
    for tree in range(leaf_of.shape[1]):
        rows = frame[frame["tree"] == tree].set_index("node")
        output = int(rows["output"].iloc[0])
        if output <= 0:  # all trees of a round are made where the rounds before it ended
            chance = softmax(raw, axis=1) if strategy != "one_vs_rest" else 1 / (1 + np.exp(-raw))
            hessian = weight[:, None] * chance * (1 - chance)
        outputs = range(3) if output < 0 else [output]
        for leaf in np.unique(leaf_of[:, tree]):
            least.append(min(hessian[leaf_of[:, tree] == leaf, k].sum() for k in outputs))
            for k in outputs:
                value = rows["value"][leaf]
                step = value[k] if output < 0 else value
                raw[leaf_of[:, tree] == leaf, k] += model.learning_rate * step
    np.testing.assert_allclose(raw, model.decision_function(x[:, None]), rtol=1e-9)
    assert min(least) >= 1e-3 * (1 - 1e-9)
    if strategy == "multi_output_tree":
        first = frame[(frame["tree"] == 0) & (frame["left"] < 0)]
        assert first["n_samples"].min() >= 5
        plain = gt.GraphBoostingClassifier(
            1, multi_strategy=strategy, min_samples_leaf=1, l2_regularization=0.0,
            max_leaf_nodes=None,
        ).fit(x[:, None], np.arange(100) % 3)  # fmt: skip
        assert plain.trees_to_dataframe().query("left < 0")["n_samples"].min() == 1
