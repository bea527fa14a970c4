"""Gradient boosting: each round fits trees to the gradient of the loss where the sum stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees.ensembles.losses import Loss
from graphtrees.kernels.histograms import NEWTON
from graphtrees.trees.criterion import Criterion, Statistics
from graphtrees.trees.grower import Draws, grow_tree
from graphtrees.trees.limits import GrowthLimits
from graphtrees.trees.packing import PackedTrees
from graphtrees.trees.routing import sum_values
from graphtrees.trees.training_data import TrainingData
from graphtrees.trees.tree import GrownTree, Tree


@dataclass(frozen=True)
class BoostingSettings:
    """How rounds are made; `shared_tree` puts all outputs of a round into one tree."""

    learning_rate: float
    limits: GrowthLimits
    l2_regularization: float = 0.0
    subsample: float = 1.0
    feature_fraction: float = 1.0
    feature_fraction_per_node: float = 1.0
    shared_tree: bool = False


class Boosting:
    """A run of boosting: `raw` is where every training example stands, `trees` what got it there.

    `outputs[t]` is the output that tree t adds to, -1 for all of them.
    """

    def __init__(
        self, data: TrainingData, y: np.ndarray, weight: np.ndarray, loss: Loss,
        settings: BoostingSettings, rng: np.random.Generator,
    ) -> None:  # fmt: skip
        data.prepare()
        self.data = data
        self.y = y
        self.weight = weight
        self.loss = loss
        self.settings = settings
        self.rng = rng
        self.init = loss.init(y, weight)
        self.raw = np.tile(self.init, (data.n_examples, 1)).astype(np.float64)
        self.trees: list[Tree] = []
        self.outputs: list[int] = []
        self.generator = rng.bit_generator.state  # as it was after the last complete round

    @property
    def trees_a_round(self) -> int:
        return 1 if self.settings.shared_tree else self.raw.shape[1]

    def begin_from(
        self, init: np.ndarray, raw: np.ndarray | None, generator: Mapping[str, Any] | None = None
    ) -> None:
        """Start from these constants, and from `raw` for each example where a model gives it.

        A run that goes on has its generator where the earlier run left it.
        """
        self.init = init
        self.raw = np.tile(init, (self.data.n_examples, 1)).astype(np.float64)
        if raw is not None:
            self.raw[:] = raw
        if generator is not None:
            self.rng.bit_generator.state = generator
            self.generator = self.rng.bit_generator.state

    def repeat_round(self, trees: Sequence[Tree], outputs: Sequence[int]) -> None:
        """Take over a round that was made earlier.

        Examples move by the same additions in the same order as when it was made, so that what
        follows is the same, bit for bit, as if the run had never ended.
        """
        self.loss.prepare(self.y, self.raw, self.weight)
        packed = PackedTrees(tuple(trees))
        sum_values(self.data.router, packed, outputs, self.settings.learning_rate, self.raw)
        self.trees += trees
        self.outputs += outputs

    def add_round(self) -> None:
        """Grow this round's trees and move every example along."""
        self.loss.prepare(self.y, self.raw, self.weight)
        gradient, hessian = self.loss.derivatives(self.y, self.raw, self.weight)
        examples = self._sample()
        groups = [slice(k, k + 1) for k in range(gradient.shape[1])]
        if self.settings.shared_tree:
            groups = [slice(None)]
        # A generator for each tree, as they grow side by side.
        tasks = [
            (gradient[:, group], hessian[:, group], self._draw(), group, examples)
            for group in groups
        ]
        grown = self.data.each(self._grow, tasks)
        for group, one in zip(groups, grown, strict=True):
            self._move(one, group)
            self.trees.append(one.tree)
            self.outputs.append(-1 if self.settings.shared_tree else group.start)
        self.generator = self.rng.bit_generator.state

    def last_round(self) -> tuple[list[Tree], list[int]]:
        """The trees of the newest round and what they speak for."""
        return self.trees[-self.trees_a_round :], self.outputs[-self.trees_a_round :]

    def forget_after(self, n_rounds: int) -> None:
        """Drop the trees of later rounds, and of one that was not finished."""
        del self.trees[n_rounds * self.trees_a_round :]
        del self.outputs[n_rounds * self.trees_a_round :]

    def _sample(self) -> np.ndarray:
        everyone = np.flatnonzero(self.weight > 0)
        share = self.settings.subsample
        if share >= 1.0:
            return everyone
        n = max(1, round(share * len(everyone)))
        return np.sort(self.rng.choice(everyone, size=n, replace=False))

    def _draw(self) -> Draws:
        share = self.settings.feature_fraction_per_node
        rng = np.random.default_rng(self.rng.integers(2**63))
        return Draws.of(rng, None if share >= 1 else share, self._draw_features())

    def _grow(
        self, gradient: np.ndarray, hessian: np.ndarray, draws: Draws, group: slice,
        examples: np.ndarray, n_threads: int,
    ) -> GrownTree:  # fmt: skip
        settings = self.settings
        statistics = Statistics.newton(gradient, hessian, self.weight)
        criterion = Criterion(NEWTON, settings.l2_regularization, self.loss.min_hessian)
        grown = grow_tree(
            self.data, statistics, criterion, settings.limits, examples, draws, n_threads
        )
        if self.loss.refits_leaves:
            self._refit(grown, group)
        return grown

    def _draw_features(self) -> np.ndarray | None:
        share = self.settings.feature_fraction
        n = self.data.limits.n_columns
        if share >= 1.0 or n == 0:
            return None
        chosen = np.zeros(n, bool)
        chosen[self.rng.choice(n, size=max(1, round(share * n)), replace=False)] = True
        return chosen

    def _refit(self, grown: GrownTree, group: slice) -> None:
        """Replace Newton steps by the steps that really minimise the loss in each leaf."""
        for leaf in np.flatnonzero(grown.tree.is_leaf):
            rows = np.flatnonzero(grown.leaf_of == leaf)
            for column, output in enumerate(range(*group.indices(self.raw.shape[1]))):
                grown.tree.value[leaf, column] = self.loss.leaf_value(
                    self._targets(rows, output), self.raw[rows, output], self.weight[rows], output
                )

    def _targets(self, rows: np.ndarray, output: int) -> np.ndarray:
        """What one output should be: its column of numbers, or the class numbers."""
        return self.y[rows] if self.y.ndim == 1 else self.y[rows, output]

    def _move(self, grown: GrownTree, group: slice) -> None:
        known = grown.leaf_of >= 0
        rate = self.settings.learning_rate
        self.raw[known, group] += rate * grown.tree.value[grown.leaf_of[known]]
        if not known.all():
            moved = np.zeros_like(self.raw)
            output = -1 if group.start is None else group.start
            sum_values(self.data.router, PackedTrees((grown.tree,)), [output], rate, moved)
            self.raw[~known] += moved[~known]
