"""Graphs that are the same but for the order of their vertices.

1-WL leaves vertices of one colour apart only in name. We tell them apart by force: one vertex of a
shared colour is marked and the others learn of it, until all colours of a graph differ. Colours
then give the vertices an order, and two graphs that read the same in that order are the same graph.
Where the choice of the marked vertex mattered, a pair can be missed, but none is made up.
"""

from __future__ import annotations

import numpy as np

from graphtrees._layout import OFFSET
from graphtrees.graphs import FlatGraphs
from graphtrees.graphs.hashing import mix, mix_rows, sums_of_runs
from graphtrees.inspection.refinement import Arcs, refine

MOST_MARKS = 64  # vertices marked by force in one graph; regular graphs need the most


def forms_of(flat: FlatGraphs, alike: np.ndarray) -> np.ndarray:
    """One word for each graph, shared only by graphs that are the same.

    `alike` numbers the graphs by their 1-WL colours: a graph alone in its group has no copy, so
    only the others are looked at.
    """
    _, group, size = np.unique(alike, return_inverse=True, return_counts=True)
    forms = mix(mix(alike) ^ mix(np.arange(flat.n_graphs)))
    several = np.flatnonzero(size[group] > 1)
    if len(several):
        forms[several] = _forms(flat.take(several))
    return forms


def layouts_of(flat: FlatGraphs) -> np.ndarray:
    """One word for each graph as it is laid out, the order of its vertices included."""
    first = np.repeat(flat.vertex_ptr[:-1], np.diff(flat.vertex_ptr))
    return _read_in_order(flat, Arcs.of(flat), np.arange(flat.n_vertices) - first)


def _forms(flat: FlatGraphs) -> np.ndarray:
    arcs = Arcs.of(flat)
    owner = np.repeat(np.arange(flat.n_graphs, dtype=OFFSET), np.diff(flat.vertex_ptr))
    colours = _tell_apart(arcs, refine(arcs, mix_rows(flat.features)).of_vertex, owner)
    return _read_in_order(flat, arcs, _places(colours, owner, flat.vertex_ptr))


def _read_in_order(flat: FlatGraphs, arcs: Arcs, place: np.ndarray) -> np.ndarray:
    """One word for each graph when its vertices are numbered by `place`."""
    number = mix(place)
    heard = sums_of_runs(mix(number[arcs.sender] ^ arcs.salt), arcs.start)
    words = mix(mix(mix_rows(flat.features) ^ number) + mix(heard ^ number))
    return mix(sums_of_runs(words, flat.vertex_ptr) ^ mix(np.diff(flat.vertex_ptr)))


def _tell_apart(arcs: Arcs, colours: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Mark vertices until no two of one graph share a colour, or MOST_MARKS are marked."""
    colours = _split_interchangeable(arcs, colours, owner)
    for mark in range(MOST_MARKS):
        tied = _tied(colours, owner)
        if not tied.any():
            break
        chosen = _first_of_smallest(colours, owner, tied)
        colours = colours.copy()
        colours[chosen] = mix(colours[chosen] ^ mix(np.full(len(chosen), mark + 1)))
        colours = refine(arcs, colours).of_vertex
    return colours


def _split_interchangeable(arcs: Arcs, colours: np.ndarray, owner: np.ndarray) -> np.ndarray:
    """Number the vertices that have the very same neighbours: any order of them is as good.

    Done once with and once without counting a vertex among its own neighbours: the members of a
    clique, and the leaves of a star.
    """
    for closed in (True, False):
        number = mix(np.arange(len(colours)))
        heard = arcs.heard(number)
        if closed:
            if len(np.unique(arcs.salt)) != 1:
                continue  # the edge to itself would have to be of the right kind
            heard = heard + mix(number ^ arcs.salt[:1])
        order = np.lexsort((heard, colours, owner))
        same = _repeats(owner[order], colours[order], heard[order])
        rank = np.arange(len(order)) - np.maximum.accumulate(
            np.where(same, 0, np.arange(len(order)))
        )
        ranks = np.empty(len(order), OFFSET)
        ranks[order] = rank
        colours = np.where(ranks > 0, mix(colours ^ mix(ranks)), colours)
        colours = refine(arcs, colours).of_vertex
    return colours


def _repeats(*columns: np.ndarray) -> np.ndarray:
    """Which rows, of sorted columns, equal the row before."""
    same = np.ones(len(columns[0]), bool)
    same[:1] = False
    for column in columns:
        same[1:] &= column[1:] == column[:-1]
    return same


def _tied(colours: np.ndarray, owner: np.ndarray) -> np.ndarray:
    order = np.lexsort((colours, owner))
    same = _repeats(owner[order], colours[order])
    same[:-1] |= same[1:]
    tied = np.empty(len(order), bool)
    tied[order] = same
    return tied


def _first_of_smallest(colours: np.ndarray, owner: np.ndarray, tied: np.ndarray) -> np.ndarray:
    """In each graph with ties, the first vertex of the tied colour that is the smallest word."""
    places = np.flatnonzero(tied)
    order = places[np.lexsort((places, colours[places], owner[places]))]
    _, first = np.unique(owner[order], return_index=True)
    return order[first]


def _places(colours: np.ndarray, owner: np.ndarray, vertex_ptr: np.ndarray) -> np.ndarray:
    """The rank of each vertex among those of its graph, by colour and then by position."""
    order = np.lexsort((colours, owner))
    place = np.empty(len(order), OFFSET)
    place[order] = np.arange(len(order)) - np.repeat(vertex_ptr[:-1], np.diff(vertex_ptr))
    return place
