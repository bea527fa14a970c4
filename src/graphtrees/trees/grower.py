"""Grow a tree best-first: the only place that decides when to stop."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np

from graphtrees._layout import LEAF, NO_AGGREGATOR
from graphtrees.kernels import answer
from graphtrees.trees.limits import GrowthLimits
from graphtrees.trees.splitter import WHOLE, Offer, Split, Splitter, Subsets
from graphtrees.trees.team_grower import Draws
from graphtrees.trees.team_grower import grow_tree as grow_by_team
from graphtrees.trees.tree import GrownTree, Tree, prune

# Two children are searched side by side unless they are so small that Python, of which one thread
# runs at a time, is most of the work, or so large that sharing out their rows does as well.
SIDE_BY_SIDE_FROM, SIDE_BY_SIDE_TO = 128, 8192


@dataclass
class Node:
    """A node while the tree grows; `codes` are the subsets it made, once it is split."""

    number: int
    depth: int
    parent: Node | None
    examples: np.ndarray
    total: np.ndarray
    split: Split | None = None
    histograms: dict[int, np.ndarray] = field(default_factory=dict, repr=False)
    codes: np.ndarray | None = field(default=None, repr=False)
    left: int = LEAF
    right: int = LEAF

    def ancestor(self, distance: int) -> Node:
        node = self
        for _ in range(distance):
            assert node.parent is not None
            node = node.parent
        return node


def grow_tree(splitter: Splitter, limits: GrowthLimits, examples: np.ndarray) -> GrownTree:
    """Split the leaf with the largest gain until a limit is met; then prune."""
    if splitter.data.vertices is None:
        draws = Draws(
            int(splitter.rng.integers(2**62)),
            splitter.max_features,
            splitter.features,
            splitter.ties_at_random,
        )
        return grow_by_team(
            splitter.data, splitter.statistics, splitter.criterion, limits, examples, draws,
            splitter.n_threads,
        )  # fmt: skip
    grower = _Grower(splitter, limits)
    grower.grow(examples)
    leaf_of = np.full(splitter.data.n_examples, LEAF, np.int64)
    for node in grower.nodes:
        if node.left == LEAF:
            leaf_of[node.examples] = node.number
    tree, number = prune(grower.freeze(), limits.ccp_alpha, splitter.weight(examples))
    return GrownTree(tree, np.where(leaf_of == LEAF, LEAF, number[leaf_of]))


class _Grower:
    def __init__(self, splitter: Splitter, limits: GrowthLimits) -> None:
        self.splitter = splitter
        self.data = splitter.data
        self.limits = limits
        self.nodes: list[Node] = []
        self.queue: list[tuple[float, int]] = []

    def grow(self, examples: np.ndarray) -> None:
        root = self._add(examples, None)
        most = self.limits.max_leaf_nodes or np.inf
        n_leaves = 1
        if most > 1:
            self._search([root])
        while self.queue and n_leaves < most:
            _, number = heapq.heappop(self.queue)
            left, right = self._split(self.nodes[number])
            n_leaves += 1
            if n_leaves < most:
                self._search_pair(left, right)

    def _add(self, examples: np.ndarray, parent: Node | None) -> Node:
        depth = 0 if parent is None else parent.depth + 1
        node = Node(len(self.nodes), depth, parent, examples, self.splitter.total(examples))
        self.nodes.append(node)
        return node

    def _split(self, node: Node) -> tuple[Node, Node]:
        split = node.split
        assert split is not None
        self._make_subsets(node, split)
        goes_left = split.goes_left
        left = self._add(node.examples[goes_left], node)
        right = self._add(node.examples[~goes_left], node)
        node.left, node.right = left.number, right.number
        return left, right

    def _make_subsets(self, node: Node, split: Split) -> None:
        if self.data.space.max_ancestor_distance == 0:
            return
        question = split.question
        graphs = self.data.graphs_of(node.examples)
        codes, want = self._subset_of(node, question.distance, question.sign)
        z = self.data.ask(
            graphs, question.column, question.operator, question.walk_length, question.walk_type,
            codes, want,
        )  # fmt: skip
        node.codes = np.zeros(self.data.batch.n_vertices, np.uint8)
        answer.make_subsets(
            graphs, self.data.batch.vertex_ptr, z, question.aggregator, split.threshold,
            split.missing_left, codes, want, node.codes,
        )  # fmt: skip

    def _subset_of(self, node: Node, distance: int, sign: int) -> tuple[np.ndarray, int]:
        if distance == 0:
            return np.empty(0, np.uint8), 0
        codes = node.ancestor(distance).codes
        assert codes is not None
        return codes, sign

    def _subsets(self, node: Node) -> list[Subsets]:
        most = min(self.data.space.max_ancestor_distance, node.depth)
        ancestors = [(k, node.ancestor(k)) for k in range(1, most + 1)]
        return [Subsets(k, up.codes, up.examples) for k, up in ancestors if up.codes is not None]

    def _may_split(self, node: Node) -> bool:
        limits = self.limits
        deep = limits.max_depth is not None and node.depth >= limits.max_depth
        return not deep and len(node.examples) >= max(2, 2 * limits.min_samples_leaf)

    def _search(self, nodes: list[Node]) -> None:
        """Find the best split of each node, and queue those that have one."""
        nodes = [node for node in nodes if self._may_split(node)]
        drawn = [(n, self._subsets(n)) for n in nodes]
        tasks = [(n, subsets, self.splitter.offer(len(subsets))) for n, subsets in drawn]
        # The largest first: whoever is done with a smaller one helps with its rows.
        tasks.sort(key=lambda task: -len(task[0].examples))
        if tasks and SIDE_BY_SIDE_FROM <= len(tasks[0][0].examples) <= SIDE_BY_SIDE_TO:
            self.data.workers.each(self._search_one, tasks)
        else:
            for task in tasks:
                self._search_one(*task)
        for node in nodes:
            if node.split is None or node.split.gain <= self.limits.min_gain:
                node.split = None
                node.histograms.clear()
            else:
                heapq.heappush(self.queue, (-node.split.gain, node.number))

    def _search_one(self, node: Node, subsets: list[Subsets], offer: Offer) -> None:
        node.split = self.splitter.best_split(
            node.examples, node.total, subsets, node.histograms, offer
        )

    def _search_pair(self, left: Node, right: Node) -> None:
        """Search two children; the larger one's histograms are the parent's less the smaller's."""
        parent = left.parent
        assert parent is not None
        small, large = sorted((left, right), key=lambda n: len(n.examples))
        if self._may_split(large):
            subsets = self._subsets(large)
            for subset in subsets[:1]:  # that of the parent, which no node has asked about yet
                self.splitter.keep_columns(subset)
            asked = {WHOLE, *(id(subset.codes) for subset in subsets)}
            self.splitter.share_histograms(
                parent.histograms, small.histograms, large.histograms, small.examples, asked
            )
        parent.histograms.clear()
        self._search([left, right])

    def freeze(self) -> Tree:
        """The nodes as arrays."""
        nodes, statistics = self.nodes, self.splitter.statistics
        split = [n.split if n.left != LEAF else None for n in nodes]

        def of(read, otherwise, dtype):
            return np.array([otherwise if s is None else read(s) for s in split], dtype)

        pointer = [
            n.number if s is None else n.ancestor(s.question.distance).number
            for n, s in zip(nodes, split, strict=True)
        ]
        totals = np.array([n.total for n in nodes])
        return Tree(
            column=of(lambda s: s.question.column, LEAF, np.int32),
            operator=of(lambda s: s.question.operator, 0, np.int32),
            walk_length=of(lambda s: s.question.walk_length, 0, np.int32),
            pointer=np.array(pointer, np.int32),
            sign=of(lambda s: s.question.sign, 0, np.int8),
            walk_type=of(lambda s: s.question.walk_type, 0, np.int8),
            aggregator=of(lambda s: s.question.aggregator, NO_AGGREGATOR, np.int8),
            threshold=of(lambda s: s.threshold, 0.0, np.float64),
            missing_left=of(lambda s: s.missing_left, True, np.bool_),
            left=np.array([n.left for n in nodes], np.int32),
            right=np.array([n.right for n in nodes], np.int32),
            depth=np.array([n.depth for n in nodes], np.int32),
            gain=of(lambda s: s.gain, 0.0, np.float64),
            n_samples=np.array([len(n.examples) for n in nodes], np.int64),
            value=self.splitter.criterion.values(statistics.sums(totals)),
        )
