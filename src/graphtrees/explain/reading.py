"""The examples to explain: in which graph each lies, and what they look like to their owner."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graphtrees._layout import OFFSET
from graphtrees.ensembles.examples import Examples
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.graphs import Graph, Graphs, as_examples
from graphtrees.graphs.flat import FlatGraphs
from graphtrees.validation.examples import read_examples


@dataclass(frozen=True, eq=False)
class Explained:
    """`examples.flat` is what the questions are asked of: for edge examples the line graphs.

    `vertex_of` is the asked vertex within its graph, -1 for a whole graph; `owner` holds the graphs
    as the user knows them, in the same order.
    """

    examples: Examples
    owner: Graphs
    graph_of: np.ndarray
    vertex_of: np.ndarray

    @property
    def kind(self) -> str:
        return self.examples.kind

    @property
    def flat(self) -> FlatGraphs:
        return self.examples.flat

    @property
    def n(self) -> int:
        return len(self.graph_of)


def read_explained(fitted: FittedTrees, X: Any) -> Explained:
    """Check X as `predict` does; a lone `Graph` is one example."""
    if isinstance(X, Graph):
        if fitted.kind != "graphs":
            raise ValueError(
                f"{fitted.estimator} was fitted on {fitted.kind}; got a Graph. "
                "Say which one is meant: g.vertices[0], g.edges[0]."
            )
        X = Graphs([X])
    read = read_examples(fitted, X)
    if read.kind == "rows":
        read = replace(read, flat=_rows_apart(read.flat))
    if read.vertices is None:
        graph_of = np.arange(read.flat.n_graphs, dtype=OFFSET)
        vertex_of = np.full(len(graph_of), -1, OFFSET)
    else:
        vertices = np.asarray(read.vertices, OFFSET)
        graph_of = np.searchsorted(read.flat.vertex_ptr, vertices, side="right") - 1
        vertex_of = vertices - read.flat.vertex_ptr[graph_of]
    return Explained(read, _owner(read), graph_of.astype(OFFSET), vertex_of.astype(OFFSET))


def _owner(read: Examples) -> Graphs:
    if read.kind == "rows":
        return Graphs._of(read.flat)
    examples = as_examples(read.given)
    if isinstance(examples, Graphs):
        return examples
    return examples.graphs[np.unique(examples.graph_of)]


def _rows_apart(flat: FlatGraphs) -> FlatGraphs:
    """Rows of a table know nothing of each other: each becomes a graph of its own."""
    n = flat.n_vertices
    ptr, none = np.arange(n + 1, dtype=OFFSET), np.zeros(n + 1, OFFSET)
    return replace(flat, vertex_ptr=ptr, edge_ptr=none)
