"""igraph graphs, compared with what igraph says of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphtrees.graphs import from_igraph

igraph = pytest.importorskip("igraph")

ENDS = st.integers(0, 4)


@given(st.booleans(), st.lists(st.tuples(ENDS, ENDS, st.floats(0.1, 5)), max_size=8))
def test_edges_weights_and_types_are_those_of_igraph(directed, edges):
    other = igraph.Graph(n=5, edges=[(u, v) for u, v, _ in edges], directed=directed)
    other.es["weight"] = [w for _, _, w in edges]
    other.es["kind"] = ["in" if u < v else "out" for u, v, _ in edges]
    g = from_igraph(other, edge_type="kind")
    assert g.directed == directed
    assert g.edge_index.T.tolist() == [list(edge) for edge in other.get_edgelist()]
    assert (g.edge_weights is None) == (not edges)
    if edges:
        assert g.edge_weights.tolist() == other.es["weight"]
        assert g.edge_types.tolist() == other.es["kind"]


def test_attributes_become_features_and_name_names_the_vertices():
    other = igraph.Graph.Ring(3)
    other.vs["name"] = ["x", "y", "z"]
    other.vs["kind"] = ["red", None, "blue"]
    other.vs["age"] = [1, 2, None]
    g = from_igraph(other)
    assert g.feature_names == ("age", "kind")
    assert g.categories == {1: ("blue", "red")}
    np.testing.assert_array_equal(g.features, [[1, 1], [2, np.nan], [np.nan, 0]])
    assert g.vertex_names.tolist() == ["x", "y", "z"]


def test_networkx_and_igraph_tell_the_same_story():
    nx = pytest.importorskip("networkx")
    from graphtrees.graphs import from_networkx

    G = nx.karate_club_graph()
    ours, theirs = from_networkx(G, ["club"]), from_igraph(igraph.Graph.from_networkx(G), ["club"])
    assert ours.categories == theirs.categories
    np.testing.assert_array_equal(ours.features, theirs.features)
    np.testing.assert_array_equal(ours.adjacency().toarray(), theirs.adjacency().toarray())


def test_a_list_of_graphs_and_a_wrong_kind():
    graphs = from_igraph([igraph.Graph.Ring(3), igraph.Graph.Full(4)], features=[])
    assert [g.n_edges for g in graphs] == [3, 6]
    with pytest.raises(TypeError, match="reads igraph graphs; got a str"):
        from_igraph("ring")


def test_graphs_come_in_any_sequence():
    rings = [igraph.Graph.Ring(n) for n in (3, 4)]
    for many in (iter(rings), tuple(rings)):
        assert [g.n_vertices for g in from_igraph(many)] == [3, 4]
