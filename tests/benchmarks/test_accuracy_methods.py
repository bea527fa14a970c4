"""The other methods of benchmarks/accuracy see what their names say."""

from __future__ import annotations

import importlib
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import graphtrees as gt

ROOT = Path(__file__).parents[2]


@pytest.fixture
def load(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    return lambda name: importlib.import_module(f"benchmarks.accuracy.{name}")


@pytest.fixture
def make(load):
    """An estimator of a method by name; skips where its library is missing."""
    methods = load("methods")

    def made(name, kind, classifies=True):
        chosen = methods.method(name)
        if chosen.missing():
            pytest.skip(chosen.missing())
        assert chosen.applies(kind, classifies)
        return chosen.make(methods.Setting(kind, classifies, 0))

    return made


def random_graphs(n_graphs: int, features, seed: int = 0) -> gt.Graphs:
    """`features(rng, n)` makes the table of a graph with n vertices, or None."""
    rng = np.random.default_rng(seed)
    graphs = []
    for _ in range(n_graphs):
        n = int(rng.integers(3, 9))
        pairs = np.argwhere(np.triu(rng.random((n, n)) < 0.4, 1))
        graphs.append(gt.Graph(features(rng, n), pairs, n_vertices=n))
    return gt.Graphs(graphs)


def kinds(rng, n) -> pd.DataFrame:
    kind = pd.Categorical(rng.choice(["a", "b"], n), categories=["a", "b"])
    return pd.DataFrame({"kind": kind, "size": rng.normal(size=n)})


def flags(rng, n) -> np.ndarray:
    return rng.integers(0, 2, size=(n, 2)).astype(float)


def nothing(rng, n) -> None:
    return None


# ---- tables ------------------------------------------------------------------------------------


def test_whole_graph_columns_of_a_path_by_hand(load):
    path = gt.Graph([[1.0], [2.0], [4.0]], [(0, 1), (1, 2)])
    row = load("methods.tables").whole_graph_columns(gt.Graphs([path]))[0].reshape(3, 4, 2)
    # By walk length: sum, mean, minimum, maximum of (feature, constant).
    np.testing.assert_allclose(row[0], [[7, 3], [7 / 3, 1], [1, 1], [4, 1]], rtol=1e-6)
    np.testing.assert_allclose(row[1], [[9, 4], [3, 4 / 3], [2, 1], [5, 2]], rtol=1e-6)
    np.testing.assert_allclose(row[2], [[14, 6], [14 / 3, 2], [4, 2], [5, 2]], rtol=1e-6)


def test_columns_do_not_depend_on_how_many_graphs_are_made_at_once(load, monkeypatch):
    tables, graphs = load("methods.tables"), random_graphs(7, kinds)
    whole = tables.whole_graph_columns(graphs)
    monkeypatch.setattr(tables, "GRAPHS_AT_ONCE", 3)
    np.testing.assert_array_equal(tables.whole_graph_columns(graphs), whole)


def test_vertex_columns_are_means_over_known_neighbours(load):
    star = gt.Graph([[1.0], [2.0], [np.nan], [6.0]], [(0, 1), (0, 2), (0, 3)])
    columns = load("methods.tables").vertex_columns(star.vertices[[0, 1]])
    # Own, mean of neighbours, mean of their means, degree.
    np.testing.assert_allclose(columns, [[1, 4, 1, 3], [2, 1, 4, 1]])


def test_sparse_and_dense_features_make_the_same_vertex_columns(load):
    rng = np.random.default_rng(0)
    features = (rng.random((9, 4)) < 0.4).astype(float)
    edges = [(i, (i * 2 + 1) % 9) for i in range(9)]
    dense = gt.Graph(features, edges).vertices
    sparse = gt.Graph(sp.csr_array(features), edges).vertices
    columns = load("methods.tables").vertex_columns
    np.testing.assert_allclose(columns(sparse).toarray(), columns(dense), rtol=1e-6)


def test_categories_become_columns_of_0_and_1(load):
    table = pd.DataFrame({"kind": pd.Categorical(["b", None, "a"]), "size": [1.0, 2.0, 3.0]})
    encoded = load("methods.tables").encoded(gt.Graphs([gt.Graph(table, [(0, 1)])]))
    assert encoded.toarray().tolist() == [[0, 1, 1], [0, 0, 2], [1, 0, 3]]


# ---- Weisfeiler-Leman --------------------------------------------------------------------------


def plain_colours(graph: gt.Graph, rounds: int) -> list:
    """Colours as nested tuples, straight from the definition."""
    neighbours = [np.flatnonzero(row) for row in graph.adjacency().toarray()]
    colours = [tuple(row) for row in np.asarray(graph.features)]
    every = [(0, colour) for colour in colours]
    for number in range(1, rounds + 1):
        colours = [
            (colours[v], tuple(sorted(Counter(colours[u] for u in neighbours[v]).items())))
            for v in range(len(colours))
        ]
        every += [(number, colour) for colour in colours]
    return every


@pytest.mark.parametrize("seed", range(3))
def test_colours_are_those_of_the_definition(load, seed):
    graphs = random_graphs(30, flags, seed)
    graph_of, hashes = load("methods.refinement").coloured(graphs, np.arange(2))
    named = {}
    for number, graph in enumerate(graphs):
        wanted = plain_colours(graph, load("methods.refinement").ROUNDS)
        came = hashes[graph_of == number].tolist()
        for colour, hashed in zip(wanted, came, strict=True):
            assert named.setdefault(colour, hashed) == hashed
    assert len(set(named.values())) == len(named)


def test_numbers_that_are_not_labels_are_no_colours(load):
    graphs = random_graphs(20, lambda rng, n: np.c_[flags(rng, n), rng.normal(size=n)])
    assert load("methods.refinement").label_columns(graphs).tolist() == [0, 1]


# ---- all of them -------------------------------------------------------------------------------


@pytest.mark.parametrize("features", [kinds, flags, nothing])
@pytest.mark.parametrize("name", ["lightgbm", "xgboost", "wl-forest", "wl-svm", "gin", "gcn"])
def test_every_method_learns_which_graphs_have_many_edges(make, name, features):
    graphs = random_graphs(90, features)
    y = np.where([g.n_edges > 5 for g in graphs], "many", "few")
    model = make(name, "graphs").fit(graphs[:70], y[:70])
    assert (model.predict(graphs[70:]) == y[70:]).mean() >= 0.7


@pytest.mark.parametrize("name", ["lightgbm", "xgboost", "smoothed-linear", "gin", "gcn"])
def test_every_method_learns_a_mean_over_neighbours(make, name):
    rng = np.random.default_rng(0)
    features = rng.normal(size=(300, 2))
    ring = [(i, (i + 1) % 300) for i in range(300)]
    around = np.mean([np.roll(features[:, 0], step) for step in (-1, 0, 1)], axis=0)
    features[5, 1] = np.nan
    X, train, test = gt.Graph(features, ring).vertices, np.arange(220), np.arange(220, 300)
    classifier = make(name, "vertices").fit(X[train], (around > 0)[train])
    assert (classifier.predict(X[test]) == (around > 0)[test]).mean() > 0.75
    regressor = make(name, "vertices", classifies=False).fit(X[train], around[train])
    error = np.mean((regressor.predict(X[test]) - around[test]) ** 2)
    assert error < 0.7 * around[test].var()


def test_probabilities_are_in_the_order_of_classes(make):
    graphs = random_graphs(90, flags)
    y = np.array([int(g.n_edges > 5) for g in graphs])
    for name in ("lightgbm", "wl-forest"):
        model = make(name, "graphs").fit(graphs, y)
        chances = model.predict_proba(graphs)
        assert (chances.argmax(axis=1) == model.predict(graphs)).all()
    margin = make("wl-svm", "graphs").fit(graphs, y).decision_function(graphs)
    assert margin[y == 1].mean() > margin[y == 0].mean()
