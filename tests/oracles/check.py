"""A fitted tree checked node by node against everything it could have done instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from oracles.criteria import Criterion
from oracles.dense import Example
from oracles.questions import Question
from oracles.replay import Nodes, Path, follow, is_leaf, question_of, trees_of
from oracles.search import (
    Limits,
    Node,
    Offer,
    Split,
    Subset,
    canonical,
    every_split,
    for_these,
    order,
    questions_at,
    settle,
    thresholds,
    tolerance_of,
    values_at,
    walk_types_at,
    weights_of_sides,
    whole_graphs,
)
from oracles.tree import may_split


def check_tree(
    frame: pd.DataFrame,
    examples: Sequence[Example],
    criterion: Criterion,
    offer: Offer,
    limits: Limits,
    *,
    midway: bool = True,
    strict_ties: bool = False,
    drawn: bool = False,
) -> list[str]:
    """Assert that this one tree is what greedy best-first training may give.

    `midway=False` lets a threshold lie anywhere between its two neighbouring values.
    `strict_ties` settles equal gains of different partitions too, not only of the same one.
    `drawn`: each node was offered some of the walk types, nobody knows which. Of all draws that
    hold a node's own question, the smallest has the fewest rivals, so that one is compared with.
    Returns remarks on ties that rounding may have settled.
    """
    (nodes,) = trees_of(frame)
    offer = for_these(offer, examples)
    check_shape(nodes)
    paths = [follow(nodes, example) for example in examples]
    checker = _Checker(nodes, examples, paths, criterion, offer, limits, midway, strict_ties, drawn)
    gains = {number: checker.check_node(number) for number in nodes}
    check_best_first(nodes, gains, checker.waiting, limits)
    return checker.notes


def check_shape(nodes: Nodes) -> None:
    """Nodes are numbered from 0 without gaps, and each but the root has one parent."""
    assert sorted(nodes) == list(range(len(nodes)))
    children = [
        int(row[s]) for row in nodes.values() if not is_leaf(row) for s in ("left", "right")
    ]
    assert sorted(children) == list(range(1, len(nodes)))
    for row in nodes.values():
        if not is_leaf(row):
            for side in ("left", "right"):
                assert nodes[int(row[side])]["depth"] == row["depth"] + 1, row
    assert nodes[0]["depth"] == 0


@dataclass
class _Checker:
    nodes: Nodes
    examples: Sequence[Example]
    paths: list[Path]
    criterion: Criterion
    offer: Offer
    limits: Limits
    midway: bool
    strict_ties: bool
    drawn: bool
    notes: list[str] = field(default_factory=list)
    waiting: set[int] = field(default_factory=set)  # leaves that had something to gain

    def check_node(self, number: int) -> float:
        """Check one node; its own gain, or for a leaf the best it could have had."""
        row, node = self.nodes[number], self.node(number)
        assert row["n_samples"] == len(node.rows), (number, row["n_samples"], node.rows)
        self.check_value(number, node)
        splits: list[Split] = []
        if may_split(node, self.limits):
            offer = self.offer_at(row)
            splits = list(every_split(node, self.examples, offer, self.criterion, self.limits))
        best = max((split.gain for split in splits), default=0.0)
        if not is_leaf(row):
            return self.check_split(node, splits, best)
        nothing = max(self.limits.min_gain * (1 + 1e-6), 1e-9 * self.criterion.scale(node.rows))
        if best > nothing:
            self.waiting.add(number)
        return best

    def offer_at(self, row: dict[str, Any]) -> Offer:
        """What a node was offered for certain: plain questions, and the walk type that it asks."""
        if not self.drawn:
            return self.offer
        plain = is_leaf(row) or (row["pointer"] == row["node"] and row["walk_type"] == "source")
        return replace(self.offer, walk_types=() if plain else (row["walk_type"],))

    def node(self, number: int) -> Node:
        """The node as its examples saw it."""
        rows, subsets = [], {}
        for place, path in enumerate(self.paths):
            before = self.steps_before(path, number)
            if before is None:
                continue
            rows.append(place)
            for distance, step in enumerate(reversed(before), start=1):
                for sign, subset in step.made.items():
                    masks = subsets.setdefault((distance, step.node, sign), {})
                    masks[self.examples[place].graph] = subset
        graphs = {self.examples[r].graph for r in rows}
        made = [Subset(node, distance, sign, m) for (distance, node, sign), m in subsets.items()]
        depth = int(self.nodes[number]["depth"])
        return Node(number, depth, np.array(rows, int), (whole_graphs(number, graphs), *made))

    @staticmethod
    def steps_before(path: Path, number: int) -> tuple | None:
        """The steps that led to a node; None where the path misses it."""
        visited = [*(step.node for step in path.steps), path.leaf]
        return path.steps[: visited.index(number)] if number in visited else None

    def check_value(self, number: int, node: Node) -> None:
        wanted = self.criterion.value(node.rows)
        said = np.atleast_1d(np.asarray(self.nodes[number]["value"], dtype=float))
        if len(said) == 1 and len(wanted) == 2:
            said = np.array([1.0 - said[0], said[0]])
        np.testing.assert_allclose(said, wanted, rtol=1e-6, atol=1e-7, err_msg=f"node {number}")

    def check_split(self, node: Node, splits: list[Split], best: float) -> float:
        row, scale = self.nodes[node.number], self.criterion.scale(node.rows)
        assert may_split(node, self.limits), f"node {node.number} lies at the depth limit"
        chosen = self.chosen(node)
        self.check_gain(node.number, "of this very split", row["gain"], chosen.gain, scale)
        self.check_gain(node.number, "of the best split", chosen.gain, best, scale)
        least = max(self.limits.min_gain * (1 - 1e-6), 1e-12 * scale)
        assert chosen.gain >= least, f"node {node.number} gains {chosen.gain}, less than {least}"
        self.check_ties(node, chosen, splits)
        return chosen.gain

    def check_gain(self, number: int, what: str, got: float, wanted: float, scale: float) -> None:
        assert abs(got - wanted) <= 1e-6 * abs(wanted) + 1e-9 * scale, (
            f"node {number}: gain {got!r}; the gain {what} is {wanted!r}\n{self.nodes[number]}"
        )

    def chosen(self, node: Node) -> Split:
        """The split that the tree holds, after checking that it was on offer."""
        row = self.nodes[node.number]
        question = question_of(row)
        whole = question.pointer == node.number
        assert whole == (question.sign is None), row
        subset = self.legal(node, question, whole)
        values = values_at(question, subset, self.examples, node.rows)
        self.check_threshold(node, question, values)
        self.check_missing(node, values)
        right = np.isin(node.rows, self.node(int(row["right"])).rows)
        gain = self.criterion.gain(node.rows[~right], node.rows[right])
        name = canonical(question, whole, self.offer)
        return Split(name, subset.distance, row["threshold"], row["missing_goes"], right, gain)

    def legal(self, node: Node, question: Question, whole: bool) -> Subset:
        for_vertices = self.examples[node.rows[0]].vertex is not None
        alone = for_vertices or question.feature in self.offer.graph_features
        assert (question.aggregator is None) == alone, question
        smallest = canonical(question, whole, self.offer)
        offer = self.offer_at(self.nodes[node.number])
        offered = questions_at(node, offer, for_vertices)
        assert smallest in offered, f"node {node.number} asks {question}, which is not on offer"
        # The smallest name of all, or the smallest of those offered.
        equal_names = [
            kind
            for kind in walk_types_at(whole, offer, for_vertices)
            if canonical(question._replace(walk_type=kind), whole, self.offer) == smallest
        ]
        assert question.walk_type in (smallest.walk_type, equal_names[0]), question
        assert question.operator == smallest.operator, question
        return offered[smallest]

    def check_threshold(self, node: Node, question: Question, values: np.ndarray) -> None:
        row = self.nodes[node.number]
        graphs = {self.examples[r].graph for r in node.rows}
        tolerance = tolerance_of(question, graphs, values)
        present = values[~np.isnan(values)]
        above, below = present[present > row["threshold"]], present[present <= row["threshold"]]
        assert len(above), f"node {node.number}: no value above {row['threshold']} in {values}"
        assert len(below), f"node {node.number}: no value up to {row['threshold']} in {values}"
        if self.midway:
            distances = np.abs(np.array(thresholds(values, tolerance)) - row["threshold"])
            assert distances.min(initial=np.inf) <= max(tolerance, 1e-6 * np.abs(present).max()), (
                f"node {node.number}: {row['threshold']} is not midway between two of {values}"
            )

    def check_missing(self, node: Node, values: np.ndarray) -> None:
        """Missing goes to the side of larger gain; ties and none missing: the heavier side."""
        row = self.nodes[node.number]
        threshold, side = row["threshold"], row["missing_goes"]
        assert side in ("left", "right"), row
        settled = settle(values, threshold, node.rows, self.criterion, self.limits)
        assert settled is not None, f"node {node.number} leaves too few examples on a side"
        if settled[0] == side:
            return
        left, right = weights_of_sides(values, threshold, node.rows, self.criterion)
        if not np.isnan(values).any():
            # Weights that are no binary fractions add up to equal sums but for rounding.
            equal = abs(left - right) <= 1e-12 * (left + right)
            assert equal, f"node {node.number}: {left} left, {right} right, missing {side}"
            return
        gone_right = np.where(np.isnan(values), side == "right", values > threshold)
        sides = node.rows[~gone_right], node.rows[gone_right]
        assert min(len(sides[0]), len(sides[1])) >= self.limits.min_samples_leaf, row
        lost = settled[2] - self.criterion.gain(*sides)
        assert lost <= 1e-9 * self.criterion.scale(node.rows), (
            f"node {node.number}: missing goes {side} and loses {lost} of {settled[2]}"
        )
        self.notes.append(f"node {node.number}: missing goes {side} at equal gain")

    def check_ties(self, node: Node, chosen: Split, splits: list[Split]) -> None:
        """The simplest of the splits with this gain is kept."""
        scale = self.criterion.scale(node.rows)
        mine = order(chosen, self.offer)[:-1]
        for split in splits:
            if split.gain < chosen.gain * (1 - 1e-9) or not _before(split, mine, self.offer):
                continue
            same = np.array_equal(split.right, chosen.right) or np.array_equal(
                ~split.right, chosen.right
            )
            # Gains of different partitions are equal only as far as rounding lets them be.
            certain = self.strict_ties and split.gain >= chosen.gain * (1 - 1e-13)
            if same and split.question == chosen.question:
                continue  # another threshold between the same two values
            remark = f"node {node.number}: {chosen} was kept although {split} is simpler"
            assert not same, remark
            assert not (certain and chosen.gain > 1e-2 * scale), remark
            self.notes.append(remark)


def _before(split: Split, mine: tuple, offer: Offer) -> bool:
    """Strictly simpler; thresholds a rounding apart are the same threshold."""
    theirs = order(split, offer)[:-1]
    if theirs[:-1] != mine[:-1]:
        return theirs < mine
    return theirs[-1] < mine[-1] - 1e-5 * max(1.0, abs(mine[-1]))


def check_best_first(
    nodes: Nodes, gains: dict[int, float], waiting: set[int], limits: Limits
) -> None:
    """Replay the growth: no leaf that stayed a leaf ever had the largest gain of all."""
    n_leaves = sum(is_leaf(row) for row in nodes.values())
    assert limits.max_leaf_nodes is None or n_leaves <= limits.max_leaf_nodes
    if limits.max_leaf_nodes is None or n_leaves < limits.max_leaf_nodes:
        assert not waiting, f"leaves {waiting} had something to gain: {gains}"
    frontier = {0}
    while any(not is_leaf(nodes[number]) for number in frontier):
        inner = [m for m in frontier if not is_leaf(nodes[m])]
        largest = max(gains[m] for m in inner)
        # Of equal gains, as far as rounding lets them be, the one that was split first.
        tied = [m for m in inner if gains[m] >= largest * (1 - 1e-9)]
        number = min(tied, key=lambda m: nodes[m]["left"])
        for passed_over in frontier & waiting:
            assert gains[passed_over] <= gains[number] * (1 + 1e-6) + 1e-9, (
                f"leaf {passed_over} would have gained {gains[passed_over]}, "
                f"more than node {number}: {gains[number]}"
            )
        frontier.remove(number)
        frontier |= {int(nodes[number]["left"]), int(nodes[number]["right"])}
