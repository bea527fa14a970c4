"""The columns of whole graphs and their bins, made once for all trees by a team of threads."""

from __future__ import annotations

import numpy as np

from graphtrees.kernels import graph_values
from graphtrees.kernels._jit import by_type, inner_kernel, kernel
from graphtrees.kernels._team import next_task
from graphtrees.kernels.graph_values import GRAPHS_A_TILE
from graphtrees.kernels.growing_records import ExactGraphSource, GraphSource, PlainGraphSource
from graphtrees.kernels.vertex_columns import make_columns
from graphtrees.kernels.vertex_records import Asked, VertexSource


def _make_graphs(source, every, no_codes, places, scratch, values, team, rank, n_members):
    n_graphs = source.layout.vertex_ptr.shape[0] - 1
    while True:
        task = next_task(team, n_members, GRAPHS_A_TILE)
        if task >= n_graphs:
            break
        last = min(n_graphs, task + GRAPHS_A_TILE)
        graph_values.make_stretch(task, last, no_codes, 1, places, source, scratch, values)


def _make_vertices(source, every, no_codes, places, scratch, values, team, rank, n_members):
    asked = Asked(every, every, 0, every.shape[0], 0, no_codes, 1, places, places, 0, values)
    make_columns(asked, source, scratch, values, team, (rank, n_members))


_make = by_type(
    {
        GraphSource: _make_graphs,
        ExactGraphSource: _make_graphs,
        PlainGraphSource: _make_graphs,
        VertexSource: _make_vertices,
    }
)


@kernel
def make_static(source, every, no_codes, places, scratch, values, team, place):
    """The answers of all examples to questions about whole graphs, column after column.

    `every` lists the vertex examples; place = (rank, n_members). The source and the member's
    scratch are `stored` records.
    """
    rank, n_members = place
    _make(source, every, no_codes, places, scratch, values, team, rank, n_members)


@inner_kernel
def _find(distinct, n, value):
    """The place of a value among sorted distinct ones."""
    low = 0
    high = n
    while low < high:
        middle = (low + high) // 2
        if distinct[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@inner_kernel
def _bin_column(values, ordered, n_zeros, max_bins, room, bins):
    """Bins of one column that has so many zeros beside these values: (n_bins, bin of the zeros).

    `ordered` holds the same values, sorted, missing ones last. A bin for every distinct value; by
    quantiles where there are more than max_bins of them. A missing value is in bin n_bins. Fewer
    than two bins: nothing to part.
    """
    distinct, counts, bin_of = room
    n = values.shape[0]
    n_distinct = 0
    n_known = n_zeros
    zero_bin = -1
    for i in range(n + 1):
        at_end = i == n or ordered[i] != ordered[i]
        if n_zeros > 0 and zero_bin < 0 and (at_end or ordered[i] >= 0.0):
            zero_bin = n_distinct
            distinct[n_distinct] = 0.0
            counts[n_distinct] = n_zeros
            n_distinct += 1
        if at_end:
            break
        if n_distinct == 0 or ordered[i] != distinct[n_distinct - 1]:
            distinct[n_distinct] = ordered[i]
            counts[n_distinct] = 0
            n_distinct += 1
        counts[n_distinct - 1] += 1
        n_known += 1
    for k in range(n_distinct):
        bin_of[k] = k
    if n_distinct > max_bins:
        below = 0
        last = -1
        n_bins = 0
        for k in range(n_distinct):
            number = below * max_bins // n_known
            n_bins += number != last
            last = number
            bin_of[k] = n_bins - 1
            below += counts[k]
        if n_bins == 1:  # nearly all share the largest value: part it from the others
            bin_of[n_distinct - 1] = 1
    n_bins = bin_of[n_distinct - 1] + 1 if n_distinct > 0 else 0
    if n_bins > 1:
        for i in range(n):
            missing = values[i] != values[i]
            bins[i] = n_bins if missing else bin_of[_find(distinct, n_distinct, values[i])]
    return n_bins, bin_of[zero_bin] if zero_bin >= 0 else -1


def room_to_bin(n):
    """Room for the distinct values of a column of n entries, how often they occur, their bins."""
    return np.empty(n + 1, np.float32), np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)


@kernel
def bin_columns(values, ordered, n_zeros, max_bins, room, bins, n_bins, zero_bin):
    """Bins of several columns that have their entries at the same examples; see `room_to_bin`."""
    for c in range(values.shape[0]):
        n_bins[c], zero_bin[c] = _bin_column(
            values[c], ordered[c], n_zeros, max_bins, room, bins[c]
        )
