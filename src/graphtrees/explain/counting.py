"""Importance of the vertices and edges of many examples at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees._threads import Workers
from graphtrees.columns.making import make_batch
from graphtrees.ensembles.fitted import AddedValues, FittedTrees
from graphtrees.ensembles.prediction import start_values, with_trees
from graphtrees.explain.attributing import Attributed, attribute
from graphtrees.explain.jobs import SortedExamples
from graphtrees.explain.packing import PackedGraphs
from graphtrees.explain.reading import Explained, read_explained
from graphtrees.explain.target import Target, choose_target
from graphtrees.graphs.validation.arguments import as_word
from graphtrees.kernels import importance as kernels
from graphtrees.kernels.records import Sums
from graphtrees.trees.routing import Router

# Which definition of importance; the first is the default.
METHODS = ("attribution", "paper")


@dataclass(frozen=True, eq=False)
class Counted:
    """Example e owns vertex[vertex_ptr[e]:vertex_ptr[e + 1]], which sums to 1, and so its edges.

    `contributions[e, tree]` is what the tree adds to the explained output, signed.
    """

    examples: Explained
    target: Target
    graphs: PackedGraphs
    vertex_ptr: np.ndarray
    vertex: np.ndarray
    edge_ptr: np.ndarray
    edge: np.ndarray
    attributed: Attributed
    contributions: np.ndarray
    begin: np.ndarray  # where examples stand before any tree, by output


def count(
    fitted: FittedTrees, X: Any, class_: Any, workers: Workers, method: str = METHODS[0],
    with_edges: bool = True,
) -> Counted:  # fmt: skip
    """Importance of every vertex and edge for every example of X, which is read once."""
    as_word(method, "method", METHODS)
    examples, questions, added = read_explained(fitted, X), fitted.questions, fitted.added
    begin = start_values(fitted, examples.examples)
    batch = make_batch(
        examples.flat, fitted.features, questions.operators, adds_up=questions.adds_up,
        workers=workers,
    )  # fmt: skip
    router = Router(batch, examples.examples.vertices, workers)
    target = choose_target(fitted, with_trees(fitted, router, begin), class_)
    graphs = PackedGraphs.of(examples.flat, batch, fitted.packed, workers)
    ordered = SortedExamples.of(
        examples.graph_of, examples.vertex_of, graphs, with_edges, workers.n_threads
    )
    attributed = attribute(ordered, target, added, graphs, with_edges, workers, begin)
    if method == "paper":
        vertex, edge = rank_subsets(ordered, target, added, graphs, with_edges, workers)
    else:
        vertex, edge = np.abs(attributed.vertex), np.abs(attributed.edge)
    _normalise(vertex, ordered.vertex_ptr)
    _normalise(edge, ordered.edge_ptr)
    return Counted(
        examples, target, graphs, ordered.vertex_ptr, vertex, ordered.edge_ptr, edge, attributed,
        _contributions(added, attributed.leaves, target), begin,
    )  # fmt: skip


def rank_subsets(
    ordered: SortedExamples, target: Target, added: AddedValues, graphs: PackedGraphs,
    with_edges: bool, workers: Workers,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """The paper's importance of vertices and edges: how many subsets on the way hold them."""
    n = len(ordered.order)
    vertex, edge = np.zeros(ordered.vertex_ptr[-1]), np.zeros(ordered.edge_ptr[-1])
    edge_base, leaves = np.zeros(n), np.full((n, len(added.packed.trees)), -1, np.int32)
    asked = ordered.asked_about(target)
    sums = Sums(ordered.vertex_start(), vertex, ordered.edge_start(), edge, edge_base, leaves)

    def run(start: int, stop: int) -> None:
        kernels.importance(
            ordered.some_jobs(start, stop), asked, graphs.graphs, graphs.operators, graphs.edges,
            added.packed.nodes, added.contributions, with_edges, sums,
        )  # fmt: skip

    workers.each(run, workers.spans(ordered.n_jobs, at_least=1))
    edge += np.repeat(ordered.back(edge_base), np.diff(ordered.edge_ptr))
    return vertex, edge


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


def _contributions(model: AddedValues, leaves: np.ndarray, target: Target) -> np.ndarray:
    nodes = model.packed.ptr[:-1] + np.maximum(leaves, 0)
    adds = model.adds[nodes, target.output[:, None]] * target.sign[:, None]
    return np.where(leaves >= 0, adds, 0.0)
