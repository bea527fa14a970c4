"""The client's side of a fit: start a task on every worker, watch them, end what is left."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from distributed import Client, Future

from graphtrees._warnings import warn_user
from graphtrees.distributed.errors import FitEndedError, WorkerLostError
from graphtrees.distributed.mailbox import NAME, Mailbox
from graphtrees.distributed.part import FitJob, Held, PredictionJob, fit_part, predict_part
from graphtrees.distributed.partitions import Pieces, Source, place
from graphtrees.distributed.progress import shown
from graphtrees.graphs.large import GraphTables

# Seconds without a message after which a worker is asked whether it is there.
TIMEOUT = 30.0
Result = TypeVar("Result")

SECONDS_A_LOOK = 0.1
SECONDS_TO_TELL = 5.0
FAILED = ("error", "cancelled", "lost")
SECONDS_A_COUNT = 1.0  # how often the client asks which workers there are


@dataclass
class Request:
    """What `fit` was asked for: examples, labels that are here, and how to train."""

    model: Any
    train: Source
    sets: dict[str, Source]
    labels: tuple[Any, Any, dict[str, tuple]]
    timeout: float
    shares_trees: bool = False  # every worker gets all examples, and grows some of the trees
    checkpoint: str | None = None  # where the model is saved as it grows


@dataclass(frozen=True)
class Report:
    """What a fit took: messages and bytes that all workers sent."""

    n_workers: int
    n_messages: int
    n_bytes: int


def run_fit(client: Client, request: Request) -> tuple[Any, Report]:
    """The fitted model. Where a worker is lost, the others go on from the checkpoint, if any."""
    lost: set[str] = set()
    while True:
        members = [worker for worker in client.nthreads() if worker not in lost]
        if not members:
            raise WorkerLostError("the cluster has no workers")
        try:
            return _run_once(client, request, members)
        except WorkerLostError as error:
            if request.checkpoint is None or not error.address:
                raise
            lost.add(error.address)
            warn_user(f"{error}; the others go on from the checkpoint {request.checkpoint}")


def _run_once(client: Client, request: Request, members: list[str]) -> tuple[Any, Report]:
    """Nothing of the fit is left on the cluster, whatever happens."""
    fit = f"graphtrees-{uuid.uuid4().hex[:12]}"

    def start() -> tuple[list[Future], list[str]]:
        client.register_plugin(Mailbox(), name=NAME)
        pieces, busy = _place_all(client, request, members)
        return _start(client, fit, request, pieces, busy), busy

    with _ended(client, fit, members), shown(client, fit, request.model.verbose):
        futures, members = _unless_silent(client, members, request.timeout, start)
        try:
            outcomes = _watch(client, futures, members, request.timeout)
        finally:
            client.cancel(futures)
    if len({one.digest for one in outcomes}) > 1:
        raise RuntimeError(
            "the workers have grown different trees: please report this, with the data if you can"
        )
    sent = sum(one.n_messages for one in outcomes), sum(one.n_bytes for one in outcomes)
    return outcomes[0].model, Report(len(members), *sent)


def _unless_silent(
    client: Client, members: list[str], seconds: float, function: Callable[[], Result]
) -> Result:
    """function(), which waits for workers; WorkerLostError names one that does not answer."""
    pool = ThreadPoolExecutor(1)
    future = pool.submit(function)
    pool.shutdown(wait=False)  # its thread ends with the function
    while True:
        try:
            return future.result(seconds)
        except TimeoutError:
            if future.done():
                raise
        _raise_if_silent(client, members, seconds)


def _raise_if_silent(client: Client, members: Sequence[str], seconds: float) -> None:
    silent = client.sync(_find_silent, client, members, seconds)
    if silent:
        raise WorkerLostError(
            f"worker {silent[0]} has not answered for {2 * seconds:g} seconds", silent[0]
        )


async def _find_silent(client: Client, members: Sequence[str], seconds: float) -> list[str]:
    """The workers that do not answer in time."""

    async def is_silent(worker: str) -> bool:
        assert client.scheduler is not None
        asked = client.scheduler.broadcast(msg={"op": "identity"}, workers=[worker])
        try:
            await asyncio.wait_for(asked, seconds)
        except (TimeoutError, OSError):
            return True
        return False

    answers = await asyncio.gather(*map(is_silent, members))
    return [worker for worker, silent in zip(members, answers, strict=True) if silent]


def _place_all(
    client: Client, request: Request, members: list[str]
) -> tuple[dict[str, Pieces], list[str]]:
    """The pieces of the training examples ("") and of each set; and the workers that have some."""
    train = place(client, request.train, members, request.shares_trees)
    busy = [rank for rank, pieces in enumerate(train.of_worker) if pieces]
    members = [members[rank] for rank in busy]
    train = Pieces([train.of_worker[rank] for rank in busy], train.rows)
    sets = {name: place(client, one, members) for name, one in request.sets.items()}
    return {"": train, **sets}, members


def _start(
    client: Client, fit: str, request: Request, pieces: dict[str, Pieces], members: list[str]
) -> list[Future]:
    labels = client.scatter(request.labels, broadcast=True, hash=False, workers=members)
    futures = []
    sources = {"": request.train, **request.sets}
    for rank, worker in enumerate(members):
        held = {name: _held(one, rank, sources[name]) for name, one in pieces.items()}
        key = f"{fit}-{rank}"
        train = replace(held.pop(""), is_whole=request.shares_trees)
        job = FitJob(
            fit,
            key,
            rank,
            members,
            request.model,
            request.timeout,
            train,
            held,
            request.checkpoint,
        )
        sent = [
            piece for name, one in pieces.items() for _, piece in one.of_worker[rank]
            if not sources[name].is_read_by_workers
        ]  # fmt: skip
        futures.append(_submit(client, worker, key, fit_part, job, labels, *sent))
    return futures


def _held(pieces: Pieces, rank: int, source: Source) -> Held:
    """Those pieces that one worker gets."""
    numbers = [number for number, _ in pieces.of_worker[rank]]
    rows = np.concatenate([np.empty(0, np.int64), *(pieces.rows[k] for k in numbers)])
    return Held(numbers, rows, pieces.n, source.files, False, source.tables, source.labelled)


def _submit(client: Client, worker: str, key: str, function: Any, *given: Any) -> Future:
    """A task for one worker alone."""
    return client.submit(
        function, *given, key=key, workers=[worker], allow_other_workers=False, pure=False,
        retries=0,
    )  # fmt: skip


def run_prediction(
    client: Client, model: Any, method: str, tables: GraphTables, timeout: float
) -> np.ndarray:
    """What a model predicts for all vertices of a graph, of which every worker reads a part."""
    client.register_plugin(Mailbox(), name=NAME)
    fit, members = f"graphtrees-{uuid.uuid4().hex[:12]}", list(client.nthreads())
    with _ended(client, fit, members):
        futures = []
        for rank, worker in enumerate(members):
            key = f"{fit}-{rank}"
            job = PredictionJob(fit, key, rank, members, model, timeout, method, tables)
            futures.append(_submit(client, worker, key, predict_part, job))
        try:
            return _watch(client, futures, members, timeout)[0]
        finally:
            client.cancel(futures)


def _watch(
    client: Client, futures: list[Future], members: Sequence[str], seconds: float
) -> list[Any]:
    """Wait for all; the first error ends it, as does a worker that is gone or does not answer."""
    counted = asked = time.monotonic()
    while not all(future.status == "finished" for future in futures):
        failed = [one for one in zip(members, futures, strict=True) if one[1].status in FAILED]
        if failed:
            _raise_first(client, failed)
        if time.monotonic() - counted > SECONDS_A_COUNT:
            counted = time.monotonic()
            _raise_if_gone(client, members)
        if time.monotonic() - asked > seconds:
            _raise_if_silent(client, members, seconds)
            asked = time.monotonic()
        time.sleep(SECONDS_A_LOOK)
    return client.gather(futures)


def _raise_first(client: Client, failed: list[tuple[str, Future]]) -> None:
    """Raise the error that was there first: others followed from it."""
    errors = [(worker, future.exception()) for worker, future in failed if future.status == "error"]
    followed = (FitEndedError, WorkerLostError)
    first = [one for one in errors if not isinstance(one[1], followed)]
    if not first:  # of a worker that is gone, Dask says only that its task is cancelled
        _raise_if_gone(client, [worker for worker, _ in failed])
    for worker, error in first or errors:
        assert error is not None
        error.add_note(f"raised on worker {worker}")
        raise error
    worker = failed[0][0]
    raise WorkerLostError(f"worker {worker} was told to stop, or has lost its data", worker)


def _raise_if_gone(client: Client, members: Sequence[str]) -> None:
    there = client.nthreads()
    for worker in members:
        if worker not in there:
            raise WorkerLostError(f"worker {worker} left the cluster during training", worker)


@contextmanager
def _ended(client: Client, fit: str, members: Sequence[str]) -> Iterator[None]:
    """Tell all workers, at the end, that the fit is over."""
    reason = "the fit is over"
    try:
        yield
    except BaseException as error:
        reason = f"the fit was ended: {type(error).__name__}: {error}"
        raise
    finally:
        there = client.nthreads()
        client.sync(_tell_all, client, fit, reason, [one for one in members if one in there])


async def _tell_all(client: Client, fit: str, reason: str, members: list[str]) -> None:
    """Whoever does not listen, because it hangs or is gone, is not waited for."""
    message = {"op": "graphtrees_end", "fit": fit, "reason": reason}

    async def tell(worker: str) -> None:
        with suppress(OSError, asyncio.TimeoutError):
            assert client.scheduler is not None
            gathered = client.scheduler.broadcast(msg=message, workers=[worker], on_error="ignore")
            await asyncio.wait_for(gathered, SECONDS_TO_TELL)

    await asyncio.gather(*map(tell, members))
