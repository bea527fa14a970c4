"""Kernels that walk from edge to edge agree with their twins, and cost no pairs of edges."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from numba import config

import graphtrees as gt
from graphtrees.candidates import batch as batch_module
from graphtrees.candidates.batch import Batch
from graphtrees.candidates.features import FeatureTable
from graphtrees.explain.counting import _count
from graphtrees.explain.packing import PackedGraphs
from graphtrees.explain.path import Tracer
from graphtrees.graphs.line_graph import line_graph
from graphtrees.trees.packing import pack
from graphtrees.trees.routing import Router
from kernels.builders import ALONE, KINDS, Kind, a_tree, edge_data, some_codes, table_of
from kernels.test_agreement_on_trees import a_model
from kernels.test_route import step_by_step

every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
a_few_seeds = pytest.mark.parametrize("seed", range(2))


@every_kind
@a_few_seeds
@pytest.mark.parametrize("share", [-1.0, 2.0], ids=["rows in full", "rows as lists"])
def test_compiled_and_plain_kernels_agree_on_columns_of_edges(
    kind: Kind, seed, share, watch, monkeypatch
):
    monkeypatch.setattr(batch_module, "SPARSE_SHARE", share)
    watch.exact = False  # averages are asked for too
    data = edge_data(kind, seed)
    plan = data.plan(frozenset(data.space.walk_types), on_subset=True)
    codes = some_codes(data.batch, seed)
    assert len(data.whole[0].row_start) == data.n_examples
    for examples in (np.arange(data.n_examples), np.array([2, 0]), np.arange(0)):
        listed = table_of(data.block(examples, plan, codes))
        if data.is_dense:
            shape = len(examples), 2 * plan.width, data.batch.n_columns
            edges = data.vertices[examples]
            for first, values in data.vertex_walks.dense_values(edges, plan, codes, data.space):
                features = slice(first, first + values.shape[1])
                full = values.transpose(2, 0, 1)
                np.testing.assert_array_equal(listed.reshape(shape)[:, :, features], full)
    assert {"touched", "list_in", "list_out", "closed_walks_of_edges"} <= set(watch.calls)
    assert {"step_in", "step_out"} <= set(watch.calls)
    assert not {"walk_step", "walk_apart", "walk_apart_sparse", "closed_walks"} & set(watch.calls)


@every_kind
def test_compiled_and_plain_kernels_agree_on_the_way_of_edges(kind: Kind, watch):
    data, rng = edge_data(kind), np.random.default_rng(3)
    trees = [a_tree(rng, data, depth=4) for _ in range(6)]
    said = Router(data.batch, data.vertices, ALONE).leaves(pack(trees))
    wanted = [[step_by_step(data, tree, e) for tree in trees] for e in range(data.n_examples)]
    np.testing.assert_array_equal(said, wanted)
    assert watch.calls["route"] == 1
    assert watch.calls["ask"] > 0


@every_kind
def test_compiled_and_plain_kernels_agree_on_the_importance_of_edges(kind: Kind, watch):
    data, rng = edge_data(kind), np.random.default_rng(5)
    model, batch = a_model(rng, data), data.batch
    no_edges = SimpleNamespace(edge_ptr=np.zeros(batch.n_graphs + 1, np.int64))
    graphs = PackedGraphs.of(no_edges, batch, model, ALONE)
    n, graph_of = data.n_examples, data.graph_of_example
    vertex_of = data.vertices - graphs.vertex_ptr[graph_of]
    examples = SimpleNamespace(n=n, graph_of=graph_of, vertex_of=vertex_of)
    target = SimpleNamespace(output=rng.integers(0, 2, n), sign=np.ones(n))
    _count(examples, target, model, graphs, True, ALONE)
    tracer = Tracer(model, graphs, None, (), None, knows_edges=False)
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
    batch = Batch.of(flat, FeatureTable.of(flat, add_constant=True), ("adjacency", "mean"))
    np.testing.assert_array_equal(batch.walked(0, 1, ALONE), n - 1)
    np.testing.assert_array_equal(batch.walked(0, 2, ALONE), np.float32((n - 1) ** 2))
    np.testing.assert_array_equal(batch.walked(1, 2, ALONE), 1.0)
    assert not batch.diagonal(0, 1, ALONE).any()
    np.testing.assert_array_equal(batch.diagonal(0, 2, ALONE), n - 1)
    np.testing.assert_allclose(batch.diagonal(1, 2, ALONE), 1 / (n - 1), rtol=1e-6)
