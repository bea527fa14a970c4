"""Importance of the vertices and edges of many examples at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphtrees._layout import OFFSET
from graphtrees._threads import Workers
from graphtrees.candidates.batch import Batch
from graphtrees.explain.packing import PackedGraphs, PackedModel
from graphtrees.explain.reading import Explained, read_explained
from graphtrees.explain.target import Target, choose_target
from graphtrees.graphs.flat import starts_of
from graphtrees.kernels import importance as kernels
from graphtrees.kernels.records import AskedAbout, Jobs, Sums


@dataclass(frozen=True, eq=False)
class Counted:
    """Example e owns vertex[vertex_ptr[e]:vertex_ptr[e + 1]], which sums to 1, and so its edges.

    `leaves[e, tree]` is where each example ends, -1 where the tree does not speak for the explained
    output; `contributions[e, tree]` is what the tree adds to it, signed.
    """

    examples: Explained
    target: Target
    model: PackedModel
    graphs: PackedGraphs
    vertex_ptr: np.ndarray
    vertex: np.ndarray
    edge_ptr: np.ndarray
    edge: np.ndarray
    leaves: np.ndarray
    contributions: np.ndarray

    def vertex_importance(self, example: int) -> np.ndarray:
        return self.vertex[self.vertex_ptr[example] : self.vertex_ptr[example + 1]]

    def edge_importance(self, example: int) -> np.ndarray:
        return self.edge[self.edge_ptr[example] : self.edge_ptr[example + 1]]


def count(model: Any, X: Any, class_: Any = None, with_edges: bool = True) -> Counted:
    """Importance of every vertex and edge for every example of X."""
    check_is_fitted(model)
    examples = read_explained(model, X)
    packed = PackedModel.of(model)
    target = choose_target(model, packed, examples.X, class_)
    with model._workers() as workers:
        space = model._space
        batch = Batch.of(examples.flat, model._table, space.operators, adds_up=space.adds_up)
        graphs = PackedGraphs.of(examples.flat, batch, packed, workers)
        return _count(examples, target, packed, graphs, with_edges, workers)


def _count(
    examples: Explained, target: Target, model: PackedModel, graphs: PackedGraphs,
    with_edges: bool, workers: Workers,
) -> Counted:  # fmt: skip
    graph_of = examples.graph_of
    order = np.argsort(graph_of, kind="stable")
    vertex_ptr = starts_of(np.diff(graphs.vertex_ptr)[graph_of])
    edge_ptr = starts_of(np.diff(graphs.edge_ptr)[graph_of] * with_edges)
    vertex, edge = np.zeros(vertex_ptr[-1]), np.zeros(edge_ptr[-1])
    edge_base = np.zeros(examples.n)
    leaves = np.full((examples.n, len(model.trees)), -1, np.int32)
    jobs = _jobs(graph_of[order], workers.n_threads)
    asked = AskedAbout(examples.vertex_of[order], target.output[order])
    sums = Sums(vertex_ptr[:-1][order], vertex, edge_ptr[:-1][order], edge, edge_base, leaves)

    def run(start: int, stop: int) -> None:
        mine = Jobs(*(field[start:stop] for field in jobs))
        kernels.importance(
            mine, asked, graphs.graphs, graphs.operators, graphs.edges, model.packed.nodes,
            model.voices, with_edges, sums,
        )  # fmt: skip

    workers.each(run, workers.spans(len(jobs.graph), at_least=1))
    back = np.empty_like(leaves)
    back[order] = leaves
    base = np.empty_like(edge_base)
    base[order] = edge_base
    edge += np.repeat(base, np.diff(edge_ptr))
    _normalise(vertex, vertex_ptr)
    _normalise(edge, edge_ptr)
    adds = _contributions(model, back, target)
    return Counted(examples, target, model, graphs, vertex_ptr, vertex, edge_ptr, edge, back, adds)


def _jobs(graph_of: np.ndarray, n_threads: int) -> Jobs:
    """Stretches of examples of one graph, cut where threads would idle."""
    starts = np.flatnonzero(np.r_[True, np.diff(graph_of) != 0][: len(graph_of)])
    if len(starts) < n_threads:
        at_most = max(1, -(-len(graph_of) // n_threads))
        starts = np.union1d(starts, np.arange(0, len(graph_of), at_most))
    stops = np.r_[starts[1:], len(graph_of)][: len(starts)]
    return Jobs(graph_of[starts].astype(OFFSET), starts.astype(OFFSET), stops.astype(OFFSET))


def _normalise(sums: np.ndarray, ptr: np.ndarray) -> None:
    """Make every stretch sum to 1; where no tree adds anything, nothing tells its items apart."""
    sizes = np.diff(ptr)
    filled = np.flatnonzero(sizes)
    totals = np.zeros(len(sizes))
    if len(filled):
        totals[filled] = np.add.reduceat(sums, ptr[filled])
    mute = np.repeat(totals == 0, sizes)
    sums[mute] = 1.0
    totals[totals == 0] = sizes[totals == 0]
    sums /= np.repeat(totals, sizes)


def _contributions(model: PackedModel, leaves: np.ndarray, target: Target) -> np.ndarray:
    nodes = model.packed.ptr[:-1] + np.maximum(leaves, 0)
    adds = model.adds[nodes, target.output[:, None]] * target.sign[:, None]
    return np.where(leaves >= 0, adds, 0.0)
