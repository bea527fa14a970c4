"""What one question computes: the masked walks, the vertex values, the value, the subsets."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from oracles.dense import DenseGraph, Example, is_exact, is_short_fraction, walks

WALK_TYPES = ("source", "cycle", "target", "target_source")
AGGREGATORS = ("sum", "mean", "min", "max")
OPERATORS = ("adjacency", "reverse", "mean")

# An engine in float32 may put two numbers this close, relatively, on either side of each other.
NOISE = 1e-5


class Question(NamedTuple):
    """Everything a split asks but its threshold."""

    feature: int
    operator: str | None
    walk_length: int
    pointer: int  # a node of the tree; the asking node itself means the whole graph
    sign: str | None
    walk_type: str
    aggregator: str | None  # None for a vertex example, and for a feature of the graph


class TooCloseError(Exception):
    """Rounding decides this comparison, so the definition alone does not say which side."""


def mask(walk_type: str, subset: np.ndarray) -> np.ndarray:
    """M(S): which entries of A^d stay. Rows are where walks end, columns where they start."""
    ends, starts = subset[:, None], subset[None, :]
    everything = np.ones((len(subset), len(subset)), dtype=bool)
    if walk_type == "source":
        return everything & starts
    if walk_type == "target":
        return everything & ends
    if walk_type == "target_source":
        return ends & starts
    if walk_type == "cycle":
        return np.diag(subset)
    raise ValueError(f"no such walk type: {walk_type}")


def masked_walks(graph: DenseGraph, question: Question, subset: np.ndarray) -> np.ndarray:
    """W = A^d ∘ M(S)."""
    if question.walk_length == 0:
        power = np.eye(graph.n_vertices)
    else:
        power = walks(graph, str(question.operator), question.walk_length)
    return np.where(mask(question.walk_type, subset), power, 0.0)


def vertex_values(graph: DenseGraph, question: Question, subset: np.ndarray) -> np.ndarray:
    """z = W f, NaN where missing: only at walk length 0, at vertices that W keeps."""
    walked = masked_walks(graph, question, subset)
    column = graph.features[:, question.feature]
    if question.walk_length == 0:
        return np.where(np.diag(walked) == 1.0, column, 0.0)
    return walked @ np.where(np.isnan(column), 0.0, column)


def aggregate(entries: np.ndarray, aggregator: str | None) -> float:
    """AGG over the entries that are not missing; missing where none is left."""
    present = entries[~np.isnan(entries)]
    if len(present) == 0:
        return np.nan
    if aggregator is None:  # a feature of the graph: every vertex knows it
        (same,) = set(present.tolist())
        return same
    if aggregator == "sum":
        return float(present.sum())
    if aggregator == "mean":
        return float(present.sum() / len(present))
    if aggregator == "min":
        return float(present.min())
    if aggregator == "max":
        return float(present.max())
    raise ValueError(f"no such aggregator: {aggregator}")


def value(example: Example, question: Question, subset: np.ndarray) -> float:
    """φ of a graph or a vertex, NaN where missing."""
    z = vertex_values(example.graph, question, subset)
    if example.vertex is not None:
        return float(z[example.vertex])
    if not subset.any():
        return np.nan
    entries = z if question.walk_type == "source" else z[subset]
    return aggregate(entries, question.aggregator)


def size_of_terms(example: Example, question: Question, subset: np.ndarray) -> float:
    """How large the numbers are that φ adds up: rounding goes by them, not by what is left."""
    operators = {name: np.abs(matrix) for name, matrix in example.graph.operators.items()}
    graph = replace(example.graph, features=np.abs(example.graph.features), operators=operators)
    largest = "max" if question.aggregator in ("min", "max") else question.aggregator
    return value(Example(graph, example.vertex), question._replace(aggregator=largest), subset)


def goes_right(phi: float, threshold: float, missing_goes: str) -> bool:
    """Left is always "≤"."""
    return missing_goes == "right" if np.isnan(phi) else bool(phi > threshold)


def made_subsets(
    graph: DenseGraph,
    question: Question,
    subset: np.ndarray,
    threshold: float,
    missing_goes: str,
) -> dict[str, np.ndarray]:
    """S+ and S-, the two parts of S on either side of θ, or of θ / |S| for a sum."""
    z = vertex_values(graph, question, subset)
    if question.aggregator == "sum" and subset.any():
        threshold = threshold / int(subset.sum())
    above = np.array([goes_right(entry, threshold, missing_goes) for entry in z], dtype=bool)
    if not values_are_exact(graph, question):
        refuse_noise(z[subset], threshold)
    return {"+": subset & above, "-": subset & ~above}


def values_are_exact(graph: DenseGraph, question: Question) -> bool:
    """Whether float32 holds every vertex value of this question as it is."""
    return question.walk_length == 0 or is_exact(graph, str(question.operator))


def value_is_exact(example: Example, question: Question, phi: float) -> bool:
    """The same for φ, where a mean may have left the short fractions."""
    if np.isnan(phi):
        return True
    whole = question.aggregator != "mean" or bool(is_short_fraction(np.array(phi)))
    return whole and values_are_exact(example.graph, question)


def refuse_noise(values: np.ndarray, threshold: float) -> None:
    """Raise where a value that may be rounded lies on the threshold."""
    present = values[~np.isnan(values)]
    near = np.abs(present - threshold) <= NOISE * max(1.0, abs(threshold))
    if near.any():
        raise TooCloseError(f"{present[near][0]!r} against the threshold {threshold!r}")
