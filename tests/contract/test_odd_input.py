"""Odd input that must work: nothing to walk on, nothing to tell apart, far too many neighbours."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from builders import a_graph, some_graphs
from models import CLASSIFIERS, SIX, name_of, small
from pandas.testing import assert_frame_equal

import graphtrees as gt

six_kinds = pytest.mark.parametrize("kind", SIX, ids=name_of)
everything = {"operators": ("adjacency", "reverse", "mean"), "max_walk_length": 2}


def fit(kind: type, X, **given):
    """Fit on alternating labels and check that every method answers for every example."""
    y = np.arange(len(X)) % 2
    model = small(kind, **everything | given).fit(X, y)
    assert model.predict(X).shape == (len(X),)
    if kind in CLASSIFIERS:
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert np.isfinite(model.trees_to_dataframe()["value"].explode().astype(float)).all()
    return model


def both(graphs):
    """The graphs, and all their vertices where there are any."""
    graphs = gt.Graphs(graphs)
    return [graphs] + ([graphs.vertices] if len(graphs.vertices) else [])


def no_edges(seed: int) -> gt.Graph:
    return a_graph(4, edges=[], seed=seed)


ODD = {
    "no edges": [no_edges(seed) for seed in range(6)],
    "one vertex": [a_graph(1, edges=[], seed=seed) for seed in range(6)],
    "one vertex with a loop": [a_graph(1, edges=[(0, 0)], seed=seed) for seed in range(6)],
    "no vertices at all": [a_graph(0, edges=[])] * 6,
    "some without vertices": [a_graph(n, seed=n) for n in (0, 3, 0, 4, 5, 0)],
    "self-loops": [a_graph(3, edges=[(0, 0), (1, 1), (0, 1)], seed=seed) for seed in range(6)],
    "duplicate edges": [a_graph(3, edges=[(0, 1)] * 5 + [(1, 0)], seed=seed) for seed in range(6)],
    "isolated vertices": [a_graph(6, edges=[(0, 1)], seed=seed) for seed in range(6)],
    "no features": [gt.Graph(None, [(0, 1)] * k, n_vertices=3) for k in range(6)],
    "no features, no edges": [gt.Graph(None, [], n_vertices=n) for n in range(6)],
    "nothing of anything": [gt.Graph(None, [])] * 6,
    "constant features": [gt.Graph(np.full((n, 2), 7.0), [(0, 1)]) for n in range(2, 8)],
    "all missing": [gt.Graph(np.full((3, 2), np.nan), [(0, 1)]) for _ in range(6)],
    "some missing": [a_graph(4, seed=seed, missing=0.5) for seed in range(6)],
    "weights of zero": [a_graph(2, edges=[(0, 1)], seed=s, edge_weights=[0.0]) for s in range(6)],
    "negative weights": [a_graph(2, edges=[(0, 1)], seed=s, edge_weights=[-2.0]) for s in range(6)],
    "very large and very small": [
        gt.Graph(np.array([[1e30], [1e-30], [-1e30]]) * (seed + 1), []) for seed in range(6)
    ],
}


@six_kinds
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("case", ODD)
def test_odd_graphs_and_their_vertices_work(kind, directed, case):
    graphs = [
        gt.Graph(
            g.features if g.n_features else None,
            g.edge_index.T,
            directed=directed,
            edge_weights=g.edge_weights,
            n_vertices=g.n_vertices,
        )
        for g in ODD[case]
    ]
    for X in both(graphs):
        fit(kind, X, max_bins=None if directed else 255)


@six_kinds
@pytest.mark.parametrize("case", ODD)
def test_a_model_answers_for_odd_graphs_that_it_has_never_seen(kind, case):
    graphs = ODD[case]
    trained = some_graphs(8, n_vertices=(3, 6), n_features=graphs[0].n_features)
    for seen, unseen in zip(both(trained), both(graphs), strict=False):
        assert np.isfinite(fit(kind, seen).predict(unseen)).all()


@six_kinds
def test_a_graph_without_vertices_goes_where_missing_values_go(kind):
    graphs = [a_graph(0, edges=[]), *some_graphs(9, n_vertices=(2, 5))]
    model = small(kind).fit(graphs, np.r_[1, np.arange(9) % 2])
    frame = model.trees_to_dataframe().set_index(["tree", "node"])
    leaves = model.apply(graphs[:1])[0]
    for tree, leaf in enumerate(leaves):
        node = 0
        while frame.loc[(tree, node), "left"] >= 0:
            row = frame.loc[(tree, node)]
            node = row[row["missing_goes"]]
        assert node == leaf


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
@pytest.mark.parametrize("label", [0, 1, "only"])
@pytest.mark.parametrize("strategy", ["one_vs_rest", "softmax", "multi_output_tree"])
def test_one_class_alone_is_always_predicted(kind, label, strategy):
    given = {"multi_strategy": strategy} if kind is gt.GraphBoostingClassifier else {}
    X = some_graphs(5)
    model = small(kind, **given).fit(X, [label] * 5)
    assert model.predict(X).tolist() == [label] * 5
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((5, 1)))


@six_kinds
def test_one_example_alone_is_learnt_by_heart(kind):
    for X in (some_graphs(1), some_graphs(1).vertices[:1]):
        assert small(kind).fit(X, [3]).predict(X).tolist() == [3]


@six_kinds
def test_a_constant_target_makes_trees_without_splits(kind):
    X = some_graphs(6)
    model = small(kind).fit(X, np.ones(6))
    assert (model.trees_to_dataframe()["left"] == -1).all()
    assert (model.feature_importances_ == 0).all()


def assert_same_model(kind, one, other, y, **given) -> None:
    """Same trees on both, same words about both, whichever was trained on."""
    models = [small(kind, **everything | given).fit(X, y) for X in (one, other)]
    frames = [model.trees_to_dataframe() for model in models]
    assert_frame_equal(*frames, check_exact=True)
    for model in models:
        np.testing.assert_array_equal(model.predict(one), model.predict(other))


@six_kinds
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_duplicate_edges_add_their_weights(kind, directed, about):
    one, other = [], []
    for seed in range(10):
        g = a_graph(5, seed=seed, directed=directed, weighted=True)
        one.append(g)
        thirds = [g.edge_weights / 4, g.edge_weights / 4, g.edge_weights / 2]
        other.append(
            gt.Graph(
                g.features,
                np.concatenate([g.edge_index.T] * 3),
                directed=directed,
                edge_weights=np.concatenate(thirds),
            )
        )
    one, other = gt.Graphs(one), gt.Graphs(other)
    if about == "vertices":
        one, other = one.vertices, other.vertices
    assert_same_model(kind, one, other, np.arange(len(one)) % 3)


@six_kinds
def test_an_edge_listed_thrice_weighs_three(kind):
    one = gt.Graphs(a_graph(3, edges=[(0, 1)] * k, seed=k) for k in range(1, 9))
    other = gt.Graphs(
        a_graph(3, edges=[(0, 1)], seed=k, edge_weights=[float(k)]) for k in range(1, 9)
    )
    assert_same_model(kind, one, other, np.arange(8) % 2)


@six_kinds
@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_undirected_is_directed_both_ways(kind, about):
    one = some_graphs(10, n_vertices=(3, 6))
    other = gt.Graphs(
        gt.Graph(
            g.features, np.concatenate([g.edge_index.T, g.edge_index.T[:, ::-1]]), directed=True
        )
        for g in one
    )
    if about == "vertices":
        one, other = one.vertices, other.vertices
    y = np.arange(len(one)) % 3
    assert_same_model(kind, one, other, y, operators=("adjacency", "mean"))


@six_kinds
@pytest.mark.parametrize("about", ["graphs", "vertices"])
@pytest.mark.parametrize("max_bins", [255, None])
def test_sparse_features_are_the_same_features(kind, about, max_bins):
    rng = np.random.default_rng(0)
    one, other = [], []
    for seed in range(10):
        g = a_graph(6, n_features=5, seed=seed)
        features = np.where(rng.random((6, 5)) < 0.8, 0.0, g.features)
        features[rng.random((6, 5)) < 0.05] = np.nan
        one.append(gt.Graph(features, g.edge_index.T))
        other.append(gt.Graph(sp.csr_array(features), g.edge_index.T))
    one, other = gt.Graphs(one), gt.Graphs(other)
    if about == "vertices":
        one, other = one.vertices, other.vertices
    assert_same_model(kind, one, other, np.arange(len(one)) % 2, max_bins=max_bins)


@six_kinds
def test_integers_booleans_and_floats_are_the_same_numbers(kind):
    rng = np.random.default_rng(0)
    numbers = [rng.integers(0, 2, (4, 2)) for _ in range(8)]
    graphs = [
        gt.Graphs(gt.Graph(x.astype(dtype), [(0, 1), (1, 2)]) for x in numbers)
        for dtype in (np.int64, bool, np.uint8, np.float32)
    ]
    for other in graphs[1:]:
        assert_same_model(kind, graphs[0], other, np.arange(8) % 2)


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
def test_labels_of_numpys_string_dtype_are_strings(kind):
    if not hasattr(np.dtypes, "StringDType"):
        pytest.skip("NumPy 1 has no StringDType")
    X = some_graphs(20)
    labels = np.array(["a", "b"] * 10)
    model = small(kind).fit(X, labels.astype(np.dtypes.StringDType()))
    assert model.classes_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(model.predict(X), small(kind).fit(X, labels).predict(X))
    given = labels.astype(np.dtypes.StringDType())
    assert model.score(X, given) == model.score(X, labels)
    auto = gt.AutoGraphClassifier(recipes=["table"], cv=2, random_state=0).fit(X, given)
    assert auto.score(X, given) == auto.score(X, labels)
    vertices = X.vertices[:20]
    around = gt.WithLabels(small(kind), cv=2, random_state=0).fit(vertices, given)
    assert around.score(vertices, given) == around.score(vertices, labels)
    if kind is gt.GraphTreeClassifier:
        path = model.cost_complexity_pruning_path(X, given)
        assert (
            path.ccp_alphas.tolist()
            == model.cost_complexity_pruning_path(X, labels).ccp_alphas.tolist()
        )
    ranked = gt.permutation_importance(model, X, given, n_repeats=1, random_state=0)
    assert ranked.score == model.score(X, labels)
    missing = labels.astype(np.dtypes.StringDType(na_object=np.nan))
    missing[3] = np.nan
    for call in (small(kind).fit, model.score, auto.score):
        with pytest.raises(ValueError, match=r"y\[3\] has no label"):
            call(X, missing)
    with pytest.raises(ValueError, match=r"y\[3\] has no label"):
        around.score(vertices, [*labels[:3], None, *labels[4:]])
