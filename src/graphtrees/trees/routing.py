"""Lead examples through many trees at once, asking only the questions on their way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from graphtrees._communicator import Share
from graphtrees._threads import Workers
from graphtrees.columns.arrays import graph_arrays, stacked_operators
from graphtrees.columns.batch import Batch
from graphtrees.columns.overflow import refuse_overflow
from graphtrees.kernels import answer
from graphtrees.kernels._references import stored
from graphtrees.kernels.records import Examples, OperatorArrays, Work
from graphtrees.trees.packing import PackedTrees

# Leaves of at most this many (example, tree) pairs are held at a time.
PAIRS_AT_ONCE = 2**24

# Columns that are kept as lists are written out, about so many values at a time.
VALUES_AT_ONCE = 2**25

# Waking a thread takes as long as adding up so many leaf values.
PAIRS_A_THREAD = 2**18

# Threads even each other out if each gets about so many pieces of work.
PIECES_A_THREAD = 32


class Router:
    """Some examples of a batch, ready to go through trees."""

    def __init__(
        self, batch: Batch, vertices: np.ndarray | None, workers: Workers,
        share: Share | None = None,
    ) -> None:  # fmt: skip
        self.share = share
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

    @property
    def n_examples(self) -> int:
        return len(self.order)

    def leaves(self, packed: PackedTrees) -> np.ndarray:
        """(n_examples, n_trees): the leaf of each example, numbered within its tree."""
        n_trees = len(packed.trees)
        out = np.empty((self.n_examples, n_trees), np.int32)
        if self.n_examples == 0 or n_trees == 0:
            return out
        refuse_overflow(self.batch, packed.walks, packed.every_column, self.of_graphs)
        operators = stacked_operators(self.batch, packed.closed_walks, packed.longest, self.workers)
        for trees in self._groups(packed):
            self._lead(packed, trees, operators, out)
        return out

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

    def _lead(
        self, packed: PackedTrees, group: slice, operators: OperatorArrays, out: np.ndarray
    ) -> None:
        """out[example, tree] = leaf, for a group of trees."""
        lanes = self.batch.lanes_of(lambda: np.array(sorted(set().union(*packed.columns[group]))))
        graphs = graph_arrays(self.batch, lanes)
        examples = Examples(self.example_ptr, self.example_vertex, self.order)
        given = [stored(record) for record in (examples, graphs, operators, packed.nodes)]
        chosen = np.flatnonzero(np.diff(self.example_ptr))
        if self.of_graphs and _looks_whole(lanes.x, operators):
            is_left = np.zeros(len(chosen), np.bool_)
            self._share_out(answer.route_whole, chosen, group, *given, is_left, out)
            chosen = chosen[is_left]
        if len(chosen):
            self._share_out(answer.route, chosen, group, *given, out)

    def _share_out(self, route: Callable, graphs: np.ndarray, trees: slice, *given: Any) -> None:
        """Let all threads at the same work: each piece is a graph and some trees."""
        n_threads, n_trees = self.workers.n_threads, trees.stop - trees.start
        wanted = PIECES_A_THREAD * n_threads if n_threads > 1 else 1
        n_parts = min(n_trees, -(-wanted // len(graphs)))
        at_once = min(8, max(1, len(graphs) * n_parts // wanted))
        work = Work(np.zeros(1, np.int64), graphs, n_parts, at_once, trees.start, trees.stop)
        n_tasks = min(n_threads, len(graphs) * n_parts)
        self.workers.each(partial(route, stored(work), *given), [()] * n_tasks)


def _looks_whole(x: np.ndarray, operators: OperatorArrays) -> bool:
    """Whether graphs of small whole numbers may be expected; each is checked on its own later."""
    if len(operators.endpoint_ptr) > 1 or operators.divisor.shape[1]:
        return False
    some = x[:1000], operators.weights[:1000]
    return all(np.array_equal(values, np.floor(values)) for values in some)


def sum_values(
    router: Router, packed: PackedTrees, outputs: Sequence[int], scale: float, out: np.ndarray
) -> None:
    """Add scale × leaf value of every tree, in order, to the output that it adds to (-1: all)."""
    if router.share is not None:  # other workers have the other examples
        values = out[router.share.rows]
        _sum_here(router, packed, outputs, scale, values)
        out[:] = router.share.in_order(values)
        return
    _sum_here(router, packed, outputs, scale, out)


def _sum_here(
    router: Router, packed: PackedTrees, outputs: Sequence[int], scale: float, out: np.ndarray
) -> None:
    n = router.n_examples if router.share is None else router.share.n
    at_once = max(1, PAIRS_AT_ONCE // max(1, n))
    n_trees = len(packed.trees)
    for start in range(0, n_trees, at_once):
        some = packed[start : min(start + at_once, n_trees)]
        which = np.asarray(outputs[start : start + at_once], np.int64)
        _add_values(router.leaves(some), some, which, scale, out, router.workers)


def _add_values(
    leaves: np.ndarray, trees: PackedTrees, outputs: np.ndarray, scale: float, out: np.ndarray,
    workers: Workers,
) -> None:  # fmt: skip
    workers.each(
        lambda start, stop: answer.add_values(
            leaves[start:stop], trees.ptr, trees.values, outputs, scale, out[start:stop]
        ),
        workers.spans(len(leaves), PAIRS_A_THREAD // max(1, leaves.shape[1])),
    )
