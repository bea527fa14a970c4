"""Vertices and edges as examples, chosen like entries of an array."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from builders import a_path

from graphtrees.graphs import Edges, Graph, Graphs, Vertices

KINDS = {"vertices": "vertex_of", "edges": "edge_of"}


@pytest.fixture
def graphs():
    return Graphs([a_path(2), a_path(1), a_path(4)])


def test_every_vertex_is_an_example_by_default(graphs):
    assert graphs.vertices.graph_of.tolist() == [0, 0, 1, 2, 2, 2, 2]
    assert graphs.vertices.vertex_of.tolist() == [0, 1, 0, 0, 1, 2, 3]
    assert graphs.vertices.shape == (7,)


def test_every_edge_is_an_example_by_default(graphs):
    assert graphs.edges.graph_of.tolist() == [0, 2, 2, 2]
    assert graphs.edges.edge_of.tolist() == [0, 0, 1, 2]
    assert len(graphs.edges) == 4


def test_the_vertices_of_one_graph_share_its_arrays():
    g = a_path(3)
    assert g.vertices.graphs.flat is g.flat
    assert g.vertices[[2, 0]].graphs is not None
    assert g.edges.edge_of.tolist() == [0, 1]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "key", [slice(1, 3), [3, 0, -1], np.arange(4) % 2 == 0, [], slice(None, None, -1), ...]
)
def test_choosing_is_like_choosing_from_an_array(graphs, kind, key):
    parts = getattr(graphs, kind)[:4]
    chosen = parts[key]
    assert type(chosen) is type(parts)
    assert chosen.graphs is parts.graphs
    wanted = np.arange(4)[np.array(key, dtype=int) if isinstance(key, list) else key]
    np.testing.assert_array_equal(chosen.graph_of, parts.graph_of[wanted])
    of = KINDS[kind]
    np.testing.assert_array_equal(getattr(chosen, of), getattr(parts, of)[wanted])
    np.testing.assert_array_equal(getattr(parts[key, ...], of), getattr(chosen, of))


@pytest.mark.parametrize("kind", KINDS)
def test_one_position_and_iteration_give_examples_of_length_one(graphs, kind):
    parts = getattr(graphs, kind)
    assert len(parts[-1]) == 1
    assert [len(part) for part in parts] == [1] * len(parts)
    assert [int(part.graph_of[0]) for part in parts] == parts.graph_of.tolist()


def test_places_may_be_given(graphs):
    vertices = Vertices(graphs, graph_of=[2, 0], vertex_of=[3, 1])
    assert vertices.vertex_of.tolist() == [3, 1]
    assert Edges(graphs, [2], [2]).edge_of.tolist() == [2]
    assert len(Vertices(graphs, [], [])) == 0


@pytest.mark.parametrize(
    ("graph_of", "vertex_of", "error", "words"),
    [
        ([0], [2], ValueError, "graph 0: there is no vertex 2 of 2"),
        ([0], [-1], ValueError, "graph 0: there is no vertex -1"),
        ([3], [0], ValueError, "there is no graph 3 of 3"),
        ([0, 1], [0], ValueError, r"got shapes \(2,\) and \(1,\)"),
        ([0.5], [0], TypeError, "must be integers"),
        ([0], None, TypeError, "give both graph_of and vertex_of, or neither"),
    ],
)
def test_places_that_are_not_there_are_refused(graphs, graph_of, vertex_of, error, words):
    with pytest.raises(error, match=words):
        Vertices(graphs, graph_of, vertex_of)


def test_only_graphs_have_vertices():
    with pytest.raises(TypeError, match="Vertices needs Graphs; got a Graph"):
        Vertices(a_path())


@pytest.mark.parametrize("kind", KINDS)
def test_places_are_read_only_and_survive_copying(graphs, kind):
    parts = getattr(graphs, kind)[1:]
    for again in (pickle.loads(pickle.dumps(parts)), copy.deepcopy(parts)):
        np.testing.assert_array_equal(again.graph_of, parts.graph_of)
        assert not again.graph_of.flags.writeable
        assert type(again) is type(parts)


def test_repr_counts(graphs):
    assert repr(graphs.edges[:2]) == "Edges(2 of 3 graphs)"
    assert repr(a_path(2).vertices) == "Vertices(2 of 1 graph)"


def test_a_name_between_the_brackets_is_answered_with_how_to_find_it():
    g = Graph(None, [(0, 1), (1, 2)], vertex_names=["ann", "bob", "eve"])
    with pytest.raises(IndexError, match=r"got the text 'bob', the name of vertex 1: g\.vertices"):
        g.vertices["bob"]
    names = ["bob", "eve"]
    for key in (names, np.array(names), np.array(names, object), pd.Series(names)):
        with pytest.raises(IndexError, match=r"text 'bob', .* with .*isin\(g\.vertex_names, names"):
            g.vertices[key]
    with pytest.raises(IndexError, match=r"text 'bob', .* with .*isin\(g\.vertex_names, names"):
        Graphs([g, g]).vertices["bob"]
    found = np.flatnonzero(np.isin(g.vertex_names, ["bob", "eve"]))
    assert list(g.vertices[found].vertex_of) == [1, 2]
