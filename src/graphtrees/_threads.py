"""A pool of threads for kernels that release the GIL. Results never depend on its size."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import cache
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np

from graphtrees._storage import in_same_storage


def count_threads(n_jobs: int | None) -> int:
    """How many threads `n_jobs` means: None is OMP_NUM_THREADS if set, else every core.

    >>> count_threads(3)
    3
    """
    cores = os.cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    if n_jobs is None:
        configured = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
        return int(configured) if configured.isdigit() and int(configured) > 0 else cores
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs must be a non-zero integer or None; got {n_jobs!r}")
    return int(n_jobs) if n_jobs > 0 else max(1, cores + 1 + int(n_jobs))


def one_thread_for_matrices() -> AbstractContextManager:
    """Many small products of matrices inside: threads would only wait for each other."""
    return _libraries_with_threads().limit(limits=1)


@cache
def _libraries_with_threads() -> Any:
    """Looked up once: it takes milliseconds, as long as many a fit of a linear model."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


class Workers:
    """Runs one function over several argument tuples, in threads where there is more than one."""

    def __init__(self, n_threads: int) -> None:
        self.n_threads = n_threads
        # The calling thread works too: waking another one takes as long as a small node.
        self._pool = ThreadPoolExecutor(n_threads - 1) if n_threads > 1 else None
        # A team needs all its members at once, whatever the others are doing.
        self._teams = ThreadPoolExecutor(n_threads) if n_threads > 1 else None

    def each(self, function: Callable, arguments: Iterable[tuple]) -> list:
        """`[function(*a) for a in arguments]`, side by side; the first error is raised."""
        tasks = list(arguments)
        if self._pool is None or len(tasks) < 2:
            return [function(*task) for task in tasks]
        elsewhere = in_same_storage(function)
        futures = [self._pool.submit(elsewhere, *task) for task in tasks[1:]]
        results = {}
        try:
            results[0] = function(*tasks[0])
            for k in range(len(futures), 0, -1):
                if futures[k - 1].cancel():  # not started yet: take it back
                    results[k] = function(*tasks[k])
        finally:
            # Wait only for started futures: waiting for cancelled ones can deadlock, where a
            # task shares out work of its own.
            wait([future for future in futures if not future.cancel()])
        return [results[k] if k in results else futures[k - 1].result() for k in range(len(tasks))]

    def submit(self, function: Callable, *arguments: Any) -> Future:
        """Start a member of a team of threads."""
        assert self._teams is not None
        return self._teams.submit(in_same_storage(function), *arguments)

    def spans(self, n: int, at_least: int, turns: int = 1) -> list[tuple[int, int]]:
        """0..n cut into stretches, none shorter than `at_least` unless it is all.

        One for each thread, or for each of its turns where threads should even each other out.
        """
        most = self.n_threads * turns if self.n_threads > 1 else 1
        parts = max(1, min(most, n // max(1, at_least)))
        return [(n * k // parts, n * (k + 1) // parts) for k in range(parts)]

    def stretches(
        self, ptr: np.ndarray, at_least: int, at_most: int | None = None
    ) -> list[tuple[int, int]]:
        """Items 0, 1, ... cut into stretches that hold about equally much; ptr tells how much.

        Item k owns ptr[k]:ptr[k + 1], counted from 0; a stretch of less than `at_least` is rare.
        There are no more than `at_most` of them.
        """
        n = int(ptr[-1])
        spans = self.spans(n, max(at_least, -(-n // at_most) if at_most else 1))
        if len(spans) == 1:
            return [(0, len(ptr) - 1)]
        cuts = np.searchsorted(ptr, [start for start, _ in spans[1:]]).tolist()
        return list(pairwise(sorted({0, *cuts, len(ptr) - 1})))

    def join(self, arrays: Sequence[np.ndarray]) -> np.ndarray:
        """Arrays end to end; a single one is not copied."""
        if len(arrays) == 1:
            return arrays[0]
        ends = np.cumsum([len(array) for array in arrays])
        out = np.empty((ends[-1], *arrays[0].shape[1:]), arrays[0].dtype)

        def copy(array: np.ndarray, end: int) -> None:
            out[end - len(array) : end] = array

        self.each(copy, zip(arrays, ends.tolist(), strict=True))
        return out

    def close(self) -> None:
        for pool in (self._pool, self._teams):
            if pool is not None:
                pool.shutdown()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# Work that is not shared out.
ONE_THREAD = Workers(1)
