"""One step of training for all networks of a stack: their losses, and Adam."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.accuracy.methods.lots import Deal, Store
from benchmarks.accuracy.methods.stacked import Stack


def losses(stack: Stack, store: Store, deal: Deal, classifies: bool, training: bool) -> Tensor:
    """The weighted sum of the losses of the examples, of each network."""
    out = stack.outputs(store.lot(deal.graphs, deal.n_rows), training)
    if not stack.of_graphs:
        asked = deal.asked[stack.parts][:, :, None].expand(-1, -1, out.shape[2])
        out = out.gather(1, asked)
    wanted = deal.wanted[stack.parts]
    if classifies:
        each = functional.cross_entropy(out.transpose(1, 2), wanted, reduction="none")
    else:
        each = (out[:, :, 0] - wanted) ** 2
    return (each * deal.weight[stack.parts]).sum(dim=1)


class Adam:
    """Adam with weight decay, a rate and a number of steps of its own for every network."""

    def __init__(self, stack: Stack, weight_decay: float) -> None:
        self.stack, self.weight_decay = stack, weight_decay
        self.rates = torch.as_tensor(stack.rates, device=stack.device)[stack.network_of]
        self.mean, self.square = (torch.zeros_like(stack.weights) for _ in range(2))
        self.n_steps = torch.zeros(len(stack.rates), dtype=torch.float64, device=stack.device)

    @torch.no_grad()
    def step(self, gradients: Sequence[Tensor], active: Tensor) -> None:
        """`active`: which networks take the step. All in place: a GPU records where things are."""
        weights, takes = self.stack.weights, active[self.stack.network_of]
        self.n_steps += active
        of_mean, of_square = (self._correction(beta) for beta in (0.9, 0.999))
        gradient = torch.cat([each.flatten() for each in gradients])
        gradient.add_(weights, alpha=self.weight_decay)
        mean = torch.lerp(self.mean, gradient, 0.1)
        square = (self.square * 0.999).addcmul_(gradient, gradient, value=0.001)
        self.mean.copy_(torch.where(takes, mean, self.mean))
        self.square.copy_(torch.where(takes, square, self.square))
        size = (self.square / of_square).sqrt_().add_(1e-8)
        weights.sub_(takes * self.rates * (self.mean / of_mean) / size)

    def _correction(self, beta: float) -> Tensor:
        """1 - beta ** n_steps, for every weight; 1 for a network before its first step."""
        share = -torch.expm1(log(beta) * self.n_steps)
        return share.masked_fill(self.n_steps == 0, 1).float()[self.stack.network_of]

    def only(self, stack: Stack, which: np.ndarray, places: Tensor) -> Adam:
        """That of fewer networks: those with these numbers, whose weights have these places."""
        fewer = Adam(stack, self.weight_decay)
        fewer.mean, fewer.square = self.mean[places], self.square[places]
        fewer.n_steps = self.n_steps[torch.as_tensor(which, device=stack.device)]
        return fewer


class Step:
    """One step of all networks; on a GPU it is recorded once for each shape, then repeated."""

    def __init__(self, stack: Stack, store: Store, classifies: bool, optimiser: Adam) -> None:
        self.stack, self.store, self.optimiser = stack, store, optimiser
        self.classifies = classifies
        self.pool: Any = None  # memory that all recordings share
        self.recorded: dict[tuple[Any, ...], tuple[Deal, Any]] = {}

    def __call__(self, deal: Deal) -> None:
        if not deal.weight.is_cuda:
            self._take(deal)
            return
        key = (deal.n_rows, *(tuple(each.shape) for each in deal.tensors))
        if key not in self.recorded:
            self.recorded[key] = self._record(deal.clone())
        given, graph = self.recorded[key]
        for old, new in zip(given.tensors, deal.tensors, strict=True):
            old.copy_(new)
        graph.replay()

    def _take(self, deal: Deal) -> None:
        self.optimiser.step(self._gradients(deal), deal.active[self.stack.parts])

    def _gradients(self, deal: Deal) -> tuple[Tensor, ...]:
        loss = losses(self.stack, self.store, deal, self.classifies, training=True).sum()
        return torch.autograd.grad(loss, list(self.stack.parameters.values()))

    def _record(self, deal: Deal) -> tuple[Deal, Any]:
        """Nothing is changed by recording; before, all is done twice, so that it is compiled."""
        beside = torch.cuda.Stream()
        beside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(beside):
            for _ in range(2):
                self._gradients(deal)
        torch.cuda.current_stream().wait_stream(beside)
        self.pool = self.pool or torch.cuda.graph_pool_handle()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self.pool):
            self._take(deal)
        return deal, graph
