"""Where a tree stops growing."""

from __future__ import annotations

from dataclasses import dataclass

# See docs/defaults.md: 31 leaves are better on 4,000 graphs, 10 on a few hundred.
SMALLEST_AUTO, LARGEST_AUTO, EXAMPLES_A_LEAF = 10, 31, 100


@dataclass(frozen=True)
class GrowthLimits:
    """Where a tree stops growing; None is no limit."""

    max_leaf_nodes: int | None = None
    max_depth: int | None = None
    min_samples_leaf: int = 1
    min_gain: float = 0.0
    ccp_alpha: float = 0.0

    def deepest_split(self, n_examples: int) -> int:
        """The largest depth that a split-node can have among so many examples."""
        leaves = min(n_examples, self.max_leaf_nodes or n_examples)
        depth = leaves - 2 if self.max_depth is None else min(leaves - 2, self.max_depth - 1)
        return max(0, depth)


def fitting_leaves(n_examples: int) -> int:
    """`max_leaf_nodes="auto"`: larger trees where there are enough examples for them."""
    return min(LARGEST_AUTO, max(SMALLEST_AUTO, n_examples // EXAMPLES_A_LEAF))
