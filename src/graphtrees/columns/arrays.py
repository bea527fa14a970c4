"""Batches and operators as kernels take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphtrees._layout import VALUE
from graphtrees.columns.lane_lists import Lanes
from graphtrees.kernels.records import GraphArrays, OperatorArrays
from graphtrees.questions.operators import Operator, stack_endpoints

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphtrees._threads import Workers
    from graphtrees.columns.batch import Batch

NO_DIAGONAL = np.empty((1, 1, 0), VALUE)


def graph_arrays(batch: Batch, lanes: Lanes, x: np.ndarray | None = None) -> GraphArrays:
    """Values in full; `x` replaces those of the lanes."""
    return GraphArrays(
        batch.vertex_ptr, lanes.lane_ptr, lanes.lane_features, lanes.x_ptr, batch.lane_major,
        lanes.x if x is None else x,
    )  # fmt: skip


def operator_arrays(
    op: Operator, closed: np.ndarray | None = None, weights: np.ndarray | None = None
) -> OperatorArrays:
    """One operator, without copying it; `closed` is the diagonal of the power asked for."""
    ptr, indptr, indices, skips_itself = op.endpoints.parts
    return OperatorArrays(
        op.indptr[None], op.indices, op.weights if weights is None else weights,
        op.divisor[None], ptr, indptr[None], indices, skips_itself,
        NO_DIAGONAL if closed is None else closed[None, None],
    )  # fmt: skip


def stacked_operators(
    batch: Batch, closed_walks: Iterable[tuple[int, int]], longest: int, workers: Workers
) -> OperatorArrays:
    """All operators of a batch, with the diagonals of these (operator, length)."""
    operators = batch.operators
    shifts = np.cumsum([0] + [len(op.indices) for op in operators[:-1]]).tolist()
    shifted, join = list(zip(operators, shifts, strict=True)), workers.join
    return OperatorArrays(
        join([op.indptr[None] + k if k else op.indptr[None] for op, k in shifted]),
        join([op.indices for op in operators]),
        join([op.weights for op in operators]),
        stacked_divisors(batch),
        *stack_endpoints(operators),
        _stacked_diagonals(batch, set(closed_walks), longest, workers),
    )


def stacked_divisors(batch: Batch) -> np.ndarray:
    """Rows of ones for operators without divisors; no columns where no operator has any."""
    if len(batch.operators) == 1:
        return batch.operators[0].divisor[None]
    divided = any(len(op.divisor) for op in batch.operators)
    divisor = np.ones((len(batch.operators), batch.n_vertices if divided else 0))
    for row, op in zip(divisor, batch.operators, strict=True):
        if len(op.divisor):
            row[:] = op.divisor
    return divisor


def _stacked_diagonals(
    batch: Batch, closed_walks: set[tuple[int, int]], longest: int, workers: Workers
) -> np.ndarray:
    n = batch.n_vertices if closed_walks else 0
    out = np.zeros((len(batch.operators), max(1, longest), n), VALUE)
    for operator, length in closed_walks:
        out[operator, length - 1] = batch.diagonal(operator, length, workers)
    return out
