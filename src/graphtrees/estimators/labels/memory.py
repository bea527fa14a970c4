"""Labels of graphs, kept so that the graphs are known again when they come back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from graphtrees.estimators.labels.copies import Parts, among_used, places_of
from graphtrees.estimators.labels.evidence import ASKED, NEVER, NOBODY, Evidence
from graphtrees.validation.fingerprints import graph_hashes


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
        hashes = graph_hashes(X.graphs.flat).tolist()
        for hash_, rows in zip(hashes, np.split(order, starts), strict=True):
            kept = (np.array(X._part_of[rows]), values[rows], fold[rows])
            memory._known.setdefault(hash_, []).append(kept)
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
        for graph, hash_ in enumerate(graph_hashes(X.graphs.flat).tolist()):
            for parts, values, fold in self._known.get(hash_, ()):
                yield ptr[graph] + parts, values, fold


def gather(
    X: Parts, memory: LabelMemory, further: tuple[Parts, np.ndarray] | None, n_values: int
) -> tuple[Evidence, np.ndarray]:
    """What is known about the graphs of X, and which fold of it each example may not see."""
    labels, places = memory.about(X, n_values), places_of(X)
    if further is not None:
        fold = np.full(len(further[0]), NEVER)
        labels = labels.joined(LabelMemory.of(*further, fold).about(X, n_values))
    asked = np.isin(labels.places, places) & (labels.fold == NEVER)
    labels = Evidence(labels.places, labels.values, np.where(asked, ASKED, labels.fold))
    group = np.full(len(X), NOBODY)
    if len(labels.places):
        order = np.argsort(labels.places, kind="stable")
        at = np.searchsorted(labels.places[order], places)
        at = order[np.minimum(at, len(order) - 1)]
        met = labels.places[at] == places
        group[met] = labels.fold[at][met]
    return labels, group
