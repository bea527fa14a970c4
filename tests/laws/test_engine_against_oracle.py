"""Fitted models against TREE-G by enumeration, through the public surface alone.

A model is read as the table that it gives of itself. Each of its nodes is compared with every
split that could have been made there, and each prediction with a replay of the table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import strategies as st
from oracles import (
    Example,
    Impurity,
    Limits,
    Newton,
    Offer,
    TooCloseError,
    average,
    check_tree,
    decision,
    dense,
    edge_importance,
    leaf_values,
    leaves,
    squared_error,
    vertex_importance,
)
from strategies import (
    busy_graphs,
    classes,
    limits_of_growth,
    questions_on_offer,
    sample_weights,
    some_graphs,
    targets,
)

import graphtrees as gt

# Graphs that come from a seed do not shrink; trying to takes minutes.
a_few = settings(
    max_examples=25,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)


# Small, so that no probability comes close to 0 or 1 and leaves a leaf without curvature.
RATE = 0.125


class Task(NamedTuple):
    """What a model is fitted on, what it has never seen, and what it may do."""

    X: Any
    examples: list[Example]  # the same, for the oracle
    unseen_X: Any
    unseen: list[Example]
    weight: np.ndarray | None
    asked: dict[str, Any]  # parameters of questions
    grown: dict[str, Any]  # parameters of growth
    max_bins: int | None

    @property
    def parameters(self) -> dict[str, Any]:
        return self.asked | self.grown | {"max_bins": self.max_bins, "random_state": 0}

    @property
    def offer(self) -> Offer:
        asked = {k: v for k, v in self.asked.items() if k != "add_constant"}
        return Offer(self.examples[0].graph.features.shape[1], **asked)

    @property
    def weights(self) -> np.ndarray:
        return np.ones(len(self.examples)) if self.weight is None else self.weight

    def check(self, frame, criterion, **kwargs) -> None:
        """A threshold found by bins may lie anywhere between its neighbours."""
        limits, midway = Limits(**self.grown), self.max_bins is None
        check_tree(frame, self.examples, criterion, self.offer, limits, midway=midway, **kwargs)


@st.composite
def tasks(draw, about: str) -> Task:
    max_bins = draw(st.sampled_from((None, 255)))
    # Bins are exact where every value is a small whole number; without them every value is.
    whole = max_bins is not None
    graphs = draw(
        busy_graphs(8, 12, whole=True) if whole else busy_graphs(8, 12) | some_graphs(6, 9)
    )
    asked = draw(questions_on_offer(whole=whole))
    asked["add_constant"] = graphs[0].n_features == 0 or draw(st.booleans())
    told = [dense(graph, constant=asked["add_constant"]) for graph in graphs]
    if about == "graphs":
        X, places = gt.Graphs(graphs), [Example(graph) for graph in told]
    else:
        X = gt.Graphs(graphs).vertices
        places = [Example(graph, i) for graph in told for i in range(graph.n_vertices)]
    # The last graph is never seen; of vertices only every other one is labelled.
    n_seen = sum(place.graph is not told[-1] for place in places)
    seen = np.arange(0, n_seen, 1 if about == "graphs" else 2)[:14]
    if len(seen) < 3:
        reject()
    return Task(
        X[seen],
        [places[i] for i in seen],
        X[n_seen:],
        places[n_seen:],
        draw(sample_weights(len(seen))),
        asked,
        draw(limits_of_growth()),
        max_bins,
    )


def assert_replayed(model, frame, task: Task) -> np.ndarray:
    """Leaf for leaf, on what was seen and on what was not; the leaves of what was seen."""
    for X, examples in ((task.X, task.examples), (task.unseen_X, task.unseen)):
        if len(examples):
            got = np.asarray(model.apply(X)).reshape(len(examples), -1)
            np.testing.assert_array_equal(got, leaves(frame, examples))
    return leaves(frame, task.examples)


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


def check_boosting(model, frame, task: Task, y_of, derivatives, l2: float) -> None:
    """Each tree against the gradients that the trees before it leave."""
    leaf = assert_replayed(model, frame, task)
    n_outputs = len(np.atleast_1d(model.init_))
    said = np.tile(np.atleast_1d(model.init_).astype(float), (len(leaf), 1))
    before = said.copy()
    for number, values in enumerate(leaf_values(frame, leaf)):
        tree = frame[frame["tree"] == number]
        output = 0 if n_outputs == 1 else int(tree["output"].iloc[0])
        if number % n_outputs == 0:
            before = said.copy()
        gradient, hessian = derivatives(y_of(output), before[:, output], task.weights)
        task.check(tree, Newton(gradient, hessian, task.weights, l2))
        said[:, output] += model.learning_rate * values[:, 0]
    np.testing.assert_allclose(
        decision(frame, leaf, model.init_, model.learning_rate), said, rtol=1e-12
    )


def of_squared_error(y, raw, weight) -> tuple[np.ndarray, np.ndarray]:
    return weight * (raw - y), weight


def of_log_loss(y, raw, weight) -> tuple[np.ndarray, np.ndarray]:
    p = 1.0 / (1.0 + np.exp(-raw))
    return weight * (p - y), weight * p * (1.0 - p)


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
        check_boosting(model, frame, task, lambda output: y, of_squared_error, l2)
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
    model = gt.GraphBoostingClassifier(n_estimators=2, learning_rate=RATE, **task.parameters)
    frame = model.fit(task.X, y, sample_weight=task.weight).trees_to_dataframe()

    def one_vs_rest(output: int) -> np.ndarray:
        return (y == (1 if n_classes == 2 else output)).astype(float)

    for output, init in enumerate(np.atleast_1d(model.init_)):
        share = np.average(one_vs_rest(output), weights=task.weights)
        assert init == pytest.approx(np.log(share / (1 - share)), abs=1e-9)
    try:
        check_boosting(model, frame, task, one_vs_rest, of_log_loss, l2=0.0)
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
        explained = model.explain(task.X[place])
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
