"""Several outputs, weights of zero and of classes, walk types by chance: against the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from oracle_tasks import (
    RATE,
    a_few,
    assert_replayed,
    check_boosting,
    of_log_loss,
    of_softmax,
    of_squared_error,
    related_tasks,
    tasks,
)
from oracles import Impurity, Together, TooCloseError, average, squared_error
from strategies import classes, targets, zeros_among

import graphtrees as gt

both = pytest.mark.parametrize("about", ["graphs", "vertices"])
some = settings(a_few, max_examples=10)


def one_hot(y: np.ndarray, n_classes: int) -> np.ndarray:
    return (y[:, None] == np.arange(n_classes)).astype(float)


@both
@pytest.mark.parametrize("strategy", ["softmax", "multi_output_tree"])
@some
@given(data=st.data(), n_classes=st.integers(3, 4), l2=st.sampled_from((0.0, 1.0)))
def test_classes_bound_together_are_as_good_as_trying_every_split(
    about, strategy, data, n_classes, l2
):
    task = data.draw(tasks(about))
    n_classes = min(n_classes, len(task.examples))
    y = data.draw(classes(len(task.examples), n_classes))
    model = gt.GraphBoostingClassifier(
        n_estimators=2, learning_rate=RATE, multi_strategy=strategy, l2_regularization=l2,
        **task.parameters,
    )  # fmt: skip
    frame = task.table(model.fit(task.X, y, sample_weight=task.weight))
    is_class = one_hot(y, n_classes)
    shares = np.log(np.average(is_class, axis=0, weights=task.weights))
    np.testing.assert_allclose(model.init_, shares - shares.mean(), atol=1e-12)
    try:
        said = check_boosting(model, frame, task, of_softmax(is_class), l2)
    except TooCloseError:
        reject()
    np.testing.assert_allclose(model.decision_function(task.X), said, rtol=1e-12, atol=1e-12)
    chance = np.exp(said) / np.exp(said).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(task.X), chance, rtol=1e-12)


@both
@some
@given(data=st.data())
def test_a_tree_of_several_numbers_is_as_good_as_trying_every_split(about, data):
    task = data.draw(tasks(about))
    y = np.column_stack([data.draw(targets(len(task.examples))) for _ in range(2)])
    model = gt.GraphTreeRegressor(**task.parameters).fit(task.X, y, sample_weight=task.weight)
    frame = task.table(model)
    together = Together(tuple(squared_error(column, task.weights) for column in y.T))
    try:
        task.check(frame, together)
        leaf = assert_replayed(model, frame, task)
    except TooCloseError:
        reject()
    np.testing.assert_array_equal(model.predict(task.X), average(frame, leaf))


@both
@some
@given(data=st.data())
def test_boosted_trees_of_several_numbers_are_as_good_as_trying_every_split(about, data):
    task = data.draw(tasks(about))
    y = np.column_stack([data.draw(targets(len(task.examples))) for _ in range(2)])
    model = gt.GraphBoostingRegressor(n_estimators=2, learning_rate=RATE, **task.parameters)
    frame = task.table(model.fit(task.X, y, sample_weight=task.weight))
    try:
        said = check_boosting(model, frame, task, of_squared_error(y))
    except TooCloseError:
        reject()
    np.testing.assert_allclose(model.predict(task.X), said, rtol=1e-12, atol=1e-12)


@both
@some
@given(data=st.data())
def test_examples_of_no_weight_take_no_part(about, data):
    """They count in no leaf, gain nothing and split nothing; and they get predictions."""
    task = data.draw(tasks(about))
    weight = data.draw(zeros_among(len(task.examples)))
    y = data.draw(targets(len(task.examples)))
    model = gt.GraphTreeRegressor(**task.parameters).fit(task.X, y, sample_weight=weight)
    frame = task.table(model)
    there = np.flatnonzero(weight)
    try:
        leaf = assert_replayed(model, frame, task)
        criterion = squared_error(y[there], weight[there])
        task._replace(weight=weight).of_those(there).check(frame, criterion)
    except TooCloseError:
        reject()
    np.testing.assert_array_equal(model.predict(task.X), average(frame, leaf)[:, 0])


@both
@some
@given(data=st.data(), by_class=st.sampled_from(("balanced", {0: 0.25, 2: 3.0})))
def test_classes_are_weighed_in_every_gain_and_leaf(about, data, by_class):
    task = data.draw(tasks(about))
    y = data.draw(classes(len(task.examples), 3))
    balanced = len(y) / (3 * np.bincount(y, minlength=3))
    times = balanced if by_class == "balanced" else np.array([0.25, 1.0, 3.0])
    weighed = task._replace(weight=task.weights * times[y])
    share = np.bincount(y, weighed.weights, 3) / weighed.weights.sum()
    # A leaf of less hessian than this is not allowed, and the oracle does not know that.
    assume((weighed.weights.min() * share * (1 - share)).min() >= 1e-3)
    tree = gt.GraphTreeClassifier(criterion="entropy", class_weight=by_class, **task.parameters)
    tree.fit(task.X, y, sample_weight=task.weight)
    boosting = gt.GraphBoostingClassifier(
        n_estimators=1,
        learning_rate=RATE,
        class_weight=by_class,
        l2_regularization=0.0,
        **task.parameters,
    ).fit(task.X, y, sample_weight=task.weight)
    try:
        weighed.check(task.table(tree), Impurity(y, 3, weighed.weights, "entropy"))
        check_boosting(boosting, task.table(boosting), weighed, of_log_loss(one_hot(y, 3)))
    except TooCloseError:
        reject()


@pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])
@settings(a_few, max_examples=12)
@given(data=st.data(), probability=st.sampled_from((0.0, 0.3, 0.6)))
def test_walk_types_by_chance_leave_the_best_of_some_draw(about, data, probability):
    """Each split is the best of those that some draw offers; at 0, of the plain ones."""
    task = data.draw(related_tasks(about))
    y = data.draw(targets(len(task.examples)))
    given = task.parameters | {"random_state": data.draw(st.integers(0, 99))}
    model = gt.GraphTreeRegressor(walk_type_probability=probability, **given)
    frame = task.table(model.fit(task.X, y, sample_weight=task.weight))
    if probability == 0.0:
        splits = frame[frame["feature_index"] >= 0]
        assert (splits["pointer"] == splits["node"]).all()
        assert (splits["walk_type"] == "source").all()
    try:
        task.check(frame, squared_error(y, task.weights), drawn=True)
        leaf = assert_replayed(model, frame, task)
    except TooCloseError:
        reject()
    np.testing.assert_array_equal(model.predict(task.X), average(frame, leaf)[:, 0])


@both
@settings(a_few, max_examples=6)
@given(data=st.data())
def test_boosted_trees_with_walk_types_by_chance_replay_round_by_round(about, data):
    task = data.draw(tasks(about))
    y = data.draw(targets(len(task.examples)))
    model = gt.GraphBoostingRegressor(
        n_estimators=3, learning_rate=RATE, walk_type_probability=0.4, **task.parameters
    )
    frame = task.table(model.fit(task.X, y, sample_weight=task.weight))
    try:
        said = check_boosting(model, frame, task, of_squared_error(y), drawn=True)
    except TooCloseError:
        reject()
    np.testing.assert_allclose(model.predict(task.X), said[:, 0], rtol=1e-12, atol=1e-12)


def test_the_draw_of_walk_types_comes_from_the_estimators_own_seed():
    """The same seed asks the same questions; over seeds every walk type has its turn."""
    rng = np.random.default_rng(0)
    graphs = [
        gt.Graph(rng.integers(0, 3, (n, 1)), rng.integers(0, n, (2 * n, 2)))
        for n in rng.integers(4, 9, 40)
    ]
    y = rng.normal(size=40)
    asked = set()
    for seed in range(12):
        given = {"walk_type_probability": 0.3, "random_state": seed, "max_leaf_nodes": 8}
        one, again = (gt.GraphTreeRegressor(**given).fit(graphs, y) for _ in range(2))
        frame = one.trees_to_dataframe()
        assert frame.equals(again.trees_to_dataframe())
        asked |= set(frame["walk_type"].dropna())
    assert asked == {"source", "cycle", "target", "target_source"}
