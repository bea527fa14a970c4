"""Select, order and add features of a collection."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from graphtrees._optional import require
from graphtrees.cli.errors import UserError
from graphtrees.graphs import Graphs
from graphtrees.graphs.flat import dense


def with_features(graphs: Graphs, names: tuple[str, ...], where: str) -> Graphs:
    """The same graphs with the features that a model knows, in its order.

    A label of vertices that does not occur is a column of zeros; one that the model never saw is
    left out. Any other feature has to be there. The model itself matches categories.
    """
    flat = graphs.flat
    if flat.feature_names == tuple(names) or flat.categories:
        return graphs
    column_of = {name: column for column, name in enumerate(flat.feature_names or ())}
    for name in names:
        if name not in column_of and "=" not in name:
            raise UserError(f"{where}: no feature {name!r}; the model needs it")
    features = sparse.csc_array(flat.features, dtype=np.float64)
    empty = sparse.csc_array((flat.n_vertices, 1), dtype=np.float64)
    columns = [features[:, [column_of[name]]] if name in column_of else empty for name in names]
    edge_types = None
    if flat.edge_types is not None:
        edge_types = [flat.edge_type_names[code] for code in flat.edge_types]
    return Graphs.from_flat(
        vertex_ptr=flat.vertex_ptr,
        edges=flat.edges,
        edge_ptr=flat.edge_ptr,
        directed=flat.directed,
        features=sparse.csr_array(sparse.hstack(columns)) if names else None,
        feature_names=list(names) or None,
        edge_weights=flat.edge_weights,
        edge_types=edge_types,
        edge_features=flat.edge_features,
        edge_feature_names=flat.edge_feature_names or None,
    )


def with_columns(graphs: Graphs, kept: list[str], columns: dict[str, Any]) -> Graphs:
    """The graphs with some of their vertex features, and with columns as graph features."""
    flat = graphs.flat
    names = list(flat.feature_names or ())
    if kept != names:
        places = [names.index(name) for name in kept]
        labels = {k: flat.categories[p] for k, p in enumerate(places) if p in flat.categories}
        values = np.asarray(dense(flat.features))[:, places]
        flat = replace(flat, features=values, feature_names=tuple(kept), categories=labels)
    pandas = require("pandas", extra="pandas", purpose="reading tables")
    return Graphs(Graphs._of(flat), graph_features=pandas.DataFrame(columns) if columns else None)
