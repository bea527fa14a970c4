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
from graphtrees.candidates.operators import Operator, edges_of
from graphtrees.candidates.words import operator_parts
from graphtrees.graphs.flat import FlatGraphs, starts_of
from graphtrees.kernels.records import EdgeArrays, GraphArrays, OperatorArrays, Voices
from graphtrees.trees.packing import PackedTrees, pack
from graphtrees.trees.tree import Tree


@dataclass(frozen=True, eq=False)
class PackedModel:
    """The packed trees of a model, and what each of their nodes adds to each output.

    `adds[node, output]` is signed and scaled as in the decision function of boosting; for trees
    and forests it is the tree's own value. `speaks[tree, output]` tells who adds at all.
    """

    packed: PackedTrees
    adds: np.ndarray
    speaks: np.ndarray

    @classmethod
    def of(cls, model: Any) -> PackedModel:
        packed = pack(model._trees)
        trees, ptr = packed.trees, packed.ptr
        boosted = hasattr(model, "init_")
        n_outputs = len(np.atleast_1d(model.init_)) if boosted else trees[0].value.shape[1]
        adds = np.zeros((ptr[-1], n_outputs))
        speaks = np.zeros((len(trees), n_outputs), np.bool_)
        scale = float(model.learning_rate) if boosted else 1.0
        for number, (tree, output) in enumerate(zip(trees, model._outputs, strict=True)):
            shared = tree.value.shape[1] > 1
            columns = slice(None) if shared else slice(max(output, 0), max(output, 0) + 1)
            adds[ptr[number] : ptr[number + 1], columns] = scale * tree.value
            speaks[number, columns] = True
        return cls(packed, adds, speaks)

    @property
    def trees(self) -> tuple[Tree, ...]:
        return self.packed.trees

    @property
    def n_outputs(self) -> int:
        return self.adds.shape[1]

    @cached_property
    def voices(self) -> Voices:
        return Voices(self.speaks, np.abs(self.adds))


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


def _edges_behind(flat: FlatGraphs, batch: Batch) -> tuple[np.ndarray, np.ndarray]:
    """(ptr, edges): entry k of the stacked operators is made by the edges ptr[k]:ptr[k + 1].

    Edges are numbered within their graph. Parallel edges share an entry; an undirected edge makes
    two, one for each way it is walked.
    """
    if any(op.has_middle for op in batch.operators):  # what is walked are vertices, not edges
        return np.zeros(1, OFFSET), np.empty(0, OFFSET)
    number = np.arange(flat.n_edges, dtype=OFFSET)
    number -= np.repeat(flat.edge_ptr[:-1], np.diff(flat.edge_ptr))
    places, owners = [], []
    shift = 0
    for op in batch.operators:
        for chosen, rows, columns in _ways(flat, op.name):
            entry = _find(op, batch, rows, columns)
            places.append(entry[entry >= 0] + shift)
            owners.append(number[chosen][entry >= 0])
        shift += len(op.indices)
    place = np.concatenate(places)
    order = np.argsort(place, kind="stable")
    return starts_of(np.bincount(place, minlength=shift)), np.concatenate(owners)[order]


def _ways(flat: FlatGraphs, operator: str) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """(edges, row, column of the matrix) for each way in which an operator walks edges."""
    form, relation = operator_parts(operator)
    edges = edges_of(flat, relation)[0]
    start = np.repeat(flat.vertex_ptr[:-1], np.diff(flat.edge_ptr))[edges]
    source, target = flat.edges[:, edges] + start
    if not flat.directed:
        return [(edges, target, source), (edges, source, target)]
    return [(edges, source, target) if form == "reverse" else (edges, target, source)]


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
