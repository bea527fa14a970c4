"""Walk sums too large for float32: refused before anything is computed with them.

What counts is how large a sum can get from any subset of the vertices: that of all absolute values.
So whether data is refused depends on the data alone, not on which subsets a tree comes to make.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphtrees._layout import SOURCE
from graphtrees._threads import ONE_THREAD, Workers
from graphtrees.columns.arrays import graph_arrays, operator_arrays
from graphtrees.columns.numbers import NUMBERS_A_THREAD, range_of
from graphtrees.kernels import answer
from graphtrees.questions.operators import Operator

if TYPE_CHECKING:
    from graphtrees.columns.batch import Batch

# A little below the largest float32: each step of a walk may round up.
LIMIT = float(np.finfo(np.float32).max) * (1 - 1e-6)
NO_CODES = np.empty(0, np.uint8)
ADVICE = "use a smaller max_walk_length, or scale the edge weights or features down"


@dataclass(frozen=True)
class Bounds:
    """The lowest value, or 0; the largest without its sign; how much a step along each operator
    can add to it; the largest graph.
    """

    lowest: float
    value: float
    growth: tuple[float, ...]
    n_vertices: int

    @classmethod
    def of(
        cls, values: np.ndarray, operators: Sequence[Operator], vertex_ptr: np.ndarray,
        workers: Workers = ONE_THREAD,
    ) -> Bounds:  # fmt: skip
        lowest, highest = range_of(values, workers)
        growth = tuple(_growth(operator, workers) for operator in operators)
        n_vertices = int(np.diff(vertex_ptr).max(initial=0))
        return cls(lowest, max(-lowest, highest), growth, n_vertices)

    def hold(self, operator: int, length: int, summed: bool) -> bool:
        """Whether such walks cannot overflow, whatever the graph looks like."""
        with np.errstate(over="ignore"):
            most = self.value * np.float64(self.growth[operator]) ** length
        return bool(most * (self.n_vertices if summed else 1) <= LIMIT)


def _growth(op: Operator, workers: Workers) -> float:
    """The largest sum of absolute weights into one vertex."""

    def largest(first: int, last: int) -> float:
        ptr = op.indptr[first : last + 1]
        sizes = np.abs(op.weights[ptr[0] : ptr[-1]]).astype(np.float64)
        if op.has_endpoints:  # an entry stands for all that enter an endpoint
            sizes[:] = np.diff(op.endpoints.indptr).max(initial=0)
        starts = (ptr - ptr[0])[:-1][np.diff(ptr) > 0]
        return float(np.add.reduceat(sizes, starts).max()) if len(starts) else 0.0

    most = max(workers.each(largest, workers.stretches(op.indptr, NUMBERS_A_THREAD)))
    return min(1.0, most) if len(op.divisor) else most


def refuse_overflow(
    batch: Batch,
    walks: Iterable[tuple[int, int, bool]],
    columns: Callable[[], Iterable[int]],
    of_graphs: bool,
) -> None:
    """Raise where (operator, length, whether summed over the vertices) may overflow a column.

    `of_graphs` tells whether the graphs are the examples, so that their numbers can be told: of
    vertex and edge examples the batch holds some graphs only, in numbers of its own.
    """
    doubtful = sorted(walk for walk in walks if not batch.bounds.hold(*walk))
    if not doubtful:
        return
    for column in columns():
        lanes = batch.lanes_of(lambda column=column: np.array([column]))  # type: ignore[misc]
        sizes = np.abs(lanes.x)
        for operator, length, summed in doubtful:
            op = batch.operators[operator]
            z = np.empty(batch.n_vertices, np.float32)
            answer.ask(
                np.arange(batch.n_graphs), graph_arrays(batch, lanes, sizes),
                operator_arrays(op, weights=np.abs(op.weights)), column, length, SOURCE, NO_CODES,
                0, z,
            )  # fmt: skip
            # Without a step NaN is a missing value; after one, what infinities left behind.
            known = np.nan_to_num(z.astype(np.float64), nan=np.inf if length else 0.0)
            problem = _too_large(batch, known, op, length, summed)
            if problem is not None:
                graph, description = problem
                where = f"graph {graph}: " if of_graphs and batch.n_graphs > 1 else ""
                raise ValueError(where + description)


def _too_large(
    batch: Batch, z: np.ndarray, op: Operator, length: int, summed: bool
) -> tuple[int, str] | None:
    """The first graph with too large a value, and the words for it."""
    what, advice = f"walks of length {length} along operator {op.name!r}", ADVICE
    large = z > LIMIT
    if large.any():
        return int(batch.graph_of[np.argmax(large)]), f"{what} overflow float32: {advice}"
    totals = np.bincount(batch.graph_of, z, batch.n_graphs)
    if not summed or not (totals > LIMIT).any():
        return None
    what = f"sums of {what}" if length else "sums of a feature over all vertices"
    advice = (advice if length else "scale the features down") + ", or leave out 'sum'"
    return int(np.argmax(totals > LIMIT)), f"{what} overflow float32: {advice}"
