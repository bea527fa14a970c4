"""The weights of several networks, stacked: what they answer to a lot, all at once.

    weights of a layer    (n_networks, n_in, n_out), padded with zeros; a padded unit stays zero
    states of vertices    (n_networks, n_rows, n_hidden); deep networks first, so that those
                          with another layer are a slice

Every network has a part of the lot for its own: `part_of`. Weights start as PyTorch Geometric
starts them, lie in one long vector, and are handed back to its modules at the end.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from benchmarks.accuracy.methods.lots import Lot
from benchmarks.accuracy.methods.pyg import PygModule, PygNetwork
from benchmarks.accuracy.methods.spreading import Mix, activated


class Stack:
    """The weights of several networks, and how they answer to a lot."""

    def __init__(self, models: Sequence[PygNetwork], part_of: Sequence[int]) -> None:
        first = models[0]
        self.kind, self.device = first.kind, first.device_
        self.width = max(model.n_hidden for model in models)
        self.part_of = np.asarray(part_of)
        self.n_layers = np.array([model.n_layers for model in models])
        self.shares = np.array([model.dropout for model in models], np.float32)
        self.rates = np.array([model.learning_rate for model in models], np.float32)
        modules = [model.network_ for model in models]
        self.sums, self.of_graphs = modules[0].sums, modules[0].of_graphs
        self._set_up({name: self._stacked(modules, name) for name in _names(modules[0])})

    def _set_up(self, stacked: dict[str, Tensor]) -> None:
        """One vector of all weights; each name is a view of it. `network_of`: whose each is."""
        self.parts = torch.as_tensor(self.part_of, device=self.device)
        # How many networks have a layer of each number.
        self.reach = [int((self.n_layers > layer).sum()) for layer in range(self.n_layers[0])]
        self._drop = [self._dropout(layer) for layer in range(len(self.reach))]
        self.weights = torch.cat([value.flatten() for value in stacked.values()])
        owners, start, self.parameters = [], 0, {}
        for name, value in stacked.items():
            end = start + value.numel()
            self.parameters[name] = self.weights[start:end].view(value.shape).requires_grad_()
            number = torch.arange(len(value), device=self.device)
            owners.append(number.repeat_interleave(value[0].numel()))
            start = end
        self.network_of = torch.cat(owners)

    def _dropout(self, layer: int) -> Tensor | None:
        """The share that each network drops of the states after a layer, none after its last."""
        shares = (self.shares * (layer + 1 < self.n_layers))[: self.reach[layer]]
        return torch.as_tensor(shares, device=self.device) if shares.any() else None

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

    def hand_back(self, models: Sequence[PygNetwork], weights: Tensor, which: np.ndarray) -> None:
        """Give the networks with these numbers their weights."""
        values = self._views(weights)
        for number in which:
            network = models[number].network_
            state = network.state_dict()
            for name in _names(network):
                shape = _transposed(state, name).shape
                value = values[name][number, : shape[0], : shape[1]]
                state[name] = value[0].clone() if state[name].ndim == 1 else value.T.clone()
            network.load_state_dict(state)

    def only(self, which: np.ndarray) -> tuple[Stack, Tensor]:
        """A stack of the networks with these numbers, and which of the weights are theirs."""
        places = self._views(torch.arange(len(self.weights), device=self.device))
        kept = {
            name: each[torch.as_tensor(which[which < len(each)], device=self.device)]
            for name, each in places.items()
        }
        fewer = copy.copy(self)
        for name in ("part_of", "n_layers", "shares", "rates"):
            setattr(fewer, name, getattr(self, name)[which])
        fewer._set_up({name: self.weights[each] for name, each in kept.items() if len(each)})
        return fewer, torch.cat([each.flatten() for each in kept.values()])

    def _views(self, values: Tensor) -> dict[str, Tensor]:
        """One value for each weight, by names."""
        sizes = [value.numel() for value in self.parameters.values()]
        pairs = zip(self.parameters.items(), values.split(sizes), strict=True)
        return {name: some.view(value.shape) for (name, value), some in pairs}

    def outputs(self, lot: Lot, training: bool) -> Tensor:
        """(n_networks, n_graphs or n_rows, n_out)."""
        mix, left = Mix.of(self.kind, lot), []
        h, everyone = lot.x, torch.arange(len(lot.x), device=self.device)
        around = mix(h, np.arange(len(h)), everyone)  # once for all networks of a part
        around = around[self.parts]
        h = h[self.parts] if self.kind == "GraphSAGE" else h  # the others read no own state apart
        for layer, n_networks in enumerate(self.reach):
            h = self._layer(layer, h, around, mix, training)
            further = self.reach[layer + 1] if layer + 1 < len(self.reach) else 0
            around = None
            if further == n_networks:
                continue
            h, ended = h.split([further, n_networks - further])
            left.append(self._pooled(ended, further, lot) if self.of_graphs else ended)
        states = torch.cat(left[::-1])
        return _product(states, self.parameters["head.weight"]) + self.parameters["head.bias"]

    def _layer(
        self, layer: int, h: Tensor, around: Tensor | None, mix: Mix, training: bool
    ) -> Tensor:
        """`around`: what the neighbours bring, where it is known already."""
        name, dropout = f"body.convs.{layer}.", self._drop[layer] if training else None
        if self.kind == "GCN":
            weight, bias = self.parameters[f"{name}lin.weight"], self.parameters[f"{name}bias"]
            if around is None:  # few columns are mixed before the product, many after it
                return activated(self._mixed(_product(h, weight), mix), bias, dropout)
            return activated(_product(around, weight), bias, dropout)
        around = self._mixed(h, mix) if around is None else around
        if self.kind == "GIN":
            first, second = (f"{name}nn.lins.{number}." for number in (0, 1))
            z = _product(around, self.parameters[f"{first}weight"])
            inner = activated(z, self.parameters[f"{first}bias"], None)
            z = _product(inner, self.parameters[f"{second}weight"])
            return activated(z, self.parameters[f"{second}bias"], dropout)
        own = _product(h, self.parameters[f"{name}lin_r.weight"])
        z = own + _product(around, self.parameters[f"{name}lin_l.weight"])
        return activated(z, self.parameters[f"{name}lin_l.bias"], dropout)

    def _mixed(self, h: Tensor, mix: Mix) -> Tensor:
        return mix(h, self.part_of[: len(h)], self.parts[: len(h)])

    def _pooled(self, h: Tensor, first: int, lot: Lot) -> Tensor:
        """The sum or mean over the vertices of each graph, of the networks from `first` on."""
        parts = self.parts[first : first + len(h)]
        slots = lot.n_graphs + 1  # the last one takes the rows of zeros
        number = torch.arange(len(h), device=self.device)[:, None]
        places = (lot.graph_of[parts] + slots * number).flatten()
        flat = h.new_zeros(len(h) * slots, h.shape[2])
        total = flat.index_add(0, places, h.reshape(-1, h.shape[2])).view(len(h), slots, -1)
        if not self.sums:
            total = total / lot.graph_sizes[parts].clamp(min=1)[:, :, None]
        return total[:, :-1]


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
    return torch.bmm(h, weight)
