"""What a split is worth: totals over examples, recomputed from scratch each time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np


class Criterion(Protocol):
    """Rows are the numbers of examples."""

    weight: np.ndarray

    def gain(self, left: np.ndarray, right: np.ndarray) -> float: ...

    def value(self, rows: np.ndarray) -> np.ndarray: ...

    def scale(self, rows: np.ndarray) -> float:
        """The size of the terms that cancel in a gain: what rounding is measured against."""


@dataclass(frozen=True, eq=False)
class Newton:
    """GL²/(HL+λ) + GR²/(HR+λ) − G²/(H+λ); a leaf says −G/(H+λ)."""

    gradient: np.ndarray
    hessian: np.ndarray
    weight: np.ndarray
    l2: float = 0.0

    def _score(self, rows: np.ndarray) -> float:
        below = float(self.hessian[rows].sum()) + self.l2
        return float(self.gradient[rows].sum()) ** 2 / below if below > 0 else 0.0

    def gain(self, left: np.ndarray, right: np.ndarray) -> float:
        together = np.concatenate([left, right])
        return self._score(left) + self._score(right) - self._score(together)

    def value(self, rows: np.ndarray) -> np.ndarray:
        below = float(self.hessian[rows].sum()) + self.l2
        return np.array([-float(self.gradient[rows].sum()) / below if below > 0 else 0.0])

    def scale(self, rows: np.ndarray) -> float:
        return float((self.gradient[rows] ** 2 / self.hessian[rows]).sum())


def squared_error(y, weight) -> Newton:
    """The decrease of Σ w (y − mean)², and the weighted mean in each leaf."""
    y, weight = np.asarray(y, dtype=float), np.asarray(weight, dtype=float)
    return Newton(-weight * y, weight, weight)


@dataclass(frozen=True, eq=False)
class Together:
    """Several outputs in one tree: gains add up, a leaf says one number for each."""

    parts: tuple[Newton, ...]

    @property
    def weight(self) -> np.ndarray:
        return self.parts[0].weight

    def gain(self, left: np.ndarray, right: np.ndarray) -> float:
        return sum(part.gain(left, right) for part in self.parts)

    def value(self, rows: np.ndarray) -> np.ndarray:
        return np.concatenate([part.value(rows) for part in self.parts])

    def scale(self, rows: np.ndarray) -> float:
        return sum(part.scale(rows) for part in self.parts)


def gini(shares: np.ndarray) -> float:
    return 1.0 - float((shares**2).sum())


def entropy(shares: np.ndarray) -> float:
    """In bits."""
    present = shares[shares > 0]
    return -float((present * np.log2(present)).sum())


@dataclass(frozen=True, eq=False)
class Impurity:
    """W·I − WL·IL − WR·IR for gini or entropy; a leaf says the share of each class."""

    labels: np.ndarray  # 0 … n_classes − 1
    n_classes: int
    weight: np.ndarray
    measure: str = "gini"

    def _of_each_class(self, rows: np.ndarray) -> np.ndarray:
        return np.bincount(self.labels[rows], self.weight[rows], minlength=self.n_classes)

    def _total(self, rows: np.ndarray) -> float:
        weights = self._of_each_class(rows)
        shares = weights / weights.sum()
        return weights.sum() * (gini(shares) if self.measure == "gini" else entropy(shares))

    def gain(self, left: np.ndarray, right: np.ndarray) -> float:
        together = np.concatenate([left, right])
        return float(self._total(together) - self._total(left) - self._total(right))

    def value(self, rows: np.ndarray) -> np.ndarray:
        weights = self._of_each_class(rows)
        return weights / weights.sum()

    def scale(self, rows: np.ndarray) -> float:
        return float(self.weight[rows].sum())
