"""Walk sums leave no trace of the order in which neighbours, edges or vertices were listed."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest
from real_valued import mixed, real_graphs, rewrite_all

import graphtrees as gt
from graphtrees.candidates.batch import Batch
from graphtrees.candidates.features import FeatureTable
from graphtrees.candidates.plan import QuestionSpace
from graphtrees.kernels.walks import walk_step
from graphtrees.trees.training_data import TrainingData
from kernels.builders import ALONE, EVERY_AGGREGATOR, EVERY_TYPE, some_codes, table_of

OPERATORS = ("adjacency", "mean")


def sum_of_neighbours(order, weights, values, lanes) -> np.ndarray:
    """One step into vertex 0, whose neighbours are all vertices, in this order."""
    n = len(order)
    out = np.zeros(n * lanes, np.float32)
    walk_step(
        np.array([0]), np.zeros(n, np.int64), np.array([0, n]), np.array([0, n * lanes]),
        np.array([lanes]), False, np.array([0] + [n] * n), order.astype(np.int32),
        weights[order], np.empty(0), values.ravel(), out,
    )  # fmt: skip
    return out[:lanes]


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_neighbours_changes_no_bit_of_their_sum(seed):
    rng = np.random.default_rng(seed)
    weights, values = mixed(rng, 60, 1), mixed(rng, (60, 3), 6)
    values[:20] *= np.float32(1e12)
    values[20:40], weights[20:40] = -values[:20], weights[:20]  # what is large cancels
    products = weights.astype(np.float64)[:, None] * values
    exact = np.array([fsum(lane) for lane in products.T], np.float32)
    plain_sums = set()
    for _ in range(10):
        order = rng.permutation(60)
        said = sum_of_neighbours(order, weights, values, lanes=3)
        np.testing.assert_array_equal(said, exact)
        plain_sums.add(tuple(np.float32(sum(products[order]))))
    assert len(plain_sums) > 1, "adding up in float64 alone would do too: this shows nothing"


def data_of(graphs: gt.Graphs, vertices: np.ndarray | None) -> TrainingData:
    flat, of_graphs = graphs.flat, vertices is None
    batch = Batch.of(flat, FeatureTable.of(flat, True), OPERATORS, of_graphs)
    space = QuestionSpace(2, 1, EVERY_TYPE, EVERY_AGGREGATOR, 1.0, OPERATORS, of_graphs)
    return TrainingData(batch, vertices, space, None, ALONE)


@pytest.mark.parametrize("of_graphs", [True, False], ids=["graphs", "vertices"])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_rewriting_graphs_changes_no_bit_of_any_column(seed, directed, of_graphs):
    graphs = real_graphs(seed, n_graphs=5, n_vertices=(0, 6), directed=directed)
    again, moved = rewrite_all(graphs, seed)
    n_vertices = sum(graph.n_vertices for graph in graphs)
    place = again.flat.vertex_ptr[moved.graph_of] + moved.vertex_of  # of each old vertex
    one = data_of(gt.Graphs(graphs), None if of_graphs else np.arange(n_vertices))
    two = data_of(again, None if of_graphs else place)
    np.testing.assert_array_equal(table_of(one.whole), table_of(two.whole))
    codes = some_codes(one.batch, seed)
    codes_there = np.empty_like(codes)
    codes_there[place] = codes
    everyone = np.arange(one.n_examples)
    tables = [
        table_of(data.block(everyone, data.plan(frozenset(EVERY_TYPE), True), code))
        for data, code in ((one, codes), (two, codes_there))
    ]
    np.testing.assert_array_equal(*tables)


@pytest.mark.parametrize("seed", range(3))
def test_rewriting_graphs_changes_no_bit_of_their_closed_walks(seed):
    graphs = real_graphs(seed, n_graphs=5, directed=True)
    again, moved = rewrite_all(graphs, seed)
    place = again.flat.vertex_ptr[moved.graph_of] + moved.vertex_of
    one, two = data_of(gt.Graphs(graphs), None).batch, data_of(again, None).batch
    for operator in range(len(OPERATORS)):
        for length in range(1, 6):
            here = one.diagonal(operator, length, ALONE)
            there = two.diagonal(operator, length, ALONE)
            np.testing.assert_array_equal(here, there[place])
