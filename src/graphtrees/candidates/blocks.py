"""Blocks of columns: their values for some rows, and the bins that the search counts in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees._layout import BIN, EXACT_BIN, OFFSET, VALUE
from graphtrees._threads import Workers
from graphtrees.candidates.plan import Plan
from graphtrees.kernels import bins as bin_kernels


@dataclass
class Block:
    """Values of `n_features × plan.width` columns, ragged: a row holds its own graph's lanes.

    `alive[i]` is False where the subset of row i is empty (every value is missing there).
    """

    plan: Plan
    n_features: int
    lane_start: np.ndarray
    n_lanes: np.ndarray
    lane_features: np.ndarray
    value_ptr: np.ndarray
    values: np.ndarray
    alive: np.ndarray
    bins: np.ndarray | None = None
    n_bins: np.ndarray | None = None
    bin_ptr: np.ndarray | None = None
    zero_bin: np.ndarray | None = None

    @classmethod
    def empty(
        cls, plan: Plan, n_features: int, graphs: np.ndarray, lane_ptr: np.ndarray,
        lane_features: np.ndarray,
    ) -> Block:  # fmt: skip
        """Room for the rows whose lanes are those of `graphs`."""
        lane_start = lane_ptr[graphs]
        n_lanes = lane_ptr[graphs + 1] - lane_start
        value_ptr = np.concatenate([[0], np.cumsum(n_lanes * plan.width)]).astype(OFFSET)
        values = np.empty(value_ptr[-1], VALUE)
        alive = np.ones(len(graphs), np.bool_)
        return cls(plan, n_features, lane_start, n_lanes, lane_features, value_ptr, values, alive)

    @property
    def n_rows(self) -> int:
        return len(self.alive)

    @property
    def n_columns(self) -> int:
        return self.n_features * self.plan.width

    def column(self, feature: int, place: int) -> tuple[np.ndarray, np.ndarray]:
        """Values and bins of one column for every row, zeros and missing filled in."""
        assert self.bins is not None and self.zero_bin is not None and self.n_bins is not None
        at = feature * self.plan.width + place
        values, numbers = np.empty(self.n_rows, VALUE), np.empty(self.n_rows, np.int64)
        bin_kernels.read_column(
            feature, place, self.alive, self.lane_start, self.n_lanes, self.lane_features,
            self.value_ptr, self.values, self.bins, self.plan.width, self.zero_bin[at],
            self.n_bins[at], values, numbers,
        )  # fmt: skip
        return values, numbers

    def _over_rows(self, workers: Workers, kernel, *arguments) -> None:
        shared = (
            self.alive, self.lane_start, self.n_lanes, self.lane_features, self.value_ptr,
            self.values, self.plan.width,
        )  # fmt: skip
        workers.each(
            lambda start, stop: kernel(start, stop, *shared, *arguments),
            workers.spans(self.n_rows, at_least=64),
        )

    def bin_by_cuts(self, max_bins: int | None, workers: Workers) -> None:
        """Bins between neighbouring values; by quantiles where there are more than max_bins."""
        cuts = [np.empty(0)] * self.n_columns
        has_values = np.zeros(self.n_columns, bool)
        n_alive = int(self.alive.sum())
        width = self.plan.width
        for feature, entries in self._entries_by_feature():
            absent = n_alive - len(entries)
            table = self.values[entries[:, None] + np.arange(width)]
            table.sort(axis=0)
            for place in range(width):
                column = table[:, place]
                column = column[~np.isnan(column)]
                cuts[feature * width + place] = _cuts(column, absent, max_bins)
                has_values[feature * width + place] = len(column) > 0 or absent > 0
        self.n_bins = np.array([len(c) + 1 for c in cuts], np.int64) * (has_values > 0)
        cut_ptr = np.concatenate([[0], np.cumsum([len(c) for c in cuts])]).astype(OFFSET)
        joined = np.concatenate([*cuts, np.empty(0)])
        self.zero_bin = np.array([np.searchsorted(c, 0.0, side="left") for c in cuts], np.int64)
        self.bins = np.zeros(len(self.values), BIN if max_bins is not None else EXACT_BIN)
        self._over_rows(workers, bin_kernels.cut_bins, cut_ptr, joined, self.n_bins, self.bins)
        self._place_bins()

    def _entries_by_feature(self):
        """(feature, places where its values begin) over the rows with a non-empty subset."""
        rows = np.repeat(np.arange(self.n_rows), self.n_lanes)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(self.n_lanes) - self.n_lanes, self.n_lanes)
        features = self.lane_features[self.lane_start[rows] + within]
        entries = self.value_ptr[rows] + within * self.plan.width
        keep = self.alive[rows]
        features, entries = features[keep], entries[keep]
        order = np.argsort(features, kind="stable")
        features, entries = features[order], entries[order]
        ends = np.flatnonzero(np.r_[features[1:] != features[:-1], True][: len(features)]) + 1
        for start, stop in zip(np.r_[0, ends[:-1]], ends, strict=False):
            yield int(features[start]), entries[start:stop]

    def bin_evenly(self, max_bins: int, workers: Workers) -> None:
        """Bins without sorting: integers as they are, else equal steps of x / (|x| + middle)."""
        lowest, highest, fractional, size, present = self._ranges(workers)
        absent = int(self.alive.sum()) - present > 0
        lowest[absent] = np.minimum(lowest[absent], 0.0)
        highest[absent] = np.maximum(highest[absent], 0.0)
        varied = lowest < highest
        lowest[~varied] = highest[~varied] = 0.0
        span = highest - lowest
        whole = varied & (fractional == 0) & (span < max_bins)
        uneven = varied & ~whole
        # A power of two, so that no rounding in the summed size can move it.
        mean = np.where(uneven, size / np.maximum(present, 1), 1.0)
        middle = np.where(uneven, np.exp2(np.round(np.log2(mean))), 0.0)
        few = min(max_bins, max(32, self.n_rows))
        self.n_bins = np.where(whole, span + 1, np.where(varied, few, 0)).astype(np.int64)
        bottom, scale = lowest.copy(), np.zeros(self.n_columns)
        at_zero = np.where(whole, -bottom, 0.0)
        low, high, m = lowest[uneven], highest[uneven], middle[uneven]
        bottom[uneven] = low / (np.abs(low) + m)
        scale[uneven] = self.n_bins[uneven] / (high / (np.abs(high) + m) - bottom[uneven])
        at_zero[uneven] = np.minimum(-bottom[uneven] * scale[uneven], few - 1)
        self.zero_bin = np.where(absent, at_zero, 0).astype(np.int64)
        self.bins = np.zeros(len(self.values), BIN)
        self._over_rows(
            workers, bin_kernels.even_bins, bottom, scale, middle, self.n_bins, self.bins
        )
        self._place_bins()

    def _ranges(self, workers: Workers) -> tuple[np.ndarray, ...]:
        """Ranges of every column, gathered by stretches of rows and put together."""
        n = self.n_columns
        parts = []

        def gather(start, stop, *shared):
            part = (
                np.full(n, np.inf), np.full(n, -np.inf), np.zeros(n, np.uint8), np.zeros(n),
                np.zeros(n, np.int64),
            )  # fmt: skip
            bin_kernels.column_ranges(start, stop, *shared, *part)
            parts.append((start, part))

        self._over_rows(workers, gather)
        parts.sort(key=lambda part: part[0])
        lowest, highest, fractional, size, present = zip(*(part for _, part in parts), strict=True)
        return (
            np.min(lowest, axis=0), np.max(highest, axis=0), np.max(fractional, axis=0),
            np.sum(size, axis=0), np.sum(present, axis=0),
        )  # fmt: skip

    def _place_bins(self) -> None:
        assert self.n_bins is not None
        cells = np.where(self.n_bins > 1, self.n_bins + 1, 0)  # one more for missing values
        self.bin_ptr = np.concatenate([[0], np.cumsum(cells)]).astype(OFFSET)


def _cuts(column: np.ndarray, n_zeros: int, max_bins: int | None) -> np.ndarray:
    """Midpoints between neighbouring distinct values of a sorted column with n_zeros zeros added."""
    if n_zeros:
        at = np.searchsorted(column, 0.0)
        distinct = np.unique(np.insert(column, at, 0.0))
    else:
        distinct = np.unique(column)
    wide = distinct.astype(np.float64)
    middles = (wide[:-1] + wide[1:]) / 2
    if max_bins is None or len(distinct) <= max_bins:
        return middles
    n = len(column) + n_zeros
    ranks = (np.arange(1, max_bins) * n) // max_bins - 1
    before_zero = int(np.searchsorted(column, 0.0))
    shifted = np.where(ranks < before_zero, ranks, np.maximum(ranks - n_zeros, 0))
    values = np.where(
        (ranks >= before_zero) & (ranks < before_zero + n_zeros),
        np.float32(0.0),
        column[np.minimum(np.maximum(shifted, 0), len(column) - 1)],
    )
    place = np.searchsorted(distinct, values, side="right")
    return middles[np.unique(place[place < len(distinct)]) - 1]
