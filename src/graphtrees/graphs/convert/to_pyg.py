"""To PyTorch Geometric."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from graphtrees._optional import require
from graphtrees.graphs.graph import Graph


def to_pyg(graph: Graph) -> Any:
    """A PyTorch Geometric `Data`; see `Graph.to_pyg`."""
    torch = require("torch", extra="pyg", purpose="to_pyg")
    pyg = require("torch_geometric.data", extra="pyg", purpose="to_pyg")
    back = np.flatnonzero(graph.edge_index[0] != graph.edge_index[1])
    back = back[:0] if graph.directed else back
    edges = np.concatenate([graph.edge_index, graph.edge_index[::-1, back]], axis=1)
    dtype = graph.features.dtype

    def twice(values: np.ndarray, kind: Any = dtype) -> Any:
        return torch.from_numpy(np.concatenate([values, values[back]]).astype(kind))

    data = pyg.Data(edge_index=torch.from_numpy(edges.copy()), num_nodes=graph.n_vertices)
    if graph.n_features:
        data.x = _tensor(torch, graph.features)
    if graph.edge_weights is not None:
        data.edge_weight = twice(graph.edge_weights)
    if graph.flat.edge_types is not None:
        data.edge_type = twice(graph.flat.edge_types, np.int64)
        data.edge_type_names = list(graph.flat.edge_type_names)
    if graph.edge_features is not None:
        data.edge_attr = twice(graph.edge_features)
        data.edge_attr_names = list(graph.edge_feature_names)
    _add_names(data, graph)
    return data


def _add_names(data: Any, graph: Graph) -> None:
    if graph.feature_names is not None:
        data.feature_names = list(graph.feature_names)
    if graph.categories:
        data.categories = graph.categories
    if graph.vertex_names is not None:
        data.vertex_names = list(graph.vertex_names)


def _tensor(torch: Any, features: Any) -> Any:
    if not sp.issparse(features):
        return torch.from_numpy(features.copy())
    entries = sp.coo_array(features)
    places = torch.from_numpy(np.array([entries.row, entries.col]))
    values = torch.from_numpy(entries.data.copy())
    # PyTorch 2.11 and 2.12 ignore the argument check_invariants and warn that checks are off.
    with torch.sparse.check_sparse_tensor_invariants(enable=True):
        return torch.sparse_coo_tensor(places, values, entries.shape)
