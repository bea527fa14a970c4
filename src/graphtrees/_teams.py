"""Run one kernel in a team of threads that share its work; see `kernels/_team.py`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait

import numpy as np

from graphtrees._threads import Workers
from graphtrees.kernels._team import STOP, new_state


def run_team(workers: Workers, n_members: int, member: Callable[[np.ndarray, int], None]) -> None:
    """Call member(state, rank) for every rank, side by side; the first error is raised.

    The kernels inside return at their next barrier when one member fails, or on Ctrl-C.
    """
    state = new_state()

    def one(rank: int) -> None:
        try:
            member(state, rank)
        except BaseException:
            state[STOP] = 1
            raise

    if n_members == 1:
        one(0)
        return
    # Only the main thread is told of Ctrl-C, and not while it runs compiled code. Any other thread
    # takes part: if several teams waited for free threads, none might ever be complete.
    is_main = threading.current_thread() is threading.main_thread()
    futures: list[Future] = []
    try:  # also around the start: the first members wait for the others, who may never come
        for rank in range(0 if is_main else 1, n_members):
            futures.append(workers.submit(one, rank))
        if not is_main:
            one(0)
        wait(futures)
    except BaseException:
        state[STOP] = 1
        wait(futures)
        raise
    for future in futures:
        future.result()
