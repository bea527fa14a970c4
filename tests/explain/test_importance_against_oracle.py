"""Importances and paths of fitted models against counting by hand-written enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from builders import relabelled
from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import strategies as st
from models import CLASSIFIERS, REGRESSORS, SIX, name_of, small
from oracles import (
    Example,
    TooCloseError,
    dense,
    edge_importance,
    follow,
    trees_of,
    vertex_importance,
)
from oracles.importance import used_edges
from oracles.questions import size_of_terms
from strategies import busy_graphs, classes, questions_on_offer, some_graphs, targets

import graphtrees as gt
from graphtrees.explain import explain_many
from graphtrees.explain.counting import Counted, count
from graphtrees.validation.models import fitted_trees, workers_of

a_few = settings(
    max_examples=12,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)


def examples_of(graphs, about):
    """X for a model and the same for the oracle."""
    told = [dense(graph) for graph in graphs]
    if about == "graphs":
        return gt.Graphs(graphs), [Example(graph) for graph in told]
    X = gt.Graphs(graphs).vertices
    return X, [Example(graph, i) for graph in told for i in range(graph.n_vertices)]


def fitted(data, kind, about, n_classes=2):
    """A small model on drawn graphs, with what the oracle is told."""
    graphs = data.draw(busy_graphs(6, 9) | some_graphs(4, 7))
    X, told = examples_of(graphs, about)
    if len(told) < 4:
        reject()
    asked = data.draw(questions_on_offer(max_walk_length=3))
    y = data.draw(classes(len(told), n_classes) if kind in CLASSIFIERS else targets(len(told)))
    return small(kind, **asked).fit(X, y), X, told


def counted_of(model, X, method: str = "attribution") -> Counted:
    with workers_of(model) as workers:
        return count(fitted_trees(model), X, None, workers, method)


def assert_counted(model, X, told, output_of) -> None:
    frame = model.trees_to_dataframe()
    counted = counted_of(model, X, "paper")
    for place, example in enumerate(told):
        output = output_of(counted, place)
        try:
            vertices = vertex_importance(frame, example, output)
            edges = edge_importance(frame, example, output)
        except TooCloseError:
            reject()
        np.testing.assert_allclose(
            np.split(counted.vertex, counted.vertex_ptr[1:-1])[place], vertices, rtol=1e-9
        )
        np.testing.assert_allclose(
            np.split(counted.edge, counted.edge_ptr[1:-1])[place], edges, rtol=1e-9
        )


@pytest.mark.parametrize("about", ["graphs", "vertices"])
@pytest.mark.parametrize("kind", REGRESSORS, ids=name_of)
@a_few
@given(data=st.data())
def test_regressors_count_what_the_oracle_counts(kind, about, data):
    model, X, told = fitted(data, kind, about)
    assert_counted(model, X, told, lambda counted, place: None)


@pytest.mark.parametrize("about", ["graphs", "vertices"])
@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
@a_few
@given(data=st.data())
def test_classifiers_count_for_the_predicted_of_three_classes(kind, about, data):
    model, X, told = fitted(data, kind, about, n_classes=3)
    predicted = np.searchsorted(model.classes_, model.predict(X))
    assert_counted(model, X, told, lambda counted, place: int(predicted[place]))


@pytest.mark.parametrize("about", ["graphs", "vertices"])
@a_few
@given(data=st.data())
def test_a_path_is_the_way_that_the_oracle_follows(about, data):
    model, X, told = fitted(data, gt.GraphTreeRegressor, about)
    (nodes,) = trees_of(model.trees_to_dataframe())
    for explanation, example in zip(explain_many(model, X), told, strict=True):
        try:
            theirs = follow(nodes, example)
        except TooCloseError:
            reject()
        ours = explanation.path(0)
        assert ours.leaf == theirs.leaf
        assert [step.node for step in ours.steps] == [step.node for step in theirs.steps]
        for step, their in zip(ours.steps, theirs.steps, strict=True):
            noise = 1e-6 * np.nan_to_num(size_of_terms(example, their.question, their.subset))
            assert step.value == pytest.approx(their.phi, rel=0, abs=noise, nan_ok=True)
            np.testing.assert_array_equal(step.used, np.flatnonzero(their.subset))
            np.testing.assert_array_equal(step.plus, np.flatnonzero(their.made["+"]))
            np.testing.assert_array_equal(step.minus, np.flatnonzero(their.made["-"]))
            assert set(step.edges.tolist()) == used_edges(their, example)


@pytest.mark.parametrize("about", ["graphs", "vertices"])
@pytest.mark.parametrize("kind", SIX, ids=name_of)
@settings(a_few, max_examples=5)
@given(data=st.data())
def test_counting_ends_in_the_leaves_that_prediction_ends_in(kind, about, data):
    model, X, _ = fitted(data, kind, about)
    counted = counted_of(model, X, "paper")
    speaks = counted.attributed.leaves >= 0
    np.testing.assert_array_equal(counted.attributed.leaves[speaks], model.apply(X)[speaks])


@settings(a_few, max_examples=20)
@given(data=st.data())
def test_relabelling_vertices_moves_importance_with_them(data):
    model, X, _ = fitted(data, gt.GraphBoostingRegressor, "graphs")
    graph = X[0]
    order = data.draw(st.permutations(range(graph.n_vertices)))
    there = relabelled(graph, np.array(order, int))
    before, after = (model.explain(one, method="paper") for one in (graph, there))
    np.testing.assert_allclose(
        after.vertex_importance, before.vertex_importance[list(order)], rtol=1e-12
    )
    np.testing.assert_allclose(after.edge_importance, before.edge_importance, rtol=1e-12)


@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_threads_change_no_bit(about):
    from builders import some_graphs as made

    graphs = made(12, seed=3, n_vertices=(3, 9))
    X = graphs if about == "graphs" else graphs.vertices
    y = np.random.default_rng(0).normal(size=len(X))
    model = small(gt.GraphBoostingRegressor).fit(X, y)
    one = counted_of(model, X, "paper")
    many = counted_of(model.set_params(n_jobs=3), X, "paper")
    np.testing.assert_array_equal(one.vertex, many.vertex)
    np.testing.assert_array_equal(one.edge, many.edge)
    np.testing.assert_array_equal(one.contributions, many.contributions)
