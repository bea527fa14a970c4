"""Without walks and subsets, boosting on vertices is scikit-learn's histogram boosting.

Theirs keeps gradients in float32, ours in fixed point: equal to about six digits.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import (
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)

import graphtrees as gt

N = 160
PLAIN = {
    "max_walk_length": 0,
    "max_ancestor_distance": 0,
    "add_constant": False,
    "n_jobs": 1,
}
seeds = pytest.mark.parametrize("seed", [0, 1, 2])


def a_table(seed: int) -> np.ndarray:
    """Few distinct values, so that bins lose nothing; multiples of 1/8 are exact in float32."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 60, (N, 4)) / 8.0


def numbers(X: np.ndarray, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.sin(X[:, 0]) * 3 + X[:, 1] + rng.normal(size=len(X))


def as_vertices(X: np.ndarray) -> gt.Vertices:
    return gt.Graph(X, []).vertices


def settings(**changed) -> tuple[dict, dict]:
    """The same settings in our words and in theirs."""
    ours = {"n_estimators": 5, "learning_rate": 0.3, "max_leaf_nodes": 6, "min_samples_leaf": 8}
    ours |= {"l2_regularization": 0.5} | changed
    theirs = {("max_iter" if k == "n_estimators" else k): v for k, v in ours.items()}
    return PLAIN | ours, theirs | {"early_stopping": False, "random_state": 0}


def assert_same_trees(ours, theirs, rtol: float = 1e-4) -> None:
    """Counts and gains node by node, and values of leaves; theirs are already shrunk."""
    frame = ours.trees_to_dataframe().set_index(["tree", "node"])
    predictors = [one for round_ in theirs._predictors for one in round_]
    for number, predictor in enumerate(predictors):
        walk_together(frame.loc[number], predictor.nodes, ours.learning_rate, rtol)
    assert frame.index.get_level_values("tree").max() == len(predictors) - 1


def walk_together(ours, theirs, rate: float, rtol: float, node: int = 0, other: int = 0) -> None:
    row, record = ours.loc[node], theirs[other]
    assert row["n_samples"] == record["count"]
    assert (row["left"] < 0) == bool(record["is_leaf"])
    if record["is_leaf"]:
        assert row["value"] * rate == pytest.approx(record["value"], rel=rtol, abs=1e-6)
        return
    assert row["feature_index"] == record["feature_idx"]
    if node:  # their root counts its gain from 0, not from the value it would have as a leaf
        assert row["gain"] == pytest.approx(record["gain"], rel=rtol)
    walk_together(ours, theirs, rate, rtol, row["left"], record["left"])
    walk_together(ours, theirs, rate, rtol, row["right"], record["right"])


@seeds
@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"l2_regularization": 0.0},
        {"max_leaf_nodes": 12, "learning_rate": 1.0},
        {"max_depth": 2},
    ],
    ids=str,
)
def test_squared_error_equals_histogram_boosting(seed, changed):
    X = a_table(seed)
    y = numbers(X, seed)
    ours, theirs = settings(**changed)
    model = gt.GraphBoostingRegressor(**ours).fit(as_vertices(X), y)
    peer = HistGradientBoostingRegressor(**theirs).fit(X, y)
    assert_same_trees(model, peer)
    np.testing.assert_allclose(model.predict(as_vertices(X)), peer.predict(X), rtol=1e-5)


@seeds
def test_weighted_squared_error_equals_histogram_boosting(seed):
    X = a_table(seed)
    y = numbers(X, seed)
    weight = np.random.default_rng(seed).uniform(0.5, 3.0, N)
    ours, theirs = settings()
    model = gt.GraphBoostingRegressor(**ours).fit(as_vertices(X), y, sample_weight=weight)
    peer = HistGradientBoostingRegressor(**theirs).fit(X, y, sample_weight=weight)
    assert_same_trees(model, peer)


@seeds
def test_log_loss_equals_histogram_boosting(seed):
    X = a_table(seed)
    y = (numbers(X, seed) > 4).astype(int)
    ours, theirs = settings()
    model = gt.GraphBoostingClassifier(**ours).fit(as_vertices(X), y)
    peer = HistGradientBoostingClassifier(**theirs).fit(X, y)
    assert_same_trees(model, peer)
    np.testing.assert_allclose(
        model.predict_proba(as_vertices(X)), peer.predict_proba(X), rtol=1e-4
    )
    np.testing.assert_allclose(
        model.decision_function(as_vertices(X)), peer.decision_function(X), rtol=1e-3, atol=1e-5
    )
    np.testing.assert_array_equal(model.predict(as_vertices(X)), peer.predict(X))


@seeds
@pytest.mark.parametrize("n_classes", [3, 4])
def test_softmax_equals_histogram_boosting(seed, n_classes):
    X = a_table(seed)
    y = np.digitize(numbers(X, seed), [2, 4, 6][: n_classes - 1])
    ours, theirs = settings()
    model = gt.GraphBoostingClassifier(multi_strategy="softmax", **ours).fit(as_vertices(X), y)
    peer = HistGradientBoostingClassifier(**theirs).fit(X, y)
    assert_same_trees(model, peer)
    np.testing.assert_allclose(
        model.predict_proba(as_vertices(X)), peer.predict_proba(X), rtol=1e-4, atol=1e-6
    )


@seeds
def test_one_against_the_rest_is_boosting_of_two_classes_each(seed):
    X = a_table(seed)
    y = np.digitize(numbers(X, seed), [2, 4])
    ours, theirs = settings()
    model = gt.GraphBoostingClassifier(multi_strategy="one_vs_rest", **ours).fit(as_vertices(X), y)
    raw = model.decision_function(as_vertices(X))
    for one in range(3):
        peer = HistGradientBoostingClassifier(**theirs).fit(X, y == one)
        np.testing.assert_allclose(raw[:, one], peer.decision_function(X), rtol=1e-3, atol=1e-5)


@seeds
def test_poisson_equals_histogram_boosting(seed):
    X = a_table(seed)
    y = np.random.default_rng(seed).poisson(np.exp(numbers(X, seed) / 6))
    ours, theirs = settings(loss="poisson")
    model = gt.GraphBoostingRegressor(**ours).fit(as_vertices(X), y)
    peer = HistGradientBoostingRegressor(**theirs).fit(X, y)
    assert_same_trees(model, peer)
    np.testing.assert_allclose(model.predict(as_vertices(X)), peer.predict(X), rtol=1e-5)


@seeds
def test_absolute_error_equals_histogram_boosting(seed):
    """An even number of examples: no example starts at its own value."""
    X = a_table(seed)
    y = numbers(X, seed)
    ours, theirs = settings(loss="absolute_error", l2_regularization=0.0)
    model = gt.GraphBoostingRegressor(**ours).fit(as_vertices(X), y)
    peer = HistGradientBoostingRegressor(**theirs).fit(X, y)
    assert_same_trees(model, peer)
    np.testing.assert_allclose(model.predict(as_vertices(X)), peer.predict(X), rtol=1e-6)


def meet_the_level(level: float, X: np.ndarray, y: np.ndarray, seed: int) -> np.ndarray:
    """Weights whose quantile is an example of next to no weight, and hide it behind another.

    That example starts at its own value, where the two libraries choose different derivatives.
    """
    rank = np.argsort(np.argsort(y))
    middle = int(level * len(y))
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, len(y))
    below, above = rank < middle, rank > middle
    weight[below] *= level / weight[below].sum()
    weight[above] *= (1 - level) / weight[above].sum()
    weight[rank == middle] = 1e-9
    X[rank == middle] = X[rank == middle - 1]
    return weight * len(y)


@seeds
@pytest.mark.parametrize("level", [0.25, 0.5, 0.7])
def test_quantiles_equal_histogram_boosting(seed, level):
    X = a_table(seed)
    y = numbers(X, seed)
    weight = meet_the_level(level, X, y, seed)
    ours, theirs = settings(loss="quantile", l2_regularization=0.0)
    model = gt.GraphBoostingRegressor(alpha=level, **ours)
    model.fit(as_vertices(X), y, sample_weight=weight)
    peer = HistGradientBoostingRegressor(quantile=level, **theirs).fit(X, y, sample_weight=weight)
    assert model.init_[0] == pytest.approx(peer._baseline_prediction.ravel()[0], rel=1e-12)
    assert_same_trees(model, peer)
    np.testing.assert_allclose(model.predict(as_vertices(X)), peer.predict(X), rtol=1e-6)


@seeds
def test_huber_equals_gradient_boosting(seed):
    """Their histogram boosting has no Huber loss; their older, exact boosting does.

    Weights are such that no median lies between two examples: theirs is then the lower one.
    """
    X = a_table(seed)
    y = numbers(X, seed)
    y[:5] += 40.0
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, N)
    given = {"n_estimators": 4, "learning_rate": 0.3, "max_leaf_nodes": 5, "min_samples_leaf": 8}
    model = gt.GraphBoostingRegressor(
        loss="huber", alpha=0.87, l2_regularization=0.0, **given, **PLAIN
    )
    model.fit(as_vertices(X), y, sample_weight=weight)
    peer = GradientBoostingRegressor(
        loss="huber", alpha=0.87, max_depth=None, random_state=0, **given
    ).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.predict(as_vertices(X)), peer.predict(X), rtol=1e-6)


@seeds
def test_missing_values_equal_histogram_boosting(seed):
    X = a_table(seed)
    y = numbers(X, seed)
    X[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan
    ours, theirs = settings(max_leaf_nodes=4)
    model = gt.GraphBoostingRegressor(**ours).fit(as_vertices(X), y)
    peer = HistGradientBoostingRegressor(**theirs).fit(X, y)
    np.testing.assert_allclose(model.predict(as_vertices(X)), peer.predict(X), rtol=1e-5)


@seeds
def test_rows_of_a_table_equal_histogram_boosting(seed):
    X = a_table(seed)
    y = numbers(X, seed)
    ours, theirs = settings()
    model = gt.GraphBoostingRegressor(**ours).fit(X, y)
    peer = HistGradientBoostingRegressor(**theirs).fit(X, y)
    np.testing.assert_allclose(model.predict(X), peer.predict(X), rtol=1e-5)
    of_vertices = gt.GraphBoostingRegressor(**ours).fit(as_vertices(X), y)
    np.testing.assert_array_equal(model.predict(X), of_vertices.predict(as_vertices(X)))
