"""Relations, categories, signed weights and edges as examples, against TREE-G by enumeration.

The oracle writes the line graph of edge examples out, pair by pair.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from oracle_tasks import (
    RATE,
    a_few,
    assert_replayed,
    check_boosting,
    labels_of_edges,
    of_squared_error,
    related_tasks,
)
from oracles import Example, Impurity, TooCloseError, average, by_column, dense, leaves
from oracles.criteria import squared_error
from oracles.lines import edge_columns
from strategies import KINDS, classes, related_graphs, targets

import graphtrees as gt

every_kind = pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])


@every_kind
@settings(a_few, max_examples=15)
@given(data=st.data())
def test_a_regression_tree_is_as_good_as_trying_every_relation_and_label(about, data):
    task = data.draw(related_tasks(about))
    y = data.draw(targets(len(task.examples)))
    model = gt.GraphTreeRegressor(**task.parameters).fit(task.X, y, sample_weight=task.weight)
    frame = task.table(model)
    try:
        task.check(frame, squared_error(y, task.weights), strict_ties=True)
        leaf = assert_replayed(model, frame, task)
    except TooCloseError:
        reject()
    np.testing.assert_array_equal(model.predict(task.X), average(frame, leaf)[:, 0])


@every_kind
@settings(a_few, max_examples=8)
@given(data=st.data())
def test_a_classification_tree_is_as_good_as_trying_every_relation_and_label(about, data):
    task = data.draw(related_tasks(about))
    y = data.draw(classes(len(task.examples), 3))
    model = gt.GraphTreeClassifier(**task.parameters).fit(task.X, y, sample_weight=task.weight)
    frame = task.table(model)
    try:
        task.check(frame, Impurity(y, 3, task.weights, "gini"))
        leaf = assert_replayed(model, frame, task)
    except TooCloseError:
        reject()
    np.testing.assert_array_equal(model.predict_proba(task.X), average(frame, leaf))


@every_kind
@settings(a_few, max_examples=8)
@given(data=st.data())
def test_boosted_trees_are_as_good_as_trying_every_relation_and_label(about, data):
    task = data.draw(related_tasks(about))
    y = data.draw(targets(len(task.examples)))
    model = gt.GraphBoostingRegressor(n_estimators=2, learning_rate=RATE, **task.parameters)
    frame = task.table(model.fit(task.X, y, sample_weight=task.weight))
    try:
        said = check_boosting(model, frame, task, of_squared_error(y))
    except TooCloseError:
        reject()
    np.testing.assert_allclose(model.predict(task.X), said[:, 0], rtol=1e-12, atol=1e-12)


@settings(a_few, max_examples=15)
@given(graphs=related_graphs())
def test_edges_have_the_features_that_the_oracle_writes_out(graphs):
    X = gt.Graphs(graphs).edges
    if len(X) == 0:
        reject()
    model = gt.GraphTreeRegressor(max_walk_length=0).fit(X, np.arange(len(X)))
    columns = edge_columns(graphs[0])
    assert model.feature_names_in_.tolist() == [column.name for column in columns]
    labels = [k for k, column in enumerate(columns) if column.is_label]
    assert labels == list(labels_of_edges(graphs[0]))


@settings(a_few, max_examples=10)
@given(data=st.data(), graphs=related_graphs())
def test_numbers_named_as_categories_are_labels(data, graphs):
    """The numbers of the first feature; and a graph with numbers that were never seen."""
    new = graph_with_new_labels(directed=graphs[0].directed)
    seen = np.unique(np.concatenate([g.features[:, 0] for g in graphs]))
    labels = {0: seen[~np.isnan(seen)].tolist(), 1: KINDS}
    y = data.draw(targets(len(graphs)))
    model = gt.GraphTreeRegressor(categorical_features=["size", "kind"], max_walk_length=1)
    frame = model.fit(graphs, y).trees_to_dataframe()
    told = [Example(dense(graph, labels=labels)) for graph in (*graphs, new)]
    frame = by_column(frame, told[0].graph.columns)
    try:
        replayed = leaves(frame, told)
    except TooCloseError:
        reject()
    np.testing.assert_array_equal(model.apply(graphs), replayed[:-1])
    np.testing.assert_array_equal(model.apply([new]), replayed[-1:])


def graph_with_new_labels(directed: bool) -> gt.Graph:
    kind = pd.Categorical(["red", "violet", None], categories=["violet", "red"])
    features = pd.DataFrame({"size": [99.0, 1.0, -7.5], "kind": kind})
    return gt.Graph(features, [(0, 1), (1, 2)], directed=directed)
