"""Tasks shared out to worker processes; a task that fails, hangs or kills its worker is a row."""

from __future__ import annotations

import multiprocessing as mp
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from benchmarks.accuracy.measuring import Task, measure
from benchmarks.processes import THREAD_VARIABLES

Result = tuple[Task, dict[str, Any]]
BEGUN: dict[str, Any] = {}  # what a worker sends when it begins a task


@dataclass
class Worker:
    """A process, the task it is at, and since when: from when it says so, not while it starts."""

    process: Any
    pipe: Connection
    threads: int = 1
    task: Task | None = None
    since: float = float("inf")

    def give(self, task: Task) -> None:
        self.task, self.since = task, float("inf")
        self.pipe.send(task)

    def is_late(self, longest: float) -> bool:
        return time.monotonic() - self.since > longest

    def stop(self) -> None:
        """End the process, now if it is at work."""
        if self.task is None and self.process.is_alive():
            self.pipe.send(None)
            self.process.join(5)
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.pipe.close()


@dataclass(frozen=True)
class Limits:
    """Seconds: after `start` no task is started; `task` is the longest that one may take."""

    start: float = float("inf")
    task: float = float("inf")


def one_thread(task: Task) -> int:
    return 1


def run(
    tasks: Sequence[Task],
    n_cores: int,
    limits: Limits,
    work: Callable[[Task], dict[str, Any]] = measure,
    threads_of: Callable[[Task], int] = one_thread,
) -> Iterator[Result]:
    """Results as they come, in whatever order tasks finish; an error is the column `error`.

    No more threads are at work than there are cores, but for a task that has more by itself.
    """
    waiting, end = list(reversed(tasks)), time.monotonic() + limits.start
    workers: list[Worker] = []
    try:
        while True:
            if time.monotonic() >= end:
                waiting.clear()
            while waiting and _has_room(workers, n_cores, threads_of(waiting[-1])):
                task = waiting.pop()
                _worker(workers, threads_of(task), work).give(task)
            if not any(worker.task for worker in workers):
                return
            yield from _finished(workers, limits.task)
    finally:
        for worker in workers:
            worker.stop()


def _has_room(workers: Sequence[Worker], n_cores: int, n_threads: int) -> bool:
    at_work = sum(worker.threads for worker in workers if worker.task is not None)
    return not at_work or at_work + n_threads <= n_cores


def _worker(workers: list[Worker], n_threads: int, work: Callable[[Task], Any]) -> Worker:
    """An idle worker with so many threads. Without one a new one; idle others end, for memory."""
    idle = [worker for worker in workers if worker.task is None]
    for worker in idle:
        if worker.threads == n_threads:
            return worker
    for worker in idle:
        workers.remove(worker)
        worker.stop()
    workers.append(_start(work, n_threads))
    return workers[-1]


def _finished(workers: list[Worker], longest: float) -> Iterator[Result]:
    """Results that came within a second; workers that died or were too slow are removed."""
    busy = [worker for worker in workers if worker.task is not None]
    ready = set(wait([worker.pipe for worker in busy], timeout=1.0))
    for worker in busy:
        task, columns = worker.task, None
        if worker.pipe in ready:
            columns = _received(worker)
            if columns == BEGUN:
                worker.since = time.monotonic()
                continue
        elif not worker.is_late(longest):
            continue
        if columns is None:
            workers.remove(worker)
            worker.stop()
            columns = {"error": _why_none(worker, longest)}
        worker.task = None
        yield task, columns


def _why_none(worker: Worker, longest: float) -> str:
    if worker.is_late(longest):
        return f"stopped after {longest:.0f} seconds"
    return f"the process ended with exit code {worker.process.exitcode}"


def _received(worker: Worker) -> dict[str, Any] | None:
    """What the worker sent; None if it ended instead."""
    try:
        return worker.pipe.recv()
    except (EOFError, OSError):
        return None


def _start(work: Callable[[Task], Any], n_threads: int) -> Worker:
    """A fresh interpreter, in which every library uses so many threads."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(n_threads)))
    context = mp.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, work), daemon=True)
    process.start()
    theirs.close()
    return Worker(process, ours, n_threads)


def _serve(pipe: Connection, work: Callable[[Task], dict[str, Any]]) -> None:
    """Measure the tasks that come through the pipe, until there are no more."""
    try:
        while (task := pipe.recv()) is not None:
            pipe.send(BEGUN)
            pipe.send(_attempt(work, task))
    except (EOFError, KeyboardInterrupt):
        return


def _attempt(work: Callable[[Task], dict[str, Any]], task: Task) -> dict[str, Any]:
    try:
        return work(task)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:500]}
