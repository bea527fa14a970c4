"""Concatenate graphs, with one list of labels for all; errors name the graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphtrees._layout import OFFSET, VALUE
from graphtrees.graphs.flat import FlatGraphs, GraphFeatures, dense, starts_of
from graphtrees.graphs.labels import object_array, recode, unite


def concatenate(parts: Sequence[FlatGraphs]) -> FlatGraphs:
    """All graphs of all parts, in order.

    Weights that only some graphs have are 1 elsewhere, and vertices without names are named by
    their number. Everything else has to agree.
    """
    if not parts:
        return no_graphs()
    if len(parts) == 1:
        return parts[0]
    _check_agreement(parts)
    edge_types, edge_type_names = _edge_types(parts)
    categories, features = _features(parts)
    return FlatGraphs(
        vertex_ptr=_join_ptr([part.vertex_ptr for part in parts]),
        edge_ptr=_join_ptr([part.edge_ptr for part in parts]),
        edges=np.concatenate([part.edges for part in parts], axis=1),
        directed=_directed(parts),
        features=features,
        feature_names=parts[0].feature_names,
        categories=categories,
        edge_weights=_fill(
            parts, lambda part: part.edge_weights, lambda part: np.ones(part.n_edges)
        ),
        edge_types=edge_types,
        edge_type_names=edge_type_names,
        edge_features=_edge_features(parts),
        edge_feature_names=next((p.edge_feature_names for p in parts if p.edge_feature_names), ()),
        vertex_names=_fill(parts, lambda part: part.vertex_names, _numbers_as_names),
        graph_features=_graph_features(parts),
    )


def no_graphs() -> FlatGraphs:
    """A collection that holds nothing."""
    ptr = np.zeros(1, OFFSET)
    return FlatGraphs(ptr, ptr, np.zeros((2, 0), OFFSET), False, np.zeros((0, 0), VALUE))


def _check_agreement(parts: Sequence[FlatGraphs]) -> None:
    every = list(range(len(parts)))
    with_edges = [i for i in every if parts[i].n_edges]
    _agree(parts, with_edges, "is directed: {}", [p.directed for p in parts])
    _agree(parts, every, "has {} features", [p.n_features for p in parts])
    _agree(parts, every, "has the feature names {}", [p.feature_names for p in parts])
    _check_categorical(parts)
    _agree(parts, with_edges, "has edge types: {}", [p.edge_types is not None for p in parts])
    _agree(parts, with_edges, "has the edge features {}", [p.edge_feature_names for p in parts])
    _agree(parts, every, "has the graph features {}", [p.graph_feature_names for p in parts])
    for column, name in enumerate(parts[0].graph_feature_names):
        kinds = [p.graph_features.is_categorical(column) for p in parts]  # type: ignore[union-attr]
        which = [i for i in every if kinds[i] is not None]
        _agree(parts, which, f"has the graph feature {name!r} categorical: {{}}", kinds)


def _check_categorical(parts: Sequence[FlatGraphs]) -> None:
    """A column is categorical in all graphs or in none, except where all values are missing."""
    for column in sorted(set().union(*(part.categories for part in parts))):
        kinds = [column in part.categories for part in parts]
        which = [
            i
            for i, part in enumerate(parts)
            if kinds[i] or not np.isnan(dense(part.features[:, [column]])).all()
        ]
        _agree(parts, which, f"has column {column} categorical: {{}}", kinds)


def _agree(
    parts: Sequence[FlatGraphs], which: Sequence[int], text: str, values: Sequence[Any]
) -> None:
    """Raise where one of these parts differs from the first of them, naming both graphs."""
    for i in which:
        if values[i] != values[which[0]]:
            raise ValueError(
                f"graph {_number(parts, i)} {text.format(values[i])}; "
                f"graph {_number(parts, which[0])} {text.format(values[which[0]])}"
            )


def _number(parts: Sequence[FlatGraphs], i: int) -> int:
    """The number that the first graph of a part gets among all graphs."""
    return sum(part.n_graphs for part in parts[:i])


def _directed(parts: Sequence[FlatGraphs]) -> bool:
    return next((part.directed for part in parts if part.n_edges), parts[0].directed)


def _join_ptr(ptrs: Sequence[np.ndarray]) -> np.ndarray:
    starts = starts_of(np.array([ptr[-1] for ptr in ptrs]))
    lengths = np.array([len(ptr) - 1 for ptr in ptrs])
    ends = np.concatenate([ptr[1:] for ptr in ptrs]) + np.repeat(starts[:-1], lengths)
    return np.concatenate([np.zeros(1, OFFSET), ends])


def _fill(
    parts: Sequence[FlatGraphs],
    read: Callable[[FlatGraphs], np.ndarray | None],
    default: Callable[[FlatGraphs], np.ndarray],
) -> np.ndarray | None:
    """Join an optional array; parts without it get the default once any part has it."""
    arrays = [read(part) for part in parts]
    if all(array is None for array in arrays):
        return None
    pairs = zip(parts, arrays, strict=True)
    return np.concatenate([default(part) if array is None else array for part, array in pairs])


def _numbers_as_names(part: FlatGraphs) -> np.ndarray:
    counts = np.diff(part.vertex_ptr)
    return object_array(
        (np.arange(part.n_vertices) - np.repeat(part.vertex_ptr[:-1], counts)).tolist()
    )


def _edge_features(parts: Sequence[FlatGraphs]) -> np.ndarray | None:
    arrays = [p.edge_features for p in parts if p.edge_features is not None and p.n_edges]
    if arrays:
        return np.concatenate(arrays)
    return next((p.edge_features for p in parts if p.edge_features is not None), None)


def _edge_types(parts: Sequence[FlatGraphs]) -> tuple[np.ndarray | None, tuple]:
    typed = [part for part in parts if part.edge_types is not None]
    if not typed:
        return None, ()
    names, start, table = unite([part.edge_type_names for part in typed])
    codes = np.concatenate([part.edge_types for part in typed if part.edge_types is not None])
    places = codes + np.repeat(start, [part.n_edges for part in typed])
    return table[places].astype(np.int32), names


def _features(parts: Sequence[FlatGraphs]) -> tuple[dict[int, tuple], np.ndarray | sp.csr_array]:
    blocks = [part.features for part in parts]
    if any(sp.issparse(block) for block in blocks):
        return {}, sp.csr_array(sp.vstack([sp.csr_array(block) for block in blocks], format="csr"))
    features = np.concatenate(blocks)
    categories = {}
    for column in sorted(set().union(*(part.categories for part in parts))):
        label_lists = [part.categories.get(column, ()) for part in parts]
        categories[column], start, table = unite(label_lists)
        if len(set(label_lists)) > 1:
            starts = np.repeat(start, [part.n_vertices for part in parts])
            features[:, column] = recode(features[:, column], starts, table)
    return categories, features


def _graph_features(given: Sequence[FlatGraphs]) -> GraphFeatures | None:
    """The rows of all parts, with one list of labels for each categorical column."""
    parts = [part.graph_features for part in given if part.graph_features is not None]
    if not parts:
        return None
    values = np.concatenate([part.values for part in parts])
    sizes = [len(part.values) for part in parts]
    categories = {}
    for column in sorted(set().union(*(part.categories for part in parts))):
        labels, start, table = unite([part.categories.get(column, ()) for part in parts])
        categories[column] = labels
        values[:, column] = recode(values[:, column], np.repeat(start, sizes), table)
    return GraphFeatures(values, parts[0].names, categories)
