"""Features that float32, in which they are compared, cannot hold to their own spread.

Unix times within an hour, say: near 1.7e9 two numbers of float32 are 128 apart. A feature of which
nothing is asked but whether it is above a threshold can be moved near 0 first, by an offset. Of the
others the user is told.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from graphtrees._layout import VALUE
from graphtrees.graphs.flat import FlatGraphs, dense

# Of so many vertices, evenly spread over all of them, are the values looked at.
MOST_VALUES = 10_000

# Up to this share of the distinct values may be lost before anything is said.
LOST_SHARE = 0.05

# Values within this share of their size are moved: float32 has 4096 numbers or fewer for them.
NARROW = 2.0**-12

# The largest offset: subtracting it takes no number of float32 out of its range.
FARTHEST = 1e30

# Whole numbers up to this are exact in float32.
LARGEST_WHOLE = 2.0 ** (np.finfo(VALUE).nmant + 1)

# Values nearer to each other than this share of their size differ by rounding alone.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Collapse:
    """A feature that loses distinct values: so many there were, so many are left."""

    name: str
    n_distinct: int
    n_left: int
    constant: float  # near the values that are lost: subtract it, and they are kept
    has_offset: bool = False  # what can be done by subtracting is done
    noun: str = "feature"  # or "edge feature"

    @property
    def text(self) -> str:
        advice = f"subtract a constant from it first, such as {self.constant:.17g}"
        if self.has_offset:
            advice = "give it as two features, a coarse and a fine one, such as days and seconds"
        return (
            f"{self.noun} {self.name!r}: only {self.n_left:,} of {self.n_distinct:,} distinct "
            "values can be told apart, because features are compared as float32 (7 digits): "
            f"{advice}"
        )


def find_offsets(flat: FlatGraphs, features: Iterable[int]) -> dict[int, float]:
    """By feature, of these, what to subtract where float32 cannot hold it as it is.

    Categories need none. Sparse features would be filled by it. Those that came as float32 have
    nothing to gain.
    """
    values = flat.features
    if sp.issparse(values) or values.dtype == VALUE:
        return {}
    found = {f: offset_of(values[:, f]) for f in features if f not in flat.categories}
    return {feature: offset for feature, offset in found.items() if offset}


def offset_of(values: np.ndarray) -> float:
    """A number a little below the values, where most of them are close together; else 0.

    It depends on the distinct values alone, not on their order. Of the quarters of these, the most
    neighbouring ones that are NARROW are moved near 0, at least two: a marker for unknown times,
    such as 0, does no harm. The offset is a multiple of a power of two, so that it is short.
    """
    values = values[~np.isnan(values)]
    if not len(values) or _is_whole(values):
        return 0.0
    distinct = _without_rounding(np.unique(values))
    quarters = np.quantile(distinct, np.linspace(0, 1, 5), method="lower")
    for n_quarters in (4, 3, 2):
        for low, high in zip(quarters, quarters[n_quarters:], strict=False):
            size = max(abs(low), abs(high))
            if 0 < high - low < NARROW * size and size < FARTHEST / 2:
                step = 2.0 ** np.floor(np.log2(high - low))
                return float((np.floor(low / step) - 1) * step)
    return 0.0


def _is_whole(values: np.ndarray) -> bool:
    return bool((np.abs(values) <= LARGEST_WHOLE).all() and (values == np.rint(values)).all())


def find_collapses(
    flat: FlatGraphs, leave_out: Collection[int] = (), offsets: Mapping[int, float] | None = None,
    n_graph_features: int = 0,
) -> list[Collapse]:  # fmt: skip
    """The features, without these and without categories, of which float32 loses values.

    From some of them an offset is subtracted; counted is what is lost even so. Sparse features are
    left out, but for the last `n_graph_features`, those of whole graphs: a constant cannot be
    subtracted from them.
    """
    values, first = flat.features, 0
    if sp.issparse(values):
        first = flat.n_features - n_graph_features
        values = dense(values[:, first:])
    names = flat.feature_names or tuple(f"x{column}" for column in range(flat.n_features))
    unfit = {*flat.categories, *leave_out}
    wanted = {names[c]: c - first for c in range(first, flat.n_features) if c not in unfit}
    moved = {c - first: number for c, number in (offsets or {}).items()}
    return _collapses(values, wanted, "feature", moved)


def find_edge_collapses(flat: FlatGraphs) -> list[Collapse]:
    """The same of the features of edges."""
    if flat.edge_features is None:
        return []
    wanted = {str(name): column for column, name in enumerate(flat.edge_feature_names)}
    return _collapses(flat.edge_features, wanted, "edge feature")


def _collapses(
    values: np.ndarray, columns: dict[str, int], noun: str,
    offsets: Mapping[int, float] | None = None,
) -> list[Collapse]:  # fmt: skip
    if values.dtype == VALUE or not len(values):
        return []
    some = values[:: -(-len(values) // MOST_VALUES)]
    found = []
    for name, column in columns.items():
        offset = (offsets or {}).get(column, 0.0)
        distinct = np.unique(some[:, column] - offset)
        distinct = _without_rounding(distinct[~np.isnan(distinct)])
        left = len(np.unique(distinct.astype(VALUE)))
        if left < (1 - LOST_SHARE) * len(distinct):
            one = Collapse(name, len(distinct), left, _constant(distinct), noun=noun)
            found.append(replace(one, has_offset=True) if offset else one)
    return found


def _without_rounding(distinct: np.ndarray) -> np.ndarray:
    """Sorted values without those that the one before them equals but for rounding."""
    is_new = np.diff(distinct, prepend=-np.inf) > ROUNDING * np.abs(distinct)
    return distinct[is_new]


def _constant(distinct: np.ndarray) -> float:
    """The smallest of the values that share their float32 with another, rounded down."""
    rounded = distinct.astype(VALUE)
    first = int(np.argmax(rounded[1:] == rounded[:-1]))
    return float(np.floor(distinct[first]))
