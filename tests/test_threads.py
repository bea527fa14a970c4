"""A pool of threads does what a loop does, and ends in order."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from graphtrees._threads import Workers

both = pytest.mark.parametrize("n_threads", [1, 3])


@both
@pytest.mark.parametrize("n_tasks", [0, 1, 2, 20])
def test_results_come_in_the_order_of_the_arguments(n_threads, n_tasks):
    with Workers(n_threads) as workers:
        assert workers.each(pow, [(k, 2) for k in range(n_tasks)]) == [k**2 for k in range(n_tasks)]


def test_the_caller_works_too_and_takes_back_what_nobody_has_begun():
    """The only other thread is held up by its first task until all the rest are done."""
    others_done, seen = threading.Event(), []

    def work(k: int) -> bool:
        if k == 1:
            return others_done.wait(timeout=60)
        seen.append(threading.get_ident())
        if len(seen) == 19:
            others_done.set()
        return True

    def first(k: int) -> bool:
        while k == 0 and not held.is_set():  # until the other thread has begun
            held.wait(0.001)
        held.set()
        return work(k)

    held = threading.Event()
    with Workers(2) as workers:
        assert workers.each(first, [(k,) for k in range(20)]) == [True] * 20
    assert set(seen) == {threading.get_ident()}


@both
@pytest.mark.parametrize("bad", [0, 7, 19])
def test_an_error_reaches_the_caller_when_all_others_have_ended(n_threads, bad):
    running: set[int] = set()

    def work(k: int) -> None:
        running.add(k)
        try:
            if k == bad:
                raise ValueError(f"task {k}")
            time.sleep(0.001)
        finally:
            running.remove(k)

    with Workers(n_threads) as workers:
        with pytest.raises(ValueError, match=f"task {bad}"):
            workers.each(work, [(k,) for k in range(20)])
        assert not running


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_a_task_may_share_out_its_own_work(n_threads):
    with Workers(n_threads) as workers:

        def outer(k: int) -> int:
            return sum(workers.each(pow, [(k, j) for j in range(5)]))

        wanted = [sum(k**j for j in range(5)) for k in range(6)]
        assert workers.each(outer, [(k,) for k in range(6)]) == wanted


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("sizes", [[], [0], [3], [0, 0, 4, 0], [1, 9, 1, 1, 0, 7], [50, 1, 1]])
def test_stretches_hold_every_item_once_and_none_of_them_is_empty(n_threads, sizes):
    ptr = np.r_[0, np.cumsum(sizes)].astype(np.int64)
    with Workers(n_threads) as workers:
        stretches = workers.stretches(ptr, at_least=2)
    assert [k for start, stop in stretches for k in range(start, stop)] == list(range(len(sizes)))
    assert 1 <= len(stretches) <= n_threads
    assert all(start < stop for start, stop in stretches) or stretches == [(0, 0)]


def test_stretches_of_small_items_hold_about_equally_much():
    with Workers(4) as workers:
        ptr = np.arange(0, 4001, 10)
        assert workers.stretches(ptr, at_least=1000) == [
            (0, 100),
            (100, 200),
            (200, 300),
            (300, 400),
        ]
        assert workers.stretches(ptr, at_least=2000) == [(0, 200), (200, 400)]
        assert workers.stretches(ptr, at_least=5000) == [(0, 400)]
        assert workers.stretches(ptr, at_least=1, at_most=2) == [(0, 200), (200, 400)]
        assert workers.stretches(ptr, at_least=1, at_most=1) == [(0, 400)]


@both
def test_arrays_are_joined_end_to_end_and_one_alone_is_not_copied(n_threads):
    arrays = [np.arange(3, dtype=np.int32), np.empty(0, np.int32), np.arange(5, 9, dtype=np.int32)]
    with Workers(n_threads) as workers:
        joined = workers.join(arrays)
        assert joined.dtype == np.int32
        assert joined.tolist() == [0, 1, 2, 5, 6, 7, 8]
        assert workers.join(arrays[:1]) is arrays[0]
