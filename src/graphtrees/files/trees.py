"""Trees from the lists of a model file."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtrees._layout import (
    AGGREGATORS,
    CYCLE,
    LEAF,
    LONGEST_WALK,
    NO_AGGREGATOR,
    WALK_TYPES,
)
from graphtrees.files.checking import want
from graphtrees.files.layout import TREE_FIELDS
from graphtrees.trees.tree import Tree


def read_tree(stored: dict[str, Any], model: Any) -> Tree:
    """A tree from its lists, checked so that no number leads a kernel out of its arrays."""
    arrays: dict[str, Any] = {k: np.array(stored[k], dtype) for k, dtype in TREE_FIELDS.items()}
    n = len(arrays["column"])
    want(n > 0 and all(len(a) == n for a in arrays.values()), "tree fields differ in length")
    arrays["value"] = arrays["value"].reshape(n, -1)
    want(all(a.ndim == 1 for k, a in arrays.items() if k != "value"), "tree fields are no lists")
    tree = Tree(**arrays)
    _check_shape(tree)
    _check_questions(tree, model)
    return tree


def _check_shape(tree: Tree) -> None:
    """Children come after their parent, all but the root have one; depths and pointers agree."""
    nodes, split = np.arange(tree.n_nodes), ~tree.is_leaf
    below = np.concatenate([tree.left[split], tree.right[split]])
    owners = np.concatenate([nodes[split], nodes[split]])
    sound = (
        (tree.left[~split] == LEAF).all()
        and (tree.right[~split] == LEAF).all()
        and (below > owners).all()
        and (np.sort(below) == nodes[1:]).all()
        if len(below) == tree.n_nodes - 1
        else False
    )
    want(sound, "left and right do not describe a tree")
    parent = np.full(tree.n_nodes, LEAF)
    parent[below] = owners
    ancestors: list[set[int]] = []
    for node in nodes.tolist():
        above = ancestors[parent[node]] | {int(parent[node])} if node else set()
        ancestors.append(above)
        want(tree.depth[node] == len(above), "depths do not describe a tree")
        pointer, itself = int(tree.pointer[node]), tree.pointer[node] == node
        want(itself or (split[node] and pointer in above), "a pointer to no ancestor")
        want(itself == (tree.sign[node] == 0), "a sign goes with a pointer to an ancestor")


def _check_questions(tree: Tree, model: Any) -> None:
    """Every question is one that the engine can be asked."""
    split = ~tree.is_leaf
    of_graphs = model._kind == "graphs"
    n_columns, n_operators = len(model._table.columns), len(model._space.operators)
    aggregators = range(len(AGGREGATORS)) if of_graphs else (NO_AGGREGATOR,)
    types = range(len(WALK_TYPES) if of_graphs else CYCLE + 1)
    limits = {
        "column": (tree.column[split] >= 0) & (tree.column[split] < n_columns),
        "operator": (tree.operator >= 0) & (tree.operator < n_operators),
        "walk_length": (tree.walk_length >= 0) & (tree.walk_length <= LONGEST_WALK),
        "sign": np.isin(tree.sign, (0, 1, 2)),
        "walk_type": np.isin(tree.walk_type, types),
        "aggregator": np.isin(tree.aggregator[split], aggregators),
        "threshold": np.isfinite(tree.threshold[split]),
        "value": np.isfinite(tree.value),
    }
    for name, holds in limits.items():
        want(holds.all(), f"{name} of a tree is out of range")
