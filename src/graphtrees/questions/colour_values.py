"""What the vertices are that colours tell apart: the values of some features."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from graphtrees._layout import VALUE
from graphtrees.graphs.flat import FlatGraphs, dense
from graphtrees.questions.fitted_labels import fitted_places

MOST_VALUES = 32  # distinct whole values of a number that may colour vertices


def colour_values(
    flat: FlatGraphs, features: tuple[int, ...], categories: dict[int, tuple]
) -> np.ndarray:
    """The values of some features as colours read them: categories by their place as fitted."""
    given: Any = flat.features
    given = given.tocsc() if sparse.issparse(given) else given
    columns = np.empty((flat.n_vertices, len(features)), np.float64)
    for k, feature in enumerate(features):
        column = dense(given[:, [feature]])[:, 0].astype(VALUE).astype(np.float64)
        if feature in categories:
            column = fitted_places(column, flat.categories.get(feature), categories[feature])
        columns[:, k] = column
    return columns


def features_with_few_values(flat: FlatGraphs, categories: dict[int, tuple]) -> tuple[int, ...]:
    """Categorical features, and numbers that take few whole values."""
    given: Any = flat.features
    given = given.tocsc() if sparse.issparse(given) else given
    chosen = []
    for feature in range(flat.n_features):
        if feature not in categories:
            column = dense(given[:, [feature]])[:, 0]
            values = np.unique(column[~np.isnan(column)])
            if len(values) > MOST_VALUES or (values != np.floor(values)).any():
                continue
        chosen.append(feature)
    return tuple(chosen)
