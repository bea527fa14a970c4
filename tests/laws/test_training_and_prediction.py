"""What training knows of its examples is what the model says of them, whatever is combined."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from boosting_tasks import assert_same_model
from builders import a_rich_graph
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import graphtrees as gt

KINDS = ("graphs", "vertices", "edges")
GIVEN = st.fixed_dictionaries(
    {
        "subsample": st.sampled_from([1.0, 0.5]),
        "colours": st.integers(0, 2),
        "init": st.sampled_from([None, "linear"]),
        "feature_fraction": st.sampled_from([1.0, 0.6]),
        "max_bins": st.sampled_from([None, 4, 255]),
        "max_walk_length": st.sampled_from([0, 2]),
        "min_samples_leaf": st.sampled_from([1, 4]),
        "operators": st.sampled_from([("adjacency",), ("mean", "relations")]),
    }
)
few = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])


@cache
def task(kind: str, seed: int = 0, n_graphs: int = 20):
    """Examples with all that a graph can have, and numbers that follow from them in part."""
    graphs = gt.Graphs(
        [a_rich_graph(100 * seed + k, 2 + k % 5, 2 + k % 7) for k in range(n_graphs)]
    )
    rng = np.random.default_rng(seed)
    if kind == "graphs":
        y = np.array([graph.n_edges - graph.n_vertices for graph in graphs], float)
        return graphs, y + 0.1 * rng.normal(size=len(y))
    X = getattr(graphs, kind)
    graph_of = np.repeat(np.arange(len(graphs)), [len(getattr(g, kind)) for g in graphs])
    return X, np.sin(graph_of) + 0.3 * rng.normal(size=len(X))


def regressor(n_estimators: int, **given):
    return gt.GraphBoostingRegressor(
        n_estimators, max_leaf_nodes=4, learning_rate=0.3, random_state=0, n_jobs=1, **given
    )


@pytest.mark.parametrize("kind", KINDS)
@few
@given(given=GIVEN)
def test_the_loss_of_training_is_that_of_the_predictions(kind, given):
    X, y = task(kind)
    given = {**given, "init": None}  # a linear start is learned out of fold
    model = regressor(4, **given).fit(X, y, eval_set={"again": (X, y)})
    train, again = (model.evals_result_[name]["loss"] for name in ("train", "again"))
    np.testing.assert_allclose(train, again, rtol=1e-9)
    assert train[-1] == pytest.approx(np.mean((model.predict(X) - y) ** 2), rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@few
@given(given=GIVEN)
def test_a_run_in_two_parts_gives_the_model_of_one(kind, given):
    X, y = task(kind)
    whole = regressor(4, **given).fit(X, y)
    parts = regressor(2, warm_start=True, **given).fit(X, y)
    assert_same_model(parts.set_params(n_estimators=4).fit(X, y), whole, X)


@pytest.mark.parametrize("kind", KINDS)
@few
@given(given=GIVEN)
def test_trees_say_the_same_after_others_were_added_on_other_examples(kind, given):
    X, y = task(kind)
    others, y_of_others = task(kind, seed=1, n_graphs=30)
    model = regressor(3, warm_start=True, **given).fit(X, y)
    before = [model.predict(X), model.predict(others)]
    model.set_params(n_estimators=5).fit(others, y_of_others)
    after = [list(model.staged_predict(examples))[2] for examples in (X, others)]
    np.testing.assert_array_equal(np.concatenate(before), np.concatenate(after))
