"""Graphs whose numbers do not add up exactly, and the same graphs written down in another way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import graphtrees as gt


def real_graphs(
    seed: int,
    n_graphs: int = 10,
    n_vertices: tuple[int, int] = (0, 9),
    n_features: int = 2,
    directed: bool = False,
    weighted: bool = True,
    missing: float = 0.1,
    magnitude: int = 4,
) -> list[gt.Graph]:
    """Random graphs with features and weights of magnitudes from 10^-m to 10^m.

    Loops, parallel edges, isolated vertices and graphs without vertices are among them.
    """
    rng = np.random.default_rng(seed)
    graphs = []
    for _ in range(n_graphs):
        n = int(rng.integers(n_vertices[0], n_vertices[1] + 1))
        n_edges = int(rng.integers(0, 3 * n + 1))
        features = mixed(rng, (n, n_features), magnitude)
        features[rng.random(features.shape) < missing] = np.nan
        graphs.append(
            gt.Graph(
                features if n_features else None,
                rng.integers(0, max(n, 1), (n_edges, 2)),
                directed=directed,
                edge_weights=mixed(rng, n_edges, 1) if weighted else None,
                n_vertices=n,
            )
        )
    return graphs


def mixed(rng: np.random.Generator, shape, magnitude: int) -> np.ndarray:
    """Random float32 numbers of both signs and very different sizes."""
    sizes = 10.0 ** rng.integers(-magnitude, magnitude + 1, shape)
    return (rng.normal(size=shape) * sizes).astype(np.float32)


class Rewritten(NamedTuple):
    """A graph with its vertices in another order; `number[i]` is the new number of vertex i."""

    graph: gt.Graph
    number: np.ndarray


def rewrite(graph: gt.Graph, rng: np.random.Generator) -> Rewritten:
    """Other numbers for the vertices, edges listed in another order, some from the other end."""
    order = rng.permutation(graph.n_vertices)
    number = np.argsort(order)
    listed = rng.permutation(graph.n_edges)
    ends = number[graph.edge_index[:, listed]]
    if not graph.directed:
        turned = rng.random(graph.n_edges) < 0.5
        ends = np.where(turned, ends[::-1], ends)
    weights = None if graph.edge_weights is None else graph.edge_weights[listed]
    features = graph.features[order] if graph.n_features else None
    again = gt.Graph(
        features,
        ends.T,
        directed=graph.directed,
        edge_weights=weights,
        n_vertices=graph.n_vertices,
        feature_names=graph.feature_names,
    )
    return Rewritten(again, number)


def rewrite_all(graphs: list[gt.Graph], seed: int) -> tuple[gt.Graphs, gt.Vertices]:
    """All graphs rewritten; and all vertices, in the order they had before."""
    rng = np.random.default_rng(seed)
    told = [rewrite(graph, rng) for graph in graphs]
    again = gt.Graphs(one.graph for one in told)
    graph_of = np.repeat(np.arange(len(graphs)), [g.n_vertices for g in graphs])
    numbers = np.concatenate([one.number for one in told]).astype(np.int64)
    return again, gt.Vertices(again, graph_of, numbers)
