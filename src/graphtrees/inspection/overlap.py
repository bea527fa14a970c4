"""What training and test examples have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees.graphs.hashing import mix
from graphtrees.inspection.target import Target


@dataclass(frozen=True)
class Overlap:
    """Test examples that training has seen."""

    n_test: int
    n_shared: int  # test examples that are training examples as well
    n_alike: int  # test examples that no 1-WL method tells from some training example
    shown: list[int]  # some of the shared ones, by their number in the test part
    unknown_classes: list[Any]  # in the test part but not in training


def describe_overlap(
    same: tuple[np.ndarray, np.ndarray],
    looks: tuple[np.ndarray, np.ndarray],
    targets: tuple[Target | None, Target | None],
) -> Overlap:
    """Compare words for training and for test examples."""
    shared = np.isin(same[1], same[0])
    train, test = targets
    unknown: list[Any] = []
    if train is not None and test is not None and train.task == "classification":
        unknown = [name for name in test.names if name not in train.names]
    return Overlap(
        n_test=len(same[1]),
        n_shared=int(shared.sum()),
        n_alike=int(np.isin(looks[1], looks[0]).sum()),
        shown=np.flatnonzero(shared)[:5].tolist(),
        unknown_classes=unknown,
    )


def words_of_places(layouts: np.ndarray, graph_of: np.ndarray, part_of: np.ndarray) -> np.ndarray:
    """One word for a vertex or edge as a place in a graph: which graph, and which of its parts."""
    return mix(layouts[graph_of] ^ mix(part_of))
