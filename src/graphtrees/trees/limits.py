"""Where a tree stops growing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GrowthLimits:
    """Where a tree stops growing; None is no limit."""

    max_leaf_nodes: int | None = None
    max_depth: int | None = None
    min_samples_leaf: int = 1
    min_gain: float = 0.0
    ccp_alpha: float = 0.0
