"""Adjacency matrices of scipy and NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from graphtrees.graphs import Graphs, from_scipy

SQUARES = st.integers(0, 5).flatmap(
    lambda n: hnp.arrays(float, (n, n), elements=st.sampled_from([0.0, 1.0, 2.5, -1.0]))
)


@given(SQUARES, st.sampled_from([sp.csr_array, sp.coo_array, sp.csc_matrix, np.array]))
def test_any_matrix_comes_back_as_the_adjacency(A, kind):
    np.testing.assert_array_equal(from_scipy(kind(A)).adjacency().toarray(), A)
    np.testing.assert_array_equal(from_scipy(kind(A), directed=True).adjacency().toarray(), A)


@given(SQUARES)
def test_symmetric_matrices_are_undirected_graphs(A):
    assert not from_scipy(A + A.T).directed
    assert from_scipy(A).directed == (A != A.T).any()


def test_one_asymmetric_matrix_makes_all_directed():
    graphs = from_scipy([np.ones((2, 2)), np.array([[0, 1], [0, 0]])], [np.eye(2)] * 2)
    assert isinstance(graphs, Graphs)
    assert graphs.directed
    assert graphs[0].n_edges == 4


def test_features_and_their_names_are_kept():
    g = from_scipy(sp.csr_array(np.eye(2)), [[1.0], [2.0]], feature_names=["size"])
    assert g.feature_names == ("size",)
    assert g.features.tolist() == [[1.0], [2.0]]


def test_errors_say_what_was_wanted():
    with pytest.raises(ValueError, match="X holds the features of 1 graphs; A has 2"):
        from_scipy([sp.csr_array(np.eye(1)), sp.csr_array(np.eye(1))], [[[1.0]]])
    for features in ({"a": 1.0}, pytest.importorskip("pandas").DataFrame({"a": [1.0, 2.0]})):
        with pytest.raises(TypeError, match="X must be a list with the features of each graph"):
            from_scipy([sp.csr_array(np.eye(1))] * 2, features)
    with pytest.raises(TypeError, match="sparse matrices and two-dimensional arrays; got a str"):
        from_scipy("A")
    with pytest.raises(ValueError, match="graph 1: a sparse adjacency must be square"):
        from_scipy([sp.csr_array(np.eye(2)), sp.csr_array((2, 3))])


def test_matrices_come_in_any_sequence():
    matrices = [np.ones((2, 2)), np.ones((2, 2))]
    for many in (np.array(matrices), iter(matrices), tuple(matrices)):
        assert [g.n_vertices for g in from_scipy(many)] == [2, 2]
