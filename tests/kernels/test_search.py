"""The search for cuts against trying every threshold and both sides for missing values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles.criteria import Impurity, Newton

from graphtrees._layout import GAIN_TOLERANCE, SUM
from graphtrees.candidates.blocks import EvenBins, bin_by_cuts, bin_evenly
from graphtrees.kernels import even_bins, search
from graphtrees.trees.criterion import Criterion, Statistics
from kernels.builders import ALONE, a_block

N_FEATURES, N_SIGNS = 4, 2
NO_GAIN = 1e-9


class Task:
    """Columns of few examples, what a split of them is worth, and how small a side may be.

    A share of 1 - held of the examples has no vertex in the subset.
    """

    def __init__(self, kind: str, seed: int, whole: bool, held: float = 0.8) -> None:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 12))
        values = rng.choice([-2, -1, 0, 0, 1, 3], (n, N_FEATURES * N_SIGNS)).astype(np.float32)
        if not whole:
            values *= rng.normal(size=values.shape).astype(np.float32)
        values[rng.random(values.shape) < 0.2] = np.nan
        values[:, 3] = 1.0  # one column says nothing
        self.alive = (rng.random((n, N_SIGNS)) < held).astype(np.uint8)
        self.block = a_block(values, self.alive, N_FEATURES)
        sign = np.arange(values.shape[1]) // N_FEATURES % N_SIGNS
        self.values = np.where(self.alive[:, sign] > 0, values, np.nan)
        self.min_samples = int(rng.integers(1, 4))
        self.criterion, self.statistics, self.oracle = worth(kind, n, rng)

    @property
    def arguments(self) -> tuple:
        one = self.criterion
        return self.statistics.scale, one.kind, one.l2, self.min_samples, one.min_hessian

    def every_split(self, column: int) -> list[tuple[float, np.ndarray]]:
        """(gain, who goes left) for every threshold and either side for missing values."""
        values = self.values[:, column]
        missing = np.isnan(values)
        found = []
        for threshold in np.unique(values[~missing])[:-1]:
            for missing_left in (False, True):
                left = np.where(missing, missing_left, values <= threshold)
                if self.is_allowed(left) and self.is_allowed(~left):
                    gain = self.oracle.gain(np.flatnonzero(left), np.flatnonzero(~left))
                    found.append((gain, left))
        return found

    def is_allowed(self, rows: np.ndarray) -> bool:
        least = self.criterion.min_hessian
        return rows.sum() >= self.min_samples and (
            not least or self.oracle.hessian[rows].sum() >= least
        )

    def best(self, column: int) -> float:
        best = max((gain for gain, _ in self.every_split(column)), default=0.0)
        return best if best > NO_GAIN else -np.inf


def worth(kind: str, n: int, rng) -> tuple[Criterion, Statistics, Any]:
    """The same criterion for the kernels and for the oracle."""
    weight = rng.choice((0.5, 1.0, 2.0), n)
    if kind in ("gini", "entropy"):
        labels = rng.integers(0, 3, n)
        number = search.GINI if kind == "gini" else search.ENTROPY
        return (
            Criterion(number),
            Statistics.classes(labels, 3, weight),
            Impurity(labels, 3, weight, kind),
        )
    gradient, hessian = rng.normal(size=n), rng.choice((0.25, 0.5, 1.0), n)
    criterion = Criterion(search.NEWTON, l2=0.5, min_hessian=0.75 if "least" in kind else 0.0)
    statistics = Statistics.newton(gradient[:, None], hessian[:, None], weight)
    return criterion, statistics, Newton(gradient, hessian, weight, 0.5)


every_kind = pytest.mark.parametrize(
    "kind", ["newton", "newton with a least hessian", "gini", "entropy"]
)
every_seed = pytest.mark.parametrize("seed", range(6))


def totals(task: Task) -> tuple[np.ndarray, np.ndarray]:
    everyone, table = np.arange(len(task.values)), task.statistics.table
    total = np.zeros(table.shape[1], SUM)
    alive = np.zeros((N_SIGNS, table.shape[1]), SUM)
    search.sum_stats(everyone, table, total)
    search.sum_alive(everyone, everyone, task.alive, table, alive)
    return total, alive


def found_by_cuts(task: Task) -> tuple[np.ndarray, np.ndarray, Any]:
    """Gains and cuts of all columns by best_cuts, a bin for every value."""
    block, table, everyone = task.block, task.statistics.table, np.arange(len(task.values))
    bins = bin_by_cuts(block, None)
    cells = np.zeros((bins.bin_ptr[-1], table.shape[1]), SUM)
    search.fill_histograms(
        everyone, everyone, block.row_start, block.row_stop, block.columns, bins.bins,
        bins.bin_ptr, bins.n_bins, table, cells,
    )  # fmt: skip
    before = cells.copy()
    gains, cuts = np.empty(block.n_columns), np.zeros((block.n_columns, 3), np.int64)
    search.best_cuts(
        0, block.n_columns, np.ones(block.n_columns, bool), N_FEATURES, N_SIGNS, bins.bin_ptr,
        bins.n_bins, bins.zero_bin, cells, *totals(task), *task.arguments, GAIN_TOLERANCE,
        gains, cuts,
    )  # fmt: skip
    np.testing.assert_array_equal(cells, before)  # zeros are taken out again
    return gains, cuts, bins


@every_kind
@every_seed
@pytest.mark.parametrize("whole", [True, False])
def test_the_best_cut_is_as_good_as_trying_every_cut(kind, seed, whole):
    task = Task(kind, seed, whole)
    gains, cuts, bins = found_by_cuts(task)
    for column in range(task.block.n_columns):
        assert gains[column] == pytest.approx(task.best(column), rel=1e-9)
        if gains[column] == -np.inf:
            continue
        last, missing_left, no_matter = cuts[column]
        values = task.values[:, column]
        missing = np.isnan(values)
        below = values <= bins.cuts[column][last]
        worth = {}
        for side in (0, 1):
            left = np.where(missing, side, below).astype(bool)
            if task.is_allowed(left) and task.is_allowed(~left):
                worth[side] = task.oracle.gain(np.flatnonzero(left), np.flatnonzero(~left))
        assert worth[missing_left] == pytest.approx(gains[column], rel=1e-9)
        same = len(worth) == 2 and worth[0] == pytest.approx(worth[1], rel=1e-9)
        assert no_matter == (same or not missing.any())


def best_cuts(task: Task, cells: np.ndarray, bins: EvenBins, in_full: bool) -> np.ndarray:
    n = task.block.n_columns
    gains = np.empty(n)
    total, alive = totals(task)
    if in_full:  # who has no vertex in the subset has a missing value written out
        alive = np.stack([total] * N_SIGNS)
    search.best_cuts(
        0, n, np.ones(n, bool), N_FEATURES, N_SIGNS, bins.bin_ptr, bins.n_bins, bins.zero_bin,
        cells, total, alive, *task.arguments, GAIN_TOLERANCE, gains, np.zeros((n, 3), np.int64),
    )  # fmt: skip
    return gains


def found_evenly(task: Task, max_bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Gains and numbers of bins of all columns by even bins of entries."""
    block, table, everyone = task.block, task.statistics.table, np.arange(len(task.values))
    bins = bin_evenly(block, everyone, max_bins, task.min_samples, ALONE)
    cells = np.zeros((bins.bin_ptr[-1], table.shape[1]), SUM)
    even_bins.fill_evenly(
        everyone, everyone, block.row_start, block.row_stop, block.columns, block.values,
        bins.n_bins, bins.bin_ptr, bins.even, table, cells,
    )  # fmt: skip
    return best_cuts(task, cells, bins, in_full=False), bins.n_bins


def found_densely(task: Task, max_bins: int) -> np.ndarray:
    """Gains of all columns by even bins of columns in full."""
    n, everyone, table = task.block.n_columns, np.arange(len(task.values)), task.statistics.table
    columns = np.ascontiguousarray(task.values.T, np.float32)
    bins = EvenBins.empty(n, columns.shape)
    even_bins.bin_densely(
        columns, columns.view(np.int32), 0, n, 0, N_FEATURES, N_FEATURES, max_bins,
        task.min_samples, bins.n_bins, bins.even, bins.bins,
    )  # fmt: skip
    np.cumsum(np.where(bins.n_bins > 0, bins.n_bins + 1, 0), out=bins.bin_ptr[1:])
    cells = np.zeros((bins.bin_ptr[-1], table.shape[1]), SUM)
    search.fill_densely(everyone, table, bins.bins, 0, n, bins.bin_ptr, bins.n_bins, cells)
    return best_cuts(task, cells, bins, in_full=True)


@every_kind
@every_seed
def test_even_bins_find_the_best_cut_of_whole_numbers(kind, seed):
    task = Task(kind, seed, whole=True)
    wanted = [task.best(column) for column in range(task.block.n_columns)]
    gains, n_bins = found_evenly(task, 255)
    np.testing.assert_allclose(gains, wanted, rtol=1e-9)
    np.testing.assert_allclose(found_densely(task, 255), wanted, rtol=1e-9)
    assert n_bins.max() == 6, "from -2 to 3"


@every_kind
@every_seed
@pytest.mark.parametrize("max_bins", [255, 5])
def test_even_bins_never_claim_more_than_a_cut_is_worth(kind, seed, max_bins):
    task = Task(kind, seed, whole=False)
    gains, _ = found_evenly(task, max_bins)
    for column, gain in enumerate(gains):
        assert gain <= task.best(column) * (1 + 1e-9)
        worth = [value for value, _ in task.every_split(column)]
        assert gain == -np.inf or np.isclose(worth, gain, rtol=1e-9).any()


@every_kind
@every_seed
@pytest.mark.parametrize("max_bins", [255, 5])
def test_even_bins_are_the_same_for_entries_and_for_columns_in_full(kind, seed, max_bins):
    task = Task(kind, seed, whole=False, held=1.0)
    gains, _ = found_evenly(task, max_bins)
    np.testing.assert_array_equal(found_densely(task, max_bins), gains)
