"""Slips of newcomers, answered with the rows, names and forms that are meant."""

from __future__ import annotations

import re
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from builders import some_graphs
from models import SIX, name_of, small

import graphtrees as gt

X = gt.Graphs(some_graphs(40))


def labels_with(value, *rows):
    y = np.arange(40) % 2 * 1.0
    y[list(rows)] = value
    return y


def refused(call) -> str:
    with pytest.raises((ValueError, TypeError, IndexError)) as raised:
        call()
    return str(raised.value)


# ---- labels that are missing ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", SIX, ids=name_of)
def test_the_first_rows_without_a_label_are_named(kind):
    said = refused(lambda: small(kind).fit(X, labels_with(np.nan, 3, 17, 30)))
    noun = "label" if "Classifier" in kind.__name__ else "value"
    assert said.startswith(
        f"Input y contains NaN: y[3] has no {noun}, nor have y[17], y[30]: 3 of 40"
    )
    assert said.endswith("X[known] and y[known], with known = np.isfinite(y)")
    many = refused(lambda: small(kind).fit(X, labels_with(np.nan, *range(10, 20))))
    assert f"y[10] has no {noun}, nor have y[11], y[12], y[13], y[14] and 5 more: 10 of 40" in many
    one = refused(lambda: small(kind).fit(X, labels_with(np.nan, 39)))
    assert f": y[39] has no {noun}: 1 of 40" in one


def test_what_is_advised_is_accepted():
    y = labels_with(np.nan, 3, 17)
    known = np.isfinite(y)
    assert gt.GraphTreeRegressor().fit(X[known], y[known]).get_n_leaves() > 1


def test_rows_are_those_of_the_user_though_some_are_set_aside():
    for seed in range(3):
        model = gt.GraphBoostingRegressor(2, early_stopping=True, random_state=seed)
        assert "y[39] has no value" in refused(lambda m=model: m.fit(X, labels_with(np.nan, 39)))


def test_infinite_targets_and_targets_in_columns_are_named_by_row():
    said = refused(lambda: gt.GraphTreeRegressor().fit(X, labels_with(np.inf, 7)))
    assert "infinity" in said
    assert ": y[7] is infinite: 1 of 40" in said
    both = np.c_[labels_with(np.nan, 4), labels_with(np.nan, 9)]
    said = refused(lambda: gt.GraphTreeRegressor().fit(X, both))
    assert "y[4] has no value, nor have y[9]" in said
    assert said.endswith("known = np.isfinite(y).all(axis=1)")


def test_labels_that_are_text_are_left_out_by_pandas():
    y = np.array(["a", "b"] * 20, dtype=object)
    y[5] = None
    said = refused(lambda: gt.GraphTreeClassifier().fit(X, y))
    assert said.startswith("Input y contains None: y[5] has no label: 1 of 40")
    assert said.endswith("known = pandas.notna(y)")


@pytest.mark.parametrize("dtype", ["Int64", "Float64"])
@pytest.mark.parametrize("kind", [gt.GraphTreeClassifier, gt.GraphTreeRegressor], ids=name_of)
def test_numbers_of_pandas_own_dtypes_are_left_out_by_pandas(kind, dtype):
    pd = pytest.importorskip("pandas")
    y = pd.array([1, None, 0, 1] * 10, dtype=dtype)
    advice = "known = np.isfinite(y.to_numpy(float, na_value=np.nan))"
    assert refused(lambda: kind().fit(X, y)).endswith(advice)
    known = np.isfinite(y.to_numpy(float, na_value=np.nan))
    assert kind().fit(X[known], y[known]).get_n_leaves() > 0
    boosted = gt.GraphBoostingClassifier(2, early_stopping=True)
    assert refused(lambda: boosted.fit(X, y)).endswith(advice)


def test_infinite_numbers_of_pandas_own_dtypes_are_left_out():
    pd = pytest.importorskip("pandas")
    y = pd.Series([1.0, np.inf, 0.0, None] * 10, dtype="Float64")
    said = refused(lambda: gt.GraphTreeRegressor().fit(X, y))
    assert said.endswith("known = np.isfinite(y.to_numpy(float, na_value=np.nan))")
    known = np.isfinite(y.to_numpy(float, na_value=np.nan))
    assert gt.GraphTreeRegressor().fit(X[known], y[known]).get_n_leaves() > 0


def test_missing_numbers_in_columns_of_pandas_own_dtypes_are_left_out():
    pd = pytest.importorskip("pandas")
    y = pd.DataFrame({"one": [1, None, 0, 1] * 10, "two": [1.0, 2.0, np.nan, 0.0] * 10})
    y = y.convert_dtypes()
    advice = "known = np.isfinite(y.to_numpy(float, na_value=np.nan)).all(axis=1)"
    assert refused(lambda: gt.GraphTreeRegressor().fit(X, y)).endswith(advice)
    known = np.isfinite(y.to_numpy(float, na_value=np.nan)).all(axis=1)
    assert known.sum() == 20
    assert gt.GraphTreeRegressor().fit(X[known], y[known]).get_n_leaves() > 0


@pytest.mark.parametrize("kind", [list, np.array], ids=["list", "array"])
@pytest.mark.parametrize("nothing", ["None", "NA", "NaT"])
def test_missing_numbers_among_objects_are_left_out(kind, nothing):
    pd = pytest.importorskip("pandas")
    y = [1.0, {"None": None, "NA": pd.NA, "NaT": pd.NaT}[nothing], 0.0, 2.0] * 10
    y = y if kind is list else np.array(y, object)
    message = refused(lambda: gt.GraphTreeRegressor().fit(X, y))
    assert "NaN: y[1] has no value, nor have y[5], y[9], y[13], y[17] and 5 more" in message
    assert message.endswith("known = pandas.notna(y)")
    assert pd.notna(y).sum() == 30
    weight = refused(lambda: gt.GraphTreeRegressor().fit(X, np.arange(40.0), sample_weight=y))
    assert "Input sample_weight contains NaN" in weight


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        (np.array(["2026-01-01", "NaT"] * 20, "M8[D]"), "datetime64"),
        ([np.timedelta64(1, "s")] * 40, "timedelta64"),
        ([1 + 2j] * 40, "complex128"),
    ],
    ids=["times", "durations", "complex"],
)
def test_what_are_no_real_numbers_are_refused_by_kind(numbers, kind):
    for y, weight, what in ((numbers, None, "y"), (np.arange(40), numbers, "sample_weight")):
        message = refused(lambda y=y, weight=weight: gt.GraphTreeRegressor().fit(X, y, weight))
        assert message.startswith(f"{what} must be numbers: got {kind}")


def test_infinite_numbers_among_objects_are_left_out():
    y = np.array([1.0, np.inf, 0.0, 2.0] * 10, object)
    message = refused(lambda: gt.GraphTreeRegressor().fit(X, y))
    assert message.endswith("known = np.isfinite(np.array(y, float))")
    known = np.isfinite(np.array(y, float))
    assert gt.GraphTreeRegressor().fit(X[known], y[known]).get_n_leaves() > 0


def test_missing_numbers_of_polars_are_left_out():
    pl = pytest.importorskip("polars")
    y = pl.Series([1.0, None, 0.0, 1.0] * 10)
    said = refused(lambda: gt.GraphTreeRegressor().fit(X, y))
    assert said.endswith("known = np.isfinite(y.to_numpy())")
    known = np.isfinite(y.to_numpy())
    assert gt.GraphTreeRegressor().fit(X[known], y.filter(known)).get_n_leaves() > 0


# ---- masks and names between brackets ------------------------------------------------------------


def a_graph():
    table = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0, 5.0], "size": [1.0] * 5})
    edges = [(0, 1), (1, 2), (2, 3), (3, 4)]
    return gt.Graph(table, edges, vertex_names=list("abcde"), edge_features=np.ones((4, 1)))


@pytest.mark.parametrize("make", [np.array, list, pd.Series])
def test_a_mask_of_zeros_and_ones_is_pointed_out(make):
    g, mask = a_graph(), [0, 1, 1, 0, 1]
    with pytest.warns(UserWarning, match=r"5 zeros and ones .* mask\.astype\(bool\)") as caught:
        chosen = g.vertices[make(mask)]
    assert [one.filename for one in caught] == [__file__]
    assert chosen.vertex_of.tolist() == mask, "they are positions, as in NumPy"
    with pytest.warns(UserWarning, match="choose edge 0 and edge 1 again"):
        g.edges[make(mask[:4])]


def test_masks_and_positions_that_are_what_they_say_are_silent():
    g = a_graph()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert g.vertices[np.array([0, 1, 1, 0, 1], dtype=bool)].vertex_of.tolist() == [1, 2, 4]
        assert len(g.vertices[[0, 1]]) == 2
        assert len(g.vertices[[0, 1, 1, 0]]) == 4
        assert len(g.vertices[[4, 3, 2, 1, 0]]) == 5
        assert len(g.vertices[:3][[0, 1, 1]]) == 3


@pytest.mark.parametrize(
    ("ask", "here"),
    [
        (lambda g: g.vertices["size"], "'size', which is a feature: g.features[:, 1] of a graph g"),
        (lambda g: g.vertices["c"], "'c', the name of vertex 2: g.vertices[2]"),
        (lambda g: g.vertices["id"], "'id'. What vertices carry is in g.features, named by"),
        (lambda g: g.edges["weight"], "'weight'. What edges carry is in g.edge_features, g.edge_"),
        (lambda g: gt.Graphs([g])["id"], "by positions, slices or masks; got the text 'id'"),
    ],
)
def test_a_name_between_brackets_is_answered_with_where_it_is(ask, here):
    assert here in refused(lambda: ask(a_graph()))


def test_an_edge_feature_between_brackets_is_found():
    g = a_graph()
    [name] = g.edge_feature_names
    assert "g.edge_features[:, 0]" in refused(lambda: g.edges[name])


# ---- names of arguments --------------------------------------------------------------------------

PEOPLE = pd.DataFrame({"id": [1, 2, 3], "age": [1, 2, 3]})
CALLS = pd.DataFrame({"source": [1, 2], "target": [2, 3], "w": [1.0, 2.0]})


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("edge_weight", "; here: weight"),
        ("edge_weights", "; here: weight"),
        ("node_id", "; here: vertex_id"),
        ("edge_attr", "; here: edge_features"),
        ("src", "; here: source"),
        ("directd", "; did you mean 'directed'?"),
    ],
)
def test_arguments_of_from_tables_under_other_names_are_translated(name, here):
    said = refused(lambda: gt.from_tables(PEOPLE, CALLS, **{name: "w"}))
    assert said == f"from_tables() got an unexpected keyword argument {name!r}{here}"


def test_a_name_that_nobody_knows_is_answered_with_all_of_them():
    said = refused(lambda: gt.from_tables(PEOPLE, CALLS, zzz=1))
    assert re.search(r"'zzz'; it has: vertices_df, edges_df, .*, weight, .*directed$", said)


def test_arguments_of_graph_and_networkx_are_translated():
    assert refused(lambda: gt.Graph(x=[[1.0]], edge_index=[])) == (
        "Graph() got an unexpected keyword argument 'x'; here: features"
    )
    said = refused(lambda: gt.Graph([[1.0], [2.0]], [(0, 1)], edge_weight=[1.0]))
    assert said.endswith("'edge_weight'; here: edge_weights")
    said = refused(lambda: gt.from_networkx(nx.path_graph(2), edge_attr="w"))
    assert said.endswith("'edge_attr'; here: edge_features")


def test_every_translation_names_an_argument():
    import inspect

    from graphtrees.graphs.validation.keywords import SYNONYMS

    known = {*inspect.signature(gt.Graph).parameters, *inspect.signature(gt.from_tables).parameters}
    assert {here for names in SYNONYMS.values() for here in names} <= known
