"""GIN and GCN in plain PyTorch, on a GPU where there is one, with usual settings.

Graphs: 4 layers of 64 with batch normalisation; the pooled states of all layers are joined; batches
of 128, Adam with 0.01, halved every 50 epochs. Vertices: 2 layers of 64, dropout 0.5, weight decay
5e-4, Adam with 0.01, the whole graph at once; batch normalisation for GIN only. At most 200 epochs.
From 200 training examples on, a tenth of them is set aside: training ends after 30 epochs without a
lower loss there, and the best state is kept.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sklearn.base import BaseEstimator
from sklearn.model_selection import train_test_split
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.accuracy.methods.tensors import Batch, Inputs, Packed
from graphtrees import Vertices

Held = tuple[Packed, Tensor, np.ndarray]  # graphs, targets and rows that tell when to stop
HIDDEN, EPOCHS, PATIENCE, BATCH = 64, 200, 30, 128
LAYERS = {"graphs": 4, "vertices": 2}
LEARNING_RATE, WEIGHT_DECAY, DROPOUT = 0.01, 5e-4, 0.5
FEWEST_TO_STOP_EARLY = 200


@dataclass(frozen=True)
class Schedule:
    """How long and how fast to train; `halving` is the number of epochs after which it slows."""

    epochs: int = EPOCHS
    patience: int = PATIENCE
    learning_rate: float = LEARNING_RATE
    weight_decay: float = 0.0
    halving: int | None = None


class Layer(nn.Module):
    """GIN: two linear layers of (own state + sum of neighbours). GCN: one of a weighted mean."""

    def __init__(self, kind: str, n_in: int, normed: bool) -> None:
        super().__init__()
        norm = nn.BatchNorm1d if normed else nn.Identity
        if kind == "GIN":
            first = (nn.Linear(n_in, HIDDEN), norm(HIDDEN), nn.ReLU())
            self.learned = nn.Sequential(*first, nn.Linear(HIDDEN, HIDDEN))
        else:
            self.learned = nn.Linear(n_in, HIDDEN)
        self.is_gin = kind == "GIN"
        self.norm = norm(HIDDEN)

    def forward(self, h: Tensor, batch: Batch) -> Tensor:
        if self.is_gin:
            return functional.relu(self.norm(self.learned(h + batch.adjacency @ h)))
        return functional.relu(self.norm(batch.normalized @ self.learned(h)))


class Network(nn.Module):
    """Layers, then for graphs a sum (GIN) or mean (GCN) over vertices, then a linear layer."""

    def __init__(self, kind: str, task: str, n_in: int, n_out: int) -> None:
        super().__init__()
        widths = [n_in] + [HIDDEN] * (LAYERS[task] - 1)
        normed = task == "graphs" or kind == "GIN"
        self.layers = nn.ModuleList(Layer(kind, width, normed) for width in widths)
        self.of_graphs, self.sums = task == "graphs", kind == "GIN"
        self.head = nn.Linear(HIDDEN * (len(widths) if self.of_graphs else 1), n_out)

    def forward(self, batch: Batch) -> Tensor:
        h, pooled = batch.x, []
        for layer in self.layers:
            if not self.of_graphs and h.shape[1] >= HIDDEN:  # few features cannot spare half
                h = functional.dropout(h, DROPOUT, self.training)
            h = layer(h, batch)
            pooled.append(h)
        if self.of_graphs:
            h = torch.cat([batch.pool(states, self.sums) for states in pooled], dim=1)
        return self.head(functional.dropout(h, DROPOUT, self.training))


class GraphNetwork(BaseEstimator):
    """A network as an estimator of graphs or of vertices."""

    fewest_to_stop_early = FEWEST_TO_STOP_EARLY

    def __init__(self, kind: str, classifies: bool, seed: int) -> None:
        self.kind = kind
        self.classifies = classifies
        self.seed = seed

    def fit(
        self, X: Any, y: np.ndarray, validation: tuple[Any, np.ndarray] | None = None
    ) -> GraphNetwork:
        """`validation` tells when to stop, instead of a part of X that is set aside."""
        self._train(*self.prepare(X, y, validation))
        return self

    def prepare(
        self, X: Any, y: np.ndarray, validation: tuple[Any, np.ndarray] | None
    ) -> tuple[Packed, Tensor, np.ndarray, Held]:
        """A fresh network; examples, targets and rows to train on, and what tells when to stop."""
        torch.set_num_threads(1)
        torch.manual_seed(self.seed)
        self.device_ = "cuda" if torch.cuda.is_available() else "cpu"
        task = "vertices" if isinstance(X, Vertices) else "graphs"
        self.inputs_ = Inputs.of(X)
        target = self._target(y)
        packed = self.inputs_.pack(X, self.device_)
        n_out = len(self.classes_) if self.classifies else 1
        self.network_ = self._network(task, packed.n_features, n_out).to(self.device_)
        if validation is None:
            rows, held = self._set_aside(y)
            return packed, target, rows, (packed, target, held)
        return packed, target, np.arange(len(y)), self._held(*validation)

    def _network(self, task: str, n_in: int, n_out: int) -> nn.Module:
        return Network(self.kind, task, n_in, n_out)

    def _schedule(self, of_graphs: bool) -> Schedule:
        return Schedule(halving=50) if of_graphs else Schedule(weight_decay=WEIGHT_DECAY)

    def _held(self, X: Any, y: np.ndarray) -> Held:
        """Examples of classes that training has seen; the others have no output."""
        rows = np.arange(len(y))
        if self.classifies:
            rows = np.flatnonzero(np.isin(y, self.classes_))
            codes = np.searchsorted(self.classes_, np.where(np.isin(y, self.classes_), y,
                                                            self.classes_[0]))  # fmt: skip
            target = torch.tensor(codes, device=self.device_)
        else:
            target = self._scaled(y)
        return self.inputs_.pack(X, self.device_), target, rows

    def _target(self, y: np.ndarray) -> Tensor:
        if self.classifies:
            self.classes_, codes = np.unique(y, return_inverse=True)
            return torch.tensor(codes, device=self.device_)
        self.middle_, self.spread_ = float(np.mean(y)), float(np.std(y)) or 1.0
        return self._scaled(y)

    def _scaled(self, y: np.ndarray) -> Tensor:
        scaled = (np.asarray(y, np.float32) - self.middle_) / self.spread_
        return torch.tensor(scaled, dtype=torch.float32, device=self.device_)

    def _set_aside(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows to train on, and rows that tell when to stop."""
        rows = np.arange(len(y))
        if len(y) < self.fewest_to_stop_early:
            return rows, rows[:0]
        stratify = y if self.classifies and np.unique(y, return_counts=True)[1].min() > 1 else None
        return tuple(train_test_split(rows, test_size=0.1, stratify=stratify,
                                      random_state=self.seed))  # fmt: skip

    def _train(self, packed: Packed, target: Tensor, rows: np.ndarray, held: Held) -> None:
        plan = self._schedule(packed.of_graphs)
        optimiser = torch.optim.Adam(
            self.network_.parameters(), plan.learning_rate, weight_decay=plan.weight_decay
        )
        gamma = 1.0 if plan.halving is None else 0.5
        slower = torch.optim.lr_scheduler.StepLR(optimiser, plan.halving or 1, gamma)
        rng = np.random.default_rng(self.seed)
        best, best_loss, waited = None, np.inf, 0
        for _ in range(plan.epochs):
            self._epoch(packed, target, rng.permutation(rows), optimiser)
            slower.step()
            if not len(held[2]):
                continue
            loss, waited = self._held_loss(*held), waited + 1
            if loss < best_loss:
                best, best_loss, waited = copy.deepcopy(self.network_.state_dict()), loss, 0
            if waited >= plan.patience:
                break
        if best is not None:
            self.network_.load_state_dict(best)

    def _epoch(self, packed: Packed, target: Tensor, rows: np.ndarray, optimiser: Any) -> None:
        self.network_.train()
        for some, batch in packed.batches(rows, BATCH):
            if packed.of_graphs and len(some) == 1:
                continue  # batch normalisation needs two; the next epoch deals anew
            optimiser.zero_grad()
            self._loss(self.network_(batch), batch, target, some).backward()
            optimiser.step()

    def _loss(self, out: Tensor, batch: Batch, target: Tensor, rows: np.ndarray) -> Tensor:
        wanted = target[torch.as_tensor(rows, device=self.device_)]
        out = batch.of_examples(out, rows)
        if self.classifies:
            return functional.cross_entropy(out, wanted)
        return functional.mse_loss(out[:, 0], wanted)

    @torch.no_grad()
    def _held_loss(self, packed: Packed, target: Tensor, held: np.ndarray) -> float:
        self.network_.eval()
        total = 0.0
        for some, batch in packed.batches(held, 8 * BATCH):
            loss = self._loss(self.network_(batch), batch, target, some)
            total += float(loss) * len(some)
        return total / len(held)

    def _packed(self, X: Any) -> Packed:
        """What the network reads of examples to predict."""
        return self.inputs_.pack(X, self.device_)

    @torch.no_grad()
    def _told(self, X: Any) -> np.ndarray:
        self.network_.eval()
        packed = self._packed(X)
        told = [
            batch.of_examples(self.network_(batch), some)
            for some, batch in packed.batches(np.arange(len(X)), 8 * BATCH)
        ]
        out = torch.cat(told)
        return (out.softmax(dim=1) if self.classifies else out[:, 0]).cpu().numpy()

    def predict_proba(self, X: Any) -> np.ndarray:
        return self._told(X)

    def predict(self, X: Any) -> np.ndarray:
        told = self._told(X)
        if self.classifies:
            return self.classes_[told.argmax(axis=1)]
        return told * self.spread_ + self.middle_
