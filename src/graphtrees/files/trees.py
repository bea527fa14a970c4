"""Trees from the lists of a model file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphtrees._layout import (
    AGGREGATORS,
    CYCLE,
    LEAF,
    MAX_OF,
    NO_AGGREGATOR,
    SIGNS,
    SOURCE,
    WALK_TYPES,
)
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.files.labels import check_range
from graphtrees.files.layout import TREE_FIELDS
from graphtrees.files.text import Text
from graphtrees.files.want import want
from graphtrees.trees.tree import Tree

FARTHEST = np.finfo(np.float64).max  # neither infinite nor NaN


def read_trees(text: Text) -> list[Tree]:
    """Every tree, list by list: memory stays near that of the trees themselves."""
    return [_read_tree(text) for _ in text.items()]


def _read_tree(text: Text) -> Tree:
    arrays: dict[str, Any] = {}
    for name in text.members():
        want(name in TREE_FIELDS, f"unknown field {name!r} of a tree")
        arrays[name] = _read_field(text, name)
    missing = [name for name in TREE_FIELDS if name not in arrays]
    want(not missing, f"a tree without {missing[:1]}")
    n = len(arrays["column"])
    n_values = len(arrays["value"])
    same = all(len(array) == n for name, array in arrays.items() if name != "value")
    want(n > 0 and same and n_values > 0 and n_values % n == 0, "tree fields differ in length")
    arrays["value"] = arrays["value"].reshape(n, -1)
    tree = Tree(**arrays)
    _check_shape(tree)
    return tree


def _read_field(text: Text, name: str) -> np.ndarray:
    if name == "value" and text.is_next(b"[["):
        return _to_array(_rows(text), name)
    return _to_array(text.numbers(), name)


def _rows(text: Text) -> list[Any]:
    """Values as version 1 wrote them, a list for each node, end to end."""
    values: list[Any] = []
    width = None
    for _ in text.items():
        row = text.numbers()
        width = len(row) if width is None else width
        want(len(row) == width > 0, "values of a tree differ in length")
        values += row
    return values


def _to_array(values: list[Any], name: str) -> np.ndarray:
    dtype = np.dtype(TREE_FIELDS[name])
    wanted = {"b": (bool,), "i": (int,), "f": (int, float)}[dtype.kind]
    if not set(map(type, values)).issubset(wanted):
        raise ValueError(f"{name} of a tree is no list of {dtype}")
    if dtype.kind == "i":
        check_range(values, dtype)
    return np.array(values, dtype)


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
    parent = np.full(tree.n_nodes, LEAF, np.int64)
    parent[below] = owners
    deeper = tree.depth[1:] == tree.depth[parent[1:]] + 1
    want(tree.depth[0] == 0 and deeper.all(), "depths do not describe a tree")
    _check_pointers(tree, parent)


def _check_pointers(tree: Tree, parent: np.ndarray) -> None:
    """A split points to itself or to an ancestor, a leaf to itself."""
    inside = (tree.pointer >= 0) & (tree.pointer < tree.n_nodes)
    want(inside.all(), "a pointer out of the tree")
    away = np.flatnonzero(tree.pointer != np.arange(tree.n_nodes))
    want(not tree.is_leaf[away].any(), "a leaf that points to another node")
    signed = np.flatnonzero(tree.sign != 0)
    want(np.array_equal(signed, away), "a sign goes with a pointer to an ancestor")
    if len(away):
        start, size = _preorder(tree, parent)
        begin = start[tree.pointer[away]]
        above = (begin < start[away]) & (start[away] < begin + size[tree.pointer[away]])
        want(above.all(), "a pointer to no ancestor")


def _preorder(tree: Tree, parent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Place of each node in preorder, and the size of its subtree: a subtree is one stretch.

    Linear in the nodes, also for a tree that is one long chain.
    """
    n = tree.n_nodes
    places, sizes = np.zeros(n, np.int64), np.ones(n, np.int64)
    # Views that give plain integers: as fast as lists, without an object for each node.
    owner, left, right = memoryview(parent), memoryview(tree.left), memoryview(tree.right)
    start, size = memoryview(places), memoryview(sizes)
    for node in range(n - 1, 0, -1):
        size[owner[node]] += size[node]
    for node in range(n):
        if left[node] != LEAF:
            start[left[node]] = start[node] + 1
            start[right[node]] = start[node] + 1 + size[left[node]]
    return places, sizes


def check_trees(fitted: FittedTrees) -> None:
    """Every question is one that the engine can be asked."""
    trees = fitted.trees

    def joined(name: str) -> np.ndarray:
        return np.concatenate([getattr(tree, name) for tree in trees])

    space, of_graphs = fitted.questions, fitted.kind == "graphs"
    split = joined("left") != LEAF
    aggregators = (0, len(AGGREGATORS) - 1) if of_graphs else (NO_AGGREGATOR, NO_AGGREGATOR)
    limits = {  # the least and the most
        "operator": (joined("operator"), 0, len(space.operators) - 1),
        "walk_length": (joined("walk_length"), 0, space.max_walk_length),
        "sign": (joined("sign"), 0, len(SIGNS) - 1),
        "walk_type": (joined("walk_type"), 0, len(WALK_TYPES) - 1 if of_graphs else CYCLE),
        "n_samples": (joined("n_samples"), 0, np.inf),
        "gain": (joined("gain"), 0.0, FARTHEST),
        "column": (joined("column")[split], 0, fitted.features.n_columns - 1),
        "aggregator": (joined("aggregator")[split], *aggregators),
        "threshold": (joined("threshold")[split], -FARTHEST, FARTHEST),
    }
    for name, (values, least, most) in limits.items():
        want(((values >= least) & (values <= most)).all(), f"{name} of a tree is out of range")
    of_leaves = {
        "operator": 0, "walk_length": 0, "sign": 0, "walk_type": 0, "column": LEAF,
        "aggregator": NO_AGGREGATOR, "threshold": 0.0, "missing_left": True, "gain": 0.0,
    }  # fmt: skip
    for name, value in of_leaves.items():
        want((joined(name)[~split] == value).all(), f"{name} of a leaf is not {value}")
    want(all(np.isfinite(tree.value).all() for tree in trees), "value of a tree is not finite")
    _check_graph_features(split, joined, fitted)


def _check_graph_features(
    split: np.ndarray, joined: Callable[[str], np.ndarray], fitted: FittedTrees
) -> None:
    """They are asked of the whole graph alone, without a walk, in the one way there is."""
    table = fitted.features
    if not table.n_graph_features:
        return
    asked = np.flatnonzero(split)
    asked = asked[table.is_of_graphs(table.feature_of())[joined("column")[asked]]]
    reads = MAX_OF if fitted.kind == "graphs" else NO_AGGREGATOR
    wanted = {"walk_length": 0, "operator": 0, "sign": 0, "walk_type": SOURCE, "aggregator": reads}
    for name, value in wanted.items():
        want((joined(name)[asked] == value).all(), f"{name} of a question about a graph feature")
    want(not (len(asked) and fitted.kind == "rows"), "graph features of the rows of a table")
