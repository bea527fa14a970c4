"""Walks so long that their counts are beyond what a 32-bit integer holds."""

from __future__ import annotations

import numpy as np
import pytest

import graphtrees as gt


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "model", [gt.GraphBoostingRegressor(3), gt.GraphForestRegressor(5, random_state=0)],
    ids=["boosting", "forest"],
)  # fmt: skip
def test_counts_of_long_walks_are_told_apart(model, seed):
    rng = np.random.default_rng(seed)
    graphs = [gt.Graph(np.ones((5, 0)), rng.integers(0, 5, (6, 2))) for _ in range(30)]
    y = rng.normal(size=30)
    model.set_params(max_walk_length=50)
    one = model.set_params(n_jobs=1).fit(graphs, y).predict(graphs)
    two = model.set_params(n_jobs=2).fit(graphs, y).predict(graphs)
    assert np.isfinite(one).all()
    assert np.var(one) > 0
    np.testing.assert_array_equal(one, two)


def test_huge_whole_numbers_are_cut_where_small_ones_are():
    """Numbers of subsets are binned anew in every node: whole ones beyond 2^31 as well."""
    rng = np.random.default_rng(0)
    small = [rng.integers(0, 900, (6, 2)).astype(float) for _ in range(80)]
    y = np.array([np.sort(f[:, 0])[3] + (f[:, 1].max() > 600) for f in small])
    factor = 2.0**40
    losses = []
    for scale in (1.0, factor):
        graphs = [gt.Graph(f * scale, [(0, 1), (1, 2), (2, 3)]) for f in small]
        model = gt.GraphBoostingRegressor(15, max_leaf_nodes=6).fit(graphs, y)
        losses.append(model.evals_result_["train"]["loss"][-1])
    assert losses[1] == pytest.approx(losses[0], rel=0.05)
