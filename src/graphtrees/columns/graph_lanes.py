"""The features that each graph holds at all: those with values, then colours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees.columns.batch import Batch
from graphtrees.graphs.flat import starts_of


@dataclass(frozen=True)
class GraphLanes:
    """Graph g holds the features features[ptr[g]:ptr[g + 1]], the first n_valued[g] with values.

    colour[r, v] is the lane, within its graph, of the colour of vertex v in round r + 1; -1: none.
    """

    ptr: np.ndarray
    features: np.ndarray
    n_valued: np.ndarray
    colour: np.ndarray

    @classmethod
    def of(cls, batch: Batch, colours: np.ndarray) -> GraphLanes:
        """colours[r, v] is a number from 0; these features come after those of the batch."""
        filled = np.diff(batch.vertex_ptr) > 0  # a graph without vertices answers nothing
        n_valued = np.where(filled, batch.n_lanes, 0)
        valued = batch.lane_features[np.repeat(filled, batch.n_lanes)]
        graph_of_valued = np.repeat(np.arange(batch.n_graphs), n_valued)
        if not colours.size:
            return cls(starts_of(n_valued), valued, n_valued, colours.astype(np.int32))
        n_colours = int(colours.max()) + 1
        graph = np.broadcast_to(batch.graph_of, colours.shape)
        known = colours >= 0
        pairs = graph[known] * max(1, n_colours) + colours[known]
        held, lane = np.unique(pairs, return_inverse=True)
        graph_of_held, number = held // max(1, n_colours), held % max(1, n_colours)
        n_held = np.bincount(graph_of_held, minlength=batch.n_graphs)
        ptr = starts_of(n_valued + n_held)
        features = np.empty(ptr[-1], np.int32)
        at = ptr[graph_of_valued] + _within(graph_of_valued, starts_of(n_valued))
        features[at] = valued
        within = n_valued[graph_of_held] + _within(graph_of_held, starts_of(n_held))
        features[ptr[graph_of_held] + within] = batch.n_columns + number
        colour = np.full(colours.shape, -1, np.int32)
        colour[known] = within[lane]
        return cls(ptr, features, n_valued, colour)


def _within(group: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The place of every item within its group; items lie group by group."""
    return np.arange(len(group)) - starts[group]
