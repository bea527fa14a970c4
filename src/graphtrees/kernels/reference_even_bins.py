"""Twins of the kernels of `even_bins`; see `reference`."""

from __future__ import annotations

import numpy as np


def _exponents(values) -> int:
    """Summed exponents as float32 keeps them: 0 for zero, 127 for 1 up to 2."""
    kept = np.frexp(values.astype(np.float64))[1] - 1 + 127
    return int(np.where(values == 0, 0, np.maximum(kept, 0)).sum())


def find_ranges(slots, row_start, row_stop, columns, values, bits, extremes, counts):
    for row in slots:
        entries = slice(row_start[row], row_stop[row])
        for c, value in zip(columns[entries], values[entries], strict=True):
            counts[c, :2] += 1, np.isnan(value)
            if not np.isnan(value):
                extremes[c] = min(extremes[c, 0], value), max(extremes[c, 1], value)
                counts[c, 2] += _exponents(np.array([value]))
                counts[c, 3] += value % 1 != 0


def _even(low, high, sizes, known, is_whole, max_bins, n_rows) -> tuple:
    low, high = float(low), float(high)
    if is_whole and high - low < max_bins:
        return int(high - low) + 1, low, 0.0, 1.0
    middle = 2.0 ** np.floor(sizes / known - 126.5)
    bottom, top = (v / (abs(v) + middle) for v in (low, high))
    n_bins = min(max_bins, max(64, 4 * n_rows))
    return n_bins, bottom, middle, n_bins / (top - bottom)


def _bins_of(values, n_bins, bottom, middle, step) -> np.ndarray:
    wide = np.nan_to_num(values.astype(np.float64))
    place = (wide / (np.abs(wide) + middle) - bottom) * step if middle else wide - bottom
    return np.where(np.isnan(values), n_bins, np.minimum(place.astype(np.int64), n_bins - 1))


def choose_bins(
    n_rows, n_alive, n_features, max_bins, min_samples, extremes, counts, n_bins, bin_ptr,
    zero_bin, even,
):  # fmt: skip
    n_bins[:], zero_bin[:] = 0, -1
    for c in np.flatnonzero(counts[:, 0]):
        present, missing, sizes, n_fractional = counts[c]
        low, high = extremes[c]
        zeros = n_alive[(c // n_features) % len(n_alive)] - present
        low, high = (min(low, 0), max(high, 0)) if zeros else (low, high)
        if low >= high or (zeros and n_rows - zeros < min_samples):
            continue
        n_bins[c], *even[c] = _even(
            low, high, sizes, present - missing, n_fractional == 0, max_bins, n_rows
        )
        if zeros:
            zero_bin[c] = _bins_of(np.zeros(1), n_bins[c], *even[c])[0]
    bin_ptr[:] = np.concatenate([[0], np.cumsum(np.where(n_bins > 0, n_bins + 1, 0))])


def fill_evenly(
    slots, examples, row_start, row_stop, columns, values, n_bins, bin_ptr, even, stats, histogram
):
    for row, example in zip(slots, examples, strict=True):
        for e in range(row_start[row], row_stop[row]):
            c = columns[e]
            if n_bins[c]:
                bin_ = _bins_of(values[e : e + 1], n_bins[c], *even[c])[0]
                histogram[bin_ptr[c] + bin_] += stats[example]


def bin_densely(
    values, bits, from_column, to_column, first_column, n_lanes, n_features, max_bins, min_samples,
    n_bins, even, bins,
):  # fmt: skip
    n_rows = values.shape[1]
    for k in range(from_column, to_column):
        c = (k // n_lanes) * n_features + first_column + k % n_lanes
        n_bins[c] = 0
        known = values[k][~np.isnan(values[k])]
        n_zeros = int((known == 0).sum())
        if not len(known) or known.min() == known.max():
            continue
        if n_zeros and n_rows - n_zeros < min_samples:
            continue
        n_bins[c], *even[c] = _even(
            known.min(), known.max(), _exponents(known), len(known) - n_zeros,
            bool((known % 1 == 0).all()), max_bins, n_rows,
        )  # fmt: skip
        bins[c] = _bins_of(values[k], n_bins[c], *even[c])
