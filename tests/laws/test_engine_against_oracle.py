"""Fitted models against TREE-G by enumeration, through the public surface alone.

A model is read as the table that it gives of itself. Each of its nodes is compared with every
split that could have been made there, and each prediction with a replay of the table.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from oracle_tasks import (
    RATE,
    a_few,
    assert_replayed,
    check_boosting,
    of_log_loss,
    of_squared_error,
    tasks,
)
from oracles import (
    Example,
    Impurity,
    TooCloseError,
    average,
    decision,
    edge_importance,
    leaves,
    squared_error,
    vertex_importance,
)
from strategies import classes, targets

import graphtrees as gt


@pytest.mark.parametrize("about", ["graphs", "vertices"])
@a_few
@given(data=st.data())
def test_a_regression_tree_is_as_good_as_trying_every_split(about, data):
    task = data.draw(tasks(about))
    y = data.draw(targets(len(task.examples)))
    model = gt.GraphTreeRegressor(criterion="squared_error", **task.parameters)
    frame = model.fit(task.X, y, sample_weight=task.weight).trees_to_dataframe()
    try:
        task.check(frame, squared_error(y, task.weights), strict_ties=True)
        leaf = assert_replayed(model, frame, task)
    except TooCloseError:
        reject()
    np.testing.assert_array_equal(model.predict(task.X), average(frame, leaf)[:, 0])


@pytest.mark.parametrize("about", ["graphs", "vertices"])
@a_few
@given(data=st.data(), measure=st.sampled_from(("gini", "entropy")), n_classes=st.integers(2, 3))
def test_a_classification_tree_is_as_good_as_trying_every_split(about, data, measure, n_classes):
    task = data.draw(tasks(about))
    y = data.draw(classes(len(task.examples), n_classes))
    model = gt.GraphTreeClassifier(criterion=measure, **task.parameters)
    frame = model.fit(task.X, y, sample_weight=task.weight).trees_to_dataframe()
    try:
        task.check(frame, Impurity(y, n_classes, task.weights, measure))
        leaf = assert_replayed(model, frame, task)
    except TooCloseError:
        reject()
    np.testing.assert_array_equal(model.predict_proba(task.X), average(frame, leaf))


@pytest.mark.parametrize("about", ["graphs", "vertices"])
@a_few
@given(data=st.data(), l2=st.sampled_from((0.0, 1.0)))
def test_boosted_regression_trees_are_as_good_as_trying_every_split(about, data, l2):
    task = data.draw(tasks(about))
    y = data.draw(targets(len(task.examples)))
    model = gt.GraphBoostingRegressor(
        n_estimators=2, learning_rate=RATE, l2_regularization=l2, **task.parameters
    )
    frame = model.fit(task.X, y, sample_weight=task.weight).trees_to_dataframe()
    assert float(np.squeeze(model.init_)) == pytest.approx(np.average(y, weights=task.weights))
    try:
        check_boosting(model, frame, task, of_squared_error(y), l2)
    except TooCloseError:
        reject()
    replayed = decision(frame, leaves(frame, task.examples), model.init_, RATE)
    np.testing.assert_allclose(model.predict(task.X), replayed[:, 0], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("about", ["graphs", "vertices"])
@a_few
@given(data=st.data(), n_classes=st.integers(2, 3))
def test_boosted_classification_trees_are_as_good_as_trying_every_split(about, data, n_classes):
    task = data.draw(tasks(about))
    y = data.draw(classes(len(task.examples), n_classes))
    model = gt.GraphBoostingClassifier(
        n_estimators=2, learning_rate=RATE, l2_regularization=0.0, **task.parameters
    )
    frame = model.fit(task.X, y, sample_weight=task.weight).trees_to_dataframe()
    # With two classes, the one output speaks for the second.
    is_class = (y[:, None] == np.arange(n_classes)[n_classes == 2 :]).astype(float)
    for output, init in zip(is_class.T, np.atleast_1d(model.init_), strict=True):
        share = np.average(output, weights=task.weights)
        assert init == pytest.approx(np.log(share / (1 - share)), abs=1e-9)
    try:
        check_boosting(model, frame, task, of_log_loss(is_class))
    except TooCloseError:
        reject()
    replayed = decision(frame, leaves(frame, task.examples), model.init_, RATE)
    got = model.decision_function(task.X).reshape(replayed.shape)
    np.testing.assert_allclose(got, replayed, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("about", ["graphs", "vertices"])
@settings(a_few, max_examples=10)
@given(data=st.data())
def test_a_forest_says_the_mean_of_its_trees(about, data):
    task = data.draw(tasks(about))
    y = data.draw(targets(len(task.examples)))
    model = gt.GraphForestRegressor(n_estimators=3, **task.parameters)
    frame = model.fit(task.X, y, sample_weight=task.weight).trees_to_dataframe()
    try:
        leaf = assert_replayed(model, frame, task)
    except TooCloseError:
        reject()
    wanted = average(frame, leaf)[:, 0]
    np.testing.assert_allclose(model.predict(task.X), wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("about", ["graphs", "vertices"])
@settings(a_few, max_examples=10)
@given(data=st.data())
def test_importance_is_what_counting_walks_gives(about, data):
    task = data.draw(tasks(about))
    y = data.draw(targets(len(task.examples)))
    model = gt.GraphBoostingRegressor(n_estimators=2, learning_rate=RATE, **task.parameters)
    frame = model.fit(task.X, y, sample_weight=task.weight).trees_to_dataframe()
    for place, example in enumerate(task.examples):
        if example.graph.n_vertices == 0 or _edges_cancel(example):
            continue
        explained = model.explain(task.X[place], method="paper")
        try:
            vertices, edges = vertex_importance(frame, example), edge_importance(frame, example)
        except TooCloseError:
            reject()
        np.testing.assert_allclose(explained.vertex_importance, vertices, rtol=1e-9)
        np.testing.assert_allclose(explained.edge_importance, edges, rtol=1e-9)


def _edges_cancel(example: Example) -> bool:
    """Parallel edges whose weights add to zero: walks there are, but no matrix shows them."""
    adjacency = example.graph.operators["adjacency"]
    return any(adjacency[target, source] == 0 for source, target in example.graph.edges)
