"""The entries of a node in one column: listed feature by feature, or all of its rows."""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels.growing.nodes import CHILD
from graphtrees.kernels.growing_records import Entries


@inner_kernel
def entries_of(child, k, p, f, patterns, nodes, work):
    """Where the entries of feature f in pattern p stand, and whose they are.

    `k` is the distance of the subset that the column is about, 0 for whole graphs. This returns
    arrays, which is safe between inner kernels: none of them counts references.
    """
    if patterns.is_full[p]:
        number = work.control[CHILD + child]
        shift = np.int64(patterns.feature_start[p, f])
        position = work.positions[k - 1] if k > 0 and work.positions.shape[0] > 0 else work.rows
        return Entries(position, work.rows, nodes.start[number], nodes.stop[number], shift)
    ptr = work.entry_ptr[child, p]
    return Entries(
        work.entry_position[child], work.entry_row[child], ptr[f], ptr[f + 1], np.int64(0)
    )


@inner_kernel
def n_entries(child, p, f, patterns, nodes, work):
    if patterns.is_full[p]:
        number = work.control[CHILD + child]
        return nodes.stop[number] - nodes.start[number]
    return work.entry_ptr[child, p, f + 1] - work.entry_ptr[child, p, f]


@inner_kernel
def _list_entries(child, p, number, rows, patterns, nodes, work):
    """The entries of a node in pattern p, feature by feature."""
    n_features = patterns.n_features[p]
    ptr = work.entry_ptr[child, p]
    position = work.entry_position[child]
    entry_row = work.entry_row[child]
    feature = patterns.feature
    start = nodes.start[number]
    stop = nodes.stop[number]
    for f in range(n_features + 1):
        ptr[f] = 0
    # Unsigned numbers spare the compiler a test for indices that count from the end.
    row_ptr = patterns.ptr[p]
    for i in range(start, stop):
        row = np.uint64(rows[i])
        for e in range(np.uint64(row_ptr[row]), np.uint64(row_ptr[row + np.uint64(1)])):
            ptr[np.uint64(feature[e]) + np.uint64(1)] += 1
    ptr[0] = patterns.ptr[p, 0]
    for f in range(n_features):
        ptr[f + 1] += ptr[f]
    positions = patterns.position
    for i in range(start, stop):
        row = np.uint64(rows[i])
        for e in range(np.uint64(row_ptr[row]), np.uint64(row_ptr[row + np.uint64(1)])):
            f = np.uint64(feature[e])
            to = np.uint64(ptr[f])
            position[to] = positions[e]
            entry_row[to] = rows[i]
            ptr[f] += 1
    for f in range(n_features, 0, -1):  # each start has moved to its stop
        ptr[f] = ptr[f - 1]
    ptr[0] = patterns.ptr[p, 0]


@inner_kernel
def list_pattern(child, p, number, questions, patterns, nodes, work):
    """What a node holds in pattern p: its entries, and the features offered that have any."""
    if not patterns.is_full[p]:
        _list_entries(child, p, number, work.rows, patterns, nodes, work)
    held = work.held[child, p]
    n = 0
    for f in range(patterns.n_features[p]):
        held[n] = f
        has_any = patterns.is_kept[p, f]
        if not patterns.is_full[p]:
            has_any = work.entry_ptr[child, p, f + 1] > work.entry_ptr[child, p, f]
        n += has_any and questions.is_offered[f] != 0
    work.n_held[child, p] = n
