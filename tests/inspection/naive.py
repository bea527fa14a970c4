"""1-WL and sameness of graphs, the slow and obvious way."""

from __future__ import annotations

import networkx as nx
import numpy as np

from graphtrees.graphs import Graph


def naive_colours(graphs: list[Graph]) -> list[list]:
    """The colour of each vertex of each graph after as many rounds as could matter."""
    colours = [[tuple(np.nan_to_num(row, nan=1e9)) for row in g.features] for g in graphs]
    for _ in range(sum(g.n_vertices for g in graphs)):
        heard = [_heard(g, of) for g, of in zip(graphs, colours, strict=True)]
        names: dict = {}
        colours = [[names.setdefault(word, len(names)) for word in words] for words in heard]
    return colours


def _heard(graph: Graph, colours: list) -> list:
    """What each vertex holds, and the sorted list of what its neighbours hold."""
    inbox: list[list] = [[] for _ in colours]
    types = graph.edge_types
    weights = graph.edge_weights
    for edge, (source, target) in enumerate(graph.edge_index.T):
        carried = (
            None if types is None else types[edge],
            None if weights is None else weights[edge],
        )
        inbox[target].append(repr(("in", colours[source], carried)))
        if graph.directed:
            inbox[source].append(repr(("out", colours[target], carried)))
        elif source != target:
            inbox[source].append(repr(("in", colours[target], carried)))
    return [(colours[v], tuple(sorted(inbox[v]))) for v in range(len(colours))]


def naive_graph_hashes(graphs: list[Graph]) -> list[tuple]:
    return [tuple(sorted(of)) for of in naive_colours(graphs)]


def are_the_same(a: Graph, b: Graph) -> bool:
    """Whether some order of the vertices of one gives the other."""
    return nx.is_isomorphic(
        _coloured(a), _coloured(b), node_match=lambda u, v: u == v, edge_match=lambda u, v: u == v
    )


def _coloured(graph: Graph) -> nx.MultiGraph:
    other = nx.MultiDiGraph() if graph.directed else nx.MultiGraph()
    other.add_nodes_from((v, {"row": repr(row)}) for v, row in enumerate(graph.features))
    other.add_edges_from(graph.edge_index.T.tolist())
    return other
