"""Compiled and plain kernels agree on the way through trees, and on importance."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from graphtrees.ensembles.fitted import AddedValues
from graphtrees.explain.counting import rank_subsets
from graphtrees.explain.jobs import SortedExamples
from graphtrees.explain.packing import PackedGraphs
from graphtrees.explain.path import Tracer
from graphtrees.trees.packing import PackedTrees
from graphtrees.trees.routing import Router, sum_values
from graphtrees.trees.training_data import TrainingData
from kernels.builders import (
    ALONE,
    KINDS,
    WHOLE,
    Kind,
    a_batch,
    a_tree,
    graphs_of_examples,
    some_data,
    some_graphs,
)

every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
about_both = pytest.mark.parametrize("of_graphs", [True, False], ids=["graphs", "vertices"])


@every_kind
@about_both
@pytest.mark.parametrize("lane_major", [True, False], ids=["lane by lane", "vertex by vertex"])
def test_compiled_and_plain_kernels_agree_on_the_way_through_trees(
    kind: Kind, of_graphs, lane_major, watch
):
    data, rng = some_data(kind, of_graphs), np.random.default_rng(5)
    trees = [a_tree(rng, data) for _ in range(8)]
    router = Router(a_batch(some_graphs(kind), kind, lane_major), data.vertices, ALONE)
    sum_values(router, PackedTrees(tuple(trees)), [-1] * 8, 0.5, np.zeros((router.n_examples, 2)))
    of_one = [replace(tree, value=tree.value[:, :1]) for tree in trees[:3]]
    sum_values(router, PackedTrees(tuple(of_one)), [1, 0, 1], 0.5, np.zeros((router.n_examples, 2)))
    assert watch.calls["add_values"] == 2
    in_whole_numbers = of_graphs and kind.numbers == WHOLE
    assert watch.calls["route_whole" if in_whole_numbers else "route"] == 2


@every_kind
@about_both
def test_compiled_and_plain_kernels_agree_on_importance(kind: Kind, of_graphs, watch):
    data, flat, rng = some_data(kind, of_graphs), some_graphs(kind), np.random.default_rng(5)
    model = a_model(rng, data)
    graphs = PackedGraphs.of(flat, a_batch(flat, kind), model.packed, ALONE)
    n, graph_of = data.n_examples, graphs_of_examples(data)
    whole = data.vertices is None
    vertex_of = np.full(n, -1) if whole else data.vertices - graphs.vertex_ptr[graph_of]
    target = SimpleNamespace(output=rng.integers(0, 2, n), sign=np.ones(n))
    for with_edges in (True, False):
        ordered = SortedExamples.of(graph_of, vertex_of, graphs, with_edges, 1)
        rank_subsets(ordered, target, model, graphs, with_edges, ALONE)
    tracer = Tracer(SimpleNamespace(packed=model.packed, kind="graphs"), graphs, None)
    for graph, vertex in zip(graph_of, vertex_of, strict=True):
        for tree in range(len(model.packed.trees)):
            tracer._trace(graph, vertex, tree)
    assert watch.calls["importance"] == 2
    assert watch.calls["trace"] == n * len(model.packed.trees)


def a_model(rng: np.random.Generator, data: TrainingData) -> AddedValues:
    """Eight trees of two outputs; the last one speaks for the second output only."""
    trees = tuple(a_tree(rng, data) for _ in range(8))
    speaks = np.ones((8, 2), bool)
    speaks[-1, 0] = False
    packed = PackedTrees(trees)
    return AddedValues(packed, packed.values, speaks)
