"""A question that a split may ask."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """Everything about a split but its threshold; `words` has the phrases for it.

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
