"""What one worker does of a fit."""

from __future__ import annotations

import copy
import hashlib
import platform
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
from distributed import Worker, get_worker, secede

import graphtrees
from graphtrees._communicator import Communicator, Copies, Halo, Part, Share
from graphtrees.distributed.communicator import DaskCommunicator
from graphtrees.distributed.heap import arrays_from_heap
from graphtrees.distributed.mailbox import NAME
from graphtrees.distributed.partitions import as_graphs
from graphtrees.distributed.progress import report_to_client
from graphtrees.estimators import Checkpoint
from graphtrees.estimators.reach import steps_needed
from graphtrees.files.layout import TREE_FIELDS
from graphtrees.graphs import Graphs
from graphtrees.graphs.flat import FlatGraphs
from graphtrees.graphs.joining import concatenate
from graphtrees.graphs.large import GraphTables
from graphtrees.graphs.large.loading import load_part, own_vertices
from graphtrees.graphs.parquet import GraphFiles
from graphtrees.validation.models import fitted_trees


@dataclass(frozen=True)
class Held:
    """Examples as one worker gets them: its pieces, and which of all n examples they hold."""

    numbers: list[int]
    rows: np.ndarray
    n: int
    files: GraphFiles | None = None
    is_whole: bool = False  # this worker has all examples
    tables: GraphTables | None = None  # of one graph, of which every worker reads a part
    labelled: np.ndarray | None = None  # the vertices of this graph that are examples


@dataclass(frozen=True)
class Job:
    """What a worker needs to take part; `fit` names what all of them work on."""

    fit: str
    key: str
    rank: int
    addresses: list[str]
    model: Any
    timeout: float


@dataclass(frozen=True)
class FitJob(Job):
    """A fit, as every worker gets it. Names in `sets` are those of eval_set, in order."""

    train: Held
    sets: dict[str, Held]
    checkpoint: str | None = None


@dataclass(frozen=True)
class PredictionJob(Job):
    """A prediction for all vertices of a graph, as every worker gets it."""

    method: str
    tables: GraphTables


@dataclass(frozen=True)
class Outcome:
    """What a worker has to show: the model (the first worker alone), its hash, what it sent."""

    model: Any
    digest: str
    n_messages: int
    n_bytes: int


def fit_part(job: FitJob, labels: Any, *pieces: Any) -> Outcome:
    """Train together with the other workers; `pieces` are those of X, then those of `job.sets`.

    labels = (y, sample_weight, {name of set: (y, weight)}).
    """
    worker = get_worker()
    with joined(job) as communicator, unprofiled(worker), arrays_from_heap():
        return _fit_together(job, communicator, worker, labels, list(pieces))


def _fit_together(
    job: FitJob, communicator: DaskCommunicator, worker: Worker, labels: Any, left: list[Any]
) -> Outcome:
    y, weight, of_sets = labels
    parts = Parts(steps_needed(job.model), communicator)
    X = _read(job.train, left, parts)
    given = _checkpoint(job, communicator)
    if job.sets:
        given["eval_set"] = {
            name: (_read(held, left, parts), *of_sets[name]) for name, held in job.sets.items()
        }
    tells = job.rank == 0 or job.train.is_whole
    with report_to_client(worker, job.fit, tells and bool(job.model.verbose)):
        model = _fit(job, X, y, weight, given, worker.state.nthreads)
    sent = communicator.n_messages, communicator.n_bytes
    return Outcome(model if job.rank == 0 else None, _hash(model), *sent)


@contextmanager
def joined(job: Job) -> Iterator[DaskCommunicator]:
    """Meet the other workers; at the end, no message for this one is kept."""
    secede()  # other fits must be able to start on this worker, or two might wait for each other
    worker = get_worker()
    mailbox: Any = worker.plugins[NAME]

    def is_wanted() -> bool:
        task = worker.state.tasks.get(job.key)
        return task is not None and task.state != "cancelled"

    communicator = DaskCommunicator(
        mailbox, job.fit, job.rank, job.addresses, job.timeout, is_wanted
    )
    try:
        check_versions(communicator, job.addresses)
        yield communicator
    finally:
        loop = worker.loop.asyncio_loop  # type: ignore[attr-defined]
        loop.call_soon_threadsafe(mailbox.forget, job.fit, "the fit is over")


@contextmanager
def unprofiled(worker: Worker) -> Iterator[None]:
    """Hide this thread from Dask's profiler: it looks at all calls of a task 100 times a second.

    That takes the longer, the deeper a task is in calls.
    """
    thread = threading.get_ident()
    with worker.active_threads_lock:
        key = worker.active_threads.pop(thread, None)
    try:
        yield
    finally:
        with worker.active_threads_lock:
            if key is not None:
                worker.active_threads[thread] = key  # Dask removes it when the task is done


def predict_part(job: PredictionJob) -> Any:
    """Predict for the vertices of a graph together with the other workers; the first has all."""
    with joined(job) as communicator:
        model = copy.copy(job.model)  # workers of one process may have the same object
        n_steps = max(1, fitted_trees(model).questions.max_walk_length)
        part = Parts(n_steps, communicator).vertices(job.tables, np.arange(len(job.tables)))
        n_threads = get_worker().state.nthreads
        model.set_params(n_jobs=n_threads if model.n_jobs is None else model.n_jobs)
        predicted = getattr(model, job.method)(part)
        return predicted if job.rank == 0 else None


class Parts:
    """Graphs of which this worker has a part, each read once."""

    def __init__(self, n_steps: int, communicator: Communicator) -> None:
        self.n_steps, self.communicator = n_steps, communicator
        self._read: dict[int, tuple[FlatGraphs, Halo]] = {}

    def vertices(self, tables: GraphTables, chosen: np.ndarray) -> Part:
        """Those of the chosen vertices that this worker owns."""
        if id(tables) not in self._read:
            self._read[id(tables)] = load_part(tables, self.n_steps, self.communicator)
        flat, halo = self._read[id(tables)]
        vertices, rows = own_vertices(flat, halo, chosen)
        return Part(vertices, Share(self.communicator, rows, len(chosen), halo))


def _checkpoint(job: FitJob, communicator: Communicator) -> dict[str, Any]:
    """Arguments of `fit`: go on from the checkpoint if it is there; the first worker writes it."""
    if job.checkpoint is None:
        return {}
    seen = communicator.all_gather(Path(job.checkpoint).exists())
    if any(seen) and not all(seen):
        blind = job.addresses[seen.index(False)]
        raise FileNotFoundError(
            f"worker {blind} does not see the checkpoint {job.checkpoint}: it must be on storage "
            "that all workers share"
        )
    given: dict[str, Any] = {"resume_from": job.checkpoint} if all(seen) else {}
    if job.rank == 0:
        given["callbacks"] = [Checkpoint(job.checkpoint)]
    return given


def _fit(job: Job, X: Any, y: Any, weight: Any, given: dict[str, Any], n_threads: int) -> Any:
    """Train with as many threads as the worker has, where the user does not say how many.

    What a worker computes with is no part of the model, nor of its file.
    """
    model, n_jobs = job.model, job.model.n_jobs
    model.set_params(n_jobs=n_threads if n_jobs is None else n_jobs)
    model.fit(X, y, sample_weight=weight, **given)
    model.set_params(n_jobs=n_jobs)
    fitted_trees(model).training.parameters["n_jobs"] = n_jobs
    return model


def _hash(model: Any) -> str:
    """The trees in one number, to see that all workers have grown the same."""
    digest = hashlib.blake2b(digest_size=16)
    for tree in fitted_trees(model).trees:
        for name in TREE_FIELDS:
            digest.update(np.ascontiguousarray(getattr(tree, name)).tobytes())
    return digest.hexdigest()


def check_versions(communicator: Communicator, addresses: list[str]) -> None:
    """All workers must compute alike; an error names the first that has other versions."""
    here = {
        "graphtrees": graphtrees.__version__, "numpy": np.__version__,
        "numba": numba.__version__, "python": platform.python_version(),
    }  # fmt: skip
    gathered = communicator.all_gather(here)
    for address, there in zip(addresses, gathered, strict=True):
        for name, version in there.items():
            if version != gathered[0][name]:
                raise RuntimeError(
                    f"worker {address} has {name} {version}, worker {addresses[0]} has "
                    f"{gathered[0][name]}: workers that train together need the same versions"
                )


def _read(held: Held, left: list[Any], parts: Parts) -> Part | Copies:
    """This worker's examples; takes its pieces from the front of `left`."""
    if held.tables is not None:
        assert held.labelled is not None
        return parts.vertices(held.tables, held.labelled)
    communicator = parts.communicator
    pieces: list[Graphs] = []
    for number in held.numbers:
        if held.files is not None:
            pieces.append(held.files.read(number))
        else:
            pieces.append(as_graphs(left.pop(0)))
    if held.is_whole:
        return Copies(pieces[0], communicator)
    graphs = alike(pieces, held.numbers, communicator)
    return Part(graphs, Share(communicator, held.rows, held.n))


def alike(pieces: list[Graphs], numbers: list[int], communicator: Communicator) -> Graphs:
    """The pieces of this worker as one, with the labels that the graphs of all workers have.

    Every piece is made known by one of its graphs, so that pieces are joined, and checked to go
    together, as if all were here; the borrowed graphs are left out again.
    """
    samples = {k: _sample(piece) for k, piece in zip(numbers, pieces, strict=True)}
    gathered: dict[int, Graphs] = {}
    for one in communicator.all_gather(samples):
        gathered |= one
    own = dict(zip(numbers, pieces, strict=True))
    joined = [own.get(k, gathered[k]) for k in sorted(gathered)]
    is_mine = np.concatenate(
        [np.full(len(own.get(k, gathered[k])), k in own) for k in sorted(gathered)]
    )
    return Graphs._of(concatenate([one.flat for one in joined]), np.flatnonzero(is_mine))


def _sample(piece: Graphs) -> Graphs:
    """One graph, with edges if any has them; none of a piece without graphs."""
    n_edges = np.diff(piece.flat.edge_ptr)
    return piece[np.argmax(n_edges > 0) : np.argmax(n_edges > 0) + 1] if len(piece) else piece
