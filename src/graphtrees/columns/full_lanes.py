"""Encoded values written out in lanes, by threads that have a stretch of the graphs each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from graphtrees._layout import OFFSET, VALUE
from graphtrees._threads import ONE_THREAD, Workers
from graphtrees.columns.lane_lists import Lanes
from graphtrees.graphs.flat import spread, starts_of
from graphtrees.kernels import lanes

Span = tuple[int, int]


def write_out(
    values: Sequence[Any], spans: Sequence[Span], vertex_ptr: np.ndarray, lane_major: bool,
    row_of: int, workers: Workers = ONE_THREAD,
) -> Lanes:  # fmt: skip
    """The values in full, a lane for each feature that a graph holds at all.

    values[k] are those of the graphs from spans[k][0] to spans[k][1], one row for each vertex.
    """
    parts = [
        _Part(one, start, stop, vertex_ptr[start : stop + 1] - vertex_ptr[start])
        for one, (start, stop) in zip(values, spans, strict=True)
    ]
    if not sparse.issparse(values[0]):
        return _write_dense(parts, vertex_ptr, lane_major, row_of, workers)
    counts = workers.join(
        workers.each(lanes_per_graph, [(part.values, part.vertex_ptr) for part in parts])
    )
    lane_ptr = starts_of(counts)
    x_ptr = starts_of(np.diff(vertex_ptr) * _filled_up(counts, row_of))
    full = Lanes(lane_ptr, np.empty(lane_ptr[-1], np.int32), x_ptr, np.zeros(x_ptr[-1], VALUE))
    workers.each(_fill, [(part, full, lane_major) for part in parts])
    return full


@dataclass(frozen=True)
class _Part:
    """The values of the graphs from `start` to `stop`, and where each of these begins in them."""

    values: Any
    start: int
    stop: int
    vertex_ptr: np.ndarray


def lanes_per_graph(values: sparse.csr_array, vertex_ptr: np.ndarray) -> np.ndarray:
    """How many columns have an entry in each graph."""
    counts = np.zeros(len(vertex_ptr) - 1, OFFSET)
    lanes.count_lanes(vertex_ptr, *_csr_arrays(values), values.shape[1], counts)
    return counts


def _csr_arrays(values: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Sparse rows, as kernels read them."""
    return values.indptr.astype(OFFSET), values.indices.astype(np.int32, copy=False)


def _fill(part: _Part, full: Lanes, lane_major: bool) -> None:
    """Write the lanes of a part to their places among those of all graphs."""
    lists, n_columns = _csr_arrays(part.values), part.values.shape[1]
    lane_ptr = full.lane_ptr[part.start : part.stop + 1]
    lanes.list_lanes(part.vertex_ptr, *lists, n_columns, lane_ptr, full.lane_features)
    features = full.lane_features[lane_ptr[0] : lane_ptr[-1]]
    first = spread(np.arange(len(lane_ptr) - 1) * n_columns, lane_ptr - lane_ptr[0])
    features[:] = np.sort(first + features) - first
    lanes.fill_lanes(
        part.vertex_ptr, *lists, part.values.data.astype(VALUE, copy=False), n_columns, lane_ptr,
        full.lane_features, full.x_ptr[part.start : part.stop + 1], lane_major, full.x,
    )  # fmt: skip


def _write_dense(
    parts: list[_Part], vertex_ptr: np.ndarray, lane_major: bool, row_of: int, workers: Workers
) -> Lanes:
    """Every graph has a lane for each column."""
    n_graphs, n_columns = len(vertex_ptr) - 1, parts[0].values.shape[1]

    def lay_out(part: _Part) -> np.ndarray:
        if lane_major:
            return _by_lanes(part.values, part.vertex_ptr)
        return _in_rows(part.values, row_of)

    x = workers.join(workers.each(lay_out, [(part,) for part in parts]))
    every = np.tile(np.arange(n_columns, dtype=np.int32), n_graphs)
    lane_ptr = np.arange(n_graphs + 1, dtype=OFFSET) * n_columns
    return Lanes(lane_ptr, every, vertex_ptr * _filled_up(n_columns, row_of), x)


def _filled_up(lanes: Any, row_of: int) -> Any:
    """The next multiple of `row_of`."""
    return -(-lanes // row_of) * row_of


def _in_rows(values: np.ndarray, row_of: int) -> np.ndarray:
    """Dense rows, filled up to a multiple of `row_of`."""
    n, lanes = values.shape
    if lanes % row_of == 0:
        return values.ravel()
    x = np.zeros((n, _filled_up(lanes, row_of)), VALUE)
    x[:, :lanes] = values
    return x.ravel()


def _by_lanes(values: np.ndarray, vertex_ptr: np.ndarray) -> np.ndarray:
    """Dense rows rearranged graph by graph, each lane in one piece."""
    n, lanes = values.shape
    sizes = np.diff(vertex_ptr)
    first, size = spread(vertex_ptr[:-1], vertex_ptr), spread(sizes, vertex_ptr)
    start = first * lanes + (np.arange(n) - first)
    x = np.empty(values.size, VALUE)
    for lane in range(lanes):
        x[start + lane * size] = values[:, lane]
    return x
