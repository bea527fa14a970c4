"""Which questions may be asked about which features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees._layout import AGGREGATORS, MAX_OF, MEAN_OF, NO_AGGREGATOR, SUM_OF
from graphtrees.questions.plan import Plan


@dataclass(frozen=True)
class FeatureLimits:
    """For every column of the features, the longest walk that may carry it.

    The last n_colours columns are colours: they are counted, never walked. Columns that are
    `of_graphs` have the same value at all vertices of a graph: one question reads it. The others
    are asked with `aggregators` alone.
    """

    longest: np.ndarray
    of_graphs: np.ndarray
    n_colours: int = 0
    aggregators: tuple[int, ...] = tuple(range(len(AGGREGATORS)))

    @classmethod
    def none(cls, n_columns: int) -> FeatureLimits:
        """Every question about every feature."""
        longest = np.full(n_columns, np.iinfo(np.int64).max)
        return cls(longest, np.zeros(n_columns, bool))

    @property
    def n_columns(self) -> int:
        return len(self.longest)

    @property
    def has_graph_features(self) -> bool:
        return bool(self.of_graphs.any())

    def allowed(self, plan: Plan) -> np.ndarray:
        """allowed[place, column]: whether the question may be asked about that feature."""
        allowed = plan.walk_length[:, None] <= self.longest
        allowed &= np.isin(plan.aggregator, [*self.aggregators, NO_AGGREGATOR])[:, None]
        counts = np.isin(plan.aggregator, [SUM_OF, MEAN_OF, NO_AGGREGATOR])
        allowed[:, self.n_columns - self.n_colours :] &= counts[:, None]
        reads = (plan.walk_length == 0) & np.isin(plan.aggregator, [MAX_OF, NO_AGGREGATOR])
        allowed[:, self.of_graphs] = (reads & (not plan.on_subset))[:, None]
        return allowed
