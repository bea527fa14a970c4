"""Networks trained side by side: one step of all is one on the GPU.

Candidates of a search see the same batches in the same order, as they have the same seed and the
same training part. Those of other folds and seeds have batches of their own. The weights of all are
stacked, narrow and shallow networks among wide and deep ones, and each step is taken by all of them
at once, each with its own batch. A test compares with training each alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from benchmarks.accuracy.methods.lots import Deal, Examples, Store
from benchmarks.accuracy.methods.networks import BATCH, Held, Schedule
from benchmarks.accuracy.methods.pyg import PygNetwork
from benchmarks.accuracy.methods.stacked import Stack
from benchmarks.accuracy.methods.steps import Adam, Step, losses
from benchmarks.accuracy.methods.tensors import Packed

SHARE_TO_DROP = 0.25  # of networks that have ended; the others go on in a smaller stack
Given = tuple[Packed, Tensor, np.ndarray]  # graphs, targets and rows of one part


@dataclass(frozen=True)
class Part:
    """Networks of one seed, and what they are trained on."""

    models: Sequence[PygNetwork]
    X: Any
    y: np.ndarray
    validation: tuple[Any, np.ndarray] | None = None


def fit_together(
    models: Sequence[PygNetwork],
    X: Any,
    y: np.ndarray,
    validation: tuple[Any, np.ndarray] | None = None,
) -> list[PygNetwork]:
    """Fit networks of one kind and seed; the same as fitting each alone."""
    fit_parts([Part(models, X, y, validation)])
    return list(models)


def fit_parts(parts: Sequence[Part]) -> None:
    """Fit networks of one kind, each on its part; the same as fitting each alone."""
    train, held = _prepared(parts)
    listed = [(model, number) for number, part in enumerate(parts) for model in part.models]
    listed.sort(key=lambda pair: -pair[0].n_layers)
    models = [model for model, _ in listed]
    _check_alike(models)
    Training(models, [number for _, number in listed], train, held).run(
        [part.models[0].seed for part in parts]
    )


def _check_alike(models: Sequence[PygNetwork]) -> None:
    shapes = {(model.inputs_.mean.shape, model.network_.head.out_features) for model in models}
    if len(shapes) > 1:
        raise ValueError(
            f"parts must have the same features and classes to be trained together; got {shapes}"
        )


def _prepared(parts: Sequence[Part]) -> tuple[Examples, Examples]:
    """Fresh networks; what to train on, and what tells when to stop. Equal parts share graphs."""
    seen: dict[tuple[int, ...], tuple[PygNetwork, Given, Held]] = {}
    given: list[tuple[Given, Held]] = []
    for part in parts:
        first, fresh = part.models[0], part.models
        key = (id(part.X), id(part.y), id(part.validation and part.validation[0]))
        if key not in seen:
            packed, target, rows, held = first.prepare(part.X, part.y, part.validation)
            seen[key], fresh = (first, (packed, target, rows), held), part.models[1:]
        leader, (packed, target, rows), held = seen[key]
        for model in fresh:
            model.begin_like(leader, packed)
        if part.validation is None:  # which rows are set aside depends on the seed
            rows, aside = first._set_aside(part.y)
            held = (packed, target, aside)
        given.append(((packed, target, rows), held))
    return _examples([one for one, _ in given], parts), _examples([two for _, two in given], parts)


def _examples(given: Sequence[Given], parts: Sequence[Part]) -> Examples:
    numbers: dict[int, int] = {}
    for packed, _, _ in given:
        numbers.setdefault(id(packed), len(numbers))
    sources = {numbers[id(packed)]: packed for packed, _, _ in given}
    kept = [sources[number] for number in range(len(sources))]
    if parts[0].models[0].kind == "GCN":
        kept = [packed.without_loops() for packed in kept]
    return Examples(
        Store(kept),
        tuple(numbers[id(packed)] for packed, _, _ in given),
        tuple(target for _, target, _ in given),
        tuple(rows for _, _, rows in given),
        tuple(packed.examples for packed, _, _ in given),
    )


class Training:
    """Epochs until none of the networks has had a lower held-out loss for its patience."""

    def __init__(
        self, models: Sequence[PygNetwork], part_of: Sequence[int], train: Examples, held: Examples
    ) -> None:
        self.models, self.train, self.held = list(models), train, held
        self.stack = Stack(models, part_of)
        self.plan: Schedule = models[0]._schedule(self.stack.of_graphs)
        self.optimiser = Adam(self.stack, self.plan.weight_decay)
        self.step = self._fresh_step()
        self.stops = np.array([len(held.rows[part]) > 0 for part in part_of])
        self.lowest = np.full(len(models), np.inf)
        self.waited = np.zeros(len(models), int)
        self.best = self.stack.weights.clone()

    def _fresh_step(self) -> Step:
        classifies = self.models[0].classifies
        return Step(self.stack, self.train.store, classifies, self.optimiser)

    def run(self, seeds: Sequence[int]) -> None:
        generators = [np.random.default_rng(seed) for seed in seeds]
        held = list(self.held.deals(self.held.rows, 8 * BATCH, training=False))
        for _ in range(self.plan.epochs):
            pairs = zip(generators, self.train.rows, strict=True)
            orders = [rng.permutation(rows) for rng, rows in pairs]
            for deal in self.train.deals(orders, BATCH, training=True):
                self.step(deal)
            if not self.stops.any():
                continue
            self._look(held)
            ended = self.waited >= self.plan.patience
            if ended.all():
                break
            if ended.mean() > SHARE_TO_DROP:
                self._drop(ended)
        self.best = kept(self.stack, self.best, ~self.stops)
        self.stack.hand_back(self.models, self.best, np.arange(len(self.models)))

    def _look(self, held: Sequence[Deal]) -> None:
        """Keep the weights of networks whose held-out loss is lower than ever."""
        found = self._held_losses(held)
        self.waited[self.stops] += 1
        better = self.stops & (found < self.lowest) & (self.waited <= self.plan.patience)
        self.lowest[better], self.waited[better] = found[better], 0
        self.waited = self.waited.clip(max=self.plan.patience)  # stays there: has ended
        self.best = kept(self.stack, self.best, better)

    @torch.no_grad()
    def _held_losses(self, held: Sequence[Deal]) -> np.ndarray:
        store, classifies = self.held.store, self.models[0].classifies
        each = [losses(self.stack, store, deal, classifies, training=False) for deal in held]
        return torch.stack(each).sum(dim=0).cpu().numpy()

    def _drop(self, ended: np.ndarray) -> None:
        """Hand the weights of networks that have ended back, and go on with the others."""
        self.stack.hand_back(self.models, self.best, np.flatnonzero(ended))
        left = np.flatnonzero(~ended)
        self.stack, places = self.stack.only(left)
        self.optimiser = self.optimiser.only(self.stack, left, places)
        self.best = self.best[places]
        self.models = [self.models[number] for number in left]
        self.stops, self.lowest = self.stops[left], self.lowest[left]
        self.waited = self.waited[left]
        self.step = self._fresh_step()


@torch.no_grad()
def kept(stack: Stack, best: Tensor, better: np.ndarray) -> Tensor:
    """The weights that are best so far: those of now for the networks that have become better."""
    if not better.any():
        return best
    chosen = torch.as_tensor(better, device=best.device)[stack.network_of]
    return torch.where(chosen, stack.weights, best)
