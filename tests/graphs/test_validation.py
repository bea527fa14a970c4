"""Bad input is refused with an error that names the thing, what was wanted and what came."""

import numpy as np
import pytest
import scipy.sparse as sp
from builders import a_graph, a_path, some_graphs

from graphtrees.graphs import Graph, Graphs, as_examples

TWO = np.ones((2, 1))  # features of two vertices

BAD_GRAPHS = {
    "edge outside": (
        {"features": np.ones((8, 1)), "edges": [(0, 1), (3, 9)]},
        ValueError,
        r"^edge \(3, 9\) points outside its 8 vertices",
    ),
    "negative end": ({"features": TWO, "edges": [(0, -1)]}, ValueError, r"edge \(0, -1\)"),
    "fractional end": (
        {"features": TWO, "edges": [(0, 1), (0.5, 1)]},
        ValueError,
        r"edge 1 is \(0.5, 1\); edges must be whole",
    ),
    "missing end": ({"features": TWO, "edges": [(0, np.nan)]}, ValueError, r"edge 0 is \(0, nan\)"),
    "ends in words": (
        {"features": TWO, "edges": [("a", "b")]},
        TypeError,
        "edges must be integers",
    ),
    "ends as booleans": (
        {"features": TWO, "edges": [(True, False)]},
        TypeError,
        "must be integers",
    ),
    "ends as objects": (
        {"features": TWO, "edges": np.array([(None, "b")], dtype=object)},
        TypeError,
        "got objects that are not",
    ),
    "ends as strings of digits": (
        {"features": TWO, "edges": np.array([["0", 1]], dtype=object)},
        TypeError,
        "got objects that are not",
    ),
    "a vertex number beyond counting": (
        {"features": TWO, "edges": [(0, 10**30)]},
        ValueError,
        "must be whole vertex numbers",
    ),
    "a vertex number beyond 64 bits": (
        {"features": TWO, "edges": np.array([[0, 2**64 - 1]], dtype=np.uint64)},
        ValueError,
        "is no vertex number",
    ),
    "transposed edges": (
        {"features": TWO, "edges": np.zeros((2, 5), int)},
        ValueError,
        r"shape \(n_edges, 2\); got \(2, 5\)\. Pass its transpose",
    ),
    "flat edges": ({"features": TWO, "edges": [0, 1]}, ValueError, r"got \(2,\)$"),
    "ragged edges": ({"features": TWO, "edges": [(0, 1), (1,)]}, ValueError, "edges could not"),
    "one feature per vertex, flat": (
        {"features": np.ones(5), "edges": []},
        ValueError,
        r"got shape \(5,\)\. Use features\.reshape\(-1, 1\)",
    ),
    "three-dimensional features": (
        {"features": np.ones((2, 2, 2)), "edges": []},
        ValueError,
        r"got shape \(2, 2, 2\)",
    ),
    "infinite feature": (
        {"features": [[1.0, 2.0], [3.0, -np.inf]], "edges": [], "feature_names": ["a", "b"]},
        ValueError,
        "vertex 1: feature 'b' is infinite",
    ),
    "feature beyond float32": (
        {"features": [[1e300]], "edges": []},
        ValueError,
        r"vertex 0: feature 0 is 1e\+300, beyond the range of float32",
    ),
    "infinite sparse feature": (
        {"features": sp.csr_array([[0.0, 0.0], [0.0, np.inf]]), "edges": []},
        ValueError,
        "vertex 1: feature 1 is infinite",
    ),
    "complex features": ({"features": TWO * 1j, "edges": []}, TypeError, "must be real numbers"),
    "complex sparse features": (
        {"features": sp.csr_array(TWO * 1j), "edges": []},
        TypeError,
        "must be real numbers",
    ),
    "string features": (
        {"features": np.array([["a"]]), "edges": []},
        TypeError,
        "features must be numbers; got the dtype <U1. Give a DataFrame",
    ),
    "object features": (
        {"features": np.array([[{}, 1]], dtype=object), "edges": []},
        TypeError,
        "array of objects that are not",
    ),
    "numbers written as strings": (
        {"features": np.array([["1.5", 1]], dtype=object), "edges": []},
        TypeError,
        "got strings among them. Give a DataFrame",
    ),
    "features of no kind": ({"features": 5, "edges": []}, TypeError, "got an int"),
    "n_vertices against features": (
        {"features": TWO, "edges": [], "n_vertices": 3},
        ValueError,
        "n_vertices gives 3 vertices, features gives 2",
    ),
    "n_vertices against adjacency": (
        {"features": None, "edges": sp.csr_array((2, 2)), "n_vertices": 3},
        ValueError,
        "n_vertices gives 3 vertices, the adjacency gives 2",
    ),
    "adjacency against features": (
        {"features": TWO, "edges": sp.csr_array((3, 3))},
        ValueError,
        "the adjacency gives 3 vertices, features gives 2",
    ),
    "negative n_vertices": (
        {"features": None, "edges": [], "n_vertices": -1},
        ValueError,
        "n_vertices must be an integer of at least 0; got -1",
    ),
    "adjacency not square": (
        {"features": None, "edges": sp.csr_array((2, 3))},
        ValueError,
        r"must be square; got shape \(2, 3\)",
    ),
    "adjacency not symmetric": (
        {"features": None, "edges": sp.csr_array([[0, 2], [5, 0]])},
        ValueError,
        r"must be symmetric; entry \(0, 1\) is 2 and entry \(1, 0\) is 5",
    ),
    "adjacency with NaN": (
        {"features": None, "edges": sp.csr_array([[0, np.nan], [np.nan, 0]])},
        ValueError,
        r"edge \(1, 0\): its weight is NaN",
    ),
    "adjacency of complex numbers": (
        {"features": None, "edges": sp.csr_array([[1j]])},
        TypeError,
        "must hold real numbers",
    ),
    "weights beside an adjacency": (
        {"features": None, "edges": sp.csr_array((2, 2)), "edge_weights": [1]},
        ValueError,
        "edge_weights cannot go with a sparse adjacency",
    ),
    "too few weights": (
        {"features": TWO, "edges": [(0, 1), (1, 0)], "edge_weights": [1.0]},
        ValueError,
        "edge_weights has 1 entries for 2 edges",
    ),
    "weights in a column": (
        {"features": TWO, "edges": [(0, 1)], "edge_weights": [[1.0]]},
        ValueError,
        "edge_weights must be one-dimensional",
    ),
    "missing weight": (
        {"features": TWO, "edges": [(0, 1)], "edge_weights": [np.nan]},
        ValueError,
        "edge 0: its weight is NaN",
    ),
    "infinite weight": (
        {"features": TWO, "edges": [(0, 1)], "edge_weights": [np.inf]},
        ValueError,
        "edge 0: its weight is infinite",
    ),
    "too many types": (
        {"features": TWO, "edges": [(0, 1)], "edge_types": ["a", "b"]},
        ValueError,
        "edge_types has 2 entries for 1 edge",
    ),
    "missing type": (
        {"features": TWO, "edges": [(0, 1), (1, 0)], "edge_types": ["a", None]},
        ValueError,
        "edge 1: its type is None; every edge needs a type",
    ),
    "types that cannot be labels": (
        {"features": TWO, "edges": [(0, 1)], "edge_types": [["a"]]},
        TypeError,
        "edge_types must be labels",
    ),
    "edge features of wrong length": (
        {"features": TWO, "edges": [(0, 1)], "edge_features": np.ones((3, 1))},
        ValueError,
        "edge_features has 3 rows for 1 edge",
    ),
    "flat edge features": (
        {"features": TWO, "edges": [(0, 1)], "edge_features": [1.0]},
        ValueError,
        r"Use edge_features\.reshape\(-1, 1\)",
    ),
    "missing edge feature": (
        {"features": TWO, "edges": [(0, 1)], "edge_features": [[np.nan]]},
        ValueError,
        "edge 0: edge feature 'edge_feature_0' .* is NaN",
    ),
    "one name twice": (
        {"features": np.ones((1, 2)), "edges": [], "feature_names": ["a", "a"]},
        ValueError,
        "feature_names holds 'a' twice",
    ),
    "too few names": (
        {"features": np.ones((1, 2)), "edges": [], "feature_names": ["a"]},
        ValueError,
        "feature_names has 1 names for 2 columns",
    ),
    "a name that is no string": (
        {"features": TWO, "edges": [], "feature_names": [3]},
        TypeError,
        "feature_names must be strings; got 3",
    ),
    "too many vertex names": (
        {"features": TWO, "edges": [], "vertex_names": "abc"},
        ValueError,
        "vertex_names has 3 names for 2 vertices",
    ),
    "directed in words": (
        {"features": TWO, "edges": [], "directed": "yes"},
        TypeError,
        "directed must be True or False; got 'yes'",
    ),
}


@pytest.mark.parametrize("case", BAD_GRAPHS)
def test_a_bad_graph_is_refused_in_words(case):
    given, error, words = BAD_GRAPHS[case]
    with pytest.raises(error, match=words):
        Graph(**given)


def flat_arguments(**changed):
    """Two graphs of two and three vertices, one and two edges."""
    return {
        "vertex_ptr": [0, 2, 5],
        "edge_ptr": [0, 1, 3],
        "edges": [[0, 0, 1], [1, 1, 2]],
        "features": np.zeros((5, 1)),
    } | changed


BAD_FLAT = {
    "edge outside its own graph": (
        {"edges": [[0, 0, 1], [2, 1, 2]]},
        r"^graph 0: edge \(0, 2\) points outside its 2 vertices",
    ),
    "infinite feature": (
        {"features": [[0.0]] * 3 + [[np.inf], [0.0]]},
        "^graph 1: vertex 1: feature 0 is infinite",
    ),
    "missing weight": ({"edge_weights": [1, 1, np.nan]}, "^graph 1: edge 1: its weight is NaN"),
    "missing type": ({"edge_types": ["a", None, "a"]}, "^graph 1: edge 0: its type is None"),
    "pointers of two lengths": (
        {"edge_ptr": [0, 3]},
        "vertex_ptr is for 2 graphs, edge_ptr for 1",
    ),
    "edges not all owned": ({"edge_ptr": [0, 1, 2]}, "edge_ptr ends at 2; edges has 3 columns"),
    "features not all owned": ({"vertex_ptr": [0, 2, 6]}, "features has 5 rows for 6 vertices"),
    "pointer that falls": ({"edge_ptr": [0, 4, 3]}, "edge_ptr must never fall; .* graph 1"),
    "pointer that starts late": ({"vertex_ptr": [1, 2, 5]}, "vertex_ptr must start at 0; got 1"),
    "pointer of floats": ({"vertex_ptr": [0.0, 2.0, 5.0]}, "vertex_ptr must be integers"),
    "edges in pairs": (
        {"edges": [[0, 1], [0, 1], [1, 2]]},
        r"shape \(2, n_edges\); got \(3, 2\)\. Pass its transpose",
    ),
    "category of no column": ({"categories": {1: ("a",)}}, "names column 1 of 1 features"),
    "code of no label": (
        {"features": [[0], [1], [np.nan], [2], [0]], "categories": {0: ("a", "b")}},
        "graph 1: vertex 1: feature 0 holds the code 2 for 2 labels",
    ),
    "categories of sparse features": (
        {"features": sp.csr_array((5, 1)), "categories": {0: ("a",)}},
        "categories need dense features",
    ),
}


@pytest.mark.parametrize("case", BAD_FLAT)
def test_bad_flat_arrays_are_refused_by_graph_number(case):
    changed, words = BAD_FLAT[case]
    with pytest.raises(ValueError, match=words):
        Graphs.from_flat(**flat_arguments(**changed))


def test_missing_features_pass_the_door():
    assert np.isnan(Graph([[np.nan]], []).features).all()


def test_examples_pass_as_they_are():
    graphs = some_graphs()
    for X in (graphs, graphs.vertices, graphs.edges):
        assert as_examples(X) is X


def test_a_list_of_graphs_becomes_graphs():
    items = [a_path(2), a_path(3)]
    for X in (items, tuple(items), np.array(items, dtype=object)):
        assert isinstance(as_examples(X), Graphs)
        assert len(as_examples(X)) == 2


def test_one_graph_is_refused_unless_it_may_stand_alone():
    with pytest.raises(TypeError, match=r"Use Graphs\(\[g\]\) or g\.vertices"):
        as_examples(a_graph())
    assert len(as_examples(a_graph(), allow_single=True)) == 1


def test_anything_else_is_refused_by_its_kind_with_a_hint():
    pd = pytest.importorskip("pandas")
    nx = pytest.importorskip("networkx")
    with pytest.raises(TypeError, match=r"got a DataFrame\. See graphtrees\.from_tables\."):
        as_examples(pd.DataFrame())
    with pytest.raises(TypeError, match=r"whose item 0 is a DiGraph\. See graphtrees\.from_netw"):
        as_examples([nx.DiGraph()])
    with pytest.raises(TypeError, match=r"got a list whose item 1 is an int\.$"):
        as_examples([a_graph(), 3])
    with pytest.raises(TypeError, match=r"got an ndarray\.$"):
        as_examples(np.ones((2, 2)))
