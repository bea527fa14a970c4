"""Threads that meet inside compiled code: nobody is early, nothing is done twice, nobody hangs."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numba
import numpy as np
import pytest

import graphtrees as gt
from graphtrees._teams import run_team
from graphtrees._threads import Workers
from graphtrees.kernels._jit import kernel
from graphtrees.kernels._team import (
    NEXT_TASK,
    STOP,
    barrier,
    comes_last,
    goes_on,
    let_go,
    new_state,
    next_task,
)
from graphtrees.trees import grower

compiled = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="several threads need compiled code"
)


@kernel
def count_rounds(team, n_members, rank, arrived, early, n_rounds):
    """Every member notes its arrival; after the barrier all of them must have done so."""
    for r in range(n_rounds):
        arrived[r, rank] = 1
        if not barrier(team, n_members):
            return
        for other in range(n_members):
            early[rank] += arrived[r, other] == 0
        if not barrier(team, n_members):
            return


@kernel
def take_all(team, n_members, n_tasks, size, taken):
    while True:
        task = next_task(team, n_members, size)
        if task >= n_tasks:
            return
        for k in range(task, min(n_tasks, task + size)):
            taken[k] += 1


@kernel
def add_alone(team, n_members, rank, arrived, alone, n_rounds):
    """The last member of each round notes who is there, and that it was the one; all see it."""
    for r in range(n_rounds):
        arrived[r, rank] = 1
        if comes_last(team, n_members):
            for other in range(n_members):
                alone[r] += arrived[r, other]
            let_go(team, n_members)
        if not goes_on(team):
            return
        arrived[r, rank] += alone[r] == n_members


@kernel
def wait_at_barrier(team, n_members):
    return barrier(team, n_members)


@compiled
@pytest.mark.parametrize("n_members", [1, 2, 5])
def test_nobody_passes_a_barrier_before_all_are_there(n_members):
    """With more members than cores, too."""
    arrived, early = np.zeros((200, n_members), np.int64), np.zeros(n_members, np.int64)
    with Workers(max(2, n_members)) as workers:
        run_team(
            workers, n_members,
            lambda team, rank: count_rounds(team, n_members, rank, arrived, early, 200),
        )  # fmt: skip
    assert arrived.all()
    assert not early.any()


@compiled
@pytest.mark.parametrize("n_members", [1, 2, 5])
def test_the_last_member_works_alone_while_the_others_wait(n_members):
    arrived, alone = np.zeros((200, n_members), np.int64), np.zeros(200, np.int64)
    with Workers(max(2, n_members)) as workers:
        run_team(
            workers, n_members,
            lambda team, rank: add_alone(team, n_members, rank, arrived, alone, 200),
        )  # fmt: skip
    assert (alone == n_members).all()  # all were there, and one of them counted
    assert (arrived == 2).all()  # and everyone went on after that


@compiled
@pytest.mark.parametrize(("n_members", "size"), [(1, 1), (3, 1), (4, 7)])
def test_every_task_is_taken_once(n_members, size):
    taken = np.zeros(1000, np.int64)
    with Workers(max(2, n_members)) as workers:
        run_team(
            workers, n_members, lambda team, rank: take_all(team, n_members, 1000, size, taken)
        )
    assert (taken == 1).all()


def test_a_barrier_starts_the_next_stage_from_the_first_task():
    state = new_state()
    state[NEXT_TASK] = 12
    assert wait_at_barrier(state, 1)
    assert state[NEXT_TASK] == 0


def test_a_team_of_one_that_was_told_to_stop_stops():
    state = new_state()
    state[STOP] = 1
    assert not wait_at_barrier(state, 1)


@compiled
def test_when_one_member_fails_the_others_return_and_the_error_is_raised():
    returned = []

    def member(team, rank):
        if rank == 1:
            raise ValueError("member 1 failed")
        returned.append(wait_at_barrier(team, 3))

    with Workers(3) as workers, pytest.raises(ValueError, match="member 1 failed"):
        run_team(workers, 3, member)
    assert returned == [False, False]


@compiled
def test_teams_inside_tasks_are_all_completed():
    """More teams at once than there are threads for."""
    results = []

    def task(_):
        taken = np.zeros(50, np.int64)
        run_team(workers, 2, lambda team, rank: take_all(team, 2, 50, 1, taken))
        results.append(taken)

    with Workers(4) as workers:
        workers.each(task, [(k,) for k in range(12)])
    assert len(results) == 12
    assert all((taken == 1).all() for taken in results)


# ---- fits ----------------------------------------------------------------------------------------


def a_task(n_graphs=60):
    data = gt.datasets.make_red_isolated_vertex(n_graphs=n_graphs, n_vertices=12, random_state=0)
    return data.X, data.y


def boosted(n_jobs=3, **settings):
    settings = {"n_estimators": 5, "min_samples_leaf": 2, "random_state": 0} | settings
    return gt.GraphBoostingClassifier(n_jobs=n_jobs, **settings)


@pytest.fixture
def large_teams(monkeypatch):
    """However little there is to do, all threads do it together."""
    monkeypatch.setattr(grower, "ANSWERS_A_THREAD", 1)


@compiled
def test_several_fits_at_once_agree_with_one_alone(large_teams):
    X, y = a_task()
    alone = boosted(n_jobs=1).fit(X, y).decision_function(X)
    found = {}

    def fit(k: int) -> None:
        found[k] = boosted().fit(X, y).decision_function(X)

    threads = [threading.Thread(target=fit, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(one.tobytes() == alone.tobytes() for one in found.values())


def _fit_in_child(queue) -> None:
    X, y = a_task()
    queue.put(boosted().fit(X, y).decision_function(X).tobytes())


@compiled
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_can_fit_after_its_parent_did(large_teams):
    X, y = a_task()
    here = boosted().fit(X, y).decision_function(X).tobytes()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_fit_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=120) == here
    child.join(timeout=60)
    assert child.exitcode == 0


INTERRUPTED = """
import signal, graphtrees as gt
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell in the background ignores it
from graphtrees.trees import grower
grower.ANSWERS_A_THREAD = 1
data = gt.datasets.make_red_isolated_vertex(n_graphs=400, n_vertices=40, random_state=0)
model = gt.GraphBoostingClassifier(n_estimators=100_000, n_jobs=2, random_state=0)
model.fit(data.X, data.y, callbacks=[lambda state: print(state.round, flush=True)])
print("kept", len(model.estimators_) if hasattr(model, "estimators_") else model.n_iter_)
"""


@compiled
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_ctrl_c_ends_a_fit_by_a_team_and_keeps_its_rounds():
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if int(line) >= 2:
                break
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 0
    assert rest.splitlines()[-1].startswith("kept")


INTERRUPTED_AT_THE_START = """
import graphtrees as gt
from graphtrees import _threads
from graphtrees.trees import grower
grower.ANSWERS_A_THREAD = 1
submit, n_rounds = _threads.Workers.submit, 0

def interrupted(self, member, rank):
    if n_rounds == 2 and rank == RANK:
        raise KeyboardInterrupt
    return submit(self, member, rank)

def count(state):
    global n_rounds
    n_rounds += 1

_threads.Workers.submit = interrupted
data = gt.datasets.make_red_isolated_vertex(n_graphs=40, n_vertices=10, random_state=0)
model = gt.GraphBoostingClassifier(n_estimators=9, n_jobs=3, random_state=0)
print("kept", model.fit(data.X, data.y, callbacks=[count]).n_iter_)
"""


@compiled
@pytest.mark.parametrize("rank", [0, 1, 2])
def test_ctrl_c_while_a_team_is_called_together_leaves_nobody_waiting(rank):
    program = INTERRUPTED_AT_THE_START.replace("RANK", str(rank))
    called = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(called, capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout == "kept 2\n"
