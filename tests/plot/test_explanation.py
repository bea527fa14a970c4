"""Explanations as pictures: asserted on the Axes, never on pixels."""

import numpy as np
import pytest
from builders import a_graph, some_graphs
from matplotlib.collections import LineCollection
from matplotlib.patches import Circle, FancyArrowPatch
from models import small

import graphtrees as gt
from graphtrees.plot import plot_explanation


def explained(graph, method="attribution", **given):
    """An explanation of one graph by a model of random graphs like it."""
    X = some_graphs(12, n_vertices=(4, 8), directed=graph.directed)
    model = small(gt.GraphBoostingRegressor, **given).fit(X, np.linspace(-1, 1, 12) ** 2)
    return model.explain(graph, method=method)


def dots(ax):
    (found,) = (c for c in ax.collections if not isinstance(c, LineCollection))
    return found


def lines(ax):
    (found,) = (c for c in ax.collections if isinstance(c, LineCollection))
    return found


def labels(ax):
    return [text.get_text() for text in ax.texts]


def test_every_vertex_and_edge_is_drawn_once():
    explanation = explained(a_graph(8, seed=1))
    ax = explanation.plot()
    assert len(dots(ax).get_offsets()) == 8
    assert len(lines(ax).get_segments()) == explanation.graph.n_edges
    assert sorted(labels(ax)) == list("01234567")


@pytest.mark.parametrize("method", ["attribution", "paper"])
def test_larger_is_more_important(method):
    explanation = explained(a_graph(8, seed=1), method)
    ax = explanation.plot()
    order = np.argsort(explanation.vertex_importance, kind="stable")
    assert (np.diff(dots(ax).get_sizes()[order]) >= -1e-9).all()
    shown = explanation.vertex_importance if method == "paper" else explanation.vertex_attribution
    np.testing.assert_array_equal(dots(ax).get_array(), shown)
    widths = np.asarray(lines(ax).get_linewidths())
    assert (np.diff(widths) >= 0).all()  # the important edges are drawn last, on top


def test_what_speaks_for_is_blue_and_what_speaks_against_orange():
    explanation = explained(a_graph(8, seed=1))
    ax = explanation.plot()
    low, high = dots(ax).get_clim()
    assert low == -high == -np.abs(explanation.vertex_attribution).max()
    ax.figure.canvas.draw()
    red, _, blue = dots(ax).get_facecolors()[:, :3].T
    assert (explanation.vertex_attribution > 0).any()
    assert (explanation.vertex_attribution < 0).any()
    np.testing.assert_array_equal(blue > red, explanation.vertex_attribution > 0)
    bar = ax.figure.axes[-1]
    assert bar.get_ylabel() == "what a vertex adds to the prediction"


def test_what_was_asked_for_and_not_found_is_told():
    pair = [gt.Graph([[red], [0.0]], [(0, 1)]) for red in (1.0, 0.0)]
    model = gt.GraphTreeRegressor(add_constant=False, max_walk_length=0).fit(pair, [1.0, 0.0])
    told = "what was asked for and not found adds −0.5"
    assert labels(model.explain(pair[1]).plot())[-1] == told
    assert told not in labels(model.explain(pair[0]).plot())


def a_hub(n_leaves=400):
    """A vertex with many neighbours, of which three decide."""
    rng = np.random.default_rng(0)
    n = n_leaves + 1
    rich = np.zeros(n)
    rich[[5, 6, 7]] = 1.0
    names = [f"DE{rng.integers(10**9, 10**10)}{k:010d}" for k in range(n)]
    edges = [(0, k) for k in range(1, n)] + [(k, k + 1) for k in range(1, n - 1)]
    graph = gt.Graph(rich[:, None], edges, vertex_names=names, feature_names=["rich"])
    y = (graph.adjacency() @ rich > 2).astype(float)
    model = gt.GraphTreeRegressor(max_leaf_nodes=2, max_walk_length=1, add_constant=False)
    return model.fit(graph.vertices, y).explain(graph.vertices[0])


def test_only_vertices_that_carry_weight_and_their_surroundings_are_drawn_and_labelled():
    explanation = a_hub()
    np.testing.assert_array_equal(np.flatnonzero(explanation.vertex_importance), [5, 6, 7])
    ax = explanation.plot()
    assert len(dots(ax).get_offsets()) == 40
    assert (dots(ax).get_array() != 0).sum() == 3
    *written, note = labels(ax)
    assert note == "40 of 401 vertices: those that carry weight, and some around them"
    names = explanation.graph.vertex_names
    assert {text[-9:] for text in written} == {names[k][-9:] for k in (0, 5, 6, 7)}


def test_long_names_lose_their_middle():
    ax = a_hub().plot()
    for text in labels(ax)[:-1]:
        assert len(text) == 18
        assert text.startswith("DE")
        assert text[8] == "…"


def test_the_explained_vertex_is_in_the_middle_of_many():
    ax = a_hub().plot()
    offsets = np.asarray(dots(ax).get_offsets())
    ringed = np.asarray(dots(ax).get_linewidths())
    (middle,) = np.flatnonzero(ringed == ringed.max())
    np.testing.assert_allclose(offsets[middle], 0.0, atol=1e-12)
    np.testing.assert_allclose(np.hypot(*np.delete(offsets, middle, axis=0).T), 4.65, atol=0.05)


def test_molecules_are_drawn_as_chemists_draw_them():
    pytest.importorskip("rdkit")
    graphs = gt.from_smiles(["CC(=O)Oc1ccccc1C#N", "CCO", "CCN"])
    model = small(gt.GraphTreeRegressor).fit(graphs, [0.0, 1.0, 2.0])
    ax = model.explain(graphs[0]).plot()
    assert sorted(labels(ax)) == sorted("CCOOCCCCCCCN")
    drawn = {"single": 1, "double": 2, "aromatic": 2, "triple": 3}
    wanted = sum(drawn[kind] for kind in graphs[0].edge_types)
    assert len(lines(ax).get_segments()) == wanted
    place = np.asarray(dots(ax).get_offsets())
    source, target = graphs[0].edge_index
    np.testing.assert_allclose(np.hypot(*(place[source] - place[target]).T), 1.0, rtol=1e-3)
    ring = place[graphs[0].features[:, graphs[0].feature_names.index("in_ring")] == 1]
    np.testing.assert_allclose(np.hypot(*(ring - ring.mean(axis=0)).T), 1.0, rtol=1e-3)


def test_atoms_that_are_known_by_name_are_drawn_by_element():
    graph = gt.Graph(np.eye(3), [(0, 1), (1, 2)], vertex_names=["C0", "Cl1", "O2"])
    model = small(gt.GraphTreeRegressor).fit(graph.vertices, [1.0, 2.0, 4.0])
    drawn = labels(model.explain(graph.vertices[1]).plot())
    assert sorted(drawn[:3]) == ["C", "Cl", "O"]


def test_axes_go_in_and_come_out(pyplot):
    _, ax = pyplot.subplots()
    explanation = explained(a_graph(5))
    assert explanation.plot(ax=ax) is ax
    assert plot_explanation(explanation, ax, colorbar=False) is ax


def test_the_title_says_what_was_predicted():
    X = some_graphs(12)
    model = small(gt.GraphBoostingClassifier).fit(X, np.where(np.arange(12) % 2, "yes", "no"))
    explanation = model.explain(X[0], class_="yes")
    assert explanation.plot().get_title().startswith("class yes, probability 0.")
    assert explanation.plot(title="mine").get_title() == "mine"


def test_labels_may_be_a_feature_or_texts_of_ones_own():
    graph = a_graph(4, feature_names=["charge", "mass"])
    explanation = explained(a_graph(4))
    assert sorted(labels(explanation.plot(labels=list("abcd")))) == list("abcd")
    X = some_graphs(8, feature_names=["charge", "mass"])
    explanation = small(gt.GraphTreeRegressor).fit(X, np.arange(8.0)).explain(graph)
    wanted = sorted(f"{value:.3g}" for value in graph.features[:, 0])
    assert sorted(labels(explanation.plot(labels="charge"))) == wanted
    with pytest.raises(ValueError, match="names the feature 'colour'"):
        explanation.plot(labels="colour")
    with pytest.raises(ValueError, match="one entry for each of the 4 vertices; got 2"):
        explanation.plot(labels=["a", "b"])


def test_names_and_categories_are_the_labels_by_default():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"atom": pandas.Categorical(["C", "O", "C"])})
    graph = gt.Graph(frame, [(0, 1), (1, 2)])
    model = small(gt.GraphTreeRegressor).fit([graph, gt.Graph(frame, [(0, 1)])], [0.0, 1.0])
    assert sorted(labels(model.explain(graph).plot())) == ["C", "C", "O"]
    named = gt.Graph(frame, [(0, 1)], vertex_names=["left", "$mid$", "<right>"])
    assert sorted(labels(model.explain(named).plot())) == ["$mid$", "<right>", "left"]


def test_around_a_vertex_only_its_surroundings_are_drawn():
    graph = gt.Graph(np.arange(30.0)[:, None], [(i, i + 1) for i in range(29)])
    model = small(gt.GraphBoostingRegressor, max_walk_length=2)
    model.fit(graph.vertices, np.sin(np.arange(30.0)))
    explanation = model.explain(graph.vertices[10])
    ax = explanation.plot()
    n_near = 1 + 2 * explanation.reach
    assert len(dots(ax).get_offsets()) == n_near
    assert len(lines(ax).get_segments()) == n_near - 1
    assert f"{n_near} of 30 vertices" in labels(ax)[-1]
    assert ax.get_title().startswith("vertex 10: prediction ")
    ringed = dots(ax).get_linewidths()
    assert list(np.asarray(ringed) == max(ringed)).index(True) == explanation.reach


def test_large_graphs_are_cut_to_their_most_important_vertices():
    explanation = explained(a_graph(40, seed=3, density=0.1))
    ax = explanation.plot(max_vertices=10)
    assert len(dots(ax).get_offsets()) == 10
    drawn = np.sort(np.abs(dots(ax).get_array()))
    largest = np.sort(np.abs(explanation.vertex_attribution))[-10:]
    np.testing.assert_allclose(drawn, largest, rtol=1e-12)
    assert labels(ax)[-1] == "the 10 most important of 40 vertices"


@pytest.mark.parametrize("n", [5, 60, 300])
def test_vertices_do_not_hide_each_other(n):
    rng = np.random.default_rng(0)
    edges = [(int(rng.integers(max(0, i - 5), i)), i) for i in range(1, n)]
    ax = explained(gt.Graph(rng.normal(size=(n, 2)), edges)).plot()
    ax.figure.canvas.draw()
    place = ax.transData.transform(dots(ax).get_offsets()) * 72 / ax.figure.dpi
    away = np.linalg.norm(place[:, None] - place[None], axis=2)
    radius = np.sqrt(dots(ax).get_sizes()) / 2
    hidden = away < 0.5 * np.maximum(radius[:, None], radius[None])
    np.fill_diagonal(hidden, False)
    assert hidden.sum() / 2 <= 0.03 * n
    assert np.sqrt(dots(ax).get_sizes()).min() >= 2.0


def test_directed_edges_are_arrows_and_loops_are_circles():
    graph = gt.Graph(np.ones((3, 2)), [(0, 1), (1, 2), (2, 2)], directed=True)
    ax = explained(graph).plot()
    assert sum(isinstance(patch, FancyArrowPatch) for patch in ax.patches) == 2
    assert sum(isinstance(patch, Circle) for patch in ax.patches) == 1


@pytest.mark.parametrize("graph", [gt.Graph(np.zeros((0, 2)), []), gt.Graph([[1.0, 2.0]], [])])
def test_tiny_graphs_are_drawn(graph):
    ax = explained(graph).plot()
    assert len(dots(ax).get_offsets()) == graph.n_vertices


def test_a_layout_of_ones_own_is_kept():
    explanation = explained(a_graph(4))
    place = np.array([[0, 0], [0, 1], [1, 0], [5, 5.0]])
    np.testing.assert_array_equal(dots(explanation.plot(layout=place)).get_offsets(), place)
    with pytest.raises(ValueError, match=r"layout must have shape \(4, 2\); got \(3, 2\)"):
        explanation.plot(layout=place[:3])
    with pytest.raises(ValueError, match="max_vertices must be an integer of at least 1; got 0"):
        explanation.plot(max_vertices=0)


def test_the_asked_edge_is_marked():
    ring = gt.Graph(np.arange(12.0)[:, None], [(i, (i + 1) % 12) for i in range(12)])
    model = small(gt.GraphTreeRegressor).fit(ring.edges, np.arange(12.0))
    ax = model.explain(ring.edges[4]).plot()
    assert len(ax.lines) == 1
    assert ax.get_title().startswith("edge 4: prediction ")
