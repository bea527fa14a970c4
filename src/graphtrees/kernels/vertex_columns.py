"""Every column that a split may be chosen among, for vertices, made by a team of threads.

A column is a question without its threshold, for the vertices of some examples. A walk of length d
goes step by step, for both subsets at once, and as far back as it can come to those examples:

    length 0 and closed walks   the values of the example itself
    length 1 .. last            per step: sums at endpoints (edges only) ─► rows of vertices ─► put

Between any two passes the team meets at a barrier. How rows are added up is in `vertex_sums`. Where
the two subsets share out all vertices and sums of whole numbers are not rounded, only the smaller
one is walked from:

    A^d x  =  A^d (1_S+ x)  +  A^d (1_S- x)
"""

from __future__ import annotations

import numpy as np

from graphtrees._layout import CYCLE, SOURCE
from graphtrees.kernels._jit import inlined_kernel, inner_kernel
from graphtrees.kernels._team import barrier, next_task
from graphtrees.kernels.answer_tiles import (
    EXAMPLES_A_TILE,
    copy_row,
    fill_zeros,
    round_sums,
    write_columns,
)
from graphtrees.kernels.graph_values import column_at
from graphtrees.kernels.vertex_sums import (
    add_before,
    add_neighbours,
    clear,
    in_mask,
    keep_row,
    keep_sums,
    level_of,
    mask_of,
    subset_of,
)
from graphtrees.kernels.vertex_walks import EVERYWHERE, carried, list_stages

ROWS_A_TASK = EXAMPLES_A_TILE

# Features of full rows that are walked at a time: more would not stay in the cache.
TILE = 64


@inlined_kernel
def _place(asked, i, o, d, walk_type):
    """The place of a question of the example i; -1: not asked."""
    if i < asked.n_left:
        return np.int64(asked.left_places[o, d, walk_type, 0])
    return np.int64(asked.right_places[o, d, walk_type, 0])


@inner_kernel
def _is_asked(asked, o, d, walk_type):
    """Whether any example asks the question."""
    left = asked.left_places[o, d, walk_type, 0]
    right = asked.right_places[o, d, walk_type, 0]
    return left >= 0 or right >= 0


# ---- answers of rows that are lists --------------------------------------------------------------


@inner_kernel
def _put_difference(i, place, left_out, asked, source, high, block):
    """Answers about the subset that was not walked from: the whole graph's less the other's."""
    patterns = source.patterns
    row = np.int64(asked.rows[asked.start + i])
    p, to = column_at(place, left_out - 1, 2, patterns)
    whole = patterns.whole_start[patterns.whole_of[place]]
    shift = np.uint64((2 - left_out) * source.layout.n_features)
    values, features, position = asked.whole_values, patterns.feature, patterns.position
    if patterns.is_full[p]:  # the whole graph's answers stand by the number of the example
        to += np.int64(asked.position[asked.start + i]) - row
    for e in range(np.uint64(patterns.ptr[p, row]), np.uint64(patterns.ptr[p, row + 1])):
        at = np.int64(position[e])
        other = np.float32(high[shift + np.uint64(features[e])])
        block[np.uint64(to + at)] = values[np.uint64(whole + at)] - other


@inner_kernel
def _put(i, place, by, tile, arrived, left_out, asked, source, high, low, block):
    """Write the answers of the example i to the columns of a question."""
    patterns = source.patterns
    row = np.int64(asked.rows[asked.start + i])
    position_in_full = np.int64(asked.position[asked.start + i])
    width = tile[1] - tile[0]
    for s in range(asked.n_signs):
        p, at = column_at(place, s, asked.n_signs, patterns)
        if s + 1 == left_out:
            _put_difference(i, place, left_out, asked, source, high, block)
        elif patterns.is_full[p]:
            for f in range(tile[0], min(tile[1], patterns.n_features[p])):
                if patterns.is_kept[p, f]:
                    k = s * width + f - tile[0]
                    value = np.float32((high[k] + low[k]) / by)
                    block[at + patterns.feature_start[p, f] + position_in_full] = value
        elif not in_mask(arrived, s):
            to = np.uint64(at)
            position = patterns.position
            for e in range(np.uint64(patterns.ptr[p, row]), np.uint64(patterns.ptr[p, row + 1])):
                block[to + np.uint64(position[e])] = np.float32(0.0)
        else:
            shift, to = np.uint64(s * width), np.uint64(at)
            features, position = patterns.feature, patterns.position
            for e in range(np.uint64(patterns.ptr[p, row]), np.uint64(patterns.ptr[p, row + 1])):
                k = shift + np.uint64(features[e])
                total = high[k] + low[k]
                value = np.float32(total if by == 1.0 else total / by)
                block[to + np.uint64(position[e])] = value


# ---- the passes ----------------------------------------------------------------------------------


@inner_kernel
def _load_own(v, o, d, tile, asked, source, high, low):
    """The values of a vertex, or (d > 0) those of closed walks, to the row of its subset.

    Returns `arrived`: its subset alone.
    """
    layout = source.layout
    width = tile[1] - tile[0]
    code = subset_of(v, asked)
    if code == 0:
        return mask_of(code)
    to = (code - 1) * width
    factor = np.float64(source.operators.diagonal[o, d - 1, v]) if d > 0 else 1.0
    values = layout.x
    if layout.is_full:
        for f in range(tile[0], tile[1]):
            own = values[v * layout.n_features + f]
            own = carried(own) if d > 0 else own
            high[to + f - tile[0]] = np.float32(factor * np.float64(own))
    else:
        for e in range(layout.row_ptr[0, v], layout.row_ptr[0, v + 1]):
            own = np.float64(carried(values[e]) if d > 0 else values[e])
            high[to + np.int64(layout.row_feature[e])] = np.float32(factor * own)
    return mask_of(code)


@inner_kernel
def _put_own(o, tile, asked, source, scratch, block, team, n_members):
    """Length 0 and closed walks of one operator."""
    layout = source.layout
    width = tile[1] - tile[0]
    high = scratch.high
    low = scratch.low
    while True:
        task = next_task(team, n_members, ROWS_A_TASK)
        if task >= asked.n:
            break
        for i in range(task, min(asked.n, task + ROWS_A_TASK)):
            v = layout.vertex[asked.rows[asked.start + i]]
            for d in range(asked.left_places.shape[1]):
                place = _place(asked, i, o, d, SOURCE if d == 0 else CYCLE)
                if place >= 0 and (asked.n_signs == 1 or source.patterns.own[place] < 0):
                    arrived = _load_own(v, o, d, tile, asked, source, high, low)
                    _put(i, place, 1.0, tile, arrived, 0, asked, source, high, low, block)
                    clear(
                        layout.row_ptr[0], layout.row_feature, v, width, arrived, layout.is_full,
                        high, low,
                    )  # fmt: skip


@inner_kernel
def _sum_at_endpoints(o, d, tile, asked, source, scratch, team, n_members):
    operators = source.operators
    stages = scratch.stages
    listed = stages.n_ends[d - 1]
    n = operators.into_indptr.shape[1] - 1 if listed == EVERYWHERE else listed
    while True:
        task = next_task(team, n_members, ROWS_A_TASK)
        if task >= n:
            break
        for i in range(task, min(n, task + ROWS_A_TASK)):
            m = i if listed == EVERYWHERE else np.int64(stages.ends[d - 1, i])
            arrived = np.int64(0)
            for e in range(operators.into_indptr[o, m], operators.into_indptr[o, m + 1]):
                u = np.int64(operators.into_sources[e])
                arrived |= add_before(
                    u, o, d, 1.0, tile, asked, source, scratch.rows, scratch.high, scratch.low
                )
            keep_sums(
                m, o, d, tile, arrived, asked, source, scratch.rows, scratch.high, scratch.low
            )


@inner_kernel
def _step_rows(o, d, tile, asked, source, scratch, team, n_members):
    """The rows of all vertices that later steps come from."""
    stages = scratch.stages
    listed = stages.n_vertices[d - 1]
    n = source.layout.row_ptr.shape[1] - 1 if listed == EVERYWHERE else listed
    while True:
        task = next_task(team, n_members, ROWS_A_TASK)
        if task >= n:
            break
        for i in range(task, min(n, task + ROWS_A_TASK)):
            v = i if listed == EVERYWHERE else np.int64(stages.vertices[d - 1, i])
            arrived = add_neighbours(
                v, o, d, tile, asked, source, scratch.rows, scratch.high, scratch.low
            )
            keep_row(v, o, d, tile, arrived, asked, source, scratch.rows, scratch.high, scratch.low)


@inner_kernel
def _gather_walked(v, n, o, d, last, tile, asked, source, scratch):
    """The answers of one vertex about walks of length d, as the n-th of those to be written.

    Rows of the last step are not kept: their sums are found here.
    """
    width = tile[1] - tile[0]
    operators = source.operators
    layout = source.layout
    answers = scratch.answers[n]
    if d < last:
        arrived = np.int64(scratch.rows.arrived[d % 2, v])
        for s in range(asked.n_signs):
            if in_mask(arrived, s):
                copy_row(scratch.rows.rows[d % 2, s], v * width, width, answers, s * width)
            else:
                fill_zeros(answers, s * width, width)
        return
    high = scratch.high
    low = scratch.low
    arrived = add_neighbours(v, o, d, tile, asked, source, scratch.rows, high, low)
    by = operators.divisor[o, v] if operators.divisor.shape[1] > 0 else 1.0
    for s in range(asked.n_signs):
        if in_mask(arrived, s):
            round_sums(high, low, s * width, width, by, answers, s * width)
        else:
            fill_zeros(answers, s * width, width)
    clear(layout.row_ptr[0], layout.row_feature, v, width, arrived, True, high, low)


@inner_kernel
def _put_full_rows(o, d, last, tile, task, asked, source, scratch, block):
    """The answers of one task; those of examples that ask the same question go together."""
    patterns = source.patterns
    vertex = source.layout.vertex
    stop = min(asked.n, task + ROWS_A_TASK)
    first = task
    while first < stop:
        place = _place(asked, first, o, d, SOURCE)
        end = min(stop, asked.n_left) if first < asked.n_left else stop
        if place >= 0:
            n = end - first
            for i in range(n):
                v = vertex[asked.rows[asked.start + first + i]]
                _gather_walked(v, i, o, d, last, tile, asked, source, scratch)
            write_columns(
                scratch.answers, asked.position, asked.start + first, n, place, asked.n_signs,
                tile, patterns, block,
            )  # fmt: skip
        first = end


@inner_kernel
def _put_listed_rows(o, d, last, tile, task, asked, source, scratch, block):
    """The same for rows that are lists, one by one."""
    layout = source.layout
    operators = source.operators
    high = scratch.high
    low = scratch.low
    level = level_of(o, d, operators.diagonal.shape[1])
    for i in range(task, min(asked.n, task + ROWS_A_TASK)):
        place = _place(asked, i, o, d, SOURCE)
        if place < 0:
            continue
        v = layout.vertex[asked.rows[asked.start + i]]
        by = 1.0
        if d == last:
            arrived = add_neighbours(v, o, d, tile, asked, source, scratch.rows, high, low)
            by = operators.divisor[o, v] if operators.divisor.shape[1] > 0 else 1.0
        else:
            arrived = add_before(v, o, d + 1, 1.0, tile, asked, source, scratch.rows, high, low)
        _put(i, place, by, tile, arrived, asked.left_out, asked, source, high, low, block)
        clear(
            layout.row_ptr[level], layout.row_feature, v, tile[1] - tile[0], arrived, False, high,
            low,
        )  # fmt: skip


@inner_kernel
def _put_walked(o, d, last, tile, asked, source, scratch, block, team, n_members):
    """The answers about walks of length d."""
    while True:
        task = next_task(team, n_members, ROWS_A_TASK)
        if task >= asked.n:
            break
        if source.layout.is_full:
            _put_full_rows(o, d, last, tile, task, asked, source, scratch, block)
        else:
            _put_listed_rows(o, d, last, tile, task, asked, source, scratch, block)


@inner_kernel
def _make_tile(tile, asked, source, scratch, block, team, place):
    """All columns of some features; False where the team was told to stop."""
    rank, n_members = place
    n_lengths = asked.left_places.shape[1]
    for o in range(asked.left_places.shape[0]):
        last = 0
        for d in range(1, n_lengths):
            if _is_asked(asked, o, d, SOURCE):
                last = d
        _put_own(o, tile, asked, source, scratch, block, team, n_members)
        if rank == 0 and last > 0:
            list_stages(
                asked.rows, asked.start, asked.n, o, last, source.layout, source.operators,
                scratch.stages,
            )  # fmt: skip
        if not barrier(team, n_members):
            return False
        for d in range(1, last + 1):
            if source.operators.has_endpoints:
                _sum_at_endpoints(o, d, tile, asked, source, scratch, team, n_members)
                if not barrier(team, n_members):
                    return False
            if d < last:
                _step_rows(o, d, tile, asked, source, scratch, team, n_members)
                if not barrier(team, n_members):
                    return False
            if _is_asked(asked, o, d, SOURCE):
                _put_walked(o, d, last, tile, asked, source, scratch, block, team, n_members)
                if not barrier(team, n_members):
                    return False
    return True


@inner_kernel
def make_columns(asked, source, scratch, block, team, place):
    """All columns of some examples; False where the team was told to stop."""
    layout = source.layout
    if not layout.is_full:
        tile = (np.int64(0), np.int64(layout.n_features))
        return _make_tile(tile, asked, source, scratch, block, team, place)
    for first in range(0, layout.n_features, TILE):
        tile = (np.int64(first), np.int64(min(layout.n_features, first + TILE)))
        if not _make_tile(tile, asked, source, scratch, block, team, place):
            return False
    return True
