"""Kernels that walk from edge to edge agree with their twins, and cost no pairs of edges."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from numba import config

import graphtrees as gt
from graphtrees._layout import SOURCE
from graphtrees.columns.making import make_batch
from graphtrees.explain.counting import rank_subsets
from graphtrees.explain.jobs import SortedExamples
from graphtrees.explain.packing import PackedGraphs
from graphtrees.explain.path import Tracer
from graphtrees.graphs.line_graph import line_graph
from graphtrees.questions.features import FeatureTable
from graphtrees.questions.plan import QuestionSpace
from graphtrees.trees.packing import PackedTrees
from graphtrees.trees.routing import Router
from graphtrees.trees.training_data import TrainingData
from kernels.builders import ALONE, KINDS, Kind, a_tree, edge_data, graphs_of_examples
from kernels.test_agreement_on_trees import a_model
from kernels.test_route import step_by_step

every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@every_kind
def test_compiled_and_plain_kernels_agree_on_the_way_of_edges(kind: Kind, watch):
    data, rng = edge_data(kind), np.random.default_rng(3)
    trees = [a_tree(rng, data, depth=4) for _ in range(6)]
    said = Router(data.batch, data.vertices, ALONE).leaves(PackedTrees(tuple(trees)))
    wanted = [[step_by_step(data, tree, e) for tree in trees] for e in range(data.n_examples)]
    np.testing.assert_array_equal(said, wanted)
    assert watch.calls["route"] == 1


@every_kind
def test_compiled_and_plain_kernels_agree_on_the_importance_of_edges(kind: Kind, watch):
    data, rng = edge_data(kind), np.random.default_rng(5)
    model, batch = a_model(rng, data), data.batch
    no_edges = SimpleNamespace(edge_ptr=np.zeros(batch.n_graphs + 1, np.int64))
    graphs = PackedGraphs.of(no_edges, batch, model.packed, ALONE)
    n, graph_of = data.n_examples, graphs_of_examples(data)
    vertex_of = data.vertices - graphs.vertex_ptr[graph_of]
    target = SimpleNamespace(output=rng.integers(0, 2, n), sign=np.ones(n))
    ordered = SortedExamples.of(graph_of, vertex_of, graphs, True, 1)
    rank_subsets(ordered, target, model, graphs, True, ALONE)
    tracer = Tracer(SimpleNamespace(packed=model.packed, kind="edges"), graphs, None)
    for graph, vertex in zip(graph_of[:5], vertex_of[:5], strict=True):
        tracer._trace(graph, vertex, 0)
    assert watch.calls["importance"] == 1
    assert watch.calls["trace"] == min(n, 5)


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="100,000 edges take minutes uncompiled")
def test_a_hub_costs_as_much_as_its_edges():
    """5 billion pairs of edges: n - 1 walks to a neighbour, and as many there and back."""
    n = 100_000
    edges = np.column_stack([np.zeros(n, int), np.arange(1, n + 1)])
    flat = line_graph(gt.Graphs([gt.Graph(None, edges, n_vertices=n + 1)]).flat)
    batch = make_batch(flat, FeatureTable.of(flat, add_constant=True), ("adjacency", "mean"))
    space = QuestionSpace(2, 0, (SOURCE,), (), 1.0, ("adjacency", "mean"), False)
    data = TrainingData(batch, np.arange(n), space, None, ALONE)
    columns = data.static.values.reshape(-1, n)
    wanted = {(0, 0): 1, (0, 1): n - 1, (0, 2): np.float32((n - 1) ** 2), (1, 1): 1, (1, 2): 1}
    whole = data.questions.whole
    for operator, length, column in zip(whole.operator, whole.walk_length, columns, strict=True):
        np.testing.assert_array_equal(column, wanted[operator, length])
    assert not batch.diagonal(0, 1, ALONE).any()
    np.testing.assert_array_equal(batch.diagonal(0, 2, ALONE), n - 1)
    np.testing.assert_allclose(batch.diagonal(1, 2, ALONE), 1 / (n - 1), rtol=1e-6)
