"""The nodes of a tree while it grows, and the queue of those to be split."""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels.growing.chance import draw_walk_types

LEAF = -1

# Slots of Work.control; those from CHILD on have one for each of two children.
PARENT, N_NODES, N_LEAVES, N_QUEUED, AGAIN = 0, 1, 2, 3, 4
CHILD, IS_OPEN, N_LEGAL, N_TRIED, N_DRAWN, TURN, N_LEGAL_TASKS, HELD_ONLY = (
    5, 7, 9, 11, 13, 15, 17, 19,
)  # fmt: skip
CONTROL_SIZE = 21


@inner_kernel
def add_node(parent, key, start, stop, rows, stats, growth, nodes, number):
    """Number `number` owns rows[start:stop]."""
    nodes.start[number] = start
    nodes.stop[number] = stop
    nodes.parent[number] = parent
    nodes.depth[number] = nodes.depth[parent] + 1 if parent >= 0 else 0
    nodes.left[number] = LEAF
    nodes.right[number] = LEAF
    nodes.gain[number] = 0.0
    nodes.key[number] = key
    nodes.walk_types[number] = draw_walk_types(growth, key)
    words = stats.words
    total = nodes.total
    weight = np.int64(0)
    for k in range(words.shape[1]):
        total[number, k] = 0
    for i in range(start, stop):
        row = rows[i]
        weight += stats.weight[row]
        for k in range(words.shape[1]):
            total[number, k] += words[row, k]
    nodes.weight[number] = weight


@inner_kernel
def _may_split(number, growth, limits, nodes):
    n = nodes.stop[number] - nodes.start[number]
    deep = growth.max_depth >= 0 and nodes.depth[number] >= growth.max_depth
    return not deep and n >= max(2, 2 * limits.min_samples)


@inner_kernel
def is_searched(child, growth, limits, nodes, work):
    """Whether this child of the last split is looked at for a split of its own."""
    number = work.control[CHILD + child]
    if number < 0 or not _may_split(number, growth, limits, nodes):
        return False
    return growth.max_leaf_nodes == 0 or work.control[N_LEAVES] < growth.max_leaf_nodes


@inner_kernel
def n_subsets(number, growth, nodes):
    return min(growth.max_ancestor_distance, nodes.depth[number])


@inner_kernel
def _comes_before(a, b, nodes):
    return nodes.gain[a] > nodes.gain[b] or (nodes.gain[a] == nodes.gain[b] and a < b)


@inner_kernel
def _push(number, nodes, work):
    """Keep the queue a binary heap, the largest gain on top."""
    queue = work.queue
    at = work.control[N_QUEUED]
    work.control[N_QUEUED] += 1
    while at > 0 and _comes_before(number, queue[(at - 1) // 2], nodes):
        queue[at] = queue[(at - 1) // 2]
        at = (at - 1) // 2
    queue[at] = number


@inner_kernel
def _pop(nodes, work):
    queue = work.queue
    top = queue[0]
    work.control[N_QUEUED] -= 1
    n = work.control[N_QUEUED]
    last = queue[n]
    at = 0
    while 2 * at + 1 < n:
        child = 2 * at + 1
        if child + 1 < n and _comes_before(queue[child + 1], queue[child], nodes):
            child += 1
        if not _comes_before(queue[child], last, nodes):
            break
        queue[at] = queue[child]
        at = child
    queue[at] = last
    return top


@inner_kernel
def next_parent(growth, nodes, work):
    """Queue the children that have a split; then the node to split next, or LEAF."""
    control = work.control
    for child in range(2):
        number = control[CHILD + child]
        if number >= 0 and nodes.gain[number] > growth.min_gain:
            _push(number, nodes, work)
    full = growth.max_leaf_nodes > 0 and control[N_LEAVES] >= growth.max_leaf_nodes
    control[PARENT] = LEAF if full or control[N_QUEUED] == 0 else _pop(nodes, work)
