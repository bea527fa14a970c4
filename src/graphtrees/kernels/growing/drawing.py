"""Columns drawn at random, for nodes that do not look at all of them."""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels.growing.chance import mixed, uniform
from graphtrees.kernels.growing.nodes import (
    CHILD,
    HELD_ONLY,
    IS_OPEN,
    N_DRAWN,
    N_LEGAL,
    N_LEGAL_TASKS,
    N_TRIED,
    TURN,
)
from graphtrees.kernels.growing.tasks import column_of_task, is_legal, pattern_of


@inner_kernel
def drawn_column(child, at, patterns, questions, work):
    """(task, feature) of a column that was drawn."""
    column = np.int64(work.drawn[child, at])
    start = work.legal_start[child]
    low = 0
    high = work.control[N_LEGAL_TASKS + child]
    while high - low > 1:
        middle = (low + high) // 2
        if start[middle] <= column:
            low = middle
        else:
            high = middle
    task = work.legal_tasks[child, low]
    k, c = column_of_task(task, questions)
    p = pattern_of(k, c, patterns)
    at = column - start[low]
    if work.control[HELD_ONLY + child]:
        return task, np.int64(work.held[child, p, at])
    return task, work.legal_features[p, at]


@inner_kernel
def begin_draw(child, held_only, patterns, questions, growth, nodes, work):
    """List what a child may ask about; `held_only` leaves out features that it does not hold."""
    control = work.control
    control[HELD_ONLY + child] = held_only
    number = control[CHILD + child]
    n = 0
    n_columns = 0
    for task in range(work.legal_tasks.shape[1]):
        k, c = column_of_task(task, questions)
        p = pattern_of(k, c, patterns)
        n_features = work.n_held[child, p] if held_only else work.n_legal_features[p]
        if n_features > 0 and is_legal(number, task, questions, growth, nodes):
            work.legal_tasks[child, n] = task
            work.legal_start[child, n] = n_columns
            n_columns += n_features
            n += 1
    control[N_LEGAL_TASKS + child] = n
    control[N_LEGAL + child] = n_columns
    control[N_TRIED + child] = 0
    control[TURN + child] = 1 if held_only else 0
    for word in range((control[N_LEGAL + child] + 63) // 64):
        work.is_tried[child, word] = 0


@inner_kernel
def draw_columns(child, growth, nodes, work):
    """Draw columns that were not tried yet, each with the same chance, in ascending order."""
    control = work.control
    n_legal = control[N_LEGAL + child]
    wanted = growth.n_drawn
    if wanted < 0:
        wanted = max(1, np.int64(growth.share_drawn * n_legal))
    left = n_legal - control[N_TRIED + child]
    wanted = min(wanted, left)
    key = mixed(nodes.key[control[CHILD + child]] + 3 + control[TURN + child])
    control[TURN + child] += 1
    control[N_TRIED + child] += wanted
    control[N_DRAWN + child] = wanted
    tried = work.is_tried[child]
    drawn = work.drawn[child]
    if 2 * wanted > left:  # most of them: choose those to leave out
        n = 0
        for column in range(n_legal):
            if not tried[column >> 6] >> (column & 63) & 1:
                drawn[n] = column
                n += 1
        for i in range(wanted):  # a partial shuffle
            j = i + np.int64(uniform(key, i) * (left - i))
            drawn[i], drawn[j] = drawn[j], drawn[i]
    else:
        n = 0
        i = 0
        while n < wanted:
            column = np.int64(uniform(key, i) * n_legal)
            i += 1
            if not tried[column >> 6] >> (column & 63) & 1:
                tried[column >> 6] |= np.int64(1) << (column & 63)
                drawn[n] = column
                n += 1
    for i in range(wanted):
        column = np.int64(drawn[i])
        tried[column >> 6] |= np.int64(1) << (column & 63)


@inner_kernel
def draw_again(patterns, questions, growth, nodes, work):
    """Another turn for children whose draw held no split; whether there is any.

    From the second turn on among the features that the child holds: no other one can part it.
    """
    control = work.control
    again = False
    for child in range(2):
        control[N_DRAWN + child] = 0
        if control[IS_OPEN + child]:
            number = control[CHILD + child]
            untried = control[N_TRIED + child] < control[N_LEGAL + child]
            if nodes.gain[number] <= 0.0 and untried and not control[HELD_ONLY + child]:
                begin_draw(child, True, patterns, questions, growth, nodes, work)
                untried = control[N_LEGAL + child] > 0
            control[IS_OPEN + child] = nodes.gain[number] <= 0.0 and untried
            if control[IS_OPEN + child]:
                draw_columns(child, growth, nodes, work)
                again = True
    return again
