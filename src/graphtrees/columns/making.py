"""The making of a batch: features are encoded and laid out, operators built.

Where graphs are the examples, each thread has a stretch of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from graphtrees._communicator import HERE, Totals
from graphtrees._layout import OFFSET, VALUE
from graphtrees._threads import ONE_THREAD, Workers
from graphtrees.columns.batch import Batch
from graphtrees.columns.full_lanes import Span, lanes_per_graph, write_out
from graphtrees.columns.lane_lists import LaneLists
from graphtrees.columns.numbers import narrowed, span_much
from graphtrees.columns.overflow import Bounds
from graphtrees.columns.part_layout import PartLayout
from graphtrees.graphs.flat import FlatGraphs, dense, starts_of
from graphtrees.kernels import lanes
from graphtrees.questions.features import MOST_STRETCHES, VERTICES_A_THREAD, FeatureTable
from graphtrees.questions.operators import Operator, build_operators, join_operators

# Below this share of non-zero values, vertex rows are kept as lists.
SPARSE_SHARE = 0.25


def make_batch(
    flat: FlatGraphs,
    table: FeatureTable,
    operators: tuple[str, ...],
    lane_major: bool = False,
    adds_up: bool = True,
    row_of: int = 1,
    colours: np.ndarray | None = None,
    totals: Totals = HERE,
    workers: Workers = ONE_THREAD,
) -> Batch:
    """`adds_up` tells whether any question sums over vertices; see `lanes.round_small`.

    The lanes of a vertex are filled up with zeros to a multiple of `row_of`. `colours` are the
    numbers of those that will be asked about; None: all. The layout follows from `totals`.
    """
    if totals.halo is not None:
        return _of_part(flat, table, operators, adds_up, totals)
    spans = [(0, flat.n_graphs)]
    by_graph = lane_major or row_of > 1
    if by_graph:
        spans = workers.stretches(flat.vertex_ptr, VERTICES_A_THREAD, MOST_STRETCHES)
    values, built = _encode(flat, table, operators, colours, totals, spans, workers)
    vertex_ptr, n_columns = flat.vertex_ptr.astype(OFFSET), values[0].shape[1]
    lists = None if by_graph else _listed(values[0], vertex_ptr, totals)
    if lists is not None:
        return _of_lists(lists.rounded() if adds_up else lists, n_columns, built, workers)
    # A graph has a lane for each feature that any of its vertices holds.
    shares_lanes = totals.of_one_graph and sparse.issparse(values[0])
    if shares_lanes and totals.n_distinct(values[0].indices) == n_columns:
        values = [values[0].toarray()]
    full = write_out(values, spans, vertex_ptr, lane_major, row_of, workers)
    x = narrowed(full.x, workers) if row_of > 1 else full.x
    if adds_up and x.dtype == VALUE and span_much(x, workers):
        rounded = np.empty_like(x)
        if lanes.round_small(vertex_ptr, full.lane_ptr, full.x_ptr, lane_major, x, rounded):
            x = rounded
    return Batch(
        vertex_ptr, full.lane_ptr, full.lane_features, full.x_ptr, lane_major, x, n_columns,
        built, Bounds.of(x, built, vertex_ptr, workers),
    )  # fmt: skip


def _encode(
    flat: FlatGraphs, table: FeatureTable, operators: tuple[str, ...], colours: np.ndarray | None,
    totals: Totals, spans: list[Span], workers: Workers,
) -> tuple[list[Any], tuple[Operator, ...]]:  # fmt: skip
    """The encoded features of each stretch of graphs, and the operators of all graphs."""
    in_full = table.keeps_zeros(flat, totals, workers)

    def encode(start: int, stop: int) -> tuple[Any, tuple[Operator, ...]]:
        some = flat.between(start, stop)
        return table.encode(some, colours, in_full), build_operators(some, operators)

    values, built = zip(*workers.each(encode, spans), strict=True)
    return list(values), join_operators(built, workers)


def _listed(values: Any, vertex_ptr: np.ndarray, totals: Totals) -> LaneLists | None:
    """The values as lists; None where many are not zero."""
    if not sparse.issparse(values):
        filled = np.zeros(len(values), OFFSET)
        lanes.count_filled(values, filled)
        of_graphs = np.diff(starts_of(filled)[vertex_ptr])
        n_filled, n_vertices = totals.add_up(of_graphs, np.diff(vertex_ptr))
        if n_filled > SPARSE_SHARE * n_vertices * values.shape[1]:
            return None
        values = sparse.csr_array(values)
    elif not values.data.all():
        values = values.copy()
        values.eliminate_zeros()
    # Before lists are made: they take several times the memory of the values.
    if _share_of_lanes(values, vertex_ptr, totals) > SPARSE_SHARE:
        return None
    return LaneLists.of(values, vertex_ptr)


def _share_of_lanes(values: sparse.csr_array, vertex_ptr: np.ndarray, totals: Totals) -> float:
    """How much of all lanes written out in full would not be 0; no zero is among the values."""
    if totals.of_one_graph:
        n_lanes = np.array([totals.n_distinct(values.indices)])
    else:
        n_lanes = lanes_per_graph(values, vertex_ptr)
    of_graphs = np.diff(values.indptr[vertex_ptr])
    n_filled, n_values = totals.add_up(of_graphs, np.diff(vertex_ptr) * n_lanes)
    return n_filled / max(1, n_values)


def _of_lists(
    lists: LaneLists, n_columns: int, operators: tuple[Operator, ...],
    workers: Workers = ONE_THREAD,
) -> Batch:  # fmt: skip
    return Batch(
        lists.vertex_ptr, lists.lane_ptr, lists.lane_features, np.zeros_like(lists.vertex_ptr),
        False, np.empty(0, VALUE), n_columns, operators,
        Bounds.of(lists.value, operators, lists.vertex_ptr, workers), lists,
    )  # fmt: skip


def _of_part(
    flat: FlatGraphs, table: FeatureTable, operators: tuple[str, ...], adds_up: bool,
    totals: Totals,
) -> Batch:  # fmt: skip
    """This worker's part of a graph, laid out as the whole graph would be."""
    values: Any = table.encode(flat)
    vertex_ptr = flat.vertex_ptr.astype(OFFSET)
    n_columns, built = values.shape[1], build_operators(flat, operators)
    layout = PartLayout.of(values, totals, SPARSE_SHARE)
    if layout.is_listed:
        lists = LaneLists.of(sparse.csr_array(values), vertex_ptr)
        return _of_lists(layout.round_lists(lists) if adds_up else lists, n_columns, built)
    values = dense(values) if layout.is_full else values
    full = write_out([values], [(0, flat.n_graphs)], vertex_ptr, False, 1)
    x = layout.round_full(full, flat.n_vertices) if adds_up else full.x
    return Batch(
        vertex_ptr, full.lane_ptr, full.lane_features, full.x_ptr, False, x, n_columns, built,
        Bounds.of(x, built, vertex_ptr),
    )  # fmt: skip
