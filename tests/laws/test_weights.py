"""A weight of two is the example twice; a weight of zero is no example."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models import BOOSTING, CLASSIFIERS, FORESTS, SIX, name_of, small
from pandas.testing import assert_frame_equal
from real_valued import real_graphs

import graphtrees as gt

a_few = settings(max_examples=6, deadline=None)
seeds = st.integers(0, 2**32 - 1)
six_kinds = pytest.mark.parametrize("kind", SIX, ids=name_of)


def a_model(kind: type, **given):
    """Nothing is drawn, every value is tried, and no leaf is too small."""
    drawn = {"bootstrap": False, "max_features": None} if kind in FORESTS else {}
    exact = {"max_bins": None, "min_samples_leaf": 1, "max_leaf_nodes": 5}
    return small(kind, **exact | drawn | given)


def a_task(kind: type, about: str, seed: int):
    graphs = gt.Graphs(real_graphs(seed, n_graphs=10, n_vertices=(1, 6), magnitude=1))
    rng = np.random.default_rng(seed)
    X = graphs if about == "graphs" else graphs.vertices[:: max(1, len(graphs.vertices) // 14)]
    y = rng.integers(0, 2, len(X)) if kind in CLASSIFIERS else rng.normal(size=len(X))
    y[0], y[1] = 0, 1
    return X, y


def assert_same_model(one, other, X, ignore=()) -> None:
    """The same questions; numbers but for the last digits."""
    frames = [m.trees_to_dataframe().drop(columns=["value", *ignore]) for m in (one, other)]
    assert_frame_equal(*frames, rtol=1e-9)
    said = [
        m.predict_proba(X) if hasattr(m, "predict_proba") else m.predict(X) for m in (one, other)
    ]
    np.testing.assert_allclose(*said, rtol=1e-9, atol=1e-12)


@six_kinds
@pytest.mark.parametrize("about", ["graphs", "vertices"])
@a_few
@given(seed=seeds, loss=st.sampled_from(("squared_error", "absolute_error", "huber")))
def test_weight_two_equals_the_example_twice(kind, about, seed, loss):
    given = {"loss": loss} if kind is gt.GraphBoostingRegressor else {}
    X, y = a_task(kind, about, seed)
    times = np.random.default_rng(seed).integers(1, 4, len(X))
    weighted = a_model(kind, **given).fit(X, y, sample_weight=times.astype(float))
    chosen = np.repeat(np.arange(len(X)), times)
    repeated = a_model(kind, **given).fit(X[chosen], y[chosen])
    assert_same_model(weighted, repeated, X, ignore=["n_samples"])


@six_kinds
@pytest.mark.parametrize("about", ["graphs", "vertices"])
@a_few
@given(seed=seeds)
def test_weight_zero_equals_absence(kind, about, seed):
    X, y = a_task(kind, about, seed)
    rng = np.random.default_rng(seed)
    weight = rng.choice([0.0, 1.0, 1.5], len(X))
    weight[:2] = 1.0
    there = np.flatnonzero(weight)
    weighted = a_model(kind).fit(X, y, sample_weight=weight)
    without = a_model(kind).fit(X[there], y[there], sample_weight=weight[there])
    assert_same_model(weighted, without, X)


@six_kinds
@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_weight_one_is_no_weight(kind, about):
    X, y = a_task(kind, about, 0)
    plain = small(kind).fit(X, y)
    weighted = small(kind).fit(X, y, sample_weight=np.ones(len(X)))
    assert_frame_equal(plain.trees_to_dataframe(), weighted.trees_to_dataframe(), check_exact=True)


@pytest.mark.parametrize("kind", BOOSTING, ids=name_of)
def test_weight_two_equals_twice_where_little_is_left_to_fit(kind):
    """After some rounds, leaves are almost sure: what is allowed must not depend on mean weight."""
    x = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])[:, None]
    X = gt.Graph(x, []).vertices
    y = np.array([0, 0, 0, 1, 1, 1])
    given = {"n_estimators": 40, "learning_rate": 1.0, "max_leaf_nodes": 3}
    weighted = a_model(kind, **given).fit(X, y, sample_weight=np.full(6, 2.0))
    twice = np.repeat(np.arange(6), 2)
    repeated = a_model(kind, **given).fit(X[twice], y[twice])
    assert_same_model(weighted, repeated, X, ignore=["n_samples"])


@pytest.mark.parametrize("kind", BOOSTING, ids=name_of)
def test_absent_examples_do_not_lower_what_a_leaf_needs(kind):
    x = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])[:, None]
    y = np.array([0, 0, 0, 1, 1, 1])
    given = {"n_estimators": 40, "learning_rate": 1.0, "max_leaf_nodes": 3}
    without = a_model(kind, **given).fit(gt.Graph(x, []).vertices, y)
    absent = gt.Graph(np.concatenate([x, np.full((60, 1), 9.0)]), []).vertices
    weight = np.r_[np.ones(6), np.zeros(60)]
    weighted = a_model(kind, **given).fit(absent, np.r_[y, np.zeros(60, int)], sample_weight=weight)
    assert_same_model(weighted, without, gt.Graph(x, []).vertices)


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
def test_class_weights_are_sample_weights(kind):
    X, y = a_task(kind, "graphs", 3)
    by_class = a_model(kind, class_weight={0: 3.0, 1: 0.5}).fit(X, y)
    by_sample = a_model(kind).fit(X, y, sample_weight=np.where(y == 0, 3.0, 0.5))
    assert_frame_equal(
        by_class.trees_to_dataframe(), by_sample.trees_to_dataframe(), check_exact=True
    )


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
def test_balanced_weights_give_every_class_the_same_say(kind):
    X, y = a_task(kind, "graphs", 5)
    counts = np.bincount(y)
    balanced = a_model(kind, class_weight="balanced").fit(X, y)
    by_sample = a_model(kind).fit(X, y, sample_weight=len(y) / (2 * counts[y]))
    assert_same_model(balanced, by_sample, X)


@pytest.mark.parametrize("kind", ["BoostingRegressor", "BoostingClassifier", "TreeRegressor"])
def test_an_example_of_next_to_no_weight_hides_nothing_where_it_comes_first(kind):
    X = gt.Graphs(gt.Graph(np.full((2, 1), float(k)), []) for k in range(9))
    weight = np.r_[1e-30, np.ones(8)]
    model = small(getattr(gt, f"Graph{kind}")).fit(X, np.arange(9) // 5, sample_weight=weight)
    assert (model.trees_to_dataframe()["left"] >= 0).any()
