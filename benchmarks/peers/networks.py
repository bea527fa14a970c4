"""GIN and GCN of PyTorch Geometric on the processor, with a usual budget of training."""

from __future__ import annotations

from typing import Any

import data
import numpy as np
import torch
from clock import repeat, summary
from processes import THREADS, forget_peak
from torch.nn import functional
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCN, GIN, global_add_pool

HIDDEN, BATCH, EPOCHS, LEARNING_RATE = 64, 128, 100, 0.01
LAYERS = {"GIN": 5, "GCN": 3}


class Network(torch.nn.Module):
    """Rounds of message passing with batch normalisation, a sum over the graph, a linear layer."""

    def __init__(self, kind: str, n_features: int, n_classes: int) -> None:
        super().__init__()
        body = {"GIN": GIN, "GCN": GCN}[kind]
        self.body = body(n_features, HIDDEN, LAYERS[kind], norm="batch_norm")
        self.head = torch.nn.Linear(HIDDEN, n_classes)

    def forward(self, batch: Any) -> torch.Tensor:
        hidden = self.body(batch.x, batch.edge_index)
        return self.head(global_add_pool(hidden, batch.batch))


def train(kind: str, data_set: str, limit: int | None, budget: float) -> dict[str, Any]:
    """Seconds for 100 epochs, scaled from the median of those timed after one to warm up."""
    torch.set_num_threads(THREADS)
    torch.manual_seed(0)
    task = data.load(data_set, limit)
    forget_peak()
    classes = np.unique(task.y, return_inverse=True)[1]
    loader = DataLoader(_as_data(task.graphs, classes), batch_size=BATCH, shuffle=True)
    network = Network(kind, task.graphs.n_features, int(classes.max()) + 1)
    optimiser = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
    _epoch(network, loader, optimiser)
    epoch = summary(repeat(lambda: _epoch(network, loader, optimiser), budget))
    return {
        "seconds": EPOCHS * epoch["seconds"],
        "epoch": epoch["seconds"],
        "n_epochs_timed": epoch["repeats"],
        "layers": LAYERS[kind],
        "is_generated": task.is_generated,
    }


def _epoch(network: Network, loader: DataLoader, optimiser: torch.optim.Optimizer) -> None:
    network.train()
    for batch in loader:
        optimiser.zero_grad()
        functional.cross_entropy(network(batch), batch.y).backward()
        optimiser.step()


def _as_data(graphs: Any, classes: np.ndarray) -> list[Data]:
    """One `Data` for each graph, its edges in both directions."""
    items = []
    for graph, label in zip(graphs, classes, strict=True):
        one_way = torch.from_numpy(graph.edge_index.astype(np.int64))
        items.append(
            Data(
                x=torch.from_numpy(np.array(graph.features, dtype=np.float32)),
                edge_index=torch.cat([one_way, one_way.flip(0)], dim=1),
                y=torch.tensor([label]),
            )
        )
    return items
