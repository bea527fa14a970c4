"""The search for cuts against trying every threshold and both sides for missing values."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from oracles.criteria import Impurity, Newton

from graphtrees._layout import SUM
from graphtrees.kernels import column_search
from graphtrees.kernels._jit import kernel
from graphtrees.kernels.growing_records import ColumnRows, Entries
from graphtrees.kernels.histograms import (
    CUT,
    ENTROPY,
    GINI,
    MISSING_LEFT,
    NEWTON,
    NO_FLOOR,
    NO_MATTER,
)
from graphtrees.trees.criterion import Criterion, Statistics
from graphtrees.trees.workspace import Shape, column_scratch, search_limits

NO_GAIN = 1e-9
EVERY_VALUE = None  # max_bins of the exact search


@kernel
def best_gain(stats, n, rows, limits, scratch):
    return column_search.best_gain(stats, n, rows, limits, NO_FLOOR, scratch)


@kernel
def best_gain_above(floor, stats, n, rows, limits, scratch):
    return column_search.best_gain(stats, n, rows, limits, floor, scratch)


@kernel
def best_cut(stats, n, rows, limits, scratch):
    return column_search.best_cut(stats, n, 0, -1, rows, limits, scratch)


@kernel
def best_whole_gain(stats, entries, values, bound, rows, limits, scratch):
    return column_search.best_whole_gain(
        stats, entries, values, bound, rows, limits, NO_FLOOR, scratch
    )


class Task:
    """One column of few examples, what a split of them is worth, and how small a side may be.

    A share of 1 - held of the examples has no vertex in the subset: there it is missing.
    """

    def __init__(self, kind: str, seed: int, whole: bool, held: float = 0.8, n: int = 12) -> None:
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, n))
        values = rng.choice([-2, -1, 0, 0, 1, 3], n).astype(np.float32)
        if not whole:
            values *= rng.normal(size=n).astype(np.float32)
        values[rng.random(n) < 0.2] = np.nan
        self.present = rng.random(n) < held
        self.entries = values
        self.values = np.where(self.present, values, np.nan)
        self.min_samples = int(rng.integers(1, 4))
        self.criterion, self.statistics, self.oracle = worth(kind, n, rng)
        self.stats = self.statistics.record(self.criterion)

    def prepare(self, max_bins: int | None) -> tuple:
        """(stats, n, rows, limits, scratch) of a search."""
        n, words = len(self.values), self.stats.words
        shape = Shape(n, 0, 1, 1, 0, 0, 1, 0, 0, words.shape[1], max_bins or 0, 0, False, 0, (1,))
        scratch = column_scratch(shape)
        listed = np.flatnonzero(self.present & (self.entries != 0))
        scratch.values[: len(listed)] = self.entries[listed]
        scratch.rows[: len(listed)] = listed
        rows = ColumnRows(
            n, int(self.present.sum()), words.sum(axis=0, dtype=SUM),
            words[self.present].sum(axis=0, dtype=SUM),
        )  # fmt: skip
        limits = search_limits(self.min_samples, max_bins, has_missing=True)
        return self.stats, len(listed), rows, limits, scratch

    def every_split(self) -> list[tuple[float, np.ndarray]]:
        """(gain, who goes left) for every threshold and either side for missing values."""
        missing = np.isnan(self.values)
        found = []
        for threshold in np.unique(self.values[~missing])[:-1]:
            for missing_left in (False, True):
                left = np.where(missing, missing_left, self.values <= threshold)
                if self.is_allowed(left) and self.is_allowed(~left):
                    gain = self.oracle.gain(np.flatnonzero(left), np.flatnonzero(~left))
                    found.append((gain, left))
        return found

    def is_allowed(self, rows: np.ndarray) -> bool:
        least = self.criterion.min_hessian
        return rows.sum() >= self.min_samples and (
            not least or self.oracle.hessian[rows].sum() >= least
        )

    def best(self) -> float:
        best = max((gain for gain, _ in self.every_split()), default=0.0)
        return best if best > NO_GAIN else -np.inf


def worth(kind: str, n: int, rng) -> tuple[Criterion, Statistics, Any]:
    """The same criterion for the kernels and for the oracle."""
    weight = rng.choice((0.5, 1.0, 2.0), n)
    if kind in ("gini", "entropy"):
        labels = rng.integers(0, 3, n)
        return (
            Criterion(GINI if kind == "gini" else ENTROPY),
            Statistics.classes(labels, 3, weight),
            Impurity(labels, 3, weight, kind),
        )
    gradient, hessian = rng.normal(size=n), rng.choice((0.25, 0.5, 1.0), n)
    criterion = Criterion(NEWTON, l2=0.5, min_hessian=0.75 if "least" in kind else 0.0)
    statistics = Statistics.newton(gradient[:, None], hessian[:, None], weight)
    return criterion, statistics, Newton(gradient, hessian, weight, 0.5)


every_kind = pytest.mark.parametrize(
    "kind", ["newton", "newton with a least hessian", "gini", "entropy"]
)
every_seed = pytest.mark.parametrize("seed", range(12))


@every_kind
@every_seed
@pytest.mark.parametrize("scale", [1, 40, 150, 1000])
def test_whole_numbers_with_a_bin_each_are_cut_as_if_they_had_been_sorted(kind, seed, scale):
    """Numbers from -2 to 3, times the scale; from 150 on there are more than 255 of them."""
    task = Task(kind, seed, whole=True, n=90)
    task.entries *= scale
    task.values *= scale
    by_bins, by_sorting = task.prepare(255), task.prepare(EVERY_VALUE)
    assert best_cut(*by_bins) == best_cut(*by_sorting)
    (*_, found), (*_, expected) = by_bins, by_sorting
    assert list(found.cut[[MISSING_LEFT, NO_MATTER]]) == list(
        expected.cut[[MISSING_LEFT, NO_MATTER]]
    )


@pytest.mark.skipif(
    not numba.config.DISABLE_JIT, reason="compiled kernels do not call what a test puts in place"
)
def test_whole_numbers_with_a_bin_each_are_not_sorted(monkeypatch):
    sorted_columns = []
    monkeypatch.setattr(column_search, "sort", lambda *column: sorted_columns.append(column))
    best_cut(*Task("newton", 3, whole=True, n=90).prepare(255))
    assert not sorted_columns
    best_cut(*Task("newton", 3, whole=False, n=90).prepare(255))
    assert sorted_columns


@every_kind
@every_seed
@pytest.mark.parametrize("whole", [True, False])
def test_the_best_cut_is_as_good_as_trying_every_cut(kind, seed, whole):
    task = Task(kind, seed, whole)
    prepared = task.prepare(EVERY_VALUE)
    gain, highest, lowest = best_cut(*prepared)
    assert gain == pytest.approx(task.best(), rel=1e-9)
    if gain == -np.inf:
        return
    cut = prepared[-1].cut
    missing = np.isnan(task.values)
    assert set(task.values[~missing]) >= {highest, lowest}
    below = task.values <= highest
    worth = {}
    for side in (0, 1):
        left = np.where(missing, side, below).astype(bool)
        if task.is_allowed(left) and task.is_allowed(~left):
            worth[side] = task.oracle.gain(np.flatnonzero(left), np.flatnonzero(~left))
    assert worth[cut[MISSING_LEFT]] == pytest.approx(gain, rel=1e-9)
    same = len(worth) == 2 and worth[0] == pytest.approx(worth[1], rel=1e-9)
    assert cut[NO_MATTER] == (same or not missing.any())


@every_kind
@every_seed
def test_bins_find_the_best_cut_of_whole_numbers(kind, seed):
    task = Task(kind, seed, whole=True, n=120)
    with np.errstate(invalid="ignore"):
        gain = best_gain(*task.prepare(255))
    assert gain == pytest.approx(task.best(), rel=1e-9)


@every_kind
@every_seed
@pytest.mark.parametrize("max_bins", [255, 5])
def test_bins_never_claim_more_than_a_cut_is_worth(kind, seed, max_bins):
    task = Task(kind, seed, whole=False, n=120)
    with np.errstate(invalid="ignore"):  # without compilation NumPy warns of NaN as a whole number
        gain = best_gain(*task.prepare(max_bins))
    assert gain <= task.best() * (1 + 1e-9)
    worth = [value for value, _ in task.every_split()]
    assert gain == -np.inf or np.isclose(worth, gain, rtol=1e-9).any()


@every_kind
@every_seed
@pytest.mark.parametrize("shift", [0, 3])
def test_small_whole_numbers_are_counted_where_they_stand(kind, seed, shift):
    task = Task(kind, seed, whole=True)
    task.entries = np.abs(np.nan_to_num(task.entries))
    task.values = np.where(task.present, task.entries, np.nan)
    stats, _, rows, limits, scratch = task.prepare(255)
    column = np.where(task.present, task.entries, np.inf).astype(np.float32)
    everyone = np.arange(len(column), dtype=np.int32)
    entries = Entries(everyone, everyone, 0, len(column), shift)
    values = np.r_[np.full(shift, 7.0, np.float32), column]
    gain = best_whole_gain(stats, entries, values, 3, rows, limits, scratch)
    assert gain == pytest.approx(task.best(), rel=1e-9)


@every_kind
@every_seed
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0, 1 + 5e-13])  # as good as equal up to 1e-12
def test_a_floor_hides_nothing_that_reaches_it(kind, seed, share):
    task = Task(kind, seed, whole=False, n=120)
    with np.errstate(invalid="ignore"):
        prepared = task.prepare(255)
        gain = best_gain(*prepared)
        cut = prepared[-1].cut.copy()
        prepared = task.prepare(255)
        above = best_gain_above(share * gain if gain > 0 else 0.0, *prepared)
        assert above == gain
        assert gain == -np.inf or prepared[-1].cut.tolist() == cut.tolist()
        too_high = best_gain_above(2.0 * gain if gain > 0 else 1.0, *task.prepare(255))
    assert too_high == (-np.inf if kind.startswith("newton") else gain)


# What two examples on the left and two on the right ask for.
SIDES = {
    "newton": ([2.0, -2.0], [-2.0, 2.0]),
    "newton, two outputs": ([2.0, -2.0], [-2.0, 2.0]),
    "gini": ([0, 1], [1, 0]),
    "entropy": ([0, 1], [1, 0]),
}


@pytest.mark.parametrize("kind", SIDES)
@pytest.mark.parametrize("like", ["the left", "the right", "neither", "no"])
def test_missing_values_go_where_they_belong(kind, like):
    """One example is missing; `neither` weighs nothing, and with `no` there is none."""
    left, right = SIDES[kind]
    wants = [left[0], left[0], right[0], right[0], left[0] if like == "the left" else right[0]]
    weight = np.array([1.0, 1.0, 1.0, 1.0, float(like.startswith("the "))])
    values = np.array([1.0, 1.0, 2.0, 2.0, np.nan], np.float32)
    n = 4 if like == "no" else 5
    if kind in ("gini", "entropy"):
        criterion = Criterion(GINI if kind == "gini" else ENTROPY)
        statistics = Statistics.classes(np.array(wants[:n]), 2, weight[:n])
    else:
        criterion = Criterion(NEWTON)
        shape = n, 2 if "two" in kind else 1
        hessian = np.broadcast_to(weight[:n, None], shape)
        gradient = np.array(wants[:n])[:, None] * hessian
        statistics = Statistics.newton(gradient, hessian, weight[:n])
    task = Task(kind, 0, whole=True)
    task.entries = task.values = values[:n]
    task.present, task.min_samples = np.ones(n, bool), 1
    task.stats = statistics.record(criterion)
    prepared = task.prepare(EVERY_VALUE)
    gain, highest, lowest = best_cut(*prepared)
    assert (gain > 0, highest, lowest) == (True, 1.0, 2.0)
    cut = prepared[-1].cut
    assert cut[CUT] == 0
    assert cut[NO_MATTER] == (not like.startswith("the "))
    if like.startswith("the "):
        assert cut[MISSING_LEFT] == (like == "the left")
