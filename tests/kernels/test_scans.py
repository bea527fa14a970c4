"""The scan of one column: where its cut is, and where missing values go."""

from __future__ import annotations

import numpy as np
import pytest

from graphtrees._layout import GAIN_TOLERANCE
from graphtrees.kernels import search


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("min_hessian", [0.0, 1.0])
def test_the_two_scans_agree_to_the_bit(seed, min_hessian):
    rng = np.random.default_rng(seed)
    for _ in range(20):
        n_bins = int(rng.integers(2, 8))
        cells = np.column_stack([rng.integers(0, 4, n_bins), rng.integers(-9, 9, n_bins)])
        cells = np.column_stack([cells, cells[:, 0] + rng.integers(0, 3, n_bins)])
        cells[cells[:, 0] == 0] = 0
        missing = np.array([[0, 0, 0], [1, 0, 0], [2, 3, 2]])[rng.integers(3)]
        total = cells.sum(axis=0) + missing
        scale, l2 = np.array([1.0, 0.25, 0.5]), float(rng.choice((0.0, 1.0)))
        parent = search._score(total, scale, search.NEWTON, l2)
        room = [np.empty(3, np.int64) for _ in range(3)]
        one, two = np.zeros(3, np.int64), np.zeros(3, np.int64)
        general = search._scan(
            cells, 0, n_bins, missing, total, scale, search.NEWTON, l2, 2, min_hessian,
            GAIN_TOLERANCE, parent, *room, one,
        )  # fmt: skip
        special = search._scan_newton(
            cells, 0, n_bins, missing, total, scale, l2, 2, min_hessian, GAIN_TOLERANCE, parent,
            two,
        )  # fmt: skip
        assert general == special
        np.testing.assert_array_equal(one, two)


# What two examples on the left and two on the right add up to.
SIDES = {
    "newton": ([2, -4, 2], [2, 4, 2]),
    "newton, told by its type": ([2, -4, 2], [2, 4, 2]),
    "newton, two outputs": ([2, -4, 2, -4, 2], [2, 4, 2, 4, 2]),
    "gini": ([2, 2, 0], [2, 0, 2]),
    "entropy": ([2, 2, 0], [2, 0, 2]),
}


@pytest.mark.parametrize("kind", SIDES)
@pytest.mark.parametrize(
    ("like", "wanted"),
    [("the left", [0, 1, 0]), ("the right", [0, 0, 0]), ("neither", [0, 0, 1]), ("no", [0, 0, 1])],
)
def test_missing_values_go_where_they_belong(kind, like, wanted):
    left, right = (np.array(side) for side in SIDES[kind])
    missing = {"the left": left // 2, "the right": right // 2}.get(like, 0 * left)
    missing[0] = like != "no"  # one example; like neither side means that it weighs nothing
    cells = np.array([left, right, missing])
    numbers = {"gini": search.GINI, "entropy": search.ENTROPY, "newton, told by its type": None}
    number = numbers.get(kind, search.NEWTON)
    total, gains, cuts = cells.sum(axis=0), np.empty(1), np.zeros((1, 3), np.int64)
    search.best_cuts(
        0, 1, np.ones(1, bool), 1, 1, np.array([0, 3]), np.array([2]), np.array([0]), cells, total,
        total[None, :].copy(), np.ones(len(total)), number, 0.0, 1, 0.0, GAIN_TOLERANCE, gains,
        cuts,
    )  # fmt: skip
    assert gains[0] > 0
    assert cuts[0].tolist() == wanted
