"""Which colours become features of a model, learned from the examples of all workers.

A colour has the same number wherever it is met. So workers add up by number how many examples hold
each, and whoever has a vertex of a colour can tell how it is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from graphtrees._communicator import ALONE, Communicator
from graphtrees.graphs.flat import FlatGraphs, starts_of
from graphtrees.graphs.hashing import HASH
from graphtrees.questions.colours import ColourTable, Level, Neighbours, neighbours_of, refine


def learn_colours(
    flat: FlatGraphs, values: np.ndarray, features: tuple[int, ...], rounds: int, at_least: int,
    vertices: np.ndarray | None, communicator: Communicator = ALONE,
) -> ColourTable:  # fmt: skip
    """Colours of rounds 1 to `rounds` that at least so many examples hold.

    `values` are those of the chosen features; examples are graphs, or the given vertices.
    """
    by_type = flat.edge_types is not None and len(flat.edge_type_names) > 1
    ways = neighbours_of(flat, by_type)
    colours = list(refine(flat, values, by_type, rounds))
    chosen = [np.empty(0, HASH)]  # round 0 has no features
    for of_round in colours[1:]:
        numbers, counts = _count_together(*_count_examples(flat, of_round, vertices), communicator)
        chosen.append(numbers[counts >= at_least])
    recipes: list[_Recipes] = []
    needed = chosen[-1]
    for r in range(rounds, -1, -1):
        here = _describe(needed, colours[r], colours[r - 1] if r else None, ways, values)
        recipes.insert(0, _gather(here, communicator))
        if r:
            needed = np.unique(np.concatenate([chosen[r - 1], recipes[0].own, recipes[0].near]))
    return ColourTable(
        features, by_type, tuple(way.name for way in ways), tuple(_levels(recipes, chosen))
    )


# ---- which colours -------------------------------------------------------------------------------


def _count_examples(
    flat: FlatGraphs, colours: np.ndarray, vertices: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """The colours of a round, in order, and how many examples hold each."""
    numbers, number = np.unique(colours, return_inverse=True)
    if vertices is not None:
        return numbers, np.bincount(number[vertices], minlength=len(numbers))
    graph = np.repeat(np.arange(flat.n_graphs), np.diff(flat.vertex_ptr))
    width = max(1, len(numbers))
    pairs = np.unique(graph * np.int64(width) + number)
    return numbers, np.bincount(pairs % width, minlength=len(numbers))


def _count_together(
    numbers: np.ndarray, counts: np.ndarray, communicator: Communicator
) -> tuple[np.ndarray, np.ndarray]:
    """The same over all workers, each of which adds up some of the colours."""
    if communicator.n_workers == 1:
        return numbers, counts
    adder = _worker_of(numbers, communicator)
    pieces = [(numbers[adder == k], counts[adder == k]) for k in range(communicator.n_workers)]
    received = communicator.exchange(pieces)
    own, place = np.unique(np.concatenate([one[0] for one in received]), return_inverse=True)
    total = np.zeros(len(own), np.int64)
    np.add.at(total, place, np.concatenate([one[1] for one in received]))
    received = communicator.all_gather((own, total))
    numbers, counts = (np.concatenate([one[k] for one in received]) for k in range(2))
    order = np.argsort(numbers)
    return numbers[order], counts[order]


def _worker_of(numbers: np.ndarray, communicator: Communicator) -> np.ndarray:
    """Who puts together what all know of a colour."""
    return (numbers % HASH(communicator.n_workers)).astype(np.int64)


# ---- how they are made ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Recipes:
    """As `Level`, with the numbers of colours in place of their places."""

    numbers: np.ndarray
    own: np.ndarray
    ptr: np.ndarray
    way: np.ndarray
    near: np.ndarray
    values: np.ndarray

    def take(self, chosen: np.ndarray) -> _Recipes:
        """Those of some colours."""
        sizes = np.diff(self.ptr)[chosen]
        ptr = starts_of(sizes)
        entry = np.repeat(self.ptr[chosen] - ptr[:-1], sizes) + np.arange(ptr[-1])
        return _Recipes(
            self.numbers[chosen], self.own[chosen], ptr, self.way[entry], self.near[entry],
            self.values[chosen],
        )  # fmt: skip


def _describe(
    needed: np.ndarray, colours: np.ndarray, before: np.ndarray | None, ways: list[Neighbours],
    values: np.ndarray,
) -> _Recipes:  # fmt: skip
    """How colours are made, each read from a vertex that has it; neighbours in a fixed order.

    Those that no vertex has are left out.
    """
    numbers, first = np.unique(colours, return_index=True)
    is_needed = np.isin(numbers, needed)
    numbers, vertex = numbers[is_needed], first[is_needed]
    if before is None:
        none = np.empty(0, np.int64)
        ptr = np.zeros(len(vertex) + 1, np.int64)
        return _Recipes(numbers, numbers, ptr, none, none.astype(HASH), values[vertex])
    near = [[before[way.of(v)] for way in ways] for v in vertex.tolist()]
    sizes = np.array([[len(one) for one in by_way] for by_way in near], np.int64)
    row, way = np.divmod(np.repeat(np.arange(sizes.size), sizes.ravel()), max(1, len(ways)))
    listed = np.concatenate([np.empty(0, HASH), *(one for by_way in near for one in by_way)])
    order = np.lexsort((listed, way, row))
    ptr = starts_of(np.bincount(row, minlength=len(vertex)))
    own = before[vertex]
    return _Recipes(numbers, own, ptr, way[order], listed[order], values[vertex, :0])


def _gather(here: _Recipes, communicator: Communicator) -> _Recipes:
    """The recipes of all workers, each once, in the order of the numbers."""
    if communicator.n_workers == 1:
        return here
    owner = _worker_of(here.numbers, communicator)
    pieces = [here.take(np.flatnonzero(owner == k)) for k in range(communicator.n_workers)]
    return _join(communicator.all_gather(_join(communicator.exchange(pieces))))


def _join(parts: list[_Recipes]) -> _Recipes:
    sizes = np.concatenate([np.diff(part.ptr) for part in parts])
    joined = _Recipes(
        np.concatenate([part.numbers for part in parts]),
        np.concatenate([part.own for part in parts]), starts_of(sizes),
        np.concatenate([part.way for part in parts]),
        np.concatenate([part.near for part in parts]),
        np.concatenate([part.values for part in parts]),
    )  # fmt: skip
    return joined.take(np.unique(joined.numbers, return_index=True)[1])


def _levels(recipes: list[_Recipes], chosen: list[np.ndarray]) -> Iterator[Level]:
    """Numbers of the round before as places in it."""
    before = np.empty(0, HASH)
    for r, recipe in enumerate(recipes):
        own = np.searchsorted(before, recipe.own) if r else np.zeros(0, np.int64)
        yield Level(
            recipe.numbers, np.isin(recipe.numbers, chosen[r]), own, recipe.ptr, recipe.way,
            np.searchsorted(before, recipe.near), recipe.values,
        )  # fmt: skip
        before = recipe.numbers
