"""A data graph as dense matrices, written from the definitions and from nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np


@dataclass(frozen=True, eq=False)
class DenseGraph:
    """Features with the constant last, one square matrix per operator, and the edge list."""

    features: np.ndarray  # (n, k) float64, NaN is missing
    # name -> (n, n), entry [i, j] carries j's value to i
    operators: Mapping[str, np.ndarray] = field(repr=False)
    edges: tuple[tuple[int, int], ...]  # (source, target), as given
    directed: bool

    @property
    def n_vertices(self) -> int:
        return len(self.features)


class Example(NamedTuple):
    """A whole graph, or one of its vertices."""

    graph: DenseGraph
    vertex: int | None = None


def dense(graph: Any, constant: bool = True) -> DenseGraph:
    """Read a `gt.Graph` through its public attributes."""
    n = graph.n_vertices
    edges = tuple((int(s), int(t)) for s, t in np.asarray(graph.edge_index).T)
    weights = np.ones(len(edges)) if graph.edge_weights is None else graph.edge_weights
    features = np.zeros((n, 0)) if graph.features is None else np.asarray(graph.features)
    if constant:
        features = np.hstack([features, np.ones((n, 1))])
    operators = operators_of(n, edges, weights, graph.directed)
    return DenseGraph(features.astype(np.float64), operators, edges, bool(graph.directed))


def operators_of(n: int, edges, weights, directed: bool) -> dict[str, np.ndarray]:
    """adjacency: A[i, j] sums the weights of the edges j -> i; reverse: its transpose;
    mean: the rows of A divided by the sum of their absolute entries, 0 without any."""
    adjacency = np.zeros((n, n))
    for (source, target), weight in zip(edges, weights, strict=True):
        adjacency[target, source] += weight
        if not directed and source != target:
            adjacency[source, target] += weight
    mean = np.zeros((n, n))
    for i in range(n):
        if np.abs(adjacency[i]).sum() > 0:
            mean[i] = adjacency[i] / np.abs(adjacency[i]).sum()
    return {"adjacency": adjacency, "reverse": adjacency.T.copy(), "mean": mean}


@lru_cache(maxsize=4096)
def walks(graph: DenseGraph, operator: str, walk_length: int) -> np.ndarray:
    """A^d, by repeated multiplication from the identity."""
    power = np.eye(graph.n_vertices)
    for _ in range(walk_length):
        power = graph.operators[operator] @ power
    return power


@lru_cache(maxsize=4096)
def is_exact(graph: DenseGraph, operator: str) -> bool:
    """Whether every entry is a short binary fraction, so that float32 holds its walks exactly."""
    return bool(is_short_fraction(graph.operators[operator]).all())


def is_short_fraction(values: np.ndarray) -> np.ndarray:
    """Whole numbers of 1/256: exact in float32 as long as they are not large."""
    scaled = np.asarray(values) * 256.0
    return scaled == np.round(scaled)
