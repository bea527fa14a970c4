"""1-WL refinement of all graphs at once.

Every vertex starts with the hash of its features. In a round it takes in the multiset of what its
neighbours hold, along with the edges they are joined by. Vertices that end with one colour cannot
be told apart by any method that passes messages between neighbours; nor can graphs that end with
the same colours, each as often.
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
_FORWARD, _BACKWARD = HASH(1), HASH(2)  # an edge met at its target, and at its source


@dataclass(frozen=True)
class Arcs:
    """What each vertex hears: vertex v hears `sender[start[v]:start[v + 1]]`."""

    start: np.ndarray
    sender: np.ndarray
    salt: np.ndarray  # what the edge carries, and its direction

    @classmethod
    def of(cls, flat: FlatGraphs) -> Arcs:
        """Both ways of every edge, over the vertices of all graphs."""
        shift = np.repeat(flat.vertex_ptr[:-1], np.diff(flat.edge_ptr))
        source, target = flat.edges + shift
        carried = mix_edges(flat)
        back = np.ones(len(source), bool) if flat.directed else source != target
        receiver = np.concatenate([target, source[back]])
        sender = np.concatenate([source, target[back]])
        way = _BACKWARD if flat.directed else _FORWARD
        salt = np.concatenate([mix(carried + _FORWARD), mix(carried[back] + way)])
        order = np.argsort(receiver, kind="stable")
        start = starts_of(np.bincount(receiver, minlength=flat.n_vertices))
        return cls(start, sender[order], salt[order])

    def heard(self, colours: np.ndarray) -> np.ndarray:
        """The multiset of colours that each vertex hears, as one word."""
        return sums_of_runs(mix(colours[self.sender] ^ self.salt), self.start)


@dataclass(frozen=True)
class Colours:
    """The colour of every vertex, and how it was come by."""

    of_vertex: np.ndarray
    rounds: int
    stable: bool  # whether more rounds would change nothing


@dataclass(frozen=True)
class GraphWords:
    """One word for the multiset of colours of each graph, and how it was come by."""

    words: np.ndarray
    rounds: int
    stable: bool


def refine(arcs: Arcs, colours: np.ndarray, most_rounds: int = MOST_ROUNDS) -> Colours:
    """Let neighbours speak until nobody learns anything new, or for `most_rounds`."""
    n_colours = len(np.unique(colours))
    for rounds in range(most_rounds):
        finer = mix(mix(colours) + arcs.heard(colours))
        n_finer = len(np.unique(finer))
        if n_finer == n_colours:
            return Colours(colours, rounds, True)
        colours, n_colours = finer, n_finer
    return Colours(colours, most_rounds, False)


def refine_graphs(flat: FlatGraphs, most_rounds: int = MOST_ROUNDS) -> Colours:
    """The colours of all vertices of these graphs."""
    return refine(Arcs.of(flat), mix_rows(flat.features), most_rounds)


def words_of_graphs(flat: FlatGraphs, most_rounds: int = MOST_ROUNDS) -> GraphWords:
    """Refine until all graphs differ that ever will, leaving out those that differ already.

    A few rounds tell most graphs from all others; only those that still have a twin go on.
    """
    words = np.zeros(flat.n_graphs, HASH)
    places = np.arange(flat.n_graphs)
    colours, done, stretch = mix_rows(flat.features), 0, FIRST_ROUNDS
    while True:
        found = refine(Arcs.of(flat), colours, min(stretch, most_rounds - done))
        done, stretch = done + found.rounds, 2 * stretch
        now = _words(found.of_vertex, flat.vertex_ptr)
        words[places] = now
        twins = _that_repeat(now)
        if found.stable or not twins.any() or done >= most_rounds:
            return GraphWords(words, done, bool(found.stable or not twins.any()))
        colours = found.of_vertex[np.repeat(twins, np.diff(flat.vertex_ptr))]
        flat, places = flat.take(np.flatnonzero(twins)), places[twins]


def _words(colours: np.ndarray, vertex_ptr: np.ndarray) -> np.ndarray:
    sizes = np.diff(vertex_ptr).astype(OFFSET)
    return mix(sums_of_runs(mix(colours), vertex_ptr) ^ mix(sizes))


def _that_repeat(words: np.ndarray) -> np.ndarray:
    _, group, size = np.unique(words, return_inverse=True, return_counts=True)
    return size[group] > 1
