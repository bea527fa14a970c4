"""Which features may be moved near 0 without changing the meaning of any question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphtrees._layout import SOURCE, SUM_OF
from graphtrees.ensembles.examples import Examples
from graphtrees.estimators.walk_lengths import walk_lengths
from graphtrees.graphs.precision import find_offsets
from graphtrees.questions.features import FeatureTable
from graphtrees.questions.plan import QuestionSpace

if TYPE_CHECKING:
    from graphtrees.estimators.base import GraphTreesEstimator


def offsets_of(
    model: GraphTreesEstimator, features: FeatureTable, questions: QuestionSpace, examples: Examples
) -> dict[int, float]:
    """What to subtract from each feature that float32 cannot hold to its own spread.

    Only from those that are compared with thresholds and nothing else: a sum of values less an
    offset is another sum.
    """
    compared = _only_compared(model, features, questions, examples.kind)
    return find_offsets(examples.flat, compared, examples.communicator)


def _only_compared(
    model: GraphTreesEstimator, features: FeatureTable, questions: QuestionSpace, kind: str
) -> Iterator[int]:
    """The features that no question adds up, and none sets to 0 outside of a subset."""
    if kind == "rows":
        yield from range(features.n_features)
        return
    if getattr(model, "init", None) == "linear":  # it adds up features over vertices
        return
    sums = questions.of_graphs and SUM_OF in questions.aggregators
    masks = not questions.of_graphs or SOURCE in questions.walk_types
    if not sums and not (masks and questions.max_ancestor_distance > 0):
        longest = walk_lengths(model.max_walk_length, features)
        places = zip(features.feature_of(), longest, strict=True)
        never_walked = {int(feature) for feature, length in places if length == 0}
        yield from sorted(never_walked & set(range(features.n_vertex_features)))
    yield from range(features.n_vertex_features, features.n_features)
