"""One graph shared out over several workers: to each its own vertices, and a halo around them.

    own vertices     a b            edges of every vertex that is fewer than `n_steps` steps away
    1 step away      c d e          are there, with the vertices at their ends; walks of `n_steps`
    2 steps away     f g            steps that end in a or b see the same as in the whole graph

Vertices are known by their numbers in the whole graph, and keep their order.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from graphtrees._communicator import Communicator, Halo
from graphtrees._layout import OFFSET
from graphtrees.graphs.flat import FlatGraphs


@dataclass(frozen=True, eq=False)
class _Rows:
    """Columns of equal length; None where there is none."""

    def take(self, rows: Any) -> Self:
        return type(self)(*(_of_rows(getattr(self, one.name), rows) for one in fields(self)))

    @classmethod
    def joined(cls, pieces: list[Self]) -> Self:
        return cls(*(_stacked([getattr(p, one.name) for p in pieces]) for one in fields(cls)))


@dataclass(frozen=True, eq=False)
class VertexRows(_Rows):
    """Some vertices, by their numbers in the whole graph."""

    number: np.ndarray
    features: np.ndarray | sp.csr_array
    names: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class EdgeRows(_Rows):
    """Some edges: the vertices at their ends (n, 2), and the workers that own these."""

    number: np.ndarray
    ends: np.ndarray
    owners: np.ndarray
    weights: np.ndarray | None = None
    types: np.ndarray | None = None
    features: np.ndarray | None = None


def make_part(
    vertices: VertexRows, edges: EdgeRows, whole: FlatGraphs, n_vertices: int, n_steps: int,
    communicator: Communicator,
) -> tuple[FlatGraphs, Halo]:  # fmt: skip
    """This worker's part of a graph, from its own vertices and any share of the edges.

    `whole` is a graph without vertices that tells what all parts have in common: names, labels of
    categories, whether edges have a direction.
    """
    vertices = vertices.take(np.argsort(vertices.number, kind="stable"))
    edges, around, owner = _reach_out(vertices.number, edges, n_steps, communicator)
    halo = _meet(vertices.number, around, owner, n_vertices, n_steps, communicator)
    rows = _gather_features(vertices, halo, communicator)
    flat = replace(
        whole,
        vertex_ptr=np.array([0, len(halo.numbers)], OFFSET),
        edge_ptr=np.array([0, len(edges.number)], OFFSET),
        edges=np.ascontiguousarray(np.searchsorted(halo.numbers, edges.ends).T.astype(np.int64)),
        features=rows.features,
        vertex_names=rows.names,
        edge_weights=edges.weights,
        edge_types=edges.types,
        edge_features=edges.features,
    )
    return flat, halo


def _reach_out(
    own: np.ndarray, edges: EdgeRows, n_steps: int, communicator: Communicator
) -> tuple[EdgeRows, np.ndarray, np.ndarray]:
    """The edges of the part; the vertices of its halo, and who owns these."""
    everyone = range(communicator.n_workers)
    pieces = [edges.take((edges.owners == k).any(axis=1)) for k in everyone]
    own_edges = EdgeRows.joined(communicator.exchange(pieces))
    incident = _Incident.of(own_edges) if n_steps > 1 else None
    collected, known = own_edges, own
    halo, owner = _other_ends(own_edges, own)
    for _ in range(1, n_steps):
        is_new = ~np.isin(halo, known)
        asked = [halo[is_new & (owner == k)] for k in everyone]
        known = np.union1d(known, halo)
        wanted = communicator.exchange(asked)
        assert incident is not None
        received = communicator.exchange(
            [own_edges.take(incident.of_vertices(some)) for some in wanted]
        )
        collected = EdgeRows.joined([collected, *received])
        collected = collected.take(np.unique(collected.number, return_index=True)[1])
        halo, owner = _other_ends(collected, own)
    return collected, halo, owner


def _other_ends(edges: EdgeRows, own: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The vertices at the ends of edges that are not own, and who owns them."""
    numbers, first = np.unique(edges.ends, return_index=True)
    is_other = ~np.isin(numbers, own)
    return numbers[is_other], edges.owners.ravel()[first[is_other]]


@dataclass(frozen=True)
class _Incident:
    """Ends of edges in order, each with its edge."""

    ends: np.ndarray
    edge: np.ndarray

    @classmethod
    def of(cls, edges: EdgeRows) -> _Incident:
        ends = edges.ends.ravel()
        order = np.argsort(ends, kind="stable")
        return cls(ends[order], order // 2)

    def of_vertices(self, vertices: np.ndarray) -> np.ndarray:
        """The edges of these vertices, each once."""
        start = np.searchsorted(self.ends, vertices, "left")
        counts = np.searchsorted(self.ends, vertices, "right") - start
        first = np.repeat(start - (np.cumsum(counts) - counts), counts)
        return np.unique(self.edge[first + np.arange(len(first))])


def _meet(
    own: np.ndarray, around: np.ndarray, owner: np.ndarray, n_vertices: int, n_steps: int,
    communicator: Communicator,
) -> Halo:  # fmt: skip
    """Tell every owner which of its vertices this worker has in its halo."""
    numbers = np.sort(np.concatenate([own, around]))
    received = [around[owner == k] for k in range(communicator.n_workers)]
    sent = communicator.exchange(received)
    return Halo(
        numbers, np.isin(numbers, own), n_vertices, n_steps,
        [np.searchsorted(numbers, some) for some in sent],
        [np.searchsorted(numbers, some) for some in received],
    )  # fmt: skip


def _gather_features(vertices: VertexRows, halo: Halo, communicator: Communicator) -> VertexRows:
    """Own vertices and those of the halo, in order."""
    place = np.cumsum(halo.is_own) - 1  # of an own vertex, among the own
    received = communicator.exchange([vertices.take(place[at]) for at in halo.sent])
    rows = VertexRows.joined([vertices, *received])
    return rows.take(np.argsort(rows.number, kind="stable"))


def _of_rows(column: Any, rows: Any) -> Any:
    return None if column is None else column[rows]


def _stacked(columns: list[Any]) -> Any:
    if columns[0] is None:
        return None
    if sp.issparse(columns[0]):
        return sp.csr_array(sp.vstack(columns, format="csr"))
    return np.concatenate(columns)
