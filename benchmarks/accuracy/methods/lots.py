"""Batches of several training parts at once, in one layout for a GPU.

A *part* is what some networks are trained on: the examples of a fold, or the order of a seed. A
deal says which graphs the batch of every part has; a lot is these graphs. Its rows are the vertices
of a part's batch, then rows of zeros:

    x                    (n_parts, n_rows, n_features)
    begin, end, shift    (n_parts, n_rows); the neighbours of a row are the rows
                         columns[begin:end] + shift of the same part

Numbers of rows are rounded up, so that few shapes occur: a GPU can repeat what it has recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from benchmarks.accuracy.methods.tensors import Packed

FEWEST_ROWS = 64


@dataclass(frozen=True)
class Deal:
    """Of every part: graphs, which of them (or of their vertices) have targets, and these."""

    n_rows: int
    graphs: Tensor  # (n_parts, n_graphs); the empty graph where there are fewer
    asked: Tensor
    wanted: Tensor
    weight: Tensor  # of each target, 0 where there is none
    active: Tensor  # parts that have a batch

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        return self.graphs, self.asked, self.wanted, self.weight, self.active

    def clone(self) -> Deal:
        return Deal(self.n_rows, *(each.clone() for each in self.tensors))


@dataclass(frozen=True)
class Lot:
    """The graphs of a deal."""

    x: Tensor
    begin: Tensor
    end: Tensor
    shift: Tensor
    columns: Tensor
    graph_of: Tensor  # (n_parts, n_rows); n_graphs for rows of zeros
    n_graphs: int
    symmetric: bool  # every edge goes both ways

    @cached_property
    def degrees(self) -> Tensor:
        return (self.end - self.begin).float()

    @cached_property
    def graph_sizes(self) -> Tensor:
        """(n_parts, n_graphs + 1)."""
        sizes = self.x.new_zeros(len(self.x), self.n_graphs + 1)
        return sizes.scatter_add(1, self.graph_of, torch.ones_like(self.degrees))

    @cached_property
    def edges(self) -> list[tuple[Tensor, Tensor]]:
        """Of each part the rows that are summed into, and the rows that are summed."""
        found = []
        for begin, end, shift in zip(self.begin, self.end, self.shift, strict=True):
            counts = (end - begin).long()
            rows = torch.repeat_interleave(torch.arange(len(begin), device=begin.device), counts)
            within = torch.arange(len(rows), device=rows.device) - (counts.cumsum(0) - counts)[rows]
            found.append((rows, self.columns[begin[rows] + within] + shift[rows]))
        return found


class Store:
    """The graphs of several sources on the device, one after the other.

    After them come an empty graph and a vertex of zeros, which fill up what is shorter.
    """

    def __init__(self, sources: Sequence[Packed]) -> None:
        firsts = np.cumsum([0, *(len(source.x) for source in sources)]).tolist()
        pairs, total = list(zip(sources, firsts[:-1], strict=True)), firsts[-1]
        self.n_graphs = [len(source.vertex_ptr) - 1 for source in sources]
        self.first_graph = np.cumsum([0, *self.n_graphs[:-1]])
        self.empty = sum(self.n_graphs)
        self.nobody = total
        x = torch.cat([source.x for source in sources])
        self.x = torch.cat([x, x.new_zeros(1, x.shape[1])])
        ptr = [source.vertex_ptr[:-1] + first for source, first in pairs]
        self.vertex_ptr = torch.cat([*ptr, torch.tensor([total, total], device=x.device)])
        self.sizes = np.diff(self.vertex_ptr.cpu().numpy())
        rows, columns = torch.cat([source.ends + first for source, first in pairs], dim=1)
        counts = torch.bincount(rows, minlength=total + 1)
        self.indptr = torch.cat([counts.new_zeros(1), counts.cumsum(0)]).int()
        self.columns = columns.int()
        there, back = (rows * total + columns).sort()[0], (columns * total + rows).sort()[0]
        self.symmetric = bool(torch.equal(there, back))

    def lot(self, graphs: Tensor, n_rows: int) -> Lot:
        """The graphs with these numbers, (n_parts, n_graphs), none of them waited for."""
        n_parts, n_graphs = graphs.shape
        counts = self.vertex_ptr[graphs + 1] - self.vertex_ptr[graphs]
        ends = counts.cumsum(1)
        rows = torch.arange(n_rows, device=graphs.device).expand(n_parts, -1).contiguous()
        slot = torch.searchsorted(ends, rows, right=True)
        filled, slot = slot < n_graphs, slot.clamp(max=n_graphs - 1)
        source = (self.vertex_ptr[graphs] - ends + counts).gather(1, slot) + rows
        source = source.masked_fill(~filled, self.nobody)
        return Lot(
            self.x[source], self.indptr[source], self.indptr[source + 1], (rows - source).int(),
            self.columns, slot.masked_fill(~filled, n_graphs), n_graphs, self.symmetric,
        )  # fmt: skip


@dataclass(frozen=True)
class Examples:
    """Of each part its source in the store, targets, and rows of the examples that are used."""

    store: Store
    sources: tuple[int, ...]
    targets: tuple[Tensor, ...]
    rows: tuple[np.ndarray, ...]
    places: tuple[Tensor | None, ...]  # of vertices; None where graphs are the examples

    @property
    def of_graphs(self) -> bool:
        return self.places[0] is None

    def deals(self, orders: Sequence[np.ndarray], size: int, training: bool) -> Iterator[Deal]:
        """Batches of `size` graphs, in the order of rows that each part has; or all vertices."""
        lengths = np.array([len(order) for order in orders])
        if not self.of_graphs:
            yield self._whole(orders, lengths)
            return
        n_parts, n_lots = len(orders), -(-int(lengths.max()) // size)
        table = np.full((n_parts, n_lots * size), -1)
        for line, order in zip(table, orders, strict=True):
            line[: len(order)] = order
        first = self.store.first_graph[list(self.sources)][:, None]
        graphs = np.where(table >= 0, table + first, self.store.empty)
        sizes = self.store.sizes[graphs].reshape(n_parts, n_lots, size).sum(axis=2).max(axis=0)
        counts = (lengths - size * np.arange(n_lots)[:, None]).clip(0, size)
        if training:
            counts[counts == 1] = 0  # as in networks.py
        weight = self._on_device(_weights(counts, counts if training else lengths, size))
        active, listed = self._on_device(counts > 0), self._on_device(graphs)
        asked = torch.arange(size, device=listed.device).expand(n_parts, -1)
        wanted = self._targets(table)
        for number, n_rows in enumerate(sizes):
            some = slice(number * size, (number + 1) * size)
            yield Deal(_rounded(n_rows), listed[:, some], asked, wanted[:, some], weight[number],
                       active[number])  # fmt: skip

    def _on_device(self, values: np.ndarray) -> Tensor:
        return torch.as_tensor(values, device=self.store.x.device)

    def _targets(self, table: np.ndarray) -> Tensor:
        rows = self._on_device(table.clip(0))
        return torch.stack([target[line] for target, line in zip(self.targets, rows, strict=True)])

    def _whole(self, orders: Sequence[np.ndarray], lengths: np.ndarray) -> Deal:
        """The whole graphs of every part; all of its rows are asked for."""
        store, most = self.store, max(self.store.n_graphs[source] for source in self.sources)
        graphs = np.full((len(orders), most), store.empty)
        table = np.zeros((len(orders), max(int(lengths.max()), 1)), int)
        for number, (source, order) in enumerate(zip(self.sources, orders, strict=True)):
            n = store.n_graphs[source]
            graphs[number, :n] = store.first_graph[source] + np.arange(n)
            table[number, : len(order)] = order
        rows = self._on_device(table)
        asked = [places[line] for places, line in zip(self.places, rows, strict=True)]
        return Deal(
            _rounded(store.sizes[graphs].sum(axis=1).max()), self._on_device(graphs),
            torch.stack(asked), self._targets(table),
            self._on_device(_weights(lengths, lengths, table.shape[1])),
            self._on_device(lengths > 0),
        )  # fmt: skip


def _rounded(n_rows: int) -> int:
    """Up to a multiple of an eighth, or less, of the number itself."""
    step = max(2 ** (int(n_rows).bit_length() - 4), FEWEST_ROWS)
    return -(-int(n_rows) // step) * step or step


def _weights(counts: np.ndarray, divisors: np.ndarray, size: int) -> np.ndarray:
    """The first so many targets of each part, each divided by how many there are in all."""
    given = np.arange(size) < counts[..., None]
    return (given / np.maximum(divisors, 1)[..., None]).astype(np.float32)
