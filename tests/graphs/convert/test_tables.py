"""Tables of vertices and edges, in pandas, polars and Arrow."""

import numpy as np
import pytest
from builders import a_rich_graph
from hypothesis import given
from hypothesis import strategies as st

from graphtrees.graphs import Graph, Graphs, from_tables

pd = pytest.importorskip("pandas")


def as_polars(columns):
    return pytest.importorskip("polars").DataFrame(columns)


def as_arrow(columns):
    return pytest.importorskip("pyarrow").table(columns)


@pytest.fixture(params=[pd.DataFrame, as_polars, as_arrow], ids=["pandas", "polars", "arrow"])
def table(request):
    return request.param


def test_one_graph_with_everything(table):
    vertices = table({"id": ["p", "q", "r"], "age": [1, None, 3], "role": ["x", "y", None]})
    edges = table({"source": ["r", "p"], "target": ["p", "q"], "w": [2.0, 3.0], "kind": ["k", "l"]})
    g = from_tables(vertices, edges, weight="w", edge_type="kind", edge_features=["w"])
    assert isinstance(g, Graph)
    assert g.vertex_names.tolist() == ["p", "q", "r"]
    assert g.edge_index.tolist() == [[2, 0], [0, 1]]
    assert (g.feature_names, g.categories) == (("age", "role"), {1: ("x", "y")})
    np.testing.assert_array_equal(g.features, [[1, 0], [np.nan, 1], [3, np.nan]])
    assert g.edge_weights.tolist() == [2, 3]
    assert g.edge_types.tolist() == ["k", "l"]
    assert g.edge_feature_names == ("w",)


def test_edges_of_graphs_that_lie_mixed_keep_what_is_theirs(table):
    """Six edges of three graphs, turn by turn, no two of them alike."""
    vertices = table({"graph_id": list("aabbcc"), "id": [0, 1] * 3, "size": [0.0] * 6})
    edges = table(
        {
            "graph_id": list("cabcab"),
            "source": [0, 0, 0, 1, 1, 1],
            "target": [1, 1, 1, 0, 0, 0],
            "w": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            "kind": ["k1", "k2", "k3", "k4", "k5", "k6"],
            "toll": [10.0, 20.0, 30.0, 40.0, 50.0, 60.0],
        }
    )
    graphs = from_tables(
        vertices, edges, weight="w", edge_type="kind", edge_features=["toll", "w"], directed=True
    )
    assert [g.edge_index.T.tolist() for g in graphs] == [[[0, 1], [1, 0]]] * 3
    assert [g.edge_weights.tolist() for g in graphs] == [[2, 5], [3, 6], [1, 4]]
    assert [g.edge_types.tolist() for g in graphs] == [["k2", "k5"], ["k3", "k6"], ["k1", "k4"]]
    wanted = [[[20, 2], [50, 5]], [[30, 3], [60, 6]], [[10, 1], [40, 4]]]
    assert [g.edge_features.tolist() for g in graphs] == wanted


def test_many_graphs_whose_rows_lie_mixed(table):
    vertices = table(
        {"graph_id": ["b", "a", "b", "a"], "id": [1, 1, 2, 2], "size": [10.0, 20.0, 30.0, 40.0]}
    )
    edges = table(
        {
            "graph_id": ["a", "b", "a"],
            "source": [1, 2, 2],
            "target": [2, 1, 2],
            "w": [1.0, 2.0, 3.0],
        }
    )
    graphs = from_tables(vertices, edges, weight="w")
    assert isinstance(graphs, Graphs)
    assert [g.features[:, 0].tolist() for g in graphs] == [[10, 30], [20, 40]]
    assert [g.edge_index.T.tolist() for g in graphs] == [[[1, 0]], [[0, 1], [1, 1]]]
    assert [g.edge_weights.tolist() for g in graphs] == [[2], [1, 3]]
    ordered = from_tables(vertices, edges, table({"graph_id": ["a", "none", "b"], "y": [0, 1, 0]}))
    assert [g.n_vertices for g in ordered] == [2, 0, 2]
    assert ordered[0].features[:, 0].tolist() == [20, 40]


def test_edges_need_no_graph_where_ids_are_unique(table):
    vertices = table({"graph_id": [0, 0, 1], "id": ["p", "q", "r"]})
    graphs = from_tables(vertices, table({"source": ["q", "r"], "target": ["p", "r"]}))
    assert [g.edge_index.T.tolist() for g in graphs] == [[[1, 0]], [[0, 0]]]
    assert graphs.n_features == 0


@given(st.integers(0, 1000), st.booleans(), st.permutations(range(5)))
def test_a_graph_written_out_as_tables_in_any_order_comes_back(seed, directed, order):
    g = a_rich_graph(seed, directed=directed)
    order = np.array(order)
    labels = [None if np.isnan(c) else g.categories[1][int(c)] for c in g.features[:, 1]]
    vertices = pd.DataFrame({"id": g.vertex_names, "size": g.features[:, 0], "kind": labels})
    edges = pd.DataFrame(g.vertex_names[g.edge_index].T, columns=["source", "target"])
    edges["weight"], edges["type"] = g.edge_weights, g.edge_types
    again = from_tables(
        vertices.iloc[order], edges, weight="weight", edge_type="type", directed=directed
    )
    assert again.vertex_names.tolist() == g.vertex_names[order].tolist()
    np.testing.assert_array_equal(again.features[:, 0], g.features[order, 0])
    wanted = g.adjacency().toarray()[np.ix_(order, order)]
    np.testing.assert_allclose(again.adjacency().toarray(), wanted)
    assert again.edge_types.tolist() == g.edge_types.tolist()


VERTICES = {"graph_id": [0, 0, 1], "id": ["a", "b", "a"], "x": [1.0, 2.0, 3.0]}
EDGES = {"graph_id": [0, 1], "source": ["a", "a"], "target": ["b", "a"], "w": [1.0, 2.0]}

MISTAKES = {
    "unknown vertex": (
        {},
        {"target": ["b", "b"]},
        {},
        "edges: row 1: 'target' 'b' is no vertex of graph 1",
    ),
    "one id twice": (
        {"id": ["a", "a", "a"]},
        {},
        {},
        "vertices: row 1: 'id' 'a' of graph 0 came before, in row 0",
    ),
    "missing id": ({"id": ["a", None, "b"]}, {}, {}, "vertices: row 1: 'id' is missing"),
    "missing end": ({}, {"source": ["a", None]}, {}, "edges: row 1: 'source' is missing"),
    "no id column": ({}, {}, {"vertex_id": "name"}, "vertices: no column 'name'; there is: 'grap"),
    "no source column": ({}, {}, {"source": "from"}, "edges: no column 'from'; there is: 'graph_"),
    "no feature column": ({}, {}, {"features": ["y"]}, "vertices: no column 'y'"),
    "no weight column": ({}, {}, {"weight": "y"}, "edges: no column 'y'"),
    "missing weight": (
        {},
        {"w": [1.0, float("nan")]},
        {"weight": "w"},
        "edges: row 1: 'w' is NaN",
    ),
    "missing type": (
        {},
        {"kind": ["k", None]},
        {"edge_type": "kind"},
        "edges: row 1: 'kind' is missing",
    ),
    "infinite feature": (
        {"x": [1.0, 2.0, float("inf")]},
        {},
        {},
        "graph 1: vertex 0: feature 'x' is infinite",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_are_named_by_table_row_and_field(table, case):
    in_vertices, in_edges, given, words = MISTAKES[case]
    with pytest.raises(ValueError, match=words):
        from_tables(table(VERTICES | in_vertices), table(EDGES | in_edges), **given)


def test_graphs_that_are_not_said_or_said_twice_are_named(table):
    vertices, edges = table(VERTICES), table(EDGES)
    with pytest.raises(ValueError, match="vertices: row 2: 'graph_id' 1 is not in graphs"):
        from_tables(vertices, edges, table({"graph_id": [0]}))
    with pytest.raises(ValueError, match="graphs: row 2: 'graph_id' 0 came before, in row 0"):
        from_tables(vertices, edges, table({"graph_id": [0, 1, 0]}))
    without = {name: EDGES[name] for name in ("source", "target")}
    with pytest.raises(ValueError, match=r"no column 'graph_id' .* the vertex 'a' is in more"):
        from_tables(vertices, table(without))
    without = {name: VERTICES[name][:2] for name in ("id", "x")}
    with pytest.raises(ValueError, match=r"vertices: no column 'graph_id' .* edges has one"):
        from_tables(table(without), edges)


def test_an_edge_may_not_join_two_graphs(table):
    vertices = table({"graph_id": ["g", "h"], "id": [1, 2]})
    words = "edges: row 0: 'source' is a vertex of graph 'g', 'target' of graph 'h'"
    with pytest.raises(ValueError, match=words):
        from_tables(vertices, table({"source": [1], "target": [2]}))


def test_words_cannot_be_weights_and_lists_are_no_tables(table):
    edges = table(EDGES | {"w": ["heavy", "light"]})
    with pytest.raises(TypeError, match="edges: column 'w' must hold numbers"):
        from_tables(table(VERTICES), edges, weight="w")
    with pytest.raises(TypeError, match=r"vertices must be a pandas or polars .* got a list"):
        from_tables([], edges)
    with pytest.raises(TypeError, match=r"features must be a list of columns; .* \['x'\]"):
        from_tables(table(VERTICES), table(EDGES), features="x")


def test_ids_as_floats_that_stand_for_several_whole_numbers_are_refused():
    """2^53 + 1 as a float is 2^53: the edge would go to another vertex."""
    vertices = pd.DataFrame({"id": [2**53, 2**53 + 1, 5], "x": [1.0, 2.0, 3.0]})
    edges = pd.DataFrame({"source": [5.0, float(2**53 + 1)], "target": [5, 5]})
    with pytest.raises(ValueError, match=r"edges: row 1: 'source' is 9007199254740992\.0, "):
        from_tables(vertices, edges)
    whole = edges.assign(source=[5, 2**53 + 1])
    assert from_tables(vertices, whole).edge_index.tolist() == [[2, 1], [2, 2]]
