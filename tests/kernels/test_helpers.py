"""What kernels share: addition that carries its error, and a counter that threads share."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest

from graphtrees.kernels._counter import take
from graphtrees.kernels._jit import kernel
from graphtrees.kernels._rows import WIDTH, fill, read_at, write_at
from graphtrees.kernels._sums import two_sum, two_sum_rows


@kernel
def add_up(values):
    hi = 0.0
    lo = 0.0
    for k in range(values.shape[0]):
        hi, lo = two_sum(hi, lo, values[k])
    return hi, lo


@kernel
def add_up_rows(values, hi_out, lo_out):
    hi = fill(0.0)
    lo = fill(0.0)
    for k in range(values.shape[0] // WIDTH):
        hi, lo = two_sum_rows(hi, lo, read_at(values, k * WIDTH))
    write_at(hi_out, 0, hi)
    write_at(lo_out, 0, lo)


def numbers_that_cancel(seed: int, shape) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=shape) * 10.0 ** rng.integers(-8, 9, shape)
    values[: shape[0] // 2] = -values[shape[0] // 2 : 2 * (shape[0] // 2)]
    return values[rng.permutation(shape[0])]


@pytest.mark.parametrize("seed", range(5))
def test_a_carried_sum_is_exact_where_a_plain_one_is_not(seed):
    values = np.append(numbers_that_cancel(seed, (40,)), 1e-5)
    hi, lo = add_up(values)
    exact = sum(map(Fraction, values.tolist()))
    assert abs(Fraction(hi) + Fraction(lo) - exact) < Fraction(1, 10**20)
    plain = 0.0
    for value in values:
        plain += value
    assert plain != float(exact)


def test_eight_sums_at_a_time_are_eight_sums():
    values = numbers_that_cancel(0, (41, WIDTH))
    hi, lo = np.empty(WIDTH), np.empty(WIDTH)
    add_up_rows(values.ravel(), hi, lo)
    for column in range(WIDTH):
        assert (hi[column], lo[column]) == add_up(values[:, column].copy())


@kernel
def take_all(counter, at_once, taken):
    start = take(counter, at_once)
    while start < taken.shape[0]:
        for k in range(start, min(start + at_once, taken.shape[0])):
            taken[k] += 1
        start = take(counter, at_once)


@pytest.mark.parametrize("at_once", [1, 7])
def test_every_piece_of_work_is_taken_by_exactly_one_thread(at_once):
    counter, taken = np.zeros(1, np.int64), np.zeros(100_000 if at_once > 1 else 5_000, np.int64)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: take_all(counter, at_once, taken), range(4)))
    assert (taken == 1).all()
