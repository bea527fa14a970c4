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
def n_stretches(number, n_members, nodes, work):
    """Into how many stretches the rows of a node are cut: a member lists the entries of one."""
    n_rows = nodes.stop[number] - nodes.start[number]
    return max(1, min(n_members, work.entry_start.shape[2], n_rows // work.rows_a_stretch))


@inner_kernel
def _rows_of_stretch(stretch, n, number, nodes):
    first = nodes.start[number]
    n_rows = nodes.stop[number] - first
    return first + n_rows * stretch // n, first + n_rows * (stretch + 1) // n


@inner_kernel
def count_entries(child, p, stretch, n, number, patterns, nodes, work):
    """How many entries every feature has in one of n stretches of the rows of a node."""
    counts = work.entry_start[child, p, stretch]
    feature = patterns.feature
    row_ptr = patterns.ptr[p]
    for f in range(patterns.n_features[p]):
        counts[f] = 0
    first, last = _rows_of_stretch(stretch, n, number, nodes)
    # Unsigned numbers spare the compiler a test for indices that count from the end.
    for i in range(first, last):
        row = np.uint64(work.rows[i])
        for e in range(np.uint64(row_ptr[row]), np.uint64(row_ptr[row + np.uint64(1)])):
            counts[np.uint64(feature[e])] += 1


@inner_kernel
def lay_out_entries(child, p, n, patterns, work):
    """Where entries go: feature by feature, and within a feature stretch by stretch."""
    ptr = work.entry_ptr[child, p]
    start = work.entry_start[child, p]
    to = patterns.ptr[p, 0]
    for f in range(patterns.n_features[p]):
        ptr[f] = to
        for stretch in range(n):
            count = start[stretch, f]
            start[stretch, f] = to
            to += count
    ptr[patterns.n_features[p]] = to


@inner_kernel
def list_entries(child, p, stretch, n, number, patterns, nodes, work):
    """The entries of one stretch, each where its feature's are."""
    start = work.entry_start[child, p, stretch]
    position = work.entry_position[child]
    entry_row = work.entry_row[child]
    feature = patterns.feature
    positions = patterns.position
    row_ptr = patterns.ptr[p]
    first, last = _rows_of_stretch(stretch, n, number, nodes)
    for i in range(first, last):
        row = np.uint64(work.rows[i])
        for e in range(np.uint64(row_ptr[row]), np.uint64(row_ptr[row + np.uint64(1)])):
            f = np.uint64(feature[e])
            to = np.uint64(start[f])
            position[to] = positions[e]
            entry_row[to] = work.rows[i]
            start[f] += 1


@inner_kernel
def list_held(child, p, questions, patterns, work):
    """The features offered that a node has any entries of."""
    held = work.held[child, p]
    n = 0
    for f in range(patterns.n_features[p]):
        held[n] = f
        has_any = patterns.is_kept[p, f]
        if not patterns.is_full[p]:
            has_any = work.entry_ptr[child, p, f + 1] > work.entry_ptr[child, p, f]
        n += has_any and questions.is_offered[f] != 0
    work.n_held[child, p] = n
