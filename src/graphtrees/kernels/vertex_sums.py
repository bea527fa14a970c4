"""Rows of vertices, added up step by step of a walk, for two subsets at once.

A row is a row of features: in full, a tile of them, (first feature, last + 1), at a time, or a list
of those that any walk can bring there. Sums carry their rounding error along (`low`), and are
rounded to float32 after every step.

A subset may be small: `arrived` is a mask whose bit s tells whether any walk from subset s has come
to a vertex. Where none has, its row is 0 and is neither added up nor stored.
"""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import inlined_kernel, inner_kernel
from graphtrees.kernels._sums import two_sum
from graphtrees.kernels.answer_tiles import round_sums
from graphtrees.kernels.vertex_walks import carried


@inlined_kernel
def level_of(o, d, n_lengths):
    """Which level of the row lists holds the features that walks of length d bring."""
    return 0 if d == 0 else 1 + o * n_lengths + d - 1


# ---- which subsets walks have come from ----------------------------------------------------------


@inlined_kernel
def subset_of(v, asked):
    """1 or 2, or 0 for a vertex in neither; all vertices are in 1 where whole graphs are asked."""
    return np.int64(1) if asked.n_signs == 1 else np.int64(asked.codes[v])


@inlined_kernel
def _walks_from(v, asked):
    """The subset from which walks begin at a vertex; 0: none do."""
    code = subset_of(v, asked)
    return code if code != asked.left_out else np.int64(0)


@inlined_kernel
def mask_of(code):
    """The mask of this subset alone; 0: of none."""
    return (np.int64(1) << code) >> np.int64(1)


@inlined_kernel
def in_mask(arrived, s):
    return (arrived >> s) & 1 != 0


# ---- adding rows up ------------------------------------------------------------------------------


@inner_kernel
def _add_stretch(values, at, n, weight, is_exact, high, low, to):
    """Add weight × values[at:at + n]."""
    # Unsigned numbers spare the compiler a test for indices that count from the end.
    at, to = np.uint64(at), np.uint64(to)
    if is_exact:
        for k in range(np.uint64(n)):
            high[to + k] += weight * np.float64(carried(values[at + k]))
    else:
        for k in range(np.uint64(n)):
            term = weight * np.float64(carried(values[at + k]))
            high[to + k], low[to + k] = two_sum(high[to + k], low[to + k], term)


@inner_kernel
def _add_list(values, at, features, start, stop, weight, is_exact, high, low, to):
    """The same for a list of features, whose values begin at `at`."""
    at, start, to = np.uint64(at), np.uint64(start), np.uint64(to)
    n = np.uint64(stop) - start
    if is_exact:
        for i in range(n):
            k = to + np.uint64(features[start + i])
            high[k] += weight * np.float64(carried(values[at + i]))
    else:
        for i in range(n):
            k = to + np.uint64(features[start + i])
            term = weight * np.float64(carried(values[at + i]))
            high[k], low[k] = two_sum(high[k], low[k], term)


@inner_kernel
def _add_own(v, weight, tile, source, high, low, to):
    """Add the values of one vertex."""
    layout = source.layout
    exact = source.operators.is_exact
    if layout.is_full:
        at = v * layout.n_features + tile[0]
        _add_stretch(layout.x, at, tile[1] - tile[0], weight, exact, high, low, to)
    else:
        start = layout.row_ptr[0, v]
        stop = layout.row_ptr[0, v + 1]
        features = layout.row_feature
        _add_list(layout.x, start, features, start, stop, weight, exact, high, low, to)


@inner_kernel
def _add_walked(v, level, weight, tile, source, rows, high, low, to):
    """Add the row that the last step left for one vertex."""
    layout = source.layout
    exact = source.operators.is_exact
    if layout.is_full:
        width = tile[1] - tile[0]
        _add_stretch(rows, v * width, width, weight, exact, high, low, to)
    else:
        ptr = layout.row_ptr[level]
        _add_list(
            rows, ptr[v] - ptr[0], layout.row_feature, ptr[v], ptr[v + 1], weight, exact, high,
            low, to,
        )  # fmt: skip


@inner_kernel
def add_before(v, o, d, weight, tile, asked, source, rows, high, low):
    """Add what a vertex carries before step d, of two subsets to two rows; returns `arrived`."""
    width = tile[1] - tile[0]
    if d == 1:
        code = _walks_from(v, asked)
        if code > 0:
            _add_own(v, weight, tile, source, high, low, (code - 1) * width)
        return mask_of(code)
    level = level_of(o, d - 1, source.operators.diagonal.shape[1])
    arrived = np.int64(rows.arrived[(d - 1) % 2, v])
    for s in range(asked.n_signs):
        if in_mask(arrived, s):
            walked = rows.rows[(d - 1) % 2, s]
            _add_walked(v, level, weight, tile, source, walked, high, low, s * width)
    return arrived


@inner_kernel
def _end_level(o, d, operators):
    return o * operators.diagonal.shape[1] + d - 1


@inner_kernel
def _add_endpoint(m, o, d, tile, asked, source, rows, high, low):
    """Add the sums at one endpoint; returns which subsets they come from."""
    operators = source.operators
    width = tile[1] - tile[0]
    is_full = source.layout.is_full
    ptr = operators.end_row_ptr[_end_level(o, d, operators) if not is_full else 0]
    arrived = np.int64(rows.end_arrived[m])
    for s in range(asked.n_signs):
        if not in_mask(arrived, s):
            continue
        sums = rows.end_high[s]
        errors = rows.end_low[s]
        to = s * width
        if is_full:
            for k in range(width):
                high[to + k], low[to + k] = two_sum(high[to + k], low[to + k], sums[m * width + k])
                low[to + k] += errors[m * width + k]
        else:
            for e in range(ptr[m], ptr[m + 1]):
                k = to + np.int64(operators.end_row_feature[e])
                high[k], low[k] = two_sum(high[k], low[k], sums[e - ptr[0]])
                low[k] += errors[e - ptr[0]]
    return arrived


@inner_kernel
def add_neighbours(v, o, d, tile, asked, source, rows, high, low):
    """One step: what comes to a vertex from its neighbours; returns `arrived`."""
    operators = source.operators
    start = operators.indptr[o, v]
    stop = operators.indptr[o, v + 1]
    arrived = np.int64(0)
    for e in range(start, stop):
        u = np.int64(operators.sources[e])
        if operators.has_endpoints:
            arrived |= _add_endpoint(u, o, d, tile, asked, source, rows, high, low)
        else:
            weight = np.float64(operators.weights[e])
            arrived |= add_before(u, o, d, weight, tile, asked, source, rows, high, low)
    if operators.skips_itself:
        own = -np.float64(stop - start)
        arrived |= add_before(v, o, d, own, tile, asked, source, rows, high, low)
    return arrived


# ---- rows from sums ------------------------------------------------------------------------------


@inner_kernel
def clear(ptr, features, v, width, arrived, is_full, high, low):
    """Back to 0, before the next row."""
    for s in range(2):
        to = np.uint64(s * width)
        if not in_mask(arrived, s):
            continue
        if is_full:
            for k in range(np.uint64(width)):
                high[to + k] = 0.0
                low[to + k] = 0.0
        else:
            for e in range(np.uint64(ptr[v]), np.uint64(ptr[v + 1])):
                high[to + np.uint64(features[e])] = 0.0
                low[to + np.uint64(features[e])] = 0.0


@inner_kernel
def _round_list(high, low, features, start, stop, to, by, out, at):
    """Round the sums of the listed features, divided by `by`, to float32; then they are 0 again."""
    start, to, at = np.uint64(start), np.uint64(to), np.uint64(at)
    for i in range(np.uint64(stop) - start):
        k = to + np.uint64(features[start + i])
        total = high[k] + low[k]
        out[at + i] = np.float32(total if by == 1.0 else total / by)
        high[k] = 0.0
        low[k] = 0.0


@inner_kernel
def keep_row(v, o, d, tile, arrived, asked, source, rows, high, low):
    """Round the sums to the row of one vertex, for the next step."""
    layout = source.layout
    operators = source.operators
    width = tile[1] - tile[0]
    by = operators.divisor[o, v] if operators.divisor.shape[1] > 0 else 1.0
    ptr = layout.row_ptr[level_of(o, d, operators.diagonal.shape[1]) if not layout.is_full else 0]
    rows.arrived[d % 2, v] = arrived
    for s in range(asked.n_signs):
        if not in_mask(arrived, s):
            continue
        out = rows.rows[d % 2, s]
        if layout.is_full:
            round_sums(high, low, s * width, width, by, out, v * width)
        else:
            _round_list(
                high, low, layout.row_feature, ptr[v], ptr[v + 1], s * width, by, out,
                ptr[v] - ptr[0],
            )  # fmt: skip
    if layout.is_full:
        clear(ptr, layout.row_feature, v, width, arrived, True, high, low)


@inner_kernel
def keep_sums(m, o, d, tile, arrived, asked, source, rows, high, low):
    """The sums at one endpoint, with their errors."""
    operators = source.operators
    width = tile[1] - tile[0]
    is_full = source.layout.is_full
    ptr = operators.end_row_ptr[_end_level(o, d, operators) if not is_full else 0]
    rows.end_arrived[m] = arrived
    for s in range(asked.n_signs):
        if not in_mask(arrived, s):
            continue
        sums = rows.end_high[s]
        errors = rows.end_low[s]
        if is_full:
            for k in range(width):
                sums[m * width + k] = high[s * width + k]
                errors[m * width + k] = low[s * width + k]
        else:
            for e in range(ptr[m], ptr[m + 1]):
                k = s * width + np.int64(operators.end_row_feature[e])
                sums[e - ptr[0]] = high[k]
                errors[e - ptr[0]] = low[k]
    clear(ptr, operators.end_row_feature, m, width, arrived, is_full, high, low)
