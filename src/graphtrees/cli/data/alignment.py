"""The features of a collection, chosen, put in order and added to."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from graphtrees.cli.errors import UserError
from graphtrees.graphs import FlatGraphs, Graphs
from graphtrees.graphs.flat import dense


def with_features(graphs: Graphs, names: tuple[str, ...], where: str) -> Graphs:
    """The same graphs with the features that a model knows, in its order.

    A label of vertices that does not occur is a column of zeros; one that the model never saw is
    left out. Any other feature has to be there; categories are the model's own affair.
    """
    flat = graphs.flat
    if flat.feature_names == tuple(names) or flat.categories:
        return graphs
    there = {name: place for place, name in enumerate(flat.feature_names or ())}
    for name in names:
        if name not in there and "=" not in name:
            raise UserError(f"{where}: no feature {name!r}; the model needs it")
    features = sparse.csc_array(flat.features, dtype=np.float32)
    empty = sparse.csc_array((flat.n_vertices, 1), dtype=np.float32)
    columns = [features[:, [there[name]]] if name in there else empty for name in names]
    return Graphs.from_flat(
        vertex_ptr=flat.vertex_ptr,
        edges=flat.edges,
        edge_ptr=flat.edge_ptr,
        directed=flat.directed,
        features=sparse.csr_array(sparse.hstack(columns)) if names else None,
        feature_names=list(names) or None,
        edge_weights=flat.edge_weights,
        edge_types=None if flat.edge_types is None else _type_of_each(flat),
        edge_features=flat.edge_features,
        edge_feature_names=flat.edge_feature_names or None,
    )


def with_columns(graphs: Graphs, kept: list[str], columns: dict[str, Any]) -> Graphs:
    """The graphs with some of their features, and with columns of one value a graph.

    The value of a graph stands at each of its vertices.
    """
    flat = graphs.flat
    names = list(flat.feature_names or ())
    if kept == names and not columns:
        return graphs
    places = [names.index(name) for name in kept]
    features = [np.asarray(dense(flat.features))[:, places]]
    categories = {
        new: flat.categories[old] for new, old in enumerate(places) if old in flat.categories
    }
    sizes = np.diff(flat.vertex_ptr)
    for place, values in enumerate(columns.values(), len(kept)):
        numbers = values
        if hasattr(values, "categories"):
            categories[place] = tuple(values.categories)
            numbers = np.where(values.codes < 0, np.nan, values.codes)
        features.append(np.repeat(np.asarray(numbers, dtype=np.float64), sizes)[:, None])
    return Graphs.from_flat(
        vertex_ptr=flat.vertex_ptr,
        edges=flat.edges,
        edge_ptr=flat.edge_ptr,
        directed=flat.directed,
        features=np.hstack(features),
        feature_names=[*kept, *columns],
        categories=categories,
        edge_weights=flat.edge_weights,
        edge_types=None if flat.edge_types is None else _type_of_each(flat),
        edge_features=flat.edge_features,
        edge_feature_names=flat.edge_feature_names or None,
        vertex_names=None if flat.vertex_names is None else list(flat.vertex_names),
    )


def _type_of_each(flat: FlatGraphs) -> list:
    return [flat.edge_type_names[code] for code in flat.edge_types]  # type: ignore[union-attr]
