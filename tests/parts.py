"""One graph in parts: every worker gets some of its vertices and of its edges."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from communicators import run_workers

from graphtrees import Graph
from graphtrees._communicator import Communicator, Part, Share
from graphtrees.estimators.reach import steps_needed
from graphtrees.graphs import Vertices
from graphtrees.graphs.partition import EdgeRows, VertexRows, make_part


def part_of(
    graph: Graph, owner: np.ndarray, labelled: np.ndarray, n_steps: int, communicator: Communicator
) -> Part:
    """The labelled vertices that this worker owns, with their halo; edges arrive from anywhere."""
    flat, rank = graph._flat, communicator.rank
    own = np.flatnonzero(owner == rank)
    names = None if flat.vertex_names is None else flat.vertex_names[own]
    some = np.arange(rank, flat.n_edges, communicator.n_workers)
    ends = flat.edges.T[some]
    columns = (flat.edge_weights, flat.edge_types, flat.edge_features)
    edges = EdgeRows(some, ends, owner[ends], *(c if c is None else c[some] for c in columns))
    none = np.empty(0, np.int64)
    part, halo = make_part(
        VertexRows(own, flat.features[own], names), edges, flat.one(0).take(none),
        flat.n_vertices, n_steps, communicator,
    )  # fmt: skip
    mine = np.flatnonzero(owner[labelled] == rank)
    local = np.searchsorted(halo.numbers, labelled[mine])
    examples = Vertices(Graph._of(part).vertices.graphs, np.zeros_like(local), local)
    return Part(examples, Share(communicator, mine, len(labelled), halo))


def fit_parts(
    model: Any, graph: Graph, labelled: np.ndarray, y: Any, owner: np.ndarray, n_workers: int,
    **given: Any,
) -> list[Any]:  # fmt: skip
    """A copy of the model for each worker, fitted together; owner[v] has vertex v."""

    def fit(communicator: Communicator) -> Any:
        part = part_of(graph, owner, labelled, steps_needed(model), communicator)
        return copy.deepcopy(model).fit(part, y, **given)

    return run_workers(fit, n_workers)
