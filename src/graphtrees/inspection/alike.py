"""Examples that cannot be told apart, and how well a method that cannot do so may score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees.inspection.target import Target

SHOWN = 3  # groups that are shown as examples


@dataclass(frozen=True)
class Alike:
    """Groups of examples that look the same."""

    n_examples: int
    n_groups: int  # distinct looks
    n_with_twin: int  # examples that share theirs
    n_in_conflict: int  # examples whose group has more than one label
    ceiling: float | None  # accuracy, or R2, that no method can pass on these examples
    shown: list[list[int]]  # some groups of two and more, those in conflict first

    @property
    def share(self) -> float:
        """The part of all examples that has a twin."""
        return self.n_with_twin / self.n_examples if self.n_examples else 0.0


def describe_alike(looks: np.ndarray, target: Target | None) -> Alike:
    """Group examples by a word for their looks."""
    _, group, size = np.unique(looks, return_inverse=True, return_counts=True)
    conflict, ceiling = np.zeros(len(size), bool), None
    if target is not None and len(target.values):
        conflict, ceiling = _judge(group[target.known], len(size), target)
    return Alike(
        n_examples=len(looks),
        n_groups=len(size),
        n_with_twin=int((size[group] > 1).sum()),
        n_in_conflict=int(conflict[group].sum()),
        ceiling=ceiling,
        shown=_some_groups(group, size, conflict),
    )


def _judge(group: np.ndarray, n_groups: int, target: Target) -> tuple[np.ndarray, float | None]:
    """Which groups hold different labels, and the best score of one answer for each group."""
    order = np.lexsort((target.values, group))
    values, sorted_group = target.values[order], group[order]
    differ = (values[1:] != values[:-1]) & (sorted_group[1:] == sorted_group[:-1])
    conflict = np.zeros(n_groups, bool)
    conflict[sorted_group[1:][differ]] = True
    if target.task == "classification":
        return conflict, _best_accuracy(group, n_groups, target)
    return conflict, _best_r2(group, n_groups, target.values)


def _best_accuracy(group: np.ndarray, n_groups: int, target: Target) -> float:
    """Name in each group its most frequent class."""
    pairs, counts = np.unique(group * max(len(target.names), 1) + target.values, return_counts=True)
    best = np.zeros(n_groups, np.int64)
    np.maximum.at(best, pairs // max(len(target.names), 1), counts)
    return float(best.sum() / len(group))


def _best_r2(group: np.ndarray, n_groups: int, values: np.ndarray) -> float | None:
    """Name in each group its mean; None where all values are one."""
    centred = values - values.mean()
    total = float(centred @ centred)
    if total == 0:
        return None
    counts = np.bincount(group, minlength=n_groups)
    means = np.bincount(group, centred, n_groups) / np.maximum(counts, 1)
    rest = centred - means[group]
    return 1.0 - float(rest @ rest) / total


def _some_groups(group: np.ndarray, size: np.ndarray, conflict: np.ndarray) -> list[list[int]]:
    """The smallest few groups of two and more, in conflict first, each as its first examples."""
    several = np.flatnonzero(size > 1)
    chosen = several[np.lexsort((several, size[several], ~conflict[several]))][:SHOWN]
    return [np.flatnonzero(group == one)[:5].tolist() for one in chosen]
