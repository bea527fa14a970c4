"""Gradient boosting: each round fits trees to the gradient of the loss where the sum stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees.ensembles.losses import Huber, Loss
from graphtrees.kernels.search import NEWTON
from graphtrees.trees.criterion import Criterion, Statistics
from graphtrees.trees.grower import GrownTree, GrowthLimits, grow_tree
from graphtrees.trees.routing import Router, sum_values
from graphtrees.trees.splitter import Splitter
from graphtrees.trees.training_data import TrainingData
from graphtrees.trees.tree import Tree


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

    `outputs[t]` is the output that tree t speaks for, -1 for all of them.
    """

    def __init__(
        self, data: TrainingData, y: np.ndarray, weight: np.ndarray, loss: Loss,
        settings: BoostingSettings, rng: np.random.Generator,
    ) -> None:  # fmt: skip
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

    def continue_from(self, init: np.ndarray, trees: list[Tree], outputs: list[int]) -> None:
        """Take over the trees of an earlier run."""
        self.init = init
        self.raw = np.tile(init, (self.data.n_examples, 1)).astype(np.float64)
        self.trees, self.outputs = list(trees), list(outputs)
        router = Router(self.data.batch, self.data.vertices, self.data.workers)
        sum_values(router, self.trees, self.outputs, self.settings.learning_rate, self.raw)

    def add_round(self) -> list[Tree]:
        """Grow this round's trees and move every example along."""
        if isinstance(self.loss, Huber):
            self.loss.prepare(self.y, self.raw, self.weight)
        gradient = self.loss.gradient(self.y, self.raw) * self.weight[:, None]
        hessian = self.loss.hessian(self.y, self.raw) * self.weight[:, None]
        examples = self._sample()
        groups = [slice(None)] if self.settings.shared_tree else [
            slice(k, k + 1) for k in range(gradient.shape[1])
        ]
        grown = [
            self._grow(gradient[:, group], hessian[:, group], examples, group) for group in groups
        ]
        for group, one in zip(groups, grown, strict=True):
            self._move(one, group)
            self.trees.append(one.tree)
            self.outputs.append(-1 if self.settings.shared_tree else group.start)
        return [one.tree for one in grown]

    def _sample(self) -> np.ndarray:
        everyone = np.flatnonzero(self.weight > 0)
        share = self.settings.subsample
        if share >= 1.0:
            return everyone
        n = max(1, round(share * len(everyone)))
        return np.sort(self.rng.choice(everyone, size=n, replace=False))

    def _grow(
        self, gradient: np.ndarray, hessian: np.ndarray, examples: np.ndarray, group: slice
    ) -> GrownTree:
        settings = self.settings
        floor = self.loss.min_hessian
        splitter = Splitter(
            self.data,
            Statistics.newton(gradient, hessian, self.weight),
            Criterion(NEWTON, settings.l2_regularization, floor),
            settings.limits.min_samples_leaf,
            self.rng,
            None if settings.feature_fraction_per_node >= 1 else settings.feature_fraction_per_node,
            self._draw_features(),
        )
        grown = grow_tree(splitter, settings.limits, examples)
        if self.loss.refits_leaves:
            self._refit(grown, group)
        return grown

    def _draw_features(self) -> np.ndarray | None:
        share = self.settings.feature_fraction
        n = self.data.batch.n_columns
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
                    self.y[rows, output], self.raw[rows, output], self.weight[rows]
                )

    def _move(self, grown: GrownTree, group: slice) -> None:
        known = grown.leaf_of >= 0
        rate = self.settings.learning_rate
        self.raw[known, group] += rate * grown.tree.value[grown.leaf_of[known]]
        if not known.all():
            vertices = self.data.vertices
            router = Router(self.data.batch, vertices, self.data.workers)
            moved = np.zeros_like(self.raw)
            sum_values(router, [grown.tree], [-1 if group.start is None else group.start], rate, moved)
            self.raw[~known] += moved[~known]
