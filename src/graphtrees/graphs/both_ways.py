"""Directed edges that are listed both ways, which walks cannot tell from undirected ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphtrees.graphs.flat import FlatGraphs


def listed_both_ways(
    source: np.ndarray, target: np.ndarray, columns: Sequence[np.ndarray | None]
) -> bool:
    """Whether the reverse of every edge is there as often, with the same entries in `columns`."""
    if not np.array_equal(np.bincount(source), np.bincount(target)):
        return False  # most directed graphs are settled here, without a sort
    rest = [column for column in columns if column is not None]
    there = np.array([source, target, *rest])
    back = np.array([target, source, *rest])
    return np.array_equal(there[:, np.lexsort(there)], back[:, np.lexsort(back)])


def has_direction(flat: FlatGraphs) -> bool | None:
    """Whether the direction of some edge matters to a walk; None where there are no edges."""
    if not flat.n_edges:
        return None
    if not flat.directed:
        return False
    source, target = flat.edges + np.repeat(flat.vertex_ptr[:-1], np.diff(flat.edge_ptr))
    features = [] if flat.edge_features is None else list(flat.edge_features.T)
    return not listed_both_ways(source, target, [flat.edge_weights, flat.edge_types, *features])
