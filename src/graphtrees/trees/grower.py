"""Grow trees by teams of threads inside compiled code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphtrees._communicator import Share
from graphtrees._layout import LEAF, NO_AGGREGATOR
from graphtrees._teams import run_team
from graphtrees.kernels import grow, grow_distributed
from graphtrees.kernels._references import stored
from graphtrees.kernels.growing.nodes import N_FREE, N_NODES, NEEDS_ROOM, PARENT, RESUMED
from graphtrees.kernels.growing_records import Growth, Nodes, Room, SharedColumns, Task, Work
from graphtrees.questions.table import bits_of
from graphtrees.trees.criterion import Criterion, Statistics
from graphtrees.trees.distributed import Search, new_shared_columns, room_for
from graphtrees.trees.limits import GrowthLimits
from graphtrees.trees.tree import GrownTree, Tree, prune
from graphtrees.trees.workspace import Workspace, add_slots, empty_nodes, search_limits

# A thread more is worth its while for so many answers (example × question) a tree level.
ANSWERS_A_THREAD = 150_000

# So many examples are copied to add up leaves, not all of them at once.
EXAMPLES_AT_A_TIME = 2**16

# Below this share of the questions, columns are made one by one, not for all features at once.
ONE_BY_ONE = 0.06


@dataclass(frozen=True)
class Draws:
    """Random draws: questions of a node (a number or a share), features of the tree, ties."""

    seed: int
    max_features: float | int | None = None
    features: np.ndarray | None = None
    ties_at_random: bool = False

    @classmethod
    def of(cls, rng: np.random.Generator, *given, **named) -> Draws:
        """With a seed from this generator."""
        return cls(int(rng.integers(2**62)), *given, **named)


def grow_tree(
    data, statistics: Statistics, criterion: Criterion, limits: GrowthLimits,
    examples: np.ndarray, draws: Draws, n_threads: int,
) -> GrownTree:  # fmt: skip
    """Split the leaf with the largest gain until a limit is met; then prune."""
    share = data.share
    stats = statistics.record(criterion)
    if share is not None:
        stats = stats._replace(words=stats.words[share.rows], weight=stats.weight[share.rows])
    growth = _growth(data, limits, draws)
    n_words = stats.words.shape[1]
    members = min(n_threads, max(1, data.n_answers // ANSWERS_A_THREAD))
    workspace = data.workspace(members, n_words, growth)
    nodes = empty_nodes(_most_nodes(limits, len(examples)), n_words)
    rows = examples if share is None else _mine(share, examples)
    work = workspace.work._replace(rows=workspace.work.rows[: len(rows)])
    work.rows[:] = rows
    work.control[RESUMED] = 0
    features = np.ones(data.limits.n_columns, bool) if draws.features is None else draws.features
    searched = search_limits(
        limits.min_samples_leaf, data.max_bins, data.has_missing, data.space.of_graphs
    )
    given = (
        data.columns.source(), data.questions.record(features), data.static, stats, growth,
        searched, nodes,
    )  # fmt: skip
    grow_nodes = _grow_alone if share is None else _grow_distributed
    work = grow_nodes(data, workspace, given, work, members)
    n_nodes = int(work.control[N_NODES])
    nodes = Nodes(*(array[:n_nodes] for array in nodes))
    leaf_of = np.full(data.n_here, LEAF, np.int64)
    for number in np.flatnonzero(nodes.left == LEAF).tolist():
        leaf_of[work.rows[nodes.start[number] : nodes.stop[number]]] = number
    data.give_back(workspace)
    leaf_of = leaf_of if share is None else share.in_order(leaf_of)
    tree = _freeze(nodes, data.questions, statistics, criterion, leaf_of)
    weight = float(statistics.weight[examples].sum() * statistics.weight_unit)
    tree, number_of = prune(tree, limits.ccp_alpha, weight)
    return GrownTree(tree, np.where(leaf_of == LEAF, LEAF, number_of[leaf_of]))


def _mine(share: Share, examples: np.ndarray) -> np.ndarray:
    """Which of this worker's examples are among these."""
    chosen = np.zeros(share.n, bool)
    chosen[examples] = True
    return np.flatnonzero(chosen[share.rows])


def _grow_alone(data, workspace: Workspace, given: tuple, work: Work, members: int) -> Work:
    """All stages in one call of compiled code."""

    def run(work: Work) -> None:
        task, rooms = stored(Task(*given, work)), workspace.members
        run_team(
            data.workers, members,
            lambda team, rank: grow.grow(task, rooms[rank], team, (rank, members)),
        )  # fmt: skip

    run(work)
    while work.control[NEEDS_ROOM]:
        work = _with_room(work, given[-1])
        work.control[RESUMED] = 1
        run(work)
    return work


def _grow_distributed(data, workspace: Workspace, given: tuple, work: Work, members: int) -> Work:
    """Stage by stage, with what other workers found in between."""
    source, _, static, stats, growth, searched, nodes = given
    rooms = [
        Room(*scratch, room_for(stats, workspace.shape.n_gathered))
        for scratch in zip(workspace.scratch, workspace.source_scratch, strict=True)
    ]

    stored_rooms = [stored(room) for room in rooms]
    last, task = work, stored(Task(*given, work))

    def run(stage: int, work: Work, shared: SharedColumns) -> None:
        nonlocal last, task
        if work is not last:  # there is more room for subsets
            last, task = work, stored(Task(*given, work))
        columns = stored(shared)
        run_team(
            data.workers, members,
            lambda team, rank: grow_distributed.run_stage(
                task, columns, stored_rooms[rank], team, (stage, rank, members)
            ),
        )  # fmt: skip

    shared, questions = workspace.shared or new_shared_columns(workspace.shape), data.questions
    halo = data.share.halo if growth.max_ancestor_distance else None
    search = Search(
        run, data.communicator, source.patterns, static, questions.whole.width,
        questions.subset.width, stats, searched, nodes, work, shared, rooms[0], halo,
        growth.max_leaf_nodes,
    )  # fmt: skip
    work = search.grow(lambda work: _with_room(work, nodes))
    workspace.shared = search.shared
    return work


def _with_room(work: Work, nodes: Nodes) -> Work:
    """More places for subsets, the first of them for the node that is to be split."""
    work = add_slots(work)
    control = work.control
    control[N_FREE] -= 1
    nodes.slot[control[PARENT]] = work.free_slots[control[N_FREE]]
    control[NEEDS_ROOM] = 0
    return work


def _growth(data, limits: GrowthLimits, draws: Draws) -> Growth:
    space = data.space
    n_drawn, share = 0, 1.0
    if isinstance(draws.max_features, (int, np.integer)):
        n_drawn = int(draws.max_features)
        share = n_drawn / max(1, data.n_questions())
    elif draws.max_features is not None:
        n_drawn, share = -1, float(draws.max_features)
    return Growth(
        max_leaf_nodes=limits.max_leaf_nodes or 0,
        max_depth=-1 if limits.max_depth is None else limits.max_depth,
        min_gain=float(limits.min_gain),
        # No node looks up further than to the root: a larger number would only take memory.
        max_ancestor_distance=min(
            data.max_ancestor_distance, limits.deepest_split(data.n_examples)
        ),
        all_walk_types=bits_of(frozenset(space.walk_types)),
        walk_type_probability=space.walk_type_probability,
        ties_at_random=draws.ties_at_random,
        seed=draws.seed,
        n_drawn=n_drawn,
        share_drawn=share,
        makes_blocks=share > ONE_BY_ONE,
        all_present=data.vertices is not None,
    )


def _most_nodes(limits: GrowthLimits, n: int) -> int:
    leaves = min(n, limits.max_leaf_nodes or n)
    if limits.max_depth is not None and limits.max_depth < 40:
        leaves = min(leaves, 2**limits.max_depth)
    return 2 * max(1, leaves) + 1


def _freeze(
    nodes: Nodes, questions, statistics: Statistics, criterion: Criterion, leaf_of: np.ndarray
) -> Tree:
    """The nodes as a tree."""
    n = len(nodes.left)
    is_split = nodes.left != LEAF
    of_subset = is_split & (nodes.distance > 0)
    pointer = np.arange(n)
    for number in np.flatnonzero(of_subset).tolist():
        for _ in range(int(nodes.distance[number])):
            pointer[number] = nodes.parent[pointer[number]]

    def read(whole: np.ndarray, subset: np.ndarray, otherwise: int, dtype) -> np.ndarray:
        out = np.full(n, otherwise, dtype)
        asked = is_split & ~of_subset
        out[asked] = whole[nodes.place[asked]]
        out[of_subset] = subset
        return out

    place = nodes.place[of_subset]
    whole, subset = questions.whole, questions.subset
    named = questions.named[nodes.walk_types[of_subset], place]
    totals = _totals(nodes, statistics, leaf_of)
    return Tree(
        column=np.where(is_split, nodes.feature, LEAF).astype(np.int32),
        operator=read(whole.operator, subset.operator[place], 0, np.int32),
        walk_length=read(whole.walk_length, subset.walk_length[place], 0, np.int32),
        pointer=pointer.astype(np.int32),
        sign=np.where(is_split, nodes.sign, 0).astype(np.int8),
        walk_type=read(whole.walk_type, named, 0, np.int8),
        aggregator=read(whole.aggregator, subset.aggregator[place], NO_AGGREGATOR, np.int8),
        threshold=np.where(is_split, nodes.threshold, 0.0),
        missing_left=np.where(is_split, nodes.missing_left, True),
        left=nodes.left.astype(np.int32),
        right=nodes.right.astype(np.int32),
        depth=nodes.depth.astype(np.int32),
        gain=np.where(is_split, nodes.gain, 0.0),
        n_samples=nodes.n_rows,
        value=criterion.values(statistics.sums(totals)),
    )


def _totals(nodes: Nodes, statistics: Statistics, leaf_of: np.ndarray) -> np.ndarray:
    """Exact sums of every node: those of leaves, added up towards the root."""
    table = statistics.table
    totals = np.zeros((len(nodes.left), table.shape[1]), table.dtype)
    for start in range(0, len(leaf_of), EXAMPLES_AT_A_TIME):
        some = slice(start, start + EXAMPLES_AT_A_TIME)
        used = leaf_of[some] != LEAF
        np.add.at(totals, leaf_of[some][used], table[some][used])
    for number in range(len(totals) - 1, 0, -1):
        totals[nodes.parent[number]] += totals[number]
    return totals
