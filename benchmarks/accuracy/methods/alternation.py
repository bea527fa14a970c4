"""BGNN from its description: boosted trees and a graph network take turns.

    trees of vertex features ─► one number a class and vertex ─► network (with the features)
          ▲                                                             │
          └── the next trees fit the step that would help the network ◄─┘

The numbers that the trees hand over are inputs of the network; its loss is followed down to them,
and the change of the numbers is what the next trees are fitted to.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import torch
from sklearn.tree import DecisionTreeRegressor
from torch import Tensor

from benchmarks.accuracy.methods.pyg import PygNetwork
from benchmarks.accuracy.methods.tensors import Packed

DEPTH, SHRINKAGE = 6, 0.1


class Alternation(PygNetwork):
    """`n_trees` trees, then as many steps of the network, for each of `epochs` turns."""

    def __init__(
        self,
        classifies: bool,
        seed: int,
        kind: str = "GCN",
        n_layers: int = 2,
        n_trees: int = 10,
        dropout: float = 0.0,
        learning_rate: float = 1e-2,
        epochs: int = 100,
        patience: int = 10,
    ) -> None:
        super().__init__(kind, classifies, seed, n_layers, 64, dropout, learning_rate, epochs)
        self.n_trees = n_trees
        self.patience = patience

    def _network(self, task: str, n_in: int, n_out: int) -> torch.nn.Module:
        self.n_out_ = n_out
        return super()._network(task, n_in + n_out, n_out)

    def _train(self, packed: Packed, target: Tensor, rows: np.ndarray, held: Any) -> None:
        """Turns until the held-out loss has not fallen for `patience` of them."""
        self.trees_: list[DecisionTreeRegressor] = []
        optimiser = torch.optim.Adam(
            self.network_.parameters(), self.learning_rate, weight_decay=1e-4
        )
        best, best_loss, waited = None, np.inf, 0
        residual = self._first_residual(packed, target, rows)
        for _ in range(self.epochs):
            self._grow(packed.x.cpu().numpy(), *residual)
            residual = self._turn(packed, target, rows, optimiser)
            loss, waited = self._held_loss(*self._with_trees(held)), waited + 1
            if loss < best_loss:
                state = copy.deepcopy(self.network_.state_dict())
                best, best_loss, waited = (state, len(self.trees_)), loss, 0
            if waited >= self.patience:
                break
        if best is not None:
            self.network_.load_state_dict(best[0])
            self.trees_ = self.trees_[: best[1]]

    def _first_residual(
        self, packed: Packed, target: Tensor, rows: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Labels of the training vertices, or of the graph that a vertex is in."""
        wanted = torch.nn.functional.one_hot(target, self.n_out_) if self.classifies else target
        values = wanted.float().reshape(len(target), -1).cpu().numpy()
        if not packed.of_graphs:
            return values[rows], packed.examples.cpu().numpy()[rows]
        ptr = packed.vertex_ptr.cpu().numpy()
        vertices = [np.arange(ptr[row], ptr[row + 1]) for row in rows]
        return np.repeat(values[rows], [len(some) for some in vertices], axis=0), np.concatenate(
            vertices
        )

    def _grow(self, x: np.ndarray, wanted: np.ndarray, at: np.ndarray) -> None:
        """`n_trees` more trees for the wanted change of their sum, each for what is left of it."""
        left = wanted.reshape(len(at), -1).astype(float).copy()
        for _ in range(self.n_trees):
            tree = DecisionTreeRegressor(max_depth=DEPTH, random_state=self.seed)
            tree.fit(x[at], left)
            left -= SHRINKAGE * tree.predict(x[at]).reshape(left.shape)
            self.trees_.append(tree)

    def _sums(self, x: np.ndarray) -> np.ndarray:
        out = np.zeros((len(x), self.n_out_))
        for tree in self.trees_:
            out += SHRINKAGE * tree.predict(x).reshape(out.shape)
        return out

    def _turn(
        self, packed: Packed, target: Tensor, rows: np.ndarray, optimiser: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """Train the network and its inputs from the trees together; returns how those moved."""
        start = torch.tensor(self._sums(packed.x.cpu().numpy()), dtype=torch.float32)
        inputs = start.to(self.device_).clone().requires_grad_()
        moving = torch.optim.Adam([inputs], self.learning_rate)
        self.network_.train()
        for _ in range(self.n_trees):
            widened = _widened(packed, inputs)
            for some, batch in widened.batches(rows, len(rows)):
                optimiser.zero_grad()
                moving.zero_grad()
                self._loss(self.network_(batch), batch, target, some).backward()
                optimiser.step()
                moving.step()
        moved = (inputs.detach().cpu() - start).numpy()
        return moved, np.arange(len(moved))

    def _with_trees(self, held: tuple[Packed, Tensor, np.ndarray]) -> Any:
        packed, target, rows = held
        if not len(rows):
            raise ValueError("too few training examples to set some aside; give a validation part")
        sums = torch.tensor(self._sums(packed.x.cpu().numpy()), dtype=torch.float32)
        return _widened(packed, sums.to(self.device_)), target, rows

    def _packed(self, X: Any) -> Packed:
        packed = super()._packed(X)
        sums = torch.tensor(self._sums(packed.x.cpu().numpy()), dtype=torch.float32)
        return _widened(packed, sums.to(self.device_))


def _widened(packed: Packed, more: Tensor) -> Packed:
    """The same graphs with more inputs at every vertex."""
    x = torch.cat([packed.x, more], dim=1)
    return Packed(x, packed.vertex_ptr, packed.ends, packed.end_ptr, packed.examples)
