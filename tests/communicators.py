"""Workers that train together inside one process, a thread each; and the law that they obey."""

from __future__ import annotations

import copy
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pandas.testing import assert_frame_equal

from graphtrees._communicator import Communicator, Part, Share
from graphtrees.estimators.watching import choose


class _Meeting:
    """Where the workers of one group leave what they send."""

    def __init__(self, n_workers: int) -> None:
        self.barrier = threading.Barrier(n_workers)
        self.sent: list[Any] = [None] * n_workers


class ThreadCommunicator(Communicator):
    """One worker of several in one process."""

    def __init__(self, meeting: _Meeting, rank: int, n_workers: int) -> None:
        self.meeting, self.rank, self.n_workers = meeting, rank, n_workers
        self.n_exchanges = 0
        self.n_bytes = 0  # sent to others

    def exchange(self, pieces: Sequence[Any]) -> list[Any]:
        """Everyone leaves its pieces, then takes those meant for it."""
        assert len(pieces) == self.n_workers
        self.n_exchanges += 1
        self.n_bytes += sum(_n_bytes(one) for k, one in enumerate(pieces) if k != self.rank)
        self.meeting.sent[self.rank] = pieces
        self.meeting.barrier.wait(timeout=300)
        taken = [copy.deepcopy(one[self.rank]) for one in self.meeting.sent]
        self.meeting.barrier.wait(timeout=300)
        return taken


def _n_bytes(value: Any) -> int:
    """About how many bytes a value takes on its way."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, (list, tuple)):
        return sum(map(_n_bytes, value))
    return 8


def train_together(model: Any, X: Any, y: Any, owner: np.ndarray, **given: Any) -> list[Any]:
    """A copy of the model for each worker, fitted together; owner[i] has example i."""
    n_workers = int(owner.max()) + 1

    def fit(communicator: Communicator) -> Any:
        rows = np.flatnonzero(owner == communicator.rank)
        part = Part(choose(X, rows), Share(communicator, rows, len(owner)))
        return copy.deepcopy(model).fit(part, y, **given)

    return run_workers(fit, n_workers)


def run_workers(function: Callable[[Communicator], Any], n_workers: int) -> list[Any]:
    """function(communicator) for every worker, side by side; the first error is raised."""
    meeting = _Meeting(n_workers)
    results: list[Any] = [None] * n_workers
    errors: list[BaseException] = []

    def run(rank: int) -> None:
        try:
            results[rank] = function(ThreadCommunicator(meeting, rank, n_workers))
        except threading.BrokenBarrierError as error:
            errors.append(error)
        except BaseException as error:
            errors.insert(0, error)
            meeting.barrier.abort()

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(n_workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def text_of(model: Any) -> bytes:
    """The model as it is saved."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        return path.read_bytes()


def assert_law(model: Any, X: Any, y: Any, owner: np.ndarray, **given: Any) -> Any:
    """Every worker has the model that one machine would have made; returns that one."""
    alone = copy.deepcopy(model).fit(X, y, **given)
    for one in train_together(model, X, y, np.asarray(owner), **given):
        frames = one.trees_to_dataframe(), alone.trees_to_dataframe()
        assert_frame_equal(*frames, check_exact=True)
        assert text_of(one) == text_of(alone)
        for name in ("evals_result_", "oob_score_"):
            assert getattr(one, name, None) == getattr(alone, name, None)
    return alone
