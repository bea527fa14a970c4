"""Whether directed edges are symmetric, so that walks cannot tell them from undirected ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphtrees.graphs.flat import FlatGraphs


def is_symmetric(
    source: np.ndarray, target: np.ndarray, columns: Sequence[np.ndarray | None]
) -> bool:
    """Whether every edge has its reverse, as often and with the same entries in `columns`."""
    if not np.array_equal(np.bincount(source), np.bincount(target)):
        return False  # settles most directed graphs without a sort
    rest = [column for column in columns if column is not None]
    forward = np.array([source, target, *rest])
    backward = np.array([target, source, *rest])
    return np.array_equal(forward[:, np.lexsort(forward)], backward[:, np.lexsort(backward)])


def has_direction(flat: FlatGraphs) -> bool | None:
    """Whether the direction of some edge matters to a walk; None where there are no edges."""
    if not flat.n_edges:
        return None
    if not flat.directed:
        return False
    source, target = flat.edges + np.repeat(flat.vertex_ptr[:-1], np.diff(flat.edge_ptr))
    features = [] if flat.edge_features is None else list(flat.edge_features.T)
    return not is_symmetric(source, target, [flat.edge_weights, flat.edge_types, *features])
