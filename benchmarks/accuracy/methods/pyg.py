"""GCN, GIN, GAT, GATv2 and GraphSAGE of PyTorch Geometric, trained as the TREE-G paper says.

At most 1000 epochs of Adam with weight decay 1e-4; training ends after 100 epochs without a lower
loss on the validation part (or on a tenth of the training part). Graphs: the sum (GIN) or the mean
over vertices, then a linear layer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch_geometric.nn import GAT, GCN, GIN, GraphSAGE

from benchmarks.accuracy.methods.networks import BATCH, GraphNetwork, Schedule
from benchmarks.accuracy.methods.tensors import Batch, Packed

BODIES: dict[str, Any] = {
    "GCN": GCN,
    "GIN": GIN,
    "GAT": GAT,
    "GATv2": lambda *sizes, **more: GAT(*sizes, v2=True, **more),
    "GraphSAGE": GraphSAGE,
}


class PygModule(nn.Module):
    """Rounds of message passing, pooling for graphs, a linear layer."""

    def __init__(self, body: nn.Module, n_hidden: int, n_out: int, sums: bool, of_graphs: bool):
        super().__init__()
        self.body, self.head = body, nn.Linear(n_hidden, n_out)
        self.sums, self.of_graphs = sums, of_graphs

    def embedded(self, batch: Batch) -> Tensor:
        """States before the last layer: of each graph, or of every vertex."""
        # `ends` holds (target, source); PyTorch Geometric wants (source, target).
        states = functional.relu(self.body(batch.x, batch.ends.flip(0)))
        return batch.pool(states, self.sums) if self.of_graphs else states

    def forward(self, batch: Batch) -> Tensor:
        return self.head(self.embedded(batch))


class PygNetwork(GraphNetwork):
    """One of the five networks as an estimator."""

    fewest_to_stop_early = 60  # it may not run for all of its epochs

    def __init__(
        self,
        kind: str,
        classifies: bool,
        seed: int,
        n_layers: int = 3,
        n_hidden: int = 64,
        dropout: float = 0.0,
        learning_rate: float = 1e-3,
        epochs: int = 1000,
    ) -> None:
        super().__init__(kind, classifies, seed)
        self.n_layers = n_layers
        self.n_hidden = n_hidden
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.epochs = epochs

    def _network(self, task: str, n_in: int, n_out: int) -> nn.Module:
        body = BODIES[self.kind](n_in, self.n_hidden, self.n_layers, dropout=self.dropout)
        return PygModule(body, self.n_hidden, n_out, self.kind == "GIN", task == "graphs")

    def begin_like(self, other: PygNetwork, packed: Packed) -> None:
        """A fresh network for the inputs and targets that another one has been prepared for."""
        for name in ("device_", "inputs_", "classes_", "middle_", "spread_"):
            if hasattr(other, name):
                setattr(self, name, getattr(other, name))
        torch.manual_seed(self.seed)
        task, n_out = "graphs" if packed.of_graphs else "vertices", other.network_.head.out_features
        self.network_ = self._network(task, packed.n_features, n_out).to(self.device_)

    def _schedule(self, of_graphs: bool) -> Schedule:
        return Schedule(self.epochs, 100, self.learning_rate, 1e-4)

    @torch.no_grad()
    def embed(self, X: Any) -> np.ndarray:
        """The states of examples before the last layer: (n_examples, n_hidden)."""
        self.network_.eval()
        batches = self._packed(X).batches(np.arange(len(X)), 8 * BATCH)
        states = [batch.of_examples(self.network_.embedded(batch), some) for some, batch in batches]
        return torch.cat(states).cpu().numpy()
