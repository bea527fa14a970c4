"""Names for the places of faults: a vertex or edge, and of which graph where there are many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

NameGraph = Callable[[int], str] | None  # how messages call a graph; None: not at all
GRAPH_NUMBER = "graph {}".format


@dataclass(frozen=True)
class Where:
    """Names places in flat arrays."""

    vertex_ptr: np.ndarray
    edge_ptr: np.ndarray
    name_graph: NameGraph

    def graph(self, graph: int) -> str:
        """How a message about this graph starts."""
        return "" if self.name_graph is None else f"{self.name_graph(graph)}: "

    def vertex(self, place: int) -> str:
        return self._item(self.vertex_ptr, place, "vertex")

    def edge(self, place: int) -> str:
        return self._item(self.edge_ptr, place, "edge")

    def graph_of_edge(self, place: int) -> int:
        return _owner(self.edge_ptr, place)

    def _item(self, ptr: np.ndarray, place: int, word: str) -> str:
        graph = _owner(ptr, place)
        return f"{self.graph(graph)}{word} {place - int(ptr[graph])}"


def _owner(ptr: np.ndarray, place: int) -> int:
    return int(np.searchsorted(ptr, place, side="right")) - 1


def kind_of(thing: object) -> str:
    """What something is, in words: "a DataFrame", "an int"."""
    name = type(thing).__name__
    vowel = name[0].lower() in "aeiou" or name == "ndarray"  # spoken "en-dee-array"
    return f"{'an' if vowel else 'a'} {name}"
