"""Graphs whose vertices and edges carry dictionaries of attributes: networkx, igraph, molecules.

All graphs are read together, so that they get one list of features and one list of categories.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from numbers import Real
from typing import Any

import numpy as np

from graphtrees._layout import OFFSET
from graphtrees._warnings import warn_user
from graphtrees.graphs.collection import Graphs
from graphtrees.graphs.flat import starts_of
from graphtrees.graphs.frames import read_objects
from graphtrees.graphs.graph import Graph
from graphtrees.graphs.labels import is_missing
from graphtrees.graphs.validation import Attributes, build_graphs
from graphtrees.graphs.validation.arguments import as_name, as_names
from graphtrees.graphs.validation.where import GRAPH_NUMBER, NameGraph, kind_of

_SCALARS = (bool, int, float, str, np.number, np.bool_)


@dataclass(frozen=True)
class Attributed:
    """One graph, with a dictionary of attributes for each vertex and edge."""

    directed: bool
    vertices: list[dict]  # the attributes of each vertex
    names: Sequence[Any] | None
    edges: list[tuple[int, int]]
    edge_attributes: list[dict]


@dataclass(frozen=True)
class AttributeNames:
    """The attributes to read as features, weights and edge types."""

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


def assemble(
    items: list[Attributed],
    asked: AttributeNames,
    single: bool,
    name_graph: NameGraph = GRAPH_NUMBER,
) -> Graph | Graphs:
    """One `Graph` for a single item, else `Graphs`; errors name graphs by `name_graph`."""
    values, names, categories = _vertex_features(items, asked.features)
    edge_features, edge_feature_names = _edge_features(items, asked.edge_features, name_graph)
    edges = [edge for item in items for edge in item.edges]
    edge_type = asked.edge_type
    given = Attributes(
        features=values,
        feature_names=names,
        categories=categories,
        edge_weights=_weights(items, asked.weight),
        edge_types=None if edge_type is None else _of_every_edge(items, edge_type, name_graph),
        edge_features=edge_features,
        edge_feature_names=edge_feature_names,
        vertex_names=_vertex_names(items),
    )
    flat = build_graphs(
        starts_of(np.array([len(item.vertices) for item in items], dtype=OFFSET)),
        starts_of(np.array([len(item.edges) for item in items], dtype=OFFSET)),
        np.array(edges, dtype=OFFSET).reshape(-1, 2).T,
        _one_direction(items, name_graph),
        given,
        None if single else name_graph,
    )
    return Graph._of(flat) if single else Graphs._of(flat)


def _vertex_features(items: list[Attributed], asked: Sequence[str] | None):
    vertices = [vertex for item in items for vertex in item.vertices]
    names, columns = [], []
    for attribute in _every_feature(vertices) if asked is None else asked:
        if vertices and not any(attribute in vertex for vertex in vertices):
            warn_user(f"no vertex has the attribute {attribute!r}: all are missing")
        values = [vertex.get(attribute) for vertex in vertices]
        what = f"vertex attribute {attribute!r}"
        for name, column in _split_lists(attribute, values, what).items():
            names.append(name)
            columns.append(read_objects(column, what))
    matrix = np.zeros((len(vertices), len(names)))
    for place, (numbers, _) in enumerate(columns):
        matrix[:, place] = numbers
    return matrix, names, {p: labels for p, (_, labels) in enumerate(columns) if labels is not None}


def _every_feature(vertices: list[dict]) -> list[str]:
    """Attributes that hold numbers, booleans or strings only, or lists of numbers of one length.

    Sorted, so that graphs read today and graphs read tomorrow have their features in one order.
    The others are named in a warning.
    """
    known: dict[str, list] = {}
    for vertex in vertices:
        for name, value in vertex.items():
            if isinstance(name, str):
                known.setdefault(name, []).extend([] if is_missing(value) else [value])
    unfit = {name: values for name, values in known.items() if not _can_be_feature(values)}
    if unfit:
        listed = ", ".join(f"{name!r} ({_kinds(unfit[name])})" for name in sorted(unfit))
        warn_user(
            f"vertex attributes left out: {listed}. A feature holds numbers, text, or lists of "
            "numbers of one length; name the features to read, features=[...], to leave out others"
        )
    return sorted(known.keys() - unfit.keys())


def _can_be_feature(values: list) -> bool:
    return all(isinstance(value, _SCALARS) for value in values) or _list_width(values) > 0


def _kinds(values: list) -> str:
    if any(_is_list(value) for value in values):
        return "lists" if not all(map(_is_list, values)) else "lists of several lengths or of text"
    return kind_of(next(value for value in values if not isinstance(value, _SCALARS)))


def _one_direction(items: list[Attributed], name_graph: NameGraph) -> bool:
    with_edges = [number for number, item in enumerate(items) if item.edges]
    if not with_edges:
        return bool(items) and items[0].directed
    wanted = items[with_edges[0]].directed
    for number in with_edges:
        if items[number].directed != wanted:
            name, words = name_graph or GRAPH_NUMBER, {True: "directed", False: "undirected"}
            raise ValueError(
                f"{name(number)} is {words[not wanted]}; {name(with_edges[0])} is {words[wanted]}"
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


def _edge_features(items: list[Attributed], asked: Sequence[str] | None, name_graph: NameGraph):
    """Values and names; a list of numbers gives a column for each of its entries."""
    if not asked:
        return None, None
    columns: dict[str, list] = {}
    for name in asked:
        values = _of_every_edge(items, name, name_graph)
        columns |= _split_lists(name, values, f"edge attribute {name!r}")
    if not any(item.edges for item in items):
        return np.zeros((0, len(columns))), list(columns)
    return np.array(list(columns.values())).T, list(columns)


def _of_every_edge(items: list[Attributed], name: str, name_graph: NameGraph) -> list:
    values = []
    for number, item in enumerate(items):
        for edge, attributes in zip(item.edges, item.edge_attributes, strict=True):
            if name not in attributes:
                ends = edge if item.names is None else tuple(item.names[end] for end in edge)
                graph = f"{name_graph(number)}: " if name_graph and len(items) > 1 else ""
                raise ValueError(f"{graph}the edge {ends} has no attribute {name!r}")
            values.append(attributes[name])
    return values


def _split_lists(name: str, values: list, what: str) -> dict[str, list]:
    """Columns `name.0`, `name.1`, ... of lists of numbers of one length; else the one column.

    Where a list is missing, all of its entries are.
    """
    if not any(_may_be_lists(kind) for kind in set(map(type, values))):
        return {name: values}
    known = [value for value in values if not is_missing(value)]
    width = _list_width(known)
    if not width:
        lengths = sorted({len(value) if _is_list(value) else 1 for value in known})
        came = f"lengths {lengths[0]} and {lengths[-1]}" if len(lengths) > 1 else "other things"
        raise ValueError(f"{what}: lists must hold numbers and be of one length; got {came}")
    rows = [[None] * width if is_missing(value) else _items(value) for value in values]
    return {f"{name}.{k}": [row[k] for row in rows] for k in range(width)}


def _may_be_lists(kind: type) -> bool:
    return issubclass(kind, (list, tuple)) or (
        hasattr(kind, "ndim") and not issubclass(kind, np.generic)
    )


def _list_width(values: list) -> int:
    """How many numbers each of these lists holds; 0 where not all are such lists."""
    lengths = {len(value) if _is_list(value) else 0 for value in values}
    if len(lengths) != 1 or not all(_is_number(item) for value in values for item in _items(value)):
        return 0
    return lengths.pop()


def _is_list(value: Any) -> bool:
    """A list, a tuple, or an array or tensor of one dimension."""
    return isinstance(value, (list, tuple)) or getattr(value, "ndim", 0) == 1


def _items(value: Any) -> list:
    if not _is_list(value):
        return [value]
    return value.tolist() if hasattr(value, "tolist") else list(value)


def _is_number(item: Any) -> bool:
    return is_missing(item) or isinstance(item, (Real, np.bool_))
