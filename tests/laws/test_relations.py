"""What must hold of relations whatever the graphs: directions, copies, parts, and new numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from models import name_of, small
from pandas.testing import assert_frame_equal
from real_valued import mixed

import graphtrees as gt

KINDS = (gt.GraphTreeRegressor, gt.GraphBoostingRegressor)
some_kinds = pytest.mark.parametrize("kind", KINDS, ids=name_of)
both = pytest.mark.parametrize("about", ["graphs", "vertices"])
every = pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])
a_few = settings(max_examples=3, deadline=None)
seeds = st.integers(0, 2**32 - 1)


def rich_graphs(seed: int, directed: bool = True, n_graphs: int = 10) -> list[gt.Graph]:
    """Real-valued features, weights and edge features of all sizes; two types, three labels."""
    rng = np.random.default_rng(seed)
    return [_rich_graph(rng, directed) for _ in range(n_graphs)]


def _rich_graph(rng: np.random.Generator, directed: bool) -> gt.Graph:
    n = int(rng.integers(1, 9))
    n_edges = int(rng.integers(0, 3 * n + 1))
    size = mixed(rng, n, 3).astype(float)
    size[rng.random(n) < 0.1] = np.nan
    kind = pd.Categorical.from_codes(rng.integers(-1, 3, n), categories=["a", "b", "c"])
    return gt.Graph(
        pd.DataFrame({"size": size, "kind": kind}),
        rng.integers(0, n, (n_edges, 2)),
        directed=directed,
        edge_weights=mixed(rng, n_edges, 1),
        edge_types=rng.choice(["far", "near"], n_edges),
        edge_features=pd.DataFrame({"toll": mixed(rng, n_edges, 1)}),
    )


def again(graph: gt.Graph, **changed) -> gt.Graph:
    """The same graph with some of its parts exchanged."""
    kind = pd.Categorical.from_codes(
        np.nan_to_num(graph.features[:, 1], nan=-1).astype(int), categories=["a", "b", "c"]
    )
    parts = {
        "features": pd.DataFrame({"size": graph.features[:, 0], "kind": kind}),
        "edges": graph.edge_index.T,
        "directed": graph.directed,
        "edge_weights": graph.edge_weights,
        "edge_types": graph.edge_types,
        "edge_features": pd.DataFrame(graph.edge_features, columns=["toll"]),
    }
    return gt.Graph(**parts | changed)


def examples(graphs, about: str):
    return gt.Graphs(graphs) if about == "graphs" else getattr(gt.Graphs(graphs), about)


def fit(kind, X, seed: int = 0, **given):
    y = np.random.default_rng(seed).integers(0, 3, len(X))
    return small(kind, **given).fit(X, y)


def said(model, X) -> bytes:
    return model.predict(X).tobytes()


@both
@some_kinds
@a_few
@given(seed=seeds)
def test_backwards_on_a_reversed_graph_is_forwards_on_the_graph(kind, about, seed):
    graphs = rich_graphs(seed)
    turned = [again(graph, edges=graph.edge_index[::-1].T) for graph in graphs]
    ways = {"adjacency": "reverse", "near": "reverse:near", "toll": "reverse:toll"}
    forwards, backwards = examples(graphs, about), examples(turned, about)
    one = fit(kind, forwards, operators=tuple(ways))
    other = fit(kind, backwards, operators=tuple(ways.values()))
    frame = one.trees_to_dataframe().replace({"operator": ways})
    assert_frame_equal(frame, other.trees_to_dataframe(), check_exact=True)
    assert said(one, forwards) == said(other, backwards)


@both
@some_kinds
@a_few
@given(seed=seeds)
def test_two_relations_with_the_same_edges_add_nothing(kind, about, seed):
    """The first of them is asked, and every gain and prediction stays as it is."""
    graphs = rich_graphs(seed)
    tolls = [graph.edge_features[:, 0] for graph in graphs]
    twice = [
        again(graph, edge_features=pd.DataFrame({"toll": toll, "fee": toll}))
        for graph, toll in zip(graphs, tolls, strict=True)
    ]
    X, doubled = examples(graphs, about), examples(twice, about)
    one = fit(kind, X, operators=("adjacency", "toll"))
    other = fit(kind, doubled, operators=("adjacency", "toll", "fee"))
    assert_frame_equal(one.trees_to_dataframe(), other.trees_to_dataframe(), check_exact=True)
    assert said(one, X) == said(other, doubled)


@both
@a_few
@given(seed=seeds)
def test_a_relation_split_at_random_loses_nothing_beside_the_sum_of_its_parts(about, seed):
    """With the sum first among the operators, ties go to it; a part may only gain more."""
    graphs = rich_graphs(seed, n_graphs=14)
    X = examples(graphs, about)
    whole = fit(gt.GraphTreeRegressor, X, operators=("adjacency",), max_bins=None)
    split = fit(gt.GraphTreeRegressor, X, operators=("adjacency", "relations"), max_bins=None)
    before, after = whole.trees_to_dataframe().iloc[0], split.trees_to_dataframe().iloc[0]
    if before["feature_index"] >= 0:
        assert after["gain"] >= before["gain"] * (1 - 1e-12)


@both
@a_few
@given(seed=seeds)
def test_parts_that_tell_nothing_new_leave_the_tree_as_it_is(about, seed):
    """All edges in one part: it ties with the sum of the parts everywhere, which comes first."""
    graphs = [
        again(graph, edge_types=["near"] * graph.n_edges)
        for graph in rich_graphs(seed, n_graphs=12)
    ]
    X = examples(graphs, about)
    given = {"max_bins": None, "max_leaf_nodes": 8}
    whole = fit(gt.GraphTreeRegressor, X, seed, operators=("adjacency",), **given)
    parts = fit(gt.GraphTreeRegressor, X, seed, operators=("adjacency", "near"), **given)
    assert_frame_equal(whole.trees_to_dataframe(), parts.trees_to_dataframe(), check_exact=True)
    assert said(whole, X) == said(parts, X)


def relabel(graph: gt.Graph, rng: np.random.Generator) -> tuple[gt.Graph, np.ndarray, np.ndarray]:
    """New numbers for vertices, edges in another order; the new number of each of both."""
    order, listed = rng.permutation(graph.n_vertices), rng.permutation(graph.n_edges)
    number, place = np.argsort(order), np.argsort(listed)
    ends = number[graph.edge_index[:, listed]]
    if not graph.directed:
        ends = np.where(rng.random(graph.n_edges) < 0.5, ends[::-1], ends)
    kind = np.nan_to_num(graph.features[order, 1], nan=-1).astype(int)
    moved = again(
        graph,
        features=pd.DataFrame(
            {
                "size": graph.features[order, 0],
                "kind": pd.Categorical.from_codes(kind, categories=["a", "b", "c"]),
            }
        ),
        edges=ends.T,
        edge_weights=graph.edge_weights[listed],
        edge_types=graph.edge_types[listed],
        edge_features=pd.DataFrame(graph.edge_features[listed], columns=["toll"]),
    )
    return moved, number, place


@every
@some_kinds
@a_few
@given(seed=seeds, directed=st.booleans(), max_bins=st.sampled_from((255, None)))
def test_relabelling_changes_no_bit_with_relations_labels_and_edges(
    kind, about, seed, directed, max_bins
):
    graphs = rich_graphs(seed, directed)
    rng = np.random.default_rng(seed)
    told = [relabel(graph, rng) for graph in graphs]
    X, other = examples(graphs, about), examples([moved for moved, _, _ in told], about)
    if about != "graphs":
        which = 1 if about == "vertices" else 2
        starts = np.cumsum([0, *(len(one[which]) for one in told)])[:-1]
        moved_to = [one[which] + start for one, start in zip(told, starts, strict=True)]
        other = other[np.concatenate(moved_to).astype(int)]
    if len(X) < 4:
        return
    # Where edges are the examples, their types and features are features, not relations.
    plain, more = ("adjacency", "reverse", "mean"), ("adjacency", "relations", "mean:toll")
    given = {"max_bins": max_bins, "operators": plain if about == "edges" else more}
    model, refitted = fit(kind, X, seed, **given), fit(kind, other, seed, **given)
    assert said(model, X) == said(model, other)
    assert_frame_equal(model.trees_to_dataframe(), refitted.trees_to_dataframe(), check_exact=True)


@pytest.mark.parametrize("name", ["mean", "adjacency", "reverse", "relations", "mean:far"])
def test_a_relation_named_like_an_operator_is_refused(name):
    graph = gt.Graph(None, [(0, 1), (1, 2)], edge_types=[name, "far"])
    with pytest.raises(ValueError, match=f"a relation is named '{name}', which means something el"):
        gt.GraphTreeRegressor(operators=("relations",)).fit(graph.vertices, [0.0, 1.0, 2.0])
    gt.GraphTreeRegressor(operators=("adjacency", "far")).fit(graph.vertices, [0.0, 1.0, 2.0])


def test_two_relations_of_one_name_are_refused():
    graph = gt.Graph(
        None, [(0, 1), (1, 2)], edge_types=["toll", "far"],
        edge_features=pd.DataFrame({"toll": [1.0, 2.0]}),
    )  # fmt: skip
    with pytest.raises(ValueError, match="two relations are named 'toll'"):
        gt.GraphTreeRegressor(operators=("relations",)).fit(graph.vertices, [0.0, 1.0, 2.0])


def test_one_operator_needs_no_tuple_around_it(tmp_path):
    X, path = examples(rich_graphs(0), "graphs"), tmp_path / "model.json"
    one = fit(gt.GraphTreeRegressor, X, operators="relations")
    other = fit(gt.GraphTreeRegressor, X, operators=("relations",))
    assert_frame_equal(one.trees_to_dataframe(), other.trees_to_dataframe())
    one.save(path)
    assert said(gt.load_model(path), X) == said(other, X)
