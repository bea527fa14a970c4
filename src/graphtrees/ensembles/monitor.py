"""Watch scores as rounds go by, and say when to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphtrees.trees.packing import PackedTrees
from graphtrees.trees.routing import Router, sum_values
from graphtrees.trees.tree import Tree


@dataclass
class Watched:
    """Examples whose scores are kept; `raw` is where they stand after each round.

    Without a router, `raw` is the run's own: the training examples. `given` is whatever a metric
    may want beyond that.
    """

    name: str
    y: np.ndarray
    weight: np.ndarray
    raw: np.ndarray
    router: Router | None = None
    given: Any = None

    def advance(self, trees: list[Tree], outputs: list[int], rate: float) -> None:
        """Follow one round."""
        if self.router is not None:
            sum_values(self.router, PackedTrees(tuple(trees)), outputs, rate, self.raw)


@dataclass(frozen=True)
class Metric:
    """A named score of a set of examples where they stand."""

    name: str
    function: Callable[[Watched], float]
    larger_is_better: bool = False


@dataclass
class Monitor:
    """Scores by set and metric, and early stopping on the last set's first metric.

    `patience` is the number of rounds without a score better by more than `tol` after which to
    stop; None: never. Rounds are counted from 0.
    """

    metrics: list[Metric]
    sets: list[Watched]
    patience: int | None = None
    tol: float = 0.0
    results: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    best_round: int = -1
    _best: float = -np.inf
    _since: float = -np.inf
    _waited: int = 0

    def __post_init__(self) -> None:
        self.results = {one.name: {m.name: [] for m in self.metrics} for one in self.sets}

    def record(self, trees: list[Tree], outputs: list[int], rate: float) -> None:
        """Score every set after one more round."""
        for one in self.sets:
            one.advance(trees, outputs, rate)
            for metric in self.metrics:
                self.results[one.name][metric.name].append(float(metric.function(one)))
        if self.metrics:
            self._compare(self.results[self.sets[-1].name][self.metrics[0].name])

    def _compare(self, scores: list[float]) -> None:
        score = scores[-1] if self.metrics[0].larger_is_better else -scores[-1]
        if score > self._best:
            self._best, self.best_round = score, len(scores) - 1
        if score > self._since + self.tol:
            self._since, self._waited = score, 0
        else:
            self._waited += 1

    @property
    def says_stop(self) -> bool:
        """Whether the last set has not got better for `patience` rounds."""
        return self.patience is not None and self._waited >= self.patience

    def latest(self) -> str:
        """The newest first score of every set, in words."""
        if not self.metrics:
            return ""
        metric = self.metrics[0].name
        newest = [(one.name, self.results[one.name][metric]) for one in self.sets]
        return ", ".join(f"{name} {metric} {scores[-1]:.5g}" for name, scores in newest if scores)

    def forget_after(self, n_rounds: int) -> None:
        """Drop the scores of later rounds, and of one that was not finished."""
        for scores in self.results.values():
            for values in scores.values():
                del values[n_rounds:]
        self.best_round = min(self.best_round, n_rounds - 1)
