"""Blocks of columns: their non-zero entries for some rows, and the bins of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from graphtrees._layout import BIN, EXACT_BIN, OFFSET, VALUE
from graphtrees._threads import Workers
from graphtrees.candidates.plan import Plan
from graphtrees.kernels import even_bins, search


@dataclass
class Block:
    """Entries of the columns of one plan, row by row; see `kernels/columns.py`.

    Row i owns entries row_start[i]:row_stop[i]. `n_signs` is 1 for questions about whole graphs,
    2 for the two subsets of a split-node; alive[i, s] is False where that subset is empty.
    """

    plan: Plan
    n_features: int
    n_signs: int
    row_start: np.ndarray
    row_stop: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    alive: np.ndarray

    @classmethod
    def empty(
        cls, plan: Plan, n_features: int, n_signs: int, room_of_row: np.ndarray,
        buffer: dict | None,
    ) -> Block:  # fmt: skip
        """Rows with room for so many entries each, taken from the buffer."""
        ptr = np.zeros(len(room_of_row) + 1, OFFSET)
        # One more than asked for: kernels write an entry before they know whether to keep it.
        np.cumsum(room_of_row + 1, out=ptr[1:])
        buffer = {} if buffer is None else buffer
        few = n_features * plan.width * n_signs < 2**16
        names = np.dtype(np.uint16 if few else np.int32)
        held = buffer.get("columns")
        if held is None or len(held) < ptr[-1] or held.dtype != names:
            buffer["columns"] = np.empty(ptr[-1], names)
            buffer["values"] = np.empty(ptr[-1], VALUE)
        return cls(
            plan, n_features, n_signs, ptr[:-1], ptr[:-1].copy(), buffer["columns"],
            buffer["values"], np.ones((len(room_of_row), n_signs), np.uint8),
        )  # fmt: skip

    @property
    def n_bytes(self) -> int:
        return self.columns.nbytes + self.values.nbytes

    @property
    def n_columns(self) -> int:
        return self.n_features * self.plan.width * self.n_signs

    def describe(self, column: int) -> tuple[int, int, int]:
        """(place in the plan, sign from 0, feature) of a column."""
        question, feature = divmod(column, self.n_features)
        return question // self.n_signs, question % self.n_signs, feature

    def read(self, column: int, slots: np.ndarray, workers: Workers) -> np.ndarray:
        """One column for the rows `slots`, zeros and missing values filled in."""
        out = np.empty(len(slots), VALUE)
        sign = self.describe(column)[1]
        workers.each(
            lambda start, stop: search.read_column(
                column, sign, slots[start:stop], self.row_start, self.row_stop, self.columns,
                self.values, self.alive, out[start:stop],
            ),
            workers.spans(len(slots), at_least=1024),
        )  # fmt: skip
        return out


@dataclass(frozen=True)
class DenseBlock:
    """The same for vertex rows with few zeros: every bin of every row, bins.bins[column, row].

    There are no values, which would take four times the room: whoever wants one asks again.
    """

    plan: Plan
    n_features: int
    n_signs: int
    bins: CutBins | EvenBins
    alive: np.ndarray

    @property
    def n_columns(self) -> int:
        return self.n_features * self.plan.width * self.n_signs

    def describe(self, column: int) -> tuple[int, int, int]:
        """(place in the plan, sign from 0, feature) of a column."""
        question, feature = divmod(column, self.n_features)
        return question // self.n_signs, question % self.n_signs, feature


@dataclass(frozen=True)
class Bins:
    """Bins of a block's columns; a missing value is in bin n_bins[c].

    The cells of column c in a histogram start at bin_ptr[c]; zeros, which no histogram is told of,
    belong to zero_bin[c], -1 where there are none.
    """

    bins: np.ndarray
    n_bins: np.ndarray
    bin_ptr: np.ndarray
    zero_bin: np.ndarray

    def point(self) -> None:
        """Lay the cells of all columns end to end, one more each for missing values."""
        np.cumsum(np.where(self.n_bins > 1, self.n_bins + 1, 0), out=self.bin_ptr[1:])


@dataclass(frozen=True)
class CutBins(Bins):
    """A value is in the bin numbered by how many of `cuts[c]` lie below it."""

    cuts: dict[int, np.ndarray]

    @classmethod
    def empty(cls, n_columns: int, shape: int | tuple[int, int], max_bins: int | None) -> CutBins:
        bins = np.zeros(shape, BIN if max_bins is not None else EXACT_BIN)
        n_bins, zero_bin = np.zeros((2, n_columns), np.int64)
        return cls(bins, n_bins, np.zeros(n_columns + 1, np.int64), zero_bin, {})

    def cut(
        self, column: int, values: np.ndarray, n_zeros: int, max_bins: int | None
    ) -> np.ndarray:
        """Choose the bins of a column that has these values and so many zeros beside them.

        Returns the bins of the values.
        """
        missing = np.isnan(values)
        between = find_cuts(np.sort(values[~missing]), n_zeros, max_bins)
        if not len(between):
            return np.zeros(len(values), self.bins.dtype)
        self.cuts[column] = between
        self.n_bins[column] = len(between) + 1
        self.zero_bin[column] = np.searchsorted(between, 0.0, side="left")
        numbers = np.searchsorted(between, values.astype(np.float64), side="left")
        return np.where(missing, len(between) + 1, numbers)

    def is_coarse(self, column: int) -> bool:
        """Whether a better cut may lie inside a bin."""
        return False

    def left_of(self, column: int, cut: int, values: np.ndarray) -> np.ndarray:
        """Which values are in the bins up to `cut`."""
        return values.astype(np.float64) <= self.cuts[column][cut]


@dataclass(frozen=True)
class EvenBins(Bins):
    """Bins without sorting: even[c] is (bottom, middle, step); see `kernels/even_bins.py`.

    Those of entries are found again from the value whenever they are needed, and `bins` is empty.
    """

    even: np.ndarray

    @classmethod
    def empty(cls, n_columns: int, shape: int | tuple[int, int] = 0) -> EvenBins:
        n_bins, zero_bin = np.zeros(n_columns, np.int64), np.full(n_columns, -1)
        bin_ptr = np.zeros(n_columns + 1, np.int64)
        return cls(np.empty(shape, BIN), n_bins, bin_ptr, zero_bin, np.empty((n_columns, 3)))

    def is_coarse(self, column: int) -> bool:
        """Whether a better cut may lie inside a bin."""
        return bool(self.even[column, 1] > 0)

    def left_of(self, column: int, cut: int, values: np.ndarray) -> np.ndarray:
        """Which values are in the bins up to `cut`."""
        wide, (bottom, middle, step) = values.astype(np.float64), self.even[column]
        if middle == 0:
            return wide - bottom <= cut
        with np.errstate(invalid="ignore"):
            place = (wide / (np.abs(wide) + middle) - bottom) * step
            return np.minimum(np.floor(place), self.n_bins[column] - 1) <= cut


def bin_evenly(
    block: Block, slots: np.ndarray, max_bins: int, min_samples: int, workers: Workers
) -> EvenBins:
    """Bins of every column of a block of entries for some of its rows, without sorting."""
    n, n_rows = block.n_columns, len(slots)
    entries = block.row_start, block.row_stop, block.columns, block.values
    bits = block.values.view(np.int32)
    ranges, *others = workers.gather(
        lambda start, stop, mine: even_bins.find_ranges(slots[start:stop], *entries, bits, *mine),
        n_rows, at_least=1024, make=lambda: _Ranges.empty(n),
    )  # fmt: skip
    for more in others:
        ranges.include(more)
    made = EvenBins.empty(n)
    n_alive = block.alive[slots].sum(axis=0, dtype=np.int64)
    even_bins.choose_bins(
        n_rows, n_alive, block.n_features, max_bins, min_samples, *ranges, made.n_bins,
        made.bin_ptr, made.zero_bin, made.even,
    )  # fmt: skip
    return made


class _Ranges(NamedTuple):
    """What bins must know of every column; see `even_bins.find_ranges`."""

    extremes: np.ndarray
    counts: np.ndarray

    @classmethod
    def empty(cls, n: int) -> _Ranges:
        extremes = np.empty((n, 2), VALUE)
        extremes[:] = np.inf, -np.inf
        return cls(extremes, np.zeros((n, 4), np.int64))

    def include(self, more: _Ranges) -> None:
        low, high = self.extremes.T
        np.minimum(low, more.extremes[:, 0], out=low)
        np.maximum(high, more.extremes[:, 1], out=high)
        np.add(self.counts, more.counts, out=self.counts)


def bin_by_cuts(block: Block, max_bins: int | None) -> CutBins:
    """A bin for every distinct value; by quantiles where there are more than max_bins of them."""
    n_entries = int((block.row_stop - block.row_start).sum())
    ptr = np.zeros(block.n_columns + 1, np.int64)
    order = np.empty(n_entries, np.int32 if len(block.columns) < 2**31 else np.int64)
    search.sort_entries(block.row_start, block.row_stop, block.columns, ptr, order)
    made = CutBins.empty(block.n_columns, len(block.columns), max_bins)
    n_alive = block.alive.sum(axis=0, dtype=np.int64)
    for column in np.flatnonzero(np.diff(ptr)).tolist():
        chosen = order[ptr[column] : ptr[column + 1]]
        n_zeros = int(n_alive[block.describe(column)[1]]) - len(chosen)
        made.bins[chosen] = made.cut(column, block.values[chosen], n_zeros, max_bins)
    made.point()
    return made


def find_cuts(column: np.ndarray, n_zeros: int, max_bins: int | None) -> np.ndarray:
    """Midpoints between neighbouring distinct values of a sorted column with n_zeros zeros added.

    Where there are too many, those at the quantiles are kept.
    """
    starts = np.flatnonzero(np.r_[True, column[1:] != column[:-1]][: len(column)])
    distinct = column[starts].astype(np.float64)
    counts = np.diff(np.r_[starts, len(column)])
    if n_zeros > 0:
        at = int(np.searchsorted(distinct, 0.0))
        if at == len(distinct) or distinct[at] != 0.0:
            distinct, counts = np.insert(distinct, at, 0.0), np.insert(counts, at, n_zeros)
        else:
            counts[at] += n_zeros
    middles = (distinct[:-1] + distinct[1:]) / 2
    if max_bins is None or len(distinct) <= max_bins:
        return middles
    upto = np.cumsum(counts)
    number = (upto - counts) * max_bins // upto[-1]  # the bin of each distinct value
    kept = number[1:] != number[:-1]
    kept[-1] |= not kept.any()  # nearly all share the largest value: part it from the others
    return middles[kept]
