"""One graph: what it holds, what its adjacency is, that it does not change."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from builders import a_graph, a_path

from graphtrees.graphs import Graph


def test_undirected_edges_stand_both_ways_in_the_adjacency():
    g = Graph(None, [(0, 1), (1, 2)], edge_weights=[2.0, 5.0])
    np.testing.assert_array_equal(g.adjacency().toarray(), [[0, 2, 0], [2, 0, 5], [0, 5, 0]])


def test_the_entry_of_a_directed_edge_has_its_target_as_row():
    g = Graph(None, [(0, 2)], directed=True, n_vertices=3)
    np.testing.assert_array_equal(g.adjacency().toarray(), [[0, 0, 0], [0, 0, 0], [1, 0, 0]])


def test_duplicate_edges_add_and_an_undirected_self_loop_counts_once():
    g = Graph(None, [(0, 1), (1, 0), (0, 0)])
    np.testing.assert_array_equal(g.adjacency().toarray(), [[1, 2], [2, 0]])
    assert g.n_edges == 3


@pytest.mark.parametrize("directed", [False, True])
def test_a_graph_read_from_its_adjacency_has_that_adjacency(directed):
    g = a_graph(6, seed=3, directed=directed, weighted=True)
    again = Graph(g.features, g.adjacency(), directed=directed)
    assert again.n_edges == g.n_edges
    np.testing.assert_array_equal(again.adjacency().toarray(), g.adjacency().toarray())


def test_an_adjacency_of_ones_is_an_unweighted_graph():
    g = Graph(None, sp.csr_array(np.array([[1, 1], [1, 0]])))
    assert g.edge_weights is None
    np.testing.assert_array_equal(g.edge_index, [[0, 0], [0, 1]])


def test_stored_zeros_of_an_adjacency_are_no_edges():
    A = sp.coo_array(([0.0, 3.0], ([0, 1], [1, 0])), shape=(2, 2))
    np.testing.assert_array_equal(Graph(None, A, directed=True).edge_index, [[0], [1]])


def test_without_features_vertices_are_counted_from_what_is_there():
    assert Graph(None, [(0, 4)]).n_vertices == 5
    assert Graph(None, [(0, 4)], n_vertices=9).n_vertices == 9
    assert Graph(None, sp.csr_array((7, 7))).n_vertices == 7
    assert Graph(None, []).n_vertices == 0
    assert Graph(None, [(0, 4)]).features.shape == (5, 0)


def test_a_graph_of_nothing_works():
    g = Graph(np.zeros((0, 3)), [])
    assert (g.n_vertices, g.n_edges, g.n_features) == (0, 0, 3)
    assert g.adjacency().shape == (0, 0)
    assert len(g.vertices) == len(g.edges) == 0


@pytest.mark.parametrize(
    ("given", "held"),
    [
        (np.float32, np.float32),
        (np.float16, np.float32),
        (np.float64, np.float64),
        (np.int64, np.float64),
        (bool, np.float64),
        (object, np.float64),
    ],
)
def test_float32_stays_and_other_numbers_become_float64(given, held):
    assert Graph(np.ones((2, 1), dtype=given), []).features.dtype == held


def test_sparse_features_stay_sparse():
    g = Graph(sp.coo_array(np.array([[0, 2], [3, 0]], dtype=np.float32)), [(0, 1)])
    assert isinstance(g.features, sp.csr_array)
    assert g.features.dtype == np.float32
    np.testing.assert_array_equal(g.features.toarray(), [[0, 2], [3, 0]])


def test_the_graph_does_not_see_later_changes_of_what_it_was_made_from():
    features, edges, weights = np.ones((2, 1)), np.array([[0, 1]]), np.ones(1)
    g = Graph(features, edges, edge_weights=weights)
    features[0], edges[0], weights[0] = 7, 0, 7
    assert g.features[0, 0] == 1
    assert g.edge_index.tolist() == [[0], [1]]
    assert g.edge_weights[0] == 1


@pytest.mark.parametrize("name", ["features", "edge_index", "edge_weights"])
def test_arrays_of_a_graph_are_read_only(name):
    array = getattr(a_graph(weighted=True), name)
    with pytest.raises(ValueError, match="read-only"):
        array[:] = 0


def test_sparse_features_are_read_only():
    g = Graph(sp.csr_array(np.eye(2)), [])
    with pytest.raises(ValueError, match="read-only"):
        g.features.data[:] = 0


def test_attributes_cannot_be_assigned_or_deleted():
    g = a_path()
    with pytest.raises(AttributeError, match="does not change"):
        g.features = None
    with pytest.raises(AttributeError, match="does not change"):
        del g._flat


@pytest.mark.parametrize(
    "again", [lambda g: pickle.loads(pickle.dumps(g)), copy.deepcopy, copy.copy]
)
def test_a_copy_is_equal_and_just_as_fixed(again):
    g = Graph(
        [[1.0], [np.nan]],
        [(0, 1)],
        directed=True,
        edge_weights=[2.0],
        edge_types=["near"],
        edge_features=[[0.5]],
        feature_names=["size"],
        vertex_names=["a", "b"],
    )
    other = again(g)
    np.testing.assert_array_equal(other.features, g.features)
    np.testing.assert_array_equal(other.edge_index, g.edge_index)
    assert other.edge_types.tolist() == ["near"]
    assert other.vertex_names.tolist() == ["a", "b"]
    assert (other.directed, other.feature_names) == (True, ("size",))
    assert not other.features.flags.writeable


def test_types_and_names_come_back_as_they_were_given():
    g = Graph(
        [[1.0], [2.0]],
        [(0, 1), (1, 0), (0, 0)],
        edge_types=["works at", "knows", "works at"],
        vertex_names=["Ann", 7],
        edge_features=[[1.0, 2.0]] * 3,
    )
    assert g.edge_types.tolist() == ["works at", "knows", "works at"]
    assert g.vertex_names.tolist() == ["Ann", 7]
    assert g.edge_feature_names == ("edge_feature_0", "edge_feature_1")
    assert g.flat.edge_type_names == ("knows", "works at")


def test_edge_types_may_be_tuples_or_numbers():
    triple = ("user", "likes", "film")
    assert Graph(None, [(0, 1)], edge_types=[triple]).edge_types.tolist() == [triple]
    assert Graph(None, [(0, 1)], edge_types=np.array([3])).edge_types.tolist() == [3]


def test_repr_says_what_the_graph_has():
    assert repr(a_path(3)) == "Graph(n_vertices=3, n_edges=2, n_features=1)"
    rich = a_path(2, directed=True, edge_weights=[2], edge_types=["x"], edge_features=[[1]])
    assert repr(rich) == (
        "Graph(n_vertices=2, n_edges=1, n_features=1, directed=True, weighted, "
        "1 edge types, 1 edge features)"
    )


def test_whole_numbers_held_as_floats_are_vertex_numbers():
    assert Graph(None, np.array([[0.0, 2.0]])).edge_index.tolist() == [[0], [2]]
