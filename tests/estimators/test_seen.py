"""A model knows which examples it was trained on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import some_graphs

import graphtrees as gt
from graphtrees.validation.fingerprints import seen_in_training


def labels(n):
    return np.arange(n) % 2


def examples(about):
    graphs = gt.Graphs(some_graphs(30))
    if about == "rows":
        return np.random.default_rng(0).normal(size=(30, 3))
    return {"graphs": graphs, "vertices": graphs.vertices, "edges": graphs.edges}[about]


@pytest.mark.parametrize("about", ["graphs", "vertices", "edges", "rows"])
def test_trained_examples_are_known_and_no_others(about, tmp_path):
    X = examples(about)
    train = np.arange(len(X)) % 3 > 0
    model = gt.GraphTreeClassifier(max_depth=2).fit(X[train], labels(len(X))[train])
    seen = seen_in_training(model, X)
    assert seen[train].all()
    # Copies of trained examples are known as well; these graphs are drawn at random.
    assert seen[~train].mean() < 0.2
    if about != "rows":
        model.save(tmp_path / "m.json")
        np.testing.assert_array_equal(seen_in_training(gt.load_model(tmp_path / "m.json"), X), seen)


def test_graphs_are_known_whatever_else_is_in_the_collection():
    """The codes of categories and edge types depend on what comes together."""
    gt_smiles = pytest.importorskip("rdkit") and gt.from_smiles
    model = gt.GraphTreeClassifier().fit(gt_smiles(["CCO", "CC=N"]), [0, 1])
    again = gt_smiles(["Br", "CC=N", "C#CCl", "CCO", "CCN", "CC-N"])
    assert seen_in_training(model, again).tolist() == [False, True, False, True, False, False]


def test_single_and_double_precision_are_the_same_example():
    X = [gt.Graph(np.array([[0.1], [k]]), [(0, 1)]) for k in (0.3, 0.7)]
    model = gt.GraphTreeRegressor().fit(X, [0.0, 1.0])
    narrow = [gt.Graph(g.features.astype(np.float32), [(0, 1)]) for g in X]
    assert seen_in_training(model, narrow).all()


def test_a_vertex_is_known_by_its_name_when_the_graph_has_grown():
    def path(n):
        names = [f"v{k}" for k in range(n)]
        edges = [(k, k + 1) for k in range(n - 1)]
        return gt.Graph(np.arange(n)[:, None] * 1.0, edges, vertex_names=names)

    model = gt.GraphTreeClassifier().fit(path(6).vertices, labels(6))
    # The last vertex of old has a new neighbour, and with it new evidence.
    assert seen_in_training(model, path(8).vertices).tolist() == [True] * 5 + [False] * 3


def test_fingerprints_stay_small(tmp_path):
    X, y = gt.Graphs(some_graphs(30)), labels(30)
    gt.GraphTreeClassifier(max_depth=1).fit(X, y).save(tmp_path / "m.json")
    import json

    assert len(json.loads((tmp_path / "m.json").read_text())["trained_on"]) <= 6 * 30


def test_files_without_fingerprints_are_read(tmp_path):
    import json

    X = gt.Graphs(some_graphs(10))
    gt.GraphTreeClassifier(max_depth=1).fit(X, labels(10)).save(tmp_path / "m.json")
    content = json.loads((tmp_path / "m.json").read_text())
    del content["trained_on"]
    (tmp_path / "m.json").write_text(json.dumps(content))
    assert not seen_in_training(gt.load_model(tmp_path / "m.json"), X).any()


def test_a_new_fit_forgets_the_examples_of_the_last_one():
    X = examples("graphs")
    model = gt.GraphTreeClassifier(max_depth=2).fit(X[:10], labels(10))
    model.fit(X[10:20], labels(10))
    assert seen_in_training(model, X).tolist() == [False] * 10 + [True] * 10 + [False] * 10


def test_a_warm_start_adds_to_the_examples():
    X = examples("graphs")
    model = gt.GraphBoostingClassifier(n_estimators=2, warm_start=True).fit(X[:10], labels(10))
    model.set_params(n_estimators=4).fit(X[10:20], labels(10))
    assert seen_in_training(model, X).tolist() == [True] * 20 + [False] * 10


def test_a_refused_fit_leaves_the_examples_known():
    X = examples("graphs")
    model = gt.GraphTreeClassifier(max_depth=2).fit(X[:10], labels(10))
    with pytest.raises(ValueError, match="inconsistent"):
        model.fit(X[10:20], labels(9))
    assert seen_in_training(model, X).tolist() == [True] * 10 + [False] * 20


def test_labels_that_are_read_as_numbers_are_known():
    sizes = pd.DataFrame({"size": pd.Categorical([3, 1, 2, 1])})
    model = gt.GraphTreeRegressor(categorical_features=None).fit(sizes, [3.0, 1.0, 2.0, 1.0])
    assert seen_in_training(model, pd.DataFrame({"size": [3.0, 5.0, 1.0]})).tolist() == [
        True, False, True,
    ]  # fmt: skip


def test_the_trees_of_a_forest_know_what_it_was_trained_on():
    X = examples("graphs")
    forest = gt.GraphForestClassifier(n_estimators=2).fit(X[:10], labels(10))
    assert seen_in_training(forest.estimators_[0], X).tolist() == [True] * 10 + [False] * 20
