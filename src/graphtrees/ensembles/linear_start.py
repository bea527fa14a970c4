"""A linear model on features and smoothed features, which boosted trees start from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees.ensembles.examples import Examples
from graphtrees.ensembles.linear_columns import linear_blocks, stacked
from graphtrees.questions.features import FeatureTable


def n_linear_columns(kind: str, n_columns: int, n_steps: int) -> int:
    """How many columns the linear model has: for graphs a sum and a mean of each."""
    return n_columns * (n_steps + 1) * (2 if kind == "graphs" else 1)


@dataclass(frozen=True, eq=False)
class LinearStart:
    """What the linear model adds to `init_`: its columns times `coef`.

    Attributes
    ----------
    n_steps : int
        The columns are the features after 0 to `n_steps` steps along edges: neighbour means of
        vertices and edges, sums and means over the walks of a graph.
    strength : float
        The factor of the penalty, chosen by cross-validation.
    fill : ndarray of shape (n_columns,)
        What stands for missing values: the mean of each encoded feature.
    coef : ndarray of shape (n_linear_columns, n_outputs)
    """

    n_steps: int
    strength: float
    fill: np.ndarray
    coef: np.ndarray

    text = "a linear model"

    def raw(self, features: FeatureTable, examples: Examples) -> np.ndarray:
        """What is added for each example, (n_examples, n_outputs)."""
        columns = stacked(linear_blocks(features, examples, self.fill, self.n_steps))
        return np.asarray(columns @ self.coef)

    def __repr__(self) -> str:
        return f"LinearStart(n_steps={self.n_steps}, strength={self.strength:g})"
