"""Many graphs as one sequence: choosing, joining, and agreeing on what they hold."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from builders import a_graph, a_path, some_graphs
from hypothesis import given
from hypothesis import strategies as st

from graphtrees.graphs import Graph, Graphs


def assert_same_graph(one, other):
    np.testing.assert_array_equal(one.features, other.features)
    np.testing.assert_array_equal(one.edge_index, other.edge_index)
    for name in ("edge_weights", "edge_features", "vertex_names", "edge_types"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert (one.directed, one.feature_names) == (other.directed, other.feature_names)


def rich_graph(seed):
    n_edges = 3
    return a_graph(
        4,
        edges=[(0, 1), (1, 2), (3, 3)],
        seed=seed,
        directed=True,
        weighted=True,
        n_edge_types=2,
        edge_features=np.full((n_edges, 2), float(seed)),
        feature_names=["a", "b"],
        vertex_names=[f"{seed}.{i}" for i in range(4)],
    )


def test_every_graph_comes_back_as_it_went_in():
    items = [rich_graph(seed) for seed in range(4)]
    graphs = Graphs(items)
    assert len(graphs) == 4
    assert graphs.shape == (4,)
    for one, other in zip(graphs, items, strict=True):
        assert_same_graph(one, other)


@pytest.mark.parametrize(
    ("key", "chosen"),
    [
        (slice(1, 4), [1, 2, 3]),
        (slice(None, None, -2), [4, 2, 0]),
        (np.array([True, False, False, True, False]), [0, 3]),
        ([True, False, False, True, False], [0, 3]),
        (np.array([3, 3, -1]), [3, 3, 4]),
        ([2, 0], [2, 0]),
        ([], []),
        (range(2), [0, 1]),
        (np.array([1, 2], dtype=np.uint8), [1, 2]),
        (..., [0, 1, 2, 3, 4]),
    ],
)
@pytest.mark.parametrize("dots", [False, True])
def test_choosing_graphs_is_like_choosing_from_an_array(key, chosen, dots):
    graphs = Graphs(a_path(n) for n in (1, 2, 3, 4, 5))
    picked = graphs[key, ...] if dots and key is not ... else graphs[key]
    assert isinstance(picked, Graphs)
    assert [g.n_vertices for g in picked] == [n + 1 for n in chosen]
    assert picked.flat.n_vertices == sum(n + 1 for n in chosen)


@pytest.mark.parametrize("position", [2, np.int64(2), np.array(2), -1])
def test_one_position_gives_a_graph(position):
    graphs = Graphs([a_path(1), a_path(2), a_path(3)])
    assert isinstance(graphs[position], Graph)
    assert graphs[position].n_vertices == graphs[position, ...].n_vertices == 3


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (3, "position 3 is outside a collection of 3"),
        (-4, "position -4 is outside"),
        ([0, 5], "position 5 is outside"),
        ([True], "a mask of 1 entries for a collection of 3"),
        ([0.5], "integers or booleans; got float64"),
        ("a", "by positions, slices or masks; got the text 'a'"),
        (["a", "b"], "got the text 'a'"),
        (([0], [1]), "has one dimension"),
        (np.zeros((2, 2), int), r"one-dimensional; got shape \(2, 2\)"),
    ],
)
def test_a_key_that_means_nothing_is_refused(key, words):
    with pytest.raises(IndexError, match=words):
        some_graphs(3)[key]


def test_choosing_copies_no_graph_and_gathering_happens_once():
    graphs = some_graphs(5)
    chosen = graphs[[0, 2, 4]][[1, 2]]
    assert chosen._store is graphs.flat
    assert chosen.flat is chosen.flat
    assert_same_graph(chosen[0], graphs[2])
    assert graphs.flat is Graphs._of(graphs.flat).flat


@given(st.integers(0, 2**31), st.lists(st.integers(0, 5), max_size=8))
def test_taking_graphs_equals_joining_them_one_by_one(seed, chosen):
    graphs = some_graphs(6, seed=seed, n_vertices=(0, 4), weighted=True, n_edge_types=2)
    taken, joined = graphs[chosen], Graphs([graphs[i] for i in chosen])
    for name in ("vertex_ptr", "edge_ptr", "edges"):
        np.testing.assert_array_equal(getattr(taken.flat, name), getattr(joined.flat, name))
    for one, other in zip(taken, joined, strict=True):
        assert_same_graph(one, other)


def test_sparse_features_are_joined_and_taken():
    items = [Graph(sp.csr_array(np.diag([i, 0.0, np.nan])), [(0, 1)]) for i in (1, 2, 3)]
    graphs = Graphs(items)
    assert isinstance(graphs.flat.features, sp.csr_array)
    chosen = graphs[[2, 0]]
    np.testing.assert_array_equal(chosen[0].features.toarray(), np.diag([3, 0.0, np.nan]))
    np.testing.assert_array_equal(chosen.flat.features.toarray()[3:], np.diag([1, 0.0, np.nan]))
    assert not chosen.flat.features.data.flags.writeable


def test_sparse_and_dense_features_join_as_sparse():
    graphs = Graphs([Graph(sp.csr_array(np.eye(2)), []), Graph(np.full((1, 2), 3.0), [])])
    np.testing.assert_array_equal(graphs.flat.features.toarray(), [[1, 0], [0, 1], [3, 3]])


def test_categories_and_edge_types_are_united_and_codes_rewritten():
    pd = pytest.importorskip("pandas")
    first = Graph(pd.DataFrame({"kind": ["b", "c"]}), [(0, 1)], edge_types=["z"])
    second = Graph(pd.DataFrame({"kind": [None, "a", "c"]}), [(0, 1), (1, 2)], edge_types="yz")
    graphs = Graphs([first, second])
    assert graphs.flat.categories == {0: ("a", "b", "c")}
    np.testing.assert_array_equal(graphs.flat.features[:, 0], [1, 2, np.nan, 0, 2])
    assert graphs.flat.edge_type_names == ("y", "z")
    assert [g.edge_types.tolist() for g in graphs] == [["z"], ["y", "z"]]


def test_equal_categories_keep_their_order():
    pd = pytest.importorskip("pandas")
    column = pd.Categorical(["low"], categories=["low", "high"])
    graphs = Graphs([Graph(pd.DataFrame({"level": column}), [])] * 2)
    assert graphs.flat.categories == {0: ("low", "high")}


def test_what_only_some_graphs_have_gets_its_default():
    graphs = Graphs([a_path(2, edge_weights=[3.0]), a_path(3), a_path(2, vertex_names="ab")])
    assert graphs.flat.edge_weights.tolist() == [3, 1, 1, 1]
    assert graphs.flat.vertex_names.tolist() == [0, 1, 0, 1, 2, "a", "b"]


def test_graphs_without_edges_go_with_any_edges():
    typed = a_path(2, directed=True, edge_types=["x"], edge_features=[[2.0]])
    graphs = Graphs([a_path(1), typed, a_path(1)])
    assert graphs.directed
    assert graphs[1].edge_types.tolist() == ["x"]
    assert graphs.flat.edge_features.tolist() == [[2.0]]


DISAGREEMENTS = {
    "number of features": (Graph([[1.0, 2.0]], []), "graph 2 has 2 features; graph 0 has 1 feat"),
    "names": (
        Graph([[1.0]], [], feature_names=["a"]),
        r"graph 2 has the feature names \('a',\); graph 0 has the feature names None",
    ),
    "direction": (
        a_path(2, directed=True),
        "graph 2 is directed: True; graph 0 is directed: False",
    ),
    "types": (a_path(2, edge_types=["x"]), "graph 2 has edge types: True; graph 0 .* False"),
    "edge features": (a_path(2, edge_features=[[1.0]]), r"graph 2 has the edge features \('edge_f"),
}


@pytest.mark.parametrize("case", DISAGREEMENTS)
def test_graphs_that_disagree_are_named_by_number(case):
    odd, words = DISAGREEMENTS[case]
    with pytest.raises(ValueError, match=words):
        Graphs([a_path(2), a_path(3), odd])


def test_a_column_cannot_be_numbers_here_and_categories_there():
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="graph 1 has column 0 categorical: True"):
        Graphs([Graph(pd.DataFrame({"a": [1]}), []), Graph(pd.DataFrame({"a": ["x"]}), [])])


def test_a_column_that_is_all_missing_goes_with_categories_and_with_numbers():
    pd = pytest.importorskip("pandas")
    nothing = Graph(pd.DataFrame({"a": [None, None]}), [])
    graphs = Graphs([nothing, Graph(pd.DataFrame({"a": ["y", "x"]}), [])])
    assert graphs.flat.categories == {0: ("x", "y")}
    np.testing.assert_array_equal(graphs.flat.features[:, 0], [np.nan, np.nan, 1, 0])
    assert Graphs([nothing, Graph(pd.DataFrame({"a": [2.0]}), [])]).flat.categories == {}


def test_only_graphs_go_into_graphs():
    with pytest.raises(TypeError, match="item 1 of Graphs must be a Graph; got an int"):
        Graphs([a_path(), 3])


def test_no_graphs_is_a_collection_too():
    graphs = Graphs([])
    assert (len(graphs), len(graphs.vertices), len(graphs.edges)) == (0, 0, 0)
    assert len(some_graphs(3)[[]].flat.vertex_ptr) == 1


def test_repr_counts_without_gathering():
    graphs = Graphs([a_path(2, directed=True), a_path(3, directed=True)])
    chosen = graphs[[1, 1]]
    words = "Graphs(n_graphs=2, n_vertices=6, n_edges=4, n_features=1, directed=True)"
    assert repr(chosen) == words
    assert chosen._gathered is None
    assert repr(graphs.flat) == (
        "FlatGraphs(n_graphs=2, n_vertices=5, n_edges=3, n_features=1, directed=True)"
    )


def test_labels_that_do_not_compare_keep_their_order_of_appearance():
    first, second = a_path(2, edge_types=["x"]), a_path(2, edge_types=[1])
    graphs = Graphs([first, second])
    assert graphs.flat.edge_type_names == ("x", 1)
    assert [g.edge_types.tolist() for g in graphs] == [["x"], [1]]


def test_only_the_chosen_graphs_are_pickled():
    graphs = some_graphs(200)
    small = pickle.dumps(graphs[:2])
    assert len(small) < len(pickle.dumps(graphs)) / 10
    assert_same_graph(pickle.loads(small)[1], graphs[1])
    assert not pickle.loads(small).flat.features.flags.writeable
    assert len(copy.deepcopy(graphs[5:])) == 195


def test_from_flat_equals_joining_graphs():
    items = [rich_graph(seed) for seed in range(3)]
    joined = Graphs(items).flat
    again = Graphs.from_flat(
        vertex_ptr=joined.vertex_ptr,
        edge_ptr=joined.edge_ptr,
        edges=joined.edges,
        directed=True,
        features=joined.features,
        feature_names=joined.feature_names,
        edge_weights=joined.edge_weights,
        edge_types=np.concatenate([g.edge_types for g in items]),
        edge_features=joined.edge_features,
        edge_feature_names=joined.edge_feature_names,
        vertex_names=joined.vertex_names,
    )
    for one, other in zip(again, items, strict=True):
        assert_same_graph(one, other)


def test_from_flat_takes_codes_with_their_labels():
    graphs = Graphs.from_flat(
        vertex_ptr=[0, 2], edge_ptr=[0, 0], edges=[], features=[[1], [np.nan]],
        categories={0: ["C", "N"]},
    )  # fmt: skip
    assert graphs.flat.categories == {0: ("C", "N")}
