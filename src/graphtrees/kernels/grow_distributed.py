"""Grow one tree by several workers, each of which has some of the rows.

The stages are those of `kernels/grow.py`, with the search cut into pieces where workers exchange
what they have (`kernels/growing/distributed_columns.py`, `distributed_cells.py`). Python calls
`run_stage` for each of them; a call takes a tenth of a millisecond, an exchange takes several. One
worker alone uses `grow`.
"""

from __future__ import annotations

from graphtrees.kernels import column_search, histograms
from graphtrees.kernels._jit import inner_kernel, kernel
from graphtrees.kernels._team import next_task
from graphtrees.kernels.grow import begin
from graphtrees.kernels.growing.children import divide_rows
from graphtrees.kernels.growing.distributed_cells import fill_cells, find_part, scan_column
from graphtrees.kernels.growing.distributed_columns import (
    choose_columns,
    count_child,
    expect_child,
    find_range,
    lay_out,
    list_columns,
    open_child,
    read_listed,
)
from graphtrees.kernels.growing.drawing import draw_again
from graphtrees.kernels.growing.nodes import AGAIN, CHILD, IS_OPEN, next_parent
from graphtrees.kernels.growing.settling import left_is_heavier
from graphtrees.kernels.growing.sources import make_split_columns, mark_split
from graphtrees.kernels.growing.tasks import column_of_task, rows_of

(
    BEGIN, COUNT, EXPECT, RANGES, OPEN, LAY_OUT, CELLS, SCAN, CHOOSE, READ, PART, FINISH, NEXT,
    MARK, APPLY,
) = range(15)  # fmt: skip

COLUMNS_A_TASK = 8


@inner_kernel
def _expect(source, questions, static, growth, limits, nodes, work, shared):
    """The columns whose ranges may be asked for, of those that this worker has entries of."""
    for child in range(2):
        expect_child(child, source, questions, growth, nodes, work)
    list_columns(False, source.patterns, questions, static, growth, limits, nodes, work, shared)


@inner_kernel
def _open(source, questions, static, stats, growth, limits, nodes, work, shared):
    """The columns of the children that are searched."""
    for child in range(2):
        if work.control[CHILD + child] >= 0:
            is_pure = shared.chosen[child, 0] != 0
            open_child(child, is_pure, source, questions, growth, limits, nodes, work, shared)
        else:
            work.control[IS_OPEN + child] = 0
    list_columns(True, source.patterns, questions, static, growth, limits, nodes, work, shared)


@inner_kernel
def _next(source, questions, static, growth, limits, nodes, work, shared):
    """Another turn of a draw, or the node to split next."""
    control = work.control
    patterns = source.patterns
    control[AGAIN] = growth.n_drawn != 0 and draw_again(patterns, questions, growth, nodes, work)
    if control[AGAIN]:
        list_columns(True, patterns, questions, static, growth, limits, nodes, work, shared)
    else:
        next_parent(growth, nodes, work)


@inner_kernel
def _finish(questions, limits, nodes, work, shared, room):
    """The best cut of the column in room.scratch, among the entries of all workers."""
    i = shared.span[0]
    scratch = room.scratch
    child = shared.child[i]
    k, c = column_of_task(shared.task[i], questions)
    s = 0 if k == 0 else c % 2
    rows = rows_of(child, k, c, nodes, work)
    n = shared.n_read[i]
    gain, highest, lowest = column_search.best_cut(room.entries, n, 0, -1, rows, limits, scratch)
    threshold = (highest + lowest) / 2.0
    missing_left = scratch.cut[histograms.MISSING_LEFT] != 0
    if scratch.cut[histograms.NO_MATTER]:
        missing_left = left_is_heavier(
            n, threshold, work.present_weight[child, k, s], room.entries, scratch
        )
    shared.part[0] = threshold
    shared.gain[i] = gain
    shared.weights[0] = missing_left


@inner_kernel
def _run_alone(stage, source, questions, static, stats, growth, limits, nodes, work, shared, room):
    """Stages that are quick, and for one thread."""
    patterns = source.patterns
    if stage == BEGIN:
        begin(patterns, questions, stats, growth, nodes, work)
    elif stage == EXPECT:
        _expect(source, questions, static, growth, limits, nodes, work, shared)
    elif stage == OPEN:
        _open(source, questions, static, stats, growth, limits, nodes, work, shared)
    elif stage == LAY_OUT:
        lay_out(patterns, questions, static, limits, nodes, work, shared)
    elif stage == CHOOSE:
        choose_columns(patterns, questions, growth, limits, nodes, work, shared)
    elif stage == READ:
        i = shared.span[0]
        shared.n_read[i] = read_listed(
            i, source, questions, static, growth, nodes, work, shared, room
        )
    elif stage == PART:
        find_part(
            shared.span[0], source, questions, static, stats, growth, limits, nodes, work,
            shared, room,
        )  # fmt: skip
    elif stage == FINISH:
        _finish(questions, limits, nodes, work, shared, room)
    elif stage == NEXT:
        _next(source, questions, static, growth, limits, nodes, work, shared)


@inner_kernel
def _count(source, questions, stats, growth, nodes, work, shared, rank, n_members):
    for child in range(2):
        number = work.control[CHILD + child]
        if number >= 0 and child % n_members == rank:
            count_child(child, source, questions, stats, growth, nodes, work, shared)
            start = nodes.start[number]
            stop = nodes.stop[number]
            is_pure = start == stop or histograms.is_pure(stats, work.rows, start, stop)
            shared.chosen[child, 0] = is_pure


@inner_kernel
def _run_columns(
    source, questions, static, stats, growth, limits, nodes, work, shared, room, team, place
):
    """Stages that take column after column of shared.span."""
    stage, _, n_members = place
    begin_at = shared.span[0]
    end = shared.span[1]
    first = shared.start[begin_at]
    while True:
        task = begin_at + next_task(team, n_members, COLUMNS_A_TASK)
        if task >= end:
            break
        for i in range(task, min(end, task + COLUMNS_A_TASK)):
            if stage == RANGES:
                find_range(i, source, questions, static, growth, limits, nodes, work, shared, room)
            elif stage == CELLS:
                fill_cells(
                    i, first, source, questions, static, stats, growth, limits, nodes, work,
                    shared, room,
                )  # fmt: skip
            else:
                scan_column(i, first, questions, stats, limits, nodes, work, shared, room)


@inner_kernel
def _run_stage(task, shared, room, team, place):
    source, questions, static = task.source, task.questions, task.static
    stats, growth, limits = task.stats, task.growth, task.limits
    nodes, work = task.nodes, task.work
    stage, rank, n_members = place
    if stage == MARK:
        mark_split(
            source, questions, static, growth, nodes, work, room.source, team, rank, n_members
        )
    elif stage == APPLY:
        if not divide_rows(stats, growth, nodes, work, team, rank, n_members):
            return
        make_split_columns(
            source, questions, static, growth, nodes, work, room.source, team, rank, n_members
        )
    elif stage == COUNT:
        _count(source, questions, stats, growth, nodes, work, shared, rank, n_members)
    elif stage == RANGES or stage == CELLS or stage == SCAN:
        _run_columns(
            source, questions, static, stats, growth, limits, nodes, work, shared, room, team, place
        )
    elif rank == 0:
        _run_alone(
            stage, source, questions, static, stats, growth, limits, nodes, work, shared, room
        )


@kernel
def run_stage(task, shared, room, team, place):
    """One stage, as one of the members of a team; place = (stage, rank, n_members).

    The task, the columns that are shared and the member's room are `stored` records.
    """
    _run_stage(task, shared, room, team, place)
