"""Numbers and categories of whole graphs: one question each, whatever the examples are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import some_graphs
from hypothesis import given, reject
from hypothesis import strategies as st
from models import SIX, name_of, small
from oracle_tasks import a_few, assert_replayed, tasks_with_graph_features
from oracles import TooCloseError, average, squared_error
from strategies import targets

import graphtrees as gt

six_kinds = pytest.mark.parametrize("kind", SIX, ids=name_of)
about_all = pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])


def a_table(n: int = 40, seed: int = 0) -> pd.DataFrame:
    """A weight, missing here and there, and an assay."""
    rng = np.random.default_rng(seed)
    weight = np.where(rng.random(n) < 0.15, np.nan, rng.normal(300.0, 50.0, n))
    return pd.DataFrame({"weight": weight, "assay": rng.choice(["A", "B", "C"], n)})


def some_known_graphs(n: int = 40, table: pd.DataFrame | None = None, **given) -> gt.Graphs:
    table = a_table(n) if table is None else table
    return gt.Graphs(some_graphs(n, **given), graph_features=table)


def examples_of(graphs: gt.Graphs, about: str):
    return graphs if about == "graphs" else getattr(graphs, about)


def labels_of(X, table: pd.DataFrame) -> np.ndarray:
    """Classes that the table alone tells, up to a few flips."""
    owner = np.arange(len(X)) if isinstance(X, gt.Graphs) else X.graph_of
    y = (table["weight"] > 300).to_numpy() ^ (table["assay"] == "B").to_numpy()
    return (y[owner] ^ (np.random.default_rng(1).random(len(X)) < 0.1)).astype(int)


@pytest.mark.parametrize("about", ["graphs", "vertices"])
@a_few
@given(data=st.data())
def test_a_tree_with_graph_features_is_as_good_as_trying_every_split(about, data):
    task = data.draw(tasks_with_graph_features(about))
    y = data.draw(targets(len(task.examples)))
    model = gt.GraphTreeRegressor(criterion="squared_error", **task.parameters)
    frame = task.table(model.fit(task.X, y, sample_weight=task.weight))
    try:
        task.check(frame, squared_error(y, task.weights), strict_ties=True)
        leaf = assert_replayed(model, frame, task)
    except TooCloseError:
        reject()
    np.testing.assert_array_equal(model.predict(task.X), average(frame, leaf)[:, 0])


@six_kinds
@about_all
def test_they_are_one_question_without_walk_subset_or_aggregator(kind, about):
    table = a_table()
    X = examples_of(some_known_graphs(table=table), about)
    model = small(kind, min_samples_leaf=1).fit(X, labels_of(X, table))
    nodes = model.trees_to_dataframe()
    asked = nodes[nodes["feature"].isin(["weight", "assay"])]
    assert len(asked)
    assert (asked["walk_length"] == 0).all()
    assert (asked["pointer"] == asked["node"]).all()
    assert asked["sign"].isna().all()
    assert asked["aggregator"].isna().all()
    assert (asked["walk_type"] == "source").all()
    first = model.n_features_in_ - 2
    assert set(asked["feature_index"]) <= {first, first + 1}


@six_kinds
@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_they_are_vertex_features_asked_for_their_largest_value_alone(kind, about):
    """The largest of the values of all vertices, which are the same, without walks or subsets."""
    table = a_table()
    graphs = some_graphs(40, seed=2, feature_names=["a", "b"])
    spread = []
    for g, row in zip(graphs, table.itertuples(), strict=True):
        features = pd.DataFrame(g.features, columns=["a", "b"])
        kind_of_assay = pd.Categorical([row.assay] * g.n_vertices, categories=["A", "B", "C"])
        features = features.assign(weight=row.weight, assay=kind_of_assay)
        spread.append(gt.Graph(features, np.asarray(g.edge_index).T))
    X = examples_of(gt.Graphs(graphs, graph_features=table), about)
    other = examples_of(gt.Graphs(spread), about)
    y = labels_of(X, table)
    given = {"max_walk_length": 0, "max_ancestor_distance": 0, "aggregators": ("max",)}
    ours, theirs = small(kind, **given).fit(X, y), small(kind, **given).fit(other, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(other))
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(other))
    np.testing.assert_array_equal(ours.feature_importances_, theirs.feature_importances_)


@six_kinds
@pytest.mark.parametrize("aggregators", [("sum",), ("mean", "min")])
def test_they_are_asked_whatever_the_aggregators(kind, aggregators):
    table = a_table()
    X = some_known_graphs(table=table)
    y = table["assay"] == "B"
    model = small(kind, aggregators=aggregators, min_samples_leaf=1).fit(X, y)
    nodes = model.trees_to_dataframe()
    assert "assay" in set(nodes["feature"])
    assert set(nodes["aggregator"].dropna()) <= set(aggregators)


def test_without_max_no_vertex_feature_is_asked_for_its_largest_value():
    graphs = some_graphs(40, seed=3)
    y = np.array([g.features[:, 0].max() for g in graphs])
    known = gt.Graphs(graphs, graph_features=np.zeros((40, 1)))
    given = {"aggregators": ("min",), "min_samples_leaf": 1, "max_walk_length": 0}
    bare = small(gt.GraphTreeRegressor, **given).fit(graphs, y)
    more = small(gt.GraphTreeRegressor, **given).fit(known, y)
    np.testing.assert_array_equal(more.predict(known), bare.predict(graphs))


def test_small_whole_numbers_of_vertices_are_searched_alike_beside_a_graph_feature():
    """A graph feature that tells nothing changes no split, with and without `max`."""
    graphs = some_graphs(60, seed=4, integers=True)
    graphs = gt.Graphs(gt.Graph(np.abs(g.features), np.asarray(g.edge_index).T) for g in graphs)
    y = np.array([g.features.sum() + 3 * g.n_edges for g in graphs])
    known = gt.Graphs(graphs, graph_features=np.ones((60, 1)))
    for aggregators in (("sum", "min"), ("sum", "mean", "min", "max")):
        given = {"aggregators": aggregators, "min_samples_leaf": 2, "max_leaf_nodes": 12}
        bare = small(gt.GraphBoostingRegressor, **given).fit(graphs, y)
        more = small(gt.GraphBoostingRegressor, **given).fit(known, y)
        np.testing.assert_array_equal(more.predict(known), bare.predict(graphs))


@six_kinds
def test_relabelling_vertices_changes_no_prediction(kind):
    table, rng = a_table(), np.random.default_rng(0)
    graphs = some_graphs(40, seed=5)
    y = labels_of(graphs, table)
    moved = []
    for g in graphs:
        order = rng.permutation(g.n_vertices)
        edges = np.argsort(order)[np.asarray(g.edge_index).T]
        moved.append(gt.Graph(g.features[order], edges))
    X, other = (gt.Graphs(one, graph_features=table) for one in (graphs, moved))
    model = small(kind).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), model.predict(other))
    np.testing.assert_array_equal(model.predict(X), small(kind).fit(other, y).predict(X))


@about_all
def test_edges_and_vertices_have_the_value_of_their_graph(about):
    X = examples_of(some_known_graphs(table=a_table()[["assay"]]), about)
    owner = np.arange(len(X)) if about == "graphs" else X.graph_of
    y = (a_table()["assay"] == "C").to_numpy()[owner]
    model = small(gt.GraphTreeClassifier, max_leaf_nodes=2).fit(X, y)
    assert model.score(X, y) == 1.0
    assert gt.export_text(model).startswith("|--- node 0: whether assay = C <= 0.5")


def test_the_order_of_graphs_changes_no_prediction():
    table = a_table()
    X, y = some_known_graphs(table=table), labels_of(some_graphs(40), table)
    order = np.random.default_rng(0).permutation(40)
    one = small(gt.GraphBoostingClassifier).fit(X, y)
    other = small(gt.GraphBoostingClassifier).fit(X[order], y[order])
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def test_a_graph_without_vertices_counts_as_missing():
    table = pd.DataFrame({"weight": [1.0, 2.0, 3.0, 4.0, 4.0, 1.0]})
    some = [gt.Graph([[0.0]], []) for _ in range(4)] + [gt.Graph(np.empty((0, 1)), [])] * 2
    X = gt.Graphs(some, graph_features=table)
    model = small(gt.GraphTreeRegressor, min_samples_leaf=1, max_leaf_nodes=2)
    model.fit(X[:4], [0.0, 0.0, 0.0, 9.0])
    said = model.predict(X)
    assert said[4] == said[5] == 0.0  # where missing values go, the heavier side


@six_kinds
def test_any_number_of_threads_gives_the_same_model(kind):
    table = a_table(120)
    X = some_known_graphs(120, table)
    y = labels_of(X, table)
    one, four = (small(kind, n_jobs=n).fit(X, y).predict(X) for n in (1, 4))
    np.testing.assert_array_equal(one, four)
