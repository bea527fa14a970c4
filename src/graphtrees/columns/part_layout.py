"""How values are laid out where every worker has a part of one graph: as one that had it all would.

Own vertices of all workers are all vertices of the graph, each counted once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from graphtrees._communicator import Totals
from graphtrees._layout import OFFSET
from graphtrees.columns.lane_lists import LaneLists, Lanes
from graphtrees.kernels import lanes


@dataclass(frozen=True)
class PartLayout:
    """What the values of the whole graph tell; `largest` is the largest size in each column."""

    is_listed: bool
    is_full: bool  # every column has a lane
    largest: np.ndarray

    @classmethod
    def of(cls, values: Any, totals: Totals, most_listed: float) -> PartLayout:
        """Values are listed where at most this share of them is not 0."""
        assert totals.halo is not None
        own = values[np.flatnonzero(totals.halo.is_own)]
        counts = totals.communicator.all_reduce(np.stack([_filled(own), _stored(own)]))
        largest = totals.communicator.all_reduce(_largest(own), np.maximum)
        n, n_columns = totals.halo.n_vertices, values.shape[1]
        n_filled, n_lanes = int(counts[0].sum()), int((counts[0] > 0).sum())
        is_listed = n_filled <= most_listed * max(1, n * n_lanes)
        if not sparse.issparse(values):
            is_listed = is_listed and n_filled <= most_listed * n * n_columns
        return cls(is_listed, bool((counts[1] > 0).all()), largest)

    def round_lists(self, lists: LaneLists) -> LaneLists:
        """`lanes.round_small`, by the largest number of the whole graph: it joins each list."""
        largest = self.largest[lists.lane_features]
        joined = np.insert(lists.value, lists.ptr[1:], largest)
        ptr = (lists.ptr + np.arange(len(lists.ptr))).astype(OFFSET)
        alone, out = np.arange(len(ptr), dtype=OFFSET), np.empty_like(joined)
        if not lanes.round_small(ptr, alone, ptr, True, joined, out):
            return lists
        return replace(lists, value=np.delete(out, ptr[1:] - 1))

    def round_full(self, full: Lanes, n_vertices: int) -> np.ndarray:
        """The same for values in full, vertex by vertex: the largest are one vertex more."""
        largest = self.largest[full.lane_features]
        joined = np.concatenate([full.x, largest])
        ends = np.array([[0, n_vertices + 1], [0, len(joined)]], OFFSET)
        out = np.empty_like(joined)
        if not lanes.round_small(ends[0], full.lane_ptr, ends[1], False, joined, out):
            return full.x
        return out[: len(full.x)]


def _filled(values: Any) -> np.ndarray:
    """How many values of each column are not 0; a missing one counts."""
    if sparse.issparse(values):
        return np.bincount(values.indices[values.data != 0], minlength=values.shape[1])
    return np.count_nonzero(values, axis=0)


def _stored(values: Any) -> np.ndarray:
    """How many values of each column are held; zeros of sparse values may be."""
    if sparse.issparse(values):
        return np.bincount(values.indices, minlength=values.shape[1])
    return np.full(values.shape[1], len(values))


def _largest(values: Any) -> np.ndarray:
    if not sparse.issparse(values):
        return np.fmax.reduce(np.abs(values), axis=0, initial=0.0)
    largest = np.zeros(values.shape[1], values.dtype)
    np.fmax.at(largest, values.indices, np.abs(values.data))
    return largest
