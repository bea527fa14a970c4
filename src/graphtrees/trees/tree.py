"""A grown tree: a frozen struct of arrays, one entry a node."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from graphtrees._layout import LEAF


@dataclass(frozen=True)
class Tree:
    """Nodes in the order they were made: 0 is the root, a parent comes before its children.

    `pointer` is the node whose subset is used, a node's own number for the whole graph; `value`
    has one column per output. Leaves have feature, left and right -1.
    """

    column: np.ndarray  # int32, encoded feature column
    operator: np.ndarray  # int32
    walk_length: np.ndarray  # int32
    pointer: np.ndarray  # int32
    sign: np.ndarray  # int8
    walk_type: np.ndarray  # int8
    aggregator: np.ndarray  # int8
    threshold: np.ndarray  # float64
    missing_left: np.ndarray  # bool
    left: np.ndarray  # int32
    right: np.ndarray  # int32
    depth: np.ndarray  # int32
    gain: np.ndarray  # float64
    n_samples: np.ndarray  # int64
    value: np.ndarray  # float64 (n_nodes, n_outputs)

    @property
    def n_nodes(self) -> int:
        return len(self.column)

    @property
    def is_leaf(self) -> np.ndarray:
        return self.left == LEAF

    def shifted(self, by: np.ndarray) -> Tree:
        """The same tree with every value moved."""
        return replace(self, value=self.value + by)

    def keep(self, nodes: np.ndarray, leaves: np.ndarray) -> Tree:
        """The tree of these nodes only, renumbered, those marked in `leaves` cut to leaves."""
        number = np.full(self.n_nodes + 1, LEAF, np.int32)
        number[nodes] = np.arange(len(nodes))
        parts = {f.name: getattr(self, f.name)[nodes].copy() for f in fields(self)}
        cut = leaves[nodes]
        for name in ("column", "left", "right"):
            parts[name][cut] = LEAF
        parts["gain"][cut] = 0.0
        for name in ("operator", "walk_length", "sign", "walk_type"):
            parts[name][cut] = 0
        parts["aggregator"][cut] = -1
        parts["threshold"][cut] = 0.0
        parts["missing_left"][cut] = True
        for name in ("left", "right", "pointer"):
            parts[name] = number[parts[name]]
        parts["pointer"][cut] = np.flatnonzero(cut)
        return Tree(**parts)


@dataclass(frozen=True)
class GrownTree:
    """A tree and the leaf of every training example, -1 for those it was not grown on."""

    tree: Tree
    leaf_of: np.ndarray


def prune(tree: Tree, alpha: float, total_weight: float) -> tuple[Tree, np.ndarray]:
    """Minimal cost-complexity pruning: cut the weakest link while it earns at most alpha a leaf.

    A split-node's link earns the gain of all splits below it, as a share of the total weight.
    Returns the pruned tree and, for every old node, the new number of it or of its nearest
    ancestor that is left.
    """
    if alpha <= 0:
        return tree, np.arange(tree.n_nodes)
    left, right = tree.left.copy(), tree.right.copy()
    while left[0] != LEAF:
        weakest, earned, _ = _weakest_link(tree, left, right, total_weight)
        if earned > alpha:
            break
        left[weakest] = right[weakest] = LEAF
    kept = np.flatnonzero(_reachable(left, right))
    number = np.full(tree.n_nodes, LEAF, np.int64)
    number[kept] = np.arange(len(kept))
    for node in np.flatnonzero(tree.left != LEAF).tolist():
        for child in (int(tree.left[node]), int(tree.right[node])):
            if number[child] == LEAF:
                number[child] = number[node]
    return tree.keep(kept, (left == LEAF) & (tree.left != LEAF)), number


def pruning_path(tree: Tree, total_weight: float) -> tuple[np.ndarray, np.ndarray]:
    """What the weakest link earns a leaf, time after time, and the gain that is lost in all."""
    left, right = tree.left.copy(), tree.right.copy()
    alphas, lost = [0.0], [0.0]
    while left[0] != LEAF:
        weakest, earned, gain = _weakest_link(tree, left, right, total_weight)
        left[weakest] = right[weakest] = LEAF
        alphas.append(earned)
        lost.append(lost[-1] + gain)
    return np.array(alphas), np.array(lost)


def _weakest_link(
    tree: Tree, left: np.ndarray, right: np.ndarray, total_weight: float
) -> tuple[int, float, float]:
    """The split-node that earns least for each leaf that pruning it would save, and its gains."""
    gain = np.where(left == LEAF, 0.0, tree.gain) / total_weight
    leaves = np.ones(tree.n_nodes)
    for node in range(tree.n_nodes - 1, -1, -1):
        if left[node] != LEAF:
            gain[node] += gain[left[node]] + gain[right[node]]
            leaves[node] = leaves[left[node]] + leaves[right[node]]
    links = np.where(left == LEAF, np.inf, gain / np.maximum(leaves - 1, 1))
    links[~_reachable(left, right)] = np.inf
    weakest = int(np.argmin(links))
    return weakest, float(links[weakest]), float(gain[weakest])


def _reachable(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    reached = np.zeros(len(left), bool)
    reached[0] = True
    for node in range(len(left)):
        if reached[node] and left[node] != LEAF:
            reached[[left[node], right[node]]] = True
    return reached
