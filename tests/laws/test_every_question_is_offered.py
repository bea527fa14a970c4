"""Targets made from the answer to one question, drawn from the oracle's list of all of them.

Where targets are random, the best split is nearly always one of the plain questions, and a question
that is never offered goes unnoticed. Here the drawn question tells everything, so it is missed.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from oracle_tasks import Task, a_few, related_tasks, tasks
from oracles import Limits, TooCloseError, follow, trees_of
from oracles.check import _Checker
from oracles.search import Node, questions_at, thresholds, tolerance_of, values_at, whole_graphs

import graphtrees as gt

GROWN = {"max_leaf_nodes": None, "min_samples_leaf": 1, "min_gain": 0.0}


def told_by_one_question(rng, node: Node, task: Task, on_subsets: bool) -> np.ndarray:
    """The answers of the rows of a node to a question and a threshold; missing goes to a side."""
    offered = questions_at(node, task.offer, task.examples[0].vertex is not None)
    listed = [(q, s) for q, s in offered.items() if (s.distance > 0) == on_subsets]
    graphs = {task.examples[row].graph for row in node.rows}
    for place in rng.permutation(len(listed)):
        question, subset = listed[place]
        values = values_at(question, subset, task.examples, node.rows)
        cuts = thresholds(values, tolerance_of(question, graphs, values))
        if cuts:
            above = values > rng.choice(cuts)
            return np.where(np.isnan(values), rng.random() < 0.5, above).astype(float)
    return np.zeros(len(node.rows))


def below_the_root(frame, task: Task, side: str) -> Node:
    """A child of the root, with the subsets that the root made."""
    (nodes,) = trees_of(frame)
    paths = [follow(nodes, example) for example in task.examples]
    checker = _Checker(
        nodes, task.examples, paths, None, task.offer, Limits(), True, False, False
    )  # fmt: skip
    return checker.node(int(nodes[0][side]))


def assert_told_apart(task: Task, y: np.ndarray, depth: int):
    parameters = task.parameters | {"max_depth": depth}
    model = gt.GraphTreeRegressor(**parameters).fit(task.X, y)
    np.testing.assert_allclose(model.predict(task.X), y, atol=1e-9)
    return task.table(model)


def assert_found(seed: int, task: Task) -> None:
    rng = np.random.default_rng(seed)
    task = task._replace(weight=None, grown=GROWN)
    task.asked["max_ancestor_distance"] = max(1, task.asked["max_ancestor_distance"])
    graphs = {example.graph for example in task.examples}
    root = Node(0, 0, np.arange(len(task.examples)), (whole_graphs(0, graphs),))
    first = told_by_one_question(rng, root, task, on_subsets=False)
    frame = assert_told_apart(task, first, depth=1)
    if len(frame) == 1:
        reject()
    try:
        children = [below_the_root(frame, task, side) for side in ("left", "right")]
        for child in children:
            second = np.zeros(len(first))
            second[child.rows] = told_by_one_question(rng, child, task, on_subsets=True)
            assert_told_apart(task, 1000.0 * first + second, depth=2)
    except TooCloseError:
        reject()


@pytest.mark.parametrize("about", ["graphs", "vertices"])
@a_few
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_what_one_question_tells_apart_is_told_apart(about, data, seed):
    assert_found(seed, data.draw(tasks(about)))


@pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])
@a_few
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_what_one_question_about_relations_or_labels_tells_apart_is_told_apart(about, data, seed):
    assert_found(seed, data.draw(related_tasks(about)))


def test_graphs_that_only_the_sum_over_a_subset_with_missing_values_tells_apart():
    """Graphs 2 and 3 have no value at the marked vertex: over it alone there is no sum.

    Over all vertices, with 0 outside the subset, their sum is 0 as for graph 1.
    """
    cells = [(1.0, -5.0), (0.0, -5.0), (np.nan, -5.0), (np.nan, -5.0)]
    X = [gt.Graph([[1.0, a], [0.0, b]], []) for a, b in cells]
    X += [gt.Graph([[0.5, a], [0.0, b]], []) for a, b in cells]
    y = np.array([1.0, 0.0, 1.0, 1.0, 10.0, 10.0, 10.0, 10.0])
    asked = {"aggregators": ("sum",), "max_walk_length": 0, "add_constant": False}
    plain = gt.GraphTreeRegressor(**asked, max_depth=2, max_ancestor_distance=0).fit(X, y)
    model = gt.GraphTreeRegressor(**asked, max_depth=2).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert not np.array_equal(plain.predict(X), y)


@pytest.mark.parametrize("kind", [gt.GraphTreeRegressor, gt.GraphBoostingRegressor])
@pytest.mark.parametrize("about", ["rows", "graphs", "vertices"])
def test_a_categorical_column_may_be_named_too(kind, about):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    labels = pandas.Categorical.from_codes(rng.integers(-1, 3, 40), categories=["b", "a", "c"])
    table = pandas.DataFrame({"size": rng.normal(size=40), "kind": labels})
    y = np.where(labels == "a", 5.0, 0.0) + np.where(labels == "c", 2.0, 0.0)
    X = table
    if about != "rows":
        graphs = gt.Graphs(gt.Graph(table.iloc[[k]], []) for k in range(40))
        X = graphs if about == "graphs" else graphs.vertices
    models = [
        kind(categorical_features=chosen, max_leaf_nodes=3, min_samples_leaf=1).fit(X, y)
        for chosen in ("from_dtype", ["kind"], [1])
    ]
    frames = [model.trees_to_dataframe() for model in models]
    splits = frames[0].query("left >= 0")
    assert set(splits["feature"]) == {"kind"}
    assert set(splits["category"]) == {"a", "c"}
    for frame in frames[1:]:
        pandas.testing.assert_frame_equal(frames[0], frame, check_exact=True)
