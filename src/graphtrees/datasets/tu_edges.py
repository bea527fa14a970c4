"""The edges of a TU collection: checked, free of repeats, an undirected edge once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from graphtrees.datasets.tables import Tables


@dataclass(frozen=True)
class TUEdges:
    """Edges between vertices numbered from 0 over the whole collection."""

    ends: np.ndarray  # (n_edges, 2)
    graph_of: np.ndarray
    types: np.ndarray | None
    attributes: np.ndarray | None
    directed: bool = True

    def take(self, chosen: np.ndarray) -> TUEdges:
        """The chosen edges, in the order asked for."""
        return replace(
            self,
            ends=self.ends[chosen],
            graph_of=self.graph_of[chosen],
            types=None if self.types is None else self.types[chosen],
            attributes=None if self.attributes is None else self.attributes[chosen],
        )


def read_edges(tables: Tables, graph_of: np.ndarray, order: np.ndarray) -> TUEdges:
    """All lines of the ``_A`` file, with vertices renumbered as `order` puts them."""
    ends = tables.integers("A", 2) - 1
    outside = (ends.min(axis=1) < 0) | (ends.max(axis=1) >= len(order))
    _refuse(outside, tables.file("A"), ends, f"but there are {len(order)} vertices")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    ends = place[ends]
    graphs = graph_of[ends]
    _refuse(graphs[:, 0] != graphs[:, 1], tables.file("A"), order[ends], "of two graphs")
    types = tables.optional("edge_labels", len(ends), "edges")
    attributes = tables.optional("edge_attributes", len(ends), "edges")
    return TUEdges(ends, graphs[:, 0], _as_types(types), attributes)


def _refuse(wrong: np.ndarray, file: str, ends: np.ndarray, why: str) -> None:
    if wrong.any():
        line = int(np.argmax(wrong))
        source, target = (ends[line] + 1).tolist()
        raise ValueError(f"{file}: line {line + 1} joins vertices {source} and {target}, {why}")


def _as_types(labels: np.ndarray | None) -> np.ndarray | None:
    """One label per edge; several columns of them are joined, as in ``"0,2"``."""
    if labels is None or len(labels) == 0:
        return None
    if labels.shape[1] == 1:
        return labels[:, 0]
    return np.array([",".join(map(str, row)) for row in labels.tolist()])


def once_each(edges: TUEdges) -> TUEdges:
    """Drop repeated lines and, if every edge is listed both ways, its second direction.

    A type or attribute that differs between the two directions keeps the edges directed.
    """
    codes, n_types = _codes(edges.types, len(edges.ends))
    n_vertices = int(edges.ends.max(initial=-1)) + 1
    source, target = edges.ends.T
    forward = (source * n_vertices + target) * n_types + codes
    backward = (target * n_vertices + source) * n_types + codes
    keys, first = np.unique(forward, return_index=True)
    both_ways = np.array_equal(np.sort(backward[first]), keys)
    if both_ways and edges.attributes is not None:
        partner = first[np.searchsorted(keys, backward[first])]
        here, there = edges.attributes[first], edges.attributes[partner]
        both_ways = np.array_equal(here, there, equal_nan=True)
    if both_ways:
        first = first[source[first] <= target[first]]
    kept = first[np.lexsort((first, edges.graph_of[first]))]  # graph by graph, else as listed
    return replace(edges.take(kept), directed=not both_ways)


def _codes(types: np.ndarray | None, n_edges: int) -> tuple[np.ndarray, int]:
    if types is None:
        return np.zeros(n_edges, np.int64), 1
    labels, codes = np.unique(types, return_inverse=True)
    return codes.astype(np.int64), max(len(labels), 1)
