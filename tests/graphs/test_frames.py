"""Data frames as features: names, categories and missing values survive, whatever the library."""

import sys

import numpy as np
import pytest

from graphtrees.graphs import Graph

pd = pytest.importorskip("pandas")


def as_polars(columns):
    return pytest.importorskip("polars").DataFrame(columns)


def as_arrow(columns):
    return pytest.importorskip("pyarrow").table(columns)


@pytest.fixture(params=[pd.DataFrame, as_polars, as_arrow], ids=["pandas", "polars", "arrow"])
def frame(request):
    return request.param


def test_names_and_numbers_are_kept(frame):
    g = Graph(frame({"age": [30, 40], "tall": [True, False], "debt": [0.5, np.nan]}), [(0, 1)])
    assert g.feature_names == ("age", "tall", "debt")
    assert g.categories == {}
    np.testing.assert_array_equal(g.features, [[30, 1, 0.5], [40, 0, np.nan]])


def test_strings_become_codes_of_sorted_labels_and_none_is_missing(frame):
    g = Graph(frame({"kind": ["red", None, "blue", "red"], "x": [1.0, 2.0, 3.0, 4.0]}), [])
    assert g.categories == {0: ("blue", "red")}
    np.testing.assert_array_equal(g.features[:, 0], [1, np.nan, 0, 1])


def test_missing_integers_and_booleans_are_nan(frame):
    if frame is pd.DataFrame:
        columns = {
            "n": pd.array([1, None], dtype="Int64"),
            "b": pd.array([None, True], dtype="boolean"),
        }
    else:
        columns = {"n": [1, None], "b": [None, True]}
    g = Graph(frame(columns), [])
    assert g.categories == {}
    np.testing.assert_array_equal(g.features, [[1, np.nan], [np.nan, 1]])


def test_float32_frames_stay_float32(frame):
    columns = {"a": np.ones(2, np.float32), "b": np.zeros(2, np.float32)}
    assert Graph(frame(columns), []).features.dtype == np.float32
    columns["c"] = np.ones(2)
    assert Graph(frame(columns), []).features.dtype == np.float64


def test_dates_are_refused_by_the_name_of_their_column(frame):
    dates = np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[ns]")
    with pytest.raises(TypeError, match=r"features: column 'when' must hold numbers"):
        Graph(frame({"x": [1, 2], "when": dates}), [])


def test_a_pandas_categorical_keeps_its_order_and_its_unused_labels():
    column = pd.Categorical(["low", "high", None], categories=["low", "middle", "high"])
    g = Graph(pd.DataFrame({"level": column}), [])
    assert g.categories == {0: ("low", "middle", "high")}
    np.testing.assert_array_equal(g.features[:, 0], [0, 2, np.nan])


def test_a_polars_enum_keeps_its_order_and_its_unused_labels():
    pl = pytest.importorskip("polars")
    column = pl.Series(["low", "high", None], dtype=pl.Enum(["low", "middle", "high"]))
    g = Graph(pl.DataFrame({"level": column}), [])
    assert g.categories == {0: ("low", "middle", "high")}
    np.testing.assert_array_equal(g.features[:, 0], [0, 2, np.nan])


def test_an_arrow_dictionary_is_categorical():
    pa = pytest.importorskip("pyarrow")
    g = Graph(pa.table({"kind": pa.array(["b", "a", None]).dictionary_encode()}), [])
    assert g.categories == {0: ("a", "b")}
    np.testing.assert_array_equal(g.features[:, 0], [1, 0, np.nan])


def test_objects_that_are_all_numbers_are_numbers():
    g = Graph(pd.DataFrame({"x": pd.Series([1.5, None, 2], dtype=object)}), [])
    assert g.categories == {}
    np.testing.assert_array_equal(g.features[:, 0], [1.5, np.nan, 2])


def test_decimals_are_numbers(frame):
    from decimal import Decimal

    g = Graph(frame({"x": [Decimal("1.5"), None]}), [])
    assert g.categories == {}
    np.testing.assert_array_equal(g.features[:, 0], [1.5, np.nan])


def test_a_polars_categorical_is_categorical():
    pl = pytest.importorskip("polars")
    g = Graph(pl.DataFrame({"kind": pl.Series(["b", None, "a"], dtype=pl.Categorical)}), [])
    assert g.categories == {0: ("a", "b")}
    np.testing.assert_array_equal(g.features[:, 0], [1, np.nan, 0])


def test_tuples_are_no_labels():
    with pytest.raises(TypeError, match="column 'pos' holds tuples; give each entry a column"):
        Graph(pd.DataFrame({"pos": [(0, 1), (1, 2)]}), [])


def test_objects_that_cannot_be_labels_are_refused():
    with pytest.raises(TypeError, match="column 'x' holds values that cannot be categories"):
        Graph(pd.DataFrame({"x": [["a"], ["b"]]}), [])


def test_numbered_columns_have_no_names_and_mixed_ones_are_refused():
    assert Graph(pd.DataFrame(np.eye(2)), []).feature_names is None
    with pytest.raises(TypeError, match="column names must all be strings; got 3"):
        Graph(pd.DataFrame({"a": [1], 3: [2]}), [])


def test_two_columns_of_one_name_are_refused():
    frame = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(ValueError, match="'a' twice"):
        Graph(frame, [])


def test_given_names_win_over_those_of_the_frame(frame):
    assert Graph(frame({"a": [1]}), [], feature_names=["b"]).feature_names == ("b",)


def test_edge_features_keep_the_names_of_their_frame_and_must_be_numbers(frame):
    g = Graph(None, [(0, 1)], edge_features=frame({"length": [2], "toll": [True]}))
    assert g.edge_feature_names == ("length", "toll")
    np.testing.assert_array_equal(g.edge_features, [[2.0, 1.0]])
    with pytest.raises(TypeError, match="column 'road' is not numbers; pass it as edge_types"):
        Graph(None, [(0, 1)], edge_features=frame({"road": ["A1"]}))


def test_no_data_frame_library_is_imported_for_plain_arrays():
    import subprocess

    code = (
        "import sys, graphtrees.graphs as gg; gg.Graph([[1.0]], []).vertices; "
        "sys.exit(any(m in sys.modules for m in "
        "('pandas', 'polars', 'pyarrow', 'networkx', 'torch', 'sklearn', 'numba', 'rdkit')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
