"""Which number a vertex has, and in which order edges are listed, changes nothing: not one bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from models import SIX, name_of, small
from pandas.testing import assert_frame_equal
from real_valued import mixed, real_graphs, rewrite_all

import graphtrees as gt

a_few = settings(max_examples=7, deadline=None)
seeds = st.integers(0, 2**32 - 1)
six_kinds = pytest.mark.parametrize("kind", SIX, ids=name_of)
EVERYTHING = {"operators": ("adjacency", "reverse", "mean"), "max_leaf_nodes": 6}


@st.composite
def kinds_of_graphs(draw) -> dict:
    return {
        "directed": draw(st.booleans()),
        "weighted": draw(st.booleans()),
        "n_features": draw(st.sampled_from((0, 2, 2))),
        "missing": draw(st.sampled_from((0.0, 0.2))),
        "magnitude": draw(st.sampled_from((0, 3, 6))),
    }


def classes(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 3, n)


def assert_same_bits(one: np.ndarray, other: np.ndarray) -> None:
    np.testing.assert_array_equal(one, other)
    assert one.tobytes() == other.tobytes()


@six_kinds
@a_few
@given(seed=seeds, graphs=kinds_of_graphs(), max_bins=st.sampled_from((255, None)))
def test_relabelling_graphs_changes_neither_training_nor_prediction(kind, seed, graphs, max_bins):
    told = real_graphs(seed, n_graphs=14, **graphs)
    again, _ = rewrite_all(told, seed)
    y = classes(len(told), seed)
    model = small(kind, max_bins=max_bins, **EVERYTHING).fit(told, y)
    assert_same_bits(model.predict(told), model.predict(again))
    refitted = small(kind, max_bins=max_bins, **EVERYTHING).fit(again, y)
    assert_frame_equal(model.trees_to_dataframe(), refitted.trees_to_dataframe(), check_exact=True)


@six_kinds
@a_few
@given(seed=seeds, graphs=kinds_of_graphs(), max_bins=st.sampled_from((255, None)))
def test_relabelling_moves_predictions_with_their_vertices(kind, seed, graphs, max_bins):
    told = real_graphs(seed, n_graphs=4, n_vertices=(1, 12), **graphs)
    vertices = gt.Graphs(told).vertices
    _, again = rewrite_all(told, seed)
    y = classes(len(vertices), seed)
    labelled = np.flatnonzero(np.random.default_rng(seed).random(len(y)) < 0.7)
    labelled = labelled if len(labelled) else np.arange(1)
    model = small(kind, max_bins=max_bins, **EVERYTHING)
    model.fit(vertices[labelled], y[labelled])
    assert_same_bits(model.predict(vertices), model.predict(again))
    refitted = small(kind, max_bins=max_bins, **EVERYTHING).fit(again[labelled], y[labelled])
    assert_frame_equal(model.trees_to_dataframe(), refitted.trees_to_dataframe(), check_exact=True)


def cancelling_star(rng, n_pairs: int, power: int, directed: bool) -> gt.Graph:
    """A hub whose neighbours hold large numbers and their opposites, and a few small numbers."""
    large = mixed(rng, n_pairs, 1) * np.float32(10.0**power)
    around = np.concatenate([large, -large, mixed(rng, 3, 1)])
    features = np.concatenate([[0.0], around])[:, None]
    edges = [(k, 0) for k in range(1, len(features))]
    return gt.Graph(features, edges, directed=directed)


def assert_relabelling_changes_nothing(told, seed: int, **given) -> None:
    """For the graphs as examples, and for the first vertex of each."""
    again, vertices_again = rewrite_all(told, seed)
    hubs = np.cumsum([0, *(g.n_vertices for g in told)])[:-1]
    y = np.random.default_rng(seed).normal(size=len(told))
    pairs = ((gt.Graphs(told), again), (gt.Graphs(told).vertices[hubs], vertices_again[hubs]))
    for X, other in pairs:
        model = small(gt.GraphTreeRegressor, max_bins=None, **given).fit(X, y)
        assert_same_bits(model.predict(X), model.predict(other))
        refitted = small(gt.GraphTreeRegressor, max_bins=None, **given).fit(other, y)
        assert_frame_equal(
            model.trees_to_dataframe(), refitted.trees_to_dataframe(), check_exact=True
        )


@pytest.mark.parametrize("directed", [False, True])
@settings(max_examples=12, deadline=None)
@given(seed=seeds, aggregator=st.sampled_from(("sum", "mean")), power=st.integers(4, 18))
def test_sums_that_cancel_do_not_depend_on_their_order(directed, seed, aggregator, power):
    """Large values of opposite signs leave nothing but what is small beside them."""
    rng = np.random.default_rng(seed)
    told = [cancelling_star(rng, 6, power, directed) for _ in range(8)]
    asked = {"aggregators": (aggregator,), "operators": ("adjacency", "mean")}
    assert_relabelling_changes_nothing(told, seed, **asked)


@pytest.mark.parametrize("directed", [False, True])
def test_a_thousand_neighbours_add_up_alike(directed):
    rng = np.random.default_rng(0)
    told = [cancelling_star(rng, 500, 5, directed) for _ in range(6)]
    assert_relabelling_changes_nothing(told, 1, operators=("adjacency", "mean"))


def marked_star(rng, marked: bool) -> tuple[gt.Graph, float]:
    """A marked hub with marked neighbours, whose values nearly cancel, and others that do not.

    What is left of the marked ones is the target; without marked ones it is far away.
    """
    large = mixed(rng, 5, 1) * np.float32(1e16)
    left_over = np.abs(mixed(rng, 3, 1))
    values = np.concatenate([[0.0], large, -large, left_over, mixed(rng, 4, 1) * 1e16])
    mark = np.repeat([float(marked), 0.0], [14, 4])
    edges = [(k, 0) for k in range(1, 18)]
    target = float(left_over.sum()) if marked else 1e4
    return gt.Graph(np.column_stack([mark, values]), edges, directed=True), target


@pytest.mark.parametrize("operator", ["adjacency", "mean"])
@pytest.mark.parametrize("about", ["graphs", "vertices"])
@settings(max_examples=10, deadline=None)
@given(seed=seeds)
def test_sums_over_a_subset_do_not_depend_on_their_order(operator, about, seed):
    """The root must tell the marked from the others; then only walks from the marked tell more."""
    rng = np.random.default_rng(seed)
    told, y = zip(*(marked_star(rng, k % 2 == 0) for k in range(24)), strict=True)
    again, vertices_again = rewrite_all(told, seed)
    X, other = gt.Graphs(told), again
    if about == "vertices":
        hubs = np.arange(24) * 18
        X, other = X.vertices[hubs], vertices_again[hubs]
    asked = {"aggregators": ("max",), "walk_types": ("source",), "max_walk_length": 1}
    asked |= {"operators": (operator,), "max_bins": None}
    model = small(gt.GraphTreeRegressor, **asked).fit(X, y)
    frame = model.trees_to_dataframe()
    assume(len(frame[(frame["sign"] == "+") & (frame["walk_length"] == 1)]))
    assert_same_bits(model.predict(X), model.predict(other))
    refitted = small(gt.GraphTreeRegressor, **asked).fit(other, y)
    assert_frame_equal(frame, refitted.trees_to_dataframe(), check_exact=True)


def test_parallel_edges_add_up_alike_in_any_order_of_listing():
    rng = np.random.default_rng(0)
    told = [
        gt.Graph([[1.0], [k]], [(0, 1)] * 4, edge_weights=[1e16, 1.0 + k, -1e16, 0.3])
        for k in range(6)
    ]
    for seed in range(5):
        again, vertices_again = rewrite_all(told, seed)
        y = rng.normal(size=6)
        model = small(gt.GraphTreeRegressor).fit(told, y)
        refitted = small(gt.GraphTreeRegressor).fit(again, y)
        assert_same_bits(model.predict(told), model.predict(again))
        assert_frame_equal(
            model.trees_to_dataframe(), refitted.trees_to_dataframe(), check_exact=True
        )
        vertices = gt.Graphs(told).vertices
        model = small(gt.GraphTreeRegressor).fit(vertices, np.resize(y, 12))
        assert_same_bits(model.predict(vertices), model.predict(vertices_again))


@pytest.mark.parametrize("directed", [False, True])
@settings(max_examples=12, deadline=None)
@given(seed=seeds, aggregator=st.sampled_from(("sum", "mean")))
@example(seed=640, aggregator="sum")
def test_sums_over_all_that_float32_can_hold_do_not_depend_on_their_order(
    directed, seed, aggregator
):
    """Numbers from 1e-36 to 1e35, each with its opposite, and some without.

    Two steps over 15 neighbours multiply the largest by 15²; then there must be room for luck.
    """
    rng = np.random.default_rng(seed)
    told = []
    for _ in range(8):
        large = (mixed(rng, 6, 1) * 10.0 ** rng.uniform(-36, 34, 6)).astype(np.float32)
        features = np.concatenate([[0.0], large, -large, mixed(rng, 3, 1)])[:, None]
        edges = [(k, 0) for k in range(1, len(features))]
        told.append(gt.Graph(features, edges, directed=directed))
    assert_relabelling_changes_nothing(told, seed, aggregators=(aggregator,))


@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_sums_that_cancel_at_two_sizes_do_not_depend_on_their_order(about):
    """1e30 and -1e30, 1e14 and -1e14, and in the end 1e-3: all of them float32."""
    values = np.array([0.0, 1e30, -1e30, 1e14, -1e14, 1e-3], np.float32)
    nothing = gt.Graph(np.zeros((6, 1)), [], directed=True)
    rng = np.random.default_rng(0)
    frames = []
    for _ in range(20):
        order = np.r_[0, 1 + rng.permutation(5)]
        star = gt.Graph(values[order, None], [(k, 0) for k in range(1, 6)], directed=True)
        X = gt.Graphs([star, nothing])
        X = X if about == "graphs" else X.vertices[[0, 6]]
        model = gt.GraphTreeRegressor(aggregators=("sum",), add_constant=False, n_jobs=1)
        frames.append(model.fit(X, [0.0, 1.0]).trees_to_dataframe())
    for frame in frames[1:]:
        assert_frame_equal(frames[0], frame, check_exact=True)


@pytest.mark.parametrize("directed", [False, True])
@settings(max_examples=8, deadline=None)
@given(seed=seeds)
def test_long_closed_walks_add_up_alike(directed, seed):
    told = real_graphs(seed, n_graphs=10, n_vertices=(4, 9), directed=directed)
    again, vertices_again = rewrite_all(told, seed)
    asked = {"max_walk_length": 4, "walk_types": ("cycle",), "operators": ("adjacency", "mean")}
    y = classes(10, seed)
    for X, other in ((gt.Graphs(told), again), (gt.Graphs(told).vertices, vertices_again)):
        labels = np.resize(y, len(X))
        model = small(gt.GraphTreeRegressor, **asked).fit(X, labels)
        assert_same_bits(model.predict(X), model.predict(other))
        refitted = small(gt.GraphTreeRegressor, **asked).fit(other, labels)
        assert_frame_equal(
            model.trees_to_dataframe(), refitted.trees_to_dataframe(), check_exact=True
        )


def test_the_whole_path_of_every_vertex_moves_along():
    told = real_graphs(3, n_graphs=6, n_vertices=(3, 10))
    vertices = gt.Graphs(told).vertices
    _, again = rewrite_all(told, 4)
    model = small(gt.GraphBoostingRegressor, n_estimators=5).fit(vertices, np.arange(len(vertices)))
    np.testing.assert_array_equal(model.apply(vertices), model.apply(again))


@pytest.mark.parametrize("operator", ["adjacency", "mean"])
@settings(max_examples=4, deadline=None)
@given(seed=seeds)
def test_both_subsets_of_eight_features_that_cancel_do_not_depend_on_their_order(operator, seed):
    """Eight lanes are walked at once; vertices are the examples, and hubs see both subsets.

    The root parts the marked vertices from the others. What is left of each part after its large
    values cancel adds up to 100 with the other's, so that the whole graph tells nothing.
    """
    rng = np.random.default_rng(seed)
    told, y = [], []
    for k in range(30):
        large = mixed(rng, (10, 7), 1) * np.float32(1e12)
        left_over = rng.integers(0, 101, (1, 7)).astype(np.float32)
        parts = [large[:5], -large[:5], left_over, large[5:], -large[5:], 100 - left_over]
        values = np.concatenate([np.zeros((1, 7), np.float32), *parts])
        mark = np.repeat([k % 2, 1.0, 0.0], [1, 11, 11])
        edges = [(v, 0) for v in range(1, 23)]
        told.append(gt.Graph(np.column_stack([mark, values]), edges, directed=True))
        y.append(1e6 + left_over[0, 2] if k % 2 else left_over[0, 5])
    _, moved = rewrite_all(told, seed)
    hubs = np.arange(30) * 23
    X, other = gt.Graphs(told).vertices[hubs], moved[hubs]
    asked = {"operators": (operator,), "max_walk_length": 1, "walk_types": ("source",)}
    asked |= {"max_bins": None, "max_leaf_nodes": 12, "add_constant": False}
    model, refitted = (small(gt.GraphTreeRegressor, **asked).fit(one, y) for one in (X, other))
    frame = model.trees_to_dataframe()
    assume({"+", "-"} <= set(frame["sign"].dropna()))
    assert_same_bits(model.predict(X), model.predict(other))
    assert_frame_equal(frame, refitted.trees_to_dataframe(), check_exact=True)
