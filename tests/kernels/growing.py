"""Trees grown on small graphs, vertices and edges. Run as a program, it writes them to a file."""

from __future__ import annotations

import sys
from itertools import product
from typing import Any

import numpy as np

from graphtrees.kernels.histograms import ENTROPY, GINI, NEWTON
from graphtrees.trees.criterion import Criterion, Statistics
from graphtrees.trees.grower import Draws, grow_tree
from graphtrees.trees.limits import GrowthLimits
from graphtrees.trees.training_data import TrainingData
from kernels.builders import KINDS, edge_data, some_data

CRITERIA = {
    "newton": Criterion(NEWTON, l2=0.5),
    "newton with a least hessian": Criterion(NEWTON, min_hessian=1.0),
    "newton, two outputs": Criterion(NEWTON),
    "gini": Criterion(GINI),
    "entropy": Criterion(ENTROPY),
}


def some_statistics(name: str, n: int, rng: np.random.Generator) -> Statistics:
    weight = rng.choice((0.5, 1.0, 2.0), n)
    if name in ("gini", "entropy"):
        return Statistics.classes(rng.integers(0, 3, n), 3, weight)
    shape = n, 2 if "two" in name else 1
    return Statistics.newton(rng.normal(size=shape), rng.choice((0.25, 0.5, 1.0), shape), weight)


ABOUT = ("graphs", "vertices", "edges")
NAMES = ("signed whole numbers", "few of many features", "reals")
BINS = {"exact": None, "255 bins": 255, "3 bins": 3}
# What chance has a say in: (questions of a node, whether it chooses among equal gains).
DRAWS: dict[str, tuple[Any, bool]] = {
    "all questions": (None, False),
    "half of them": (0.5, True),
    "seven of them": (7, True),
}
# Everything with everything on real numbers; the other kinds take other ways of adding up.
SETTINGS = (
    *product(("reals",), BINS, DRAWS),
    *product(NAMES[:2], ("255 bins",), ("all questions",)),
    *product(NAMES[:2], ("exact",), ("half of them",)),
)
CASES = tuple(", ".join((about, *settings)) for about, settings in product(ABOUT, SETTINGS))


def data_about(about: str, name: str, max_bins: int | None) -> TrainingData:
    shape = {"max_bins": max_bins, "max_walk_length": 1, "n_graphs": 12, "most": 5}
    if about == "edges":
        return edge_data(KINDS[name], **shape)
    return some_data(KINDS[name], about == "graphs", **shape)


def grown(case: str, criterion: str) -> dict[str, np.ndarray]:
    """The fields of one tree, and the leaf of every example."""
    about, name, bins, drawn = case.split(", ")
    data = data_about(about, name, BINS[bins])
    rng = np.random.default_rng(0)
    statistics = some_statistics(criterion, data.n_examples, rng)
    n_drawn, ties_at_random = DRAWS[drawn]
    draws = Draws.of(rng, n_drawn, ties_at_random=ties_at_random)
    limits = GrowthLimits(max_leaf_nodes=5, min_samples_leaf=2)
    everyone = np.arange(data.n_examples)
    with np.errstate(invalid="ignore"):  # without compilation NumPy warns of NaN as a whole number
        tree = grow_tree(data, statistics, CRITERIA[criterion], limits, everyone, draws, 1)
    return vars(tree.tree) | {"leaf_of": tree.leaf_of}


def write_all(path: str) -> None:
    trees = {
        f"{case}/{criterion}/{field}": values
        for case in CASES
        for criterion in CRITERIA
        for field, values in grown(case, criterion).items()
    }
    np.savez(path, **trees)  # type: ignore[arg-type]


if __name__ == "__main__":
    write_all(sys.argv[1])
