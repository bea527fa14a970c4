"""What boosting minimises: one class per loss, all with the same few methods.

`raw` is what the trees add up to, (n_examples, n_outputs); `y` is (n_examples, n_outputs) numbers,
or class numbers (n_examples,) for classification. Means are exactly rounded sums (`math.fsum`),
so that they do not depend on the order of the examples.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax

# Trees stop where what is left to fit is this flat: beyond it a Newton step
# leaves the region where the quadratic model means anything.
MIN_HESSIAN = 1e-3
_TINY = np.finfo(np.float64).tiny


def weighted_mean(values: np.ndarray, weight: np.ndarray) -> float:
    """The mean as it would be without rounding."""
    return math.fsum((values * weight).tolist()) / math.fsum(weight.tolist())


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

    min_hessian = 0.0
    refits_leaves = False

    def init(self, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """What each output starts from, (n_outputs,)."""
        return np.array([weighted_mean(column, weight) for column in y.T])

    def loss(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """The loss of every example, (n_examples,)."""
        raise TypeError(f"{type(self).__name__} must define loss(y, raw)")

    def gradient(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """First derivative with respect to raw, (n_examples, n_outputs)."""
        raise TypeError(f"{type(self).__name__} must define gradient(y, raw)")

    def hessian(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """Second derivative, or a positive stand-in for it; ones by default."""
        return np.ones_like(raw)

    def link(self, raw: np.ndarray) -> np.ndarray:
        """From raw to the scale of y: what `predict` (or `predict_proba`) returns."""
        return raw

    def leaf_value(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray) -> float:
        """The step that minimises the loss within a leaf; asked when `refits_leaves`."""
        raise TypeError(f"{type(self).__name__} must define leaf_value(y, raw, weight)")

    def mean(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray) -> float:
        return weighted_mean(self.loss(y, raw), weight)


class SquaredError(Loss):
    def loss(self, y, raw):
        return ((y - raw) ** 2).sum(axis=1)

    def gradient(self, y, raw):
        return raw - y


class AbsoluteError(Loss):
    """Leaves hold the median of what is left to fit."""

    refits_leaves = True
    level = 0.5

    def init(self, y, weight):
        return np.array([weighted_quantile(column, weight, self.level) for column in y.T])

    def loss(self, y, raw):
        return np.abs(y - raw).sum(axis=1)

    def gradient(self, y, raw):
        return np.sign(raw - y)

    def leaf_value(self, y, raw, weight):
        return weighted_quantile(y - raw, weight, self.level)


class Quantile(AbsoluteError):
    """The pinball loss at one level."""

    def __init__(self, level: float) -> None:
        self.level = level

    def loss(self, y, raw):
        over = y - raw
        return np.where(over > 0, self.level * over, (self.level - 1) * over).sum(axis=1)

    def gradient(self, y, raw):
        return np.where(y > raw, -self.level, np.where(y < raw, 1 - self.level, 0.0))


class Huber(Loss):
    """Squared within `delta`, absolute beyond; delta is the `level` quantile of the residuals."""

    refits_leaves = True

    def __init__(self, level: float) -> None:
        self.level = level
        self.delta: np.ndarray | None = None

    def init(self, y, weight):
        start = np.array([weighted_quantile(column, weight, 0.5) for column in y.T])
        self.prepare(y, np.broadcast_to(start, y.shape), weight)
        return start

    def prepare(self, y, raw, weight):
        """Set delta anew from the residuals, as each round begins."""
        sizes = np.abs(y - raw)
        self.delta = np.array([weighted_quantile(c, weight, self.level) for c in sizes.T])

    def loss(self, y, raw):
        size = np.abs(y - raw)
        small = 0.5 * size**2
        return np.where(size <= self.delta, small, self.delta * (size - 0.5 * self.delta)).sum(axis=1)

    def gradient(self, y, raw):
        return np.clip(raw - y, -self.delta, self.delta)

    def leaf_value(self, y, raw, weight):
        over = y - raw
        middle = weighted_quantile(over, weight, 0.5)
        step = np.clip(over - middle, -self.delta, self.delta)
        return middle + weighted_mean(step, weight)


class Poisson(Loss):
    """Half the Poisson deviance with a log link; y is never negative."""

    min_hessian = MIN_HESSIAN

    def init(self, y, weight):
        return np.log(np.maximum(super().init(y, weight), _TINY))

    def loss(self, y, raw):
        return (np.exp(raw) - y * raw).sum(axis=1)

    def gradient(self, y, raw):
        return np.exp(raw) - y

    def hessian(self, y, raw):
        return np.exp(raw)

    def link(self, raw):
        return np.exp(raw)


class BinaryLogLoss(Loss):
    """Two classes, one output: the log-odds of class 1."""

    min_hessian = MIN_HESSIAN

    def init(self, y, weight):
        return np.array([_log_odds(weighted_mean(y == 1, weight))])

    def loss(self, y, raw):
        return -np.where(y == 1, log_expit(raw[:, 0]), log_expit(-raw[:, 0]))

    def gradient(self, y, raw):
        return expit(raw) - (y == 1)[:, None]

    def hessian(self, y, raw):
        chance = expit(raw)
        return chance * (1 - chance)

    def link(self, raw):
        chance = expit(raw[:, 0])
        return np.column_stack([1 - chance, chance])


class OneVsRest(Loss):
    """One independent log-odds per class; probabilities are shared out to sum to one."""

    min_hessian = MIN_HESSIAN

    def __init__(self, n_classes: int) -> None:
        self.n_classes = n_classes

    def _is(self, y: np.ndarray) -> np.ndarray:
        return y[:, None] == np.arange(self.n_classes)

    def init(self, y, weight):
        return np.array([_log_odds(weighted_mean(c, weight)) for c in self._is(y).T])

    def loss(self, y, raw):
        return -np.where(self._is(y), log_expit(raw), log_expit(-raw)).sum(axis=1)

    def gradient(self, y, raw):
        return expit(raw) - self._is(y)

    def hessian(self, y, raw):
        chance = expit(raw)
        return chance * (1 - chance)

    def link(self, raw):
        chance = np.maximum(expit(raw), _TINY)
        return chance / chance.sum(axis=1, keepdims=True)


class Softmax(OneVsRest):
    """One output per class, bound together by the softmax."""

    def init(self, y, weight):
        shares = [weighted_mean(c, weight) for c in self._is(y).T]
        logs = np.log(np.maximum(shares, _TINY))
        return logs - logs.mean()

    def loss(self, y, raw):
        return -log_softmax(raw, axis=1)[np.arange(len(y)), y]

    def gradient(self, y, raw):
        return softmax(raw, axis=1) - self._is(y)

    def hessian(self, y, raw):
        chance = softmax(raw, axis=1)
        return chance * (1 - chance)

    def link(self, raw):
        return softmax(raw, axis=1)


def _log_odds(share: float) -> float:
    share = min(max(share, 1e-15), 1 - 1e-15)  # a class that is all or nothing stays finite
    return math.log(share) - math.log1p(-share)
