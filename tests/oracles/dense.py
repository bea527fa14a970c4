"""A data graph as dense matrices, written from the definitions and from nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

Labels = Mapping[int, Sequence[Any]]  # feature -> its labels, in order


@dataclass(frozen=True, eq=False)
class DenseGraph:
    """Features with the constant last, one square matrix per operator, and the edge list."""

    features: np.ndarray  # (n, k) float64, NaN is missing
    # name -> (n, n), entry [i, j] carries j's value to i
    operators: Mapping[str, np.ndarray] = field(repr=False)
    edges: tuple[tuple[int, int], ...]  # (source, target), as given
    directed: bool
    # (feature, label) of each column, the label None for numbers; empty: column k is feature k
    columns: tuple[tuple[int, Any], ...] = field(default=(), repr=False)
    of_graph: tuple[int, ...] = ()  # columns that belong to the graph, not to its vertices

    @property
    def n_vertices(self) -> int:
        return len(self.features)


class Example(NamedTuple):
    """A whole graph, or one of its vertices."""

    graph: DenseGraph
    vertex: int | None = None


def dense(graph: Any, constant: bool = True, labels: Labels | None = None) -> DenseGraph:
    """Read a `gt.Graph` through its public attributes.

    `labels` are those that a model knows of its categorical features.
    """
    n = graph.n_vertices
    edges = tuple((int(s), int(t)) for s, t in np.asarray(graph.edge_index).T)
    cells = table_of(graph)
    n_of_vertices = len(cells)
    cells += [[value] * n for value in graph.graph_features.values()]
    features, columns = encode(n, cells, labels or {}, constant)
    of_graph = tuple(k for k, (f, _) in enumerate(columns) if n_of_vertices <= f < len(cells))
    operators = operators_of(n, edges, weights_of(graph), graph.directed)
    for name, weights in relations_of(graph).items():
        operators |= forms_of(name, incoming(n, edges, weights, graph.directed))
    return DenseGraph(features, operators, edges, bool(graph.directed), columns, of_graph)


def table_of(graph: Any) -> list[list[Any]]:
    """The features one by one: numbers, or labels with None where missing."""
    if graph.features is None or graph.n_features == 0:
        return []
    columns = []
    for k, column in enumerate(np.asarray(graph.features, dtype=float).T):
        known = graph.categories.get(k)
        if known is None:
            columns.append(column.tolist())
        else:
            columns.append([None if np.isnan(code) else known[int(code)] for code in column])
    return columns


def encode(
    n_vertices: int, cells: list[list[Any]], labels: Labels, constant: bool
) -> tuple[np.ndarray, tuple]:
    """One column a number; one a label, 1 at the vertices that carry it; the constant last."""
    pieces, columns = [], []
    for k, cell in enumerate(cells):
        if k in labels:
            pieces += [[float(value == label) for value in cell] for label in labels[k]]
            columns += [(k, label) for label in labels[k]]
        else:
            pieces.append(cell)
            columns.append((k, None))
    if constant:
        pieces.append([1.0] * n_vertices)
        columns.append((len(cells), None))
    return np.array(pieces, dtype=np.float64).reshape(len(pieces), n_vertices).T, tuple(columns)


def weights_of(graph: Any) -> np.ndarray:
    n_edges = graph.edge_index.shape[1]
    return np.ones(n_edges) if graph.edge_weights is None else np.asarray(graph.edge_weights)


def relations_of(graph: Any) -> dict[str, np.ndarray]:
    """The weight of every edge in each relation, 0 where it has no part in it.

    An edge type keeps the weights of its edges; a column of edge features is its own weights.
    """
    relations = {}
    if graph.edge_types is not None:
        types = np.array([str(label) for label in graph.edge_types], dtype=object)
        for label in sorted(set(types)):
            relations[label] = np.where(types == label, weights_of(graph), 0.0)
    for k, name in enumerate(graph.edge_feature_names):
        relations[name] = np.asarray(graph.edge_features)[:, k]
    return relations


def operators_of(n: int, edges, weights, directed: bool) -> dict[str, np.ndarray]:
    """The operators of all edges together: adjacency, and reverse and mean of it."""
    operators = forms_of("adjacency", incoming(n, edges, weights, directed))
    return operators | {form: operators[f"{form}:adjacency"] for form in ("reverse", "mean")}


def incoming(n: int, edges, weights, directed: bool) -> np.ndarray:
    """A[i, j] sums the weights of the edges j -> i."""
    matrix = np.zeros((n, n))
    for (source, target), weight in zip(edges, weights, strict=True):
        matrix[target, source] += weight
        if not directed and source != target:
            matrix[source, target] += weight
    return matrix


def forms_of(name: str, matrix: np.ndarray) -> dict[str, np.ndarray]:
    """The matrix; reverse: its transpose; mean: its rows divided by the sum of their absolute
    entries, 0 without any."""
    mean = np.zeros_like(matrix)
    for i, row in enumerate(matrix):
        if np.abs(row).sum() > 0:
            mean[i] = row / np.abs(row).sum()
    return {name: matrix, f"reverse:{name}": matrix.T.copy(), f"mean:{name}": mean}


@lru_cache(maxsize=4096)
def walks(graph: DenseGraph, operator: str, walk_length: int) -> np.ndarray:
    """A^d, by repeated multiplication from the identity; a relation without edges is 0."""
    none = np.zeros((graph.n_vertices, graph.n_vertices))
    power = np.eye(graph.n_vertices)
    for _ in range(walk_length):
        power = graph.operators.get(operator, none) @ power
    return power


@lru_cache(maxsize=4096)
def is_exact(graph: DenseGraph, operator: str) -> bool:
    """Whether every entry is a short binary fraction, so that float32 holds its walks exactly."""
    return bool(is_short_fraction(graph.operators.get(operator, np.zeros(0))).all())


def is_short_fraction(values: np.ndarray) -> np.ndarray:
    """Whole numbers of 1/256: exact in float32 as long as they are not large."""
    scaled = np.asarray(values) * 256.0
    return scaled == np.round(scaled)
