"""A batch of graphs, as the kernels of importance read it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees._layout import OFFSET
from graphtrees._threads import Workers
from graphtrees.columns.arrays import graph_arrays, stacked_operators
from graphtrees.columns.batch import Batch
from graphtrees.graphs.flat import FlatGraphs, starts_of
from graphtrees.kernels.records import EdgeArrays, GraphArrays, OperatorArrays
from graphtrees.questions.operator_name import OperatorName
from graphtrees.questions.operators import Operator, edges_of
from graphtrees.trees.packing import PackedTrees


@dataclass(frozen=True, eq=False)
class PackedGraphs:
    """The graphs of a batch: values, operators end to end, and which edges make which entry."""

    graphs: GraphArrays
    operators: OperatorArrays
    edges: EdgeArrays

    @classmethod
    def of(
        cls, flat: FlatGraphs, batch: Batch, packed: PackedTrees, workers: Workers
    ) -> PackedGraphs:
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
    is_entry = np.zeros(len(wanted), bool)
    inside = place < len(keys)
    is_entry[inside] = keys[place[inside]] == wanted[inside]
    return np.where(is_entry, place, -1)
