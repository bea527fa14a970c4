"""Labels of drawn graphs lie over no other text, in sparse and in dense graphs."""

from __future__ import annotations

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from models import small

import graphtrees as gt


def a_random_graph(n: int, n_edges: int, seed: int, name: str) -> gt.Graph:
    rng = np.random.default_rng(seed)
    edges = rng.integers(0, n, (n_edges, 2))
    names = [name.format(k) for k in range(n)]
    return gt.Graph(rng.normal(size=(n, 1)), edges, vertex_names=names)


def boxes(ax) -> list:
    ax.figure.canvas.draw()
    return [text.get_window_extent() for text in ax.texts]


def assert_apart(ax, at_least: int) -> None:
    found = boxes(ax)
    assert len(found) >= at_least
    for one, other in combinations(found, 2):
        assert not one.overlaps(other)


NAMES = ["{}", "customer {:04}", "DE89370400440532{:06}"]
SIZES = [(12, 12), (40, 80), (70, 80), (70, 300)]
names = pytest.mark.parametrize("name", NAMES)
sizes = pytest.mark.parametrize(("n", "n_edges"), SIZES)


@names
@sizes
@pytest.mark.parametrize("seed", [2, 6])
def test_no_label_of_a_graph_lies_over_another(n, n_edges, seed, name):
    assert_apart(a_random_graph(n, n_edges, seed, name).plot(), at_least=8)


@names
@sizes
def test_no_label_of_an_explained_graph_lies_over_another(n, n_edges, name):
    graphs = [a_random_graph(n, n_edges, seed, name) for seed in range(12)]
    model = small(gt.GraphForestClassifier, n_estimators=10, min_samples_leaf=1)
    ax = model.fit(graphs, np.arange(12) % 2).explain(graphs[0]).plot()
    assert_apart(ax, at_least=3)


@names
def test_no_label_around_a_hub_lies_over_another(name):
    star = gt.Graph(
        np.random.default_rng(0).normal(size=(80, 1)), [(0, k) for k in range(1, 80)],
        vertex_names=[name.format(k) for k in range(80)],
    )  # fmt: skip
    model = small(gt.GraphTreeRegressor, max_walk_length=1, min_samples_leaf=1)
    ax = model.fit(star.vertices, np.arange(80.0) % 7).explain(star.vertices[0]).plot()
    assert_apart(ax, at_least=10)
    assert ax.texts[0].get_text()[-1] == "0"  # what was asked about comes first


@names
def test_labels_keep_apart_in_small_axes_of_ones_own(name):
    _, (left, right) = plt.subplots(1, 2, figsize=(8, 4))
    graph = a_random_graph(25, 30, 0, name)
    assert_apart(graph.plot(ax=left), at_least=3)
    graph.plot(ax=right)
    for box in boxes(left):
        assert not any(box.overlaps(other) for other in boxes(right))


def test_every_label_is_written_where_there_is_room():
    path = gt.Graph(None, [(k, k + 1) for k in range(6)], vertex_names=list("abcdefg"))
    assert sorted(text.get_text() for text in path.plot().texts) == list("abcdefg")


def test_half_a_letter_is_drawn_as_a_sign():
    names = ["\ud800", "b", "c"]
    graph = gt.Graph(
        np.eye(3), [(0, 1), (1, 2)], feature_names=["\ud801", "x", "y"], vertex_names=names
    )
    for ax in (
        gt.plot_graph(graph, title="\udfff"),
        gt.plot_graph(graph, color="\ud801", labels=names),
        gt.plot_graph(graph, labels=names),
    ):
        ax.figure.canvas.draw()
