"""Batches of several training parts at once, in one layout for a GPU.

A *part* is what some networks are trained on: the examples of a fold, or the order of a seed. A lot
holds one batch of every part. Its rows are the vertices of that batch, then rows of zeros:

    x                    (n_parts, n_rows, n_features)
    begin, end, shift    (n_parts, n_rows); the neighbours of a row are the rows
                         columns[begin:end] + shift of the same part
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from benchmarks.accuracy.methods.tensors import Packed

ROWS = 16  # rows of a lot are a multiple of this


@dataclass(frozen=True)
class Lot:
    """One batch of every part. `asked` are the rows (of vertices) or graphs that have targets."""

    x: Tensor
    begin: Tensor
    end: Tensor
    shift: Tensor
    columns: Tensor
    graph_of: Tensor  # (n_parts, n_rows); n_graphs for rows of zeros
    n_graphs: int
    symmetric: bool  # every edge goes both ways
    asked: Tensor
    wanted: Tensor
    weight: Tensor  # of each target, 0 where there is none
    active: np.ndarray  # parts that have a batch

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
    """The graphs of several sources on the device, one after the other, and an empty graph."""

    def __init__(self, sources: Sequence[Packed]) -> None:
        n_vertices = np.cumsum([0, *(len(source.x) for source in sources)])
        first = [int(n) for n in n_vertices[:-1]]
        total = int(n_vertices[-1])
        n_graphs = [len(source.vertex_ptr) - 1 for source in sources]
        self.first_graph = np.cumsum([0, *n_graphs[:-1]])
        self.n_graphs = n_graphs
        self.empty = sum(n_graphs)
        self.x = torch.cat([source.x for source in sources])
        ptr = [source.vertex_ptr[:-1] + n for source, n in zip(sources, first, strict=True)]
        self.vertex_ptr = torch.cat([*ptr, torch.tensor([total, total], device=self.x.device)])
        self.sizes = np.diff(self.vertex_ptr.cpu().numpy())
        ends = [source.ends + n for source, n in zip(sources, first, strict=True)]
        rows, columns = torch.cat(ends, dim=1)
        counts = torch.bincount(rows, minlength=total)
        self.indptr = torch.cat([counts.new_zeros(1), counts.cumsum(0)]).int()
        self.columns = columns.int()
        there, back = (rows * total + columns).sort()[0], (columns * total + rows).sort()[0]
        self.symmetric = bool(torch.equal(there, back))

    def lot(self, graphs: np.ndarray, asked: Tensor | None, *targets: object) -> Lot:
        """The graphs with these numbers, a row of them for each part."""
        n_parts, n_graphs = graphs.shape
        sizes, device = self.sizes[graphs], self.x.device
        n_rows = -(-int(sizes.sum(axis=1).max()) // ROWS) * ROWS
        numbers = torch.as_tensor(graphs, device=device)
        source, place, slot = self._places(numbers, n_rows, int(sizes.sum()))

        def laid_out(values: Tensor, elsewhere: int = 0) -> Tensor:
            out = values.new_full((n_parts * n_rows, *values.shape[1:]), elsewhere)
            out[place] = values
            return out.view(n_parts, n_rows, *values.shape[1:])

        if asked is None:
            asked = torch.arange(n_graphs, device=device).expand(n_parts, -1)
        return Lot(
            laid_out(self.x[source]),
            laid_out(self.indptr[source]),
            laid_out(self.indptr[source + 1]),
            laid_out((place % n_rows - source).int()),
            self.columns, laid_out(slot % n_graphs, n_graphs), n_graphs, self.symmetric,
            asked, *targets,
        )  # fmt: skip

    def _places(self, graphs: Tensor, n_rows: int, total: int) -> tuple[Tensor, Tensor, Tensor]:
        """Of each vertex its number in the store, its place in the lot, and its graph."""
        n_parts, device = len(graphs), graphs.device
        counts = self.vertex_ptr[graphs + 1] - self.vertex_ptr[graphs]
        number = torch.arange(graphs.numel(), device=device)
        slot = torch.repeat_interleave(number, counts.flatten(), output_size=total)
        among_all = counts.flatten().cumsum(0) - counts.flatten()
        within = torch.arange(total, device=device) - among_all[slot]
        starts = counts.cumsum(1) - counts
        starts = starts + n_rows * torch.arange(n_parts, device=device)[:, None]
        source = self.vertex_ptr[graphs].flatten()[slot] + within
        return source, starts.flatten()[slot] + within, slot


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

    def lots(self, orders: Sequence[np.ndarray], size: int, training: bool) -> Iterator[Lot]:
        """Batches of `size` graphs, in the order of rows that each part has; or all vertices."""
        lengths = np.array([len(order) for order in orders])
        if not self.of_graphs:
            yield self._whole(orders, lengths)
            return
        n_lots = -(-int(lengths.max()) // size)
        table = np.full((len(orders), n_lots * size), -1)
        for line, order in zip(table, orders, strict=True):
            line[: len(order)] = order
        first = self.store.first_graph[list(self.sources)][:, None]
        graphs = np.where(table >= 0, table + first, self.store.empty)
        wanted = self._targets(table)
        for start in range(0, n_lots * size, size):
            some = slice(start, start + size)
            counts = (lengths - start).clip(0, size)
            if training:
                counts[counts == 1] = 0  # as in networks.py
            weight = _weights(counts, counts if training else lengths, size)
            yield self.store.lot(graphs[:, some], None, wanted[:, some],
                                 torch.as_tensor(weight, device=wanted.device),
                                 counts > 0)  # fmt: skip

    def _targets(self, table: np.ndarray) -> Tensor:
        device = self.targets[0].device
        rows = torch.as_tensor(table.clip(0), device=device)
        pairs = zip(self.targets, rows, strict=True)
        return torch.stack([target[line] for target, line in pairs])

    def _whole(self, orders: Sequence[np.ndarray], lengths: np.ndarray) -> Lot:
        """The whole graphs of every part; all of its rows are asked for."""
        store, device = self.store, self.store.x.device
        most = max(store.n_graphs[source] for source in self.sources)
        graphs = np.full((len(orders), most), store.empty)
        table = np.zeros((len(orders), max(int(lengths.max()), 1)), int)
        for number, (source, order) in enumerate(zip(self.sources, orders, strict=True)):
            n = store.n_graphs[source]
            graphs[number, :n] = store.first_graph[source] + np.arange(n)
            table[number, : len(order)] = order
        rows = torch.as_tensor(table, device=device)
        asked = [places[line] for places, line in zip(self.places, rows, strict=True)]
        weight = torch.as_tensor(_weights(lengths, lengths, table.shape[1]), device=device)
        return store.lot(
            graphs, torch.stack(asked), self._targets(table), weight, np.ones(len(orders), bool)
        )


def _weights(counts: np.ndarray, divisors: np.ndarray, size: int) -> np.ndarray:
    """The first so many targets of each part, each divided by how many there are in all."""
    given = np.arange(size) < counts[:, None]
    return (given / np.maximum(divisors, 1)[:, None]).astype(np.float32)
