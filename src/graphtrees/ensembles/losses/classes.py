"""Losses of classes."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import expit, log_expit, log_softmax, logit, softmax

from graphtrees.ensembles.losses.base import MIN_HESSIAN, SURE, TINY, Loss, weighted_mean


class BinaryLogLoss(Loss):
    """Two classes, one output: the log-odds of class 1."""

    min_hessian = MIN_HESSIAN
    link_name = "logistic"

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

    def inverse(self, values):
        return logit(np.clip(values[:, 1:], SURE, 1 - SURE))


class OneVsRest(Loss):
    """One independent log-odds per class; probabilities are shared out to sum to one."""

    min_hessian = MIN_HESSIAN
    link_name = "one_vs_rest"

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
        chance = np.maximum(expit(raw), TINY)
        return chance / chance.sum(axis=1, keepdims=True)

    def inverse(self, values):
        return logit(np.clip(values, SURE, 1 - SURE))


class Softmax(OneVsRest):
    """One output per class, bound together by the softmax."""

    link_name = "softmax"

    def init(self, y, weight):
        shares = [weighted_mean(c, weight) for c in self._is(y).T]
        logs = np.log(np.maximum(shares, TINY))
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

    def inverse(self, values):
        logs = np.log(np.maximum(values, SURE))
        return logs - logs.mean(axis=1, keepdims=True)


def _log_odds(share: float) -> float:
    share = min(max(share, 1e-15), 1 - 1e-15)  # a class that is all or nothing stays finite
    return math.log(share) - math.log1p(-share)
