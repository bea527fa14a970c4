"""Networks with different settings, trained side by side: one step of all is one on the GPU.

Candidates of a search see the same batches in the same order, as they have the same seed and the
same training part. So their weights are stacked, narrow and shallow networks among wide and deep
ones, and each step is taken by all of them at once. A test compares with training each alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.accuracy.methods.networks import BATCH, Held
from benchmarks.accuracy.methods.pyg import PygNetwork
from benchmarks.accuracy.methods.stacked import Stack
from benchmarks.accuracy.methods.tensors import Batch, Packed


def fit_together(
    models: Sequence[PygNetwork],
    X: Any,
    y: np.ndarray,
    validation: tuple[Any, np.ndarray] | None = None,
) -> list[PygNetwork]:
    """Fit networks of one kind and seed; the same as fitting each alone."""
    order = sorted(range(len(models)), key=lambda i: -models[i].n_layers)
    ranked = [models[i] for i in order]
    packed, target, rows, held = ranked[0].prepare(X, y, validation)
    for model in ranked[1:]:
        model.begin_like(ranked[0], packed)
    stack = Stack(ranked)
    _train(stack, ranked, (packed, target, rows), held)
    stack.hand_back(ranked)
    return list(models)


class Adam:
    """Adam with weight decay and a learning rate of its own for every network."""

    def __init__(self, stack: Stack, weight_decay: float) -> None:
        self.values = list(stack.parameters.values())
        self.rates = [stack.rates[name] for name in stack.parameters]
        self.means = [torch.zeros_like(value) for value in self.values]
        self.squares = [torch.zeros_like(value) for value in self.values]
        self.weight_decay, self.n_steps = weight_decay, 0

    @torch.no_grad()
    def step(self, gradients: Sequence[Tensor], first: float = 0.9, second: float = 0.999) -> None:
        self.n_steps += 1
        gradients = torch._foreach_add(gradients, self.values, alpha=self.weight_decay)
        torch._foreach_lerp_(self.means, gradients, 1 - first)
        torch._foreach_mul_(self.squares, second)
        torch._foreach_addcmul_(self.squares, gradients, gradients, 1 - second)
        sizes = torch._foreach_sqrt(self.squares)
        torch._foreach_div_(sizes, (1 - second**self.n_steps) ** 0.5)
        torch._foreach_add_(sizes, 1e-8)
        steps = torch._foreach_div(self.means, sizes)
        torch._foreach_mul_(steps, self.rates)
        torch._foreach_add_(self.values, steps, alpha=-1 / (1 - first**self.n_steps))


def _train(
    stack: Stack, models: Sequence[PygNetwork], part: tuple[Packed, Tensor, np.ndarray], held: Held
) -> None:
    """Epochs until none of the networks has had a lower held-out loss for its patience."""
    if stack.kind == "GCN":
        held = (held[0].without_loops(), *held[1:])
        part = (part[0].without_loops(), *part[1:])
    plan = models[0]._schedule(stack.of_graphs)
    optimiser, rng = Adam(stack, plan.weight_decay), np.random.default_rng(models[0].seed)
    best = {name: value.detach().clone() for name, value in stack.parameters.items()}
    lowest, waited = np.full(len(models), np.inf), np.zeros(len(models), int)
    for _ in range(plan.epochs):
        _epoch(stack, models[0], part, rng, optimiser)
        if not len(held[2]):
            continue
        losses = _held_losses(stack, models[0], held)
        waited += 1
        better = (losses < lowest) & (waited <= plan.patience)
        lowest[better], waited[better] = losses[better], 0
        _keep(best, stack.parameters, better)
        if (waited >= plan.patience).all():
            break
        waited[waited >= plan.patience] = plan.patience  # stays there: has ended
    if len(held[2]):
        stack.parameters = best


def _epoch(
    stack: Stack,
    model: PygNetwork,
    part: tuple[Packed, Tensor, np.ndarray],
    rng: np.random.Generator,
    optimiser: Adam,
) -> None:
    packed, target, rows = part
    for some, batch in packed.batches(rng.permutation(rows), BATCH):
        if packed.of_graphs and len(some) == 1:
            continue  # as in networks.py
        loss = _losses(stack, model, batch, target, some, training=True).sum()
        optimiser.step(torch.autograd.grad(loss, optimiser.values))


def _losses(
    stack: Stack, model: PygNetwork, batch: Batch, target: Tensor, rows: np.ndarray, training: bool
) -> Tensor:
    """The mean loss over the examples, of each network."""
    places = torch.as_tensor(rows, device=target.device) if batch.rows is None else batch.rows
    out, wanted = stack.outputs(batch, training), target[places]
    if batch.examples is not None:
        out = out[:, batch.examples[places]]
    wanted = wanted.expand(len(out), -1)
    if model.classifies:
        each = functional.cross_entropy(out.transpose(1, 2), wanted, reduction="none")
    else:
        each = (out[:, :, 0] - wanted) ** 2
    return each.mean(dim=1)


@torch.no_grad()
def _held_losses(stack: Stack, model: PygNetwork, held: Held) -> np.ndarray:
    packed, target, rows = held
    total = 0.0
    for some, batch in packed.batches(rows, 8 * BATCH):
        total = total + len(some) * _losses(stack, model, batch, target, some, training=False)
    return (total / len(rows)).cpu().numpy()


@torch.no_grad()
def _keep(best: dict[str, Tensor], values: dict[str, Tensor], better: np.ndarray) -> None:
    """Copy the weights of the networks that have become better."""
    if not better.any():
        return
    places = torch.as_tensor(np.flatnonzero(better), device=next(iter(best.values())).device)
    for name, value in values.items():
        some = places[: int(better[: len(value)].sum())]
        best[name][some] = value[some]
