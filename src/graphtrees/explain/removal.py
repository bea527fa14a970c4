"""Graphs with some of their vertices or edges taken away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from graphtrees.graphs.flat import FlatGraphs, starts_of


def keep_vertices(flat: FlatGraphs, keep: np.ndarray) -> FlatGraphs:
    """Every graph without the vertices that are not kept, and without their edges."""
    start = np.repeat(flat.vertex_ptr[:-1], np.diff(flat.edge_ptr))
    source, target = flat.edges + start
    cut = keep_edges(flat, keep[source] & keep[target])
    before = starts_of(keep)  # how many vertices are kept before each
    first = np.repeat(flat.vertex_ptr[:-1], np.diff(cut.edge_ptr))
    return replace(
        cut,
        vertex_ptr=before[flat.vertex_ptr],
        edges=before[cut.edges + first] - before[first],
        features=flat.features[np.flatnonzero(keep)],
        vertex_names=None if flat.vertex_names is None else flat.vertex_names[keep],
    )


def keep_edges(flat: FlatGraphs, keep: np.ndarray) -> FlatGraphs:
    """Every graph without the edges that are not kept."""
    return replace(
        flat,
        edge_ptr=starts_of(keep)[flat.edge_ptr],
        edges=flat.edges[:, keep],
        edge_weights=None if flat.edge_weights is None else flat.edge_weights[keep],
        edge_types=None if flat.edge_types is None else flat.edge_types[keep],
        edge_features=None if flat.edge_features is None else flat.edge_features[keep],
    )
