"""Losses: slopes that are slopes, starts and leaves that minimise, columns on their own."""

from __future__ import annotations

import numpy as np
import pytest
from boosting_tasks import both, examples, numbers, regressor
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.metrics import mean_pinball_loss

import graphtrees as gt
from graphtrees.ensembles import losses

N = 40
REGRESSION = {
    "squared_error": losses.SquaredError(),
    "absolute_error": losses.AbsoluteError(),
    "huber": losses.Huber(0.7),
    "quantile": losses.Quantile(0.3),
    "poisson": losses.Poisson(),
}
CLASSES = {
    "binary": (losses.BinaryLogLoss(), 2, 1),
    "one_vs_rest": (losses.OneVsRest(4), 4, 4),
    "softmax": (losses.Softmax(4), 4, 4),
}
every_regression = pytest.mark.parametrize("name", REGRESSION)


def a_place(name: str, n_outputs: int = 2):
    """y, raw and weights; Huber knows its delta."""
    rng = np.random.default_rng(0)
    y = rng.gamma(2.0, size=(N, n_outputs))
    raw, weight = rng.normal(size=(N, n_outputs)), rng.uniform(0.5, 2.0, N)
    REGRESSION[name].prepare(y, raw, weight)
    return REGRESSION[name], y, raw, weight


def slope(function, raw: np.ndarray, output: int, step: float = 1e-5) -> np.ndarray:
    """The derivative of a function of raw by one of its columns, example by example."""
    move = np.zeros(raw.shape[1])
    move[output] = step
    return (function(raw + move) - function(raw - move)) / (2 * step)


@every_regression
def test_the_gradient_of_a_number_is_the_slope_of_its_loss(name):
    loss, y, raw, _ = a_place(name)
    # squared error is counted whole and its gradient by half, as everywhere
    factor = 2.0 if name == "squared_error" else 1.0
    for output in range(2):
        told = slope(lambda at: loss.loss(y, at), raw, output)
        np.testing.assert_allclose(loss.gradient(y, raw)[:, output] * factor, told, atol=1e-5)


@pytest.mark.parametrize("name", CLASSES)
def test_the_gradient_of_a_class_is_the_slope_of_its_loss(name):
    loss, n_classes, n_outputs = CLASSES[name]
    rng = np.random.default_rng(0)
    y, raw = rng.integers(0, n_classes, N), rng.normal(size=(N, n_outputs))
    for output in range(n_outputs):
        told = slope(lambda at: loss.loss(y, at), raw, output)
        np.testing.assert_allclose(loss.gradient(y, raw)[:, output], told, atol=1e-8)


@pytest.mark.parametrize("name", ["poisson", *CLASSES])
def test_the_hessian_is_the_slope_of_the_gradient(name):
    rng = np.random.default_rng(0)
    if name == "poisson":
        loss, y, raw, _ = a_place(name)
    else:
        loss, n_classes, n_outputs = CLASSES[name]
        y, raw = rng.integers(0, n_classes, N), rng.normal(size=(N, n_outputs))
    for output in range(raw.shape[1]):
        told = slope(lambda at, o=output: loss.gradient(y, at)[:, o], raw, output)
        np.testing.assert_allclose(loss.hessian(y, raw)[:, output], told, atol=1e-8)


# Huber starts from the median, as scikit-learn does.
@pytest.mark.parametrize("name", [name for name in REGRESSION if name != "huber"])
def test_training_starts_where_no_other_constant_is_better(name):
    loss, y, _, weight = a_place(name)
    start = loss.init(y, weight)
    best = loss.mean(y, np.tile(start, (N, 1)), weight)
    for step in (-1e-3, 1e-3, -0.1, 0.1):
        for output in range(2):
            other = np.tile(start, (N, 1))
            other[:, output] += step
            assert loss.mean(y, other, weight) >= best - 1e-12


@pytest.mark.parametrize("name", ["one_vs_rest", "softmax", "binary"])
def test_training_on_classes_starts_from_their_shares(name):
    loss, n_classes, _ = CLASSES[name]
    y = np.arange(N) % (n_classes + 1) % n_classes
    start = np.tile(loss.init(y, np.ones(N)), (2, 1))
    shares = np.bincount(y) / N
    np.testing.assert_allclose(loss.link(start)[0], shares, rtol=1e-12)


def residuals_by_leaf(model, X, y, weight):
    """(value of the leaf, what was left to fit there, weights) for every leaf of the first tree."""
    frame = model.trees_to_dataframe().query("tree == 0").set_index("node")
    leaf = model.apply(X)[:, 0]
    for node in np.unique(leaf):
        rows = leaf == node
        yield frame.loc[node, "value"], y[rows] - model.init_[0], weight[rows]


@both
@pytest.mark.parametrize(
    ("given", "loss"),
    [
        ({"loss": "squared_error"}, lambda left, step, w: np.sum(w * (left - step) ** 2)),
        ({"loss": "absolute_error"}, lambda left, step, w: np.sum(w * np.abs(left - step))),
        (
            {"loss": "quantile", "alpha": 0.3},
            lambda left, step, w: mean_pinball_loss(
                left, np.full(len(left), step), alpha=0.3, sample_weight=w
            ),
        ),
    ],
    ids=["squared_error", "absolute_error", "quantile"],
)
def test_no_other_value_of_a_leaf_has_a_smaller_loss(about, given, loss):
    X = examples(about)
    y, weight = numbers(X), np.random.default_rng(1).uniform(0.5, 2.0, len(X))
    model = regressor(1, l2_regularization=0.0, **given).fit(X, y, sample_weight=weight)
    for value, left, w in residuals_by_leaf(model, X, y, weight):
        best = loss(left, value, w)
        for other in (*left, value - 0.01, value + 0.01):
            assert loss(left, other, w) >= best * (1 - 1e-12)


@both
def test_poisson_predicts_the_mean_count_of_a_lone_leaf(about):
    X = examples(about)
    y = np.random.default_rng(0).poisson(3.0, len(X))
    model = regressor(1, loss="poisson", min_samples_leaf=len(X)).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y.mean())


@both
@pytest.mark.parametrize("name", REGRESSION)
def test_columns_of_y_are_fitted_as_if_each_were_alone(about, name):
    X = examples(about)
    y = np.column_stack([np.abs(numbers(X, seed)) for seed in range(3)])
    together = regressor(4, loss=name, alpha=0.7).fit(X, y)
    assert together.predict(X).shape == y.shape
    for column in range(3):
        alone = regressor(4, loss=name, alpha=0.7).fit(X, y[:, column])
        np.testing.assert_array_equal(together.predict(X)[:, column], alone.predict(X))
        assert together.init_[column] == alone.init_[0]
    stages = list(together.staged_predict(X))
    assert len(stages) == 4
    np.testing.assert_array_equal(stages[-1], together.predict(X))


def test_without_walks_trees_are_those_of_exact_boosting():
    """The other losses are compared with histogram boosting, in tests/peers."""
    rng = np.random.default_rng(0)
    table = rng.integers(0, 60, (100, 3)) / 8.0
    y = np.sin(table[:, 0]) * 3 + table[:, 1] + rng.normal(size=100)
    weight = rng.uniform(0.5, 2.0, 100)
    given = {"learning_rate": 0.3, "max_leaf_nodes": 5, "min_samples_leaf": 6}
    plain = {"max_walk_length": 0, "max_ancestor_distance": 0, "add_constant": False}
    ours = gt.GraphBoostingRegressor(4, l2_regularization=0.0, **plain, **given)
    X = gt.Graph(table, []).vertices
    ours.fit(X, y, sample_weight=weight)
    theirs = GradientBoostingRegressor(n_estimators=4, max_depth=None, random_state=0, **given).fit(
        table, y, sample_weight=weight
    )
    np.testing.assert_allclose(ours.predict(X), theirs.predict(table), rtol=1e-6)


def test_counts_below_zero_are_refused():
    X = examples("vertices")
    with pytest.raises(ValueError, match="loss='poisson' wants y >= 0"):
        regressor(loss="poisson").fit(X, numbers(X) - 100)
