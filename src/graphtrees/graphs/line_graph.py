"""Edges as examples: the graph whose vertices are the edges of another.

Two edges of an undirected graph are neighbours once for every end they share. In a directed graph
walks go head to tail: from an edge into a vertex to every edge out of it.

An edge's features are its own (weight, type, features) and those of its ends: for undirected
graphs the sum, smallest and largest of the two (ends have no order), for directed ones the
source's and the target's.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from graphtrees._layout import OFFSET, VALUE
from graphtrees.graphs.flat import FlatGraphs, dense
from graphtrees.graphs.labels import in_order


@dataclass(frozen=True, eq=False, repr=False)
class LineGraphs(FlatGraphs):
    """Graphs whose vertices are the edges of other graphs.

    Which of them are neighbours is not written out, since a vertex with d edges makes d² pairs of
    them: walks pass through the vertices that edges share; see `questions/edge_steps.py`.
    """

    endpoint_ptr: np.ndarray = field(kw_only=True)  # (G + 1,) the vertices of the other graphs
    ends: np.ndarray = field(
        kw_only=True
    )  # (2, N) source and target of every edge, numbered within its graph

    def incidence(self) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Where an edge is left, and where it is entered: (edges, vertices) matrices of ones.

        Both are the same where edges are walked both ways; the two ends of a loop are one.
        """
        shape = (self.n_vertices, int(self.endpoint_ptr[-1]))
        source, target = self.ends + np.repeat(self.endpoint_ptr[:-1], np.diff(self.vertex_ptr))
        rows, ones = np.arange(self.n_vertices), np.ones(self.n_vertices)
        heads = sparse.csr_array((ones, (rows, target)), shape=shape)
        tails = sparse.csr_array((ones, (rows, source)), shape=shape)
        if self.directed:
            return heads, tails
        both = sparse.csr_array(heads + tails)
        both.data[:] = 1.0
        return both, both


def line_graph(flat: FlatGraphs) -> LineGraphs:
    """The line graph of every graph, with the features of `edge_table`."""
    start = np.repeat(flat.vertex_ptr[:-1], np.diff(flat.edge_ptr))
    names, values, categories = edge_table(flat, *(flat.edges + start))
    return LineGraphs(
        vertex_ptr=flat.edge_ptr.copy(),
        edge_ptr=np.zeros(flat.n_graphs + 1, OFFSET),
        edges=np.empty((2, 0), np.int64),
        directed=flat.directed,
        features=values,
        feature_names=names,
        categories=categories,
        graph_features=flat.graph_features,
        endpoint_ptr=flat.vertex_ptr.astype(OFFSET),
        ends=flat.edges.copy(),
    )


def edge_table(
    flat: FlatGraphs, source: np.ndarray, target: np.ndarray
) -> tuple[tuple[str, ...], np.ndarray, dict[int, tuple]]:
    """Names, values and categories of the features of every edge."""
    pieces: list[tuple[str, np.ndarray, tuple | None]] = []
    if flat.edge_weights is not None:
        pieces.append(("weight", flat.edge_weights, None))
    if flat.edge_types is not None:
        pieces.append(("type", flat.edge_types.astype(np.float64), flat.edge_type_names))
    for k, name in enumerate(flat.edge_feature_names):
        assert flat.edge_features is not None
        pieces.append((name, flat.edge_features[:, k], None))
    given = flat.feature_names
    values = dense(flat.features)
    for k in range(flat.n_features):
        name = given[k] if given is not None else f"x{k}"
        pieces += _ends(flat, name, values[source, k], values[target, k], flat.categories.get(k))
    if not pieces:
        return (), np.empty((flat.n_edges, 0)), {}
    names = tuple(name for name, _, _ in pieces)
    categories = {k: labels for k, (_, _, labels) in enumerate(pieces) if labels is not None}
    table = np.column_stack([np.asarray(column, np.float64) for _, column, _ in pieces])
    return names, table, categories


def _ends(
    flat: FlatGraphs, name: str, one: np.ndarray, other: np.ndarray, labels: tuple | None
) -> list[tuple[str, np.ndarray, tuple | None]]:
    if flat.directed:
        return [(f"source {name}", one, labels), (f"target {name}", other, labels)]
    if labels is not None:
        low, high = _sorted_ends(one, other, labels)
        return [(f"{name} of one end", low, labels), (f"{name} of the other end", high, labels)]
    return [
        (f"sum of {name}", _sum_of_ends(name, one, other), None),
        (f"least {name}", np.fmin(one, other), None),
        (f"largest {name}", np.fmax(one, other), None),
    ]


def _sum_of_ends(name: str, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    total = one + other
    if (np.abs(total) > np.finfo(VALUE).max).any():
        raise ValueError(
            f"the sum of {name!r} over the two ends of an edge overflows float32: "
            f"scale {name!r} down"
        )
    return total


def _sorted_ends(one: np.ndarray, other: np.ndarray, labels: tuple) -> np.ndarray:
    """The codes of both ends, the smaller label first: in whatever order the labels are listed.

    Where one end has none, both are the other.
    """
    place = {label: k for k, label in enumerate(in_order(labels))}
    rank = np.array([*(place[label] for label in labels), np.nan])
    code = np.array([*np.argsort(rank[:-1]), np.nan])  # the last is for missing labels
    ends = np.stack([one, other])
    ranks = rank[np.where(np.isnan(ends), -1, ends).astype(np.int64)]
    low_high = np.stack([np.fmin(*ranks), np.fmax(*ranks)])
    return code[np.where(np.isnan(low_high), -1, low_high).astype(np.int64)]
