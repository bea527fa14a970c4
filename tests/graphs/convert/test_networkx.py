"""networkx there and back."""

from collections import Counter
from datetime import date

import numpy as np
import pytest
from builders import a_path, a_rich_graph
from hypothesis import given
from hypothesis import strategies as st

from graphtrees.graphs import Graph, Graphs, from_networkx

nx = pytest.importorskip("networkx")

KINDS = [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph]
KEYS = st.integers(0, 5) | st.sampled_from(["a", "b", ("c", 1)])


def labels_of(g, column):
    """The labels of a categorical column, None where missing."""
    codes = g.features[:, column]
    return [None if np.isnan(code) else g.categories[column][int(code)] for code in codes]


def edges_of(G):
    """The edges with what they carry, as a multiset that ignores the order of undirected ends."""
    pair = tuple if G.is_directed() else frozenset
    return Counter((pair((u, v)), tuple(sorted(d.items()))) for u, v, d in G.edges(data=True))


@given(
    st.sampled_from(KINDS),
    st.lists(KEYS, unique=True, max_size=6),
    st.lists(st.tuples(KEYS, KEYS, st.floats(0.1, 5)), max_size=8),
)
def test_a_networkx_graph_comes_back_as_it_was(kind, keys, edges):
    G = kind()
    G.add_nodes_from((key, {"size": float(place)}) for place, key in enumerate(keys))
    G.add_edges_from((u, v, {"weight": w}) for u, v, w in edges if u in keys and v in keys)
    g = from_networkx(G)
    assert (g.n_vertices, g.n_edges, g.directed) == (len(G), G.number_of_edges(), G.is_directed())
    again = g.to_networkx()
    assert dict(again.nodes(data=True)) == dict(G.nodes(data=True))
    assert edges_of(again) == edges_of(G)


@given(st.integers(0, 1000), st.booleans(), st.integers(1, 6))
def test_our_graph_comes_back_as_it_was(seed, directed, n_vertices):
    g = a_rich_graph(seed, n_vertices, directed=directed)
    again = from_networkx(
        g.to_networkx(), ["size"], edge_type="type", edge_features=["length", "toll"]
    )
    np.testing.assert_array_equal(again.features[:, 0], g.features[:, 0])
    np.testing.assert_allclose(again.adjacency().toarray(), g.adjacency().toarray())
    assert again.vertex_names.tolist() == g.vertex_names.tolist()
    for name in ("edge_weights", "edge_types"):
        assert sorted(getattr(again, name)) == sorted(getattr(g, name))
    assert sorted(again.edge_features.tolist()) == sorted(g.edge_features.tolist())


def test_categories_come_back_by_label():
    g = a_rich_graph(seed=1)
    again = from_networkx(g.to_networkx(), ["size", "kind"])
    assert labels_of(again, 1) == labels_of(g, 1)


def test_default_features_are_all_fit_attributes_sorted_by_name():
    G = nx.Graph()
    G.add_node(0, z=1, alive=True, kind="x", pos=(0, 1), vector=np.ones(2), note=None)
    G.add_node(1, z=2.5)
    g = from_networkx(G)
    lists = ("pos.0", "pos.1", "vector.0", "vector.1")
    assert g.feature_names == ("alive", "kind", "note", *lists, "z")
    assert g.categories == {1: ("x",)}
    missing = [np.nan] * 7
    np.testing.assert_array_equal(g.features, [[1, 0, np.nan, 0, 1, 1, 1, 1], [*missing, 2.5]])


@pytest.mark.parametrize("form", [list, tuple, np.array, np.float32])
def test_lists_of_numbers_are_a_column_for_each_entry(form):
    graphs = []
    for k in range(2):
        G = nx.path_graph(3)
        for vertex in G:
            G.nodes[vertex].update(x=form([vertex, 0.5, k]), size=vertex)
        graphs.append(G)
    wanted = [[v, 0.5, k, v] for k in range(2) for v in range(3)]
    read = from_networkx(graphs, features=["x", "size"])
    assert read.feature_names == ("x.0", "x.1", "x.2", "size")
    np.testing.assert_array_equal(read.flat.features, wanted)
    assert from_networkx(graphs).feature_names == ("size", "x.0", "x.1", "x.2")


def test_lists_at_edges_are_a_column_for_each_entry():
    G = nx.path_graph(3)
    for k, (one, other) in enumerate(G.edges):
        G[one][other].update(attr=[k, 2 * k], length=7 + k)
    g = from_networkx(G, edge_features=["attr", "length"])
    assert g.edge_feature_names == ("attr.0", "attr.1", "length")
    np.testing.assert_array_equal(g.edge_features, [[0, 0, 7], [1, 2, 8]])


def test_attributes_that_cannot_be_features_are_named():
    G = nx.path_graph(3)
    for k in G:
        G.nodes[k].update(
            age=k, uneven=[1] * (k + 1), words=["a", "b"], more={"a": 1}, day=date(2020, 1, 1 + k)
        )
    words = (
        r"vertex attributes left out: 'day' \(a date\), 'more' \(a dict\), 'uneven' \(lists .*\), "
        r"'words' \(lists .*\)\. A feature holds numbers, text, or lists of numbers of one length"
    )
    with pytest.warns(UserWarning, match=words) as caught:
        assert from_networkx(G).feature_names == ("age",)
    assert caught[0].filename == __file__
    with pytest.raises(ValueError, match=r"'uneven': lists .* of one length; got lengths 1 and 3"):
        from_networkx(G, features=["uneven"])
    with pytest.raises(ValueError, match=r"'words': lists must hold numbers"):
        from_networkx(G, features=["words"])
    with pytest.raises(TypeError, match=r"vertex attribute 'day' .*got dates \(date\)"):
        from_networkx(G, features=["day"])


def test_a_list_gets_one_list_of_features_and_categories():
    one, two = nx.Graph(), nx.Graph()
    one.add_node("p", kind="red")
    two.add_node("q", kind="blue", size=3)
    two.add_edge("q", "q")
    graphs = from_networkx([one, two])
    assert isinstance(graphs, Graphs)
    assert graphs.feature_names == ("kind", "size")
    assert graphs.flat.categories == {0: ("blue", "red")}
    np.testing.assert_array_equal(graphs.flat.features, [[1, np.nan], [0, 3]])
    assert len(from_networkx([])) == 0


def test_an_edge_without_a_weight_weighs_one():
    G = nx.path_graph(3)
    assert from_networkx(G).edge_weights is None
    G[0][1]["weight"] = 4
    assert from_networkx(G).edge_weights.tolist() == [4, 1]
    assert from_networkx(G, weight=None).edge_weights is None


def test_a_directed_edge_keeps_its_direction():
    G = nx.DiGraph([("a", "b")])
    np.testing.assert_array_equal(from_networkx(G).adjacency().toarray(), [[0, 0], [1, 0]])
    np.testing.assert_array_equal(from_networkx(G).adjacency().toarray(), nx.to_numpy_array(G).T)


def test_an_attribute_that_no_vertex_has_is_warned_of():
    with pytest.warns(UserWarning, match="no vertex has the attribute 'agee'"):
        g = from_networkx(nx.path_graph(2), features=["agee"])
    assert np.isnan(g.features).all()


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"features": "age"}, TypeError, r"features must be a list .* Use \['age'\]"),
        ({"edge_type": "kind"}, ValueError, r"the edge \('a', 'b'\) has no attribute 'kind'"),
        ({"edge_features": ["len"]}, ValueError, r"the edge \('a', 'b'\) has no attribute 'len'"),
        ({"edge_features": ["word"]}, TypeError, "edge_features must be numbers"),
        ({"weight": "nothing"}, ValueError, "edge 0: its weight is NaN"),
        ({"weight": "word"}, TypeError, "edge_weights must be numbers"),
    ],
)
def test_what_cannot_be_read_is_named(given, error, words):
    G = nx.Graph()
    G.add_edge("a", "b", word="w", nothing=None)
    with pytest.raises(error, match=words):
        from_networkx(G, **given)


def test_errors_about_one_of_many_name_it():
    good, bad = nx.Graph(), nx.Graph()
    good.add_edge(0, 1, kind="x")
    bad.add_edge(0, 1)
    with pytest.raises(ValueError, match=r"^graph 1: the edge \(0, 1\) has no attribute 'kind'"):
        from_networkx([good, bad], edge_type="kind")
    with pytest.raises(ValueError, match="graph 1 is directed; graph 0 is undirected"):
        from_networkx([good, nx.DiGraph([(0, 1)])])
    with pytest.raises(TypeError, match="reads networkx graphs; got a Graph"):
        from_networkx(a_path())


def test_repeated_names_give_numbers_as_keys():
    assert list(a_path(2, vertex_names=["C", "C"]).to_networkx()) == [0, 1]
    assert list(a_path(2).to_networkx().nodes(data=True)) == [
        (0, {"feature_0": 0.0}),
        (1, {"feature_0": 1.0}),
    ]


def test_an_edge_feature_may_not_hide_the_weights():
    pd = pytest.importorskip("pandas")
    g = Graph(None, [(0, 1)], edge_weights=[2], edge_features=pd.DataFrame({"weight": [1.0]}))
    with pytest.raises(ValueError, match="'weight' would hide the edges' own weight"):
        g.to_networkx()


def test_graphs_come_in_any_sequence():
    pd = pytest.importorskip("pandas")
    paths = [nx.path_graph(n) for n in (2, 3)]
    array = np.empty(2, dtype=object)
    array[:] = paths
    for many in (pd.Series(paths), array, iter(paths), tuple(paths)):
        assert [g.n_vertices for g in from_networkx(many)] == [2, 3]
    with pytest.raises(TypeError, match="from_networkx reads networkx graphs; got a dict"):
        from_networkx({"a": paths[0]})
