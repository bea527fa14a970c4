"""Which features may be moved near 0 without changing the meaning of any question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphtrees._layout import SOURCE, SUM_OF
from graphtrees.estimators.reading import Examples
from graphtrees.estimators.walk_lengths import walk_lengths
from graphtrees.graphs.precision import find_offsets


def offsets_of(model: Any, examples: Examples) -> dict[int, float]:
    """What to subtract from each feature that float32 cannot hold to its own spread.

    Only from those that are compared with thresholds and nothing else: a sum of values less an
    offset is another sum.
    """
    return find_offsets(examples.flat, _only_compared(model, examples.kind))


def _only_compared(model: Any, kind: str) -> Iterator[int]:
    """The features that no question adds up, and none sets to 0 outside of a subset."""
    table, space = model._table, model._space
    if kind == "rows":
        yield from range(table.n_features)
        return
    if getattr(model, "init", None) == "linear":  # it adds up features over vertices
        return
    sums = space.of_graphs and SUM_OF in space.aggregators
    masks = not space.of_graphs or SOURCE in space.walk_types
    if not sums and not (masks and space.max_ancestor_distance > 0):
        longest = walk_lengths(model.max_walk_length, table)
        places = zip(table.feature_of(), longest, strict=True)
        never_walked = {int(feature) for feature, length in places if length == 0}
        yield from sorted(never_walked & set(range(table.n_vertex_features)))
    yield from range(table.n_vertex_features, table.n_features)
