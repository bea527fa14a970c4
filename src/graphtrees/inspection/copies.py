"""Graphs that are equal up to the order of their vertices (isomorphic).

1-WL alone can leave several vertices of a graph with one colour. We individualise them: mark one
vertex of a shared colour, refine again, and repeat until all colours of the graph differ. The
colours then give a canonical order, and graphs with equal hashes in that order are isomorphic.
Where the choice of the marked vertex matters, a pair of copies can be missed; none is invented.
"""

from __future__ import annotations

import numpy as np

from graphtrees._layout import OFFSET
from graphtrees.graphs import FlatGraphs
from graphtrees.graphs.hashing import mix, mix_rows, sums_of_runs
from graphtrees.inspection.refinement import Arcs, refine

MOST_MARKS = 64  # marked vertices in one graph; regular graphs need the most


def canonical_hashes(flat: FlatGraphs, graph_hashes: np.ndarray) -> np.ndarray:
    """One hash for each graph, equal only for isomorphic graphs.

    `graph_hashes` are those of 1-WL: a graph whose hash is unique has no copy, so only the others
    are compared.
    """
    _, group, size = np.unique(graph_hashes, return_inverse=True, return_counts=True)
    hashes = mix(mix(graph_hashes) ^ mix(np.arange(flat.n_graphs)))
    shared = np.flatnonzero(size[group] > 1)
    if len(shared):
        hashes[shared] = _canonical_hashes(flat.take(shared))
    return hashes


def layout_hashes(flat: FlatGraphs) -> np.ndarray:
    """One hash for each graph, which depends on the order of its vertices too."""
    first = np.repeat(flat.vertex_ptr[:-1], np.diff(flat.vertex_ptr))
    return _ordered_hashes(flat, Arcs.of(flat), np.arange(flat.n_vertices) - first)


def _canonical_hashes(flat: FlatGraphs) -> np.ndarray:
    arcs = Arcs.of(flat)
    owner = np.repeat(np.arange(flat.n_graphs, dtype=OFFSET), np.diff(flat.vertex_ptr))
    colours = _individualise(arcs, refine(arcs, mix_rows(flat.features)).hashes, owner)
    return _ordered_hashes(flat, arcs, _ranks(colours, owner, flat.vertex_ptr))


def _ordered_hashes(flat: FlatGraphs, arcs: Arcs, rank: np.ndarray) -> np.ndarray:
    """One hash for each graph with its vertices numbered by `rank`."""
    number = mix(rank)
    vertex_hashes = mix(
        mix(mix_rows(flat.features) ^ number) + mix(arcs.neighbour_hashes(number) ^ number)
    )
    return mix(sums_of_runs(vertex_hashes, flat.vertex_ptr) ^ mix(np.diff(flat.vertex_ptr)))


def _individualise(arcs: Arcs, colours: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Mark vertices until no two of one graph share a colour, or MOST_MARKS are marked."""
    colours = _split_interchangeable(arcs, colours, owner)
    for mark in range(MOST_MARKS):
        tied = _tied(colours, owner)
        if not tied.any():
            break
        marked = _first_of_smallest(colours, owner, tied)
        colours = colours.copy()
        colours[marked] = mix(colours[marked] ^ mix(np.full(len(marked), mark + 1)))
        colours = refine(arcs, colours).hashes
    return colours


def _split_interchangeable(arcs: Arcs, colours: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Number the vertices that have exactly the same neighbours: they are interchangeable.

    Once with closed neighbourhoods (members of a clique), once with open ones (leaves of a star).
    """
    for closed in (True, False):
        number = mix(np.arange(len(colours)))
        neighbours = arcs.neighbour_hashes(number)
        if closed:
            if len(np.unique(arcs.salt)) != 1:
                continue  # with several kinds of edges, a vertex's edge to itself has no kind
            neighbours = neighbours + mix(number ^ arcs.salt[:1])
        order = np.lexsort((neighbours, colours, owner))
        same = _repeats(owner[order], colours[order], neighbours[order])
        positions = np.arange(len(order))
        ranks = np.empty(len(order), OFFSET)
        ranks[order] = positions - np.maximum.accumulate(np.where(same, 0, positions))
        colours = np.where(ranks > 0, mix(colours ^ mix(ranks)), colours)
        colours = refine(arcs, colours).hashes
    return colours


def _repeats(*columns: np.ndarray) -> np.ndarray:
    """Mask of the rows, of sorted columns, that equal the row before."""
    same = np.ones(len(columns[0]), bool)
    same[:1] = False
    for column in columns:
        same[1:] &= column[1:] == column[:-1]
    return same


def _tied(colours: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Mask of the vertices that share their colour with another of their graph."""
    order = np.lexsort((colours, owner))
    same = _repeats(owner[order], colours[order])
    same[:-1] |= same[1:]
    tied = np.empty(len(order), bool)
    tied[order] = same
    return tied


def _first_of_smallest(colours: np.ndarray, owner: np.ndarray, tied: np.ndarray) -> np.ndarray:
    """In each graph with ties, the first vertex of its smallest tied colour."""
    vertices = np.flatnonzero(tied)
    order = vertices[np.lexsort((vertices, colours[vertices], owner[vertices]))]
    _, first = np.unique(owner[order], return_index=True)
    return order[first]


def _ranks(colours: np.ndarray, owner: np.ndarray, vertex_ptr: np.ndarray) -> np.ndarray:
    """The rank of each vertex within its graph, by colour and then by position."""
    order = np.lexsort((colours, owner))
    ranks = np.empty(len(order), OFFSET)
    ranks[order] = np.arange(len(order)) - np.repeat(vertex_ptr[:-1], np.diff(vertex_ptr))
    return ranks
