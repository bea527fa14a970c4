"""Walks that leave float32 are refused by name: in training, in prediction, from any subset."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import graphtrees as gt

EVERY_TYPE = ("source", "cycle", "target", "target_source")


def a_star(values, weight: float = 1.0, n_edges: int | None = None) -> gt.Graph:
    """Vertices with these values around a hub of value 1; the first few are joined to it."""
    edges = [(k, 0) for k in range(1, 1 + (len(values) if n_edges is None else n_edges))]
    return gt.Graph([[1.0], *([v] for v in values)], edges, edge_weights=[weight] * len(edges))


def stars(weight: float) -> gt.Graphs:
    """Graphs that differ in their edges alone."""
    return gt.Graphs(a_star([1.0, 2.0, 3.0, 4.0], weight, 1 + k % 4) for k in range(8))


def examples(graphs: gt.Graphs, about: str):
    return graphs if about == "graphs" else getattr(graphs, about)


def fit(graphs: gt.Graphs, about: str = "graphs", **given):
    X = examples(graphs, about)
    given = {"min_samples_leaf": 1, "max_walk_length": 3, "random_state": 0} | given
    return gt.GraphTreeRegressor(**given).fit(X, np.arange(len(X)) % 4)


def refusal(length: int, operator: str = "adjacency") -> str:
    return rf"walks of length {length} along operator '{operator}' overflow float32: use a smaller"


@pytest.mark.parametrize("about", ["graphs", "vertices"])
@pytest.mark.parametrize("operator", ["adjacency", "reverse:near", "near"])
def test_training_names_the_operator_and_the_length(about, operator):
    graphs = gt.Graphs(
        gt.Graph([[1.0], [2.0]], [(0, 1), (1, 0)], directed=True, edge_weights=[w, w],
                 edge_types=["near", "near"])
        for w in (1e15, 2e15)
    )  # fmt: skip
    with pytest.raises(ValueError, match=refusal(3, operator)):
        fit(graphs, about, operators=(operator,), walk_types=("source",))


def test_an_infinity_half_way_is_found_at_the_end():
    """Only walks of two steps are asked about; the first step already overflows."""
    light, heavy = (
        gt.Graphs(
            gt.Graph([[value]] * 3, edges, directed=True, edge_weights=[weight] * len(edges))
            for edges in ([(0, 1)], [(0, 1), (1, 2)]) * 2
        )
        for value, weight in ((1.0, 1.0), (2.0, 3e38))
    )
    X = light.vertices
    y = np.concatenate([g.adjacency() @ g.adjacency() @ g.features[:, 0] for g in light])
    model = gt.GraphTreeRegressor(add_constant=False).fit(X, y)
    assert set(model.trees_to_dataframe()["walk_length"]) == {2, -1}
    with pytest.raises(ValueError, match=refusal(2)):
        model.predict(heavy.vertices)


@pytest.mark.parametrize("about", ["graphs", "vertices"])
@pytest.mark.parametrize("kind", [gt.GraphTreeRegressor, gt.GraphBoostingRegressor])
def test_prediction_on_a_new_graph_names_them_too(about, kind):
    model = kind(max_walk_length=2, min_samples_leaf=1, walk_types=("source",), add_constant=False)
    X = examples(stars(1.0), about)
    told = [g.adjacency() @ g.features[:, 0] for g in stars(1.0)]
    model.fit(X, [z.sum() for z in told] if about == "graphs" else np.concatenate(told))
    assert (model.trees_to_dataframe()["walk_length"] > 0).any()
    assert np.isfinite(model.predict(X)).all()
    with pytest.raises(ValueError, match=r"walks of length [12] along operator 'adjacency' overfl"):
        model.predict(examples(stars(1e38), about))
    with pytest.raises(ValueError, match="overflow float32"):
        model.explain(examples(stars(1e38), about)[-1])


OPPOSITE = np.repeat([1.0, -1.0], 4)


@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_a_subset_that_overflows_where_all_together_cancel_is_refused_in_training(about):
    """2^126 along four edges and -2^126 along four others: nothing, or 2^128 from half of them."""
    graphs = gt.Graphs(a_star(OPPOSITE * 2.0 ** (k % 2), 2.0**126) for k in range(6))
    assert [(g.adjacency() @ g.features)[0, 0] for g in graphs] == [0.0] * 6
    with pytest.raises(ValueError, match=refusal(1)):
        fit(graphs, about, max_walk_length=1, add_constant=False)


@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_a_subset_that_overflows_where_all_together_cancel_is_refused_in_prediction(about):
    """Of four positive vertices, some are joined to the hub: that is what the model must tell."""
    graphs = gt.Graphs(
        a_star(np.repeat([1.0, -1.0, 1.0], [k % 5, 4, 4 - k % 5]), n_edges=4 + k % 5)
        for k in range(20)
    )
    model = gt.GraphTreeRegressor(
        max_walk_length=1, add_constant=False, walk_types=("source", "target_source"), max_depth=3
    )
    hubs = np.cumsum([0, *(g.n_vertices for g in graphs)])[:-1]
    choose = (lambda graphs: graphs) if about == "graphs" else (lambda graphs: graphs.vertices)
    chosen = slice(None) if about == "graphs" else hubs
    model.fit(choose(graphs)[chosen], [k % 5 for k in range(20)])
    frame = model.trees_to_dataframe()
    assert (frame["walk_length"] > 0).any()
    cancelling = gt.Graphs([a_star(OPPOSITE, 2.0**126)])
    with pytest.raises(ValueError, match=refusal(1)):
        model.predict(choose(cancelling))


def test_edges_are_refused_like_vertices():
    """Three edges meet in a vertex: each has two neighbours of weight 2.5e38."""
    edges = [(0, 1), (0, 2), (0, 3)]
    heavy, light = (gt.Graph(None, edges, edge_weights=[w, w, 2 * w]) for w in (1.2e38, 1.0))
    given = {"max_walk_length": 1, "min_samples_leaf": 1}
    with pytest.raises(ValueError, match=refusal(1)):
        gt.GraphTreeRegressor(**given).fit(heavy.edges, [1.0, 2.0, 3.0])
    model = gt.GraphTreeRegressor(**given, add_constant=False, max_ancestor_distance=0)
    pair = gt.Graph(None, [(0, 1), (0, 2), (3, 4)], edge_weights=[1.0, 1.0, 1.0])
    model.fit(pair.edges, [1.0, 1.0, 0.0])  # only the weight of their neighbours tells them apart
    assert model.predict(light.edges).tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(ValueError, match=refusal(1)):
        model.predict(heavy.edges)


def test_the_two_ends_of_an_edge_may_not_add_up_to_too_much():
    graph = gt.Graph([[3e38], [3e38], [0.0]], [(0, 1), (1, 2)], feature_names=["mass"])
    with pytest.raises(ValueError, match="the sum of 'mass' over the two ends of an edge overflow"):
        gt.GraphTreeRegressor().fit(graph.edges, [0.0, 1.0])


def test_a_sum_over_all_vertices_is_refused_where_its_terms_are_not():
    graphs = gt.Graphs(gt.Graph([[3e38]] * n, []) for n in (1, 2, 3, 4))
    with pytest.raises(ValueError, match="graph 1: sums of a feature over all vertices overflow"):
        fit(graphs)
    model = fit(graphs, aggregators=("mean", "min", "max"))
    assert np.isfinite(model.predict(graphs)).all()
    model = fit(gt.Graphs(gt.Graph([[1.0]] * n, []) for n in (1, 2, 3, 4)), aggregators=("sum",),
                add_constant=False)  # fmt: skip
    with pytest.raises(ValueError, match="graph 1: sums of a feature over all vertices overflow"):
        model.predict(graphs)


def test_closed_walks_are_refused_by_name():
    """Weights that overflow when squared, and features so small that no walk sum does."""
    graphs = gt.Graphs(
        gt.Graph([[1e-30], [2e-30]], [(0, 1)], edge_weights=[w]) for w in (1e20, 2e20, 3e20)
    )
    given = {"max_walk_length": 2, "add_constant": False}
    with pytest.raises(ValueError, match="closed walks of length 2 along operator 'adjacency' ove"):
        fit(graphs, **given)
    assert np.isfinite(fit(graphs, walk_types=("source",), **given).predict(graphs)).all()


def test_averages_and_numbers_just_below_the_limit_are_fine():
    graphs = stars(1e38)
    model = fit(graphs, operators=("mean",), walk_types=EVERY_TYPE)
    assert np.isfinite(model.predict(graphs)).all()
    near = gt.Graphs(a_star([1.0] * (1 + k % 3), 1e38) for k in range(6))
    fit(near, aggregators=("max",), max_walk_length=1, walk_types=("source",))
    with pytest.raises(ValueError, match="sums of walks of length 1"):
        fit(near, aggregators=("sum",), max_walk_length=1, walk_types=("source",))


def test_labels_kept_as_lists_are_refused_too():
    """Twelve labels; vertices 0 and 1 have five neighbours each, all of them with label 'same'."""
    kind = pd.Categorical(["a", "b", *(["same"] * 10), *(f"k{k}" for k in range(12))])
    edges = [(k % 2, k) for k in range(2, 12)]
    y = np.arange(24) % 2
    for weight, refused in ((1e30, False), (2e38, True)):
        graph = gt.Graph(pd.DataFrame({"kind": kind}), edges, edge_weights=[weight] * 10)
        model = gt.GraphTreeRegressor(max_walk_length=1, add_constant=False)
        if refused:
            with pytest.raises(ValueError, match=refusal(1)):
                model.fit(graph.vertices, y)
        else:
            assert np.isfinite(model.fit(graph.vertices, y).predict(graph.vertices)).all()
