"""Which questions may be asked about which features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees._layout import MEAN_OF, NO_AGGREGATOR, SUM_OF
from graphtrees.candidates.plan import Plan


@dataclass(frozen=True)
class FeatureLimits:
    """For every column of the features, the longest walk that may carry it.

    The last n_colours columns are colours: they are counted, never walked.
    """

    longest: np.ndarray
    n_colours: int = 0

    @classmethod
    def none(cls, n_columns: int) -> FeatureLimits:
        """Every question about every feature."""
        return cls(np.full(n_columns, np.iinfo(np.int64).max))

    @property
    def n_columns(self) -> int:
        return len(self.longest)

    def allowed(self, plan: Plan) -> np.ndarray:
        """allowed[place, column]: whether the question may be asked about that feature."""
        allowed = plan.walk_length[:, None] <= self.longest
        counts = np.isin(plan.aggregator, [SUM_OF, MEAN_OF, NO_AGGREGATOR])
        allowed[:, self.n_columns - self.n_colours :] &= counts[:, None]
        return allowed
