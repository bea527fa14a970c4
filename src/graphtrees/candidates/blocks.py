"""Blocks of columns: their non-zero entries for some rows, and the bins of the static ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees._layout import BIN, EXACT_BIN, OFFSET, VALUE
from graphtrees.candidates.plan import Plan
from graphtrees.kernels import search


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
        cls, plan: Plan, n_features: int, n_signs: int, lanes_of_row: np.ndarray,
        buffer: dict | None,
    ) -> Block:  # fmt: skip
        """Room for every entry that rows with so many lanes can have, taken from the buffer."""
        ptr = np.zeros(len(lanes_of_row) + 1, OFFSET)
        # One more than there can be: kernels write an entry before they know whether to keep it.
        np.cumsum(lanes_of_row * (plan.width * n_signs) + 1, out=ptr[1:])
        buffer = {} if buffer is None else buffer
        if "columns" not in buffer or len(buffer["columns"]) < ptr[-1]:
            buffer["columns"] = np.empty(ptr[-1], np.int32)
            buffer["values"] = np.empty(ptr[-1], VALUE)
        return cls(
            plan, n_features, n_signs, ptr[:-1], ptr[:-1].copy(), buffer["columns"],
            buffer["values"], np.ones((len(lanes_of_row), n_signs), np.uint8),
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

    def read(self, column: int, slots: np.ndarray) -> np.ndarray:
        """One column for the rows `slots`, zeros and missing values filled in."""
        out = np.empty(len(slots), VALUE)
        sign = self.describe(column)[1]
        search.read_column(
            column, sign, slots, self.row_start, self.row_stop, self.columns, self.values,
            self.alive, out,
        )  # fmt: skip
        return out


@dataclass(frozen=True)
class DenseBlock:
    """Columns of the two subsets of a split-node written out in full, for some of the features.

    `values[2 × place + sign, k, row]` belongs to `features[k]`.
    """

    plan: Plan
    n_features: int
    features: np.ndarray
    values: np.ndarray
    n_signs: int = 2

    @property
    def n_columns(self) -> int:
        return self.n_features * self.plan.width * self.n_signs

    def describe(self, column: int) -> tuple[int, int, int]:
        """(place in the plan, sign from 0, feature) of a column."""
        question, feature = divmod(column, self.n_features)
        return question // self.n_signs, question % self.n_signs, feature

    def read(self, column: int, slots: np.ndarray) -> np.ndarray:
        """One column for the rows `slots`."""
        question, feature = divmod(column, self.n_features)
        return self.values[question, int(np.searchsorted(self.features, feature)), slots]


@dataclass(frozen=True)
class Bins:
    """Bins between neighbouring values, aligned with a block's entries.

    `cuts[c]` are the values between the bins of column c: a value is in the bin numbered by how
    many cuts lie below it, a missing one in bin n_bins[c].
    """

    bins: np.ndarray
    n_bins: np.ndarray
    bin_ptr: np.ndarray
    zero_bin: np.ndarray
    cuts: dict[int, np.ndarray]


def bin_by_cuts(block: Block, max_bins: int | None) -> Bins:
    """A bin for every distinct value; by quantiles where there are more than max_bins of them."""
    rows = np.repeat(np.arange(len(block.row_start)), block.row_stop - block.row_start)
    within = np.arange(len(rows)) - np.repeat(
        np.cumsum(block.row_stop - block.row_start) - (block.row_stop - block.row_start),
        block.row_stop - block.row_start,
    )
    entries = block.row_start[rows] + within
    entries = entries[np.argsort(block.columns[entries], kind="stable")]
    listed = block.columns[entries]
    ends = np.flatnonzero(np.r_[listed[1:] != listed[:-1], True][: len(listed)]) + 1
    n_bins = np.zeros(block.n_columns, np.int64)
    zero_bin = np.zeros(block.n_columns, np.int64)
    bins = np.zeros(len(block.columns), BIN if max_bins is not None else EXACT_BIN)
    n_alive = block.alive.sum(axis=0, dtype=np.int64)
    cuts: dict[int, np.ndarray] = {}
    for start, stop in zip(np.r_[0, ends[:-1]], ends, strict=False):
        column = int(listed[start])
        chosen = entries[start:stop]
        values = block.values[chosen]
        known = values[~np.isnan(values)]
        n_zeros = int(n_alive[block.describe(column)[1]]) - len(values)
        between = find_cuts(np.sort(known), n_zeros, max_bins)
        if not len(between):
            continue
        cuts[column] = between
        n_bins[column] = len(between) + 1
        numbers = np.searchsorted(between, values.astype(np.float64), side="left")
        bins[chosen] = np.where(np.isnan(values), n_bins[column], numbers)
        zero_bin[column] = np.searchsorted(between, 0.0, side="left")
    cells = np.where(n_bins > 1, n_bins + 1, 0)  # one more for missing values
    bin_ptr = np.concatenate([[0], np.cumsum(cells)]).astype(OFFSET)
    return Bins(bins, n_bins, bin_ptr, zero_bin, cuts)


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
    return middles[number[1:] != number[:-1]]
