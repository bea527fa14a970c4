"""What the authors published: the figures of Tables 1 to 3 of their paper, in published.csv."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("published.csv")
CITATION = (
    "M. Bechler-Speicher, A. Globerson and R. Gilad-Bachrach, *TREE-G: Decision Trees Contesting "
    "Graph Neural Networks*, AAAI 2024"
)
# Sizes as the paper states them (appendix, table of data sets): graphs of the folded sets.
N_GRAPHS = {
    "PROTEINS": 1113, "MUTAG": 188, "DD": 1178, "NCI1": 4110, "PTC_MR": 344, "ENZYMES": 600,
    "Mutagenicity": 4337, "IMDB-BINARY": 1000, "IMDB-MULTI": 1500,
}  # fmt: skip
N_FOLDS = 10
# Percent of the graphs whose label is the most frequent one among graphs of as many vertices.
BEST_BY_SIZE = {"IMDB-BINARY": 60.6, "IMDB-MULTI": 44.1}


@dataclass(frozen=True)
class Figure:
    """A mean and the ± beside it: percent, or RMSE on County."""

    table: str
    mean: float
    spread: float

    def __str__(self) -> str:
        return f"{self.mean:g} ± {self.spread:g}"


@cache
def figures() -> dict[tuple[str, str], Figure]:
    """By (set, method)."""
    with FILE.open(newline="", encoding="utf-8") as file:
        return {
            (row["set"], row["method"]): Figure(
                row["table"], float(row["mean"]), float(row["spread"])
            )
            for row in csv.DictReader(file)
        }


def sampling_spread(name: str, figure: Figure) -> float:
    """The spread, in points, that test folds of this size have by the draw of examples alone."""
    share = figure.mean / 100
    return float(100 * (share * (1 - share) / (N_GRAPHS[name] / N_FOLDS)) ** 0.5)


def too_even() -> list[tuple[str, str, Figure]]:
    """Published figures whose ± is less than a third of what sampling alone gives."""
    return [
        (name, method, figure)
        for (name, method), figure in figures().items()
        if name in N_GRAPHS and 3 * figure.spread < sampling_spread(name, figure)
    ]
