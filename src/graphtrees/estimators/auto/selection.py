"""Combine predictions: forward selection with replacement."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

ROUNDS = 25


def select(predicted: Sequence[np.ndarray], score: Callable[[np.ndarray], float]) -> np.ndarray:
    """Weights of predictions that sum to 1.

    Starting from the best one, that prediction is added again and again with which the mean of
    all those chosen so far scores best. The mean that scored best of all is kept.
    """
    chosen: list[int] = []
    total = np.zeros_like(predicted[0])
    best, n_best = -np.inf, 1
    for n_chosen in range(ROUNDS):
        scores = [score((total + one) / (n_chosen + 1)) for one in predicted]
        pick = int(np.argmax(np.nan_to_num(scores, nan=-np.inf)))
        chosen.append(pick)
        total = total + predicted[pick]
        if scores[pick] > best:
            best, n_best = scores[pick], n_chosen + 1
    return np.bincount(chosen[:n_best], minlength=len(predicted)) / n_best
