"""A task of the search is one question about every feature: which it is, and who may ask it."""

from __future__ import annotations

from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels.growing.nodes import CHILD, n_subsets
from graphtrees.kernels.growing_records import ColumnRows


@inner_kernel
def column_of_task(task, questions):
    """(distance of the subset, column of its block) of a task."""
    n_whole = questions.whole_length.shape[0]
    if task < n_whole:
        return 0, task
    width = 2 * questions.length.shape[0]
    return 1 + (task - n_whole) // width, (task - n_whole) % width


@inner_kernel
def pattern_of(k, c, patterns):
    """The pattern of the entries of a column."""
    return patterns.of_whole[c] if k == 0 else patterns.of_place[c // 2]


@inner_kernel
def rows_of(child, k, c, nodes, work):
    """The rows of a child as a column sees them."""
    number = work.control[CHILD + child]
    s = 0 if k == 0 else c % 2
    return ColumnRows(
        nodes.n_rows[number], work.n_present[child, k, s], nodes.total[number],
        work.present_total[child, k, s],
    )  # fmt: skip


@inner_kernel
def is_legal(number, task, questions, growth, nodes):
    k, c = column_of_task(task, questions)
    if k == 0:
        return questions.is_legal_whole[nodes.walk_types[number], c] != 0
    if k > n_subsets(number, growth, nodes):
        return False
    return questions.is_legal[nodes.walk_types[number], c // 2] != 0
