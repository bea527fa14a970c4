"""Several workers that train one model together; one alone talks to nobody.

Every worker runs the same fit on its own part of the examples, and makes the same calls here in the
same order. What is exchanged are whole numbers and values as they are, so that the model does not
depend on who has which examples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees._lazy import lazy


class Communicator:
    """This worker is number `rank` of `n_workers`. The base class is one worker alone."""

    rank = 0
    n_workers = 1

    def exchange(self, pieces: Sequence[Any]) -> list[Any]:
        """Send pieces[k] to worker k; returns what each worker sent to this one."""
        return list(pieces)

    def start_exchange(self, pieces: Sequence[Any]) -> Callable[[], list[Any]]:
        """Send pieces as `exchange` does; the function that comes back waits for the others'.

        The pieces may be changed at once. Nothing else may be sent before it is called.
        """
        received = self.exchange(pieces)
        return lambda: received

    def all_gather(self, value: Any) -> list[Any]:
        """What every worker gave, in the order of their ranks."""
        return self.exchange([value] * self.n_workers)

    def all_reduce(self, array: np.ndarray, how: np.ufunc = np.add) -> np.ndarray:
        """The arrays of all workers added up, or combined by another function."""
        return how.reduce(self.all_gather(array), axis=0)

    def any(self, flag: bool) -> bool:
        return any(self.all_gather(bool(flag)))

    def all(self, flag: bool) -> bool:
        return all(self.all_gather(bool(flag)))


ALONE = Communicator()


@dataclass(frozen=True, eq=False)
class Halo:
    """A part of one graph: vertices of this worker, and others that walks to them come from.

    They are numbered within the part, in the order of the whole graph.
    """

    numbers: np.ndarray  # of each vertex in the whole graph, ascending
    is_own: np.ndarray
    n_vertices: int  # of the whole graph
    n_steps: int  # how far from own vertices the part reaches
    sent: list[np.ndarray]  # own vertices that each other worker has in its halo
    received: list[np.ndarray]  # vertices of the halo that each other worker owns

    def complete(self, values: np.ndarray, communicator: Communicator) -> None:
        """Values of the halo (along the last axis) become those that their owners have."""
        pieces = [np.ascontiguousarray(values[..., at]) for at in self.sent]
        for at, piece in zip(self.received, communicator.exchange(pieces), strict=True):
            values[..., at] = piece


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over the graphs of all workers, from which the layout of the data follows."""

    communicator: Communicator = ALONE
    counted: np.ndarray | None = None  # which graphs of this worker count; None: all of them
    halo: Halo | None = None  # where each worker has a part of the same graph
    of_one_graph: bool = False  # all workers have vertices of the same graph: rows of a table

    def add_up(self, *of_graphs: np.ndarray) -> list[int]:
        """The sum over all graphs of each of these numbers, given graph by graph."""
        chosen = slice(None) if self.counted is None else self.counted
        totals = np.array([numbers[chosen].sum() for numbers in of_graphs], np.int64)
        return self.communicator.all_reduce(totals).tolist()

    def n_distinct(self, numbers: np.ndarray) -> int:
        """How many different numbers all workers give."""
        return len(np.unique(np.concatenate(self.communicator.all_gather(np.unique(numbers)))))


HERE = Totals()


@dataclass(frozen=True, eq=False)
class Share:
    """Which examples this worker has: the i-th is number rows[i] of n over all workers."""

    communicator: Communicator
    rows: np.ndarray
    n: int
    halo: Halo | None = None  # where the examples are vertices of one graph in parts

    @lazy
    def rows_of_all(self) -> list[np.ndarray]:
        """The rows of every worker."""
        return self.communicator.all_gather(self.rows)

    def in_order(self, values: np.ndarray) -> np.ndarray:
        """Values of the examples of all workers, in the order of the examples."""
        parts = self.communicator.all_gather(np.ascontiguousarray(values))
        out = np.empty((self.n, *values.shape[1:]), values.dtype)
        for rows, part in zip(self.rows_of_all, parts, strict=True):
            out[rows] = part
        return out

    def take(self, rows: np.ndarray) -> tuple[Share, np.ndarray]:
        """The share of some of the examples, and which of this worker's examples they are."""
        place = np.full(self.n, -1, np.int64)
        place[rows] = np.arange(len(rows))
        chosen = np.flatnonzero(place[self.rows] >= 0)
        return Share(self.communicator, place[self.rows[chosen]], len(rows), self.halo), chosen


@dataclass(frozen=True, eq=False)
class Part:
    """The examples that this worker has, as `X` of a fit by several workers."""

    X: Any
    share: Share

    def __len__(self) -> int:
        return self.share.n


@dataclass(frozen=True, eq=False)
class Copies:
    """Examples that every worker has, as `X` of a fit whose trees are shared out: a forest."""

    X: Any
    communicator: Communicator


def workers_of(X: Any) -> Communicator:
    """The workers that train together on examples as `fit` gets them."""
    if isinstance(X, Part):
        return X.share.communicator
    return X.communicator if isinstance(X, Copies) else ALONE
