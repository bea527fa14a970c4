"""A feature with very many labels: no table of labels times vertices, and labels never seen."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from models import SIX, name_of, small
from peaks import peak_once_compiled

import graphtrees as gt

N_LABELS = 10_000


def shops(codes: np.ndarray) -> pd.DataFrame:
    names = [f"shop {code}" for code in range(N_LABELS)]
    return pd.DataFrame({"shop": pd.Categorical.from_codes(codes, categories=names)})


def test_ten_thousand_labels_at_the_vertices_of_one_graph_stay_small():
    rng = np.random.default_rng(0)
    n = 4_000
    codes = rng.integers(0, N_LABELS, n)
    codes[: n // 2] = 7
    X = gt.Graph(shops(codes), rng.integers(0, n, (2 * n, 2))).vertices
    model = gt.GraphBoostingClassifier(n_estimators=2, random_state=0, n_jobs=1)
    # Every label at every vertex would take 153 MB once, and a table of questions many times that.
    assert peak_once_compiled(lambda: model.fit(X, codes == 7).predict(X)) < 60 * 2**20
    assert model.score(X, codes == 7) == 1.0
    assert peak_once_compiled(lambda: model.explain(X[0])) < 40 * 2**20
    first = model.trees_to_dataframe().iloc[0]
    assert (first["feature"], first["category"]) == ("shop", "shop 7")


def test_ten_thousand_labels_in_many_graphs_stay_small():
    rng = np.random.default_rng(0)
    n_graphs, size = 200, 20
    codes = rng.integers(0, N_LABELS, n_graphs * size)
    y = np.arange(n_graphs) % 2
    codes[::size] = np.where(y == 1, 7, 8)
    flat = gt.Graphs.from_flat(
        vertex_ptr=np.arange(n_graphs + 1) * size,
        edge_ptr=np.arange(n_graphs + 1) * size,
        edges=rng.integers(0, size, (2, n_graphs * size)),
        features=codes[:, None].astype(float),
        categories={0: [f"shop {code}" for code in range(N_LABELS)]},
    )
    model = gt.GraphTreeClassifier(max_walk_length=1, aggregators=("sum",), n_jobs=1)
    # Every label at every vertex would take 153 MB.
    assert peak_once_compiled(lambda: model.fit(flat, y).predict(flat)) < 60 * 2**20
    assert model.score(flat, y) == 1.0


def a_graph(labels, categories=None, seed: int = 0) -> gt.Graph:
    kind = pd.Categorical(labels, categories=categories)
    edges = np.random.default_rng(seed).integers(0, len(labels), (9, 2))
    return gt.Graph(pd.DataFrame({"kind": kind}), edges)


def fitted(kind, about: str):
    known = [a_graph(np.random.default_rng(k).choice(["a", "b", "c"], 6), seed=k) for k in range(8)]
    X = gt.Graphs(known) if about == "graphs" else getattr(gt.Graphs(known), about)
    return small(kind, min_samples_leaf=1).fit(X, np.arange(len(X)) % 3)


def said_of(model, graph: gt.Graph, about: str) -> np.ndarray:
    return model.predict([graph] if about == "graphs" else getattr(graph, about))


@pytest.mark.parametrize("about", ["graphs", "vertices"])
@pytest.mark.parametrize("kind", SIX, ids=name_of)
def test_a_label_never_seen_is_as_if_it_were_missing(kind, about):
    """It is none of the labels that the model knows, so each of its questions says 0 there."""
    model = fitted(kind, about)
    new, missing = ["a", "new", "b", "newer", "c"], ["a", None, "b", None, "c"]
    said = [said_of(model, a_graph(labels), about) for labels in (new, missing)]
    np.testing.assert_array_equal(*said)


@pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])
def test_the_order_in_which_labels_are_listed_changes_nothing(about):
    """New data may list labels in another order than the training data, and list more of them."""
    model = fitted(gt.GraphBoostingRegressor, about)
    labels = ["a", "new", "b", "b", "c", "a", "c"]
    lists = (["a", "b", "c", "new"], ["new", "c", "more", "b", "a"])
    said = [said_of(model, a_graph(labels, listed), about) for listed in lists]
    np.testing.assert_array_equal(*said)
