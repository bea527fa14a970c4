"""What every stage is made of: cases, and how much of each is run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from report import Row

# The settings at which the authors' code was measured.
PUBLISHED = {
    "max_walk_length": 2,
    "max_ancestor_distance": 2,
    "walk_type_probability": 0.25,
    "max_leaf_nodes": 10,
}
EVERY_WALK_TYPE = PUBLISHED | {"walk_type_probability": 1.0}


@dataclass(frozen=True)
class Setup:
    """How much to run: everything, or (`quick`) just enough to see that it runs."""

    quick: bool

    @property
    def limit(self) -> int | None:
        """How many examples of a data set; None: all."""
        return 150 if self.quick else None

    @property
    def budget(self) -> float:
        """Seconds to spend on repeating one measurement."""
        return 0.0 if self.quick else 20.0

    def trees(self, n: int) -> int:
        return max(2, n // 20) if self.quick else n

    def said(self, n: int, unit: str = "trees") -> str:
        """How much is run, for the name of a row: a quick run must not pass for a full one."""
        return f"{self.trees(n)} {unit}" + (
            f" on at most {self.limit} examples" if self.quick else ""
        )

    def sized(self, n: int) -> int:
        """A number of generated examples."""
        return max(20, n // 20) if self.quick else n


@dataclass(frozen=True)
class Case:
    """Something to measure. `name` is what --only knows it by, beside the name of its stage."""

    name: str
    part: str
    what: str
    measure: Callable[[], list[Row]]


def named(what: str, measured: dict[str, Any]) -> str:
    """The row's name, saying so where the data had to be generated."""
    return f"{what} (generated data)" if measured.get("is_generated") else what
