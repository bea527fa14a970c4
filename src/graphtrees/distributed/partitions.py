"""Graphs in pieces: what users may give as X, and where each piece goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from dask import is_dask_collection
from distributed import Client, Future, wait

from graphtrees.estimators.scanned import labels_of, weights_of
from graphtrees.graphs import Graph, Graphs
from graphtrees.graphs.large import GraphTables
from graphtrees.graphs.parquet import GraphFiles

FORMS = (
    "Graphs, a folder that graphtrees.scan_parquet has opened, a graph that graphtrees.scan_graph "
    "has opened, a dask.bag of Graph, or a list of delayed Graphs"
)


@dataclass(frozen=True)
class Pieces:
    """The pieces that each worker has: (number of the piece, the piece or a future of it).

    rows[k] are the numbers of the examples of piece k.
    """

    of_worker: list[list[tuple[int, Any]]]
    rows: list[np.ndarray]

    @property
    def n(self) -> int:
        return sum(map(len, self.rows))


@dataclass
class Source:
    """X as given, in pieces that are not placed yet; see `place`."""

    pieces: list[Any] = field(default_factory=list)
    files: GraphFiles | None = None
    in_memory: Graphs | None = None
    tables: GraphTables | None = None  # of one graph, whose vertices are the examples
    labelled: np.ndarray | None = None  # which vertices of this graph have a label

    @property
    def scanned(self) -> GraphFiles | GraphTables | None:
        return self.tables if self.files is None else self.files

    @property
    def is_read_by_workers(self) -> bool:
        return self.scanned is not None


def read_source(X: Any) -> Source:
    """X in the form in which it can be handed out; TypeError for anything else."""
    if isinstance(X, GraphFiles):
        return Source(files=X)
    if isinstance(X, GraphTables):
        return Source(tables=X)
    if isinstance(X, Graphs):
        return Source(in_memory=X)
    if is_dask_collection(X) and hasattr(X, "to_delayed"):
        return Source(pieces=list(X.to_delayed()))
    if isinstance(X, (list, tuple)) and X:
        if all(isinstance(one, Graph) for one in X):
            return Source(in_memory=Graphs(X))
        if all(_is_remote(one) for one in X):
            return Source(pieces=list(X))
    raise TypeError(f"X must be {FORMS}; got {type(X).__name__}")


def _is_remote(thing: Any) -> bool:
    return isinstance(thing, Future) or is_dask_collection(thing)


def place(client: Client, source: Source, workers: Sequence[str], copies: bool = False) -> Pieces:
    """Hand the pieces out, each to one worker: where Dask has it, or evenly.

    With `copies` every worker gets all graphs that are here.
    """
    if copies:
        assert source.in_memory is not None
        future = client.scatter(source.in_memory, broadcast=True, hash=False, workers=list(workers))
        return Pieces([[(0, future)] for _ in workers], [np.arange(len(source.in_memory))])
    if source.tables is not None:  # every worker reads a part
        assert source.labelled is not None
        everyone = [[(k, None)] for k in range(len(workers))]
        return Pieces(everyone, [np.empty(0, np.int64) for _ in workers])
    if source.files is not None:
        counts = [n for _, n in source.files.files]
        return _in_turn(list(range(len(counts))), counts, workers)
    if source.in_memory is not None:
        return _scatter(client, source.in_memory, workers)
    futures = client.compute(source.pieces)
    wait(futures)
    counts = client.gather(client.map(_count, futures, pure=False))
    who = client.who_has(futures)
    of_worker: list[list[tuple[int, Any]]] = [[] for _ in workers]
    for k, future in enumerate(futures):
        having = [w for w in who.get(future.key, ()) if w in workers]
        fewest = min(range(len(workers)), key=lambda rank: len(of_worker[rank]))
        of_worker[workers.index(having[0]) if having else fewest].append((k, future))
    return Pieces(of_worker, _rows(counts))


def _in_turn(pieces: list[Any], counts: list[int], workers: Sequence[str]) -> Pieces:
    """Each piece to the worker that has the fewest examples so far."""
    of_worker: list[list[tuple[int, Any]]] = [[] for _ in workers]
    has = np.zeros(len(workers), np.int64)
    for k, (piece, n) in enumerate(zip(pieces, counts, strict=True)):
        rank = int(np.argmin(has))
        of_worker[rank].append((k, piece))
        has[rank] += n
    return Pieces(of_worker, _rows(counts))


def _scatter(client: Client, graphs: Graphs, workers: Sequence[str]) -> Pieces:
    """Graphs that are here, dealt out."""
    owner = _dealt(np.diff(graphs.flat.vertex_ptr), len(workers))
    rows = [np.flatnonzero(owner == k) for k in range(len(workers))]
    futures = [
        client.scatter(graphs[chosen], workers=[worker], hash=False)
        for chosen, worker in zip(rows, workers, strict=True)
    ]
    return Pieces([[(k, future)] for k, future in enumerate(futures)], rows)


def _dealt(sizes: np.ndarray, n_workers: int) -> np.ndarray:
    """The worker of each graph, from the largest on: 0 1 2, 2 1 0, 0 1 2, ...

    Each has about as many graphs and vertices. The order in which graphs come, often class after
    class, would leave one worker with most graphs of a node, and the others waiting.
    """
    turn, place = np.divmod(np.arange(len(sizes)), n_workers)
    owner = np.empty(len(sizes), np.int64)
    owner[np.argsort(-sizes, kind="stable")] = np.where(turn % 2, n_workers - 1 - place, place)
    return owner


def _rows(counts: list[int]) -> list[np.ndarray]:
    """The numbers of the examples of pieces that follow each other."""
    stops = np.cumsum(counts, dtype=np.int64).tolist()
    return [np.arange(stop - n, stop) for stop, n in zip(stops, counts, strict=True)]


def _count(piece: Any) -> int:
    return len(as_graphs(piece))


def as_graphs(piece: Any) -> Graphs:
    """A piece of X: Graphs, or a list of Graph as a bag has them."""
    if isinstance(piece, Graphs):
        return piece
    graphs = list(piece)
    for one in graphs:
        if not isinstance(one, Graph):
            raise TypeError(f"X must hold graphs in its pieces; got {type(one).__name__}")
    return Graphs(graphs)


def read_labels(client: Client, y: Any, source: Source, what: str) -> Any:
    """Labels or weights of all examples, here: they are small.

    Of one graph, the vertices that have a label are the examples.
    """
    given, scanned = _gathered(client, y), source.scanned
    if scanned is None:
        if isinstance(given, str):
            raise TypeError(f"{what}={y!r} names a column, which only a Parquet folder has")
        return given
    if what == "sample_weight":
        return weights_of(scanned, given, source.labelled)
    labels, source.labelled = labels_of(scanned, given)
    return labels


def _gathered(client: Client, y: Any) -> Any:
    if is_dask_collection(y):
        return np.asarray(client.compute(y, sync=True))
    if isinstance(y, (list, tuple)) and y and _is_remote(y[0]):
        return np.concatenate([np.asarray(one) for one in client.gather(client.compute(list(y)))])
    return y
