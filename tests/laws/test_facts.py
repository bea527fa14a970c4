"""Every fact about TREE-G that has a proof: what subsets and closed walks can tell apart."""

from __future__ import annotations

import json

import numpy as np
import pytest
from models import CLASSIFIERS, SIX, name_of, small
from pandas.testing import assert_frame_equal
from real_valued import real_graphs

import graphtrees as gt

CORNERS = np.array([(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)])
EVERY_OPERATOR = ("adjacency", "reverse", "mean")


def lemma_4_3() -> list[gt.Graph]:
    """Four corners of a square as features; one edge along a diagonal, along the other diagonal."""
    return [gt.Graph(CORNERS, [(0, 3)]), gt.Graph(CORNERS, [(1, 2)])]


def one_sided() -> gt.Graph:
    """A third class: no vertex on the right, so that asking about the right side gains."""
    return gt.Graph(np.array([(-1.0, 1.0), (-1.0, -1.0)] * 2), [])


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("max_walk_length", [0, 1, 2, 3, 4])
def test_without_subsets_the_pair_of_lemma_4_3_is_one(directed, max_walk_length):
    pair = lemma_4_3()
    if directed:
        both_ways = ([(0, 3), (3, 0)], [(1, 2), (2, 1)])
        pair = [gt.Graph(CORNERS, edges, directed=True) for edges in both_ways]
    model = gt.GraphTreeClassifier(
        max_ancestor_distance=0, max_walk_length=max_walk_length, operators=EVERY_OPERATOR
    ).fit(pair, [0, 1])
    assert len(model.trees_to_dataframe()) == 1
    np.testing.assert_array_equal(model.predict_proba(pair), np.full((2, 2), 0.5))


def test_greedy_training_on_the_pair_alone_never_makes_the_root_split_it_needs():
    model = gt.GraphTreeClassifier(max_ancestor_distance=2).fit(lemma_4_3(), [0, 1])
    assert len(model.trees_to_dataframe()) == 1


def test_a_tree_built_by_hand_separates_the_pair(tmp_path):
    """Which vertices are on the right? Then: what do they hand to their neighbours?

    The root sends every graph with a vertex on the right to the right, and makes the subset of
    those vertices. Its right child adds up the second coordinate along edges from that subset:
    1 along one diagonal, -1 along the other.
    """
    pair = lemma_4_3()
    gt.GraphTreeRegressor(max_walk_length=1).fit(pair, [0.0, 0.0]).save(tmp_path / "tree.json")
    content = json.loads((tmp_path / "tree.json").read_text())
    root, left, right, one, other = range(5)
    content["trees"] = [
        {
            "column": [0, -1, 1, -1, -1],
            "operator": [0] * 5,
            "walk_length": [0, 0, 1, 0, 0],
            "pointer": [root, left, root, one, other],
            "sign": [0, 0, 1, 0, 0],
            "walk_type": [0] * 5,
            "aggregator": [3, -1, 0, -1, -1],
            "threshold": [0.0] * 5,
            "missing_left": [True] * 5,
            "left": [left, -1, one, -1, -1],
            "right": [right, -1, other, -1, -1],
            "depth": [0, 1, 1, 2, 2],
            "gain": [0.0, 0.0, 1.0, 0.0, 0.0],
            "n_samples": [2, 0, 2, 1, 1],
            "value": [[0.0], [-7.0], [0.0], [20.0], [10.0]],
        }
    ]
    (tmp_path / "tree.json").write_text(json.dumps(content))
    model = gt.load_model(tmp_path / "tree.json")
    assert model.predict([*pair, one_sided()]).tolist() == [10.0, 20.0, -7.0]
    question = model.trees_to_dataframe().loc[right]
    assert (question["pointer"], question["sign"], question["walk_type"]) == (0, "+", "source")


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
def test_a_third_class_lets_training_find_the_separation(kind):
    """Splitting it off makes the subset that the pair needs."""
    X = [*lemma_4_3(), one_sided()] * 3
    y = np.array(["falling", "rising", "left"] * 3)
    given = {"bootstrap": False, "max_features": None} if "Forest" in kind.__name__ else {}
    if kind is gt.GraphBoostingClassifier:
        given = {"n_estimators": 20, "multi_strategy": "softmax"}
    model = small(kind, max_walk_length=1, max_ancestor_distance=1, **given).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    without = small(kind, max_walk_length=1, max_ancestor_distance=0, **given).fit(X, y)
    pair = without.predict_proba(lemma_4_3())
    np.testing.assert_array_equal(pair[0], pair[1])


def circulant(n: int, steps) -> gt.Graph:
    return gt.Graph(None, [(i, (i + step) % n) for i in range(n) for step in steps])


def test_one_split_on_closed_walks_separates_what_1_wl_cannot():
    pair = [circulant(8, (1, 2)), circulant(8, (1, 3))]
    assert all((np.asarray(g.adjacency().sum(axis=0)) == 4).all() for g in pair), "4-regular"
    model = gt.GraphTreeClassifier(max_walk_length=3).fit(pair, [0, 1])
    assert model.predict(pair).tolist() == [0, 1]
    root = model.trees_to_dataframe().iloc[0]
    assert root[["feature", "walk_length", "walk_type", "aggregator"]].tolist() == [
        "1", 3, "cycle", "sum",
    ]  # fmt: skip
    assert root["threshold"] == 24.0, "48 closed walks around triangles, against none"


@pytest.mark.parametrize(
    "given",
    [
        {"max_walk_length": 2},
        {"max_walk_length": 5, "walk_types": ("source", "target", "target_source")},
    ],
    ids=str,
)
def test_regular_graphs_are_alike_without_long_closed_walks(given):
    pair = [circulant(8, (1, 2)), circulant(8, (1, 3))]
    model = gt.GraphTreeClassifier(operators=EVERY_OPERATOR, **given).fit(pair, [0, 1])
    np.testing.assert_array_equal(model.predict_proba(pair), np.full((2, 2), 0.5))


# Sets ------------------------------------------------------------------------------------------


def a_set(rng) -> tuple[gt.Graph, float]:
    """Items with a colour (0 or 1) and a price; the price of the coloured ones decides."""
    n = int(rng.integers(3, 7))
    colour = rng.integers(0, 2, n)
    colour[0] = 1
    price = rng.integers(1, 9, n)
    return gt.Graph(np.column_stack([colour, price]).astype(float), []), price[colour == 1].max()


@pytest.mark.parametrize("kind", SIX, ids=name_of)
def test_without_edges_walks_are_not_asked_about(kind):
    """All walks are zero there: the model is that of walk length zero."""
    X = [gt.Graph(g.features, []) for g in real_graphs(0, n_graphs=20)]
    y = np.arange(20) % 2
    still = small(kind, max_walk_length=0, max_features=None, bootstrap=False) if (
        "Forest" in kind.__name__
    ) else small(kind, max_walk_length=0)  # fmt: skip
    walking = small(kind, **still.get_params() | {"max_walk_length": 2})
    assert_frame_equal(still.fit(X, y).trees_to_dataframe(), walking.fit(X, y).trees_to_dataframe())


def test_on_sets_subsets_are_what_a_set_tree_attends_to():
    """The dearest coloured item: first find the coloured ones, then ask about these alone."""
    rng = np.random.default_rng(0)
    X, dearest = zip(*(a_set(rng) for _ in range(300)), strict=True)
    y = (np.array(dearest) > 4).astype(int)
    # Sets without a coloured item come first: splitting them off makes the subset of interest.
    plain = [
        gt.Graph(np.column_stack([np.zeros(4), rng.integers(1, 9, 4)]), []) for _ in range(300)
    ]
    X, y = [*X, *plain], np.r_[y, np.full(300, 2)]
    given = {"max_leaf_nodes": 3, "aggregators": ("max",), "n_jobs": 1}
    attentive = gt.GraphTreeClassifier(max_ancestor_distance=1, **given).fit(X, y)
    assert attentive.score(X, y) == 1.0
    frame = attentive.trees_to_dataframe()
    question = frame[frame["sign"].notna()].iloc[0]
    assert (question["feature"], question["walk_length"]) == ("x1", 0)
    blind = gt.GraphTreeClassifier(max_ancestor_distance=0, **given).fit(X, y)
    assert blind.score(X, y) < 0.95


def test_a_set_may_grow_by_items_outside_the_subset():
    rng = np.random.default_rng(1)
    X, dearest = zip(*(a_set(rng) for _ in range(60)), strict=True)
    plain = [gt.Graph([[0.0, 5.0]], []) for _ in range(60)]
    y = np.r_[(np.array(dearest) > 4).astype(int), np.full(60, 2)]
    model = gt.GraphTreeClassifier(
        max_ancestor_distance=1, max_leaf_nodes=3, aggregators=("max",), n_jobs=1
    ).fit([*X, *plain], y)
    dear_but_plain = np.tile([[0.0, 100.0]], (5, 1))
    longer = [gt.Graph(np.concatenate([g.features, dear_but_plain]), []) for g in X]
    np.testing.assert_array_equal(model.predict(longer), model.predict(list(X)))


# Directions, sizes -----------------------------------------------------------------------------


def reversed_graph(graph: gt.Graph) -> gt.Graph:
    return gt.Graph(
        graph.features,
        graph.edge_index[::-1].T,
        directed=True,
        edge_weights=graph.edge_weights,
        n_vertices=graph.n_vertices,
    )


@pytest.mark.parametrize("kind", SIX, ids=name_of)
@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_walking_backwards_is_walking_on_the_reversed_graph(kind, about):
    there = gt.Graphs(real_graphs(2, n_graphs=20, n_vertices=(1, 6), directed=True))
    back = gt.Graphs(reversed_graph(g) for g in there)
    if about == "vertices":
        there, back = there.vertices, back.vertices
    y = np.arange(len(there)) % 2
    forwards = small(kind, operators=("adjacency",)).fit(there, y)
    backwards = small(kind, operators=("reverse",)).fit(back, y)
    frames = [m.trees_to_dataframe().drop(columns="operator") for m in (forwards, backwards)]
    assert_frame_equal(*frames, check_exact=True)
    assert forwards.predict(there).tobytes() == backwards.predict(back).tobytes()


@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_undirected_graphs_know_no_backwards(about):
    graphs = gt.Graphs(real_graphs(4, n_graphs=12, n_vertices=(1, 6)))
    X = graphs if about == "graphs" else graphs.vertices
    y = np.arange(len(X)) % 2
    one = small(gt.GraphTreeClassifier, operators=("adjacency",)).fit(X, y)
    for operators in (("reverse",), ("adjacency", "reverse"), ("reverse", "adjacency")):
        other = small(gt.GraphTreeClassifier, operators=operators).fit(X, y)
        assert_frame_equal(one.trees_to_dataframe(), other.trees_to_dataframe(), check_exact=True)


def cycle_or_path(n: int, closed: bool) -> gt.Graph:
    edges = [(i, i + 1) for i in range(n - 1)] + ([(n - 1, 0)] if closed else [])
    return gt.Graph(None, edges, n_vertices=n)


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
def test_what_was_learnt_on_small_graphs_holds_on_sizes_never_seen(kind):
    """Rings and rows of 4 to 8 vertices; the least degree tells them apart at any size."""
    sizes = [n for n in range(4, 9) for _ in range(2)]
    X = [cycle_or_path(n, k % 2 == 0) for k, n in enumerate(sizes)]
    y = [k % 2 for k in range(len(X))]
    model = small(kind, aggregators=("min",), max_walk_length=1).fit(X, y)
    unseen = [cycle_or_path(n, closed) for n in (3, 20, 500) for closed in (True, False)]
    assert model.predict(unseen).tolist() == [0, 1] * 3


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
def test_vertices_of_graphs_never_seen_are_told_apart(kind):
    """Ends of a row, learnt on two small rows and asked of a long one."""
    train = gt.Graphs([cycle_or_path(5, False), cycle_or_path(6, False)]).vertices
    y = [1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1]
    given = {"bootstrap": False, "max_features": None} if "Forest" in kind.__name__ else {}
    model = small(kind, **given).fit(train, y)
    said = model.predict(cycle_or_path(300, False).vertices)
    assert said.nonzero()[0].tolist() == [0, 299]
