"""1-WL over flat arrays against 1-WL by dictionaries; copies against networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from builders import a_graph, a_path, relabelled, some_graphs
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graphtrees.graphs import Graph, Graphs
from graphtrees.graphs.hashing import mix_rows
from graphtrees.inspection.copies import canonical_hashes, layout_hashes
from graphtrees.inspection.refinement import MOST_ROUNDS, refine_graphs, refine_vertices
from inspection.naive import are_the_same, naive_colours, naive_graph_hashes

RING = [(i, (i + 1) % 6) for i in range(6)]
TRIANGLES = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]


def same_partition(ours, theirs) -> bool:
    """Whether two lists of hashes put the same things together."""
    pairs = set(zip(list(ours), list(theirs), strict=True))
    return len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})


def hashes_of(graphs: Graphs) -> np.ndarray:
    return refine_graphs(graphs.flat).hashes


def small_graphs(seed: int, **given) -> list[Graph]:
    """Few vertices and fewer values, so that twins are common."""
    graphs = some_graphs(8, seed=seed, n_vertices=(1, 5), n_features=1, integers=True, **given)
    return [*graphs, *(relabelled(g, np.arange(g.n_vertices)[::-1]) for g in graphs)]


@pytest.mark.parametrize("given", [{}, {"directed": True}, {"n_edge_types": 2}, {"missing": 0.3}])
@pytest.mark.parametrize("seed", range(5))
def test_colours_are_those_of_the_slow_way(seed, given):
    graphs = small_graphs(seed, **given)
    flat = Graphs(graphs).flat
    colours = refine_vertices(flat)
    assert colours.stable
    assert same_partition(colours.hashes, [c for of in naive_colours(graphs) for c in of])
    refined = refine_graphs(flat)
    assert refined.stable
    assert same_partition(refined.hashes, naive_graph_hashes(graphs))


def test_weights_tell_graphs_apart():
    graphs = [Graph(None, [(0, 1)], edge_weights=[weight]) for weight in (1.0, 2.0, 1.0)]
    hashes = hashes_of(Graphs(graphs))
    assert hashes[0] == hashes[2] != hashes[1]


def test_one_ring_and_two_are_twins_but_not_copies():
    graphs = Graphs([Graph(None, RING), Graph(None, TRIANGLES)])
    hashes = hashes_of(graphs)
    assert hashes[0] == hashes[1]
    canonical = canonical_hashes(graphs.flat, hashes)
    assert canonical[0] != canonical[1]


def test_zero_minus_zero_and_missing_values_are_what_they_mean():
    rows = mix_rows(np.array([[0.0, 1.0], [-0.0, 1.0], [np.nan, 1.0], [-np.nan, 1.0], [1.0, 0.0]]))
    assert rows[0] == rows[1]
    assert rows[2] == rows[3]
    assert len(np.unique(rows)) == 3


@given(seed=st.integers(0, 10**6), directed=st.booleans())
@example(seed=1715, directed=True)  # the hash of an edge's direction was that of a vertex number
@settings(max_examples=30, deadline=None)
def test_copies_are_the_graphs_that_networkx_calls_isomorphic(seed, directed):
    graphs = small_graphs(seed, directed=directed)
    canonical = canonical_hashes(Graphs(graphs).flat, hashes_of(Graphs(graphs)))
    for i, a in enumerate(graphs):
        for j, b in enumerate(graphs):
            assert (canonical[i] == canonical[j]) == are_the_same(a, b), (i, j)


@pytest.mark.parametrize(
    "other",
    [
        nx.complete_graph(12),
        nx.star_graph(15),
        nx.cycle_graph(20),
        nx.complete_bipartite_graph(5, 7),
        nx.petersen_graph(),
        nx.hypercube_graph(4),
        nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(4)),
        nx.empty_graph(9),
    ],
    ids=["clique", "star", "ring", "bipartite", "petersen", "cube", "two cliques", "no edges"],
)
def test_a_symmetric_graph_is_known_again_in_any_order(other):
    number = {v: i for i, v in enumerate(other)}
    edges = [(number[u], number[v]) for u, v in other.edges]
    graph = a_graph(len(other), 1, edges=edges, integers=False)
    graph = Graph(None, graph.edge_index.T, n_vertices=len(other))
    rng = np.random.default_rng(0)
    graphs = Graphs([graph, relabelled_without_features(graph, rng.permutation(len(other)))])
    hashes = hashes_of(graphs)
    canonical = canonical_hashes(graphs.flat, hashes)
    assert hashes[0] == hashes[1]
    assert canonical[0] == canonical[1]


def relabelled_without_features(graph: Graph, order) -> Graph:
    return Graph(None, np.argsort(order)[graph.edge_index].T, n_vertices=graph.n_vertices)


def test_layouts_know_the_order_of_vertices():
    path = a_path(3)
    turned = relabelled(path, [1, 0, 2])
    layouts = layout_hashes(Graphs([path, turned, path]).flat)
    assert layouts[0] == layouts[2] != layouts[1]


def test_long_paths_end_after_so_many_rounds_and_say_so():
    colours = refine_vertices(Graph(None, [(i, i + 1) for i in range(999)]).flat)
    assert (colours.rounds, colours.stable) == (MOST_ROUNDS, False)


def test_graphs_that_differ_late_are_told_apart():
    """Long paths that differ at one end, among graphs that differ at once."""

    def path(*ends):
        features = np.zeros((60, 1))
        features[list(ends)] = 1.0
        return Graph(features, [(i, i + 1) for i in range(59)])

    graphs = Graphs([path(), path(0), path(0, 59), path(25, 35), path(27, 33), path(59), path(1)])
    assert same_partition(hashes_of(graphs), [0, 1, 2, 3, 4, 1, 5])
    assert same_partition(hashes_of(graphs), naive_graph_hashes(list(graphs)))


def test_graphs_without_vertices_are_twins_of_each_other():
    nothing, point = Graph(None, []), Graph(None, [], n_vertices=1)
    hashes = hashes_of(Graphs([nothing, point, nothing]))
    assert hashes[0] == hashes[2] != hashes[1]


def test_copies_are_known_again_among_five_thousand_graphs():
    rng = np.random.default_rng(0)
    n_graphs, n_vertices, n_edges = 5000, 30, 33
    edges = rng.integers(0, n_vertices, (2, n_graphs, n_edges))
    features = rng.integers(0, 2, (n_graphs, n_vertices, 5))
    edges[:, -10:], features[-10:] = edges[:, :10], features[:10]
    graphs = Graphs.from_flat(
        vertex_ptr=np.arange(n_graphs + 1) * n_vertices,
        edge_ptr=np.arange(n_graphs + 1) * n_edges,
        edges=edges.reshape(2, -1),
        features=features.reshape(-1, 5),
    )
    forms = canonical_hashes(graphs.flat, hashes_of(graphs))
    np.testing.assert_array_equal(forms[-10:], forms[:10])
    assert len(np.unique(forms)) == n_graphs - 10
