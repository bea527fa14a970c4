"""Vertices, edges, rows of tables: apply a split, make the columns of its subsets, ask one column.

Unlike graphs, which each thread takes one by one, all vertices may hang together: the team walks
them step by step.
"""

from __future__ import annotations

import numpy as np

from graphtrees._layout import CYCLE, IN_MINUS, IN_PLUS, OUTSIDE
from graphtrees.kernels import vertex_columns, vertex_walks
from graphtrees.kernels._jit import inner_kernel
from graphtrees.kernels._team import barrier, next_task
from graphtrees.kernels.growing.chance import draw_walk_types, mixed
from graphtrees.kernels.growing.nodes import CHILD, N_LEAVES, PARENT, ancestor
from graphtrees.kernels.vertex_records import Asked

VERTICES_A_TASK = 256


@inner_kernel
def _question_of(number, questions, nodes):
    """(operator, length, walk type) of a node's question."""
    place = nodes.place[number]
    if nodes.distance[number] == 0:
        walk_type = questions.whole_walk_type[place]
        return questions.whole_operator[place], questions.whole_length[place], walk_type
    walk_type = questions.walk_type[nodes.walk_types[number], place]
    return questions.operator[place], questions.length[place], walk_type


@inner_kernel
def _codes_row(number, distance, nodes):
    """Where the subsets of an ancestor are; 0, which is not read, for questions about all."""
    return nodes.slot[ancestor(number, distance, nodes)] if distance > 0 else 0


@inner_kernel
def _own_values(o, d, f, codes, want, source, z, team, n_members):
    """z = the feature, or what closed walks bring; 0 outside the subset."""
    n = z.shape[0]
    while True:
        task = next_task(team, n_members, VERTICES_A_TASK)
        if task >= n:
            break
        for v in range(task, min(n, task + VERTICES_A_TASK)):
            z[v] = np.float32(0.0)
            if want == 0 or codes[v] == want:
                z[v] = vertex_walks.own_value(v, f, o, d, source.layout, source.operators)


@inner_kernel
def _walk_together(o, d, f, codes, want, source, room, team, n_members):
    """z = A^d (1_S f), d > 0; to room.z after an even number of steps, else to room.spare."""
    operators = source.operators
    n = room.z.shape[0]
    n_ends = operators.into_indptr.shape[1] - 1
    before = room.z
    after = room.spare
    for step in range(d):
        while operators.has_endpoints:
            task = next_task(team, n_members, VERTICES_A_TASK)
            if task >= n_ends:
                break
            for m in range(task, min(n_ends, task + VERTICES_A_TASK)):
                vertex_walks.gather_lane(m, o, f, step == 0, codes, want, source, before, room)
        if not barrier(team, n_members):
            return False
        while True:
            task = next_task(team, n_members, VERTICES_A_TASK)
            if task >= n:
                break
            for v in range(task, min(n, task + VERTICES_A_TASK)):
                after[v] = vertex_walks.step_lane(
                    v, o, f, step == 0, codes, want, source, before, room
                )
        if not barrier(team, n_members):
            return False
        before, after = after, before
    return True


@inner_kernel
def _goes_left(value, parent, nodes):
    if value != value:
        return nodes.missing_left[parent]
    return np.float64(value) <= nodes.threshold[parent]


@inner_kernel
def _mark(parent, codes, want, z, nodes, out, team, n_members):
    """Write the two subsets that a split-node makes."""
    n = z.shape[0]
    while True:
        task = next_task(team, n_members, VERTICES_A_TASK)
        if task >= n:
            break
        for v in range(task, min(n, task + VERTICES_A_TASK)):
            if want != 0 and codes[v] != want:
                out[v] = OUTSIDE
            else:
                out[v] = IN_MINUS if _goes_left(z[v], parent, nodes) else IN_PLUS


@inner_kernel
def _part_rows(parent, z, layout, nodes, work, team, n_members):
    start = nodes.start[parent]
    n = nodes.stop[parent] - start
    while True:
        task = next_task(team, n_members, VERTICES_A_TASK)
        if task >= n:
            break
        for i in range(start + task, start + min(n, task + VERTICES_A_TASK)):
            v = layout.vertex[work.rows[i]]
            work.goes_left[i] = _goes_left(z[v], parent, nodes)


@inner_kernel
def _static_value(row, place, f, patterns, static):
    """The answer of an example to a question about the whole graph."""
    p = patterns.of_whole[place]
    start = patterns.whole_start[place]
    if patterns.is_full[p]:
        return static.values[start + patterns.feature_start[p, f] + row]
    for e in range(patterns.ptr[p, row], patterns.ptr[p, row + 1]):
        if patterns.feature[e] == f:
            return static.values[start + patterns.position[e]]
    return np.float32(0.0)


@inner_kernel
def _part_static_rows(parent, patterns, static, nodes, work, team, n_members):
    """The same without a walk: without subsets all questions are about columns made before."""
    start = nodes.start[parent]
    n = nodes.stop[parent] - start
    f = nodes.feature[parent]
    place = nodes.place[parent]
    while True:
        task = next_task(team, n_members, VERTICES_A_TASK)
        if task >= n:
            break
        for i in range(start + task, start + min(n, task + VERTICES_A_TASK)):
            value = _static_value(np.int64(work.rows[i]), place, f, patterns, static)
            work.goes_left[i] = _goes_left(value, parent, nodes)


@inner_kernel
def _left_out(number, patterns, nodes, codes):
    """Which subset of a split-node need not be walked from, 1 or 2: the larger one; 0: none."""
    if patterns.whole_of.shape[0] == 0 or nodes.distance[number] != 0:
        return np.int64(0)
    n_more = np.int64(0)
    for v in range(codes.shape[0]):
        n_more += np.int64(codes[v] == IN_PLUS) - np.int64(codes[v] == IN_MINUS)
    return np.int64(IN_PLUS if n_more > 0 else IN_MINUS)


@inner_kernel
def _make_subset_columns(
    parent, source, questions, static, growth, nodes, work, scratch, team, rank, n_members
):
    """The columns that the children will ask about."""
    a = growth.max_ancestor_distance
    depth = nodes.depth[parent]
    key = nodes.key[parent]
    left = draw_walk_types(growth, mixed(key + 1))
    right = draw_walk_types(growth, mixed(key + 2))
    oldest = depth
    if growth.walk_type_probability < 1.0:  # columns of older subsets were made for other types
        oldest = max(0, depth - a + 1)
    start = nodes.start[parent]
    n_left = nodes.start[nodes.right[parent]] - start
    position = work.positions[0] if work.positions.shape[0] > 0 else work.rows
    for k in range(oldest, depth + 1):
        up = ancestor(parent, depth - k, nodes)
        codes = work.codes[nodes.slot[up]]
        asked = Asked(
            work.rows, position, start, nodes.stop[parent] - start, n_left, codes, 2,
            questions.places[left], questions.places[right],
            _left_out(up, source.patterns, nodes, codes), static.values,
        )  # fmt: skip
        block = work.blocks[k % a]
        if not vertex_columns.make_columns(asked, source, scratch, block, team, (rank, n_members)):
            return


@inner_kernel
def _mark_subsets(source, questions, static, growth, nodes, work, scratch, team, n_members):
    """Part the rows of a node, mark the two subsets; False where the team was told to stop."""
    parent = work.control[PARENT]
    if growth.max_ancestor_distance == 0:
        _part_static_rows(parent, source.patterns, static, nodes, work, team, n_members)
        return True
    o, d, walk_type = _question_of(parent, questions, nodes)
    f = nodes.feature[parent]
    want = nodes.sign[parent]
    codes = work.codes[_codes_row(parent, nodes.distance[parent], nodes)]
    room = scratch.lane
    walked = d > 0 and walk_type != CYCLE
    z = room.spare if walked and d % 2 == 1 else room.z
    if walked:
        if not _walk_together(o, d, f, codes, want, source, room, team, n_members):
            return False
    else:
        _own_values(o, d, f, codes, want, source, z, team, n_members)
        if not barrier(team, n_members):
            return False
    _part_rows(parent, z, source.layout, nodes, work, team, n_members)
    if not barrier(team, n_members):
        return False
    _mark(parent, codes, want, z, nodes, work.codes[nodes.slot[parent]], team, n_members)
    return barrier(team, n_members)


def make_vertex_columns(
    source, questions, static, growth, nodes, work, scratch, team, rank, n_members
):
    """The columns of the subsets that a split made, unless no split can follow.

    The rows have gone to the children by now: answers are stored in their order.
    """
    more = growth.max_leaf_nodes == 0 or work.control[N_LEAVES] < growth.max_leaf_nodes
    if more and growth.makes_blocks and growth.max_ancestor_distance > 0:
        _make_subset_columns(
            work.control[PARENT], source, questions, static, growth, nodes, work, scratch, team,
            rank, n_members,
        )  # fmt: skip


def mark_vertices(source, questions, static, growth, nodes, work, scratch, team, rank, n_members):
    """Part the rows of a node, and mark the two subsets."""
    _mark_subsets(source, questions, static, growth, nodes, work, scratch, team, n_members)


def list_vertices_inside(source, child, k, nodes, work):
    """The rows of a child that are inside each of the two subsets of the ancestor at distance k."""
    number = work.control[CHILD + child]
    if work.inside.shape[1] == 0:
        return
    codes = work.codes[_codes_row(number, k, nodes)]
    inside = work.inside[k - 1]
    start = np.uint64(nodes.start[number])
    last = np.uint64(nodes.stop[number] - 1)
    n_plus = np.uint64(0)
    n_minus = np.uint64(0)
    # Branch-free: always write, at both ends, move an end only if inside its subset.
    for i in range(start, np.uint64(nodes.stop[number])):
        row = work.rows[i]
        code = codes[source.layout.vertex[np.uint64(row)]]
        inside[start + n_plus] = row
        inside[last - n_minus] = row
        n_plus += np.uint64(code == IN_PLUS)
        n_minus += np.uint64(code == IN_MINUS)
    work.n_inside_rows[child, k - 1, 0] = n_plus
    work.n_inside_rows[child, k - 1, 1] = n_minus


def ask_vertices(
    source, child, k, c, f, entries, questions, growth, nodes, work, scratch, source_scratch
):
    """The entries of one column that was not made."""
    number = work.control[CHILD + child]
    place = c // 2
    want = 1 + c % 2
    layout = source.layout
    o = questions.operator[place]
    d = questions.length[place]
    walk_type = questions.walk_type[nodes.walk_types[number], place]
    codes = work.codes[_codes_row(number, k, nodes)]
    walked = d > 0 and walk_type != CYCLE
    room = source_scratch.own_lane
    z = room.spare if d % 2 == 1 else room.z
    if walked:
        vertex_walks.walk_alone(
            entries.row, entries.start, entries.stop - entries.start, o, d, f, codes, want, source,
            source_scratch,
        )  # fmt: skip
    n = 0
    for i in range(entries.start, entries.stop):
        row = np.int64(entries.row[i])
        v = layout.vertex[row]
        value = np.float32(0.0)
        if walked:
            value = z[v]
        elif codes[v] == want:
            value = vertex_walks.own_value(v, f, o, d, layout, source.operators)
        scratch.values[n] = value
        scratch.rows[n] = row
        n += value != 0.0
    return n
