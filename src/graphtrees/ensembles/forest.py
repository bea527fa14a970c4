"""Random forests: many trees, each on a bootstrap of the examples, each node on some questions."""

from __future__ import annotations

import threading
import warnings
from dataclasses import dataclass

import numpy as np

from graphtrees._communicator import ALONE, Communicator
from graphtrees.trees.criterion import Criterion
from graphtrees.trees.grower import Draws, grow_tree
from graphtrees.trees.limits import GrowthLimits
from graphtrees.trees.training_data import TrainingData
from graphtrees.trees.tree import GrownTree


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
    settings: ForestSettings, seeds: list[int], on_tree=lambda: None,
    helpers: Communicator = ALONE,
) -> list[tuple[GrownTree, np.ndarray]]:  # fmt: skip
    """Each tree with its bootstrap counts.

    `make_statistics(weights, counts)` gives what a tree is grown on. A tree depends on its seed
    alone, so trees may grow side by side, and other workers may grow some of them. Ctrl-C keeps
    the trees that are complete, if any.
    """
    done: dict[int, tuple[GrownTree, np.ndarray]] = {}
    interrupted = threading.Event()

    def one(number: int, seed: int, n_threads: int) -> None:
        if interrupted.is_set():
            return
        rng = np.random.default_rng(seed)
        counts = np.ones(data.n_examples, np.int64)
        if settings.bootstrap:
            counts = draw_counts(data.n_examples, settings.max_samples or data.n_examples, rng)
        weights = weight * counts
        examples = np.flatnonzero(weights > 0)
        draws = Draws.of(rng, settings.max_features, ties_at_random=True)
        statistics = make_statistics(weights, counts)
        grown = grow_tree(data, statistics, criterion, settings.limits, examples, draws, n_threads)
        done[number] = grown, counts
        on_tree()

    try:
        data.each(one, list(enumerate(seeds))[helpers.rank :: helpers.n_workers])
        for others in helpers.all_gather(done) if helpers.n_workers > 1 else ():
            done |= others
    except KeyboardInterrupt:
        interrupted.set()
        if not done:
            raise
        warnings.warn(f"interrupted: kept the {len(done)} trees made so far", stacklevel=2)
    kept = done.copy()  # a thread may still add to it
    return [kept[number] for number in sorted(kept)]
