"""Signed attributions add up, and are those of walking every walk."""

from __future__ import annotations

import numpy as np
import pytest
from builders import relabelled
from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import strategies as st
from models import BOOSTING, CLASSIFIERS, SIX, name_of, small
from oracle_tasks import related_tasks, tasks, tasks_with_graph_features
from oracles import Example, TooCloseError, attribution, dense, dense_lines
from strategies import _busy_graph, busy_graphs, classes, questions_on_offer, targets

import graphtrees as gt
from graphtrees.explain import explain_many

a_few = settings(
    max_examples=8,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)
every_kind = pytest.mark.parametrize("kind", SIX, ids=name_of)
about_all = pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])


def fitted(data, kind, task):
    """A model for a task, and for each example which output is explained and with which sign."""
    n = len(task.examples)
    many = data.draw(st.sampled_from((2, 3)))
    y = data.draw(classes(n, many) if kind in CLASSIFIERS else targets(n))
    parameters = {k: v for k, v in task.parameters.items() if k != "max_leaf_nodes"}
    model = small(kind, **parameters, max_leaf_nodes=5).fit(task.X, y)
    if kind not in CLASSIFIERS:
        return model, np.zeros(n, int), np.ones(n)
    code = np.searchsorted(model.classes_, model.predict(task.X))
    if kind in BOOSTING and many == 2:
        return model, np.zeros(n, int), np.where(code == 0, -1.0, 1.0)
    return model, code, np.ones(n)


def counts_for(model) -> float:
    """What the value of one tree counts for in what the model says."""
    return model.learning_rate if hasattr(model, "init_") else 1 / len(model._fitted.trees)


@about_all
@every_kind
@a_few
@given(data=st.data())
def test_attributions_are_those_of_walking_every_walk(kind, about, data):
    drawn = related_tasks(about)
    task = data.draw(drawn if about == "edges" else drawn | tasks_with_graph_features(about))
    model, outputs, signs = fitted(data, kind, task)
    frame, scale = task.table(model), counts_for(model)
    for k, explanation in enumerate(explain_many(model, task.X)):
        graph = None if about == "edges" else explanation.graph
        try:
            theirs = attribution(frame, task.examples[k], int(outputs[k]), scale * signs[k], graph)
        except TooCloseError:
            reject()
        vertices = explanation.edge_attribution if about == "edges" else (
            explanation.vertex_attribution
        )  # fmt: skip
        np.testing.assert_allclose(vertices, theirs.vertex, rtol=1e-5, atol=1e-9)
        assert explanation.absence == pytest.approx(theirs.absence, rel=1e-9, abs=1e-12)
        assert explanation.raw_score - explanation.start == pytest.approx(theirs.change, abs=1e-9)
        if about != "edges":
            np.testing.assert_allclose(
                explanation.edge_attribution, theirs.edge, rtol=1e-5, atol=1e-9
            )
            assert explanation.walk_length_zero == pytest.approx(theirs.no_walk, abs=1e-12)


def a_few_graphs(seed, n_graphs=24):
    """Directed, weighted by both signs, with missing values; short fractions, which are exact."""
    rng = np.random.default_rng(seed)
    return [_busy_graph(rng, 2, True, True, 0.1, 7, False) for _ in range(n_graphs)]


@pytest.mark.parametrize("aggregator", ["sum", "mean", "min", "max"])
@pytest.mark.parametrize("walk_type", ["source", "cycle", "target", "target_source"])
def test_walks_in_subsets_are_shared_as_by_walking_every_walk(walk_type, aggregator):
    """Forests draw their questions, so that all kinds come up."""
    graphs = a_few_graphs(seed=3, n_graphs=30)
    forest = gt.GraphForestRegressor(
        n_estimators=12, max_features=0.15, max_walk_length=3, walk_types=(walk_type,),
        aggregators=(aggregator,), operators=("adjacency", "reverse"), random_state=0, n_jobs=1,
    )  # fmt: skip
    forest.fit(graphs, np.random.default_rng(0).normal(size=len(graphs)))
    frame = forest.trees_to_dataframe()
    asked = frame.query("walk_length > 0 and sign.notna() and walk_type == @walk_type")
    assert len(asked) > 2
    compared = 0
    for graph, explanation in zip(graphs[:10], explain_many(forest, graphs[:10]), strict=True):
        try:
            theirs = attribution(frame, Example(dense(graph)), 0, 1 / 12, graph)
        except TooCloseError:
            continue
        compared += 1
        np.testing.assert_allclose(
            explanation.vertex_attribution, theirs.vertex, rtol=1e-6, atol=1e-9
        )
        np.testing.assert_allclose(explanation.edge_attribution, theirs.edge, rtol=1e-6, atol=1e-9)
        assert explanation.absence == pytest.approx(theirs.absence, abs=1e-9)
        assert explanation.walk_length_zero == pytest.approx(theirs.no_walk, abs=1e-9)
    assert compared > 2


@pytest.mark.parametrize("about", ["vertices", "edges"])
@pytest.mark.parametrize("walk_type", ["source", "cycle"])
def test_walks_to_a_vertex_or_edge_are_shared_as_by_walking_every_walk(walk_type, about):
    graphs = gt.Graphs(a_few_graphs(seed=5, n_graphs=8))
    X = getattr(graphs, about)
    forest = gt.GraphForestRegressor(
        n_estimators=12, max_features=0.15, max_walk_length=3, walk_types=(walk_type,),
        operators=("adjacency", "mean"), min_samples_leaf=2, random_state=0, n_jobs=1,
    )  # fmt: skip
    forest.fit(X, np.random.default_rng(0).normal(size=len(X)))
    frame = forest.trees_to_dataframe()
    assert len(frame.query("walk_length > 0 and sign.notna() and walk_type == @walk_type")) > 2
    told = [dense(g) if about == "vertices" else dense_lines(g, {}) for g in graphs]
    compared = 0
    some = X[::3]
    for explanation, graph, place in zip(
        explain_many(forest, some), some.graph_of, places_of(some), strict=True
    ):
        known = explanation.graph if about == "vertices" else None
        example = Example(told[int(graph)], int(place))
        try:
            theirs = attribution(frame, example, 0, 1 / 12, known)
        except TooCloseError:
            continue
        compared += 1
        ours = getattr(explanation, "vertex_attribution" if known else "edge_attribution")
        np.testing.assert_allclose(ours, theirs.vertex, rtol=1e-5, atol=1e-9)
        assert explanation.absence == pytest.approx(theirs.absence, abs=1e-9)
        if known is not None:
            edges = explanation.edge_attribution
            np.testing.assert_allclose(edges, theirs.edge, rtol=1e-5, atol=1e-9)
    assert compared > 2


def places_of(X):
    return X.vertex_of if hasattr(X, "vertex_of") else X.edge_of


def said(model, X, outputs, signs):
    """The prediction that attributions speak about."""
    if not hasattr(model, "init_"):
        if hasattr(model, "classes_"):
            return model.predict_proba(X)[np.arange(len(outputs)), outputs]
        return model.predict(X)
    if not hasattr(model, "classes_"):
        return model.predict(X)
    raw = model.decision_function(X).reshape(len(outputs), -1)
    return signs * raw[np.arange(len(outputs)), outputs]


def start_of(model, output, sign):
    """What each model says before any question."""
    roots = model.trees_to_dataframe().query("node == 0")
    values = [np.atleast_1d(value) for value in roots["value"]]
    if not hasattr(model, "init_"):
        return np.mean([value[min(output, len(value) - 1)] for value in values])
    heard = [
        value[output if len(value) > 1 else 0]
        for value, of in zip(values, roots["output"], strict=True)
        if of in (-1, output)
    ]
    return sign * (model.init_[output] + model.learning_rate * sum(heard))


@about_all
@every_kind
@a_few
@given(data=st.data())
def test_vertices_and_edges_add_up_to_the_prediction_less_the_start(kind, about, data):
    task = data.draw(related_tasks(about) if about == "edges" else tasks(about))
    model, outputs, signs = fitted(data, kind, task)
    predictions = said(model, task.X, outputs, signs)
    for k, e in enumerate(explain_many(model, task.X)):
        start = start_of(model, int(outputs[k]), signs[k])
        assert e.start == pytest.approx(start, abs=1e-12)
        assert e.raw_score == pytest.approx(predictions[k], abs=1e-12)
        change = pytest.approx(predictions[k] - start, abs=1e-9)
        assert e.vertex_attribution.sum() + e.absence == change
        assert e.edge_attribution.sum() + e.walk_length_zero + e.absence == change


@pytest.mark.parametrize("method", ["attribution", "paper"])
@about_all
def test_importances_are_shares_by_both_methods(about, method):
    from builders import some_graphs as made

    graphs = made(10, seed=1, n_vertices=(3, 7))
    X = graphs if about == "graphs" else getattr(graphs, about)
    model = small(gt.GraphBoostingRegressor).fit(X, np.sin(np.arange(len(X))))
    for e in explain_many(model, X, method=method):
        assert e.method == method
        for share in (e.vertex_importance, e.edge_importance):
            assert (share >= 0).all()
            assert share.sum() == pytest.approx(1.0 if len(share) else 0.0)


def test_importance_follows_the_size_of_attribution():
    rng = np.random.default_rng(0)
    graph = gt.Graph(rng.normal(size=(30, 2)), rng.integers(0, 30, (60, 2)))
    model = small(gt.GraphBoostingRegressor).fit(graph.vertices, rng.normal(size=30))
    for e in explain_many(model, graph.vertices):
        size = np.abs(e.vertex_attribution)
        if size.sum() > 0:
            np.testing.assert_allclose(e.vertex_importance, size / size.sum(), rtol=1e-12)


def test_the_vertex_whose_own_feature_decides_has_all_the_importance():
    rng = np.random.default_rng(0)
    graph = gt.Graph(
        rng.random((1000, 1)), rng.integers(0, 1000, (3000, 2)), feature_names=["wealth"]
    )
    y = graph.features[:, 0] > 0.5
    model = gt.GraphTreeClassifier(max_leaf_nodes=2).fit(graph.vertices, y)
    e = model.explain(graph.vertices[7])
    assert e.vertex_importance[7] == 1.0
    assert e.walk_length_zero == pytest.approx(e.raw_score - e.start)
    assert (e.edge_attribution == 0).all()
    uniform = model.explain(graph.vertices[7], method="paper").vertex_importance
    np.testing.assert_allclose(uniform, 1 / 1000)


def test_what_speaks_for_one_of_two_classes_speaks_against_the_other():
    data = gt.datasets.make_red_isolated_vertex(n_graphs=80, n_vertices=8, random_state=0)
    model = small(gt.GraphBoostingClassifier).fit(data.X, data.y)
    one, other = (model.explain(data.X[0], class_=label) for label in model.classes_)
    np.testing.assert_array_equal(one.vertex_attribution, -other.vertex_attribution)
    np.testing.assert_array_equal(one.edge_attribution, -other.edge_attribution)
    assert (one.absence, one.start) == (-other.absence, -other.start)


def test_nothing_found_is_absence():
    with_red, without = (gt.Graph([[red], [0.0]], [(0, 1)]) for red in (1.0, 0.0))
    model = gt.GraphTreeRegressor(add_constant=False, aggregators=("sum",)).fit(
        [with_red, without], [1.0, 0.0]
    )
    e = model.explain(without)
    assert (e.vertex_attribution == 0).all()
    assert e.absence == pytest.approx(-0.5)
    assert model.explain(with_red).vertex_attribution.tolist() == pytest.approx([0.5, 0.0])


@settings(a_few, max_examples=15)
@given(data=st.data())
def test_relabelling_vertices_moves_attributions_with_them(data):
    graphs = data.draw(busy_graphs(6, 9))
    if not graphs[0].n_vertices:
        reject()
    asked = data.draw(questions_on_offer(max_walk_length=3))
    model = small(gt.GraphBoostingRegressor, **asked).fit(graphs, np.arange(len(graphs)) % 4)
    graph = graphs[0]
    order = np.array(data.draw(st.permutations(range(graph.n_vertices))), int)
    before, after = model.explain(graph), model.explain(relabelled(graph, order))
    np.testing.assert_allclose(
        after.vertex_attribution, before.vertex_attribution[order], rtol=1e-9, atol=1e-12
    )
    np.testing.assert_allclose(
        after.edge_attribution, before.edge_attribution, rtol=1e-9, atol=1e-12
    )
    assert after.absence == pytest.approx(before.absence, abs=1e-12)


@about_all
def test_threads_change_no_bit_of_attributions(about):
    from builders import some_graphs as made

    graphs = made(12, seed=3, n_vertices=(3, 9))
    X = graphs if about == "graphs" else getattr(graphs, about)
    model = small(gt.GraphBoostingRegressor).fit(X, np.cos(np.arange(len(X))))
    one = explain_many(model, X)
    many = explain_many(model.set_params(n_jobs=3), X)
    for a, b in zip(one, many, strict=True):
        np.testing.assert_array_equal(a.vertex_attribution, b.vertex_attribution)
        np.testing.assert_array_equal(a.edge_attribution, b.edge_attribution)
        assert (a.absence, a.walk_length_zero) == (b.absence, b.walk_length_zero)


def test_an_unknown_method_is_named():
    graph = gt.Graph([[1.0], [2.0]], [(0, 1)])
    model = gt.GraphTreeRegressor().fit(graph.vertices, [0.0, 1.0])
    with pytest.raises(ValueError, match="method must be one of attribution, paper; got 'shap'"):
        model.explain(graph.vertices[0], method="shap")


def test_explanations_without_edges_add_up_by_edges_too():
    model = small(gt.GraphTreeRegressor).fit(np.arange(6.0)[:, None], np.arange(6.0))
    for e in gt.explain_many(model, np.arange(6.0)[:, None]):
        assert e.walk_length_zero + e.absence == pytest.approx(e.raw_score - e.start)
