"""Lead examples through many trees at once, asking only the questions on their way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from graphtrees._layout import CYCLE, OFFSET, SUM_OF
from graphtrees._threads import Workers
from graphtrees.candidates.batch import Batch
from graphtrees.candidates.operators import stack_middles
from graphtrees.candidates.overflow import refuse_overflow
from graphtrees.kernels import answer
from graphtrees.trees.tree import Tree

# Leaves of at most this many (example, tree) pairs are held at a time.
PAIRS_AT_ONCE = 2**24
MODELS_KEPT = 4

# Columns that are kept as lists are written out, about so many values at a time.
VALUES_AT_ONCE = 2**25


@dataclass(frozen=True)
class PackedTrees:
    """Trees end to end in flat arrays; children and pointers stay numbered within their tree."""

    trees: tuple[Tree, ...]

    @cached_property
    def ptr(self) -> np.ndarray:
        return np.concatenate([[0], np.cumsum([t.n_nodes for t in self.trees])]).astype(OFFSET)

    @cached_property
    def fields(self) -> tuple[np.ndarray, ...]:
        """The arrays in the order the kernel takes them."""
        names = ("column", "operator", "walk_length", "walk_type", "aggregator")
        joined = [self._join(name) for name in names]
        used = np.zeros(self.ptr[-1], np.bool_)
        pointer_depth = np.zeros(self.ptr[-1], np.int32)
        for start, tree in zip(self.ptr, self.trees, strict=False):
            pointing = np.flatnonzero(tree.sign != 0)
            used[start + tree.pointer[pointing]] = True
            pointer_depth[start : start + tree.n_nodes] = tree.depth[tree.pointer]
        rest = ("sign", "threshold", "missing_left", "left", "right", "depth")
        return (*joined, pointer_depth, *(self._join(name) for name in rest), used)

    def _join(self, name: str) -> np.ndarray:
        return np.concatenate([getattr(tree, name) for tree in self.trees])

    @cached_property
    def deepest(self) -> int:
        return max(int(tree.depth.max()) for tree in self.trees)

    @cached_property
    def closed_walks(self) -> set[tuple[int, int]]:
        """(operator, length) of every question about closed walks."""
        asked = (self._join("walk_type") == CYCLE) & (self._join("walk_length") > 0)
        operators, lengths = self._join("operator")[asked], self._join("walk_length")[asked]
        return set(zip(operators.tolist(), lengths.tolist(), strict=True))

    @cached_property
    def columns(self) -> list[set[int]]:
        """The feature columns that each tree asks about."""
        return [set(tree.column[~tree.is_leaf].tolist()) for tree in self.trees]

    def every_column(self) -> list[int]:
        return sorted(set().union(*self.columns))

    @cached_property
    def walks(self) -> set[tuple[int, int, bool]]:
        """(operator, length, whether summed over all vertices) of every question."""
        asked = self._join("column") >= 0
        fields = [self._join(name)[asked] for name in ("operator", "walk_length", "aggregator")]
        listed = zip(*(field.tolist() for field in fields), strict=True)
        return {(operator, length, kind == SUM_OF) for operator, length, kind in listed}

    @cached_property
    def longest(self) -> int:
        return int(self._join("walk_length").max())

    @cached_property
    def values(self) -> np.ndarray:
        """Values of all nodes, one row each; trees of one output and of many do not mix."""
        return np.concatenate([tree.value for tree in self.trees])


_recent: dict[tuple[int, ...], PackedTrees] = {}


def pack(trees: Sequence[Tree]) -> PackedTrees:
    """Trees end to end; those of the models used last are kept, for calls with single examples."""
    key = tuple(map(id, trees))
    packed = _recent.pop(key, None) or PackedTrees(tuple(trees))
    _recent[key] = packed  # it holds the trees, so their ids stay theirs
    while len(_recent) > MODELS_KEPT:
        _recent.pop(next(iter(_recent)), None)
    return packed


class Router:
    """Some examples of a batch, ready to go through trees."""

    def __init__(self, batch: Batch, vertices: np.ndarray | None, workers: Workers) -> None:
        self.batch = batch
        self.workers = workers
        self.of_graphs = vertices is None
        if vertices is None:
            self.order = np.arange(batch.n_graphs)
            self.example_ptr = np.arange(batch.n_graphs + 1)
            self.example_vertex = np.full(batch.n_graphs, -1, np.int64)
        else:
            graph_of = batch.graph_of[vertices]
            self.order = np.argsort(graph_of, kind="stable")
            counts = np.bincount(graph_of, minlength=batch.n_graphs)
            self.example_ptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
            in_graph = vertices - batch.vertex_ptr[graph_of]
            self.example_vertex = in_graph[self.order].astype(np.int64)
        self._operators = *_stack_operators(batch), *stack_middles(batch.operators)

    @property
    def n_examples(self) -> int:
        return len(self.order)

    def leaves(self, packed: PackedTrees) -> np.ndarray:
        """(n_examples, n_trees): the leaf of each example, numbered within its tree."""
        n_trees = len(packed.trees)
        out = np.empty((n_trees, self.n_examples), np.int32)
        if self.n_examples == 0 or n_trees == 0:
            return out.T
        refuse_overflow(self.batch, packed.walks, packed.every_column, self.of_graphs)
        closed = self._diagonals(packed)
        for trees in self._groups(packed):
            self._lead(packed, trees, closed, out[trees])
        back = np.empty((self.n_examples, n_trees), np.int32)
        back[self.order] = out.T
        return back

    def _groups(self, packed: PackedTrees) -> list[slice]:
        """Trees that are led through together: all, or as many as their columns have room for."""
        n_trees = len(packed.trees)
        if self.batch.lists is None:
            return [slice(0, n_trees)]
        at_once = max(1, VALUES_AT_ONCE // max(1, self.batch.n_vertices))
        groups, start, used = [], 0, set[int]()
        for number, columns in enumerate(packed.columns):
            if number > start and len(used | columns) > at_once:
                groups.append(slice(start, number))
                start, used = number, set()
            used |= columns
        return [*groups, slice(start, n_trees)]

    def _lead(self, packed: PackedTrees, group: slice, closed: np.ndarray, out: np.ndarray) -> None:
        """out[tree, example] = leaf, for a group of trees."""
        batch = self.batch
        lanes = batch.lanes_of(lambda: np.array(sorted(set().union(*packed.columns[group]))))
        graphs = np.flatnonzero(np.diff(self.example_ptr))
        trees = np.arange(len(packed.trees))[group]
        n_trees = len(trees)

        def run(graph_span: tuple[int, int], tree_span: tuple[int, int]) -> None:
            answer.route(
                graphs[slice(*graph_span)], self.example_ptr, self.example_vertex,
                batch.vertex_ptr, lanes.x_ptr, lanes.lane_ptr, lanes.lane_features,
                batch.lane_major, lanes.x,
                *self._operators, closed, trees[slice(*tree_span)], packed.ptr,
                *packed.fields, packed.deepest, out[slice(*tree_span)],
            )  # fmt: skip

        if len(graphs) >= 2 * self.workers.n_threads:
            tasks = [(span, (0, n_trees)) for span in self.workers.spans(len(graphs), at_least=8)]
        else:
            tasks = [((0, len(graphs)), span) for span in self.workers.spans(n_trees, at_least=1)]
        self.workers.each(run, tasks)

    def _diagonals(self, packed: PackedTrees) -> np.ndarray:
        n = self.batch.n_vertices if packed.closed_walks else 0
        out = np.zeros((len(self.batch.operators), max(1, packed.longest), n), np.float32)
        for operator, length in packed.closed_walks:
            out[operator, length - 1] = self.batch.diagonal(operator, length, self.workers)
        return out


def _stack_operators(batch: Batch) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """All operators in one set of arrays: indptr and divisor by operator, the edges end to end."""
    shifts = np.concatenate([[0], np.cumsum([len(op.indices) for op in batch.operators])])
    indptr = np.stack([op.indptr + s for op, s in zip(batch.operators, shifts, strict=False)])
    indices = np.concatenate([op.indices for op in batch.operators])
    weights = np.concatenate([op.weights for op in batch.operators])
    divided = any(len(op.divisor) for op in batch.operators)
    divisor = np.ones((len(batch.operators), batch.n_vertices if divided else 0))
    for row, op in zip(divisor, batch.operators, strict=True):
        if len(op.divisor):
            row[:] = op.divisor
    return indptr, indices, weights, divisor


def sum_values(
    router: Router, trees: Sequence[Tree], outputs: Sequence[int], scale: float, out: np.ndarray
) -> None:
    """Add scale × leaf value of every tree, in order, to the outputs it speaks for (-1: all)."""
    at_once = max(1, PAIRS_AT_ONCE // max(1, router.n_examples))
    for start in range(0, len(trees), at_once):
        packed = pack(trees[start : start + at_once])
        which = np.asarray(outputs[start : start + at_once], np.int64)
        answer.add_values(router.leaves(packed), packed.ptr, packed.values, which, scale, out)
