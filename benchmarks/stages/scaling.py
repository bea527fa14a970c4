"""Does the time double when one thing doubles? On generated data of three kinds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import report
from processes import run
from report import Row

from stages.setup import Case, Setup

GOAL = 2.2


@dataclass(frozen=True)
class Family:
    """A kind of data, and the number of examples and features that its doublings start from."""

    words: str
    columns: str  # the field of `generated.Shape` that counts its features
    n_examples: int
    n_features: int
    on_vertices: bool = False

    def shape(self, n_examples: int, n_features: int) -> dict[str, Any]:
        """Fields of `generated.Shape`."""
        if self.on_vertices:
            sizes = {"n_graphs": 1, "n_vertices": n_examples, "n_edges": 3 * n_examples}
            sizes["n_examples"] = n_examples
        else:
            sizes = {"n_graphs": n_examples, "n_vertices": 30, "n_edges": 33}
        return sizes | {self.columns: n_features}


FAMILIES = {
    "labels": Family("graphs with one-hot labels", "n_labels", 2000, 16),
    "numbers": Family("graphs with real-valued features", "n_numbers", 1000, 8),
    "vertices": Family("vertices with real-valued features", "n_numbers", 20_000, 8, True),
}

# What is doubled, from what: the rest stays at two steps, two ancestors and 20 trees.
DOUBLINGS = (
    ("examples", "n_examples", None),
    ("features", "n_features", None),
    ("walk length", "max_walk_length", 1),
    ("walk length", "max_walk_length", 2),
    ("ancestor distance", "max_ancestor_distance", 1),
    ("ancestor distance", "max_ancestor_distance", 2),
    ("trees", "n_estimators", 20),
)


def cases(setup: Setup) -> Iterator[Case]:
    for family in FAMILIES.values():
        for words, parameter, start in DOUBLINGS:
            base = _base(family, setup)
            low = base[parameter] if start is None else min(start, base[parameter])
            what = f"{family.words}: {words} {low:,} → {2 * low:,}"
            measure = partial(_double, family, what, base, parameter, low, setup)
            yield Case(words, "scaling", what, measure)


def _base(family: Family, setup: Setup) -> dict[str, Any]:
    return {
        "n_examples": setup.sized(family.n_examples),
        "n_features": family.n_features,
        "max_walk_length": 2,
        "max_ancestor_distance": 2,
        "n_estimators": setup.trees(20),
    }


def _double(
    family: Family, what: str, base: dict[str, Any], parameter: str, low: int, setup: Setup
) -> list[Row]:
    once = _time(family, base | {parameter: low}, setup)
    twice = _time(family, base | {parameter: 2 * low}, setup)
    return [
        report.at_most("scaling", what, "before doubling", twice["seconds"], once["seconds"],
                       goal=GOAL, peak=report.size(twice["peak_bytes"]))
    ]  # fmt: skip


def _time(family: Family, chosen: dict[str, Any], setup: Setup) -> dict[str, Any]:
    settings = dict(chosen)
    shape = family.shape(settings.pop("n_examples"), settings.pop("n_features"))
    return run("ours.fit:fit_generated", shape=shape, budget=setup.budget / 4, **settings)
