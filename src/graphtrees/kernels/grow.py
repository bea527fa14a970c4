"""Grow one tree, best split first, by a team of threads that enter compiled code once.

    begin ─► search ─► settle ─► apply the best split ─► make the children ─┐
                ▲                                                            │
                └────────────────────────────────────────────────────────────┘

Between any two stages the team meets at a barrier. Rows of a stage (examples, questions) are shared
out by a counter. What one thread alone does is small: settling a node's best split, choosing the
next node. Nothing depends on the number of threads.

    rows   = [a b c d e f | g h]      a node owns rows[start:stop]
    after  = [a d f | b c e | g h]    left child first; order inside a child is kept

An example passes every depth once, so what belongs to a split-node is stored by its depth: the
subsets in codes[depth % (a + 1)], the columns of these in blocks[depth % a], where `a` is
max_ancestor_distance.
"""

from __future__ import annotations

import numba
import numpy as np

from graphtrees.kernels import column_search, graph_values
from graphtrees.kernels._jit import by_type, inner_kernel, kernel
from graphtrees.kernels._team import barrier, next_task
from graphtrees.kernels.growing_records import (
    ColumnRows,
    Entries,
    ExactGraphSource,
    GraphSource,
    PlainGraphSource,
)

LEAF = -1
INFINITY = graph_values.INFINITY
OUTSIDE, IN_PLUS, IN_MINUS = 0, 1, 2
SUM_OF = 0

# Slots of Work.control; those from CHILD on have one for each of two children.
PARENT, N_NODES, N_LEAVES, N_QUEUED, AGAIN = 0, 1, 2, 3, 4
CHILD, IS_OPEN, N_LEGAL, N_TRIED, N_DRAWN, TURN, N_LEGAL_TASKS, HELD_ONLY = (
    5, 7, 9, 11, 13, 15, 17, 19,
)  # fmt: skip
CONTROL_SIZE = 21

GRAPHS_A_TASK = 16

# A column of whole numbers is counted without a look at its range where that leaves no more than
# so many bins for each entry.
BINS_AN_ENTRY = 2


# ---- chance --------------------------------------------------------------------------------------


def _mixed_plainly(number):
    """A random-looking number for every number (splitmix64)."""
    z = (int(number) + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    z ^= z >> 31
    return np.int64(z - 2**64 if z >= 2**63 else z)


@inner_kernel
def _mixed(number):
    z = np.uint64(number) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64(z ^ (z >> np.uint64(31)))


# NumPy's own numbers warn where they overflow, and do not turn negative ones into unsigned ones.
mixed = _mixed_plainly if numba.config.DISABLE_JIT else _mixed


@inner_kernel
def uniform(key, number):
    """The number-th random number in [0, 1) of a node."""
    return (mixed(key ^ mixed(number)) >> 11) * 2.0**-53 + 0.5


@inner_kernel
def _draw_walk_types(growth, key):
    """The walk types that a node may ask about, one bit each."""
    if growth.walk_type_probability >= 1.0:
        return growth.all_walk_types
    drawn = 0
    for t in range(4):
        bit = 1 << t
        if growth.all_walk_types & bit and uniform(key, t) < growth.walk_type_probability:
            drawn |= bit
    return drawn


# ---- nodes ---------------------------------------------------------------------------------------


@inner_kernel
def _add_node(parent, key, start, stop, rows, stats, growth, nodes, number):
    """Number `number` owns rows[start:stop]."""
    nodes.start[number] = start
    nodes.stop[number] = stop
    nodes.parent[number] = parent
    nodes.depth[number] = nodes.depth[parent] + 1 if parent >= 0 else 0
    nodes.left[number] = LEAF
    nodes.right[number] = LEAF
    nodes.gain[number] = 0.0
    nodes.key[number] = key
    nodes.walk_types[number] = _draw_walk_types(growth, key)
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
def _is_searched(child, growth, limits, nodes, work):
    """Whether this child of the last split is looked at for a split of its own."""
    number = work.control[CHILD + child]
    if number < 0 or not _may_split(number, growth, limits, nodes):
        return False
    return growth.max_leaf_nodes == 0 or work.control[N_LEAVES] < growth.max_leaf_nodes


@inner_kernel
def _n_subsets(number, growth, nodes):
    return min(growth.max_ancestor_distance, nodes.depth[number])


# ---- the queue of nodes to split -----------------------------------------------------------------


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
def _next_parent(growth, nodes, work):
    """Queue the children that have a split; then the node to split next, or LEAF."""
    control = work.control
    for child in range(2):
        number = control[CHILD + child]
        if number >= 0 and nodes.gain[number] > growth.min_gain:
            _push(number, nodes, work)
    full = growth.max_leaf_nodes > 0 and control[N_LEAVES] >= growth.max_leaf_nodes
    control[PARENT] = LEAF if full or control[N_QUEUED] == 0 else _pop(nodes, work)


# ---- one stage: apply the best split of a node ---------------------------------------------------


@inner_kernel
def _mark(first, n, z, aggregator, threshold, missing_left, codes, want, out):
    """Write the two subsets that a split-node makes of one graph."""
    n_inside = 0
    for v in range(n):
        n_inside += want == 0 or codes[first + v] == want
    if aggregator == SUM_OF and n_inside > 0:
        threshold = threshold / n_inside
    for v in range(n):
        if want != 0 and codes[first + v] != want:
            out[first + v] = OUTSIDE
        elif z[v] != z[v]:
            out[first + v] = IN_MINUS if missing_left else IN_PLUS
        else:
            out[first + v] = IN_PLUS if np.float64(z[v]) > threshold else IN_MINUS


@inner_kernel
def _note_alive(g, codes, layout, alive):
    """Remember which of the two subsets of a graph hold any vertex."""
    alive[g, 0] = 0
    alive[g, 1] = 0
    for v in range(layout.vertex_ptr[g], layout.vertex_ptr[g + 1]):
        if codes[v] != OUTSIDE:
            alive[g, np.int64(codes[v]) - 1] = 1


@inner_kernel
def _apply_to_graph(g, parent, questions, growth, nodes, work, layout, operators, scratch):
    """Ask one graph the parent's question: whether it goes left, and the subsets it makes."""
    distance = nodes.distance[parent]
    place = nodes.place[parent]
    want = nodes.sign[parent]
    depth = nodes.depth[parent]
    if distance == 0:
        o = questions.whole_operator[place]
        d = questions.whole_length[place]
        walk_type = questions.whole_walk_type[place]
        aggregator = questions.whole_aggregator[place]
    else:
        o = questions.operator[place]
        d = questions.length[place]
        walk_type = questions.walk_type[nodes.walk_types[parent], place]
        aggregator = questions.aggregator[place]
    ring = growth.max_ancestor_distance + 1
    codes = work.codes[max(0, depth - distance) % ring]
    lane = graph_values.lane_of(layout, g, nodes.feature[parent])
    graph_values.walk_lane(g, lane, o, d, walk_type, codes, want, layout, operators, scratch)
    answer = graph_values.aggregate(g, walk_type, aggregator, codes, want, layout, scratch.z)
    if growth.max_ancestor_distance > 0:
        first = layout.vertex_ptr[g]
        n = layout.vertex_ptr[g + 1] - first
        made = work.codes[depth % ring]
        _mark(
            first, n, scratch.z, aggregator, nodes.threshold[parent], nodes.missing_left[parent],
            codes, want, made,
        )  # fmt: skip
        _note_alive(g, made, layout, work.alive[depth % growth.max_ancestor_distance])
    if answer != answer:
        return nodes.missing_left[parent]
    return np.float64(answer) <= nodes.threshold[parent]


@inner_kernel
def _make_subset_columns(
    g, key, parent, questions, growth, nodes, work, source, careful, errors, scratch
):
    """The columns that the child of this graph will ask about."""
    a = growth.max_ancestor_distance
    depth = nodes.depth[parent]
    walk_types = _draw_walk_types(growth, key)
    oldest = depth
    if growth.walk_type_probability < 1.0:  # columns of older subsets were made for other types
        oldest = max(0, depth - a + 1)
    for k in range(oldest, depth + 1):
        graph_values.make_graph(
            g, work.codes[k % (a + 1)], 2, questions.slots[walk_types], source, careful, errors,
            scratch, work.blocks[k % a],
        )  # fmt: skip


@inner_kernel
def _apply_to_graphs(
    source, careful, errors, questions, growth, nodes, work, scratch, team, n_members
):
    parent = work.control[PARENT]
    start = nodes.start[parent]
    n = nodes.stop[parent] - start
    more = growth.max_leaf_nodes == 0 or work.control[N_LEAVES] + 1 < growth.max_leaf_nodes
    makes = more and growth.makes_blocks and growth.max_ancestor_distance > 0
    key = nodes.key[parent]
    while True:
        task = next_task(team, n_members, GRAPHS_A_TASK)
        if task >= n:
            break
        for i in range(task, min(n, task + GRAPHS_A_TASK)):
            g = np.int64(work.rows[start + i])
            goes_left = _apply_to_graph(
                g, parent, questions, growth, nodes, work, source.layout, source.operators, scratch
            )
            work.goes_left[start + i] = goes_left
            if makes:
                child_key = mixed(key + (1 if goes_left else 2))
                _make_subset_columns(
                    g,
                    child_key,
                    parent,
                    questions,
                    growth,
                    nodes,
                    work,
                    source,
                    careful,
                    errors,
                    scratch,
                )


def _apply_any(source, questions, growth, nodes, work, scratch, team, n_members):
    _apply_to_graphs(source, True, True, questions, growth, nodes, work, scratch, team, n_members)


def _apply_exact(source, questions, growth, nodes, work, scratch, team, n_members):
    _apply_to_graphs(source, True, None, questions, growth, nodes, work, scratch, team, n_members)


def _apply_plain(source, questions, growth, nodes, work, scratch, team, n_members):
    _apply_to_graphs(source, None, None, questions, growth, nodes, work, scratch, team, n_members)


_apply = by_type(
    {GraphSource: _apply_any, ExactGraphSource: _apply_exact, PlainGraphSource: _apply_plain}
)


# ---- one stage: make the children ----------------------------------------------------------------


@inner_kernel
def _make_child(child, source, stats, growth, limits, nodes, work):
    """One child's rows, node and entries."""
    control = work.control
    parent = control[PARENT]
    start = nodes.start[parent]
    stop = nodes.stop[parent]
    n_left = 0
    for i in range(start, stop):
        n_left += work.goes_left[i]
    from_row = start if child == 0 else start + n_left
    to = from_row
    for i in range(start, stop):
        if work.goes_left[i] == (child == 0):
            work.spare_rows[to] = work.rows[i]
            to += 1
    number = control[N_NODES] + child
    key = mixed(nodes.key[parent] + 1 + child)
    _add_node(parent, key, from_row, to, work.spare_rows, stats, growth, nodes, number)


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
    for i in range(start, stop):
        row = np.int64(rows[i])
        for e in range(patterns.ptr[p, row], patterns.ptr[p, row + 1]):
            ptr[feature[e] + 1] += 1
    ptr[0] = patterns.ptr[p, 0]
    for f in range(n_features):
        ptr[f + 1] += ptr[f]
    for i in range(start, stop):
        row = np.int64(rows[i])
        for e in range(patterns.ptr[p, row], patterns.ptr[p, row + 1]):
            f = feature[e]
            position[ptr[f]] = patterns.position[e]
            entry_row[ptr[f]] = row
            ptr[f] += 1
    for f in range(n_features, 0, -1):  # each start has moved to its stop
        ptr[f] = ptr[f - 1]
    ptr[0] = patterns.ptr[p, 0]


@inner_kernel
def _list_held(child, p, questions, patterns, work):
    """The features offered that any example of a node holds."""
    ptr = work.entry_ptr[child, p]
    held = work.held[child, p]
    n = 0
    for f in range(patterns.n_features[p]):
        held[n] = f
        n += ptr[f + 1] > ptr[f] and questions.is_offered[f] != 0
    work.n_held[child, p] = n


@inner_kernel
def _sum_alive(child, number, rows, stats, growth, nodes, work):
    """The sums over rows whose subset is not empty, for every subset that a node may use."""
    words = stats.words
    a = growth.max_ancestor_distance
    for k in range(_n_subsets(number, growth, nodes) + 1):
        alive = work.alive[(nodes.depth[number] - k) % a if k > 0 else a]
        for s in range(2 if k > 0 else 1):
            total = work.alive_total[child, k, s]
            n = 0
            weight = np.int64(0)
            for j in range(words.shape[1]):
                total[j] = 0
            for i in range(nodes.start[number], nodes.stop[number]):
                row = rows[i]
                if alive[row, s]:
                    n += 1
                    weight += stats.weight[row]
                    for j in range(words.shape[1]):
                        total[j] += words[row, j]
            work.n_alive[child, k, s] = n
            work.alive_weight[child, k, s] = weight


@inner_kernel
def _make_children(source, stats, growth, limits, nodes, work, n_members, rank):
    for child in range(2):
        if child % n_members == rank:
            _make_child(child, source, stats, growth, limits, nodes, work)


@inner_kernel
def _prepare_children(source, questions, stats, growth, limits, nodes, work, n_members, rank):
    """What the search needs of the children that are looked at for a split of their own."""
    control = work.control
    for child in range(2):
        if child % n_members == rank:
            number = control[CHILD + child]
            is_open = _is_searched(child, growth, limits, nodes, work)
            if is_open:
                start = nodes.start[number]
                is_open = not column_search.is_pure(stats, work.rows, start, nodes.stop[number])
            control[IS_OPEN + child] = is_open
            control[N_DRAWN + child] = 0
            if control[IS_OPEN + child]:
                for p in range(source.patterns.n_features.shape[0]):
                    _list_entries(child, p, number, work.rows, source.patterns, nodes, work)
                    _list_held(child, p, questions, source.patterns, work)
                _sum_alive(child, number, work.rows, stats, growth, nodes, work)
                if growth.n_drawn != 0:
                    _begin_draw(child, False, source.patterns, questions, growth, nodes, work)
                    _draw(child, growth, nodes, work)


@inner_kernel
def _adopt_children(nodes, work):
    """The rows of the children take the place of their parent's."""
    control = work.control
    parent = control[PARENT]
    for i in range(nodes.start[parent], nodes.stop[parent]):
        work.rows[i] = work.spare_rows[i]
    for child in range(2):
        control[CHILD + child] = control[N_NODES] + child
    nodes.left[parent] = control[N_NODES]
    nodes.right[parent] = control[N_NODES] + 1
    control[N_NODES] += 2
    control[N_LEAVES] += 1


# ---- one stage: search the children --------------------------------------------------------------


@inner_kernel
def _column_of_task(task, questions):
    """(distance of the subset, column of its block) of a task."""
    n_whole = questions.whole_length.shape[0]
    if task < n_whole:
        return 0, task
    width = 2 * questions.length.shape[0]
    return 1 + (task - n_whole) // width, (task - n_whole) % width


@inner_kernel
def _pattern_of(k, c, patterns):
    """The pattern of the entries of a column."""
    return patterns.of_whole[c] if k == 0 else patterns.of_place[c // 2]


@inner_kernel
def _gather(child, p, f, values, work, scratch):
    """The entries of one column that are not 0 into scratch; returns how many there are."""
    position = work.entry_position[child]
    entry_row = work.entry_row[child]
    found = scratch.values
    rows = scratch.rows
    n = np.uint64(0)
    start = np.uint64(work.entry_ptr[child, p, f])
    for i in range(start, np.uint64(work.entry_ptr[child, p, f + 1])):
        # Branch-free: always write, advance only if non-zero and alive.
        value = values[np.uint64(position[i])]
        found[n] = value
        rows[n] = entry_row[i]
        n += np.uint64(value != np.float32(0.0)) & np.uint64(value != INFINITY)
    return np.int64(n)


@inner_kernel
def _ask_graphs(child, k, c, f, source, questions, growth, nodes, work, scratch, source_scratch):
    """`_gather` for a column that was not made: every graph is asked now."""
    number = work.control[CHILD + child]
    place = c // 2
    want = 1 + c % 2
    layout = source.layout
    o = questions.operator[place]
    d = questions.length[place]
    walk_type = questions.walk_type[nodes.walk_types[number], place]
    aggregator = questions.aggregator[place]
    depth = nodes.depth[number] - k
    codes = work.codes[depth % (growth.max_ancestor_distance + 1)]
    alive = work.alive[depth % growth.max_ancestor_distance]
    p = source.patterns.of_place[place]
    first = source.patterns.ptr[p, 0]
    n = 0
    for i in range(work.entry_ptr[child, p, f], work.entry_ptr[child, p, f + 1]):
        g = np.int64(work.entry_row[child, i])
        if alive[g, want - 1]:
            lane = layout.lane_at[first + work.entry_position[child, i]] - layout.lane_ptr[g]
            graph_values.walk_lane(
                g, lane, o, d, walk_type, codes, want, layout, source.operators, source_scratch
            )
            value = graph_values.aggregate(
                g, walk_type, aggregator, codes, want, layout, source_scratch.z
            )
            scratch.values[n] = value
            scratch.rows[n] = g
            n += value != 0.0
    return n


@inner_kernel
def _read(child, k, c, f, source, questions, static, growth, nodes, work, scratch, source_scratch):
    """The entries of one column that are not 0 into scratch; returns how many there are."""
    patterns = source.patterns
    p = _pattern_of(k, c, patterns)
    if k == 0:
        column = static.values[patterns.whole_start[c] : patterns.whole_start[c + 1]]
        return _gather(child, p, f, column, work, scratch)
    if growth.makes_blocks:
        slot = (nodes.depth[work.control[CHILD + child]] - k) % growth.max_ancestor_distance
        column = work.blocks[slot, patterns.start[c] : patterns.start[c + 1]]
        return _gather(child, p, f, column, work, scratch)
    return _ask_graphs(
        child, k, c, f, source, questions, growth, nodes, work, scratch, source_scratch
    )


@inner_kernel
def _read_bins(child, f, c, patterns, static, work, scratch):
    """The entries of a whole-graph column with their bins."""
    position = work.entry_position[child]
    entry_row = work.entry_row[child]
    p = patterns.of_whole[c]
    start = patterns.whole_start[c]
    first = work.entry_ptr[child, p, f]
    n = work.entry_ptr[child, p, f + 1] - first
    for i in range(n):
        scratch.rows[i] = entry_row[first + i]
        scratch.bins[i] = static.bins[start + position[first + i]]
    return n


@inner_kernel
def _search_column(
    child, k, c, f, source, questions, static, stats, growth, limits, nodes, work, scratch,
    source_scratch,
):  # fmt: skip
    """The best gain of one column of a child; -inf: none."""
    number = work.control[CHILD + child]
    s = 0 if k == 0 else c % 2
    rows = ColumnRows(
        nodes.stop[number] - nodes.start[number], work.n_alive[child, k, s], nodes.total[number],
        work.alive_total[child, k, s],
    )  # fmt: skip
    patterns = source.patterns
    p = _pattern_of(k, c, patterns)
    start = work.entry_ptr[child, p, f]
    stop = work.entry_ptr[child, p, f + 1]
    n = stop - start
    if n == 0 or column_search.hopeless(n, rows.n_alive, rows.n_rows - rows.n_alive, limits):
        return -np.inf
    if k == 0 and limits.max_bins > 0:
        n_bins = static.n_bins[c, f]
        if n_bins < 2:
            return -np.inf
        n = _read_bins(child, f, c, patterns, static, work, scratch)
        return column_search.best_static_gain(
            stats, n, n_bins, static.zero_bin[c, f], rows, limits, scratch
        )
    if k > 0 and growth.makes_blocks:
        bound = static.bound[c // 2, f]
        if 0 <= bound < min(limits.max_bins, BINS_AN_ENTRY * n):
            entries = Entries(work.entry_position[child], work.entry_row[child], start, stop)
            slot = (nodes.depth[number] - k) % growth.max_ancestor_distance
            column = work.blocks[slot, patterns.start[c] : patterns.start[c + 1]]
            return column_search.best_whole_gain(
                stats, entries, column, bound, rows, limits, scratch
            )
    n = _read(
        child, k, c, f, source, questions, static, growth, nodes, work, scratch, source_scratch
    )
    return column_search.best_gain(stats, n, rows, limits, scratch) if n > 0 else -np.inf


@inner_kernel
def _is_legal(number, task, questions, growth, nodes):
    k, c = _column_of_task(task, questions)
    if k == 0:
        return questions.is_legal_whole[nodes.walk_types[number], c] != 0
    if k > _n_subsets(number, growth, nodes):
        return False
    return questions.is_legal[nodes.walk_types[number], c // 2] != 0


@inner_kernel
def _search_task(
    child, task, source, questions, static, stats, growth, limits, nodes, work, scratch,
    source_scratch,
):  # fmt: skip
    """The best gain of one question about every feature that the node holds."""
    best = -np.inf
    if _is_legal(work.control[CHILD + child], task, questions, growth, nodes):
        k, c = _column_of_task(task, questions)
        p = _pattern_of(k, c, source.patterns)
        number = work.control[CHILD + child]
        n_alive = work.n_alive[child, k, 0 if k == 0 else c % 2]
        n_missing = nodes.stop[number] - nodes.start[number] - n_alive
        ptr = work.entry_ptr[child, p]
        for i in range(work.n_held[child, p]):
            f = np.int64(work.held[child, p, i])
            n = ptr[f + 1] - ptr[f]
            gain = -np.inf
            if not column_search.hopeless(n, n_alive, n_missing, limits):
                gain = _search_column(
                    child, k, c, f, source, questions, static, stats, growth, limits, nodes, work,
                    scratch, source_scratch,
                )  # fmt: skip
            work.gain[child, work.gain_start[task] + f] = gain
            best = max(best, gain)
    work.task_gain[child, task] = best


@inner_kernel
def _search_all(
    source, questions, static, stats, growth, limits, nodes, work, scratch, source_scratch, team,
    n_members,
):  # fmt: skip
    n_tasks = work.task_gain.shape[1]
    while True:
        task = next_task(team, n_members, 1)
        if task >= 2 * n_tasks:
            break
        child = task // n_tasks
        if work.control[IS_OPEN + child]:
            _search_task(
                child, task % n_tasks, source, questions, static, stats, growth, limits, nodes,
                work, scratch, source_scratch,
            )  # fmt: skip


@inner_kernel
def _search_drawn(
    source, questions, static, stats, growth, limits, nodes, work, scratch, source_scratch, team,
    n_members,
):  # fmt: skip
    control = work.control
    while True:
        task = next_task(team, n_members, 1)
        if task >= control[N_DRAWN] + control[N_DRAWN + 1]:
            break
        child = 0 if task < control[N_DRAWN] else 1
        at = task - child * control[N_DRAWN]
        drawn, f = _drawn(child, at, source.patterns, questions, work)
        k, c = _column_of_task(drawn, questions)
        work.gain[child, at] = _search_column(
            child, k, c, f, source, questions, static, stats, growth, limits, nodes, work,
            scratch, source_scratch,
        )  # fmt: skip


# ---- the draw of questions -----------------------------------------------------------------------


@inner_kernel
def _drawn(child, at, patterns, questions, work):
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
    k, c = _column_of_task(task, questions)
    p = _pattern_of(k, c, patterns)
    at = column - start[low]
    if work.control[HELD_ONLY + child]:
        return task, np.int64(work.held[child, p, at])
    return task, work.legal_features[p, at]


@inner_kernel
def _begin_draw(child, held_only, patterns, questions, growth, nodes, work):
    """List what a child may ask about; `held_only` leaves out features that it does not hold."""
    control = work.control
    control[HELD_ONLY + child] = held_only
    number = control[CHILD + child]
    n = 0
    n_columns = 0
    for task in range(work.legal_tasks.shape[1]):
        k, c = _column_of_task(task, questions)
        p = _pattern_of(k, c, patterns)
        n_features = work.n_held[child, p] if held_only else work.n_legal_features[p]
        if n_features > 0 and _is_legal(number, task, questions, growth, nodes):
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
def _draw(child, growth, nodes, work):
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


# ---- one stage: settle the best split of a child -------------------------------------------------


@inner_kernel
def _finish(
    child, task, f, source, questions, static, stats, growth, limits, nodes, work, scratch,
    source_scratch,
):  # fmt: skip
    """(threshold, missing goes left, gain) of the best cut of one column."""
    number = work.control[CHILD + child]
    k, c = _column_of_task(task, questions)
    s = 0 if k == 0 else c % 2
    rows = ColumnRows(
        nodes.stop[number] - nodes.start[number], work.n_alive[child, k, s], nodes.total[number],
        work.alive_total[child, k, s],
    )  # fmt: skip
    static_bins = 0
    zero_bin = -1
    n = _read(
        child, k, c, f, source, questions, static, growth, nodes, work, scratch, source_scratch
    )
    if k == 0 and limits.max_bins > 0 and n > limits.refined_rows:
        patterns = source.patterns
        n = _read_bins(child, f, c, patterns, static, work, scratch)
        first = work.entry_ptr[child, patterns.of_whole[c], f]
        for i in range(n):
            at = patterns.whole_start[c] + work.entry_position[child, first + i]
            scratch.values[i] = static.values[at]
        static_bins = static.n_bins[c, f]
        zero_bin = static.zero_bin[c, f]
    gain, highest, lowest = column_search.best_cut(
        stats, n, static_bins, zero_bin, rows, limits, scratch
    )
    threshold = (highest + lowest) / 2.0
    missing_left = scratch.cut[column_search.MISSING_LEFT] != 0
    if scratch.cut[column_search.NO_MATTER]:
        missing_left = _left_is_heavier(
            n, threshold, work.alive_weight[child, k, s], stats, scratch
        )
    return threshold, missing_left, gain


@inner_kernel
def _left_is_heavier(n, threshold, weight_alive, stats, scratch):
    """Whether at least half of the weight with a known answer goes left."""
    left = np.int64(0)
    right = np.int64(0)
    zeros = weight_alive
    for i in range(n):
        weight = stats.weight[scratch.rows[i]]
        value = np.float64(scratch.values[i])
        zeros -= weight
        if value <= threshold:
            left += weight
        elif value > threshold:
            right += weight
    if threshold >= 0.0:
        left += zeros
    else:
        right += zeros
    return left >= right


@inner_kernel
def _comes_first(a, b, growth, key):
    """Whether of two equally good questions the first is kept: the simpler, or by chance."""
    if growth.ties_at_random:
        one = mixed(key ^ mixed(a))
        other = mixed(key ^ mixed(b))
        if one != other:
            return one < other
    return a < b


@inner_kernel
def _name(task, f, walk_types, questions):
    """A number for every question, smaller for simpler ones; both signs of a subset are alike.

    It is made of the parts of the question alone, so that the same question has the same chance
    whatever else may be asked.
    """
    k, c = _column_of_task(task, questions)
    if k == 0:
        d, o = questions.whole_length[c], questions.whole_operator[c]
        walk_type, aggregator = questions.whole_walk_type[c], questions.whole_aggregator[c]
    else:
        place = c // 2
        d, o = questions.length[place], questions.operator[place]
        walk_type, aggregator = questions.walk_type[walk_types, place], questions.aggregator[place]
    name = ((np.int64(k) * 1024 + d) * 4096 + o) * 32 + walk_type * 8 + aggregator + 1
    return name * 2**24 + f


@inner_kernel
def _best_of_all(child, patterns, questions, growth, limits, nodes, work):
    """(largest gain, task, feature) among all questions."""
    number = work.control[CHILD + child]
    key = nodes.key[number]
    best = -np.inf
    for task in range(work.task_gain.shape[1]):
        best = max(best, work.task_gain[child, task])
    near = best * (1 - limits.tolerance)
    chosen = np.int64(-1)
    chosen_task = -1
    feature = -1
    for task in range(work.task_gain.shape[1] if best > 0.0 else 0):
        if work.task_gain[child, task] >= near:
            k, c = _column_of_task(task, questions)
            p = _pattern_of(k, c, patterns)
            for i in range(work.n_held[child, p]):
                f = np.int64(work.held[child, p, i])
                if work.gain[child, work.gain_start[task] + f] >= near:
                    name = _name(task, f, nodes.walk_types[number], questions)
                    if chosen < 0 or _comes_first(name, chosen, growth, key):
                        chosen, chosen_task, feature = name, task, f
    return best, chosen_task, feature


@inner_kernel
def _best_of_drawn(child, patterns, questions, growth, limits, nodes, work):
    """(largest gain, task, feature) among the questions drawn."""
    control = work.control
    number = control[CHILD + child]
    key = nodes.key[number]
    best = -np.inf
    for i in range(control[N_DRAWN + child]):
        best = max(best, work.gain[child, i])
    near = best * (1 - limits.tolerance)
    chosen = np.int64(-1)
    chosen_task = -1
    feature = -1
    for i in range(control[N_DRAWN + child] if best > 0.0 else 0):
        if work.gain[child, i] >= near:
            task, f = _drawn(child, i, patterns, questions, work)
            name = _name(task, f, nodes.walk_types[number], questions)
            if chosen < 0 or _comes_first(name, chosen, growth, key):
                chosen, chosen_task, feature = name, task, f
    return best, chosen_task, feature


@inner_kernel
def _gain_of(child, task, f, patterns, questions, growth, work):
    """The gain of a column; -inf where it was not asked about."""
    if growth.n_drawn == 0:
        known = work.task_gain[child, task] > 0.0
        return work.gain[child, work.gain_start[task] + f] if known else -np.inf
    control = work.control
    for i in range(control[N_DRAWN + child]):
        drawn, feature = _drawn(child, i, patterns, questions, work)
        if drawn == task and feature == f:
            return work.gain[child, i]
    return -np.inf


@inner_kernel
def _settle(
    child, source, questions, static, stats, growth, limits, nodes, work, scratch, source_scratch
):
    """Of equally good splits the simplest; then the smaller threshold, then S+."""
    number = work.control[CHILD + child]
    patterns = source.patterns
    if growth.n_drawn == 0:
        best, task, f = _best_of_all(child, patterns, questions, growth, limits, nodes, work)
    else:
        best, task, f = _best_of_drawn(child, patterns, questions, growth, limits, nodes, work)
    if task < 0:
        return
    near = best * (1 - limits.tolerance)
    n_whole = questions.whole_length.shape[0]
    n_signs = 1
    if task >= n_whole:
        task -= (task - n_whole) % 2
        n_signs = 2
    found = False
    for s in range(n_signs):
        if _gain_of(child, task + s, f, patterns, questions, growth, work) < near:
            continue
        threshold, missing_left, gain = _finish(
            child, task + s, f, source, questions, static, stats, growth, limits, nodes, work,
            scratch, source_scratch,
        )  # fmt: skip
        if not found or threshold < nodes.threshold[number]:
            found = True
            k, c = _column_of_task(task + s, questions)
            nodes.threshold[number] = threshold
            nodes.missing_left[number] = missing_left
            nodes.gain[number] = gain
            nodes.distance[number] = k
            nodes.place[number] = c if k == 0 else c // 2
            nodes.sign[number] = 0 if k == 0 else IN_PLUS + c % 2
            nodes.feature[number] = f


# ---- a tree --------------------------------------------------------------------------------------


@inner_kernel
def begin(patterns, questions, stats, growth, nodes, work):
    """The root, and the features that this tree may use."""
    control = work.control
    n_rows = work.rows.shape[0]
    _add_node(LEAF, mixed(growth.seed), 0, n_rows, work.rows, stats, growth, nodes, 0)
    control[PARENT] = LEAF
    control[N_NODES] = 1
    control[N_LEAVES] = 1
    control[N_QUEUED] = 0
    control[CHILD] = 0
    control[CHILD + 1] = LEAF
    for p in range(patterns.n_features.shape[0]):
        n = 0
        for f in range(patterns.n_features[p]):
            if questions.is_offered[f] and patterns.is_kept[p, f]:
                work.legal_features[p, n] = f
                n += 1
        work.n_legal_features[p] = n


@inner_kernel
def _search(
    source, questions, static, stats, growth, limits, nodes, work, scratch, source_scratch, team,
    n_members,
):  # fmt: skip
    if growth.n_drawn == 0:
        _search_all(
            source, questions, static, stats, growth, limits, nodes, work, scratch, source_scratch,
            team, n_members,
        )  # fmt: skip
    else:
        _search_drawn(
            source, questions, static, stats, growth, limits, nodes, work, scratch, source_scratch,
            team, n_members,
        )  # fmt: skip


@inner_kernel
def _draw_again(patterns, questions, growth, nodes, work):
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
                _begin_draw(child, True, patterns, questions, growth, nodes, work)
                untried = control[N_LEGAL + child] > 0
            control[IS_OPEN + child] = nodes.gain[number] <= 0.0 and untried
            if control[IS_OPEN + child]:
                _draw(child, growth, nodes, work)
                again = True
    return again


@kernel
def grow(
    source, questions, static, stats, growth, limits, nodes, work, scratch, source_scratch, team,
    place,
):  # fmt: skip
    """Grow a tree on work.rows as one of the members of a team; place = (rank, n_members)."""
    rank, n_members = place
    control = work.control
    if rank == 0:
        begin(source.patterns, questions, stats, growth, nodes, work)
    while barrier(team, n_members):
        _prepare_children(source, questions, stats, growth, limits, nodes, work, n_members, rank)
        while True:
            if not barrier(team, n_members):
                return
            _search(
                source, questions, static, stats, growth, limits, nodes, work, scratch,
                source_scratch, team, n_members,
            )  # fmt: skip
            if not barrier(team, n_members):
                return
            for child in range(2):
                if child % n_members == rank and control[IS_OPEN + child]:
                    _settle(
                        child, source, questions, static, stats, growth, limits, nodes, work,
                        scratch, source_scratch,
                    )  # fmt: skip
            if not barrier(team, n_members):
                return
            if rank == 0:
                control[AGAIN] = growth.n_drawn != 0 and _draw_again(
                    source.patterns, questions, growth, nodes, work
                )
                if not control[AGAIN]:
                    _next_parent(growth, nodes, work)
            if not barrier(team, n_members):
                return
            if not control[AGAIN]:
                break
        if control[PARENT] == LEAF:
            return
        _apply(source, questions, growth, nodes, work, source_scratch, team, n_members)
        if not barrier(team, n_members):
            return
        _make_children(source, stats, growth, limits, nodes, work, n_members, rank)
        if not barrier(team, n_members):
            return
        if rank == 0:
            _adopt_children(nodes, work)
