"""The way of one example down one tree: what each split-node asked, saw and made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees._layout import IN_MINUS, IN_PLUS, SIGNS, SUM_OF
from graphtrees.ensembles.fitted import FittedTrees
from graphtrees.explain.packing import PackedGraphs
from graphtrees.explain.sentences import Goal, step_sentence, subset_text
from graphtrees.graphs.flat import FlatGraphs
from graphtrees.kernels import importance as kernels
from graphtrees.kernels.records import Trace
from graphtrees.questions.text import TreeText


@dataclass(frozen=True, eq=False)
class Step:
    """One split-node on the way.

    Vertices are numbers within the graph; where edges are the examples they number its edges.
    """

    node: int
    question: str  # what φ is, in words
    value: float  # φ, NaN where missing
    threshold: float
    direction: str  # "left" (at most the threshold) or "right"
    pointer: int  # the node whose subset is used; this node itself: the whole graph
    sign: str | None  # which of its two subsets
    used: np.ndarray  # the vertices of the used subset
    plus: np.ndarray  # those of them above `vertex_threshold`: S+
    minus: np.ndarray  # the others: S-
    vertex_values: np.ndarray  # z at every vertex of the graph
    vertex_threshold: float  # the threshold that z met, which for a sum is shared out
    edges: np.ndarray  # the edges that the walks of the question take
    sentence: str
    offset: float = 0.0  # of the feature: left out where values are compared

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, numbers and strings; a missing value is None."""
        return {name: _plain(value) for name, value in vars(self).items()}


@dataclass(frozen=True, eq=False)
class Path:
    """From the root of a tree to a leaf, and what that leaf adds to what is explained."""

    tree: int
    steps: tuple[Step, ...]
    leaf: int
    contribution: float
    sentence: str

    def sentences(self) -> list[str]:
        return [step.sentence for step in self.steps] + [self.sentence]

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, numbers and strings; a missing value is None."""
        return vars(self) | {"steps": [step.to_dict() for step in self.steps]}


@dataclass(frozen=True, eq=False)
class Tracer:
    """Leads examples down trees again, one at a time, writing everything down."""

    fitted: FittedTrees
    graphs: PackedGraphs
    flat: FlatGraphs  # as the questions see them

    @property
    def knows_edges(self) -> bool:
        """False: the graphs asked are line graphs, whose edges cannot be named."""
        return self.fitted.kind != "edges"

    def path(
        self, graph: int, vertex: int, tree: int, output: int, sign: float, goal: Goal
    ) -> Path:
        """The way of one vertex of a graph, or with -1 of the graph itself."""
        nodes, values, z, codes, edges = self._trace(graph, vertex, tree)
        words, added = self.fitted.question_text(tree, self.flat), self.fitted.added
        steps: dict[int, Step] = {}
        for node, value, at_vertices, subsets, used in zip(
            nodes, values, z, codes, edges, strict=False
        ):
            steps[node] = _step(words, node, value, at_vertices, subsets, used, steps)
        leaf = nodes[-1]
        if not added.adds_to[tree, output]:
            text = f"leaf {leaf}: speaks for another class"
            return Path(tree, tuple(steps.values()), leaf, 0.0, text)
        adds = float(added.adds[added.packed.ptr[tree] + leaf, output]) * sign
        return Path(tree, tuple(steps.values()), leaf, adds, f"leaf {leaf}: {goal.adds(adds)}")

    def _trace(self, graph: int, vertex: int, tree: int) -> tuple[Any, ...]:
        """Nodes (the leaf last), and for each of its split-nodes φ, z, the codes of the subsets
        it made and the edges it used."""
        graphs, packed = self.graphs, self.fitted.packed
        n = int(graphs.vertex_ptr[graph + 1] - graphs.vertex_ptr[graph])
        n_edges = int(graphs.edge_ptr[graph + 1] - graphs.edge_ptr[graph])
        room = int(packed.trees[tree].depth.max()) + 1
        nodes, values = np.empty(room, np.int64), np.empty(room, np.float32)
        z, codes = np.empty((room, n), np.float32), np.zeros(room * n, np.uint8)
        ptr, used = np.zeros(room + 1, np.int64), np.empty(room * n_edges, np.int64)
        n_steps = kernels.trace(
            graph, vertex, tree, graphs.graphs, graphs.operators, graphs.edges,
            packed.nodes, Trace(nodes, values, z, codes, ptr, used),
        )  # fmt: skip
        known = slice(None) if self.knows_edges else slice(0)
        edges = [np.sort(used[ptr[k] : ptr[k + 1]])[known] for k in range(n_steps)]
        numbers, subsets = nodes[: n_steps + 1].tolist(), codes.reshape(room, n)
        return numbers, values[:n_steps].tolist(), z[:n_steps], subsets[:n_steps], edges


def _step(
    words: TreeText, node: int, value: float, z: np.ndarray, codes: np.ndarray, edges: np.ndarray,
    before: dict[int, Step],
) -> Step:  # fmt: skip
    tree = words.tree
    threshold = float(tree.threshold[node])
    goes_left = bool(tree.missing_left[node]) if value != value else value <= threshold
    direction = "left" if goes_left else "right"
    used = np.flatnonzero(codes)
    divided = tree.aggregator[node] == SUM_OF and len(used) > 0
    offset = words.asked(node).offset
    return Step(
        node=node,
        question=words.question(node),
        value=value + offset,
        threshold=threshold + offset,
        direction=direction,
        pointer=int(tree.pointer[node]),
        sign=SIGNS[int(tree.sign[node])],
        used=used,
        plus=np.flatnonzero(codes == IN_PLUS),
        minus=np.flatnonzero(codes == IN_MINUS),
        vertex_values=z.astype(np.float64) + offset if offset else z,
        vertex_threshold=(threshold / len(used) if divided else threshold) + offset,
        edges=edges,
        sentence=step_sentence(words, node, value, direction, _subset(words, node, before)),
        offset=offset,
    )


def _subset(words: TreeText, node: int, before: dict[int, Step]) -> str | None:
    """The used subset, described by the question of the step that made it."""
    sign = int(words.tree.sign[node])
    if not sign:
        return None
    maker = before[int(words.tree.pointer[node])]
    size = len(maker.plus if sign == IN_PLUS else maker.minus)
    values = maker.vertex_values[maker.used]
    threshold = maker.vertex_threshold - maker.offset
    return subset_text(words, maker.node, sign, threshold, values, size)


def _plain(value: Any) -> Any:
    """As JSON has it: NaN and infinities are None."""
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value.tolist()]
    return None if isinstance(value, float) and not np.isfinite(value) else value
