"""Graphs of whole numbers go down trees in int32: to the leaves that float32 leads to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import graphtrees as gt
from graphtrees._threads import Workers
from graphtrees.columns.arrays import graph_arrays, stacked_operators
from graphtrees.columns.batch import Batch
from graphtrees.columns.making import make_batch
from graphtrees.kernels._jit import kernel
from graphtrees.kernels.whole_room import is_whole
from graphtrees.questions.features import FeatureTable
from graphtrees.trees.packing import PackedTrees
from graphtrees.trees.routing import Router
from graphtrees.trees.tree import Tree
from kernels.builders import ALONE, Kind, a_tree, some_data

WHOLE = Kind((-2.0, -1.0, 0.0, 1.0, 3.0), (-2.0, 1.0, 2.0))
OPERATORS = ("adjacency", "reverse")


def some_graphs(seed: int, scale: float, hub: int = 0) -> gt.Graphs:
    """Directed weighted graphs; in each, `hub` edges more lead to vertex 0."""
    rng = np.random.default_rng(seed)
    graphs = []
    for n in (1, 2, 7, 8, 9, 30, 70):
        edges = rng.integers(0, n, (2 * n, 2))
        more = np.column_stack([rng.integers(0, n, hub), np.zeros(hub, int)])
        edges = np.concatenate([edges, more])
        weights = rng.choice((-1.0, 1.0, 2.0), len(edges))
        values = rng.choice((-2.0, 0.0, 0.0, 1.0, 3.0), (n, 3)) * scale
        graphs.append(gt.Graph(values, edges, directed=True, edge_weights=weights))
    return gt.Graphs(graphs)


def a_batch(graphs: gt.Graphs, lane_major: bool = True) -> Batch:
    table = FeatureTable.of(graphs.flat, add_constant=False)
    return make_batch(graphs.flat, table, OPERATORS, lane_major)


def some_trees(seed: int, n_trees: int = 12) -> list[Tree]:
    rng, data = np.random.default_rng(seed), some_data(replace(WHOLE, n_features=3), True)
    return [a_tree(rng, data, depth=5) for _ in range(n_trees)]


def halved(tree: Tree) -> Tree:
    return replace(tree, threshold=tree.threshold / 2)


@kernel
def count_whole(graphs, operators, longest):
    found = 0
    for g in range(graphs.vertex_ptr.shape[0] - 1):
        found += is_whole(graphs, operators, g, longest)
    return found


def n_whole(batch: Batch, longest: int = 2) -> int:
    operators = stacked_operators(batch, (), longest, ALONE)
    return count_whole(graph_arrays(batch, batch.lanes_of(lambda: None)), operators, longest)


@pytest.mark.parametrize("hub", [0, 20], ids=["few neighbours", "many neighbours"])
@pytest.mark.parametrize("lane_major", [True, False], ids=["lane by lane", "vertex by vertex"])
@pytest.mark.parametrize("seed", range(4))
def test_halving_all_numbers_and_thresholds_changes_no_leaf(seed, lane_major, hub):
    trees = some_trees(seed)
    batches = [a_batch(some_graphs(seed, scale, hub), lane_major) for scale in (1.0, 0.5)]
    assert n_whole(batches[0]) == 7
    assert n_whole(batches[1]) < 3
    leaves = [
        Router(batch, None, ALONE).leaves(PackedTrees(tuple(grown)))
        for batch, grown in zip(batches, (trees, map(halved, trees)), strict=True)
    ]
    np.testing.assert_array_equal(*leaves)
    assert (leaves[0] != leaves[0][0]).any(), "graphs go different ways"


def test_numbers_that_float32_cannot_hold_are_not_taken_for_whole():
    def count(value: float, longest: int = 2) -> int:
        graph = gt.Graph([[value], [value]], [(0, 1)] * 4, directed=False)
        return n_whole(a_batch(gt.Graphs([graph])), longest)

    assert count(1.0) == 1
    assert count(2.0**18) == 1  # 2 vertices × 4² ways × 2^18 = 2^23
    assert count(2.0**19) == 0
    assert count(2.0**18, longest=3) == 0
    assert count(0.5) == count(np.nan) == 0


@pytest.mark.parametrize("scale", [1.0, 0.5], ids=["whole", "halves"])
@pytest.mark.parametrize("of_graphs", [True, False], ids=["graphs", "vertices"])
def test_leaves_depend_neither_on_threads_nor_on_how_trees_are_shared_out(scale, of_graphs):
    trees, batch = some_trees(0), a_batch(some_graphs(1, scale), lane_major=of_graphs)
    if not of_graphs:
        trees = [replace(tree, aggregator=np.full_like(tree.aggregator, -1)) for tree in trees]
    vertices = None if of_graphs else np.arange(batch.n_vertices)[::-1].copy()
    alone = Router(batch, vertices, ALONE).leaves(PackedTrees(tuple(trees)))
    for n_threads in (2, 5):
        with Workers(n_threads) as workers:
            together = Router(batch, vertices, workers).leaves(PackedTrees(tuple(trees)))
        np.testing.assert_array_equal(together, alone)
    each = [Router(batch, vertices, ALONE).leaves(PackedTrees((tree,)))[:, 0] for tree in trees]
    np.testing.assert_array_equal(np.column_stack(each), alone)
