"""Features of whole graphs: read with the graphs, chosen with them, joined with them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from builders import a_path, some_graphs

import graphtrees as gt


def a_table() -> pd.DataFrame:
    return pd.DataFrame({"weight": [18.0, np.nan, 44.5], "assay": ["b", "a", None]})


def known_graphs() -> gt.Graphs:
    return gt.Graphs([a_path(2), a_path(3), a_path(4)], graph_features=a_table())


def test_a_table_gives_names_numbers_and_categories():
    graphs = known_graphs()
    assert graphs.graph_feature_names == ("weight", "assay")
    assert graphs.graph_feature_categories == {1: ("a", "b")}
    np.testing.assert_array_equal(graphs.graph_features, [[18, 1], [np.nan, 0], [44.5, np.nan]])
    assert graphs.n_features == 1  # of a vertex
    assert "2 graph features" in repr(graphs)
    assert "weight, assay" in graphs._repr_html_()


def test_a_graph_knows_its_own_by_name():
    first, second, third = known_graphs()
    assert first.graph_features == {"weight": 18.0, "assay": "b"}
    assert np.isnan(second.graph_features["weight"])
    assert np.isnan(third.graph_features["assay"])
    assert a_path(2).graph_features == {}
    assert repr(first).endswith("n_features=1, 2 graph features)")
    assert first.n_features == 1


def test_an_array_gives_numbers_with_names_of_their_own():
    graphs = gt.Graphs(some_graphs(3), graph_features=np.arange(6).reshape(3, 2))
    assert graphs.graph_feature_names == ("g0", "g1")
    np.testing.assert_array_equal(graphs[1:].graph_features, [[2, 3], [4, 5]])


def test_one_column_of_a_table_is_a_table():
    graphs = gt.Graphs(some_graphs(3), graph_features=a_table()["weight"])
    assert graphs.graph_feature_names == ("weight",)


def test_polars_and_arrow_tables_are_read_alike():
    polars, arrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    columns = {"weight": [18.0, None, 44.5], "assay": ["b", "a", None]}
    for table in (polars.DataFrame(columns), arrow.table(columns)):
        graphs = gt.Graphs(some_graphs(3), graph_features=table)
        np.testing.assert_array_equal(graphs.graph_features, known_graphs().graph_features)


@pytest.mark.parametrize("key", [[2, 0], slice(1, None), np.array([True, False, True]), [1, 1]])
def test_chosen_graphs_keep_theirs(key):
    graphs = known_graphs()
    np.testing.assert_array_equal(graphs[key].graph_features, graphs.graph_features[key])
    np.testing.assert_array_equal(
        graphs[key].flat.graph_features.values, graphs.graph_features[key]
    )
    again = graphs[key][::-1]
    np.testing.assert_array_equal(again.graph_features, graphs.graph_features[key][::-1])


@pytest.mark.parametrize("copied", [lambda g: pickle.loads(pickle.dumps(g)), copy.deepcopy])
def test_copies_keep_them(copied):
    graphs = known_graphs()[1:]
    same = copied(graphs)
    np.testing.assert_array_equal(same.graph_features, graphs.graph_features)
    assert same.graph_feature_categories == graphs.graph_feature_categories
    assert copied(graphs[0]).graph_features["assay"] == "a"


def test_they_do_not_change():
    graphs = known_graphs()
    with pytest.raises(ValueError, match="read-only"):
        graphs.flat.graph_features.values[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        pickle.loads(pickle.dumps(graphs)).flat.graph_features.values[0, 0] = 1.0


def test_graphs_put_together_bring_theirs_along():
    one = known_graphs()
    table = pd.DataFrame({"weight": [1.0], "assay": ["c"]})
    other = gt.Graphs([a_path(5)], graph_features=table)
    both = gt.Graphs([*other, *one])
    assert both.graph_feature_categories == {1: ("a", "b", "c")}
    assert [g.graph_features["assay"] for g in both[:3]] == ["c", "b", "a"]
    assert [g.graph_features["weight"] for g in both[[0, 3]]] == [1.0, 44.5]


def test_a_column_that_is_missing_throughout_goes_with_either_kind():
    empty = pd.DataFrame({"weight": [np.nan], "assay": [np.nan]})
    both = gt.Graphs([*gt.Graphs([a_path(5)], graph_features=empty), *known_graphs()])
    assert np.isnan(both.graph_features[0]).all()
    assert both[1].graph_features["assay"] == "b"


def test_a_new_table_takes_the_place_of_the_old():
    graphs = gt.Graphs(known_graphs(), graph_features=np.zeros((3, 1)))
    assert graphs.graph_feature_names == ("g0",)
    assert gt.Graphs(known_graphs()).graph_feature_names == ("weight", "assay")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.zeros((2, 1)), "graph_features has 2 rows for 3 graphs"),
        (np.zeros(3), "two-dimensional, .n_graphs, n_columns.; got shape"),
        ([[1.0], [np.inf], [0.0]], "graph 1: graph feature 'g0' is infinite"),
        (pd.DataFrame({"w": [1e39, 0, 0]}), "graph 0: graph feature 'w' is 1e[+]39, beyond"),
        (pd.DataFrame(np.zeros((3, 2)), columns=["w", "w"]), "holds 'w' twice"),
    ],
)
def test_what_is_no_table_of_these_graphs_is_refused(table, message):
    with pytest.raises(ValueError, match=message):
        gt.Graphs(some_graphs(3), graph_features=table)


def test_text_in_an_array_is_refused():
    with pytest.raises(TypeError, match=r"graph_features must be numbers.*Give a DataFrame"):
        gt.Graphs(some_graphs(3), graph_features=[["a"], ["b"], ["c"]])


def test_graphs_with_and_without_are_not_put_together():
    with pytest.raises(ValueError, match=r"graph 3 has the graph features .*; graph 0 has the"):
        gt.Graphs([*known_graphs(), a_path(2)])
    numbers = gt.Graphs([a_path(2)], graph_features=pd.DataFrame({"weight": [1.0], "assay": [2.0]}))
    with pytest.raises(
        ValueError, match="graph 3 has the graph feature 'assay' categorical: False"
    ):
        gt.Graphs([*known_graphs(), *numbers])


# ---- from tables -----------------------------------------------------------------------------


def tables():
    vertices = pd.DataFrame({"graph_id": ["q", "p", "p"], "id": [1, 1, 2], "age": [5.0, 6.0, 7.0]})
    edges = pd.DataFrame({"graph_id": ["p"], "source": [1], "target": [2]})
    graphs = pd.DataFrame(
        {
            "graph_id": ["p", "q", "r"],
            "weight": [1.5, 2.5, 3.5],
            "assay": list("xyx"),
            "y": [0, 1, 0],
        }
    )
    return vertices, edges, graphs


def test_from_tables_reads_the_columns_of_graphs_that_are_named():
    graphs = gt.from_tables(*tables(), graph_features=["assay", "weight"])
    assert graphs.graph_feature_names == ("assay", "weight")
    assert [g.n_vertices for g in graphs] == [2, 1, 0]
    assert [g.graph_features["weight"] for g in graphs] == [1.5, 2.5, 3.5]
    assert [g.graph_features["assay"] for g in graphs] == ["x", "y", "x"]


def test_from_tables_takes_no_column_of_graphs_unasked():
    assert gt.from_tables(*tables()).graph_feature_names == ()


def test_from_tables_refuses_columns_that_are_not_there():
    vertices, edges, graphs = tables()
    with pytest.raises(ValueError, match="graphs: no column 'mass'"):
        gt.from_tables(vertices, edges, graphs, graph_features=["mass"])
    with pytest.raises(ValueError, match="columns of graphs_df, which is not given"):
        gt.from_tables(vertices, edges, graph_features=["weight"])
    with pytest.raises(TypeError, match="must be a list of columns; got the string 'weight'"):
        gt.from_tables(vertices, edges, graphs, graph_features="weight")


def test_to_networkx_writes_them_to_the_graph_itself():
    pytest.importorskip("networkx")
    graph = known_graphs()[0]
    assert graph.to_networkx().graph == {"weight": 18.0, "assay": "b"}
    assert gt.from_networkx(graph.to_networkx()).n_features == 1
