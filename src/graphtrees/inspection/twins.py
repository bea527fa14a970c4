"""Examples with equal hashes: twins within the data, and overlap of training and test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees.inspection.target import Target, unit_of

MOST_GROUPS = 3  # groups that are shown as examples
MOST_SHOWN = 5  # examples that are shown of one group, or of an overlap


@dataclass(frozen=True)
class Twins:
    """Groups of examples that a method cannot tell apart."""

    n_examples: int
    n_groups: int
    n_with_twin: int  # examples in groups of two and more
    n_in_conflict: int  # examples in groups with more than one label
    ceiling: float | None  # the best accuracy, or R2, of one prediction per group
    shown: list[list[int]]  # some groups of two and more, those in conflict first

    @property
    def share(self) -> float:
        """The share of the examples that have a twin."""
        return self.n_with_twin / self.n_examples if self.n_examples else 0.0


@dataclass(frozen=True)
class Overlap:
    """Test examples that are among the training examples."""

    n_test: int
    n_shared: int  # test examples that are training examples as well
    n_alike: int  # test examples that 1-WL cannot tell from some training example
    shown: list[int]  # positions of some shared ones in the test part
    unknown_classes: list[Any]  # in the test part but not in training


def describe_twins(hashes: np.ndarray, target: Target | None) -> Twins:
    """Group examples by their hashes."""
    _, group, size = np.unique(hashes, return_inverse=True, return_counts=True)
    conflict, ceiling = np.zeros(len(size), bool), None
    if target is not None and len(target.values):
        conflict, ceiling = _ceiling(group[target.known], len(size), target)
    return Twins(
        n_examples=len(hashes),
        n_groups=len(size),
        n_with_twin=int((size[group] > 1).sum()),
        n_in_conflict=int(conflict[group].sum()),
        ceiling=ceiling,
        shown=_shown_groups(group, size, conflict),
    )


def describe_overlap(
    same: list[np.ndarray], colours: list[np.ndarray], train: Target | None, test: Target | None
) -> Overlap:
    """Compare the hashes of training examples [0] with those of test examples [1]."""
    shared = np.isin(same[1], same[0])
    unknown: list[Any] = []
    if train is not None and test is not None and train.task == "classification":
        unknown = [name for name in test.names if name not in train.names]
    return Overlap(
        n_test=len(same[1]),
        n_shared=int(shared.sum()),
        n_alike=int(np.isin(colours[1], colours[0]).sum()),
        shown=np.flatnonzero(shared)[:MOST_SHOWN].tolist(),
        unknown_classes=unknown,
    )


def _ceiling(group: np.ndarray, n_groups: int, target: Target) -> tuple[np.ndarray, float | None]:
    """Mask of the groups with several labels, and the best score of one prediction per group."""
    order = np.lexsort((target.values, group))
    values, sorted_group = target.values[order], group[order]
    differ = (values[1:] != values[:-1]) & (sorted_group[1:] == sorted_group[:-1])
    conflict = np.zeros(n_groups, bool)
    conflict[sorted_group[1:][differ]] = True
    if target.task == "classification":
        return conflict, _best_accuracy(group, n_groups, target)
    return conflict, _best_r2(group, n_groups, target.values)


def _best_accuracy(group: np.ndarray, n_groups: int, target: Target) -> float:
    """Predict the most frequent class of each group."""
    n_classes = max(len(target.names), 1)
    pairs, counts = np.unique(group * n_classes + target.values, return_counts=True)
    best = np.zeros(n_groups, np.int64)
    np.maximum.at(best, pairs // n_classes, counts)
    return float(best.sum() / len(group))


def _best_r2(group: np.ndarray, n_groups: int, values: np.ndarray) -> float | None:
    """Predict the mean of each group; None where all values are equal."""
    near_one = values / unit_of(values)
    centred = near_one - near_one.mean()
    total = float(centred @ centred)
    if total == 0:
        return None
    counts = np.bincount(group, minlength=n_groups)
    means = np.bincount(group, centred, n_groups) / np.maximum(counts, 1)
    residual = centred - means[group]
    return 1.0 - float(residual @ residual) / total


def _shown_groups(group: np.ndarray, size: np.ndarray, conflict: np.ndarray) -> list[list[int]]:
    """The smallest groups of two and more, those in conflict first, by their first examples."""
    several = np.flatnonzero(size > 1)
    chosen = several[np.lexsort((several, size[several], ~conflict[several]))][:MOST_GROUPS]
    return [np.flatnonzero(group == one)[:MOST_SHOWN].tolist() for one in chosen]
