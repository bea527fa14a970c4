"""Numbers and categories of whole graphs: one row for each graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees.graphs.labels import recode, unite


@dataclass(frozen=True, eq=False)
class GraphFeatures:
    """Checked values, (n_graphs, n_columns); a categorical column holds codes of its labels."""

    values: np.ndarray
    names: tuple[str, ...]
    categories: dict[int, tuple]

    def __post_init__(self) -> None:
        self.values.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        # Through the constructor, so that what comes back is read-only again.
        return GraphFeatures, (self.values, self.names, self.categories)

    def take(self, graphs: np.ndarray | slice) -> GraphFeatures:
        """Those of some graphs."""
        return GraphFeatures(self.values[graphs], self.names, self.categories)

    def is_categorical(self, column: int) -> bool | None:
        """None where all values are missing, so that nobody can tell."""
        if column not in self.categories and np.isnan(self.values[:, column]).all():
            return None
        return column in self.categories


def join_graph_features(parts: Sequence[GraphFeatures]) -> GraphFeatures:
    """The rows of all parts, which have the same columns, with one list of labels for all."""
    values = np.concatenate([part.values for part in parts])
    sizes = [len(part.values) for part in parts]
    categories = {}
    for column in sorted(set().union(*(part.categories for part in parts))):
        labels, start, table = unite([part.categories.get(column, ()) for part in parts])
        categories[column] = labels
        values[:, column] = recode(values[:, column], np.repeat(start, sizes), table)
    return GraphFeatures(values, parts[0].names, categories)
