"""The trees of a fitted model are packed once, and are the model's own."""

from __future__ import annotations

import copy
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import graphtrees as gt


def some_graphs(n: int = 12) -> gt.Graphs:
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 9, n)
    return gt.Graphs(
        [gt.Graph(rng.integers(0, 3, (k, 2)), rng.integers(0, k, (k, 2))) for k in sizes]
    )


@pytest.fixture(scope="module")
def models():
    X, y = some_graphs(), np.arange(12.0) % 5
    return [
        gt.GraphBoostingRegressor(n_estimators=n, min_samples_leaf=1, n_jobs=1).fit(X, y)
        for n in (3, 5, 7)
    ]


def test_many_threads_predict_with_several_models_at_once(models):
    """Far more often than threads switch, and with models that take turns."""
    X = some_graphs()
    wanted = [model.predict(X) for model in models]
    fresh = [copy.deepcopy(model) for model in models for _ in range(3)]

    def predict(k: int) -> bool:
        return np.array_equal(fresh[k % 9].predict(X), wanted[k % 9 // 3])

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(6) as pool:
            assert all(pool.map(predict, range(300)))
    finally:
        sys.setswitchinterval(interval)


def test_trees_are_packed_once(models):
    model = models[0]
    model.predict(some_graphs())
    nodes = model._fitted.packed.nodes
    model.predict(some_graphs())
    model.apply(some_graphs())
    assert model._fitted.packed.nodes is nodes


def test_what_prediction_keeps_is_not_part_of_a_saved_model(models):
    model = copy.deepcopy(models[1])
    before = len(pickle.dumps(model))
    wanted = model.predict(some_graphs())
    assert len(pickle.dumps(model)) == before
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(some_graphs()), wanted)


def test_stages_and_the_whole_model_predict_the_same(models):
    X = some_graphs()
    for model in models:
        *_, last = model.staged_predict(X)
        np.testing.assert_array_equal(last, model.predict(X))
