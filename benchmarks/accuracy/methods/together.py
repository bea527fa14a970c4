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
from torch.nn import functional

from benchmarks.accuracy.methods.lots import Examples, Lot, Store
from benchmarks.accuracy.methods.networks import BATCH, Held, Schedule
from benchmarks.accuracy.methods.pyg import PygNetwork
from benchmarks.accuracy.methods.stacked import Stack
from benchmarks.accuracy.methods.tensors import Packed

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
    stack = Stack(models, [number for _, number in listed])
    seeds = [part.models[0].seed for part in parts]
    stack.hand_back(models, _trained(stack, models[0], train, held, seeds))


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


class Adam:
    """Adam with weight decay, a rate and a number of steps of its own for every network."""

    def __init__(self, stack: Stack, rates: Sequence[float], weight_decay: float) -> None:
        self.stack, self.weight_decay = stack, weight_decay
        self.rates = torch.tensor(rates, device=stack.device)[stack.network_of]
        self.mean, self.square = (torch.zeros_like(stack.weights) for _ in range(2))
        self.n_steps = torch.zeros(len(rates), dtype=torch.float64, device=stack.device)

    @torch.no_grad()
    def step(self, gradients: Sequence[Tensor], active: Tensor | None) -> None:
        """`active`: which networks take the step; None: all."""
        weights = self.stack.weights
        self.n_steps += 1 if active is None else active
        of_mean, of_square = (self._correction(beta) for beta in (0.9, 0.999))
        gradient = torch.cat([each.flatten() for each in gradients])
        gradient.add_(weights, alpha=self.weight_decay)
        mean = torch.lerp(self.mean, gradient, 0.1)
        square = (self.square * 0.999).addcmul_(gradient, gradient, value=0.001)
        size = (square / of_square).sqrt_().add_(1e-8)
        moved = weights - self.rates * (mean / of_mean) / size
        if active is not None:
            takes = active[self.stack.network_of]
            mean = torch.where(takes, mean, self.mean)
            square = torch.where(takes, square, self.square)
            moved = torch.where(takes, moved, weights)
        self.mean, self.square = mean, square
        weights.copy_(moved)

    def _correction(self, beta: float) -> Tensor:
        """1 - beta ** n_steps, for every weight; 1 for a network before its first step."""
        share = torch.where(self.n_steps > 0, 1 - beta**self.n_steps, 1)
        return share.float()[self.stack.network_of]


def _trained(
    stack: Stack, model: PygNetwork, train: Examples, held: Examples, seeds: Sequence[int]
) -> Tensor:
    """Epochs until none of the networks has had a lower held-out loss for its patience."""
    plan: Schedule = model._schedule(stack.of_graphs)
    optimiser = Adam(stack, stack.rates, plan.weight_decay)
    generators = [np.random.default_rng(seed) for seed in seeds]
    stops = np.array([len(held.rows[part]) > 0 for part in stack.part_of])
    best, lowest = stack.weights.clone(), np.full(len(stops), np.inf)
    waited = np.zeros(len(stops), int)
    for _ in range(plan.epochs):
        orders = [rng.permutation(rows) for rng, rows in zip(generators, train.rows, strict=True)]
        for lot in train.lots(orders, BATCH, training=True):
            _step(stack, model, lot, optimiser)
        if not stops.any():
            continue
        losses = _held_losses(stack, model, held)
        waited[stops] += 1
        better = stops & (losses < lowest) & (waited <= plan.patience)
        lowest[better], waited[better] = losses[better], 0
        best = kept(stack, best, better)
        if (waited >= plan.patience).all():
            break
        waited = waited.clip(max=plan.patience)  # stays there: has ended
    return kept(stack, best, ~stops)


@torch.no_grad()
def kept(stack: Stack, best: Tensor, better: np.ndarray) -> Tensor:
    """The weights that are best so far: those of now for the networks that have become better."""
    if not better.any():
        return best
    chosen = torch.as_tensor(better, device=best.device)[stack.network_of]
    return torch.where(chosen, stack.weights, best)


def _step(stack: Stack, model: PygNetwork, lot: Lot, optimiser: Adam) -> None:
    loss = _losses(stack, model, lot, training=True).sum()
    active = None
    if not lot.active.all():
        active = torch.as_tensor(lot.active[stack.part_of], device=stack.device)
    optimiser.step(torch.autograd.grad(loss, list(stack.parameters.values())), active)


def _losses(stack: Stack, model: PygNetwork, lot: Lot, training: bool) -> Tensor:
    """The weighted sum of the losses of the examples, of each network."""
    out, wanted = stack.outputs(lot, training), lot.wanted[stack.parts]
    if not stack.of_graphs:
        asked = lot.asked[stack.parts][:, :, None].expand(-1, -1, out.shape[2])
        out = out.gather(1, asked)
    if model.classifies:
        each = functional.cross_entropy(out.transpose(1, 2), wanted, reduction="none")
    else:
        each = (out[:, :, 0] - wanted) ** 2
    return (each * lot.weight[stack.parts]).sum(dim=1)


@torch.no_grad()
def _held_losses(stack: Stack, model: PygNetwork, held: Examples) -> np.ndarray:
    lots = held.lots(held.rows, 8 * BATCH, training=False)
    return sum(_losses(stack, model, lot, training=False) for lot in lots).cpu().numpy()
