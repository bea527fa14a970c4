"""A pool of threads does what a loop does, and ends in order."""

from __future__ import annotations

import threading
import time

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
