"""Walk steps of an operator with a middle: into the vertices between edges, and out again."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from graphtrees._layout import OFFSET
from graphtrees._threads import Workers
from graphtrees.candidates.operators import Operator
from graphtrees.candidates.rows import SparseRows
from graphtrees.graphs.flat import starts_of
from graphtrees.kernels import columns, middle

NO_CODES = np.empty(0, np.uint8)
ALL = -1  # lanes


class Passing:
    """Steps along one operator; `vertex_ptr` and `graph_of` are those of the edges."""

    def __init__(
        self, op: Operator, vertex_ptr: np.ndarray, graph_of: np.ndarray, workers: Workers
    ) -> None:
        self.op = op
        self.middle = op.middle
        self.vertex_ptr = vertex_ptr
        self.graph_of = graph_of
        self.workers = workers

    @property
    def n_middle(self) -> int:
        return len(self.middle.graph_of)

    def stages(self, ends: np.ndarray, longest: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """(vertices, edges) that walks of up to `longest` steps into `ends` pass, step by step."""
        stages: list[tuple[np.ndarray, np.ndarray]] = []
        into_mark = np.full(self.n_middle, -1, np.int32)
        mark = np.full(len(self.graph_of), -1, np.int32)
        op, way = self.op, self.middle
        for stamp in range(longest):
            found = np.empty(self.n_middle, np.int64)
            n = middle.touched(
                ends, self.graph_of, way.ptr, op.indptr, op.indices, into_mark, stamp, 0, found
            )
            stages.insert(0, (found[:n], ends))
            if stamp < longest - 1:
                before = np.empty(len(self.graph_of), np.int64)
                mark[ends] = stamp
                own = np.flatnonzero(mark == stamp)
                before[: len(own)] = own
                n_before = middle.touched(
                    found[:n], self.middle.graph_of, self.vertex_ptr, way.indptr, way.indices, mark,
                    stamp, len(own), before,
                )  # fmt: skip
                ends = before[:n_before]
        return stages

    def whole(
        self, row_ptr: np.ndarray, n_lanes: np.ndarray, values: np.ndarray, out: np.ndarray
    ) -> None:
        """out = A values at every edge, for rows of n_lanes[g] values that start at row_ptr[g]."""
        sum_ptr = starts_of(np.diff(self.middle.ptr) * n_lanes)
        every = np.arange(self.n_middle), np.arange(len(self.graph_of))
        self._step(*every, row_ptr, n_lanes, 0, ALL, values, NO_CODES, False, sum_ptr, row_ptr, out)

    def apart(
        self, middles: np.ndarray, ends: np.ndarray, n_lanes: int, from_lane: int, to_lane: int,
        values: np.ndarray, codes: np.ndarray, first_step: bool, plain: bool, out: np.ndarray,
    ) -> None:  # fmt: skip
        """As `columns.walk_apart`: two subsets side by side, in rows of two stretches of lanes."""
        width = to_lane - from_lane
        stride = n_lanes if first_step else 2 * width
        lanes = np.full(len(self.vertex_ptr) - 1, stride, OFFSET)
        self._step(
            middles, ends, self.vertex_ptr * stride, lanes, from_lane if first_step else 0,
            width if first_step else 2 * width, values, codes if first_step else NO_CODES, plain,
            self.middle.ptr * (2 * width), self.vertex_ptr * (2 * width), out,
        )  # fmt: skip

    def _step(
        self, middles, ends, row_ptr, n_lanes, from_lane, width, values, codes, plain, sum_ptr,
        out_ptr, out,
    ) -> None:  # fmt: skip
        op, way = self.op, self.middle
        hi, lo = np.empty(sum_ptr[-1]), np.empty(sum_ptr[-1])
        self.workers.each(
            lambda a, b: middle.step_in(
                middles[a:b], self.middle.graph_of, way.ptr, way.indptr, way.indices, row_ptr,
                n_lanes, from_lane, width, values, self.vertex_ptr, codes, plain, sum_ptr, hi, lo,
            ),
            self._even(middles),
        )  # fmt: skip
        self.workers.each(
            lambda a, b: middle.step_out(
                ends[a:b], self.graph_of, self.vertex_ptr, op.indptr, op.indices, op.divisor,
                way.beside, row_ptr, n_lanes, from_lane, width, values, codes, plain, sum_ptr,
                hi, lo, out_ptr, out,
            ),
            self.workers.spans(len(ends), at_least=256),
        )  # fmt: skip

    def _even(self, middles: np.ndarray) -> list[tuple[int, int]]:
        """Stretches that about as many edges enter, one a thread: a hub may have most of them."""
        spans = self.workers.spans(len(middles), at_least=256)
        if len(spans) < 2:
            return spans
        upto = np.cumsum(np.diff(self.middle.indptr)[middles] + 1)
        inner = np.searchsorted(upto, upto[-1] * np.arange(1, len(spans)) // len(spans))
        cuts = [0, *inner.tolist(), len(middles)]
        return list(pairwise(cuts))

    def lists(
        self, middles: np.ndarray, ends: np.ndarray, lane_ptr: np.ndarray, rows: SparseRows,
        codes: np.ndarray, n_signs: int, first_step: bool,
    ) -> SparseRows:  # fmt: skip
        """The same for rows kept as lists; only those of `ends` are filled."""
        op, way = self.op, self.middle
        most = int(np.diff(lane_ptr).max(initial=1)) * n_signs
        room = self._room(
            middles, self.middle.graph_of, self.vertex_ptr, way.indptr, way.indices, rows, most
        )
        sums = SparseRows.empty(self.n_middle, int(room[-1]), np.float64)
        errors = np.empty(room[-1])
        self.workers.each(
            lambda a, b: middle.list_in(
                middles[a:b], self.middle.graph_of, self.vertex_ptr, lane_ptr, way.indptr,
                way.indices, *rows.parts, codes, n_signs, first_step, room[a:b], *sums.parts,
                errors,
            ),
            self._even(middles),
        )  # fmt: skip
        room = self._room(ends, self.graph_of, way.ptr, op.indptr, op.indices, sums, most)
        made = SparseRows.empty(len(self.graph_of), int(room[-1]), np.float32)
        self.workers.each(
            lambda a, b: middle.list_out(
                ends[a:b], self.graph_of, way.ptr, lane_ptr, op.indptr, op.indices, op.divisor,
                way.beside, *sums.parts, errors, *rows.parts, codes, n_signs, first_step,
                room[a:b], *made.parts,
            ),
            self.workers.spans(len(ends), at_least=128),
        )  # fmt: skip
        return made

    def _room(self, ends, graph_of, column_ptr, indptr, indices, rows: SparseRows, most: int):
        """Where each of `ends` may write its entries."""
        room = np.zeros(len(ends) + 1, np.int64)
        columns.sparse_room(
            ends, graph_of, column_ptr, indptr, indices, rows.start, rows.stop, most, room[1:]
        )
        return np.cumsum(room, out=room)
