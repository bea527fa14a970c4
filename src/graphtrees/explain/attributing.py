"""Signed shares of vertices and edges in what a model says about many examples at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees._threads import Workers
from graphtrees.ensembles.fitted import AddedValues
from graphtrees.explain.jobs import SortedExamples
from graphtrees.explain.packing import PackedGraphs
from graphtrees.explain.target import Target
from graphtrees.kernels import attribution as kernels
from graphtrees.kernels.records import Shares


@dataclass(frozen=True, eq=False)
class Attributed:
    """What every vertex and edge adds to what is explained; laid out as in `Counted`.

    `absence[e]` is the sum of the steps that no vertex had a part in, `no_walk[e]` that of steps
    whose questions follow no edge. `start[e]` is what is said before any question and `raw[e]`
    what is said in the end: the decision function of boosting, else the mean of the trees.
    """

    vertex: np.ndarray
    edge: np.ndarray
    absence: np.ndarray
    no_walk: np.ndarray
    start: np.ndarray
    raw: np.ndarray
    leaves: np.ndarray


def attribute(
    ordered: SortedExamples, target: Target, model: AddedValues, graphs: PackedGraphs,
    with_edges: bool, workers: Workers, init: np.ndarray,
) -> Attributed:  # fmt: skip
    """Share every step of every path; see docs/explanations.md for the definition.

    `init` is where each example stands before any tree, (n_examples, n_outputs).
    """
    n = len(ordered.order)
    knows_edges = with_edges and len(graphs.edges.entry_edges) > 0
    vertex, edge = np.zeros(ordered.vertex_ptr[-1]), np.zeros(ordered.edge_ptr[-1])
    leaves = np.full((n, len(model.packed.trees)), -1, np.int32)
    asked = ordered.asked_about(target)
    shares = Shares(
        ordered.vertex_start(), vertex, ordered.edge_start(), edge, np.zeros(n), np.zeros(n), leaves
    )

    def run(start: int, stop: int) -> None:
        kernels.attribute(
            ordered.some_jobs(start, stop), asked, graphs.graphs, graphs.operators, graphs.edges,
            model.packed.nodes, model.signed_contributions, knows_edges, shares,
        )  # fmt: skip

    workers.each(run, workers.spans(ordered.n_jobs, at_least=1))
    sign = target.sign
    vertex *= np.repeat(sign, np.diff(ordered.vertex_ptr))
    edge *= np.repeat(sign, np.diff(ordered.edge_ptr))
    leaves = ordered.back(leaves)
    start, raw = _ends(model, leaves, target, init)
    absence, no_walk = (sign * ordered.back(of) for of in (shares.absence, shares.no_walk))
    return Attributed(vertex, edge, absence, no_walk, start, raw, leaves)


def _ends(
    model: AddedValues, leaves: np.ndarray, target: Target, init: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What is said before the first question and after the last one."""
    reached, init = leaves >= 0, init[np.arange(len(leaves)), target.output]
    at_root = model.adds[model.packed.ptr[:-1]][:, target.output].T
    at_leaf = model.adds[model.packed.ptr[:-1] + np.maximum(leaves, 0), target.output[:, None]]
    start, raw = (
        init + model.share * np.where(reached, added, 0.0).sum(axis=1)
        for added in (at_root, at_leaf)
    )
    return target.sign * start, target.sign * raw
