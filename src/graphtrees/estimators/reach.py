"""What a model may ask where every worker has a part of one graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphtrees.ensembles.examples import Examples
from graphtrees.estimators.walk_lengths import longest_walk

if TYPE_CHECKING:
    from graphtrees.estimators.base import GraphTreesEstimator


def steps_needed(model: Any) -> int:
    """How far around its own vertices a worker has to know the graph.

    The neighbours are always needed: they are part of what a vertex is known by.
    """
    return max(1, longest_walk(model.max_walk_length))


def check_reach(model: GraphTreesEstimator, examples: Examples) -> None:
    """Refuse what cannot be told from parts of a graph."""
    if examples.halo is None:
        return
    if steps_needed(model) > examples.halo.n_steps:
        raise ValueError(
            f"max_walk_length={model.max_walk_length!r} is longer than the "
            f"{examples.halo.n_steps} steps around its vertices that each worker has of the graph"
        )
    if model.colours:
        raise ValueError(
            f"colours={model.colours!r} cannot be learned on a graph in parts: set colours=0, or "
            "train on one machine"
        )
