"""1-WL colour refinement of all graphs at once.

The first colour of a vertex is the hash of its features. Each round mixes in the multiset of the
neighbours' colours and of the edges to them. No method that passes messages between neighbours can
tell apart vertices with the same final colour, nor graphs with the same multiset of final colours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees._layout import OFFSET
from graphtrees.graphs import FlatGraphs
from graphtrees.graphs.flat import starts_of
from graphtrees.graphs.hashing import HASH, mix, mix_edges, mix_rows, sums_of_runs

# A path of n vertices needs n / 2 rounds. Few methods look farther than this.
MOST_ROUNDS = 64
FIRST_ROUNDS = 4  # before graphs that differ from all others are left out
# An edge seen from its target, and from its source. They are no small numbers, whose hashes are
# those of vertices that are told apart by their numbers, but digits of pi and of e.
_FORWARD, _BACKWARD = HASH(0x243F6A8885A308D3), HASH(0xB7E151628AED2A6A)


@dataclass(frozen=True)
class Arcs:
    """Neighbours in CSR layout: those of vertex v are `neighbour[start[v]:start[v + 1]]`."""

    start: np.ndarray
    neighbour: np.ndarray
    salt: np.ndarray  # hash of the edge's data and direction

    @classmethod
    def of(cls, flat: FlatGraphs) -> Arcs:
        """Both directions of every edge, over the vertices of all graphs."""
        shift = np.repeat(flat.vertex_ptr[:-1], np.diff(flat.edge_ptr))
        source, target = flat.edges + shift
        edge_hash = mix_edges(flat)
        back = np.ones(len(source), bool) if flat.directed else source != target
        vertex = np.concatenate([target, source[back]])
        neighbour = np.concatenate([source, target[back]])
        direction = _BACKWARD if flat.directed else _FORWARD
        salt = np.concatenate([mix(edge_hash + _FORWARD), mix(edge_hash[back] + direction)])
        order = np.argsort(vertex, kind="stable")
        start = starts_of(np.bincount(vertex, minlength=flat.n_vertices))
        return cls(start, neighbour[order], salt[order])

    def neighbour_hashes(self, colours: np.ndarray) -> np.ndarray:
        """For each vertex, one hash of the multiset of its neighbours' colours."""
        return sums_of_runs(mix(colours[self.neighbour] ^ self.salt), self.start)


@dataclass(frozen=True)
class Refinement:
    """The hash of every vertex, or of every graph, after some rounds."""

    hashes: np.ndarray
    rounds: int
    stable: bool  # whether more rounds would change nothing


def refine(arcs: Arcs, colours: np.ndarray, most_rounds: int = MOST_ROUNDS) -> Refinement:
    """Refine the colours of vertices until they are stable, or for `most_rounds`."""
    n_colours = len(np.unique(colours))
    for rounds in range(most_rounds):
        finer = mix(mix(colours) + arcs.neighbour_hashes(colours))
        n_finer = len(np.unique(finer))
        if n_finer == n_colours:
            return Refinement(colours, rounds, True)
        colours, n_colours = finer, n_finer
    return Refinement(colours, most_rounds, False)


def refine_vertices(flat: FlatGraphs, most_rounds: int = MOST_ROUNDS) -> Refinement:
    """The colours of all vertices of these graphs."""
    return refine(Arcs.of(flat), mix_rows(flat.features), most_rounds)


def refine_graphs(flat: FlatGraphs, most_rounds: int = MOST_ROUNDS) -> Refinement:
    """One hash for each graph: that of the multiset of its vertex colours.

    A few rounds tell most graphs from all others; only those that still have a twin go on.
    """
    hashes = np.zeros(flat.n_graphs, HASH)
    remaining = np.arange(flat.n_graphs)
    colours, n_rounds, step = mix_rows(flat.features), 0, FIRST_ROUNDS
    while True:
        refined = refine(Arcs.of(flat), colours, min(step, most_rounds - n_rounds))
        n_rounds, step = n_rounds + refined.rounds, 2 * step
        hashes[remaining] = now = _graph_hashes(refined.hashes, flat.vertex_ptr)
        _, group, size = np.unique(now, return_inverse=True, return_counts=True)
        has_twin = size[group] > 1
        stable = bool(refined.stable or not has_twin.any())
        if stable or n_rounds >= most_rounds:
            return Refinement(hashes, n_rounds, stable)
        colours = refined.hashes[np.repeat(has_twin, np.diff(flat.vertex_ptr))]
        flat, remaining = flat.take(np.flatnonzero(has_twin)), remaining[has_twin]


def _graph_hashes(colours: np.ndarray, vertex_ptr: np.ndarray) -> np.ndarray:
    sizes = np.diff(vertex_ptr).astype(OFFSET)
    return mix(sums_of_runs(mix(colours), vertex_ptr) ^ mix(sizes))
