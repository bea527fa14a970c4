"""Masks, integers of hundreds of digits, the end of float64, and missing labels."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from models import CLASSIFIERS, REGRESSORS, SIX, name_of, small

import graphtrees as gt

HUGE = 10**400
six_kinds = pytest.mark.parametrize("kind", SIX, ids=name_of)
classifiers = pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
regressors = pytest.mark.parametrize("kind", REGRESSORS, ids=name_of)
PAIRS = [(0, 1), (1, 2)]


def hidden(values, *places) -> np.ma.MaskedArray:
    """An array whose entries at some places are masked, over numbers that must not be read."""
    array = np.ma.array(values)
    for place in places:
        array[place] = np.ma.masked
    return array


# ---- masks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [float, np.float32, int, bool, object])
def test_a_masked_feature_is_missing(dtype):
    values = np.array([[1, 0], [0, 1], [1, 1]]).astype(dtype)
    graph = gt.Graph(hidden(values, (1, 0), (2, 1)), PAIRS)
    np.testing.assert_array_equal(graph.features, [[1, 0], [np.nan, 1], [1, np.nan]])


def test_what_masks_of_rows_in_a_list_hide_is_missing():
    rows = [hidden([1.0, 2.0], 0), hidden([3.0, 4.0]), hidden([5, 6], 1)]
    wanted = [[np.nan, 2.0], [3.0, 4.0], [5.0, np.nan]]
    np.testing.assert_array_equal(gt.Graph(rows, PAIRS).features, wanted)
    model = small(gt.GraphTreeRegressor, min_samples_leaf=1).fit(wanted, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(model.predict(rows), model.predict(wanted))


def test_a_mask_that_hides_nothing_changes_nothing():
    edges = np.ma.array(PAIRS)
    graph = gt.Graph(np.ma.ones((3, 2), np.float32), edges, edge_weights=np.ma.ones(2))
    assert graph.features.dtype == np.float32
    np.testing.assert_array_equal(graph.edge_index.T, PAIRS)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"edges": hidden(PAIRS, (1, 0))}, r"edge 1 is \(nan, 2\); edges must be whole"),
        ({"edge_weights": hidden([1.0, 2.0], 0)}, "edge 0: its weight is NaN"),
        ({"edge_types": hidden(["a", "b"], 1)}, "edge 1: its type is None; every edge needs"),
        ({"edge_features": hidden([[1.0], [2.0]], (1, 0))}, "edge 1: edge feature .* is NaN"),
    ],
)
def test_what_may_not_be_missing_may_not_be_masked(given, error):
    with pytest.raises(ValueError, match=error):
        gt.Graph(**{"features": np.ones((3, 1)), "edges": PAIRS} | given)


def test_masked_positions_are_refused():
    vertices = gt.Graph(None, PAIRS).vertices
    with pytest.raises(IndexError, match="must hold integers or booleans"):
        vertices[hidden([0, 1, 2], 1)]
    with pytest.raises(TypeError, match="must be integers"):
        gt.Vertices(vertices.graphs, hidden([0, 0], 1), [0, 1])


@six_kinds
def test_masked_cells_of_a_table_are_missing(kind):
    rng = np.random.default_rng(0)
    values, mask = rng.normal(size=(20, 3)), rng.random((20, 3)) < 0.3
    X, plain = np.ma.array(values, mask=mask), np.where(mask, np.nan, values)
    y = (np.nan_to_num(plain[:, 0]) > 0).astype(int)
    model, other = small(kind).fit(X, y), small(kind).fit(plain, y)
    np.testing.assert_array_equal(model.predict(X), other.predict(plain))
    np.testing.assert_array_equal(other.predict(X), other.predict(plain))


def test_a_masked_entry_of_a_dense_adjacency_is_refused():
    with pytest.raises(ValueError, match=r"edge \(1, 0\): its weight is NaN"):
        gt.from_scipy(hidden([[0.0, 2.0], [1.0, 0.0]], (0, 1)))


def test_masked_cells_stay_missing_when_a_column_is_shuffled():
    X = hidden(np.arange(20.0)[:, None], *((k, 0) for k in range(0, 20, 2)))
    y = np.arange(20) // 5 % 2
    model = small(gt.GraphTreeClassifier).fit(X, y)
    masked, plain = (
        gt.permutation_importance(model, table, y, random_state=0).importances
        for table in (X, np.ma.filled(X, np.nan))
    )
    assert masked.max() > 0
    np.testing.assert_array_equal(masked, plain)


@six_kinds
@pytest.mark.parametrize("early", [False, True])
def test_masked_targets_and_weights_are_refused(kind, early):
    given = {"early_stopping": True, "validation_fraction": 0.3} if early else {}
    if early and not hasattr(kind(), "early_stopping"):
        pytest.skip("no early stopping")
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    with pytest.raises(ValueError, match=r"Input (y )?contains NaN"):
        small(kind, **given).fit(X, hidden(y, 3))
    with pytest.raises(ValueError, match="sample_weight contains NaN"):
        small(kind, **given).fit(X, y, sample_weight=hidden(np.ones(20), 3))


# ---- integers of hundreds of digits -------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"features": [[HUGE], [1], [2]]}, "features: a number is beyond the range of float32"),
        (
            {"features": pd.DataFrame({"x": [HUGE, 1, 2]}, dtype=object)},
            "'x': a number is beyond the range",
        ),
        ({"edges": [(0, HUGE)]}, "too large to be a vertex number"),
        ({"edges": [(0, 2**40)], "features": None}, "1099511627776 is no vertex number"),
        ({"edges": np.array([(0, 2**63)], np.uint64)}, "9223372036854775808 is no vertex number"),
        ({"edge_weights": [HUGE, 1]}, "edge_weights: a number is beyond"),
        ({"edge_features": [[HUGE], [1]]}, "edge_features: a number is beyond"),
        ({"n_vertices": HUGE, "features": None}, "n_vertices must be at most 2147483647"),
    ],
)
def test_a_number_too_large_for_a_graph_is_refused(given, error):
    with pytest.raises(ValueError, match=error):
        gt.Graph(**{"features": np.ones((3, 1)), "edges": PAIRS} | given)


@six_kinds
def test_a_number_too_large_for_training_is_refused(kind):
    X, y = [[1.0], [2.0], [3.0]], [0, 1, 0]
    with pytest.raises(ValueError, match="X: a number is beyond the range of float32"):
        small(kind).fit([[HUGE], [2], [3]], y)
    with pytest.raises(ValueError, match=r"sample_weight holds a number beyond 1e\+30"):
        small(kind).fit(X, y, sample_weight=[HUGE, 1, 1])


@regressors
def test_a_target_too_large_is_refused(kind):
    with pytest.raises(ValueError, match=r"y holds a number beyond 1e\+100"):
        small(kind).fit([[1.0], [2.0], [3.0]], [HUGE, 1, 2])


@pytest.mark.parametrize("value", [2**31, 2**63, 2**70, HUGE])
@six_kinds
def test_an_integer_parameter_that_no_counter_holds_is_refused_by_name(kind, value):
    whole = ("max_ancestor_distance", "max_leaf_nodes", "max_depth", "min_samples_leaf", "n_jobs")
    for name in (*whole, *(["n_estimators"] if hasattr(kind(), "n_estimators") else [])):
        with pytest.raises(ValueError, match=f"{name!r} parameter of .* must be at most 21474836"):
            small(kind, **{name: value}).fit([[1.0], [2.0]], [0, 1])
    for name in ("min_gain", "ccp_alpha", "walk_type_probability"):
        if value == HUGE:
            with pytest.raises(ValueError, match=f"{name!r} parameter .* must be a number"):
                small(kind, **{name: value}).fit([[1.0], [2.0]], [0, 1])


@six_kinds
def test_the_largest_integers_that_are_allowed_work(kind):
    most = 2**31 - 1
    given = {"max_ancestor_distance": most, "max_leaf_nodes": most, "max_depth": most}
    X = [gt.Graph([[float(k)]], [(0, 0)]) for k in range(6)]
    model = small(kind, **given, max_walk_length=3).fit(X, np.arange(6) % 2)
    assert model.predict(X).shape == (6,)


@six_kinds
@pytest.mark.parametrize(
    "limits",
    [{"max_leaf_nodes": 12}, {"max_leaf_nodes": None}, {"max_leaf_nodes": None, "max_depth": 3}],
    ids=str,
)
def test_no_subset_is_further_away_than_that_of_the_root(kind, limits):
    data = gt.datasets.make_walk_counts("cycle", n_graphs=40, random_state=0)
    y = np.random.default_rng(0).integers(0, 2, 40)
    choose = {"max_features": None} if "Forest" in name_of(kind) else {}
    near, far = (
        small(kind, max_ancestor_distance=distance, **limits, **choose).fit(data.X, y)
        for distance in (39, 2**31 - 1)
    )
    assert (near.trees_to_dataframe().sign != 0).any()
    pd.testing.assert_frame_equal(near.trees_to_dataframe(), far.trees_to_dataframe())


@six_kinds
def test_walks_of_the_longest_length_are_walked_and_longer_ones_refused_at_once(kind, tmp_path):
    X = [gt.Graph([[float(k)], [1.0]], [(0, 1)]) for k in range(6)]
    given = {"walk_types": ("source",), "aggregators": ("max",), "max_leaf_nodes": 2}
    model = small(kind, max_walk_length=1000, **given).fit(X, np.arange(6) % 2)
    model.save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    with pytest.raises(ValueError, match=r"must be an integer from 0 to 1000 or .*; got 100000000"):
        small(kind, max_walk_length=10**8).fit(X, np.arange(6) % 2)


# ---- the end of float64 -------------------------------------------------------------------------


@regressors
@pytest.mark.parametrize("large", [1.7e308, -1e308, 1e200])
def test_targets_whose_squares_overflow_are_refused_by_place(kind, large):
    X, y = np.arange(4.0)[:, None], [1.0, large, large, 0.0]
    with pytest.raises(ValueError, match=r"y\[1\] is -?\d.*, beyond 1e\+100; scale y down"):
        small(kind).fit(X, y)


@regressors
def test_the_largest_targets_are_learnt(kind):
    X, y = np.arange(4.0)[:, None], np.array([1e100, -1e100, 1e100, -1e100])
    extra = {} if "Forest" in kind.__name__ or "Tree" in kind.__name__ else {"learning_rate": 1.0}
    extra |= {"bootstrap": False, "max_features": 1.0} if "Forest" in kind.__name__ else {}
    model = small(kind, **extra).fit(X, y, sample_weight=[1e30] * 4)
    np.testing.assert_allclose(model.predict(X), y, rtol=1e-12)


@six_kinds
def test_weights_whose_sum_overflows_are_refused_by_place(kind):
    X, y = np.arange(4.0)[:, None], [0, 1, 0, 1]
    with pytest.raises(ValueError, match=r"sample_weight\[2\] is 1e\+308, beyond 1e\+30"):
        small(kind).fit(X, y, sample_weight=[1.0, 1.0, 1e308, 1.0])


@classifiers
@pytest.mark.parametrize("weight", [np.nan, np.inf, -1.0, 1e300, HUGE, "2", None])
def test_a_class_weight_that_is_no_weight_is_refused_by_class(kind, weight):
    X, y = np.arange(4.0)[:, None], ["a", "b", "a", "b"]
    with pytest.raises(ValueError, match="class_weight of 'b' must be a number from 0 to"):
        small(kind, class_weight={"a": 1, "b": weight}).fit(X, y)


@six_kinds
def test_labels_may_be_numbers_that_no_integer_holds(kind):
    X = np.array([[1e30], [np.nan], [2.5], [3.0]] * 5)
    y = np.arange(20) % 4 == 0
    model = small(kind, categorical_features=[0]).fit(X, y.astype(int))
    assert model.predict(X)[0] > model.predict(X)[1]


# ---- labels -------------------------------------------------------------------------------------


@classifiers
@pytest.mark.parametrize("missing", [np.nan, None, pd.NA, pd.NaT, float("nan")])
def test_a_missing_label_among_strings_is_refused_by_place(kind, missing):
    y = np.array(["a", "b", missing, "a"], dtype=object)
    for given in (y, y.tolist()):
        with pytest.raises(ValueError, match=r"Input y contains \w+: y\[2\] has no label"):
            small(kind).fit(np.arange(4.0)[:, None], given)


@pytest.mark.parametrize("y", [["a", "b", None, "a"] * 5, ["a", 1, 2, "b"] * 5])
def test_bad_labels_are_refused_before_some_are_set_aside(y):
    model = small(gt.GraphBoostingClassifier, early_stopping=True, validation_fraction=0.4)
    with pytest.raises((ValueError, TypeError), match=r"y\[2\] has no label|must be of one kind"):
        model.fit(np.arange(20.0)[:, None], np.array(y, dtype=object))


def test_a_missing_label_of_an_eval_set_is_refused_by_place():
    X, y = np.arange(4.0)[:, None], np.array(["a", "b", "b", "a"], dtype=object)
    missing = np.array(["a", np.nan, "b", "a"], dtype=object)
    with pytest.raises(ValueError, match=r"y\[1\] has no label"):
        small(gt.GraphBoostingClassifier).fit(X, y, eval_set=(X, missing))


@classifiers
def test_labels_of_two_kinds_are_refused_in_words(kind):
    y = np.array(["a", 1, "b", 2], dtype=object)
    with pytest.raises(TypeError, match="the labels in y must be of one kind; got int and str"):
        small(kind).fit(np.arange(4.0)[:, None], y)


# ---- errors that say where ----------------------------------------------------------------------


def test_text_among_numbers_is_named_by_its_column():
    model = small(gt.GraphTreeRegressor).fit(np.eye(6), np.arange(6.0))
    X = np.eye(6).astype(object)
    X[2, 4] = "N/A"
    with pytest.raises(ValueError, match="X: column 4 of row 2 holds 'N/A': could not convert"):
        model.predict(X)


def test_a_table_without_columns_is_refused():
    with pytest.raises(ValueError, match="X is a table without columns"):
        small(gt.GraphTreeRegressor).fit(pd.DataFrame(index=range(4)), np.arange(4.0))


@pytest.mark.parametrize("kind", [int, float, bool])
def test_numbers_as_objects_get_advice_that_helps(kind):
    y = np.array([kind(0), kind(1)] * 5, dtype=object)
    with pytest.raises(ValueError, match=f"give y.astype\\({kind.__name__}\\)"):
        small(gt.GraphTreeClassifier).fit(np.eye(10), y)
    small(gt.GraphTreeClassifier).fit(np.eye(10), y.astype(kind))


def test_a_decimal_that_signals_is_missing():
    values = pd.DataFrame({"x": [Decimal("sNaN"), Decimal(2), Decimal(3)]}, dtype=object)
    assert np.isnan(gt.Graph(values, PAIRS).features[0, 0])


def test_a_folder_that_is_not_there_is_named_by_the_path_given(tmp_path):
    model = small(gt.GraphTreeRegressor).fit(np.eye(6), np.arange(6.0))
    with pytest.raises(FileNotFoundError) as error:
        model.save(tmp_path / "nowhere" / "model.json")
    assert error.value.filename == str(tmp_path / "nowhere" / "model.json")
