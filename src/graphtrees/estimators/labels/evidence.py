"""What is known of the labels in some graphs, and what it says about every vertex or edge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees._layout import VALUE
from graphtrees.ensembles.neighbourhood import Neighbourhood

TELEPORT = 0.15  # of the personalised PageRank
STEPS = 10  # after which what is left of it is small
PRIOR_WEIGHT = (
    0.05  # how much walk counts for the mean of all labels rather than for those it meets
)
WAYS = ("neighbours", "2 steps", "PageRank")

# Folds of labels that are not the folds of training: never left out, and asked about themselves.
NEVER, ASKED = -1, -2
NOBODY = -3  # no label has this fold


@dataclass(frozen=True)
class Evidence:
    """Values at some places of graphs: indicators of classes, or numbers.

    `fold` tells which labels go together when they are left out.
    """

    places: np.ndarray  # (n,) vertices or edges, numbered over all graphs
    values: np.ndarray  # (n, n_values)
    fold: np.ndarray  # (n,)

    @classmethod
    def of(
        cls, places: np.ndarray, values: np.ndarray, weight: np.ndarray, fold: np.ndarray
    ) -> Evidence:
        """The mean where a place is there several times; labels of no weight are none."""
        known = weight > 0
        places, values, weight, fold = places[known], values[known], weight[known], fold[known]
        unique, first, back = np.unique(places, return_index=True, return_inverse=True)
        sums = np.zeros((len(unique), values.shape[1]))
        np.add.at(sums, back, values * weight[:, None])
        total = np.bincount(back, weight, minlength=len(unique))
        return cls(unique, sums / np.maximum(total, 1e-300)[:, None], fold[first])

    def without(self, *folds: int) -> Evidence:
        """What is left when some folds are left out."""
        kept = ~np.isin(self.fold, folds)
        return Evidence(self.places[kept], self.values[kept], self.fold[kept])

    def joined(self, other: Evidence) -> Evidence:
        """Both; where both know a place, the other's value is believed, and the fold stays."""
        _, here, there = np.intersect1d(self.places, other.places, return_indices=True)
        fold = other.fold.copy()
        fold[there] = self.fold[here]
        kept = np.ones(len(self.places), bool)
        kept[here] = False
        return Evidence(
            np.r_[self.places[kept], other.places],
            np.concatenate([self.values[kept], other.values]),
            np.r_[self.fold[kept], fold],
        )

    def mean(self) -> np.ndarray:
        """The mean of all values, 0 where there are none."""
        return self.values.mean(axis=0) if len(self.places) else np.zeros(self.values.shape[1])

    def spread(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """(n, n_values) values with zeros where nothing is known, and (n, 1) where it is."""
        values, known = np.zeros((n, self.values.shape[1])), np.zeros((n, 1))
        values[self.places], known[self.places] = self.values, 1.0
        return values, known


def channels(
    around: Neighbourhood, evidence: Evidence, prior: np.ndarray, unit: float
) -> np.ndarray:
    """What the labels around say about each place, (n, 3 × n_values).

    The mean label of the labelled neighbours, of those two steps away (by the number of ways), and
    of those that a random walk meets. Each is drawn to `prior`, the more the fewer labels there are
    around; it counts as one neighbour does by an edge of weight `unit`.
    """
    values, known = evidence.spread(len(around.size))
    means = []
    for step in range(1, 3):
        values, known = (np.asarray(around.add(one)) for one in (values, known))
        prior_weight = unit**step
        means.append((values + prior_weight * prior) / (np.abs(known) + prior_weight))
    columns = np.hstack([*means, met_by_walks(around, evidence, prior)])
    return columns.astype(VALUE).astype(np.float64)  # as features are compared: no rounding left


def usual_weight(around: Neighbourhood) -> float:
    """The mean size of edge weights; 1 where there are none."""
    weights = np.abs(around.factors[0].data)
    return float(weights.mean()) if weights.any() else 1.0


def met_by_walks(around: Neighbourhood, evidence: Evidence, prior: np.ndarray) -> np.ndarray:
    """The mean of the values that a random walk from each place meets; (n, n_values).

    The walk goes home with a fixed chance at each step: a personalised PageRank of the evidence.
    """
    values, known = evidence.spread(len(around.size))
    step = np.hstack([values, known])
    total = np.zeros_like(step)
    share = TELEPORT
    for _ in range(STEPS):
        step = np.asarray(around.mean(step))
        share *= 1 - TELEPORT
        total += share * step
    met = np.abs(total[:, -1:])
    return (total[:, :-1] + PRIOR_WEIGHT * prior) / (met + PRIOR_WEIGHT)
