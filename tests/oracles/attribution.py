"""What every vertex and edge adds to a prediction, walk by walk along its paths."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from oracles.dense import DenseGraph, Example, relations_of, walks, weights_of
from oracles.importance import added_by, is_kept
from oracles.questions import (
    NOISE,
    Question,
    TooCloseError,
    masked_walks,
    values_are_exact,
    vertex_values,
)
from oracles.replay import Step, follow, trees_of

# What rounding leaves of a sum that is 0, as a share of its terms.
ROUNDING = 1e-10


@dataclass
class Attribution:
    """By vertex and by edge, and what neither has a part in."""

    vertex: np.ndarray
    edge: np.ndarray
    absence: float = 0.0
    no_walk: float = 0.0
    change: float = 0.0  # prediction − start


def attribution(
    frame: pd.DataFrame, example: Example, output: int | None, scale: float, graph: Any = None
) -> Attribution:
    """`scale` is what a tree's value counts for; without the `gt.Graph` edges stay out of it."""
    found = Attribution(np.zeros(example.graph.n_vertices), np.zeros(len(example.graph.edges)))
    for nodes in trees_of(frame):
        path = follow(nodes, example)
        for step in path.steps:
            before, after = (added_by(nodes, node, output) for node in (step.node, step.child))
            share_step(found, step, scale * (after - before), example, graph)
        ends = (added_by(nodes, node, output) for node in (0, path.leaf))
        start, end = ends
        found.change += scale * (end - start)
    return found


def share_step(found: Attribution, step: Step, amount: float, example: Example, graph: Any) -> None:
    if amount == 0.0:
        return
    parts = np.zeros(0) if np.isnan(step.phi) else vertex_parts(step, example)
    if parts.sum() == 0.0:
        found.absence += amount
        return
    found.vertex += amount * parts / parts.sum()
    if step.question.walk_length == 0:
        found.no_walk += amount
    elif graph is not None:
        carried = edge_parts(step, example, graph)
        found.edge += amount * carried / carried.sum()


def where_read(step: Step, example: Example) -> np.ndarray:
    """The vertices i whose z[i] φ is made of."""
    n, question = example.graph.n_vertices, step.question
    if example.vertex is not None:
        return np.arange(n) == example.vertex
    read = np.ones(n, bool) if question.walk_type == "source" else step.subset.copy()
    if question.aggregator in ("min", "max"):
        z = vertex_values(example.graph, question, step.subset)
        near = np.abs(z - step.phi) <= NOISE * max(1.0, abs(step.phi))
        if (read & near).sum() > 1 and not values_are_exact(example.graph, question):
            raise TooCloseError(f"several vertices may attain {step.phi!r}")
        read &= z == step.phi
    return read


def vertex_parts(step: Step, example: Example) -> np.ndarray:
    """|Σ_i W[i, j] f[j]| over the vertices i that φ is read at."""
    question, read = step.question, where_read(step, example)
    f = example.graph.features[:, question.feature]
    f = np.where(np.isnan(f), 0.0, f)
    kept = masked_walks(example.graph, question, step.subset)
    parts = np.abs(kept[read].sum(axis=0) * f)
    sizes = walk_sizes(example.graph, question) * (kept != 0)
    return np.where(parts <= ROUNDING * sizes[read].sum(axis=0) * np.abs(f), 0.0, parts)


def walk_sizes(graph: DenseGraph, question: Question) -> np.ndarray:
    """|A|^d."""
    if question.walk_length == 0:
        return np.eye(graph.n_vertices)
    matrix = np.abs(walks(graph, str(question.operator), 1))
    return np.linalg.matrix_power(matrix, question.walk_length)


def edge_parts(step: Step, example: Example, graph: Any) -> np.ndarray:
    """The sizes of the walks on each edge, a walk once for every step along the edge."""
    question, read = step.question, where_read(step, example)
    matrix = walks(example.graph, str(question.operator), 1)
    f = example.graph.features[:, question.feature]
    parts = np.zeros(graph.n_edges)
    for way in ways(matrix, question.walk_length):
        start, end = way[0], way[-1]
        if np.isnan(f[start]) or not read[end]:
            continue
        if not is_kept(question.walk_type, step.subset, start, end):
            continue
        size = abs(f[start])
        for u, v in pairwise(way):
            size *= abs(matrix[v, u])
        for u, v in pairwise(way):
            parts += size * shares_of_edges(graph, str(question.operator), u, v)
    return parts


def ways(matrix: np.ndarray, walk_length: int) -> list[list[int]]:
    """Every walk along entries that are not 0, as its vertices."""
    found = [[v] for v in range(len(matrix))]
    for _ in range(walk_length):
        found = [[*way, v] for way in found for v in np.flatnonzero(matrix[:, way[-1]]).tolist()]
    return found


def shares_of_edges(graph: Any, operator: str, u: int, v: int) -> np.ndarray:
    """The edges that lead from u to v, by the sizes of their weights."""
    form, _, rest = operator.partition(":")
    relation = rest if form in ("mean", "reverse") else operator
    weights = weights_of(graph) if relation in ("", "adjacency") else relations_of(graph)[relation]
    sizes = np.zeros(graph.n_edges)
    for edge, (source, target) in enumerate(graph.edge_index.T.tolist()):
        ends = (target, source) if form == "reverse" else (source, target)
        if ends == (u, v) or (not graph.directed and ends == (v, u)):
            sizes[edge] = abs(weights[edge])
    return sizes / sizes.sum()
