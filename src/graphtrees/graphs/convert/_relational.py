"""Graphs with several kinds of vertices and relations, laid out as one graph.

kind      user.0  user.1   film.0         every kind has columns of its own;
user       0.1     0.2      nan           the others miss them
film       nan     nan      7.0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees._layout import OFFSET
from graphtrees.graphs.convert._tensors import Arrays
from graphtrees.graphs.flat import dense, starts_of
from graphtrees.graphs.labels import in_order, object_array

Triple = tuple[str, str, str]  # source kind, relation, target kind
KIND = "kind"  # the categorical feature that says what a vertex is


@dataclass(frozen=True)
class Relation:
    """The edges of one relation, numbered within the kinds they join."""

    edges: np.ndarray
    weights: np.ndarray | None = None
    features: np.ndarray | None = None


@dataclass(frozen=True)
class Relational:
    """One graph by kinds of vertices and relations."""

    counts: dict[str, int]
    features: dict[str, Any]  # kind -> matrix or None
    relations: dict[Triple, Relation]


def lay_out(items: list[Relational]) -> list[Arrays]:
    """Every graph with the columns of all kinds and all relations that any of them has."""
    kinds = _kinds(items)
    columns = _widths((kind, item.features.get(kind)) for item in items for kind in item.counts)
    edge_columns = _widths(
        (relation_name(triple), relation.features)
        for item in items
        for triple, relation in item.relations.items()
    )
    return [_lay_out_one(item, kinds, columns, edge_columns) for item in items]


def places_of(items: list[Relational], kind: str) -> list[np.ndarray]:
    """The numbers that the vertices of one kind have in every graph that `lay_out` makes."""
    kinds = _kinds(items)
    before = kinds[: kinds.index(kind)]
    starts = [sum(item.counts.get(one, 0) for one in before) for item in items]
    return [
        np.arange(start, start + item.counts.get(kind, 0), dtype=OFFSET)
        for start, item in zip(starts, items, strict=True)
    ]


def _kinds(items: list[Relational]) -> tuple:
    """All kinds of vertices, in the order in which they are laid out."""
    return in_order(kind for item in items for kind in item.counts)


def relation_name(triple: Triple) -> str:
    return " ".join(triple)


def _widths(named: Any) -> dict[str, int]:
    """How many columns each kind has, in sorted order of kinds; all graphs have to agree."""
    widths: dict[str, int] = {}
    for name, matrix in named:
        width = 0 if matrix is None else matrix.shape[1]
        if widths.setdefault(name, width) != width:
            raise ValueError(f"{name!r} has {width} features here and {widths[name]} elsewhere")
    return dict(sorted(widths.items()))


def _column_names(widths: dict[str, int]) -> list[str]:
    return [f"{name}.{column}" for name, width in widths.items() for column in range(width)]


def _lay_out_one(
    item: Relational, kinds: tuple, columns: dict[str, int], edge_columns: dict[str, int]
) -> Arrays:
    counts = [item.counts.get(kind, 0) for kind in kinds]
    starts = dict(zip(kinds, starts_of(np.array(counts, OFFSET)).tolist(), strict=False))
    triples = sorted(item.relations)
    sizes = [item.relations[triple].edges.shape[1] for triple in triples]
    names = [relation_name(triple) for triple in triples]
    return Arrays(
        n_vertices=sum(counts),
        edges=_edges(item, triples, starts),
        features=_vertex_features(item, kinds, counts, columns),
        weights=_weights(item, triples, sizes),
        types=object_array(
            name for name, size in zip(names, sizes, strict=True) for _ in range(size)
        ),
        edge_features=_edge_features(item, triples, sizes, edge_columns),
        feature_names=[KIND, *_column_names(columns)],
        edge_feature_names=_column_names(edge_columns),
        categories={0: kinds},
    )


def _edges(item: Relational, triples: list[Triple], starts: dict[str, int]) -> np.ndarray:
    shifted = [
        item.relations[triple].edges + np.array([[starts[triple[0]]], [starts[triple[2]]]])
        for triple in triples
    ]
    return np.concatenate([np.zeros((2, 0), OFFSET), *shifted], axis=1)


def _vertex_features(item, kinds, counts, columns) -> np.ndarray:
    values = np.full((sum(counts), 1 + sum(columns.values())), np.nan)
    values[:, 0] = np.repeat(np.arange(len(kinds)), counts)
    row_of = dict(zip(kinds, starts_of(np.array(counts, OFFSET)).tolist(), strict=False))
    column = 1
    for kind, width in columns.items():
        matrix = item.features.get(kind)
        if matrix is not None and width:
            row = row_of[kind]
            values[row : row + matrix.shape[0], column : column + width] = dense(matrix)
        column += width
    return values


def _weights(item: Relational, triples: list[Triple], sizes: list[int]) -> np.ndarray | None:
    """An edge of a relation without weights weighs 1."""
    given = [item.relations[triple].weights for triple in triples]
    if all(weights is None for weights in given):
        return None
    return np.concatenate(
        [
            np.ones(size) if weights is None else weights
            for size, weights in zip(sizes, given, strict=True)
        ]
    )


def _edge_features(item, triples, sizes, edge_columns) -> np.ndarray | None:
    """The columns of one relation are 0 on the edges of another: they are not part of it."""
    if not sum(edge_columns.values()):
        return None
    values = np.zeros((sum(sizes), sum(edge_columns.values())))
    first_column = dict(zip(edge_columns, np.cumsum([0, *edge_columns.values()]), strict=False))
    row = 0
    for triple, size in zip(triples, sizes, strict=True):
        matrix, column = item.relations[triple].features, first_column[relation_name(triple)]
        if matrix is not None:
            values[row : row + size, column : column + matrix.shape[1]] = matrix
        row += size
    return values
