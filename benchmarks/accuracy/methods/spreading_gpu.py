"""Sums over neighbours and activation as one kernel each, written in Triton.

Networks of one stack have graphs of different parts, so that PyTorch would need one call a part.
Edges go both ways: the gradient of a weighted sum is the sum with its weights exchanged.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

ROWS = 32  # of states that a program handles


@triton.jit
def _spread(
    h, out, parts, begin, end, shift, columns, before, after,
    n_rows, n, OWN: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    network = tl.program_id(1).to(tl.int64)
    part = tl.load(parts + network)
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    there = rows < n_rows
    of_part = part * n_rows + rows
    units = tl.arange(0, WIDTH)
    wide = (units < n)[None, :]
    states = h + network * n_rows * n
    first = tl.load(begin + of_part, mask=there, other=0)
    count = tl.load(end + of_part, mask=there, other=0) - first
    move = tl.load(shift + of_part, mask=there, other=0)
    total = tl.zeros((ROWS, WIDTH), tl.float32)
    if OWN:
        weight = tl.load(before + of_part, mask=there, other=0.0)
        places = states + rows[:, None] * n + units[None, :]
        total += weight[:, None] * tl.load(places, mask=there[:, None] & wide, other=0.0)
    for k in range(tl.max(count, axis=0)):
        has = there & (k < count)
        row = tl.load(columns + first + k, mask=has, other=0) + move
        weight = tl.load(before + part * n_rows + row, mask=has, other=0.0)
        places = states + row[:, None] * n + units[None, :]
        total += weight[:, None] * tl.load(places, mask=has[:, None] & wide, other=0.0)
    total *= tl.load(after + of_part, mask=there, other=0.0)[:, None]
    places = out + network * n_rows * n + rows[:, None] * n + units[None, :]
    tl.store(places, total, mask=there[:, None] & wide)


class Spread(torch.autograd.Function):
    """`spreading.Mix` of the states of every network."""

    @staticmethod
    def forward(ctx: Any, h: Tensor, mix: Any, parts: Tensor) -> Tensor:
        ctx.mix, ctx.parts = mix, parts
        return _run(h, mix, parts, mix.before, mix.after)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        mix = ctx.mix
        return _run(gradient, mix, ctx.parts, mix.after, mix.before), None, None


def _run(h: Tensor, mix: Any, parts: Tensor, before: Tensor, after: Tensor) -> Tensor:
    h, lot = h.contiguous(), mix.lot
    n_networks, n_rows, n = h.shape
    out = torch.empty_like(h)
    _spread[(triton.cdiv(n_rows, ROWS), n_networks)](
        h, out, parts, lot.begin, lot.end, lot.shift, lot.columns, before, after,
        n_rows, n, mix.own, ROWS, triton.next_power_of_2(n),
    )  # fmt: skip
    return out


@triton.jit
def _activate(
    z, bias, dropout, out, seed, n_rows, n,
    DROPS: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    network = tl.program_id(1).to(tl.int64)
    rows, units = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, WIDTH)
    there = (rows < n_rows)[:, None] & (units < n)[None, :]
    places = network * n_rows * n + rows[:, None] * n + units[None, :]
    added = tl.load(bias + network * n + units, mask=units < n, other=0.0)
    state = tl.maximum(tl.load(z + places, mask=there, other=0.0) + added[None, :], 0.0)
    if DROPS:
        share = tl.load(dropout + network)
        if share > 0:
            drawn = tl.rand(tl.load(seed), places.to(tl.int32))
            state = tl.where(drawn >= share, state / (1 - share), 0.0)
    tl.store(out + places, state, mask=there)


@triton.jit
def _gradient(
    g, out, dropout, told, of_bias, n_rows, n,
    DROPS: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    network = tl.program_id(1).to(tl.int64)
    rows, units = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, WIDTH)
    there = (rows < n_rows)[:, None] & (units < n)[None, :]
    places = network * n_rows * n + rows[:, None] * n + units[None, :]
    passed = tl.load(out + places, mask=there, other=0.0) > 0
    gradient = tl.where(passed, tl.load(g + places, mask=there, other=0.0), 0.0)
    if DROPS:
        gradient /= 1 - tl.load(dropout + network)
    tl.store(told + places, gradient, mask=there)
    total = tl.sum(gradient, axis=0)
    tl.atomic_add(of_bias + network * n + units, total, mask=units < n)


class Activate(torch.autograd.Function):
    """`spreading.activated`; a state that was passed on is positive, so that none need be kept."""

    @staticmethod
    def forward(ctx: Any, z: Tensor, bias: Tensor, dropout: Tensor | None) -> Tensor:
        z = z.contiguous()
        out, drops = torch.empty_like(z), dropout is not None
        seed = torch.randint(2**31 - 1, (1,), device=z.device) if drops else z
        _activate[_grid(z)](
            z, bias.contiguous(), dropout if drops else z, out, seed, *z.shape[1:],
            drops, ROWS, triton.next_power_of_2(z.shape[2]),
        )  # fmt: skip
        ctx.save_for_backward(out, dropout)
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None]:
        out, dropout = ctx.saved_tensors
        gradient, drops = gradient.contiguous(), dropout is not None
        told = torch.empty_like(out)
        of_bias = out.new_zeros(len(out), 1, out.shape[2])
        _gradient[_grid(out)](
            gradient, out, dropout if drops else out, told, of_bias, *out.shape[1:],
            drops, ROWS, triton.next_power_of_2(out.shape[2]),
        )  # fmt: skip
        return told, of_bias, None


def _grid(h: Tensor) -> tuple[int, int]:
    return triton.cdiv(h.shape[1], ROWS), len(h)
