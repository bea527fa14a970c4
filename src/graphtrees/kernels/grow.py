"""Grow one tree, best split first, by a team of threads that enter compiled code once.

    begin ─► search ─► settle ─► apply the best split ─► make the children ─┐
                ▲                                                            │
                └────────────────────────────────────────────────────────────┘

Between any two stages the team meets at a barrier. Rows of a stage (examples, questions) are shared
out by a counter. What one thread alone does is small, and done by the last one to come to a
barrier: settling the children's splits, choosing the next node. Nothing depends on the number of
threads.

    rows   = [a b c d e f | g h]      a node owns rows[start:stop]
    after  = [a d f | b c e | g h]    left child first; order inside a child is kept

An example passes every depth once, so the columns of the subsets that a split-node makes are
stored by its depth, in blocks[depth % a], where `a` is max_ancestor_distance. So are the subsets of
graphs, in codes[depth % (a + 1)]. Vertices of one graph may be in several branches of the tree:
there every split-node has subsets of its own, in a slot that another node takes over once nobody
can ask about them. Where slots run out, `grow` returns (NEEDS_ROOM) and is called again with more
of them (RESUMED).

Full columns about subsets hold the answers of vertices in the order of rows, so that a child reads
a stretch of each. A grandchild finds its answers at positions[1], unless walk types are drawn, when
columns of all ancestors are made anew for every child. When a node is split, its columns take the
place of those that nodes of its own depth, its sibling and itself, have been searched by.
With more than two ancestors in reach other branches would still need them: there, and for graphs,
answers stand by the number of the example.
"""

from __future__ import annotations

from graphtrees.kernels._jit import inner_kernel, kernel
from graphtrees.kernels._team import barrier, comes_last, goes_on, let_go
from graphtrees.kernels.growing.chance import mixed
from graphtrees.kernels.growing.children import divide_rows, prepare_children
from graphtrees.kernels.growing.drawing import draw_again
from graphtrees.kernels.growing.nodes import (
    AGAIN,
    CHILD,
    IS_OPEN,
    LEAF,
    N_FREE,
    N_LEAVES,
    N_NODES,
    N_QUEUED,
    NEEDS_ROOM,
    PARENT,
    RESUMED,
    add_node,
    next_parent,
)
from graphtrees.kernels.growing.searching import search_all, search_drawn
from graphtrees.kernels.growing.settling import find_cuts, settle_child
from graphtrees.kernels.growing.sources import make_split_columns, mark_split


@inner_kernel
def begin(patterns, questions, stats, growth, nodes, work):
    """The root, and the features that this tree may use."""
    control = work.control
    n_rows = work.rows.shape[0]
    add_node(LEAF, mixed(growth.seed), 0, n_rows, work.rows, stats, growth, nodes, 0)
    control[PARENT] = LEAF
    control[N_NODES] = 1
    control[N_LEAVES] = 1
    control[N_QUEUED] = 0
    control[N_FREE] = work.free_slots.shape[0]
    control[NEEDS_ROOM] = 0
    for slot in range(work.free_slots.shape[0]):
        work.free_slots[slot] = slot
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
        search_all(
            source, questions, static, stats, growth, limits, nodes, work, scratch, source_scratch,
            team, n_members,
        )  # fmt: skip
    else:
        search_drawn(
            source, questions, static, stats, growth, limits, nodes, work, scratch, source_scratch,
            team, n_members,
        )  # fmt: skip


@inner_kernel
def _settle(source, questions, growth, nodes, work):
    """The splits of the children; then another turn of a draw, or the node to split next."""
    control = work.control
    for child in range(2):
        if control[IS_OPEN + child]:
            settle_child(child, questions, nodes, work)
    control[AGAIN] = growth.n_drawn != 0 and draw_again(
        source.patterns, questions, growth, nodes, work
    )
    if not control[AGAIN]:
        next_parent(growth, nodes, work)


@inner_kernel
def _find_parent(
    source, questions, static, stats, growth, limits, nodes, work, scratch, source_scratch, team,
    place,
):  # fmt: skip
    """Search the children of the last split, then choose the next; False: the team must stop."""
    n_members = place[1]
    control = work.control
    if not prepare_children(source, questions, stats, growth, limits, nodes, work, team, place):
        return False
    while True:
        if not barrier(team, n_members):
            return False
        _search(
            source, questions, static, stats, growth, limits, nodes, work, scratch, source_scratch,
            team, n_members,
        )  # fmt: skip
        if not barrier(team, n_members):
            return False
        for child in range(2):
            if control[IS_OPEN + child]:
                find_cuts(
                    child, source, questions, static, stats, growth, limits, nodes, work, scratch,
                    source_scratch, place,
                )  # fmt: skip
        if comes_last(team, n_members):
            _settle(source, questions, growth, nodes, work)
            let_go(team, n_members)
        if not goes_on(team):
            return False
        if not control[AGAIN]:
            return True


@inner_kernel
def _grow(task, member, team, place):
    source, questions, static = task.source, task.questions, task.static
    stats, growth, limits = task.stats, task.growth, task.limits
    nodes, work = task.nodes, task.work
    scratch, source_scratch = member.scratch, member.source
    rank, n_members = place
    control = work.control
    resumed = control[RESUMED] != 0
    if rank == 0 and not resumed:
        begin(source.patterns, questions, stats, growth, nodes, work)
    if not barrier(team, n_members):
        return
    while True:
        if not resumed and not _find_parent(
            source, questions, static, stats, growth, limits, nodes, work, scratch, source_scratch,
            team, place,
        ):  # fmt: skip
            return
        if control[PARENT] == LEAF or control[NEEDS_ROOM]:
            return
        resumed = False
        mark_split(
            source, questions, static, growth, nodes, work, source_scratch, team, rank, n_members
        )
        if not barrier(team, n_members):
            return
        if not divide_rows(stats, growth, nodes, work, team, rank, n_members):
            return
        make_split_columns(
            source, questions, static, growth, nodes, work, source_scratch, team, rank, n_members
        )


@kernel
def grow(task, member, team, place):
    """Grow a tree on task.work.rows as a member of a team; place = (rank, n_members).

    The task and the member's room are `stored` records.
    """
    _grow(task, member, team, place)
