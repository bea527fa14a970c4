"""The two steps of a stack of networks that are not products: neighbours' sums, and activation.

On a GPU each is one kernel (`spreading_gpu.py`), else plain PyTorch; a test compares.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.accuracy.methods.lots import Lot


@dataclass(frozen=True)
class Mix:
    """after_v (before_v h_v + sum of before_u h_u over the neighbours u of v); `own`: the first."""

    lot: Lot
    before: Tensor  # (n_parts, n_rows)
    after: Tensor
    own: bool

    @classmethod
    def of(cls, kind: str, lot: Lot) -> Mix:
        """GIN: the sum with the own state. GCN: D^-1/2 (A + I) D^-1/2. GraphSAGE: the mean."""
        ones = torch.ones_like(lot.degrees)
        if kind == "GIN":
            return cls(lot, ones, ones, True)
        if kind == "GCN":
            scale = (lot.degrees + 1).rsqrt()
            return cls(lot, scale, scale, True)
        return cls(lot, ones, lot.degrees.clamp(min=1).reciprocal(), False)

    @cached_property
    def is_fused(self) -> bool:
        return self.lot.x.is_cuda and self.lot.symmetric

    def __call__(self, h: Tensor, part_of: np.ndarray, parts: Tensor) -> Tensor:
        """Of states (n_networks, n_rows, n); `part_of` and `parts` are one, on host and device."""
        if self.is_fused:
            from benchmarks.accuracy.methods import spreading_gpu

            return spreading_gpu.Spread.apply(h, self, parts)
        return self._plain(h, part_of)

    def _plain(self, h: Tensor, part_of: np.ndarray) -> Tensor:
        mixed, order = [], []
        for part, (rows, columns) in enumerate(self.lot.edges):
            mine = np.flatnonzero(part_of == part)
            scaled = h[torch.as_tensor(mine, device=h.device)] * self.before[part][:, None]
            start = scaled if self.own else torch.zeros_like(scaled)
            total = start.index_add(1, rows, scaled.index_select(1, columns))
            mixed.append(total * self.after[part][:, None])
            order.append(mine)
        back = np.argsort(np.concatenate(order))
        return torch.cat(mixed)[torch.as_tensor(back, device=h.device)]


def activated(z: Tensor, bias: Tensor, dropout: Tensor | None) -> Tensor:
    """ReLU of (n_networks, n_rows, n) plus a bias; `dropout`: the share of each network, or none.

    Kept states are divided by their share, so that a state stays the same on average.
    """
    if z.is_cuda:
        from benchmarks.accuracy.methods import spreading_gpu

        return spreading_gpu.Activate.apply(z, bias, dropout)
    h = functional.relu(z + bias)
    if dropout is None:
        return h
    share = dropout[:, None, None]
    return h * (torch.rand_like(h) >= share) / (1 - share)
