"""Without walks and subsets, boosting on vertices grows the trees that LightGBM grows.

LightGBM guesses how many examples a leaf has from their hessians where those differ, so a least
number of examples can only be compared where they do not.
"""

from __future__ import annotations

import numpy as np
import pytest

import graphtrees as gt

lightgbm = pytest.importorskip("lightgbm")

N, N_FEATURES = 160, 4
PLAIN = {"max_walk_length": 0, "max_ancestor_distance": 0, "add_constant": False, "n_jobs": 1}
SETTINGS = {"learning_rate": 0.3, "max_leaf_nodes": 6}
THEIRS = {
    "learning_rate": 0.3,
    "num_leaves": 6,
    "max_bin": 255,
    "min_data_in_bin": 1,
    "feature_pre_filter": False,
    "deterministic": True,
    "force_col_wise": True,
    "num_threads": 1,
    "verbose": -1,
    "seed": 0,
}
ROUNDS = 5
seeds = pytest.mark.parametrize("seed", [0, 1, 2])


def a_table(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(1, 60, (N, N_FEATURES)) / 8.0


def numbers(X: np.ndarray, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.sin(X[:, 0]) * 3 + X[:, 1] + rng.normal(size=len(X))


def train_theirs(X, y, weight=None, **given):
    data = lightgbm.Dataset(X, y, weight=weight, params=THEIRS)
    return lightgbm.train(THEIRS | given, data, num_boost_round=ROUNDS)


def as_vertices(X):
    return gt.Graph(X, []).vertices


def assert_same_trees(model, peer) -> None:
    """Each tree has the same counts and the same gains; LightGBM numbers nodes in another way."""
    frame, theirs = model.trees_to_dataframe(), peer.trees_to_dataframe()
    assert frame["tree"].nunique() == theirs["tree_index"].nunique() == ROUNDS
    for number in range(ROUNDS):
        ours = frame[frame["tree"] == number]
        other = theirs[theirs["tree_index"] == number]
        splits, branches = ours[ours["left"] >= 0], other[other["split_gain"].notna()]
        assert sorted(ours["n_samples"]) == sorted(other["count"])
        np.testing.assert_allclose(
            np.sort(splits["gain"]), np.sort(branches["split_gain"]), rtol=1e-4
        )
        asked = sorted(f"Column_{k}" for k in splits["feature_index"])
        assert asked == sorted(branches["split_feature"])


@seeds
@pytest.mark.parametrize("l2", [0.0, 2.0])
@pytest.mark.parametrize("least", [1, 8, 20])
def test_squared_error_equals_lightgbm(seed, l2, least):
    X = a_table(seed)
    y = numbers(X, seed)
    given = {"min_samples_leaf": least, "l2_regularization": l2}
    model = gt.GraphBoostingRegressor(ROUNDS, **given, **SETTINGS, **PLAIN).fit(as_vertices(X), y)
    peer = train_theirs(X, y, objective="regression", lambda_l2=l2, min_data_in_leaf=least)
    assert_same_trees(model, peer)
    np.testing.assert_allclose(model.predict(as_vertices(X)), peer.predict(X), rtol=1e-5)


@seeds
@pytest.mark.parametrize("l2", [0.0, 2.0])
def test_weighted_squared_error_equals_lightgbm(seed, l2):
    X = a_table(seed)
    y = numbers(X, seed)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, N)
    given = {"min_samples_leaf": 1, "l2_regularization": l2}
    model = gt.GraphBoostingRegressor(ROUNDS, **given, **SETTINGS, **PLAIN)
    model.fit(as_vertices(X), y, sample_weight=weight)
    peer = train_theirs(X, y, weight, objective="regression", lambda_l2=l2, min_data_in_leaf=1)
    assert_same_trees(model, peer)
    np.testing.assert_allclose(model.predict(as_vertices(X)), peer.predict(X), rtol=1e-5)


@seeds
def test_log_loss_equals_lightgbm(seed):
    """With weights, because counts of two classes alone give splits of equal gain."""
    X = a_table(seed)
    y = (numbers(X, seed) > 4).astype(int)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, N)
    given = {"min_samples_leaf": 1, "l2_regularization": 0.0}
    model = gt.GraphBoostingClassifier(ROUNDS, **given, **SETTINGS, **PLAIN)
    model.fit(as_vertices(X), y, sample_weight=weight)
    peer = train_theirs(X, y, weight, objective="binary", min_data_in_leaf=1)
    assert_same_trees(model, peer)
    chances = model.predict_proba(as_vertices(X))[:, 1]
    np.testing.assert_allclose(chances, peer.predict(X), rtol=1e-4)


@seeds
def test_poisson_equals_lightgbm(seed):
    X = a_table(seed)
    y = np.random.default_rng(seed).poisson(np.exp(numbers(X, seed) / 6)).astype(float)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, N)
    given = {"min_samples_leaf": 1, "l2_regularization": 0.0, "loss": "poisson"}
    model = gt.GraphBoostingRegressor(ROUNDS, **given, **SETTINGS, **PLAIN)
    model.fit(as_vertices(X), y, sample_weight=weight)
    peer = train_theirs(
        X, y, weight, objective="poisson", poisson_max_delta_step=1e-12, min_data_in_leaf=1
    )
    assert_same_trees(model, peer)
    np.testing.assert_allclose(model.predict(as_vertices(X)), peer.predict(X), rtol=1e-4)


@seeds
def test_a_table_equals_lightgbm(seed):
    X = a_table(seed)
    y = numbers(X, seed)
    given = {"min_samples_leaf": 8, "l2_regularization": 0.0, "n_jobs": 1}
    model = gt.GraphBoostingRegressor(ROUNDS, **given, **SETTINGS).fit(X, y)
    peer = train_theirs(X, y, objective="regression", min_data_in_leaf=8)
    np.testing.assert_allclose(model.predict(X), peer.predict(X), rtol=1e-5)


@seeds
def test_an_objective_function_gives_the_model_of_lightgbm(seed):
    """The same function in both; LightGBM hands weights over and never multiplies them in."""

    def pseudo_huber(y, raw, weight):
        scale = 1 + ((raw - y) / 2) ** 2
        return weight * (raw - y) / np.sqrt(scale), weight / scale**1.5

    X = a_table(seed)
    y = numbers(X, seed)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, N)
    given = {"min_samples_leaf": 1, "l2_regularization": 0.0, "loss": pseudo_huber}
    model = gt.GraphBoostingRegressor(ROUNDS, **given, **SETTINGS, **PLAIN)
    model.fit(as_vertices(X), y, sample_weight=weight)
    theirs = {k: v for k, v in THEIRS.items() if k not in ("feature_pre_filter", "seed")}
    peer = lightgbm.LGBMRegressor(
        n_estimators=ROUNDS, objective=pseudo_huber, min_child_samples=0, random_state=0, **theirs
    ).fit(X, y, sample_weight=weight)
    assert_same_trees(model, peer.booster_)
    np.testing.assert_allclose(model.predict(as_vertices(X)), peer.predict(X), rtol=1e-4)
