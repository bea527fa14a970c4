"""Labels of graphs, kept so that the graphs are known again when they come back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from graphtrees.estimators.labels.copies import Parts, among_used
from graphtrees.estimators.labels.evidence import Evidence
from graphtrees.estimators.seen import graph_words


class LabelMemory:
    """For each graph, by a hash of all that is in it, which of its parts have which values."""

    def __init__(self) -> None:
        self._known: dict[int, list[tuple[np.ndarray, np.ndarray, np.ndarray]]] = {}

    @classmethod
    def of(cls, X: Parts, values: np.ndarray, fold: np.ndarray) -> LabelMemory:
        """The values at the examples of X; those of one graph may come in any order."""
        memory, X = cls(), among_used(X)
        order = np.argsort(X.graph_of, kind="stable")
        starts = np.searchsorted(X.graph_of[order], np.arange(1, len(X.graphs)))
        words = graph_words(X.graphs.flat).tolist()
        for word, rows in zip(words, np.split(order, starts), strict=True):
            kept = (np.array(X._part_of[rows]), values[rows], fold[rows])
            memory._known.setdefault(word, []).append(kept)
        return memory

    def about(self, X: Parts, n_values: int) -> Evidence:
        """What is known of the graphs of X."""
        parts = [*self._found(X)]
        places = np.concatenate([np.empty(0, np.int64), *(one[0] for one in parts)])
        values = np.concatenate([np.empty((0, n_values)), *(one[1] for one in parts)])
        fold = np.concatenate([np.empty(0, np.int64), *(one[2] for one in parts)])
        return Evidence.of(places, values, np.ones(len(places)), fold)

    def _found(self, X: Parts) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        ptr = X._ptr(X.graphs)
        for graph, word in enumerate(graph_words(X.graphs.flat).tolist()):
            for parts, values, fold in self._known.get(word, ()):
                yield ptr[graph] + parts, values, fold
