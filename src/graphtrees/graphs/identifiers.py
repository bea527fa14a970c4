"""Text features that hold names, ids or dates: no use as categories."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from graphtrees.graphs.dates import is_date_text
from graphtrees.graphs.flat import FlatGraphs, column_of

# Text is taken for names or ids where nearly every row has a value of its own.
FEWEST_TO_JUDGE = 10
UNIQUE_SHARE = 0.95


@dataclass(frozen=True)
class OddText:
    """A feature of text, and why its labels make poor categories."""

    name: str
    n_labels: int
    n_known: int
    dates: bool

    @property
    def text(self) -> str:
        if self.dates:
            return (
                f"feature {self.name!r} is text that holds dates, each of them a category without "
                "an order: give a number in their place, (pandas.to_datetime(column) - "
                "pandas.Timestamp('2000-01-01')).dt.days, or leave the feature out. Named in "
                "categorical_features, it is kept without a warning"
            )
        return (
            f"feature {self.name!r} is text that differs from row to row ({self.n_labels:,} labels "
            f"in {self.n_known:,} rows), as names and ids do: what is learned from it holds for no "
            "other row. Leave it out. Named in categorical_features, it is kept without a warning"
        )


def are_unique(n_labels: int, n_known: int) -> bool:
    """Whether so many labels in so many rows are names rather than categories."""
    return n_known >= FEWEST_TO_JUDGE and n_labels >= UNIQUE_SHARE * n_known


def _some_come_back(codes: np.ndarray, n_labels: int) -> bool:
    """Whether a few rows tell already that so many labels are not all different."""
    few = codes[: 2 * (n_labels + FEWEST_TO_JUDGE)]
    return n_labels < UNIQUE_SHARE * int(np.count_nonzero(~np.isnan(few)))


def find_odd_texts(
    flat: FlatGraphs, n_graph_features: int = 0, leave_out: Collection[int] = ()
) -> list[OddText]:
    """The categories, without these, whose labels are dates or nearly all different.

    The last `n_graph_features` are those of graphs, of which each counts once.
    """
    odd_texts = []
    for column, labels in sorted(flat.categories.items()):
        is_text = bool(labels) and all(isinstance(label, str) for label in labels)
        if column in leave_out or not is_text:
            continue
        codes = column_of(flat.features, column)
        if column >= flat.n_features - n_graph_features:
            codes = codes[flat.vertex_ptr[:-1][np.diff(flat.vertex_ptr) > 0]]
        dates = all(map(is_date_text, labels))
        if not dates and _some_come_back(codes, len(labels)):
            continue
        known = codes[~np.isnan(codes)]
        n_labels = len(np.unique(known))
        dates = dates and n_labels > 1
        if dates or are_unique(n_labels, len(known)):
            names = flat.feature_names
            name = f"x{column}" if names is None else names[column]
            odd_texts.append(OddText(name, n_labels, len(known), dates))
    return odd_texts
