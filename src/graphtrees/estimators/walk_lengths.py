"""`max_walk_length`: one number for all features, or one for each."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import numpy as np

from graphtrees.estimators.other_names import did_you_mean
from graphtrees.questions.features import FeatureTable

DEFAULT = 2  # of features that a dict does not name


def longest_walk(value: Any) -> int:
    """The longest walk that any feature may take."""
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Mapping):
        return max([DEFAULT, *map(int, value.values())])
    return max(map(int, value), default=0)


def walk_lengths(value: Any, table: FeatureTable) -> np.ndarray:
    """The longest walk of every column of the features; colours are never walked."""
    longest = longest_walk(value)
    by_feature = np.full(table.n_features + 1 + table.n_colours, longest)
    if isinstance(value, Mapping):
        by_feature[:] = DEFAULT
        for feature, length in value.items():
            by_feature[_place(feature, table)] = length
    elif not isinstance(value, Integral):
        n_features = table.n_vertex_features
        if len(value) != n_features:
            of_vertices = " of vertices" if table.n_graph_features else ""
            raise ValueError(
                f"max_walk_length has {len(value)} numbers; X has {n_features} features"
                f"{of_vertices}: give one for each, or a dict from features to numbers"
            )
        by_feature[:n_features] = value
    by_feature[table.n_features + 1 :] = 0
    return by_feature[table.feature_of()]


def _place(feature: Any, table: FeatureTable) -> int:
    names = [table.name(f) for f in range(table.n_features)]
    place = names.index(feature) if isinstance(feature, str) and feature in names else feature
    if isinstance(place, Integral) and 0 <= int(place) < table.n_features:
        if table.is_of_graphs(place):
            raise ValueError(
                f"max_walk_length names {feature!r}, a graph feature, which is never walked; "
                "leave it out"
            )
        return int(place)
    hint = did_you_mean(str(feature), names)
    raise ValueError(
        f"max_walk_length names the feature {feature!r}, which X does not have{hint}. "
        f"X has {table.n_features} features: {', '.join(names[:5])}"
        + (", ..." if len(names) > 5 else "")
    )
