"""A question that a split may ask, and the words for it."""

from __future__ import annotations

from dataclasses import dataclass

from graphtrees._layout import (
    AGGREGATORS,
    CYCLE,
    NO_AGGREGATOR,
    SIGNS,
    SOURCE,
    TARGET,
    TARGET_SOURCE,
    WALK_TYPES,
)


@dataclass(frozen=True)
class Question:
    """Everything about a split but its threshold.

    `column` is the encoded feature column, `distance` how many edges up the tree the subset comes
    from (0: the whole graph), `sign` which of the two subsets made there.
    """

    column: int
    operator: int
    walk_length: int
    distance: int
    sign: int
    walk_type: int
    aggregator: int


_STEPS = {
    "adjacency": "walks",
    "reverse": "backward walks",
    "mean": "averaging walks",
}
_AGGREGATED = {"sum": "total", "mean": "mean", "min": "smallest", "max": "largest"}


def in_words(
    feature: str,
    category: object,
    operator: str,
    walk_length: int,
    walk_type: int,
    aggregator: int,
    sign: int,
    pointer: int,
) -> str:
    """One question as a phrase, such as 'total of age over walks of length 1 from S+ of node 0'."""
    what = f"[{feature} = {category}]" if category is not None else feature
    if feature == "1":
        what = "1"
    subset = f"S{SIGNS[sign]} of node {pointer}" if sign else ""
    phrase = _walk_phrase(what, operator, walk_length, walk_type, subset)
    if aggregator == NO_AGGREGATOR:
        return phrase
    over = ""
    if subset and walk_type != SOURCE:
        over = f" over the vertices in {subset}"
    return f"{_AGGREGATED[AGGREGATORS[aggregator]]} of {phrase}{over}"


def _walk_phrase(what: str, operator: str, walk_length: int, walk_type: int, subset: str) -> str:
    if walk_length == 0:
        return f"{what}, counted within {subset}" if subset and walk_type == SOURCE else what
    steps = _STEPS.get(operator, f"walks along {operator}")
    path = f"{what} along {steps} of length {walk_length}"
    if walk_type == CYCLE:
        path = f"{what} along closed {steps} of length {walk_length}"
    if not subset or walk_type == TARGET:
        return path
    if walk_type in (SOURCE, TARGET_SOURCE):
        return f"{path} that start in {subset}"
    return path


def type_name(walk_type: int) -> str:
    return WALK_TYPES[walk_type]
