"""X with one feature shuffled: over all vertices, over the graphs, or over the rows of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from graphtrees.graphs import Edges, FlatGraphs, Graphs, Vertices, as_examples
from graphtrees.graphs.validation.numbers import without_mask

# Gives X anew with one feature in the order that a generator draws.
Shuffle = Callable[[np.random.Generator], Any]


def shuffles(X: Any, of_graphs: bool) -> list[tuple[str, Shuffle]]:
    """The name of every feature that can be shuffled, and how."""
    return _of_examples(as_examples(X)) if of_graphs else _of_table(X)


def _of_examples(X: Any) -> list[tuple[str, Shuffle]]:
    flat, wrap = (X.flat, lambda f: Graphs._of(f)) if isinstance(X, Graphs) else _gathered(X)
    listed = [
        (_name(flat.feature_names, k), _vertex_feature(flat, k, wrap))
        for k in range(flat.n_features)
    ]
    of_graphs = [
        (name, _graph_feature(flat, k, wrap)) for k, name in enumerate(flat.graph_feature_names)
    ]
    return listed + of_graphs + (_of_edges(flat, wrap) if isinstance(X, Edges) else [])


def _gathered(X: Vertices | Edges) -> tuple[FlatGraphs, Callable[[FlatGraphs], Any]]:
    """The graphs that hold the examples, and how to point at the examples in them."""
    used, graph_of = np.unique(X.graph_of, return_inverse=True)
    part_of = X.vertex_of if isinstance(X, Vertices) else X.edge_of
    return X.graphs[used].flat, lambda flat: type(X)(Graphs._of(flat), graph_of, part_of)


def _name(names: Any, k: int) -> str:
    return f"x{k}" if names is None else str(names[k])


def _vertex_feature(flat: FlatGraphs, k: int, wrap: Callable[[FlatGraphs], Any]) -> Shuffle:
    def shuffle(rng: np.random.Generator) -> Any:
        order = rng.permutation(flat.n_vertices)
        return wrap(replace(flat, features=_with_column_in_order(flat.features, k, order)))

    return shuffle


def _graph_feature(flat: FlatGraphs, k: int, wrap: Callable[[FlatGraphs], Any]) -> Shuffle:
    given = flat.graph_features
    assert given is not None

    def shuffle(rng: np.random.Generator) -> Any:
        order = rng.permutation(flat.n_graphs)
        values = _with_column_in_order(given.values, k, order)
        return wrap(replace(flat, graph_features=replace(given, values=values)))

    return shuffle


def _of_edges(flat: FlatGraphs, wrap: Callable[[FlatGraphs], Any]) -> list[tuple[str, Shuffle]]:
    """What edges have of their own, shuffled over the edges."""

    def one(field: str, column: int | None = None) -> Shuffle:
        def shuffle(rng: np.random.Generator) -> Any:
            order = rng.permutation(flat.n_edges)
            old = getattr(flat, field)
            new = old[order] if column is None else _with_column_in_order(old, column, order)
            return wrap(replace(flat, **{field: new}))

        return shuffle

    listed = [("weight", one("edge_weights"))] if flat.edge_weights is not None else []
    listed += [("type", one("edge_types"))] if flat.edge_types is not None else []
    return listed + [
        (name, one("edge_features", k)) for k, name in enumerate(flat.edge_feature_names)
    ]


def _of_table(X: Any) -> list[tuple[str, Shuffle]]:
    if not hasattr(X, "columns") and not sparse.issparse(X):
        X = np.asarray(without_mask(X))
    names = list(X.columns) if hasattr(X, "columns") else None

    def one(k: int) -> Shuffle:
        return lambda rng: _with_column_in_order(X, k, rng.permutation(X.shape[0]))

    return [(_name(names, k), one(k)) for k in range(X.shape[1])]


def _with_column_in_order(X: Any, k: int, order: np.ndarray) -> Any:
    """A copy of X, its column k in another order."""
    if hasattr(X, "iloc"):  # pandas
        copy = X.copy()
        copy.isetitem(k, X.iloc[order, k].set_axis(X.index))
        return copy
    if hasattr(X, "with_columns"):  # polars
        name = X.columns[k]
        return X.with_columns(X[name][order.tolist()].alias(name))
    if sparse.issparse(X):
        columns = sparse.csc_array(X)
        left, column, right = columns[:, :k], columns[:, [k]].tocsr()[order], columns[:, k + 1 :]
        return sparse.csr_array(sparse.hstack([left, column, right]))
    copy = np.array(X)
    copy[:, k] = copy[order, k]
    return copy
