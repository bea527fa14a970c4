"""What every loss can do, and means and quantiles with weights.

`raw` is what the trees add up to, (n_examples, n_outputs); `y` is (n_examples, n_outputs) numbers,
or class numbers (n_examples,) for classification. Means are exactly rounded sums (`math.fsum`),
so that they do not depend on the order of the examples.
"""

from __future__ import annotations

import math
from itertools import chain

import numpy as np

# Trees stop where what is left to fit is this flat, per unit of weight: beyond it a Newton step
# leaves the region where the quadratic model means anything.
MIN_HESSIAN = 1e-3
TINY = np.finfo(np.float64).tiny
# Probabilities nearer to 0 or 1 than this leave trees nothing to correct.
SURE = float(np.finfo(np.float32).eps)


def exact_sum(values: np.ndarray) -> float:
    """The sum, rounded once; numbers of Python's are made of a few values at a time."""
    pieces = (values[k : k + 2**16].tolist() for k in range(0, len(values), 2**16))
    return math.fsum(chain.from_iterable(pieces))


def weighted_mean(values: np.ndarray, weight: np.ndarray) -> float:
    """The mean as it would be without rounding."""
    return exact_sum(values * weight) / exact_sum(weight)


def weighted_quantile(values: np.ndarray, weight: np.ndarray, level: float) -> float:
    """The smallest value with at least `level` of the weight at or below it; averaged with the
    next one where the share is met exactly, so that the median of two numbers is their middle."""
    order = np.argsort(values, kind="stable")
    values, weight = values[order], weight[order]
    known = weight > 0
    values, weight = values[known], weight[known]
    share = np.cumsum(weight)
    goal = level * share[-1]
    at = min(int(np.searchsorted(share, goal * (1 - 1e-12))), len(values) - 1)
    if at + 1 < len(values) and abs(share[at] - goal) <= 1e-12 * share[-1]:
        return float(values[at] + values[at + 1]) / 2
    return float(values[at])


class Loss:
    """The protocol of a loss. Subclasses define `loss`, `gradient` and usually the rest."""

    min_hessian = 0.0  # the least hessian of a leaf, per unit of weight
    refits_leaves = False  # whether leaves hold `leaf_value` rather than Newton steps
    has_value = True  # whether `loss` can be asked
    link_name = "identity"  # what `link` is called in a model file
    has_inverse = True  # whether `inverse` can be asked
    squares = False  # whether this is squared error

    def init(self, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """What each output starts from, (n_outputs,)."""
        return np.array([weighted_mean(column, weight) for column in y.T])

    def prepare(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray) -> None:
        """Called as each round begins, for losses that depend on where all examples stand."""

    def loss(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """The loss of every example, summed over outputs, (n_examples,)."""
        raise TypeError(f"{type(self).__name__} must define loss(y, raw)")

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """First derivative with respect to raw, (n_examples, n_outputs)."""
        raise TypeError(f"{type(self).__name__} must define gradient(y, raw)")

    def hessian(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """Second derivative, or a positive stand-in for it; ones by default."""
        return np.ones_like(raw)

    def derivatives(
        self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Gradient and hessian, both times the weights."""
        spread = weight[:, None]
        return self.gradient(y, raw) * spread, self.hessian(y, raw) * spread

    def link(self, raw: np.ndarray) -> np.ndarray:
        """From raw to the scale of y: what `predict` (or `predict_proba`) returns."""
        return raw

    def inverse(self, values: np.ndarray) -> np.ndarray:
        """From the scale of y, or from probabilities of classes, to raw."""
        return values

    def leaf_value(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray, output: int) -> float:
        """The step that minimises the loss in a leaf, from the columns of one output."""
        raise TypeError(f"{type(self).__name__} must define leaf_value(y, raw, weight)")

    def mean(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray) -> float:
        """The mean loss, with weights."""
        return weighted_mean(self.loss(y, raw), weight)
