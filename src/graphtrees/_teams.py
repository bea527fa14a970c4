"""Run one kernel in a team of threads that share its work; see `kernels/_team.py`."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import wait

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
    futures = [workers.submit(one, rank) for rank in range(n_members)]
    try:
        wait(futures)
    except BaseException:
        state[STOP] = 1
        wait(futures)
        raise
    for future in futures:
        future.result()
