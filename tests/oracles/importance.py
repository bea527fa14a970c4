"""Which vertices and edges a prediction rests on, by counting them out along its paths."""

from __future__ import annotations

import numpy as np
import pandas as pd

from oracles.dense import DenseGraph, Example
from oracles.replay import Nodes, Path, Step, follow, trees_of


def vertex_importance(frame: pd.DataFrame, example: Example, output: int | None = None):
    """Σ_T |y_T| 2^(−r_T(i)) over its sum; `output` picks the class that is explained."""
    return _importance(frame, example, output, vertex_counts)


def edge_importance(frame: pd.DataFrame, example: Example, output: int | None = None):
    """The same for the edges of the graph, in the order in which they were given."""
    return _importance(frame, example, output, edge_counts)


def vertex_counts(path: Path, example: Example) -> np.ndarray:
    """n(i): the split-nodes on the path whose used subset holds i."""
    counts = np.zeros(example.graph.n_vertices, dtype=int)
    for step in path.steps:
        counts += step.subset
    return counts


def edge_counts(path: Path, example: Example) -> np.ndarray:
    """The split-nodes on the path that use each edge."""
    counts = np.zeros(len(example.graph.edges), dtype=int)
    for step in path.steps:
        for edge in used_edges(step, example):
            counts[edge] += 1
    return counts


def used_edges(step: Step, example: Example) -> set[int]:
    """The edges on some walk that the masked matrix keeps and that ends where φ is read."""
    question = step.question
    used: set[int] = set()
    if question.walk_length == 0:
        return used
    backwards = question.operator == "reverse"
    for vertices, edges in walks_of(example.graph, question.walk_length, backwards):
        kept = is_kept(question.walk_type, step.subset, vertices[0], vertices[-1])
        if kept and example.vertex in (None, vertices[-1]):
            used |= set(edges)
    return used


def is_kept(walk_type: str, subset: np.ndarray, start: int, end: int) -> bool:
    if walk_type == "source":
        return bool(subset[start])
    if walk_type == "target":
        return bool(subset[end])
    if walk_type == "target_source":
        return bool(subset[start] and subset[end])
    return bool(start == end and subset[start])


def walks_of(graph: DenseGraph, walk_length: int, backwards: bool):
    """Every walk of that length, as its vertices and the numbers of its edges."""
    found: list[tuple[list[int], list[int]]] = [([v], []) for v in range(graph.n_vertices)]
    for _ in range(walk_length):
        found = [
            ([*vertices, onward], [*edges, edge])
            for vertices, edges in found
            for onward, edge in steps_from(graph, vertices[-1], backwards)
        ]
    return found


def steps_from(graph: DenseGraph, vertex: int, backwards: bool) -> list[tuple[int, int]]:
    """Where one edge leads from a vertex, and that edge's number."""
    onward = []
    for number, (source, target) in enumerate(graph.edges):
        if backwards:
            source, target = target, source
        if source == vertex:
            onward.append((target, number))
        elif target == vertex and not graph.directed:
            onward.append((source, number))
    return onward


def ranks(counts: np.ndarray) -> np.ndarray:
    """1 for the largest count; equal counts share the smaller rank."""
    return np.array([1 + int((counts > count).sum()) for count in counts], dtype=float)


def _importance(frame: pd.DataFrame, example: Example, output: int | None, count) -> np.ndarray:
    total = np.zeros(len(count(Path((), 0), example)))
    for nodes in trees_of(frame):
        path = follow(nodes, example)
        size = abs(added_by(nodes, path.leaf, output))
        total += size * 2.0 ** -ranks(count(path, example))
    if total.sum() == 0.0:  # no tree adds anything: nothing tells the vertices apart
        return np.full(len(total), 1.0 / max(len(total), 1))
    return total / total.sum()


def added_by(nodes: Nodes, leaf: int, output: int | None) -> float:
    """y_T: what the tree adds to the prediction of the explained class."""
    said = np.atleast_1d(nodes[leaf]["value"])
    if len(said) > 1:
        return float(said[output])
    return float(said[0]) if output in (None, int(nodes[0]["output"])) else 0.0
