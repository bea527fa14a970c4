"""The weights of several networks, stacked: what they answer to a batch, all at once.

    weights of a layer    (n_networks, n_in, n_out), padded with zeros; a padded unit stays zero
    states of vertices    (n_networks, n_vertices, n_hidden); deep networks first, so that those
                          with another layer are a slice

Weights start as PyTorch Geometric starts them, and are handed back to its modules at the end.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.accuracy.methods.pyg import PygModule, PygNetwork
from benchmarks.accuracy.methods.tensors import Batch


class Stack:
    """The weights of several networks, and how they answer to a batch."""

    def __init__(self, models: Sequence[PygNetwork]) -> None:
        first = models[0]
        self.kind, self.device = first.kind, first.device_
        self.width = max(model.n_hidden for model in models)
        modules = [model.network_ for model in models]
        # How many networks have a layer of each number.
        self.reach = [
            sum(model.n_layers > layer for model in models) for layer in range(first.n_layers)
        ]
        self.parameters = {
            name: self._stacked(modules, name).requires_grad_() for name in _names(modules[0])
        }
        self.dropout = self._column([model.dropout for model in models])
        self.has_dropout = any(model.dropout > 0 for model in models)
        self.rates = {
            name: self._column([model.learning_rate for model in models])[: len(value)]
            .expand_as(value).contiguous()
            for name, value in self.parameters.items()
        }  # fmt: skip
        self.sums, self.of_graphs = modules[0].sums, modules[0].of_graphs

    def _column(self, values: Sequence[float]) -> Tensor:
        return torch.tensor(values, device=self.device)[:, None, None]

    def _stacked(self, modules: Sequence[PygModule], name: str) -> Tensor:
        """The transposed weights of those that have them, padded to the widest."""
        each = [_transposed(module.state_dict(), name) for module in modules if _has(module, name)]
        n_in, n_out = each[0].shape
        if name.endswith("weight") and not _reads_features(name):
            n_in = self.width
        if not name.startswith("head."):
            n_out = self.width
        out = torch.zeros(len(each), n_in, n_out, device=self.device)
        for number, value in enumerate(each):
            out[number, : value.shape[0], : value.shape[1]] = value
        return out

    def hand_back(self, models: Sequence[PygNetwork]) -> None:
        for number, model in enumerate(models):
            state = model.network_.state_dict()
            for name in _names(model.network_):
                shape = _transposed(state, name).shape
                value = self.parameters[name][number, : shape[0], : shape[1]].detach()
                state[name] = value[0].clone() if state[name].ndim == 1 else value.T.clone()
            model.network_.load_state_dict(state)

    def outputs(self, batch: Batch, training: bool) -> Tensor:
        """(n_networks, n_graphs or n_vertices, n_out)."""
        h, left, around = batch.x[None], [], Neighbourhood(self.kind, batch)
        for layer, n_networks in enumerate(self.reach):
            if layer:
                h = self._dropped(functional.relu(h[:n_networks]), training)
            h = self._layer(layer, h, around)
            further = self.reach[layer + 1] if layer + 1 < len(self.reach) else 0
            left.append(functional.relu(h[further:]))
        states = torch.cat(left[::-1])
        if self.of_graphs:
            states = around.pooled(states, self.sums)
        return self._linear(states, "head.weight", "head.bias")

    def _layer(self, layer: int, h: Tensor, around: Neighbourhood) -> Tensor:
        name = f"body.convs.{layer}."
        if self.kind == "GIN":
            inner = self._linear(h + around.total(h), f"{name}nn.lins.0.weight",
                                 f"{name}nn.lins.0.bias")  # fmt: skip
            return self._linear(functional.relu(inner), f"{name}nn.lins.1.weight",
                                f"{name}nn.lins.1.bias")  # fmt: skip
        if self.kind == "GraphSAGE":
            own = _product(h, self.parameters[f"{name}lin_r.weight"])
            return own + self._linear(around.mean(h), f"{name}lin_l.weight", f"{name}lin_l.bias")
        # The features are shared: few columns to average before, many after.
        if len(h) == 1:
            return self._linear(around.normalized(h), f"{name}lin.weight", f"{name}bias")
        weighted = _product(h, self.parameters[f"{name}lin.weight"])
        return around.normalized(weighted) + self.parameters[f"{name}bias"]

    def _linear(self, h: Tensor, weight: str, bias: str) -> Tensor:
        return _product(h, self.parameters[weight]) + self.parameters[bias]

    def _dropped(self, h: Tensor, training: bool) -> Tensor:
        if not training or not self.has_dropout:
            return h
        p = self.dropout[: len(h)]
        return h * (torch.rand_like(h) >= p) / (1 - p)


class Neighbourhood:
    """Sums over the neighbours of each vertex of a batch."""

    def __init__(self, kind: str, batch: Batch) -> None:
        self.target, self.source = batch.ends
        self.batch = batch
        self.n = len(batch.x)
        if kind != "GIN":
            ones = batch.x.new_ones(1, len(self.target), 1)
            self.degrees = batch.x.new_zeros(1, self.n, 1).index_add(1, self.target, ones)
            self.scale = (self.degrees + 1).rsqrt()

    def total(self, h: Tensor) -> Tensor:
        empty = h.new_zeros(h.shape)
        return empty.index_add(1, self.target, h.index_select(1, self.source))

    def mean(self, h: Tensor) -> Tensor:
        return self.total(h) / self.degrees.clamp(min=1)

    def normalized(self, h: Tensor) -> Tensor:
        """D^-1/2 (A + I) D^-1/2 h; no edge of the batch is a loop."""
        h = self.scale * h
        return self.scale * (h + self.total(h))

    def pooled(self, h: Tensor, sums: bool) -> Tensor:
        batch = self.batch
        total = h.new_zeros(len(h), batch.n_graphs, h.shape[2]).index_add(1, batch.graph_of, h)
        if sums:
            return total
        ones = h.new_ones(self.n)
        sizes = h.new_zeros(batch.n_graphs).index_add(0, batch.graph_of, ones)
        return total / sizes.clamp(min=1)[:, None]


def _names(module: PygModule) -> list[str]:
    """The trained weights; the first networks have all of them."""
    return [name for name, _ in module.named_parameters()]


def _has(module: PygModule, name: str) -> bool:
    return name in module.state_dict()


def _reads_features(name: str) -> bool:
    return name.startswith("body.convs.0.") and ".lins.1." not in name


def _transposed(state: dict[str, Tensor], name: str) -> Tensor:
    """(n_in, n_out); a bias is one row."""
    return state[name][None] if state[name].ndim == 1 else state[name].T


def _product(h: Tensor, weight: Tensor) -> Tensor:
    return torch.bmm(h.expand(len(weight), -1, -1), weight)
