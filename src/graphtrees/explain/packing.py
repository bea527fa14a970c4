"""A fitted model and a batch of graphs, as the kernels of importance read them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from graphtrees._layout import OFFSET
from graphtrees._threads import Workers
from graphtrees.candidates.arrays import graph_arrays, stacked_operators
from graphtrees.candidates.batch import Batch
from graphtrees.candidates.operator_name import OperatorName
from graphtrees.candidates.operators import Operator, edges_of
from graphtrees.graphs.flat import FlatGraphs, starts_of
from graphtrees.kernels.records import EdgeArrays, GraphArrays, OperatorArrays, Voices
from graphtrees.trees.packing import PackedTrees, pack
from graphtrees.trees.tree import Tree


def added_values(model: Any, tree: Tree) -> np.ndarray:
    """What each node of a tree adds to the prediction: its value, in boosting after the learning
    rate. Wherever people read what a leaf says, it is this."""
    return tree.value * float(model._learning_rate) if hasattr(model, "init_") else tree.value


@dataclass(frozen=True, eq=False)
class PackedModel:
    """The packed trees of a model, and what each of their nodes adds to each output.

    `adds[node, output]` is signed and scaled as in the decision function of boosting; for trees
    and forests it is the tree's own value, which counts for `share` in the mean of all trees.
    `speaks[tree, output]` tells who adds at all.
    """

    packed: PackedTrees
    adds: np.ndarray
    speaks: np.ndarray
    share: float = 1.0

    @classmethod
    def of(cls, model: Any) -> PackedModel:
        packed = pack(model._trees)
        trees, ptr = packed.trees, packed.ptr
        boosted = hasattr(model, "init_")
        n_outputs = len(np.atleast_1d(model.init_)) if boosted else trees[0].value.shape[1]
        adds = np.zeros((ptr[-1], n_outputs))
        speaks = np.zeros((len(trees), n_outputs), np.bool_)
        for number, (tree, output) in enumerate(zip(trees, model._outputs, strict=True)):
            shared = tree.value.shape[1] > 1
            columns = slice(None) if shared else slice(max(output, 0), max(output, 0) + 1)
            adds[ptr[number] : ptr[number + 1], columns] = added_values(model, tree)
            speaks[number, columns] = True
        return cls(packed, adds, speaks, 1.0 if boosted else 1.0 / len(trees))

    @property
    def trees(self) -> tuple[Tree, ...]:
        return self.packed.trees

    @property
    def n_outputs(self) -> int:
        return self.adds.shape[1]

    @cached_property
    def voices(self) -> Voices:
        """How much each tree says, whatever the sign."""
        return Voices(self.speaks, np.abs(self.adds))

    @cached_property
    def signed_voices(self) -> Voices:
        """What each tree adds to what the model says."""
        return Voices(self.speaks, self.share * self.adds)


@dataclass(frozen=True, eq=False)
class PackedGraphs:
    """The graphs of a batch: values, operators end to end, and which edges make which entry."""

    graphs: GraphArrays
    operators: OperatorArrays
    edges: EdgeArrays

    @classmethod
    def of(
        cls, flat: FlatGraphs, batch: Batch, model: PackedModel, workers: Workers
    ) -> PackedGraphs:
        packed = model.packed
        lanes = batch.lanes_of(lambda: np.array(packed.every_column()))
        return cls(
            graph_arrays(batch, lanes),
            stacked_operators(batch, packed.closed_walks, packed.longest, workers),
            EdgeArrays(flat.edge_ptr.astype(OFFSET), *_edges_behind(flat, batch)),
        )

    @property
    def vertex_ptr(self) -> np.ndarray:
        return self.graphs.vertex_ptr

    @property
    def edge_ptr(self) -> np.ndarray:
        return self.edges.edge_ptr


def _edges_behind(flat: FlatGraphs, batch: Batch) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(ptr, edges, shares): entry k of the stacked operators is made by edges[ptr[k]:ptr[k + 1]].

    Edges are numbered within their graph. Parallel edges share an entry, by the sizes of their
    weights; an undirected edge makes two, one for each way it is walked.
    """
    if any(op.has_endpoints for op in batch.operators):  # what is walked are vertices, not edges
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
