"""Lead vertices of one graph, of which every worker has a part, through trees.

Nodes of all trees are asked depth by depth. Between two depths the workers tell each other which
subsets the vertices of their halos are in.
"""

from __future__ import annotations

import numpy as np

from graphtrees._communicator import Communicator, Halo, Share
from graphtrees._layout import CYCLE, IN_MINUS, IN_PLUS, OUTSIDE
from graphtrees._threads import Workers
from graphtrees.columns.arrays import graph_arrays, operator_arrays
from graphtrees.columns.batch import Batch
from graphtrees.columns.overflow import refuse_overflow
from graphtrees.kernels import answer
from graphtrees.kernels.records import GraphArrays
from graphtrees.trees.packing import PackedTrees
from graphtrees.trees.routing import Router
from graphtrees.trees.tree import Tree

# Subsets of this many vertices, over all nodes of the trees, are held at a time by one worker.
SUBSETS_AT_ONCE = 2**28
NO_CODES = np.empty(0, np.uint8)


def router_of(
    batch: Batch, vertices: np.ndarray | None, workers: Workers, share: Share | None
) -> Router:
    """The router for these examples."""
    kind = Router if share is None or share.halo is None else PartRouter
    return kind(batch, vertices, workers, share)


class PartRouter(Router):
    """Vertices in a part of a graph, ready to go through trees together with those of others."""

    @property
    def halo(self) -> Halo:
        assert self.share is not None
        assert self.share.halo is not None
        return self.share.halo

    @property
    def communicator(self) -> Communicator:
        assert self.share is not None
        return self.share.communicator

    def leaves(self, packed: PackedTrees) -> np.ndarray:
        """(n_examples, n_trees): the leaf of each example, numbered within its tree."""
        out = np.zeros((self.n_examples, len(packed.trees)), np.int32)
        if not packed.trees:
            return out
        refuse_overflow(self.batch, packed.walks, packed.every_column, False)
        for operator, length in packed.closed_walks:  # once, before threads ask for them
            self.batch.diagonal(operator, length, self.workers)
        for start, stop in self._some_trees(packed.trees):
            columns = np.array(packed[start:stop].every_column(), np.int64)
            graphs = graph_arrays(self.batch, self.batch.lanes_of(lambda columns=columns: columns))  # type: ignore[misc]
            self._lead_down(packed.trees[start:stop], graphs, out[:, start:stop])
        return out

    def _some_trees(self, trees: tuple[Tree, ...]) -> list[tuple[int, int]]:
        """Stretches of trees whose subsets there is room for, the same on every worker."""
        room = SUBSETS_AT_ONCE // max(1, self.halo.n_vertices // self.communicator.n_workers)
        starts, used = [0], 0
        for number, tree in enumerate(trees):
            n_nodes = len(_pointed_to(tree))
            if number > starts[-1] and used + n_nodes > room:
                starts.append(number)
                used = 0
            used += n_nodes
        return list(zip(starts, [*starts[1:], len(trees)], strict=True))

    def _lead_down(self, trees: tuple[Tree, ...], graphs: GraphArrays, at: np.ndarray) -> None:
        """at[example, tree]: the node where an example is, in the end a leaf."""
        is_used = [_pointed_to(tree) for tree in trees]
        codes: dict[tuple[int, int], np.ndarray] = {}
        for depth in range(max(int(tree.depth.max()) for tree in trees)):
            asked = [
                (k, int(node)) for k, tree in enumerate(trees)
                for node in np.flatnonzero((tree.depth == depth) & ~tree.is_leaf)
            ]  # fmt: skip
            used = [(k, node) for k, node in asked if node in is_used[k]]
            subsets = np.zeros((len(used), self.batch.n_vertices), np.uint8)
            rows = dict(zip(used, subsets, strict=True))
            self.workers.each(
                lambda k, node, rows=rows: self._split(
                    trees[k], node, graphs, codes.get((k, int(trees[k].pointer[node])), NO_CODES),
                    at[:, k], rows.get((k, node)),
                ),
                asked,
            )  # fmt: skip
            if used:
                self.halo.complete(subsets, self.communicator)
                codes.update(rows)

    def _split(
        self, tree: Tree, node: int, graphs: GraphArrays, codes: np.ndarray, at: np.ndarray,
        subset: np.ndarray | None,
    ) -> None:  # fmt: skip
        """Move the examples that are at a node; write the subsets that it makes to `subset`."""
        here = np.flatnonzero(at == node)
        if subset is None and not len(here):
            return
        goes_left = self._ask(tree, node, graphs, codes)
        left = goes_left[self.example_vertex[here]]
        at[here] = np.where(left, tree.left[node], tree.right[node])
        if subset is not None:
            subset[:] = np.where(goes_left, IN_MINUS, IN_PLUS)
            if tree.sign[node] != 0:
                subset[codes != tree.sign[node]] = OUTSIDE

    def _ask(self, tree: Tree, node: int, graphs: GraphArrays, codes: np.ndarray) -> np.ndarray:
        """For each vertex of this part whether it goes left."""
        operator, length = int(tree.operator[node]), int(tree.walk_length[node])
        closed = None
        if tree.walk_type[node] == CYCLE and length > 0:
            closed = self.batch.diagonal(operator, length, self.workers)
        z = np.zeros(self.batch.n_vertices, np.float32)
        answer.ask(
            np.arange(1), graphs, operator_arrays(self.batch.operators[operator], closed),
            int(tree.column[node]), length, int(tree.walk_type[node]), codes, int(tree.sign[node]),
            z,
        )  # fmt: skip
        is_left = z.astype(np.float64) <= tree.threshold[node]
        return np.where(np.isnan(z), bool(tree.missing_left[node]), is_left)


def _pointed_to(tree: Tree) -> set[int]:
    """The nodes whose subsets a question is about."""
    return set(tree.pointer[tree.sign != 0].tolist())
