"""What the vertices are that colours tell apart: the values of some features."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from graphtrees._communicator import ALONE, Communicator
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
        column += 0.0  # -0.0 is 0.0
        if feature in categories:
            column = fitted_places(column, flat.categories.get(feature), categories[feature])
        columns[:, k] = column
    return columns


def features_with_few_values(
    flat: FlatGraphs, categories: dict[int, tuple], communicator: Communicator = ALONE
) -> tuple[int, ...]:
    """Categorical features, and numbers that take few whole values."""
    given: Any = flat.features
    given = given.tocsc() if sparse.issparse(given) else given
    numbers = [feature for feature in range(flat.n_features) if feature not in categories]
    few = communicator.all_gather([_few_values(dense(given[:, [f]])[:, 0]) for f in numbers])
    coloured = set(categories)
    for feature, parts in zip(numbers, zip(*few, strict=True), strict=True):
        known = [values for values in parts if values is not None]
        if len(known) == len(parts) and len(np.unique(np.concatenate(known))) <= MOST_VALUES:
            coloured.add(feature)
    return tuple(sorted(coloured))


def _few_values(column: np.ndarray) -> np.ndarray | None:
    """The distinct values; None where they are many, or not whole."""
    values = np.unique(column[~np.isnan(column)])
    if len(values) > MOST_VALUES or (values != np.floor(values)).any():
        return None
    return values
