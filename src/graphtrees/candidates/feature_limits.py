"""Which questions may be asked about which features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees.candidates.plan import Plan


@dataclass(frozen=True)
class FeatureLimits:
    """For every column of the features, the longest walk that may carry it."""

    longest: np.ndarray

    @classmethod
    def none(cls, n_columns: int) -> FeatureLimits:
        """Every question about every feature."""
        return cls(np.full(n_columns, np.iinfo(np.int64).max))

    def allowed(self, plan: Plan) -> np.ndarray:
        """allowed[place, column]: whether the question may be asked about that feature."""
        return plan.walk_length[:, None] <= self.longest
