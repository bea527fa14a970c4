"""Features that lose distinct values in float32, in which they are compared.

Unix times within an hour, for example: near 1.7e9 neighbouring float32 numbers are 128 apart. From
a feature that is only compared with thresholds, an offset can be subtracted first. For the others
there is a warning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from graphtrees._communicator import ALONE, Communicator
from graphtrees._layout import VALUE
from graphtrees.graphs.flat import FlatGraphs, dense, distinct_values

# Values that are checked, of vertices evenly spread over all.
MOST_VALUES = 10_000

# The share of the distinct values that may be lost without a warning. Of measured numbers with all
# digits of float64, one in ten thousand shares its float32 with another by chance.
LOST_SHARE = 0.005

# All values within CLOSE of their size get an offset: of their differences float32 keeps at most 17
# of its 24 bits. So do those within FAR, where more of them are told apart with it. Where only most
# values are close together, they must be so within NARROW: at most 4096 float32 numbers.
FAR, CLOSE, NARROW = 2.0**-1, 2.0**-7, 2.0**-12

# The largest offset: subtracting it takes no number of float32 out of its range.
FARTHEST = 1e30

# Whole numbers up to this are exact in float32.
LARGEST_WHOLE = 2.0 ** (np.finfo(VALUE).nmant + 1)

# Values nearer to each other than this share of their size differ by rounding alone.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Collapse:
    """A feature that loses distinct values in float32."""

    name: str
    n_distinct: int
    n_left: int
    constant: float  # near the values that are lost: subtract it, and they are kept
    has_offset: bool = False  # an offset is subtracted already
    noun: str = "feature"  # or "edge feature"
    is_tiny: bool = False  # numbers that float32 takes for 0, or nearly so

    @property
    def text(self) -> str:
        advice = f"subtract a constant from it first, such as {self.constant:.17g}"
        if self.is_tiny:
            advice = "multiply it by a large number first, because smaller ones than 1e-38 get lost"
        elif self.has_offset:
            advice = "give it as two features, a coarse and a fine one, such as days and seconds"
        return (
            f"{self.noun} {self.name!r}: only {self.n_left:,} of {self.n_distinct:,} distinct "
            "values can be told apart, because features are compared as float32 (7 digits): "
            f"{advice}"
        )


def find_offsets(
    flat: FlatGraphs, features: Iterable[int], communicator: Communicator = ALONE
) -> dict[int, float]:
    """The offset of each of these features that needs one.

    Categories need none. Sparse features would become dense. float32 features gain nothing.
    """
    values = flat.features
    gains_nothing = sp.issparse(values) or values.dtype == VALUE
    if communicator.all(gains_nothing):
        return {}

    def everywhere(column: np.ndarray) -> np.ndarray:
        """The distinct values that any worker has."""
        if communicator.n_workers == 1:
            return column
        distinct = distinct_values(column[~np.isnan(column)])
        return np.concatenate(communicator.all_gather(distinct.astype(np.float64)))

    chosen = [f for f in features if f not in flat.categories]
    offsets = {f: offset_of(everywhere(dense(values[:, [f]])[:, 0])) for f in chosen}
    return {feature: offset for feature, offset in offsets.items() if offset}


def offset_of(values: np.ndarray) -> float:
    """A number a little below the values, where most of them are close together; else 0.

    It depends on the distinct values alone, not on their order. Of the quarters of these, the most
    neighbouring ones that are close together are moved near 0, at least two: a marker for unknown
    times, such as 0, does no harm. The offset is a multiple of a power of two, so that it is short.
    """
    values = values[~np.isnan(values)]
    if not len(values) or _is_whole(values):
        return 0.0
    distinct = _without_rounding(distinct_values(values))
    quarters = np.quantile(distinct, np.linspace(0, 1, 5), method="lower")
    offset = _offset_within(quarters[0], quarters[4], FAR)
    if offset and _offset_within(quarters[0], quarters[4], CLOSE):
        return offset
    if offset and _n_left(distinct - offset) > _n_left(distinct):
        return offset
    for n_quarters in (3, 2):
        for low, high in zip(quarters, quarters[n_quarters:], strict=False):
            offset = _offset_within(low, high, NARROW)
            if offset:
                return offset
    return 0.0


def _offset_within(low: float, high: float, share: float) -> float:
    """A short number a little below both, if they are within this share of their size; else 0."""
    size = max(abs(low), abs(high))
    if not 0 < high - low < share * size or size >= FARTHEST / 2:
        return 0.0
    step = 2.0 ** (np.floor(np.log2(high - low)) - 4)
    return float((np.floor(low / step) - 1) * step)


def _n_left(distinct: np.ndarray) -> int:
    """How many of these sorted values float32 tells apart."""
    rounded = distinct.astype(VALUE)
    return 1 + int(np.count_nonzero(rounded[1:] != rounded[:-1]))


def _is_whole(values: np.ndarray) -> bool:
    return bool((np.abs(values) <= LARGEST_WHOLE).all() and (values == np.rint(values)).all())


def find_collapses(
    flat: FlatGraphs, leave_out: Collection[int] = (), offsets: Mapping[int, float] | None = None,
    n_graph_features: int = 0,
) -> list[Collapse]:  # fmt: skip
    """The features that lose distinct values in float32, without categories and `leave_out`.

    Values are counted after subtracting the offsets. Sparse features are left out, because no
    constant can be subtracted from them, but for the last `n_graph_features` (of whole graphs).
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
    collapses = []
    for name, column in columns.items():
        offset = (offsets or {}).get(column, 0.0)
        distinct = np.unique(some[:, column] - offset)
        distinct = _without_rounding(distinct[~np.isnan(distinct)])
        left = _n_left(distinct) if len(distinct) else 0
        if left < (1 - LOST_SHARE) * len(distinct):
            tiny = bool(np.abs(distinct).max() < np.finfo(VALUE).tiny)
            one = Collapse(name, len(distinct), left, _constant(distinct), noun=noun, is_tiny=tiny)
            collapses.append(replace(one, has_offset=True) if offset else one)
    return collapses


def _without_rounding(distinct: np.ndarray) -> np.ndarray:
    """Sorted values without those that the one before them equals but for rounding."""
    is_new = np.diff(distinct, prepend=-np.inf) > ROUNDING * np.abs(distinct)
    return distinct[is_new]


def _constant(distinct: np.ndarray) -> float:
    """The smallest of the values that share their float32 with another, rounded down."""
    rounded = distinct.astype(VALUE)
    first = int(np.argmax(rounded[1:] == rounded[:-1]))
    return float(np.floor(distinct[first]))
