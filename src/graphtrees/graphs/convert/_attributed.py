"""Graphs whose vertices and edges carry dictionaries of attributes: networkx, igraph, molecules.

All graphs are read together, so that they get one list of features and one list of categories.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from graphtrees._layout import OFFSET
from graphtrees.graphs.collection import Graphs
from graphtrees.graphs.door import build_graphs
from graphtrees.graphs.door.arguments import as_name, as_names
from graphtrees.graphs.flat import starts_of
from graphtrees.graphs.frames import read_objects
from graphtrees.graphs.graph import Graph
from graphtrees.graphs.labels import is_missing

_SCALARS = (bool, int, float, str, np.number, np.bool_)


@dataclass(frozen=True)
class Attributed:
    """One graph as dictionaries, on its way in."""

    directed: bool
    vertices: list[dict]  # the attributes of each vertex
    names: Sequence[Any] | None
    edges: list[tuple[int, int]]
    edge_attributes: list[dict]


@dataclass(frozen=True)
class Reading:
    """Which attributes to read, and as what."""

    features: Sequence[str] | None = None  # None: every attribute that can be one
    weight: str | None = None
    edge_type: str | None = None
    edge_features: Sequence[str] | None = None

    def __post_init__(self) -> None:
        for what in ("features", "edge_features"):
            names = as_names(getattr(self, what), what, "attribute names")
            object.__setattr__(self, what, names)  # frozen from here on
        for what in ("weight", "edge_type"):
            as_name(getattr(self, what), what)


def assemble(items: list[Attributed], reading: Reading, single: bool) -> Graph | Graphs:
    """One `Graph` for a single item, else `Graphs`."""
    values, names, categories = _vertex_features(items, reading.features)
    edges = [edge for item in items for edge in item.edges]
    flat = build_graphs(
        vertex_ptr=starts_of(np.array([len(item.vertices) for item in items], dtype=OFFSET)),
        edge_ptr=starts_of(np.array([len(item.edges) for item in items], dtype=OFFSET)),
        edges=np.array(edges, dtype=OFFSET).reshape(-1, 2).T,
        directed=_one_direction(items),
        features=values,
        feature_names=names,
        categories=categories,
        edge_weights=_weights(items, reading.weight),
        edge_types=_types(items, reading.edge_type),
        edge_features=_edge_features(items, reading.edge_features),
        edge_feature_names=reading.edge_features,
        vertex_names=_vertex_names(items),
        numbered=not single,
    )
    return Graph._of(flat) if single else Graphs._of(flat)


def _vertex_features(items: list[Attributed], asked: Sequence[str] | None):
    vertices = [vertex for item in items for vertex in item.vertices]
    names = _every_feature(vertices) if asked is None else list(asked)
    values = np.zeros((len(vertices), len(names)))
    categories = {}
    for column, name in enumerate(names):
        found = [vertex.get(name) for vertex in vertices]
        if vertices and not any(name in vertex for vertex in vertices):
            warnings.warn(f"no vertex has the attribute {name!r}: all are missing", stacklevel=4)
        values[:, column], labels = read_objects(found, f"vertex attribute {name!r}")
        if labels is not None:
            categories[column] = labels
    return values, names, categories


def _every_feature(vertices: list[dict]) -> list[str]:
    """Attributes that hold numbers, booleans or strings only, sorted by name.

    Sorted, so that graphs read today and graphs read tomorrow have their features in one order.
    """
    unfit: set[Any] = set()
    found: set[Any] = set()
    for vertex in vertices:
        for name, value in vertex.items():
            found.add(name)
            if not isinstance(value, _SCALARS) and not is_missing(value):
                unfit.add(name)
    return sorted(name for name in found - unfit if isinstance(name, str))


def _one_direction(items: list[Attributed]) -> bool:
    with_edges = [number for number, item in enumerate(items) if item.edges]
    if not with_edges:
        return bool(items) and items[0].directed
    wanted = items[with_edges[0]].directed
    for number in with_edges:
        if items[number].directed != wanted:
            words = {True: "directed", False: "undirected"}
            raise ValueError(
                f"graph {number} is {words[not wanted]}; graph {with_edges[0]} is {words[wanted]}"
            )
    return wanted


def _vertex_names(items: list[Attributed]) -> list | None:
    if all(item.names is None for item in items):
        return None
    return [
        name
        for item in items
        for name in (range(len(item.vertices)) if item.names is None else item.names)
    ]


def _weights(items: list[Attributed], name: str | None) -> list | None:
    """Edges without a weight weigh 1; where none has one there are no weights."""
    edges = list(chain.from_iterable(item.edge_attributes for item in items))
    if name is None or not any(name in edge for edge in edges):
        return None
    weights = [edge.get(name, 1.0) for edge in edges]
    return [np.nan if weight is None else weight for weight in weights]


def _types(items: list[Attributed], name: str | None) -> list | None:
    return None if name is None else _of_every_edge(items, name)


def _edge_features(items: list[Attributed], names: Sequence[str] | None) -> np.ndarray | None:
    if not names:
        return None
    columns = [_of_every_edge(items, name) for name in names]
    return np.array(columns).T if columns[0] else np.zeros((0, len(names)))


def _of_every_edge(items: list[Attributed], name: str) -> list:
    values = []
    for number, item in enumerate(items):
        for edge, attributes in zip(item.edges, item.edge_attributes, strict=True):
            if name not in attributes:
                ends = edge if item.names is None else tuple(item.names[end] for end in edge)
                graph = f"graph {number}: " if len(items) > 1 else ""
                raise ValueError(f"{graph}the edge {ends} has no attribute {name!r}")
            values.append(attributes[name])
    return values
