"""`colours` and `colour_features`: neighbourhoods as further features."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graphtrees._communicator import Communicator
from graphtrees.ensembles.examples import Examples
from graphtrees.graphs.flat import FlatGraphs
from graphtrees.questions.colour_learning import learn_colours
from graphtrees.questions.colour_values import colour_values, features_with_few_values
from graphtrees.questions.features import FeatureTable
from graphtrees.validation.examples import feature_number

if TYPE_CHECKING:
    from graphtrees.estimators.base import GraphTreesEstimator


def with_colours(
    estimator: GraphTreesEstimator, table: FeatureTable, examples: Examples
) -> FeatureTable:
    """The same features and the colours that enough examples hold."""
    flat, communicator = examples.flat, examples.communicator
    features = _chosen(flat, table, estimator.colour_features, communicator)
    values = colour_values(flat, features, table.categories)
    learned = learn_colours(
        flat, values, features, int(estimator.colours), int(estimator.min_samples_leaf),
        examples.vertices, communicator,
    )  # fmt: skip
    return replace(table, colours=learned)


def _chosen(
    flat: FlatGraphs, table: FeatureTable, asked: Any, communicator: Communicator
) -> tuple[int, ...]:
    """The features that say what a vertex is."""
    if isinstance(asked, str) and asked == "auto":
        with_few = features_with_few_values(flat, table.categories, communicator)
        return tuple(feature for feature in with_few if not table.is_of_graphs(feature))
    listed = [asked] if isinstance(asked, (str, int)) else list(asked)
    chosen = sorted({feature_number(flat, one, "colour_features") for one in listed})
    for feature in chosen:
        if table.is_of_graphs(feature):
            raise ValueError(
                f"colour_features names {table.name(feature)!r}, a graph feature; colours are made "
                "of what vertices differ in"
            )
    return tuple(chosen)
