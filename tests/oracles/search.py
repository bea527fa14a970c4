"""Every legal split of a node, by trying them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from oracles.criteria import Criterion
from oracles.dense import DenseGraph, Example
from oracles.questions import (
    AGGREGATORS,
    NOISE,
    WALK_TYPES,
    Question,
    goes_right,
    value,
    values_are_exact,
)


@dataclass(frozen=True)
class Offer:
    """Which questions a split may ask; features count the constant."""

    n_features: int
    max_walk_length: int = 2
    max_ancestor_distance: int = 2
    walk_types: tuple[str, ...] = WALK_TYPES
    aggregators: tuple[str, ...] = AGGREGATORS
    operators: tuple[str, ...] = ("adjacency",)
    graph_features: tuple[int, ...] = ()  # those of the features that belong to whole graphs


@dataclass(frozen=True)
class Limits:
    """How far a tree may grow."""

    max_leaf_nodes: int | None = None
    max_depth: int | None = None
    min_samples_leaf: int = 1
    min_gain: float = 0.0


class Subset(NamedTuple):
    """One subset that a node may use, in every data graph that reaches it."""

    pointer: int
    distance: int  # 0: the node itself, so the whole graph
    sign: str | None
    masks: dict[DenseGraph, np.ndarray]


class Node(NamedTuple):
    """A node of the growing tree."""

    number: int
    depth: int
    rows: np.ndarray  # numbers of the examples that reach it
    subsets: tuple[Subset, ...]


class Split(NamedTuple):
    """A question with its threshold, and what it does to the rows of its node."""

    question: Question
    distance: int
    threshold: float
    missing_goes: str
    right: np.ndarray  # (len(rows),) bool
    gain: float


def whole_graphs(number: int, graphs) -> Subset:
    masks = {graph: np.ones(graph.n_vertices, dtype=bool) for graph in graphs}
    return Subset(number, 0, None, masks)


def for_these(offer: Offer, examples: Sequence[Example]) -> Offer:
    """Where every edge is walked both ways, walking backwards is the same operator again."""
    if any(example.graph.directed for example in examples):
        return offer
    names = [
        "adjacency" if name == "reverse" else name.removeprefix("reverse:")
        for name in offer.operators
    ]
    return replace(offer, operators=tuple(dict.fromkeys(names)))


def canonical(question: Question, whole: bool, offer: Offer) -> Question:
    """The smallest name of a question that has several (spec.md, "Same rule twice")."""
    walk_type, walk_length = question.walk_type, question.walk_length
    if walk_length == 0:
        # Only graphs tell the zeros outside a subset from the entries within it.
        same_as_source = whole or question.aggregator is None or walk_type == "source"
        walk_type = "source" if same_as_source else "cycle"
    elif whole and walk_type != "cycle":
        walk_type = "source"
    operator = offer.operators[0] if walk_length == 0 else question.operator
    return question._replace(walk_type=walk_type, operator=operator)


def walk_types_at(whole: bool, offer: Offer, for_vertices: bool) -> tuple[str, ...]:
    """Plain questions to the whole graph are always offered."""
    offered = [kind for kind in offer.walk_types if kind in WALK_TYPES[: 2 if for_vertices else 4]]
    if whole:
        return ("source", "cycle") if "cycle" in offered else ("source",)
    return tuple(offered)


def questions_at(node: Node, offer: Offer, for_vertices: bool) -> dict[Question, Subset]:
    """Each distinct question once, under its smallest name, with the subset that it uses."""
    found: dict[Question, Subset] = {}
    for subset in node.subsets:
        if subset.distance > offer.max_ancestor_distance:
            continue
        whole = subset.distance == 0
        for feature, operator, walk_length, walk_type, aggregator in product(
            range(offer.n_features),
            offer.operators,
            range(offer.max_walk_length + 1),
            walk_types_at(whole, offer, for_vertices),
            (None,) if for_vertices else offer.aggregators,
        ):
            if feature in offer.graph_features:
                continue
            question = Question(
                feature, operator, walk_length, subset.pointer, subset.sign, walk_type, aggregator
            )
            found[canonical(question, whole, offer)] = subset
        for feature in offer.graph_features if whole else ():
            pointer, operator = subset.pointer, offer.operators[0]
            found[Question(feature, operator, 0, pointer, None, "source", None)] = subset
    return found


def values_at(
    question: Question, subset: Subset, examples: Sequence[Example], rows: np.ndarray
) -> np.ndarray:
    return np.array([value(examples[r], question, subset.masks[examples[r].graph]) for r in rows])


def thresholds(values: np.ndarray, tolerance: float) -> list[float]:
    """Midway between neighbouring distinct values; closer than the tolerance is not distinct."""
    ordered = np.sort(values[~np.isnan(values)])
    return [(low + high) / 2 for low, high in pairwise(ordered) if high - low > tolerance]


def tolerance_of(question: Question, graphs, values: np.ndarray) -> float:
    """How far apart rounding may have put equal values."""
    present = values[~np.isnan(values)]
    size = max(1.0, float(np.abs(present).max())) if len(present) else 1.0
    exact = all(values_are_exact(graph, question) for graph in graphs)
    return size * (1e-9 if exact else NOISE)


def settle(
    values: np.ndarray,
    threshold: float,
    rows: np.ndarray,
    criterion: Criterion,
    limits: Limits,
) -> tuple[str, np.ndarray, float] | None:
    """Where missing goes, who goes right and the gain; None where no side is legal."""
    outcomes: list[tuple[float, str, np.ndarray]] = []
    heavy = heavier_side(values, threshold, rows, criterion)
    other = "left" if heavy == "right" else "right"
    for side in (heavy, other) if np.isnan(values).any() else (heavy,):
        right = np.array([goes_right(phi, threshold, side) for phi in values])
        if min(right.sum(), (~right).sum()) >= limits.min_samples_leaf:
            outcomes.append((criterion.gain(rows[~right], rows[right]), side, right))
    if not outcomes:
        return None
    # Equal gains leave the heavier side, which comes first.
    gain, side, right = outcomes[0]
    if len(outcomes) == 2 and outcomes[1][0] > gain + 1e-12 * abs(gain):
        gain, side, right = outcomes[1]
    return side, right, gain


def heavier_side(values, threshold: float, rows: np.ndarray, criterion: Criterion) -> str:
    """The side with more training weight, missing values left out; left where they are equal."""
    left, right = weights_of_sides(values, threshold, rows, criterion)
    return "right" if right > left else "left"


def weights_of_sides(
    values, threshold: float, rows: np.ndarray, criterion: Criterion
) -> tuple[float, float]:
    weight = criterion.weight[rows]
    present = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        above = present & (values > threshold)
    return float(weight[present & ~above].sum()), float(weight[above].sum())


def every_split(
    node: Node,
    examples: Sequence[Example],
    offer: Offer,
    criterion: Criterion,
    limits: Limits,
) -> Iterator[Split]:
    """Every question with every threshold that leaves both sides large enough."""
    if len(node.rows) < 2 * limits.min_samples_leaf:
        return
    for_vertices = examples[node.rows[0]].vertex is not None
    graphs = {examples[r].graph for r in node.rows}
    for question, subset in questions_at(node, offer, for_vertices).items():
        values = values_at(question, subset, examples, node.rows)
        for threshold in thresholds(values, tolerance_of(question, graphs, values)):
            settled = settle(values, threshold, node.rows, criterion, limits)
            if settled is not None:
                side, right, gain = settled
                yield Split(question, subset.distance, threshold, side, right, gain)


def order(split: Split, offer: Offer) -> tuple:
    """Equal gains go to the smallest of these. The sign is in no rule; it comes last here.

    A feature of the graph counts as the largest value of its vertices.
    """
    question = split.question
    aggregator = "max" if question.feature in offer.graph_features else question.aggregator
    return (
        split.distance,
        question.walk_length,
        offer.operators.index(str(question.operator)),
        WALK_TYPES.index(question.walk_type),
        -1 if aggregator is None else AGGREGATORS.index(aggregator),
        question.feature,
        split.threshold,
        question.sign or "",
    )


def best_split(splits: Sequence[Split], offer: Offer) -> Split | None:
    """The largest gain; among equals the simplest."""
    if not splits:
        return None
    top = max(split.gain for split in splits)
    equals = [split for split in splits if split.gain >= top - 1e-12 * abs(top)]
    return min(equals, key=lambda split: order(split, offer))
