"""Whether all sums that graphs are asked for are small whole numbers, told before any is made.

These take two bytes each instead of four; see `columns/graph_columns.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from graphtrees._layout import SMALL_LIMIT
from graphtrees.graphs.flat import FlatGraphs
from graphtrees.questions.features import FeatureTable
from graphtrees.questions.operator_name import OperatorName
from graphtrees.questions.operators import edges_of, ends_of
from graphtrees.questions.plan import QuestionSpace


def sums_are_small(flat: FlatGraphs, table: FeatureTable, space: QuestionSpace) -> bool:
    """Of all columns of a graph together, as the layout counts them."""
    sizes = _sizes(flat, table)
    largest = int(np.diff(flat.vertex_ptr).max(initial=0))
    if sizes is None or largest >= SMALL_LIMIT or _sum(flat, sizes) >= SMALL_LIMIT:
        return False
    names = map(OperatorName.parse, space.operators)
    return all(_walks_are_small(flat, name, space.max_walk_length, sizes) for name in names)


def are_counts(flat: FlatGraphs) -> bool:
    """Whether all features are whole numbers, none of them negative or missing."""
    given: Any = flat.features
    columns = [given.data] if sparse.issparse(given) else (column for column in given.T)
    return all(bool(((one >= 0) & (one == np.rint(one))).all()) for one in columns)


def _sizes(flat: FlatGraphs, table: FeatureTable) -> np.ndarray | None:
    """The sum of all values of each vertex, without their signs; None where one is not whole."""
    given: Any = flat.features
    total = np.full(flat.n_vertices, float(table.has_constant))
    if sparse.issparse(given):
        if table.categories or not (given.data == np.rint(given.data)).all():
            return None
        return total + np.asarray(abs(given).sum(axis=1)).ravel()
    for feature in range(flat.n_features):
        column = np.asarray(given[:, feature])
        if feature in table.categories:
            total += ~np.isnan(column)
        elif (column == np.rint(column)).all():
            total += np.abs(column)
        else:
            return None
    return total


def _sum(flat: FlatGraphs, sizes: np.ndarray) -> float:
    """The largest sum of any graph."""
    total = np.r_[0.0, np.cumsum(sizes)]
    return float(np.diff(total[flat.vertex_ptr]).max(initial=0.0))


def _walks_are_small(flat: FlatGraphs, name: OperatorName, longest: int, sizes: np.ndarray) -> bool:
    chosen, weights = edges_of(flat, name.relation)
    weights = np.ones(len(chosen)) if weights is None else weights
    if name.averages or not ((weights >= 0) & (weights == np.rint(weights))).all():
        return False
    source, target = ends_of(flat, chosen)
    if name.backwards:
        source, target = target, source
    loops = flat.directed | (source == target)
    for _ in range(longest):
        into = np.zeros(flat.n_vertices)
        np.add.at(into, target, weights * sizes[source])
        if not flat.directed:
            back = np.where(loops, 0.0, weights) * sizes[target]
            np.add.at(into, source, back)
        sizes = into
        if _sum(flat, sizes) >= SMALL_LIMIT:
            return False
    return True
