"""Random forests: many trees, each on a bootstrap of the examples, each node on some questions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees._threads import Workers
from graphtrees.trees.criterion import Criterion
from graphtrees.trees.grower import GrownTree, GrowthLimits, grow_tree
from graphtrees.trees.splitter import Splitter
from graphtrees.trees.training_data import TrainingData


@dataclass(frozen=True)
class ForestSettings:
    """How each tree is made; `max_features` is a share or a number of the questions at a node."""

    limits: GrowthLimits
    bootstrap: bool = True
    max_samples: int | None = None
    max_features: float | int | None = None


def draw_counts(n: int, n_draws: int, rng: np.random.Generator) -> np.ndarray:
    """How often each example is drawn when drawing with replacement."""
    return np.bincount(rng.integers(0, n, size=n_draws), minlength=n)


def grow_forest(
    data: TrainingData, make_statistics, weight: np.ndarray, criterion: Criterion,
    settings: ForestSettings, seeds: list[int], workers: Workers, on_tree=lambda: None,
) -> list[tuple[GrownTree, np.ndarray]]:  # fmt: skip
    """Each tree with its bootstrap counts.

    `make_statistics(weights, counts)` gives what a tree is grown on.
    A tree depends on its seed alone, so trees may grow side by side.
    """

    def one(seed: int) -> tuple[GrownTree, np.ndarray]:
        rng = np.random.default_rng(seed)
        counts = np.ones(data.n_examples, np.int64)
        if settings.bootstrap:
            counts = draw_counts(data.n_examples, settings.max_samples or data.n_examples, rng)
        weights = weight * counts
        examples = np.flatnonzero(weights > 0)
        splitter = Splitter(
            data, make_statistics(weights, counts), criterion, settings.limits.min_samples_leaf,
            rng, settings.max_features,
        )  # fmt: skip
        grown = grow_tree(splitter, settings.limits, examples)
        on_tree()
        return grown, counts

    return workers.each(one, [(seed,) for seed in seeds])
