"""Losses of numbers."""

from __future__ import annotations

import numpy as np

from graphtrees.ensembles.losses.base import (
    MIN_HESSIAN,
    SURE,
    TINY,
    Loss,
    weighted_mean,
    weighted_quantile,
)


class SquaredError(Loss):
    squares = True

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

    def leaf_value(self, y, raw, weight, output):
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
        self.delta = np.zeros(0)  # one per output

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
        large = self.delta * (size - 0.5 * self.delta)
        return np.where(size <= self.delta, 0.5 * size**2, large).sum(axis=1)

    def gradient(self, y, raw):
        return np.clip(raw - y, -self.delta, self.delta)

    def leaf_value(self, y, raw, weight, output):
        over = y - raw
        middle = weighted_quantile(over, weight, 0.5)
        step = np.clip(over - middle, -self.delta[output], self.delta[output])
        return middle + weighted_mean(step, weight)


# The logarithm of 1e100, the largest target: only a run that has gone astray gets there.
LARGEST_EXPONENT = 230.3


class Poisson(Loss):
    """Half the Poisson deviance with a log link; y is never negative."""

    min_hessian = MIN_HESSIAN
    link_name = "exp"

    def init(self, y, weight):
        return np.log(np.maximum(super().init(y, weight), TINY))

    def loss(self, y, raw):
        return (self.link(raw) - y * raw).sum(axis=1)

    def gradient(self, y, raw):
        return self.link(raw) - y

    def hessian(self, y, raw):
        return self.link(raw)

    def link(self, raw):
        return np.exp(np.minimum(raw, LARGEST_EXPONENT))

    def inverse(self, values):
        return np.log(np.maximum(values, SURE))
