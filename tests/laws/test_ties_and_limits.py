"""Ties and exact limits, written out by hand: which of two equally good answers is the one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

import graphtrees as gt

PLAIN = {"aggregators": ("sum",), "max_walk_length": 0, "add_constant": False, "n_jobs": 1}


def marked(mark: float, first: float, second: float) -> gt.Graph:
    """Two vertices without an edge; the first is marked, both carry a number."""
    return gt.Graph([[mark, first], [0.0, second]], [])


@pytest.mark.parametrize(
    ("one", "other", "sign", "threshold"),
    [
        ((4.0, -3.0), (0.0, 1.0), "-", -1.0),  # S+ is cut at 2, S− at −1
        ((-3.0, 4.0), (1.0, 0.0), "+", -1.0),  # the other way round
        ((-5.0, 6.0), (-1.0, 2.0), "+", -3.0),
        ((6.0, -5.0), (2.0, -1.0), "-", -3.0),
    ],
)
@pytest.mark.parametrize("max_bins", [255, None])
def test_of_two_subsets_with_equal_gain_the_smaller_threshold_wins(
    one, other, sign, threshold, max_bins
):
    """Both vertices of a graph add up to 1, so that only a subset tells the graphs apart."""
    X = [marked(1.0, *one), marked(1.0, *other), marked(0.5, *one), marked(0.5, *other)]
    y = [0.0, 1.0, 50.0, 50.0]
    model = gt.GraphTreeRegressor(**PLAIN, walk_types=("target",), max_bins=max_bins).fit(X, y)
    split = model.trees_to_dataframe().query("left >= 0 and depth == 1").iloc[0]
    assert (split["feature"], split["sign"], split["threshold"]) == ("x1", sign, threshold)


@pytest.mark.parametrize(
    ("weight", "side"),
    [
        ([1.0, 1.0, 1.0, 1.0], "left"),
        ([1.0, 1.0, 1.0, 1.5], "right"),
        ([1.5, 1.0, 1.0, 1.0], "left"),
        ([3.0, 1.0, 2.0, 2.0], "left"),
        ([3.0, 1.0, 2.0, 3.0], "right"),
    ],
)
@pytest.mark.parametrize("max_bins", [255, None])
def test_without_missing_values_they_go_to_the_heavier_half_and_left_of_equals(
    weight, side, max_bins
):
    model = gt.GraphTreeRegressor(max_depth=1, max_bins=max_bins)
    model.fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 1.0, 1.0], sample_weight=weight)
    assert model.trees_to_dataframe()["missing_goes"][0] == side
    assert model.predict([[np.nan]])[0] == pytest.approx(float(side == "right"))


@pytest.mark.parametrize(("alpha", "n_leaves"), [(0.0, 2), (np.nextafter(1, 0), 2), (1.0, 1)])
def test_a_link_that_earns_exactly_ccp_alpha_is_cut(alpha, n_leaves):
    """Four times 0 and four times 2: parting them gains 8, which is 1 for each example."""
    X, y = np.arange(8.0)[:, None], np.repeat([0.0, 2.0], 4)
    model = gt.GraphTreeRegressor(ccp_alpha=alpha).fit(X, y)
    peer = DecisionTreeRegressor(ccp_alpha=alpha).fit(X, y)
    assert (model.trees_to_dataframe()["left"] < 0).sum() == n_leaves == peer.get_n_leaves()


@pytest.mark.parametrize("patience", [1, 3, 7])
def test_constant_validation_scores_stop_after_as_many_rounds_as_are_waited(patience):
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    model = gt.GraphBoostingClassifier(
        50, early_stopping=True, n_iter_no_change=patience, tol=0.0, min_samples_leaf=1,
        scoring=lambda model, X, y: 0.5,
    ).fit(X, y, eval_set=(X, y))  # fmt: skip
    (scores,) = model.evals_result_["validation"].values()
    assert scores == [0.5] * (1 + patience)
    assert (model.n_iter_, model.best_iteration_) == (1, 0)


@pytest.mark.parametrize("about", ["rows", "graphs", "vertices"])
@pytest.mark.parametrize("kind", [gt.GraphForestRegressor, gt.GraphForestClassifier])
def test_a_draw_that_finds_no_split_is_followed_by_the_other_questions(kind, about):
    """Of 30 columns one tells something; a tree that draws another must still find it."""
    X: Any = np.ones((12, 30))
    X[:, 17] = np.arange(12)
    if about == "graphs":
        X = gt.Graphs(gt.Graph(row[None, :], []) for row in X)
    elif about == "vertices":
        X = gt.Graph(X, []).vertices
    y = np.repeat([0, 1], 6)
    model = kind(40, max_features=1, max_leaf_nodes=2, bootstrap=False, random_state=0).fit(X, y)
    splits = model.trees_to_dataframe().query("left >= 0")
    assert len(splits) == 40
    assert set(splits["feature_index"]) == {17}


@pytest.mark.parametrize(
    ("values", "counts", "max_bins", "cuts"),
    [
        (range(10), [1] * 10, 2, [4.5]),
        (range(10), [1] * 10, 3, [3.5, 6.5]),
        (range(10), [1] * 10, 4, [2.5, 4.5, 7.5]),
        (range(10), [1] * 10, 9, [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5]),
        (range(10), [1] * 10, 10, [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5]),
        # Of 24 examples 10 hold 0: with 3 bins it takes the first and part of the second third.
        ((0, 1, 2, 10, 11, 50), (10, 1, 1, 4, 4, 4), 3, [0.5, 10.5]),
        ((0, 1, 2, 10, 11, 50), (10, 1, 1, 4, 4, 4), 4, [0.5, 6.0, 30.5]),
    ],
)
def test_more_values_than_bins_are_cut_at_their_quantiles(values, counts, max_bins, cuts):
    """Value v goes to bin (examples below v) · max_bins // (all examples)."""
    x = np.repeat(np.array(values, float), counts)
    model = gt.GraphTreeRegressor(max_bins=max_bins).fit(
        x[:, None], np.unique(x, return_inverse=True)[1]
    )
    assert sorted(model.trees_to_dataframe()["threshold"].dropna()) == cuts


@pytest.mark.parametrize("place", [3, 10, 23, 29, 36])
def test_a_cut_among_more_values_than_bins_is_refined_to_the_exact_one(place):
    """Forty squares over a subset in four bins; the whole graph adds up to the same everywhere."""
    X = [marked(mark, float(k * k), float(-k * k)) for mark in (1.0, 0.5) for k in range(40)]
    y = np.r_[np.arange(40) >= place, np.full(40, 50.0)]
    frames = [
        gt.GraphTreeRegressor(**PLAIN, max_depth=2, max_bins=bins).fit(X, y).trees_to_dataframe()
        for bins in (4, None)
    ]
    coarse, exact = (frame.query("depth == 1 and left >= 0") for frame in frames)
    assert exact["sign"].tolist() == ["-"]
    assert exact["threshold"].tolist() == [-(place**2 + (place - 1) ** 2) / 2]
    columns = ["feature", "sign", "walk_type", "threshold", "gain", "n_samples"]
    assert coarse[columns].to_numpy().tolist() == exact[columns].to_numpy().tolist()


@pytest.mark.parametrize("of_graphs", [True, False])
def test_a_value_that_nearly_all_share_is_parted_from_the_others(of_graphs):
    """Also where the quantiles leave no cut: more distinct values than bins, one of them heavy."""
    values = [-3.0, -2.0, -1.0] + [0.0] * 9
    X = [gt.Graph([[value]], []) for value in values] if of_graphs else [[v] for v in values]
    y = [1, 1, 1] + [0] * 9
    tree = gt.GraphTreeClassifier(max_bins=2, min_samples_leaf=1).fit(X, y)
    assert tree.score(X, y) == 1


def test_a_vertex_of_a_graph_that_equals_the_threshold_is_in_the_lower_subset():
    """The mean is cut at 1; only the vertex with 2, alone in S+, tells two kinds apart."""
    low = [gt.Graph([[0.0, w], [1.0, -w]], []) for w in (-1.0, 1.0)]
    high = [gt.Graph([[1.0, -w], [2.0, w]], []) for w in (-1.0, 1.0)]
    X, y = [*low, *high] * 3, [10.0, 10.0, 0.0, 1.0] * 3
    settings = PLAIN | {"aggregators": ("mean",)}
    model = gt.GraphTreeRegressor(**settings, walk_types=("target",)).fit(X, y)
    assert model.trees_to_dataframe()["threshold"][0] == 1.0
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.explain(X[3]).path(0).steps[0].minus.tolist() == [0]


def test_a_vertex_without_a_label_that_equals_the_threshold_is_in_the_lower_subset():
    """Of the labelled vertices some have 0 and some 2; the neighbours of these have 1 or 3."""
    values = [0.0, 0.0, 2.0, 1.0, 2.0, 3.0] * 3
    edges = [(k, k + 1) for k in range(0, 18, 2)]
    labelled = [k for k in range(18) if k % 6 in (0, 2, 4)]
    X, y = gt.Graph(np.array(values)[:, None], edges).vertices[labelled], [10.0, 0.0, 1.0] * 3
    model = gt.GraphTreeRegressor(max_walk_length={0: 0}, max_depth=2).fit(X, y)
    assert model.trees_to_dataframe()["threshold"][0] == 1.0
    np.testing.assert_array_equal(model.predict(X), y)


@pytest.mark.parametrize("about", ["rows", "graphs", "vertices"])
def test_of_two_leaves_with_equal_gain_the_left_one_is_split(about):
    X: Any = np.arange(4.0)[:, None]
    if about == "graphs":
        X = gt.Graphs(gt.Graph([[value]], []) for value in range(4))
    elif about == "vertices":
        X = gt.Graph(X, []).vertices
    model = gt.GraphTreeRegressor(max_leaf_nodes=3).fit(X, [0.0, 1.0, 10.0, 11.0])
    assert model.predict(X).tolist() == [0.0, 1.0, 10.5, 10.5]
