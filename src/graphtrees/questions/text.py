"""Questions, subsets and comparisons in words, in one place."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from graphtrees._layout import (
    AGGREGATORS,
    CYCLE,
    IN_PLUS,
    NO_AGGREGATOR,
    SIGNS,
    SOURCE,
    SUM_OF,
    TARGET_SOURCE,
)
from graphtrees.questions.features import FeatureTable
from graphtrees.questions.operator_name import ADJACENCY, OperatorName, any_backwards

_AGGREGATED = {"sum": "total", "mean": "mean", "min": "smallest", "max": "largest"}


@dataclass(frozen=True)
class Nouns:
    """What the things of a graph are called; edge examples are vertices of a line graph."""

    one: str = "vertex"
    many: str = "vertices"
    near: str = "neighbours"
    directed: bool = False
    weighted: bool = False
    edge_features: tuple[str, ...] = ()  # relations that weigh edges by a number of theirs

    @classmethod
    def of(cls, kind: str, directed: bool = False, weighted: bool = False) -> Nouns:
        """For examples of a kind: 'graphs', 'vertices', 'edges' or 'rows'."""
        if kind == "edges":
            return cls("edge", "edges", "adjoining edges", directed, weighted)
        return cls(directed=directed, weighted=weighted)


@dataclass(frozen=True)
class QuestionText:
    """A question by its names; `category` is the label asked about, None for plain numbers.

    Examples
    --------
    >>> charge = QuestionText(
    ...     "charge", None, "adjacency", 1, walk_type=2, aggregator=3, nouns=Nouns()
    ... )
    >>> charge.phrase("S+ of node 0")
    'largest sum of charge over neighbours, over S+ of node 0'
    >>> charge.new_subset(IN_PLUS, None, 2.5)
    'the vertices with sum of charge over neighbours > 2.5'
    """

    feature: str
    category: Any
    operator: str
    walk_length: int
    walk_type: int
    aggregator: int
    nouns: Nouns
    is_constant: bool = False
    # A vertex example that reaches the question is in the used subset, whatever its graph.
    is_inside: bool = False
    of_graph: bool = False  # the feature belongs to whole graphs
    offset: float = 0.0  # what values and thresholds lack of the feature as it was given

    @property
    def counts(self) -> bool:
        """Whether it counts things, not sums their values."""
        return self.is_constant or self.category is not None

    @property
    def what(self) -> str:
        return self.feature if self.category is None else f"{self.feature} = {self.category}"

    @property
    def credited(self) -> str:
        """What a gain is credited to: the feature, or what is counted along a relation."""
        relation = self._name.relation
        if not self.is_constant or self.walk_length == 0 or relation == ADJACENCY:
            return self.feature
        if relation in self.nouns.edge_features:
            return f"sum of {relation} over edges"
        return f"number of {self.nouns.near} along {relation or repr(relation)}"

    def phrase(self, subset: str | None) -> str:
        """What the value of an example is, with a name for the used subset (None: the graph)."""
        if self.aggregator == NO_AGGREGATOR:
            return self._of_a_vertex(subset)
        if self.walk_length == 0:
            return self._of_vertices(subset)
        start = _AGGREGATED[AGGREGATORS[self.aggregator]]
        if subset is None or self.walk_type == SOURCE:
            return f"{start} {self.at_vertex(subset)}"
        if self.walk_type == TARGET_SOURCE and self.walk_length == 1:
            return f"{start} {self.at_vertex(None)} within {subset}"
        if self.walk_type == TARGET_SOURCE:
            return f"{start} {self.at_vertex(None)} between {self.nouns.many} of {subset}"
        return f"{start} {self.at_vertex(None)}, over {subset}"

    def at_vertex(self, subset: str | None) -> str:
        """What stands at one vertex after the walk; `subset` names where its walks may start."""
        if self.walk_length == 0:
            return self.what
        if self.walk_type == CYCLE:
            return self._closed()
        about = self._walks()
        if self.walk_length == 1:
            about += f" with {self.what}" if self.category is not None else ""
            about += f" among {subset}" if subset is not None else ""
        elif self.category is not None:
            about += f" {self._towards()} {self.nouns.many} with {self.what}"
            about += f" among {subset}" if subset is not None else ""
        elif subset is not None:
            about += f" {self._towards()} {subset}"
        if self.is_constant and self._name.averages and subset is None:
            return f"presence of {about}"
        return f"{self._quantity()} {about}"

    @property
    def _adds_edge_feature(self) -> bool:
        """Whether it adds up a number of the edges, such as an amount."""
        measured = self._name.relation in self.nouns.edge_features
        return measured and self.is_constant and self.walk_length == 1 and not self._name.averages

    def _quantity(self) -> str:
        averaged = self._name.averages
        if self._adds_edge_feature:
            way = "to" if self._name.backwards or not self.nouns.directed else "from"
            return f"sum of {self._name.relation} over edges {way}"
        measured = self._name.relation in self.nouns.edge_features
        weighted = "weighted " if self.nouns.weighted or measured else ""
        if not self.counts:
            return f"{weighted}{'mean' if averaged else 'sum'} of {self.feature} over"
        return f"{weighted}{'share' if averaged else 'number'} of"

    @property
    def _along(self) -> str:
        relation = self._name.relation
        if self._adds_edge_feature:
            return ""
        return "" if relation == ADJACENCY else f" along {relation or repr(relation)}"

    @property
    def _name(self) -> OperatorName:
        return OperatorName.parse(self.operator)

    def _walks(self) -> str:
        if self.walk_length > 1:
            return f"{self.walk_length}-step walks{self._along}"
        way = ("out-" if self._name.backwards else "in-") if self.nouns.directed else ""
        return f"{way}{self.nouns.near}{self._along}"

    def _towards(self) -> str:
        return "from" if self.nouns.directed and not self._name.backwards else "to"

    def _closed(self) -> str:
        kind = "self-loops" if self.walk_length == 1 else f"closed {self.walk_length}-step walks"
        size = f"{'weighted ' if self.nouns.weighted else ''}number of {kind}{self._along}"
        if self._name.averages:
            size = f"chance of a random {kind.removesuffix('s')}"
        if self.category is not None:
            return f"{size} at {self.nouns.many} with {self.what}"
        return size if self.is_constant else f"{self.feature} × {size}"

    def _of_a_vertex(self, subset: str | None) -> str:
        if self.walk_length > 0 and self.walk_type != CYCLE:
            return self.at_vertex(subset)
        if self.walk_length == 0 and self.counts:
            is_it = "" if self.is_constant else f"{self.what}"
            always = subset is None or (self.is_inside and not self.is_constant)
            inside = "" if always else f"it is among {subset}"
            return f"whether {' and '.join(part for part in (is_it, inside) if part) or 'it is'}"
        value = self.at_vertex(None)
        always = subset is None or self.is_inside
        return value if always else f"{value} if among {subset}, else 0"

    def _of_vertices(self, subset: str | None) -> str:
        """The value of a whole graph where no step is walked."""
        spread = subset is not None and self.walk_type == SOURCE and self.aggregator != SUM_OF
        if self.counts:
            return self._of_all(subset) if spread else self._of_some(subset)
        phrase = f"{_AGGREGATED[AGGREGATORS[self.aggregator]]} {self.feature}"
        if spread:
            return f"{phrase}, with 0 outside {subset}"
        return phrase if subset is None else f"{phrase} over {subset}"

    def _of_some(self, subset: str | None) -> str:
        """Counting in the subset alone."""
        many = self.nouns.many if subset is None else f"{self.nouns.many} among {subset}"
        kind = AGGREGATORS[self.aggregator]
        if self.is_constant:
            return f"number of {many}" if kind == "sum" else f"whether there are {many}"
        if kind == "sum":
            return f"number of {self.nouns.many} with {self.what}" + (
                "" if subset is None else f" among {subset}"
            )
        if kind == "mean":
            if subset is None:
                return f"share of {many} with {self.what}"
            return f"share with {self.what} of {subset}"
        return f"whether {'all' if kind == 'min' else 'any'} {many} have {self.what}"

    def _of_all(self, subset: str | None) -> str:
        """Counting in the subset, as a share of the whole graph."""
        kind = AGGREGATORS[self.aggregator]
        have = f"are among {subset}" + ("" if self.is_constant else f" and have {self.what}")
        if kind == "mean":
            return f"share of all {self.nouns.many} that {have}"
        return f"whether {'all' if kind == 'min' else 'any'} {self.nouns.many} {have}"

    def new_subset(
        self, sign: int, used: str | None, threshold: float, per: str = "", or_missing: bool = False
    ) -> str:
        """The subset that this question makes, out of the subset it used.

        `per` says what the threshold is still to be divided by.
        """
        used = "graphs" if self.of_graph else used  # all vertices, or none
        out_of = f"the {self.nouns.many}" if used is None else f"the {self.nouns.many} of {used}"
        divides = bool(per) or 0 <= threshold < 1
        if self.walk_length == 0 and self.category is not None and divides:
            return f"{out_of} {'with' if sign == IN_PLUS else 'without'} {self.what}"
        inside = "them" if used is not None and self.walk_type in (SOURCE, TARGET_SOURCE) else None
        relation = ">" if sign == IN_PLUS else "≤"
        value = self.at_vertex(inside)
        if self.walk_length == 0 and self.category is not None:
            value = f"[{value}]"
        text = f"{out_of} with {value} {relation} {number(threshold, self.offset)}{per}"
        return text + (" or missing" if or_missing else "")


class TreeText:
    """Words for the nodes of one tree."""

    def __init__(
        self, tree: Any, table: FeatureTable, operators: tuple[str, ...], nouns: Nouns | None = None
    ) -> None:
        self.tree = tree
        self._table = table
        self._columns = table.columns
        self._operators = operators
        self._nouns = nouns if nouns is not None else Nouns(directed=any_backwards(operators))

    def asked(self, node: int) -> QuestionText:
        tree, table = self.tree, self._table
        feature, place = self._columns[tree.column[node]]
        is_constant = table.has_constant and feature == table.n_features
        of_graph = bool(table.is_of_graphs(feature))
        return QuestionText(
            feature=constant_name(self._nouns) if is_constant else table.name(feature),
            category=table.category(feature, place),
            operator=self._operators[tree.operator[node]],
            walk_length=int(tree.walk_length[node]),
            walk_type=int(tree.walk_type[node]),
            aggregator=NO_AGGREGATOR if of_graph else int(tree.aggregator[node]),
            nouns=self._nouns,
            is_constant=is_constant,
            is_inside=self._is_inside(node),
            of_graph=of_graph,
            offset=table.offsets.get(feature, 0.0),
        )

    def _is_inside(self, node: int) -> bool:
        """Whether every vertex example that reaches a node is in the subset that the node uses.

        A vertex joins S+ of a node above where it goes right there, and S- where it goes left.
        """
        tree = self.tree
        if not tree.sign[node]:
            return True
        if tree.aggregator[node] != NO_AGGREGATOR:
            return False
        ancestor = int(tree.pointer[node])
        taken = tree.right if tree.sign[node] == IN_PLUS else tree.left
        return self._is_below(node, int(taken[ancestor])) and self._is_inside(ancestor)

    def _is_below(self, node: int, top: int) -> bool:
        """Whether `top` is a node or above it; children have larger numbers than their parent."""
        while node > top:
            (parent,) = np.flatnonzero((self.tree.left == node) | (self.tree.right == node))
            node = int(parent)
        return node == top

    def subset(self, node: int) -> str | None:
        """The name of the subset that a node uses, None for the whole graph."""
        sign = int(self.tree.sign[node])
        return f"S{SIGNS[sign]} of node {self.tree.pointer[node]}" if sign else None

    def question(self, node: int) -> str:
        """The phrase for a node's value, its subset by name."""
        return self.asked(node).phrase(self.subset(node))

    def test(self, node: int) -> str:
        """The phrase and what sends an example to the right."""
        return f"{self.question(node)} > {self.threshold(node)}"

    def threshold(self, node: int) -> str:
        return number(self.tree.threshold[node], self.asked(node).offset)

    def new_subset(
        self, node: int, sign: int, threshold: float | None = None, or_missing: bool = False
    ) -> str:
        """The subset with this sign that a node makes.

        `threshold` is the one that its vertices met; without it that of a sum is said per vertex.
        """
        asked = self.asked(node)
        shared = threshold is None and asked.aggregator == SUM_OF
        per = f" / number of {self._nouns.many}" if shared else ""
        limit = float(self.tree.threshold[node]) if threshold is None else threshold
        return asked.new_subset(sign, self.subset(node), limit, per, or_missing)


def constant_name(nouns: Nouns) -> str:
    """What people call the feature that is 1 everywhere: asking about it counts.

    >>> constant_name(Nouns.of("edges"))
    'count of edges'
    """
    return f"count of {nouns.many}"


def counted(n: int, one: str, many: str | None = None) -> str:
    """A number of things.

    >>> counted(1, "example"), counted(1200, "example"), counted(2, "vertex", "vertices")
    ('1 example', '1,200 examples', '2 vertices')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def number(value: float, offset: float = 0.0) -> str:
    """A number short enough to read; with the offset added, as many decimals as without it.

    >>> number(3.0), number(0.123456), number(12345.6)
    ('3', '0.1235', '12345.6')
    >>> number(0.123456, 1_700_000_000)
    '1700000000.1235'
    """
    return _moved(_short(value), value, offset)


def signed(value: float) -> str:
    """A number with its sign in front.

    >>> signed(0.31), signed(-2.0)
    ('+0.31', '−2')
    """
    return f"{'+' if value >= 0 else '−'}{number(abs(value))}"


def _moved(short: str, value: float, offset: float) -> str:
    if not offset or not math.isfinite(value):
        return short
    places = -int(Decimal(short).as_tuple().exponent)
    if places <= 0:
        return f"{value + offset:.0f}"
    return f"{value + offset:.{places}f}".rstrip("0").rstrip(".")


def _short(value: float) -> str:
    if math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.6g}" if abs(value) >= 1000 else f"{value:.4g}"


def compared(value: float, threshold: float, offset: float = 0.0) -> str:
    """'3 > 2.5', with as many digits as it takes to be true; the offset is added to both.

    >>> compared(3.0, 2.5), compared(0.33333333, 0.33333331)
    ('3 > 2.5', '0.33333333 > 0.33333331')
    """
    relation = ">" if value > threshold else "≤"
    texts = _short(value), _short(threshold)
    for digits in range(6, 18):
        if texts[0] != texts[1] or value == threshold:
            break
        texts = f"{value:.{digits}g}", f"{threshold:.{digits}g}"
    left, right = _moved(texts[0], value, offset), _moved(texts[1], threshold, offset)
    return f"{left} {relation} {right}"
