"""Small graphs for tests, made in one place so that a new argument changes one line."""

from __future__ import annotations

import numpy as np

from graphtrees.graphs import Graph, Graphs


def a_graph(
    n_vertices: int = 4,
    n_features: int = 2,
    edges=None,
    seed: int = 0,
    density: float = 0.5,
    missing: float = 0.0,
    integers: bool = False,
    n_edge_types: int = 0,
    weighted: bool = False,
    **given,
) -> Graph:
    """A graph with random features and, unless given, random edges; the rest goes to `Graph`."""
    rng = np.random.default_rng(seed)
    features = _random_features(rng, (n_vertices, n_features), integers, missing)
    if edges is None:
        edges = _random_edges(rng, n_vertices, density, given.get("directed", False))
    edges = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    if n_edge_types:
        given["edge_types"] = [f"type {k}" for k in rng.integers(n_edge_types, size=len(edges))]
    if weighted:
        given["edge_weights"] = rng.uniform(0.5, 2.0, len(edges))
    return Graph(features, edges, **given)


def some_graphs(
    n_graphs: int = 3, seed: int = 0, n_vertices: tuple[int, int] = (2, 6), **given
) -> Graphs:
    """Random graphs whose numbers of vertices lie between two bounds; see `a_graph`."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(n_vertices[0], n_vertices[1] + 1, size=n_graphs)
    seeds = rng.integers(2**31, size=n_graphs)
    return Graphs(
        a_graph(n_vertices=int(size), seed=int(one_seed), **given)
        for size, one_seed in zip(sizes, seeds, strict=True)
    )


def a_path(n_vertices: int = 3, **given) -> Graph:
    """Vertices in a row, 0 - 1 - 2 - ..., whose one feature is their number."""
    edges = [(i, i + 1) for i in range(n_vertices - 1)]
    return Graph(np.arange(float(n_vertices)).reshape(-1, 1), edges, **given)


def a_rich_graph(seed: int = 0, n_vertices: int = 5, n_edges: int = 7, directed: bool = False):
    """A graph with everything a graph can have: categories, missing values, names, weights,
    types, edge features, self-loops, parallel edges.
    """
    rng = np.random.default_rng(seed)
    n_edges = n_edges if n_vertices else 0
    features = np.column_stack(
        [_random_features(rng, n_vertices, False, 0.2), rng.integers(3, size=n_vertices)]
    )
    features[rng.random(n_vertices) < 0.2, 1] = np.nan
    graphs = Graphs.from_flat(
        vertex_ptr=[0, n_vertices],
        edge_ptr=[0, n_edges],
        edges=rng.integers(max(n_vertices, 1), size=(2, n_edges)),
        directed=directed,
        features=features,
        feature_names=["size", "kind"],
        categories={1: ["a", "b", "c"]},
        edge_weights=rng.uniform(0.5, 2.0, n_edges),
        edge_types=np.array(["far", "near"])[rng.integers(2, size=n_edges)],
        edge_features=rng.normal(size=(n_edges, 2)),
        edge_feature_names=["length", "toll"],
        vertex_names=[f"v{i}" for i in range(n_vertices)],
    )
    return graphs[0]


def relabelled(graph: Graph, order) -> Graph:
    """The same graph with its vertices in another order: new vertex k is old vertex order[k]."""
    order = np.asarray(order)
    new_number = np.argsort(order)
    return Graph(
        graph.features[order],
        new_number[graph.edge_index].T,
        directed=graph.directed,
        edge_weights=graph.edge_weights,
        edge_types=graph.edge_types,
        edge_features=graph.edge_features,
        feature_names=graph.feature_names,
        vertex_names=None if graph.vertex_names is None else graph.vertex_names[order],
    )


def _random_features(rng, shape, integers: bool, missing: float) -> np.ndarray:
    features = rng.integers(-2, 3, size=shape).astype(float) if integers else rng.normal(size=shape)
    features[rng.random(shape) < missing] = np.nan
    return features


def _random_edges(rng, n_vertices: int, density: float, directed: bool) -> np.ndarray:
    """Each pair of different vertices is joined with this probability."""
    joined = rng.random((n_vertices, n_vertices)) < density
    np.fill_diagonal(joined, False)
    return np.argwhere(joined if directed else np.triu(joined))
