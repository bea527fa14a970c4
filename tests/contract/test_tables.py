"""Rows of a table are vertices of a graph without edges; the model is an ordinary tree model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from models import CLASSIFIERS, SIX, name_of, small
from pandas.testing import assert_frame_equal

import graphtrees as gt

N = 30
six_kinds = pytest.mark.parametrize("kind", SIX, ids=name_of)


def numbers(missing: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(N, 3)).astype(np.float32).astype(float)
    values[rng.random(values.shape) < missing] = np.nan
    return values


def labels(X) -> np.ndarray:
    """Something that the first two columns decide."""
    values = np.nan_to_num(np.asarray(X, dtype=float))
    return ((values[:, 0] > 0.2) + (values[:, 1] > 0)).astype(int)


def edgeless(X) -> gt.Vertices:
    return gt.Graph(X, []).vertices


@six_kinds
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_a_table_is_the_vertices_of_an_edgeless_graph(kind, missing):
    X = numbers(missing)
    y = labels(X)
    of_rows = small(kind).fit(X, y)
    of_vertices = small(kind, max_walk_length=0, max_ancestor_distance=0, add_constant=False).fit(
        edgeless(X), y
    )
    assert_frame_equal(
        of_rows.trees_to_dataframe(), of_vertices.trees_to_dataframe(), check_exact=True
    )
    np.testing.assert_array_equal(of_rows.predict(X), of_vertices.predict(edgeless(X)))


@six_kinds
def test_only_the_features_themselves_are_asked_about_in_a_table(kind):
    X = numbers()
    frame = small(kind).fit(X, labels(X)).trees_to_dataframe()
    splits = frame[frame["left"] >= 0]
    assert len(splits)
    assert set(splits["feature"]) <= {"x0", "x1", "x2"}
    assert set(splits["walk_length"]) == {0}
    assert (splits["pointer"] == splits["node"]).all()
    assert splits["sign"].isna().all()
    assert splits["aggregator"].isna().all()


@six_kinds
def test_every_kind_of_table_gives_the_same_model(kind):
    X = numbers()
    y = labels(X)
    wanted = small(kind).fit(X, y)
    names = ["a", "b", "c"]
    others = {
        "list": X.tolist(),
        "float32": X.astype(np.float32),
        "fortran": np.asfortranarray(X),
        "csr": sp.csr_array(X),
        "csc matrix": sp.csc_matrix(X),
        "pandas": pd.DataFrame(X, columns=names),
        "polars": pytest.importorskip("polars").DataFrame(X, schema=names),
    }
    frame = wanted.trees_to_dataframe().drop(columns="feature")
    for name, table in others.items():
        model = small(kind).fit(table, y)
        again = model.trees_to_dataframe().drop(columns="feature")
        assert_frame_equal(frame, again, check_exact=True, obj=name)
        np.testing.assert_array_equal(model.predict(table), wanted.predict(X), err_msg=name)


@six_kinds
def test_the_names_of_a_table_are_kept_and_compared(kind):
    X = pd.DataFrame(numbers(), columns=["a", "b", "c"])
    model = small(kind).fit(X, labels(X))
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert set(model.trees_to_dataframe()["feature"].dropna()) <= {"a", "b", "c"}
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X.rename(columns={"a": "z"}))
    model = small(kind).fit(X.to_numpy(), labels(X))
    with pytest.raises(ValueError, match=r"2 features, but .* is expecting 3 features"):
        model.predict(X[["a", "b"]].to_numpy())


@six_kinds
@pytest.mark.parametrize("like", [0, 1])
def test_missing_values_of_a_table_join_those_they_are_like(kind, like):
    X = np.r_[np.repeat([-1.0, 1.0], 10), np.full(10, np.nan)][:, None]
    y = np.r_[np.repeat([0, 1], 10), np.full(10, like)]
    model = small(kind, max_leaf_nodes=2).fit(X, y)
    splits = model.trees_to_dataframe().query("left >= 0")
    assert set(splits["threshold"]) == {0.0}
    assert set(splits["missing_goes"]) == {"right" if like else "left"}
    assert (np.round(model.predict(X)) == y).all()


@six_kinds
@pytest.mark.parametrize("max_bins", [255, None])
def test_a_category_is_asked_about_by_its_label(kind, max_bins):
    colours = ["red", "green", "blue"] * 10
    X = pd.DataFrame({"size": np.ones(N), "colour": pd.Categorical(colours)})
    y = (X["colour"] == "green").to_numpy().astype(int)
    model = small(kind, max_bins=max_bins).fit(X, y)
    splits = model.trees_to_dataframe().query("left >= 0")
    assert set(splits["feature"]) == {"colour"}
    assert set(splits["feature_index"]) == {1}
    assert set(splits["category"]) <= {"red", "green", "blue"}
    if kind not in (gt.GraphForestClassifier, gt.GraphForestRegressor):
        assert splits["category"].iloc[0] == "green"
        assert (np.round(model.predict(X)) == y).all()


@six_kinds
@pytest.mark.parametrize("dtype", ["category", object, "string"])
def test_words_are_categories_in_any_order(kind, dtype):
    words = np.array(["b", "a", "c"])[np.arange(N) % 3]
    y = (words == "c").astype(int)
    X = pd.DataFrame({"word": pd.Series(words, dtype=dtype)})
    model = small(kind).fit(X, y)
    turned = pd.DataFrame({"word": pd.Series(words[::-1].copy(), dtype=dtype)})
    np.testing.assert_array_equal(model.predict(turned), model.predict(X)[::-1])
    only_c = pd.DataFrame({"word": pd.Series(["c"], dtype=dtype)})
    assert model.predict(only_c) == model.predict(X)[2]


@six_kinds
def test_an_unseen_or_missing_category_is_none_of_those_known(kind):
    X = pd.DataFrame({"word": pd.Categorical(["a", "b"] * 10)})
    model = small(kind).fit(X, [0, 1] * 10)
    odd = pd.DataFrame({"word": pd.Categorical(["new", None])})
    assert np.isfinite(model.predict(odd)).all()
    assert model.predict(odd)[0] == model.predict(odd)[1]


@six_kinds
def test_numbers_can_be_declared_categories(kind):
    X = np.array([[1.0], [2.0], [3.0]] * 8)
    y = np.array([0, 1, 0] * 8)
    model = small(kind, categorical_features=[0], max_leaf_nodes=2).fit(X, y)
    splits = model.trees_to_dataframe().query("left >= 0")
    assert set(splits["category"]) <= {1, 2, 3}
    if kind not in (gt.GraphForestClassifier, gt.GraphForestRegressor):
        assert (np.round(model.predict(X)) == y).all(), "one label against the rest is enough"


@six_kinds
@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_categories_of_graphs_are_walked_as_indicators(kind, about):
    """A vertex is 1 when some neighbour is red: no single vertex feature tells.

    Of some graphs only the vertex without edges is red: no walk tells.
    """
    rng = np.random.default_rng(0)
    graphs, near_red, has_red, alone = [], [], [], []
    for _ in range(12):
        colours = rng.choice(["red", "green", "blue"], size=6, p=[0.2, 0.4, 0.4])
        edges = np.array([(0, 1), (1, 2), (2, 3), (3, 4)])
        frame = pd.DataFrame({"colour": pd.Categorical(colours, ["blue", "green", "red"])})
        graphs.append(gt.Graph(frame, edges))
        red = colours == "red"
        linked = red[:5]
        beside = np.r_[False, linked[:-1]] | np.r_[linked[1:], False]
        near_red.append(np.r_[beside, False].astype(int))
        has_red.append(int(red.any()))
        alone.append(red[5] and not linked.any())
    assert any(alone)
    X = gt.Graphs(graphs)
    X, y = (X, np.array(has_red)) if about == "graphs" else (X.vertices, np.concatenate(near_red))
    given = {"bootstrap": False, "max_features": None} if "Forest" in kind.__name__ else {}
    model = small(kind, **given).fit(X, y)
    root = model.trees_to_dataframe().iloc[0]
    assert (root["feature"], root["category"]) == ("colour", "red")
    assert root["walk_length"] == (0 if about == "graphs" else 1)
    assert (np.round(model.predict(X)) == y).all()


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
def test_a_column_of_y_warns_and_works(kind):
    X = numbers()
    with pytest.warns(match="column-vector y was passed"):
        model = small(kind).fit(X, labels(X)[:, None])
    assert model.predict(X).shape == (N,)


@pytest.mark.parametrize("kind", [k for k in SIX if k not in CLASSIFIERS], ids=name_of)
def test_several_outputs_are_learnt_at_once(kind):
    X = numbers()
    Y = np.column_stack([labels(X), 10 - 2 * labels(X)]).astype(float)
    model = small(kind).fit(X, Y)
    said = model.predict(X)
    assert said.shape == (N, 2)
    assert np.abs(said - Y).mean() < np.abs(Y - Y.mean(axis=0)).mean()
