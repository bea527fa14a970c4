"""Colours of vertices: what a vertex and its surroundings look like (Weisfeiler–Leman refinement).

Round 0 is what some features say of the vertex itself. Every further round joins a vertex's colour
with the colours of its neighbours, in any order:

    O - C - C        round 0 of the middle vertex: C
        |            round 1: C with neighbours C, N, O
        N            round 2: the same, each neighbour with its own neighbours

A colour is a 64-bit number made from all this by mixing, so that equal surroundings have equal
numbers in every data set, whatever the order of vertices. How each was made is kept as well: words
and files are written from it, and the numbers can be made again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
from scipy import sparse

from graphtrees.graphs.flat import FlatGraphs
from graphtrees.graphs.hashing import mix, mix_rows, sums_of_runs
from graphtrees.graphs.line_graph import LineGraphs
from graphtrees.questions.operators import incoming

# ---- numbers that stand for colours --------------------------------------------------------------


def _number_of(text: str) -> np.uint64:
    return np.uint64(int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little"))


def _first_colours(values: np.ndarray) -> np.ndarray:
    """Round 0: which features are not 0, and what they are."""
    return mix(mix_rows(sparse.csr_array(values)))


def _joined(own: np.ndarray, around: np.ndarray) -> np.ndarray:
    """The next round from a vertex's colour and the sum over its neighbours."""
    return mix(mix(own ^ np.uint64(0x5851F42D4C957F2D)) + around)


def _as_neighbour(colours: np.ndarray, tag: np.uint64 | np.ndarray) -> np.ndarray:
    """What a neighbour of this colour adds to the sum."""
    return mix(colours ^ tag)


# ---- neighbours ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Neighbours:
    """One way to be a neighbour: an edge type, a direction. Vertices are numbered over all graphs.

    `through` are the endpoints between the examples where these are edges; see `incidence`.
    """

    name: str
    matrix: sparse.csr_array
    through: sparse.csr_array | None = None
    without_itself: bool = False

    @cached_property
    def tag(self) -> np.uint64:
        return _number_of(self.name)

    def add_up(self, numbers: np.ndarray) -> np.ndarray:
        """For every vertex, the sum over its neighbours."""
        if self.through is None:
            return _row_sums(self.matrix, numbers)
        total = _row_sums(self.matrix, _row_sums(self.through, numbers))
        if self.without_itself:
            total -= numbers * np.diff(self.matrix.indptr).astype(np.uint64)
        return total

    def of(self, vertex: int) -> np.ndarray:
        """The neighbours of one vertex, one that is met twice twice."""
        near = self.matrix.indices[self.matrix.indptr[vertex] : self.matrix.indptr[vertex + 1]]
        if self.through is None:
            return near
        through = self.through
        met = [through.indices[through.indptr[m] : through.indptr[m + 1]] for m in near]
        edges = np.concatenate([np.empty(0, np.int64), *met]).astype(np.int64)
        return edges[edges != vertex] if self.without_itself else edges


def _row_sums(matrix: sparse.csr_array, numbers: np.ndarray) -> np.ndarray:
    return sums_of_runs(numbers[matrix.indices], matrix.indptr)


def neighbours_of(flat: FlatGraphs, by_type: bool) -> list[Neighbours]:
    """Every way to be a neighbour; weights play no part, and parallel edges count once."""
    if isinstance(flat, LineGraphs):
        return list(_of_edges(flat))
    ways = []
    every = np.arange(flat.n_edges)
    kinds: list[tuple[str, np.ndarray]] = [("", every)]
    if by_type:
        kinds = [
            (f" by {name}", every[flat.edge_types == k])
            for k, name in enumerate(flat.edge_type_names)
        ]
    for name, edges in kinds:
        matrix = incoming(flat, edges, None)
        if flat.directed:
            ways.append(Neighbours(f"in{name}", matrix))
            ways.append(Neighbours(f"out{name}", sparse.csr_array(matrix.T)))
        else:
            ways.append(Neighbours(name.strip(), matrix))
    return ways


def _of_edges(flat: LineGraphs) -> Iterator[Neighbours]:
    """Edges meet at vertices: once for every end that they share."""
    heads, tails = flat.incidence()
    if flat.directed:
        yield Neighbours("in", tails, sparse.csr_array(heads.T))
        yield Neighbours("out", heads, sparse.csr_array(tails.T))
    else:
        yield Neighbours("", heads, sparse.csr_array(heads.T), without_itself=True)


# ---- what a model knows --------------------------------------------------------------------------


@dataclass(frozen=True)
class Level:
    """Colours of one round.

    Colour k is colour own[k] of the round before with the neighbours ptr[k]:ptr[k + 1]: `way[i]`
    says how each is one, `near[i]` is its colour in the round before. In round 0 it is values[k].
    """

    numbers: np.ndarray
    is_feature: np.ndarray
    own: np.ndarray
    ptr: np.ndarray
    way: np.ndarray
    near: np.ndarray
    values: np.ndarray


@dataclass(frozen=True)
class ColourTable:
    """The colours that are features, and all that they are made of."""

    features: tuple[int, ...]  # whose values are round 0
    by_type: bool  # whether edges of different types make different neighbours
    ways: tuple[str, ...]
    levels: tuple[Level, ...]

    @property
    def rounds(self) -> int:
        return len(self.levels) - 1

    @cached_property
    def places(self) -> np.ndarray:
        """(round, place in its level) of every feature."""
        listed = [
            np.stack([np.full(level.is_feature.sum(), r), np.flatnonzero(level.is_feature)])
            for r, level in enumerate(self.levels)
        ]
        return np.concatenate([np.empty((2, 0), np.int64), *listed], axis=1).T

    def __len__(self) -> int:
        return len(self.places)

    def number(self, flat: FlatGraphs, values: np.ndarray) -> np.ndarray:
        """number[r - 1, v] = which feature the colour of vertex v in round r is; -1: none."""
        out = np.full((self.rounds, flat.n_vertices), -1, np.int64)
        first = int(self.levels[0].is_feature.sum())
        for r, colours in enumerate(refine(flat, values, self.by_type, self.rounds)):
            level = self.levels[r]
            if r > 0 and len(level.numbers):
                order = np.argsort(level.numbers)
                place = np.searchsorted(level.numbers, colours, sorter=order)
                at = order[np.minimum(place, len(order) - 1)]
                known = (level.numbers[at] == colours) & level.is_feature[at]
                feature = first + np.cumsum(level.is_feature) - 1
                out[r - 1, known] = feature[at[known]]
                first += int(level.is_feature.sum())
        return out


def colours_of_level(level: Level, before: Level | None, ways: tuple[str, ...]) -> np.ndarray:
    """The numbers of colours from how they are made up."""
    if before is None:
        return _first_colours(level.values)
    tags = np.array([_number_of(way) for way in ways], np.uint64)
    around = sums_of_runs(_as_neighbour(before.numbers[level.near], tags[level.way]), level.ptr)
    return _joined(before.numbers[level.own], around)


def refine(
    flat: FlatGraphs, values: np.ndarray, by_type: bool, rounds: int
) -> Iterator[np.ndarray]:
    """The colour of every vertex in rounds 0, 1, ..."""
    ways = neighbours_of(flat, by_type)
    colours = _first_colours(values)
    yield colours
    for _ in range(rounds):
        around = np.zeros(len(colours), np.uint64)
        for way in ways:
            around += way.add_up(_as_neighbour(colours, way.tag))
        colours = _joined(colours, around)
        yield colours
