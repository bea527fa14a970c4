"""Edges as examples are the vertices of the line graph, though no pair of edges is written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from models import FORESTS, SIX, name_of, small
from oracles.line_graph import written_out
from real_valued import real_graphs
from strategies import busy_graphs, limits_of_growth, questions_on_offer, some_graphs

import graphtrees as gt
from graphtrees._layout import SOURCE
from graphtrees._threads import Workers
from graphtrees.columns import making
from graphtrees.columns.batch import Batch
from graphtrees.columns.making import make_batch
from graphtrees.explain import explain_many
from graphtrees.graphs.line_graph import line_graph
from graphtrees.questions.features import FeatureTable
from graphtrees.questions.plan import QuestionSpace
from graphtrees.trees.training_data import TrainingData

OPERATORS = ("adjacency", "reverse", "mean")
IN_FULL = -1.0
shares = st.sampled_from((IN_FULL, making.SPARSE_SHARE, 2.0))  # rows in full, or as lists
seeds = st.integers(0, 2**32 - 1)


def two_batches(graphs: gt.Graphs) -> tuple[Batch, Batch]:
    """By way of endpoints, and along pairs of edges; rows in full."""
    through, along = line_graph(graphs.flat), written_out(graphs).flat
    table = FeatureTable.of(through, add_constant=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making, "SPARSE_SHARE", IN_FULL)
        return make_batch(through, table, OPERATORS), make_batch(along, table, OPERATORS)


@settings(max_examples=60, deadline=None)
@given(graphs=some_graphs() | busy_graphs())
def test_walks_through_vertices_are_walks_along_pairs(graphs):
    graphs = gt.Graphs(graphs)
    through, along = two_batches(graphs)
    alone = Workers(1)
    np.testing.assert_array_equal(through.x, along.x)
    for operator in range(len(OPERATORS)):
        for length in range(1, 6):
            one, two = (b.diagonal(operator, length, alone) for b in (through, along))
            np.testing.assert_array_equal(one, two, err_msg=f"{operator} {length}")
    np.testing.assert_array_equal(walked(through, 5), walked(along, 5))


def walked(batch: Batch, longest: int) -> np.ndarray:
    """A^d x of every operator at every vertex, in the columns that training makes."""
    space = QuestionSpace(longest, 0, (SOURCE,), (), 1.0, OPERATORS, of_graphs=False)
    data = TrainingData(batch, np.arange(batch.n_vertices), space, None, Workers(1))
    return data.static.values


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_real_numbers_that_pass_a_vertex_lose_no_bit(seed, directed):
    graphs = gt.Graphs(real_graphs(seed, directed=directed, magnitude=6))
    through, along = two_batches(graphs)
    np.testing.assert_array_equal(walked(through, 3), walked(along, 3))
    for operator in range(len(OPERATORS)):
        for length in range(1, 4):
            one, two = (b.diagonal(operator, length, Workers(1)) for b in (through, along))
            np.testing.assert_allclose(one, two, rtol=1e-7)


@st.composite
def tasks(draw) -> tuple[gt.Graphs, np.ndarray, dict[str, Any]]:
    graphs = gt.Graphs(draw(busy_graphs() | some_graphs()))
    n = len(graphs.edges)
    assume(n >= 2)
    y = np.random.default_rng(draw(seeds)).integers(0, 2, n)
    y[:2] = 0, 1
    asked = draw(questions_on_offer(max_walk_length=3)) | draw(limits_of_growth())
    return graphs, y, asked | {"max_bins": draw(st.sampled_from((None, 255, 4)))}


@pytest.mark.parametrize("kind", SIX, ids=name_of)
@settings(max_examples=25, deadline=None)
@given(task=tasks(), share=shares, every_other=st.booleans())
def test_a_model_of_edges_is_a_model_of_vertices_of_the_line_graph(kind, task, share, every_other):
    graphs, y, asked = task
    if kind in FORESTS and share != IN_FULL:
        # A second draw is among the features that examples hold. Lists of edges hold their own
        # features after a step too, as 0: walks through an endpoint come back, and are taken off.
        asked = asked | {"max_features": None}
    chosen = np.arange(0, len(y), 2 if every_other and len(set(y[::2])) > 1 else 1)
    there = written_out(graphs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making, "SPARSE_SHARE", share)
        one = small(kind, **asked).fit(graphs.edges[chosen], y[chosen])
        two = small(kind, **asked).fit(there.vertices[chosen], y[chosen])
    gains = {"check_exact": False, "rtol": 1e-12}
    pandas = pytest.importorskip("pandas")
    tables = one.trees_to_dataframe(), two.trees_to_dataframe()
    pandas.testing.assert_frame_equal(*tables, **gains)
    np.testing.assert_array_equal(one.apply(graphs.edges), two.apply(there.vertices))
    np.testing.assert_array_equal(one.predict(graphs.edges), two.predict(there.vertices))
    found = [
        explain_many(model, X, method=method)
        for method in ("paper", "attribution")
        for model, X in ((one, graphs.edges), (two, there.vertices))
    ]
    for mine, theirs, my_share, their_share in zip(*found, strict=True):
        np.testing.assert_array_equal(mine.edge_importance, theirs.vertex_importance)
        ours, others = my_share.edge_attribution, their_share.vertex_attribution
        np.testing.assert_allclose(ours, others, rtol=1e-9, atol=1e-12)
        for step, other in zip(mine.path(0).steps, theirs.path(0).steps, strict=True):
            np.testing.assert_array_equal(step.vertex_values, other.vertex_values)
            np.testing.assert_array_equal(step.plus, other.plus)


@pytest.mark.parametrize("directed", [False, True])
@settings(max_examples=10, deadline=None)
@given(seed=seeds)
def test_rewriting_graphs_changes_no_prediction_of_an_edge(directed, seed):
    """Other numbers for the vertices and another order of the edges; threads do not matter."""
    graphs = real_graphs(seed, n_graphs=6, n_vertices=(2, 8), directed=directed, weighted=False)
    rng = np.random.default_rng(seed)
    again, place = edges_moved(graphs, rng)
    y = rng.normal(size=len(place))
    assume(len(y) >= 2)
    asked = {"operators": ("adjacency", "mean"), "max_walk_length": 3, "max_ancestor_distance": 2}
    one = small(gt.GraphBoostingRegressor, **asked).fit(gt.Graphs(graphs).edges, y)
    two = small(gt.GraphBoostingRegressor, **asked | {"n_jobs": 3}).fit(again.edges[place], y)
    here, there = one.predict(gt.Graphs(graphs).edges), two.predict(again.edges)
    np.testing.assert_array_equal(here, there[place])


def edges_moved(graphs: list[gt.Graph], rng) -> tuple[gt.Graphs, np.ndarray]:
    """The graphs anew, and where every edge went."""
    told, place, start = [], [], 0
    for graph in graphs:
        order = rng.permutation(graph.n_vertices)
        listed = rng.permutation(graph.n_edges)
        edges = np.argsort(order)[graph.edge_index.T[listed]]
        if not graph.directed:
            turned = rng.random(len(edges)) < 0.5
            edges[turned] = edges[turned][:, ::-1]
        told.append(gt.Graph(graph.features[order], edges, directed=graph.directed))
        place.append(start + np.argsort(listed))
        start += graph.n_edges
    return gt.Graphs(told), np.concatenate(place)
