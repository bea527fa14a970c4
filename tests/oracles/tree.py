"""A whole tree grown best-first by enumeration, as the table that a fitted model would give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from oracles.criteria import Criterion
from oracles.dense import Example
from oracles.questions import made_subsets
from oracles.replay import COLUMNS
from oracles.search import (
    Limits,
    Node,
    Offer,
    Split,
    Subset,
    best_split,
    every_split,
    for_these,
    whole_graphs,
)


def grow(
    examples: Sequence[Example], criterion: Criterion, offer: Offer, limits: Limits
) -> pd.DataFrame:
    """Split the leaf that gains most until a limit is met or nothing is left to gain."""
    offer = for_these(offer, examples)
    rows = np.arange(len(examples))
    root = Node(0, 0, rows, (whole_graphs(0, {e.graph for e in examples}),))
    table = [_leaf_row(root, criterion)]
    waiting = [(root, _find(root, examples, criterion, offer, limits))]
    while limits.max_leaf_nodes is None or _n_leaves(table) < limits.max_leaf_nodes:
        open_ones = [(node, split) for node, split in waiting if split is not None]
        if not open_ones:
            break
        node, split = max(open_ones, key=lambda pair: (pair[1].gain, -pair[0].number))
        waiting = [pair for pair in waiting if pair[0] is not node]
        children = _children(node, split, examples, len(table))
        table[node.number] |= _split_row(split, children)
        table += [_leaf_row(child, criterion) for child in children]
        waiting += [(c, _find(c, examples, criterion, offer, limits)) for c in children]
    return pd.DataFrame(table, columns=list(COLUMNS))


def may_split(node: Node, limits: Limits) -> bool:
    return limits.max_depth is None or node.depth < limits.max_depth


def worth_it(gain: float, scale: float, limits: Limits) -> bool:
    """More than rounding, and more than asked for."""
    return gain > max(limits.min_gain, 1e-12 * scale)


def _find(node, examples, criterion, offer, limits) -> Split | None:
    if not may_split(node, limits):
        return None
    split = best_split(list(every_split(node, examples, offer, criterion, limits)), offer)
    if split is None or not worth_it(split.gain, criterion.scale(node.rows), limits):
        return None
    return split


def _children(
    node: Node, split: Split, examples: Sequence[Example], next_number: int
) -> tuple[Node, Node]:
    left, right = (
        Node(number, node.depth + 1, rows, _subsets_below(node, split, examples, rows, number))
        for number, rows in (
            (next_number, node.rows[~split.right]),
            (next_number + 1, node.rows[split.right]),
        )
    )
    return left, right


def _subsets_below(
    node: Node, split: Split, examples: Sequence[Example], rows: np.ndarray, number: int
) -> tuple[Subset, ...]:
    """What a child may use: its whole graphs, its parent's two subsets, and those above."""
    graphs = {examples[r].graph for r in rows}
    used = next(
        s.masks
        for s in node.subsets
        if (s.pointer, s.sign) == (split.question.pointer, split.question.sign)
    )
    made = {
        graph: made_subsets(graph, split.question, used[graph], split.threshold, split.missing_goes)
        for graph in graphs
    }
    own = [
        Subset(node.number, 1, sign, {graph: made[graph][sign] for graph in graphs})
        for sign in ("+", "-")
    ]
    above = [s._replace(distance=s.distance + 1) for s in node.subsets if s.distance > 0]
    return (whole_graphs(number, graphs), *own, *above)


def _n_leaves(table: list[dict[str, Any]]) -> int:
    return sum(row["feature_index"] == -1 for row in table)


def _leaf_row(node: Node, criterion: Criterion) -> dict[str, Any]:
    said = criterion.value(node.rows)
    return dict.fromkeys(COLUMNS) | {
        "tree": 0,
        "output": 0,
        "node": node.number,
        "depth": node.depth,
        "feature_index": -1,
        "pointer": -1,
        "left": -1,
        "right": -1,
        "n_samples": len(node.rows),
        "value": float(said[0]) if len(said) == 1 else said.tolist(),
    }


def _split_row(split: Split, children: tuple[Node, Node]) -> dict[str, Any]:
    question = split.question._asdict()
    question["feature_index"] = question.pop("feature")
    return question | {
        "threshold": split.threshold,
        "missing_goes": split.missing_goes,
        "gain": split.gain,
        "left": children[0].number,
        "right": children[1].number,
    }
