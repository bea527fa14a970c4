"""Edges as examples: the graph whose vertices are the edges of another.

Two edges of an undirected graph are neighbours once for every end they share. In a directed graph
walks go head to tail: from an edge into a vertex to every edge out of it.

An edge's features are its own (weight, type, features) and those of its ends: for undirected
graphs the sum, smallest and largest of the two (ends have no order), for directed ones the
source's and the target's.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from graphtrees.graphs.flat import FlatGraphs, dense

# Pairs of neighbouring edges that are written out; a hub of degree d makes d² of them.
MOST_PAIRS = 2**27


def line_graph(flat: FlatGraphs) -> FlatGraphs:
    """The line graph of every graph, with the features of `edge_table`."""
    start = np.repeat(flat.vertex_ptr[:-1], np.diff(flat.edge_ptr))
    source, target = flat.edges + start
    heads, tails = _incidence(flat, source, target)
    n_pairs = int((np.asarray(heads.sum(axis=0)) * np.asarray(tails.sum(axis=0))).sum())
    if n_pairs > MOST_PAIRS:
        hub = int(np.argmax(np.bincount(np.r_[source, target], minlength=flat.n_vertices)))
        graph = int(np.searchsorted(flat.vertex_ptr, hub, side="right")) - 1
        raise ValueError(
            f"graph {graph}: its edges have {n_pairs:,} pairs of neighbours, mostly at vertex "
            f"{hub - flat.vertex_ptr[graph]}; at most {MOST_PAIRS:,} are supported"
        )
    pairs = sparse.coo_array(tails @ heads.T)
    after, before, counts = pairs.coords[0], pairs.coords[1], pairs.data.astype(np.float64)
    if not flat.directed:
        keep = after < before  # each pair once, and no edge beside itself
        after, before, counts = after[keep], before[keep], counts[keep]
    names, values, categories = edge_table(flat, source, target)
    graph_of = np.searchsorted(flat.edge_ptr, before, side="right") - 1
    order = np.argsort(graph_of, kind="stable")
    before, after, counts, graph_of = before[order], after[order], counts[order], graph_of[order]
    first = flat.edge_ptr[graph_of]
    n_edges = np.bincount(graph_of, minlength=flat.n_graphs)
    return FlatGraphs(
        vertex_ptr=flat.edge_ptr.copy(),
        edge_ptr=np.concatenate([[0], np.cumsum(n_edges)]).astype(np.int64),
        edges=np.stack([before - first, after - first]).astype(np.int64),
        directed=flat.directed,
        features=values,
        feature_names=names,
        categories=categories,
        edge_weights=counts,
        edge_types=None,
        edge_type_names=(),
        edge_features=None,
        edge_feature_names=(),
        vertex_names=None,
    )


def _incidence(
    flat: FlatGraphs, source: np.ndarray, target: np.ndarray
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Where an edge can be left and entered: (edges, vertices) matrices of ones."""
    shape = (flat.n_edges, flat.n_vertices)
    rows, ones = np.arange(flat.n_edges), np.ones(flat.n_edges)
    heads = sparse.csr_array((ones, (rows, target)), shape=shape)
    tails = sparse.csr_array((ones, (rows, source)), shape=shape)
    if flat.directed:
        return heads, tails
    ends = sparse.csr_array(heads + tails)
    ends.data[:] = 1.0  # both ends of a loop are one
    return ends, ends


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
    low, high = np.fmin(one, other), np.fmax(one, other)
    if labels is not None:  # no order between the ends: the label listed first, and the other
        return [(f"{name} of one end", low, labels), (f"{name} of the other end", high, labels)]
    return [
        (f"sum of {name}", one + other, None),
        (f"least {name}", low, None),
        (f"largest {name}", high, None),
    ]
