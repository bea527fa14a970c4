"""A constant added to a feature that is only compared changes nothing, however large it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from models import name_of, small
from oracle_tasks import a_few

import graphtrees as gt

FAR = 1e9  # there two numbers of float32 are 64 apart

# Quarters, which both float32 and 1e9 + x in float64 hold exactly.
columns = st.lists(st.integers(-4000, 4000), min_size=16, max_size=24).map(
    lambda quarters: np.array(quarters) / 4
)


def rows(x: np.ndarray):
    return np.column_stack([x, np.arange(len(x)) % 3]), {}


def vertices(x: np.ndarray):
    """A chain, of which each vertex is asked about itself."""
    edges = [(k, k + 1) for k in range(len(x) - 1)]
    return gt.Graph(x[:, None], edges).vertices, {"max_walk_length": 0, "max_ancestor_distance": 0}


def edges(x: np.ndarray):
    """A directed ring, whose edges have the features of both ends."""
    ring = [(k, (k + 1) % len(x)) for k in range(len(x))]
    graph = gt.Graph(x[:, None], ring, directed=True)
    return graph.edges, {"max_walk_length": 0, "max_ancestor_distance": 0}


def graph_features(x: np.ndarray):
    pairs = [gt.Graph([[k % 5.0], [1.0]], [(0, 1)]) for k in range(len(x))]
    return gt.Graphs(pairs, graph_features=x[:, None]), {"max_walk_length": 1}


def graphs(x: np.ndarray):
    """Pairs and fours of vertices, so that means are exact."""
    taken = [x[[k, k - 1]] if k % 2 else x[[k, k - 1, k - 2, k - 3]] for k in range(len(x))]
    made = [gt.Graph(part[:, None], [(0, 1)]) for part in taken]
    return gt.Graphs(made), {
        "max_walk_length": {0: 0},
        "aggregators": ("mean", "min", "max"),
        "max_ancestor_distance": 0,
    }


def subsets_of_graphs(x: np.ndarray):
    """All vertices of a subset, never zeros for those outside of it."""
    return graphs(x)[0], {
        "max_walk_length": {0: 0},
        "aggregators": ("min", "max"),
        "walk_types": ("cycle", "target", "target_source"),
        "max_bins": None,  # bins of subsets are placed by the numbers themselves
    }


TASKS = [rows, vertices, edges, graph_features, graphs, subsets_of_graphs]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("kind", [gt.GraphTreeRegressor, gt.GraphBoostingClassifier], ids=name_of)
@a_few
@given(x=columns, unseen=columns, data=st.data())
def test_a_constant_added_changes_no_prediction(task, kind, x, unseen, data):
    y = np.array(data.draw(st.lists(st.integers(0, 1), min_size=len(x), max_size=len(x))))
    y[:2] = 0, 1
    given = task(x)[1]
    near = small(kind, **given).fit(task(x)[0], y)
    far = small(kind, **given).fit(task(x + FAR)[0], y)
    unseen = np.clip(unseen, x.min(), x.max())
    for new in (x, unseen):
        np.testing.assert_array_equal(
            near.predict(task(new)[0]), far.predict(task(new + FAR)[0])
        )  # fmt: skip
    one, other = near.trees_to_dataframe(), far.trees_to_dataframe()
    moved = one["feature_index"].isin(_moved(task))
    other.loc[moved, "threshold"] -= FAR
    np.testing.assert_array_equal(one["threshold"], other["threshold"])


def _moved(task) -> list[int]:
    """The features that hold x."""
    return {"graph_features": [1], "edges": [0, 1]}.get(task.__name__, [0])


@a_few
@given(x=columns, order=st.randoms())
def test_the_order_of_rows_changes_no_threshold(x, order):
    """What is subtracted depends on the values alone."""
    turned = np.arange(len(x))
    order.shuffle(turned)
    values = x / 7 + FAR  # not exact: what is subtracted shows in the last digits
    y = np.arange(len(x)) % 2
    one = small(gt.GraphTreeRegressor).fit(values[:, None], y)
    other = small(gt.GraphTreeRegressor).fit(values[turned, None], y[turned])
    thresholds = [model.trees_to_dataframe()["threshold"] for model in (one, other)]
    np.testing.assert_array_equal(*thresholds)


@pytest.mark.parametrize("span", [10**3, 10**5, 10**6, 10**7])
@a_few
@given(seed=st.integers(0, 10**6))
def test_a_constant_changes_no_prediction_however_far_values_spread(span, seed):
    """Whole numbers that float32 holds, and 1e9 beside them."""
    rng = np.random.default_rng(seed)
    x = np.unique(rng.integers(0, span, 300)).astype(float)[:, None]
    y = rng.normal(size=len(x))
    near, far = (gt.GraphTreeRegressor().fit(x + c, y).predict(x + c) for c in (0.0, FAR))
    np.testing.assert_array_equal(near, far)


def test_what_is_lost_all_the_same_is_warned_of():
    """Days and times to the second, far apart: 1 in 100 of them is lost."""
    x = np.r_[np.arange(990.0) * 1e6, 1e9 + np.arange(10.0)][:, None]
    with pytest.warns(UserWarning, match="991 of 1,000 distinct values can be told apart"):
        small(gt.GraphTreeRegressor).fit(x, np.arange(1000.0))


def test_numbers_that_float32_takes_for_0_should_be_multiplied():
    x = np.arange(1.0, 40.0)[:, None] * 1e-300
    with pytest.warns(UserWarning, match="multiply it by a large number first"):
        small(gt.GraphTreeRegressor).fit(x, np.arange(39.0))


def test_numbers_at_both_ends_of_float32_are_told_apart_without_a_warning():
    ends = np.array([-3e38, -1.0, 1.0, 3e38] * 5)[:, None]
    model = small(gt.GraphTreeRegressor, min_samples_leaf=1).fit(ends, ends[:, 0] > 0)
    np.testing.assert_array_equal(model.predict(ends), ends[:, 0] > 0)
