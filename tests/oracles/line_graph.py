"""Line graphs written out pair by pair: what walks from edge to edge must be equal to."""

from __future__ import annotations

import numpy as np

import graphtrees as gt
from graphtrees.graphs.line_graph import line_graph
from oracles.lines import neighbours


def written_out(graphs: gt.Graphs) -> gt.Graphs:
    """Ordinary graphs whose vertices are the edges of others, with the same features."""
    flat = graphs.flat
    features = line_graph(flat)
    listed = [pairs_of(graph) for graph in graphs]
    counts = [len(pairs) for pairs, _ in listed]
    return gt.Graphs.from_flat(
        vertex_ptr=flat.edge_ptr,
        edge_ptr=np.cumsum([0, *counts]),
        edges=np.concatenate([np.empty((0, 2), int), *(pairs for pairs, _ in listed)]).T,
        directed=flat.directed,
        features=features.features,
        feature_names=features.feature_names,
        categories=features.categories,
        edge_weights=np.concatenate([np.empty(0), *(shared for _, shared in listed)]),
    )


def pairs_of(graph: gt.Graph) -> tuple[np.ndarray, np.ndarray]:
    """(from, to) of neighbouring edges, and how many vertices they share."""
    pairs, shared = neighbours(graph.edge_index.T.tolist(), graph.directed)
    return np.array(pairs, int).reshape(-1, 2), np.array(shared, float)
