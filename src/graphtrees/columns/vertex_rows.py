"""The features that vertices hold, and those that walks bring to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from graphtrees._communicator import ALONE, Communicator
from graphtrees._layout import OFFSET
from graphtrees.columns.batch import Batch
from graphtrees.questions.operators import Operator


@dataclass(frozen=True)
class VertexRows:
    """Values in full, or as lists without the zeros; see `kernels.vertex_records.VertexLayout`.

    `end_ptr` and `end_feature` list what arrives at the endpoints of edges, step by step.
    """

    is_full: bool
    x: np.ndarray
    ptr: np.ndarray
    feature: np.ndarray
    end_ptr: np.ndarray
    end_feature: np.ndarray

    @classmethod
    def of(
        cls, batch: Batch, vertices: np.ndarray, longest: int, communicator: Communicator = ALONE
    ) -> VertexRows:
        """In full where every graph of every worker has a lane for every feature."""
        n, n_ends = batch.n_vertices, len(batch.operators[0].endpoints.graph_of)
        none = np.empty(0, np.int32)
        every_lane = len(batch.lane_features) == batch.n_columns * batch.n_graphs
        if communicator.all(batch.lists is None and every_lane):
            ptr, end_ptr = np.zeros((1, n + 1), OFFSET), np.zeros((1, n_ends + 1), OFFSET)
            return cls(True, batch.x, ptr, none, end_ptr, none)
        own, x = _own(batch)
        levels, sums = [own], []
        for op in batch.operators:
            last = own
            for length in range(1, longest + 1):
                last, between = _step(op, batch, last, vertices if length == longest else None)
                levels.append(last)
                sums += [] if between is None else [between]
        sums = sums or [sparse.csr_array((n_ends, 1))]
        return cls(False, x, *_stacked(levels), *_stacked(sums))

    @property
    def largest_row(self) -> int:
        """The most entries of any level that a walk comes from."""
        return int((self.ptr[:, -1] - self.ptr[:, 0]).max(initial=0))

    @property
    def largest_sum(self) -> int:
        """The same at endpoints."""
        return int((self.end_ptr[:, -1] - self.end_ptr[:, 0]).max(initial=0))


def _own(batch: Batch) -> tuple[sparse.csr_array, np.ndarray]:
    """Which features each vertex holds, and their values."""
    rows = batch.listed_rows
    ptr = np.r_[rows.start, rows.stop[-1:]] if len(rows.start) else np.zeros(1, OFFSET)
    first = np.repeat(batch.lane_ptr[batch.graph_of], np.diff(ptr))
    feature = batch.lane_features[first + rows.lane]
    shape = (batch.n_vertices, max(1, batch.n_columns))
    return sparse.csr_array((np.ones(len(feature), np.int8), feature, ptr), shape=shape), rows.value


def _step(
    op: Operator, batch: Batch, last: sparse.csr_array, ends: np.ndarray | None
) -> tuple[sparse.csr_array, sparse.csr_array | None]:
    """The features that one more step brings to every vertex (or to `ends`), and to endpoints."""
    between = None
    if op.has_endpoints:
        into = _matrix(
            op.endpoints.indptr, op.endpoints.indices, op.endpoints.graph_of, batch.vertex_ptr
        )
        last = between = _support(into @ last)
    starts = op.endpoints.ptr if op.has_endpoints else batch.vertex_ptr
    step = _matrix(op.indptr, op.indices, batch.graph_of, starts)
    if ends is not None:
        step = _only(step, ends)
    return _support(step @ last), between


def _only(matrix: sparse.csr_array, rows: np.ndarray) -> sparse.csr_array:
    """The matrix with nothing in all other rows."""
    is_kept = np.zeros(matrix.shape[0], bool)
    is_kept[rows] = True
    sizes = np.diff(matrix.indptr)
    entries = np.repeat(is_kept, sizes)
    indptr = np.r_[0, np.cumsum(np.where(is_kept, sizes, 0))]
    parts = matrix.data[entries], matrix.indices[entries], indptr
    return sparse.csr_array(parts, shape=matrix.shape)


def _matrix(
    indptr: np.ndarray, indices: np.ndarray, graph_of: np.ndarray, starts: np.ndarray
) -> sparse.csr_array:
    """Ones, for rows of these graphs, at columns that are numbered within their graph."""
    column = indices + np.repeat(starts[graph_of], np.diff(indptr))
    shape = (len(indptr) - 1, int(starts[-1]))
    return sparse.csr_array((np.ones(len(column), np.int32), column, indptr), shape=shape)


def _support(matrix: sparse.csr_array) -> sparse.csr_array:
    """Ones where there is an entry, columns in order."""
    matrix.sort_indices()
    matrix.data = np.ones(len(matrix.data), np.int32)
    return matrix


def _stacked(levels: list[sparse.csr_array]) -> tuple[np.ndarray, np.ndarray]:
    """(pointers of all levels, features end to end)."""
    shifts = np.cumsum([0] + [level.nnz for level in levels])
    ptr = np.stack([
        level.indptr.astype(OFFSET) + shift for level, shift in zip(levels, shifts, strict=False)
    ])  # fmt: skip
    return ptr, np.concatenate([level.indices for level in levels]).astype(np.int32)
