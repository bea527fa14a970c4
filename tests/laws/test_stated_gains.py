"""The gain that a split states is the fall in impurity between it and its two children.

On values that lie a few float32 steps apart, where a threshold compared in float32 would put
examples on the wrong side.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphtrees as gt

some = settings(max_examples=15, deadline=None)
seeds = st.integers(0, 2**32 - 1)
both_searches = pytest.mark.parametrize("max_bins", [255, None])
both_tasks = pytest.mark.parametrize("about", ["graphs", "vertices"])


def crowded_task(seed: int, about: str):
    """Graphs whose values differ by a few float32 steps, some of them missing."""
    rng = np.random.default_rng(seed)
    base = float(rng.choice([1.0, -1.0, 1.7e9, 1e-30]))
    step = float(np.spacing(np.float32(abs(base))))
    graphs = []
    for _ in range(int(rng.integers(8, 30))):
        n = int(rng.integers(1, 4))
        values = base + rng.integers(0, 6, (n, 2)) * step
        values[rng.random(values.shape) < 0.05] = np.nan
        graphs.append(gt.Graph(values, rng.integers(0, n, (n, 2))))
    X = gt.Graphs(graphs)
    return (X if about == "graphs" else X.vertices), rng


def members(model, X, tree: int) -> dict[int, np.ndarray]:
    """The training examples of every node of a tree."""
    frame = model.trees_to_dataframe()
    frame = frame[frame["tree"] == tree].set_index("node")
    leaf = model.apply(X)[:, tree]
    rows = {node: np.flatnonzero(leaf == node) for node in frame.index}
    for node in sorted(frame.index, reverse=True):
        if frame.loc[node, "left"] >= 0:
            left, right = int(frame.loc[node, "left"]), int(frame.loc[node, "right"])
            rows[node] = np.sort(np.concatenate([rows[left], rows[right]]))
    return rows


def check(model, X, worth, tree: int = 0) -> None:
    """`worth(rows)` is the impurity, or minus the score, of a node with these examples."""
    rows = members(model, X, tree)
    frame = model.trees_to_dataframe()
    splits: pd.DataFrame = frame[(frame["tree"] == tree) & (frame["left"] >= 0)]
    for split in splits.itertuples():
        assert len(rows[split.node]) == split.n_samples
        fall = worth(rows[split.node]) - worth(rows[split.left]) - worth(rows[split.right])
        assert split.gain == pytest.approx(fall, rel=1e-6, abs=1e-9)


def impurity(criterion: str, y: np.ndarray, weight: np.ndarray):
    def gini(rows):
        sums = np.bincount(y[rows], weight[rows])
        return sums.sum() - (sums**2).sum() / sums.sum()

    def entropy(rows):
        sums = np.bincount(y[rows], weight[rows])
        sums = sums[sums > 0]
        return -(sums * np.log2(sums / sums.sum())).sum()

    def squared_error(rows):
        mean = np.average(y[rows], weights=weight[rows])
        return (weight[rows] * (y[rows] - mean) ** 2).sum()

    return {"gini": gini, "entropy": entropy, "squared_error": squared_error}[criterion]


@both_tasks
@both_searches
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@some
@given(seed=seeds)
def test_the_gain_of_a_tree_is_the_fall_in_impurity(criterion, max_bins, about, seed):
    X, rng = crowded_task(seed, about)
    weight = rng.integers(1, 4, len(X)).astype(float)
    kind = gt.GraphTreeClassifier
    y = rng.integers(0, 3, len(X))
    if criterion == "squared_error":
        kind, y = gt.GraphTreeRegressor, rng.normal(size=len(X))
    else:
        y = np.unique(y, return_inverse=True)[1]
    model = kind(criterion=criterion, max_bins=max_bins, min_samples_leaf=1)
    model.fit(X, y, sample_weight=weight)
    check(model, X, impurity(criterion, y, weight))


# (gradient, hessian) of each loss at raw predictions.
LOSSES = {
    "squared_error": lambda y, raw: (raw - y, np.ones_like(raw)),
    "absolute_error": lambda y, raw: (np.sign(raw - y), np.ones_like(raw)),
    "quantile": lambda y, raw: (0.1 * (y < raw) - 0.9 * (y > raw), np.ones_like(raw)),
    "poisson": lambda y, raw: (np.exp(raw) - y, np.exp(raw)),
    "log_loss": lambda y, raw: (
        1 / (1 + np.exp(-raw)) - y,
        1 / (1 + np.exp(-raw)) * (1 - 1 / (1 + np.exp(-raw))),
    ),
}


@both_tasks
@both_searches
@pytest.mark.parametrize("loss", LOSSES)
@some
@given(seed=seeds)
def test_the_gain_of_boosting_is_the_rise_in_score(loss, max_bins, about, seed):
    X, rng = crowded_task(seed, about)
    settings = {"n_estimators": 1, "max_bins": max_bins, "min_samples_leaf": 1}
    settings |= {"l2_regularization": 0.5}
    y = rng.poisson(2.0, len(X)).astype(float)
    y[0] = 3.5
    model = gt.GraphBoostingRegressor(loss=loss, **settings)
    if loss == "log_loss":
        y = (y > 1).astype(int)
        y[:2] = 0, 1
        model = gt.GraphBoostingClassifier(**settings)
    model.fit(X, y)
    gradient, hessian = LOSSES[loss](y.astype(float), np.full(len(X), model.init_[0]))

    def worth(rows):
        return -(gradient[rows].sum() ** 2) / (hessian[rows].sum() + 0.5)

    check(model, X, worth)


def large_task(seed: int, directed: bool):
    """One graph whose vertices are told apart by what neighbours bring, in trees of many leaves."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(300, 3)).round(2)
    values[rng.random(values.shape) < 0.3] = 0.0
    return gt.Graph(values, rng.integers(0, 300, (700, 2)), directed=directed).vertices, rng


@pytest.mark.parametrize("probability", [1.0, 0.4])
@pytest.mark.parametrize("distance", [1, 2, 3, 4])
@settings(max_examples=4, deadline=None)
@given(seed=seeds, directed=st.booleans())
def test_answers_about_far_ancestors_are_those_of_the_same_vertices(
    distance, probability, seed, directed
):
    X, rng = large_task(seed, directed)
    y = rng.normal(size=len(X))
    model = gt.GraphTreeRegressor(
        max_ancestor_distance=distance, walk_type_probability=probability, max_leaf_nodes=50,
        min_samples_leaf=2, random_state=0,
    ).fit(X, y)  # fmt: skip
    asked = model.trees_to_dataframe().query("left >= 0")
    assert len(asked) > 10
    check(model, X, impurity("squared_error", y, np.ones(len(X))))


def test_values_one_float32_step_apart_are_told_apart():
    r = np.random.default_rng(2)
    X = [gt.Graph(1 + r.integers(0, 3, (2, 1)) * 1e-7, []) for _ in range(8)]
    y = np.arange(8.0)
    tree = gt.GraphTreeRegressor().fit(X, y)
    frame = tree.trees_to_dataframe()
    assert (frame["n_samples"] > 0).all()
    assert len(frame) > 1


@pytest.mark.parametrize(
    "kind", [gt.GraphBoostingRegressor, gt.GraphForestRegressor], ids=lambda kind: kind.__name__
)
@pytest.mark.parametrize("seed", range(5))
def test_times_within_an_hour_can_be_learned_from(kind, seed):
    rng = np.random.default_rng(seed)
    times = [1.7e9 + rng.integers(0, 3600, (5, 1)) for _ in range(60)]
    X = [gt.Graph(t, rng.integers(0, 5, (6, 2))) for t in times]
    model = kind(n_estimators=5, random_state=0).fit(X, [float(t.max()) for t in times])
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("n_outputs", [1, 2])
@pytest.mark.parametrize("weight", [1.0, 0.1])
def test_means_that_are_equal_but_for_rounding_are_no_reason_to_split(n_outputs, weight):
    """Residuals of thirds and sevenths are not exact: their sums are not quite 0."""
    rng = np.random.default_rng(0)
    for size in [3, 6, 7] * 10:
        y = rng.integers(-5, 6, (3, size, n_outputs)).astype(float)
        y[:, 0] += 1 - y.sum(axis=1)  # every group adds up to 1
        X = [gt.Graph([[group]], []) for group in range(3) for _ in range(size)]
        model = gt.GraphTreeRegressor(min_samples_leaf=size, n_jobs=1)
        with pytest.warns(UserWarning, match="no tree has a split"):
            model.fit(X, y.reshape(-1, n_outputs).squeeze(), np.full(3 * size, weight))
        assert len(model.trees_to_dataframe()) == 1
