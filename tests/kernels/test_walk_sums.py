"""Walk sums leave no trace of the order in which neighbours, edges or vertices were listed."""

from __future__ import annotations

from itertools import product
from math import fsum
from types import SimpleNamespace

import numpy as np
import pytest
from real_valued import mixed, real_graphs, rewrite_all

import graphtrees as gt
from graphtrees._layout import IN_PLUS, SOURCE
from graphtrees.columns.making import make_batch
from graphtrees.explain.packing import PackedGraphs
from graphtrees.explain.path import Tracer
from graphtrees.kernels._rows import WIDTH
from graphtrees.kernels.walks import walk_step
from graphtrees.questions.features import FeatureTable
from graphtrees.questions.plan import QuestionSpace
from graphtrees.trees.packing import PackedTrees
from graphtrees.trees.training_data import TrainingData
from kernels.builders import (
    ALONE,
    EVERY_AGGREGATOR,
    EVERY_TYPE,
    a_tree,
    ask,
    graph_block,
    some_codes,
    vertex_table,
)

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


def cancelling(rng: np.random.Generator, n_lanes: int) -> tuple[np.ndarray, np.ndarray]:
    """Weights and values of 60 vertices; what is large in their sum cancels."""
    weights, values = mixed(rng, 60, 1), mixed(rng, (60, n_lanes), 6)
    values[:20] *= np.float32(1e12)
    values[20:40], weights[20:40] = -values[:20], weights[:20]
    return weights, values


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_neighbours_changes_no_bit_of_their_sum(seed):
    rng = np.random.default_rng(seed)
    weights, values = cancelling(rng, n_lanes=3)
    products = weights.astype(np.float64)[:, None] * values
    exact = np.array([fsum(lane) for lane in products.T], np.float32)
    plain_sums = set()
    for _ in range(10):
        order = rng.permutation(60)
        said = sum_of_neighbours(order, weights, values, lanes=3)
        np.testing.assert_array_equal(said, exact)
        plain_sums.add(tuple(np.float32(sum(products[order]))))
    assert len(plain_sums) > 1, "adding up in float64 alone would do too: this shows nothing"


def a_hub(seed: int, directed: bool) -> gt.Graph:
    """One more vertex that all edges lead to, and that has no value of its own."""
    weights, values = cancelling(np.random.default_rng(seed), n_lanes=2)
    edges = np.column_stack([np.arange(60), np.full(60, 60)])
    return gt.Graph(np.vstack([values, [0.0, 0.0]]), edges, directed=directed, edge_weights=weights)


def data_of(graphs: gt.Graphs, vertices: np.ndarray | None) -> TrainingData:
    flat, of_graphs = graphs.flat, vertices is None
    table, row_of = FeatureTable.of(flat, True), WIDTH if of_graphs else 1
    batch = make_batch(flat, table, OPERATORS, row_of=row_of)
    space = QuestionSpace(2, 1, EVERY_TYPE, EVERY_AGGREGATOR, 1.0, OPERATORS, of_graphs)
    return TrainingData(batch, vertices, space, None, ALONE)


@pytest.mark.parametrize("of_graphs", [True, False], ids=["graphs", "vertices"])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_rewriting_graphs_changes_no_bit_of_any_column(seed, directed, of_graphs):
    graphs = real_graphs(seed, n_graphs=4, n_vertices=(0, 6), directed=directed)
    graphs.append(a_hub(seed, directed))
    again, moved = rewrite_all(graphs, seed)
    place = again.flat.vertex_ptr[moved.graph_of] + moved.vertex_of  # of each old vertex
    one = data_of(gt.Graphs(graphs), None if of_graphs else np.arange(len(place)))
    two = data_of(again, None if of_graphs else place)
    np.testing.assert_array_equal(whole_of(one), whole_of(two))
    codes = some_codes(one.batch, seed)
    codes[one.batch.graph_of == len(graphs) - 1] = IN_PLUS  # what cancels stays together
    codes_there = np.empty_like(codes)
    codes_there[place] = codes
    np.testing.assert_array_equal(columns_of(one, codes), columns_of(two, codes_there))


def whole_of(data: TrainingData) -> np.ndarray:
    """All columns of whole graphs."""
    return graph_block(data, None) if data.vertices is None else vertex_table(data, None)


def columns_of(data: TrainingData, codes: np.ndarray) -> np.ndarray:
    """All columns of two subsets."""
    return graph_block(data, codes) if data.vertices is None else vertex_table(data, codes)


@pytest.mark.parametrize("seed", range(3))
def test_rewriting_a_graph_changes_no_bit_of_an_answer(seed):
    hub = a_hub(seed, directed=False)
    again, moved = rewrite_all([hub], seed)
    one, two = data_of(gt.Graphs([hub]), None), data_of(again, None)
    for column, operator, length in product((0, 1), (0, 1), (1, 2)):
        asked = column, operator, length, SOURCE, np.empty(0, np.uint8), 0
        here, there = (ask(data, np.array([0]), *asked) for data in (one, two))
        np.testing.assert_array_equal(here, there[moved.vertex_of])
        told = traced(one, gt.Graphs([hub]), column, operator, length)
        np.testing.assert_array_equal(told, here)


def traced(data: TrainingData, graphs: gt.Graphs, column, operator, length) -> np.ndarray:
    """z of the same question, as explanations ask it."""
    root = {"column": column, "operator": operator, "walk_length": length, "walk_type": SOURCE}
    tree = a_tree(np.random.default_rng(0), data, depth=1)
    for name, value in root.items():
        getattr(tree, name)[0] = value
    trees = PackedTrees((tree,))
    batch = make_batch(graphs.flat, FeatureTable.of(graphs.flat, True), OPERATORS)
    packed = PackedGraphs.of(graphs.flat, batch, trees, ALONE)
    fitted = SimpleNamespace(packed=trees, kind="graphs")
    return Tracer(fitted, packed, None)._trace(0, -1, 0)[2][0]


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_neighbours_changes_no_bit_of_closed_walks(seed):
    """Out along one edge and back along another: the sum of the products of their weights."""
    rng = np.random.default_rng(seed)
    there, back = cancelling(rng, n_lanes=1)
    back = back[:, 0]
    exact = fsum(there.astype(np.float64) * back)
    for _ in range(5):
        leaf = 1 + rng.permutation(60)
        spokes = np.column_stack([np.zeros(60, int), leaf])
        edges = np.concatenate([spokes, spokes[:, ::-1]])
        graph = gt.Graph(None, edges, directed=True, edge_weights=np.r_[there, back])
        batch = data_of(gt.Graphs([graph]), None).batch
        for length in (2, 4):
            wanted = np.float32(exact ** (length // 2))
            assert batch.diagonal(0, length, ALONE)[0] == wanted
            assert batch.diagonal(0, length + 1, ALONE)[0] == 0.0


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
