"""Importance of the vertices and edges of many examples at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphtrees._threads import Workers
from graphtrees.candidates.batch import Batch
from graphtrees.explain.attributing import Attributed, attribute
from graphtrees.explain.jobs import SortedExamples
from graphtrees.explain.packing import PackedGraphs, PackedModel
from graphtrees.explain.reading import Explained, read_explained
from graphtrees.explain.target import Target, choose_target
from graphtrees.graphs.validation.arguments import as_word
from graphtrees.kernels import importance as kernels
from graphtrees.kernels.records import Sums

# Which definition of importance; the first is the default.
METHODS = ("attribution", "paper")


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
    attributed: Attributed | None = None
    begin: np.ndarray | None = None  # where examples stand before any tree, by output

    def vertex_importance(self, example: int) -> np.ndarray:
        return self.vertex[self.vertex_ptr[example] : self.vertex_ptr[example + 1]]

    def edge_importance(self, example: int) -> np.ndarray:
        return self.edge[self.edge_ptr[example] : self.edge_ptr[example + 1]]


def count(
    model: Any, X: Any, class_: Any = None, with_edges: bool = True, method: str = METHODS[0]
) -> Counted:
    """Importance of every vertex and edge for every example of X."""
    check_is_fitted(model)
    as_word(method, "method", METHODS)
    examples = read_explained(model, X)
    packed = PackedModel.of(model)
    target = choose_target(model, packed, examples.X, class_)
    begin = np.tile(getattr(model, "init_", np.zeros(packed.n_outputs)), (examples.n, 1))
    if model._start is not None:
        begin = model.start_values(examples.X)
    with model._workers() as workers:
        space = model._space
        batch = Batch.of(examples.flat, model._table, space.operators, adds_up=space.adds_up)
        graphs = PackedGraphs.of(examples.flat, batch, packed, workers)
        ordered = _sorted(examples, graphs, with_edges, workers)
        attributed = attribute(ordered, target, packed, graphs, with_edges, workers, begin)
        if method == "paper":
            counted = _count(examples, target, packed, graphs, with_edges, workers)
            return replace(counted, attributed=attributed, begin=begin)
    vertex, edge = np.abs(attributed.vertex), np.abs(attributed.edge)
    _normalise(vertex, ordered.vertex_ptr)
    _normalise(edge, ordered.edge_ptr)
    adds = _contributions(packed, attributed.leaves, target)
    return Counted(
        examples, target, packed, graphs, ordered.vertex_ptr, vertex, ordered.edge_ptr, edge,
        attributed.leaves, adds, attributed, begin,
    )  # fmt: skip


def _sorted(
    examples: Explained, graphs: PackedGraphs, with_edges: bool, workers: Workers
) -> SortedExamples:
    of, vertex_of = examples.graph_of, examples.vertex_of
    return SortedExamples.of(of, vertex_of, graphs, with_edges, workers.n_threads)


def _count(
    examples: Explained, target: Target, model: PackedModel, graphs: PackedGraphs,
    with_edges: bool, workers: Workers,
) -> Counted:  # fmt: skip
    """The paper's importance: how many of the subsets on the way hold a vertex, by rank."""
    ordered = _sorted(examples, graphs, with_edges, workers)
    vertex_ptr, edge_ptr = ordered.vertex_ptr, ordered.edge_ptr
    vertex, edge = np.zeros(vertex_ptr[-1]), np.zeros(edge_ptr[-1])
    edge_base = np.zeros(examples.n)
    leaves = np.full((examples.n, len(model.trees)), -1, np.int32)
    asked = ordered.asked_about(target)
    sums = Sums(ordered.vertex_start(), vertex, ordered.edge_start(), edge, edge_base, leaves)

    def run(start: int, stop: int) -> None:
        kernels.importance(
            ordered.some_jobs(start, stop), asked, graphs.graphs, graphs.operators, graphs.edges,
            model.packed.nodes, model.voices, with_edges, sums,
        )  # fmt: skip

    workers.each(run, workers.spans(ordered.n_jobs, at_least=1))
    edge += np.repeat(ordered.back(edge_base), np.diff(edge_ptr))
    _normalise(vertex, vertex_ptr)
    _normalise(edge, edge_ptr)
    back = ordered.back(leaves)
    adds = _contributions(model, back, target)
    return Counted(examples, target, model, graphs, vertex_ptr, vertex, edge_ptr, edge, back, adds)


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
