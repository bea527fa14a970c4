"""Signed shares of vertices and edges in what a model says about many examples at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees._threads import Workers
from graphtrees.explain.jobs import Jobs
from graphtrees.explain.packing import PackedGraphs, PackedModel
from graphtrees.explain.target import Target
from graphtrees.kernels import attribution as kernels


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
    jobs: Jobs, target: Target, model: PackedModel, graphs: PackedGraphs, with_edges: bool,
    workers: Workers,
) -> Attributed:  # fmt: skip
    """Share every step of every path; see docs/explanations.md for the definition."""
    n, order = len(jobs.order), jobs.order
    knows_edges = with_edges and len(graphs.entries[1]) > 0
    vertex, edge = np.zeros(jobs.vertex_ptr[-1]), np.zeros(jobs.edge_ptr[-1])
    leaves = np.full((n, len(model.trees)), -1, np.int32)
    shares = kernels.Shares(
        jobs.vertex_ptr[:-1][order], vertex, jobs.edge_ptr[:-1][order], edge, np.zeros(n),
        np.zeros(n), leaves,
    )  # fmt: skip
    ops = kernels.Operators(*graphs.operators, *graphs.entries, graphs.entry_shares)
    nodes = kernels.Nodes(*model.fields, model.depth, model.share * model.adds)

    def run(start: int, stop: int) -> None:
        kernels.attribute(
            *(part[start:stop] for part in jobs.stretches), jobs.vertex_of[order],
            target.output[order], graphs.vertex_ptr, graphs.edge_ptr, *graphs.features, ops,
            model.ptr, nodes, model.speaks, int(model.depth.max()), model.longest, knows_edges,
            shares,
        )  # fmt: skip

    workers.each(run, workers.spans(len(jobs.stretches[0]), at_least=1))
    sign = target.sign
    vertex *= np.repeat(sign, np.diff(jobs.vertex_ptr))
    edge *= np.repeat(sign, np.diff(jobs.edge_ptr))
    found = jobs.back(leaves)
    start, raw = _ends(model, found, target)
    absence, no_walk = sign * jobs.back(shares.absence), sign * jobs.back(shares.no_walk)
    return Attributed(vertex, edge, absence, no_walk, start, raw, found)


def _ends(model: PackedModel, leaves: np.ndarray, target: Target) -> tuple[np.ndarray, np.ndarray]:
    """What is said before the first question and after the last one."""
    speaks, init = leaves >= 0, (np.zeros(model.n_outputs) + model.init)[target.output]
    at_root = model.adds[model.ptr[:-1]][:, target.output].T
    at_leaf = model.adds[model.ptr[:-1] + np.maximum(leaves, 0), target.output[:, None]]
    start, raw = (
        init + model.share * np.where(speaks, added, 0.0).sum(axis=1)
        for added in (at_root, at_leaf)
    )
    return target.sign * start, target.sign * raw
