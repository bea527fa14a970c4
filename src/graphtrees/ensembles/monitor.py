"""Watch scores as rounds go by, and say when to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from graphtrees.trees.routing import Router, sum_values
from graphtrees.trees.tree import Tree


@dataclass(frozen=True)
class Metric:
    """A named score of where examples stand: `function(y, raw, weight)`."""

    name: str
    function: Callable[[np.ndarray, np.ndarray, np.ndarray], float]
    larger_is_better: bool = False


@dataclass
class EvalSet:
    """Examples that are only looked at; `raw` follows the rounds."""

    name: str
    router: Router
    y: np.ndarray
    weight: np.ndarray
    raw: np.ndarray

    def advance(self, trees: list[Tree], outputs: list[int], rate: float) -> None:
        sum_values(self.router, trees, outputs, rate, self.raw)


@dataclass
class Monitor:
    """Scores by set and metric, and early stopping on the last set's first metric."""

    metrics: list[Metric]
    patience: int | None
    tol: float
    results: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    best_round: int = -1
    best_score: float = -np.inf
    _since: float = -np.inf
    _waited: int = 0

    def record(self, name: str, y: np.ndarray, raw: np.ndarray, weight: np.ndarray) -> None:
        """Append the scores of one set after one round."""
        scores = self.results.setdefault(name, {})
        for metric in self.metrics:
            scores.setdefault(metric.name, []).append(float(metric.function(y, raw, weight)))

    def latest(self) -> str:
        """The newest score of the set watched last, in words."""
        if not self.results:
            return ""
        name, scores = list(self.results.items())[-1]
        metric = self.metrics[0].name
        return f"{name} {metric} {scores[metric][-1]:.5g}"

    def should_stop(self, name: str, round_number: int) -> bool:
        """Whether set `name` has not got better by more than tol for `patience` rounds."""
        metric = self.metrics[0]
        score = self.results[name][metric.name][-1]
        score = score if metric.larger_is_better else -score
        if score > self.best_score:
            self.best_score, self.best_round = score, round_number
        if score > self._since + self.tol:
            self._since, self._waited = score, 0
        else:
            self._waited += 1
        return self.patience is not None and self._waited >= self.patience
