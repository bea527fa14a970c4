"""A fitted model and a batch of graphs, as the kernels of importance read them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from graphtrees._layout import CYCLE, OFFSET
from graphtrees._threads import Workers
from graphtrees.candidates.batch import Batch
from graphtrees.candidates.operator_name import OperatorName
from graphtrees.candidates.operators import Operator, edges_of, stack_middles
from graphtrees.graphs.flat import FlatGraphs, starts_of

# The arrays of a tree in the order the kernels take them.
_BEFORE = ("column", "operator", "walk_length", "walk_type", "aggregator")
_AFTER = ("sign", "threshold", "missing_left", "left", "right")


@dataclass(frozen=True, eq=False)
class PackedModel:
    """The trees of a model end to end, and what each of their nodes adds to each output.

    `adds[node, output]` is signed and scaled as in the decision function of boosting; for trees
    and forests it is the tree's own value, which counts for `share` in the mean of all trees.
    `speaks[tree, output]` tells who adds at all, `init` what each output starts from.
    """

    trees: tuple[Any, ...]
    ptr: np.ndarray
    adds: np.ndarray
    speaks: np.ndarray
    init: float | np.ndarray = 0.0
    share: float = 1.0

    @classmethod
    def of(cls, model: Any) -> PackedModel:
        trees = tuple(model._trees)
        ptr = starts_of(np.array([tree.n_nodes for tree in trees], OFFSET))
        boosted = hasattr(model, "init_")
        n_outputs = len(np.atleast_1d(model.init_)) if boosted else trees[0].value.shape[1]
        adds = np.zeros((ptr[-1], n_outputs))
        speaks = np.zeros((len(trees), n_outputs), np.bool_)
        scale = float(model._learning_rate) if boosted else 1.0
        for number, (tree, output) in enumerate(zip(trees, model._outputs, strict=True)):
            shared = tree.value.shape[1] > 1
            columns = slice(None) if shared else slice(max(output, 0), max(output, 0) + 1)
            adds[ptr[number] : ptr[number + 1], columns] = scale * tree.value
            speaks[number, columns] = True
        init = np.atleast_1d(model.init_).astype(float) if boosted else np.zeros(n_outputs)
        return cls(trees, ptr, adds, speaks, init, 1.0 if boosted else 1.0 / len(trees))

    @property
    def n_outputs(self) -> int:
        return self.adds.shape[1]

    @cached_property
    def fields(self) -> tuple[np.ndarray, ...]:
        pointer_depth = np.concatenate([tree.depth[tree.pointer] for tree in self.trees])
        before = [self._join(name) for name in _BEFORE]
        return (*before, pointer_depth.astype(np.int32), *(self._join(name) for name in _AFTER))

    @cached_property
    def depth(self) -> np.ndarray:
        return self._join("depth")

    def _join(self, name: str) -> np.ndarray:
        return np.concatenate([getattr(tree, name) for tree in self.trees])

    @cached_property
    def longest(self) -> int:
        """The length of the longest walk that any question takes."""
        return max(int(tree.walk_length.max()) for tree in self.trees)

    def columns(self) -> np.ndarray:
        """The feature columns that any question asks about."""
        return np.unique(np.concatenate([tree.column[~tree.is_leaf] for tree in self.trees]))

    def closed_walks(self) -> set[tuple[int, int]]:
        """(operator, length) of every question about closed walks."""
        length, kind = self._join("walk_length"), self._join("walk_type")
        nodes = np.flatnonzero((kind == CYCLE) & (length > 0))
        pairs = zip(self._join("operator")[nodes].tolist(), length[nodes].tolist(), strict=True)
        return set(pairs)


@dataclass(frozen=True, eq=False)
class PackedGraphs:
    """The graphs of a batch: vertices, operators end to end, and which edges make which entry."""

    edge_ptr: np.ndarray
    vertex_ptr: np.ndarray
    features: tuple[np.ndarray, ...]  # x_ptr, lane_ptr, lane_features, x
    operators: tuple[Any, ...]  # indptr, indices, weights, divisor, the middle, diagonal
    entries: tuple[np.ndarray, np.ndarray]  # the edges behind every entry of every operator
    entry_shares: np.ndarray  # the share of each of those edges in the size of its entry

    @classmethod
    def of(
        cls, flat: FlatGraphs, batch: Batch, model: PackedModel, workers: Workers
    ) -> PackedGraphs:
        lanes = batch.lanes_of(model.columns)
        *entries, shares = _edges_behind(flat, batch)
        return cls(
            flat.edge_ptr.astype(OFFSET),
            batch.vertex_ptr,
            (lanes.x_ptr, lanes.lane_ptr, lanes.lane_features, lanes.x),
            (*_stack(batch), *stack_middles(batch.operators), _diagonals(batch, model, workers)),
            (entries[0], entries[1]),
            shares,
        )


def _stack(batch: Batch) -> tuple[np.ndarray, ...]:
    """indptr and divisor by operator, the entries of all operators end to end."""
    shifts = starts_of(np.array([len(op.indices) for op in batch.operators]))
    divisor = np.ones((len(batch.operators), batch.n_vertices))
    for row, op in zip(divisor, batch.operators, strict=True):
        row[:] = op.divisor if len(op.divisor) else 1.0
    return (
        np.stack([op.indptr + shift for op, shift in zip(batch.operators, shifts, strict=False)]),
        np.concatenate([op.indices for op in batch.operators]),
        np.concatenate([op.weights for op in batch.operators]),
        divisor,
    )


def _diagonals(batch: Batch, model: PackedModel, workers: Workers) -> np.ndarray:
    asked = model.closed_walks()
    width = batch.n_vertices if asked else 0
    out = np.zeros((len(batch.operators), max(1, model.longest), width), np.float32)
    for operator, length in asked:
        out[operator, length - 1] = batch.diagonal(operator, length, workers)
    return out


def _edges_behind(flat: FlatGraphs, batch: Batch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(ptr, edges, shares): entry k of the stacked operators is made by edges[ptr[k]:ptr[k + 1]].

    Edges are numbered within their graph. Parallel edges share an entry, by the sizes of their
    weights; an undirected edge makes two, one for each way it is walked.
    """
    if any(op.has_middle for op in batch.operators):  # what is walked are vertices, not edges
        return np.zeros(1, OFFSET), np.empty(0, OFFSET), np.empty(0)
    number = np.arange(flat.n_edges, dtype=OFFSET)
    number -= np.repeat(flat.edge_ptr[:-1], np.diff(flat.edge_ptr))
    places, owners, sizes = [], [], []
    shift = 0
    for op in batch.operators:
        for chosen, size, rows, columns in _ways(flat, op.name):
            entry = _find(op, batch, rows, columns)
            places.append(entry[entry >= 0] + shift)
            owners.append(number[chosen][entry >= 0])
            sizes.append(size[entry >= 0])
        shift += len(op.indices)
    place, size = np.concatenate(places), np.concatenate(sizes)
    total = np.bincount(place, size, minlength=shift)[place]
    share = np.divide(size, total, out=np.zeros_like(size), where=total > 0)
    order = np.argsort(place, kind="stable")
    ptr = starts_of(np.bincount(place, minlength=shift))
    return ptr, np.concatenate(owners)[order], share[order]


Way = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _ways(flat: FlatGraphs, operator: str) -> list[Way]:
    """(edges, |weight|, row, column of the matrix) for each way an operator walks edges."""
    name = OperatorName.parse(operator)
    edges, weights = edges_of(flat, name.relation)
    size = np.ones(len(edges)) if weights is None else np.abs(weights).astype(float)
    start = np.repeat(flat.vertex_ptr[:-1], np.diff(flat.edge_ptr))[edges]
    source, target = flat.edges[:, edges] + start
    there, back = (edges, size, target, source), (edges, size, source, target)
    if not flat.directed:
        return [there, back]
    return [back if name.backwards else there]


def _find(op: Operator, batch: Batch, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The place of each (row, column) among the entries of an operator, -1 where there is none."""
    n = batch.n_vertices
    row_of = np.repeat(np.arange(n, dtype=OFFSET), np.diff(op.indptr))
    keys = row_of * n + batch.vertex_ptr[batch.graph_of[row_of]] + op.indices
    wanted = rows.astype(OFFSET) * n + columns
    place = np.searchsorted(keys, wanted)
    found = np.zeros(len(wanted), bool)
    inside = place < len(keys)
    found[inside] = keys[place[inside]] == wanted[inside]
    return np.where(found, place, -1)
