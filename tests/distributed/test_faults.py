"""Whatever happens to a worker, a fit ends with one error that names it, or goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import dask
import numpy as np
import pytest
from graph_tables import random_tables, write_tables

import graphtrees as gt
from graphtrees.distributed import DaskGraphBoostingClassifier, WorkerLostError
from graphtrees.distributed.mailbox import NAME
from graphtrees.estimators.saving import file_text

DATA = gt.datasets.make_red_isolated_vertex(n_graphs=61, n_vertices=8, random_state=0)
X, Y = DATA.X, DATA.y

pytestmark = [
    pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs signals of POSIX"),
    pytest.mark.filterwarnings("ignore:.*scattering.*:UserWarning"),
]


def boosting(n_rounds: int) -> DaskGraphBoostingClassifier:
    return DaskGraphBoostingClassifier(n_rounds, min_samples_leaf=2, random_state=0)


def wait_until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 300
    while not happened():
        assert time.monotonic() < deadline, "it has not happened"
        time.sleep(0.05)


def is_fitting(client, address: str) -> bool:
    """Whether this worker has a task of a fit."""

    def fitting(dask_worker) -> bool:
        return any(str(key).startswith("graphtrees-") for key in dask_worker.state.tasks)

    return client.run(fitting, workers=[address])[address]


class Signals:
    """Sends a signal to the last worker in the middle of a fit.

    That is half a second after the fit has begun, or as soon as there is a file: its checkpoint.
    """

    def __init__(self, client, number: int, file: Path | None = None) -> None:
        self.client, self.number, self.file = client, number, file
        self.address, self.pid = list(client.run(os.getpid).items())[-1]
        self.thread = threading.Thread(target=self._send)

    def _send(self) -> None:
        wait_until(lambda: is_fitting(self.client, self.address))
        if self.file is None:
            time.sleep(0.5)
        else:
            wait_until(self.file.exists)
        os.kill(self.pid, self.number)

    def __enter__(self) -> Signals:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.thread.join()


@contextmanager
def reading_replaced(client, make) -> Iterator[str]:
    """On the last worker make(alike) takes the place of alike, which joins what it has read."""

    def replace() -> None:
        from graphtrees.distributed import part

        part.true_alike, part.alike = part.alike, make(part.alike)

    def restore() -> None:
        from graphtrees.distributed import part

        part.alike = part.true_alike

    address = list(client.nthreads())[-1]
    client.run(replace, workers=[address])
    try:
        yield address
    finally:
        client.run(restore, workers=[address])


def left_behind(client) -> list:
    """Tasks and messages that workers still have of fits."""

    def count(dask_worker):
        mailbox = dask_worker.plugins.get(NAME)
        running = [key for key in dask_worker.state.tasks if str(key).startswith("graphtrees-")]
        return running + ([] if mailbox is None else list(mailbox.inboxes))

    deadline = time.monotonic() + 60
    while any(left := list(client.run(count).values())) and time.monotonic() < deadline:
        time.sleep(0.2)
    return [one for one in left if one]


def test_a_worker_that_is_killed_is_named(fresh_client):
    boosting(1).fit(X, Y)
    sent = Signals(fresh_client, signal.SIGKILL)
    with sent, pytest.raises(WorkerLostError, match=sent.address):
        boosting(1000).fit(X, Y)
    assert not left_behind(fresh_client)


def test_after_a_kill_the_others_go_on_from_the_checkpoint(fresh_client, tmp_path):
    path = tmp_path / "run.json"
    boosting(1).fit(X, Y)
    sent = Signals(fresh_client, signal.SIGKILL, path)
    with sent, pytest.warns(UserWarning, match="go on from the checkpoint"):
        remote = boosting(400).fit(X, Y, checkpoint=path)
    local = gt.GraphBoostingClassifier(400, min_samples_leaf=2, random_state=0).fit(X, Y)
    assert file_text(remote) == file_text(local)


def test_a_worker_that_has_a_part_of_one_graph_may_be_killed_too(fresh_client, tmp_path):
    tables = gt.scan_graph(*write_tables(tmp_path, *random_tables()))
    boosting(1).fit(tables, "label")
    sent = Signals(fresh_client, signal.SIGKILL)
    with sent, pytest.raises(WorkerLostError, match=sent.address):
        boosting(2000).fit(tables, "label")
    assert not left_behind(fresh_client)
    fresh_client.wait_for_workers(2)
    boosting(1).fit(tables, "label")
    path = tmp_path / "run.json"
    sent = Signals(fresh_client, signal.SIGKILL, path)
    with sent, pytest.warns(UserWarning, match=f"{sent.address}.*go on from the checkpoint"):
        remote = boosting(400).fit(tables, "label", checkpoint=path)
    rows, y = tables.labelled("label")
    local = gt.GraphBoostingClassifier(400, min_samples_leaf=2, random_state=0)
    local.fit(tables.read_all().vertices[rows], y)
    assert file_text(remote) == file_text(local)


def test_a_worker_without_memory_is_named(client):
    """NumPy cannot have what it asks for."""

    def too_much(_):
        return lambda *_: np.empty(2**56)

    with (
        reading_replaced(client, too_much) as address,
        pytest.raises(MemoryError, match="Unable to allocate") as raised,
    ):
        boosting(2).fit(X, Y)
    assert raised.value.__notes__ == [f"raised on worker {address}"]
    assert not left_behind(client)


def test_a_worker_that_its_nanny_kills_for_memory_is_named(small_client):
    def take_more_and_more() -> None:
        from graphtrees.distributed import part

        def alike(*_):
            taken = []
            while True:
                taken.append(np.ones(2**20))
                time.sleep(0.01)

        part.alike = alike

    address = list(small_client.nthreads())[-1]
    small_client.run(take_more_and_more, workers=[address])
    with pytest.raises(WorkerLostError, match=address):
        boosting(2).fit(X, Y)
    assert not left_behind(small_client)


def test_a_worker_that_hangs_is_named_in_time(fresh_client):
    boosting(1).fit(X, Y)
    start = time.monotonic()
    with Signals(fresh_client, signal.SIGSTOP) as sent:
        try:
            with pytest.raises(WorkerLostError, match="has not answered for 6 seconds") as raised:
                boosting(1000).fit(X, Y, timeout=3)
        finally:
            sent.thread.join()
            os.kill(sent.pid, signal.SIGCONT)
    assert raised.value.address == sent.address
    assert time.monotonic() - start < 120
    assert not left_behind(fresh_client)


def test_a_slow_worker_is_waited_for(client):
    """It answers, so it is not lost, however long its part takes."""

    def slowly(quick):
        def alike(*given):
            time.sleep(8)  # more than twice the timeout, after which it would be lost
            return quick(*given)

        return alike

    boosting(1).fit(X, Y)  # imports, during which a worker cannot answer
    with reading_replaced(client, slowly):
        remote = boosting(2).fit(X, Y, timeout=3)
    local = gt.GraphBoostingClassifier(2, min_samples_leaf=2, random_state=0).fit(X, Y)
    assert file_text(remote) == file_text(local)


def test_an_error_on_one_worker_is_raised_with_its_name(client):
    """Walks that overflow are refused where they are; nobody else sees that graph."""
    graphs = [gt.Graph([[1.0], [2.0]], [(0, 1)]) for _ in range(40)]
    graphs[39] = gt.Graph([[3e38], [3e38]], [(0, 1)])
    with pytest.raises(ValueError, match="overflow float32") as raised:
        boosting(2).fit(graphs, np.arange(40) % 2)
    assert "raised on worker tcp://" in raised.value.__notes__[0]
    assert not left_behind(client)


def test_workers_without_graphs_take_no_part(client):
    pieces = [dask.delayed(X)[:0], dask.delayed(X), dask.delayed(X)[:0]]
    remote = boosting(2).fit(pieces, Y)
    local = gt.GraphBoostingClassifier(2, min_samples_leaf=2, random_state=0).fit(X, Y)
    assert file_text(remote) == file_text(local)


def test_other_versions_on_a_worker_are_told(client):
    address = list(client.nthreads())[-1]

    def pretend(version):
        import graphtrees

        graphtrees.__version__ = version

    client.run(pretend, "0.0.1", workers=[address])
    with pytest.raises(RuntimeError, match=r"has graphtrees .* need the same versions"):
        boosting(2).fit(X, Y)
    client.run(pretend, gt.__version__, workers=[address])


def test_a_worker_that_joins_late_changes_nothing(fresh_client):
    boosting(1).fit(X, Y)
    timer = threading.Timer(0.5, fresh_client.cluster.scale, (3,))
    timer.start()
    remote = boosting(60).fit(X, Y)
    timer.join()
    local = gt.GraphBoostingClassifier(60, min_samples_leaf=2, random_state=0).fit(X, Y)
    assert file_text(remote) == file_text(local)
    fresh_client.wait_for_workers(3)
    assert boosting(2).fit(X, Y).cluster_report_.n_workers == 3


def test_when_the_client_is_gone_the_workers_stop(fresh_client, tmp_path):
    script = tmp_path / "client.py"
    script.write_text(
        textwrap.dedent("""
        import sys
        import graphtrees as gt
        from distributed import Client
        from graphtrees.distributed import DaskGraphBoostingClassifier

        with Client(sys.argv[1]):
            data = gt.datasets.make_red_isolated_vertex(n_graphs=61, n_vertices=8, random_state=0)
            DaskGraphBoostingClassifier(100_000, random_state=0).fit(data.X, data.y)
        """)
    )
    with subprocess.Popen([sys.executable, script, fresh_client.scheduler.address]) as child:
        try:
            for address in fresh_client.nthreads():
                wait_until(lambda address=address: is_fitting(fresh_client, address))
        finally:
            child.kill()
    assert not left_behind(fresh_client)
