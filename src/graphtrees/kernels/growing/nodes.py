"""The nodes of a tree while it grows, and the queue of those to be split."""

from __future__ import annotations

import numpy as np

from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels.growing.chance import draw_walk_types

LEAF = -1
NO_SLOT = -1

# Slots of Work.control; those from CHILD on have one for each of two children.
PARENT, N_NODES, N_LEAVES, N_QUEUED, AGAIN, N_FREE, NEEDS_ROOM, RESUMED = range(8)
CHILD, IS_OPEN, N_LEGAL, N_TRIED, N_DRAWN, TURN, N_LEGAL_TASKS, HELD_ONLY = range(8, 24, 2)
CONTROL_SIZE = 24


@inner_kernel
def add_node(parent, key, start, stop, rows, stats, growth, nodes, number):
    """Number `number` owns rows[start:stop]."""
    nodes.start[number] = start
    nodes.stop[number] = stop
    nodes.n_rows[number] = stop - start
    nodes.parent[number] = parent
    nodes.depth[number] = nodes.depth[parent] + 1 if parent >= 0 else 0
    nodes.left[number] = LEAF
    nodes.right[number] = LEAF
    nodes.gain[number] = 0.0
    nodes.key[number] = key
    nodes.slot[number] = NO_SLOT
    nodes.n_users[number] = 0
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
    deep = growth.max_depth >= 0 and nodes.depth[number] >= growth.max_depth
    return not deep and nodes.n_rows[number] >= max(2, 2 * limits.min_samples)


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
def ancestor(number, distance, nodes):
    for _ in range(distance):
        number = nodes.parent[number]
    return number


@inner_kernel
def _free_slot(number, nodes, work):
    if nodes.slot[number] != NO_SLOT and nodes.n_users[number] == 0:
        work.free_slots[work.control[N_FREE]] = nodes.slot[number]
        work.control[N_FREE] += 1
        nodes.slot[number] = NO_SLOT


@inner_kernel
def _use_subsets(number, change, growth, nodes, work):
    """Count a node among the users of its ancestors' subsets, or take it off."""
    up = number
    for _ in range(n_subsets(number, growth, nodes)):
        up = nodes.parent[up]
        nodes.n_users[up] += change
        _free_slot(up, nodes, work)


@inner_kernel
def _take_slot(growth, nodes, work):
    """A place for the subsets of the node to be split; NEEDS_ROOM where there is none left."""
    control = work.control
    if growth.max_ancestor_distance > 0 and control[PARENT] != LEAF:
        control[NEEDS_ROOM] = control[N_FREE] == 0
        if not control[NEEDS_ROOM]:
            control[N_FREE] -= 1
            nodes.slot[control[PARENT]] = work.free_slots[control[N_FREE]]


@inner_kernel
def next_parent(growth, nodes, work):
    """Queue the children that have a split; then the node to split next, or LEAF."""
    control = work.control
    has_slots = work.free_slots.shape[0] > 0
    last = nodes.parent[control[CHILD]]
    for child in range(2):
        number = control[CHILD + child]
        if number >= 0 and nodes.gain[number] > growth.min_gain:
            _push(number, nodes, work)
            if has_slots:
                _use_subsets(number, 1, growth, nodes, work)
    if has_slots and last != LEAF:
        _use_subsets(last, -1, growth, nodes, work)
        _free_slot(last, nodes, work)
    full = growth.max_leaf_nodes > 0 and control[N_LEAVES] >= growth.max_leaf_nodes
    control[PARENT] = LEAF if full or control[N_QUEUED] == 0 else _pop(nodes, work)
    if has_slots:
        _take_slot(growth, nodes, work)
