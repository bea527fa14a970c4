"""Warnings about features that `fit` can use, but from which little will come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphtrees._warnings import warn_user
from graphtrees.ensembles.examples import Examples
from graphtrees.graphs.identifiers import find_odd_texts
from graphtrees.graphs.precision import find_collapses, find_edge_collapses
from graphtrees.questions.features import FeatureTable

if TYPE_CHECKING:
    from graphtrees.estimators.base import GraphTreesEstimator


def warn_of_features(
    estimator: GraphTreesEstimator, table: FeatureTable, examples: Examples
) -> None:
    """Name the features that float32 cannot tell apart, and text that holds names or dates.

    Who lists `categorical_features` means them.
    """
    flat, n_graph_features = examples.flat, len(examples.graph_features)
    collapses = find_collapses(flat, table.categories, table.offsets, n_graph_features)
    if "relations" in estimator.operators:
        collapses += find_edge_collapses(flat)
    chosen = estimator.categorical_features
    by_type = isinstance(chosen, str) and chosen == "from_dtype"
    odd_texts = find_odd_texts(flat, n_graph_features) if by_type else []
    for text in [one.text for one in collapses] + [one.text for one in odd_texts]:
        warn_user(text)
