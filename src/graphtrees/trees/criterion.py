"""What a split is worth. Every criterion is a sum over examples, kept in fixed point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees._layout import SUM
from graphtrees.kernels.growing_records import PackedStats, WideStats
from graphtrees.kernels.histograms import ENTROPY, GINI, NEWTON

# Hessians keep at least so many bits when they share a word with the count of examples.
HESSIAN_BITS = 22

# Of the bits of a float64, those that a few operations leave exact.
PRECISION = 51

KINDS = {"newton": NEWTON, "gini": GINI, "entropy": ENTROPY}


@dataclass(frozen=True)
class Criterion:
    """The kind of score and its parameters; gains are decreases of the summed loss.

    newton: sum of g²/(h + l2); squared error is its case g = -w·y, h = w.
    gini, entropy: the weight of each class, impurity times weight.
    """

    kind: int
    l2: float = 0.0
    min_hessian: float = 0.0

    def values(self, sums: np.ndarray) -> np.ndarray:
        """What leaves with these (rescaled) sums, one row each, predict."""
        if self.kind == NEWTON:
            gradient, hessian = sums[:, 1::2], sums[:, 2::2] + self.l2
            return np.where(hessian > 0, -gradient / np.where(hessian > 0, hessian, 1.0), 0.0)
        total = sums[:, 1:].sum(axis=1, keepdims=True)
        even = 1 / (sums.shape[1] - 1)
        return np.where(total > 0, sums[:, 1:] / np.where(total > 0, total, 1.0), even)


@dataclass(frozen=True)
class Statistics:
    """What each example adds to the histograms, as integers, and the scale back to numbers.

    `table[i]` is (1, channel 1, channel 2, ...); `weight[i]` is the example's weight, to settle
    where missing values go. Scales are powers of two, so that scaling back is exact.
    """

    table: np.ndarray
    scale: np.ndarray
    weight: np.ndarray
    weight_unit: float

    @classmethod
    def newton(cls, gradient: np.ndarray, hessian: np.ndarray, weight: np.ndarray) -> Statistics:
        """Channels g_0, h_0, g_1, h_1, ... from arrays (n_examples, n_outputs)."""
        n, outputs = gradient.shape
        table = np.empty((n, 1 + 2 * outputs), SUM)
        scale = np.ones(1 + 2 * outputs)
        table[:, 0] = 1
        table[:, 1::2], scale[1::2] = _fixed_point(gradient)
        table[:, 2::2], scale[2::2] = _fixed_point(hessian)
        return cls(table, scale, *_fixed_point(weight))

    @classmethod
    def classes(cls, codes: np.ndarray, n_classes: int, weight: np.ndarray) -> Statistics:
        """Channels: the example's weight, in the channel of its class."""
        fixed, unit = _fixed_point(weight)
        table = np.zeros((len(codes), 1 + n_classes), SUM)
        table[:, 0] = 1
        table[np.arange(len(codes)), 1 + codes] = fixed
        scale = np.full(1 + n_classes, unit)
        scale[0] = 1.0
        return cls(table, scale, fixed, unit)

    def sums(self, totals: np.ndarray) -> np.ndarray:
        """Integer totals as numbers."""
        return totals * self.scale

    def record(self, criterion: Criterion) -> PackedStats | WideStats:
        """For kernels: packed into two words where that loses nothing that matters."""
        count_bits = len(self.table).bit_length()
        room = 62 - 2 * count_bits
        one_output = criterion.kind == NEWTON and self.table.shape[1] == 3
        if not one_output or room < HESSIAN_BITS or self.table[:, 2].min(initial=0) < 0:
            return WideStats(
                self.table, self.weight, self.scale, self._errors(), criterion.kind, criterion.l2,
                criterion.min_hessian,
            )  # fmt: skip
        hessian = self.table[:, 2] * self.scale[2]
        exponent = int(np.frexp(float(hessian.max(initial=0.0)))[1]) - room
        words = np.empty((len(self.table), 2), SUM)
        words[:, 0] = self.table[:, 1]
        small = np.rint(np.ldexp(hessian, -exponent)).astype(SUM)
        words[:, 1] = (small << count_bits) + 1
        return PackedStats(
            words, self.weight, count_bits, float(self.scale[1]), float(self._errors()[1]),
            float(np.ldexp(1.0, exponent)), criterion.l2, criterion.min_hessian,
        )  # fmt: skip

    def _errors(self) -> np.ndarray:
        """By how much each number may be off: float64 has rounded it, and then the fixed point."""
        return self.scale * max(1.0, 2.0 ** (_room(len(self.table)) - PRECISION))


def _fixed_point(values: np.ndarray) -> tuple[np.ndarray, float]:
    """Integers and the power of two that turns them back; n of them add up without overflow."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0.0:
        return np.zeros(values.shape, SUM), 1.0
    exponent = int(np.frexp(largest)[1]) - _room(values.shape[0])
    return np.rint(np.ldexp(values, -exponent)).astype(SUM), float(np.ldexp(1.0, exponent))


def _room(n: int) -> int:
    """How many bits the largest of n numbers may take."""
    return 61 - int(np.ceil(np.log2(max(2, n))))
