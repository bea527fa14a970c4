"""Graphs held as tensors (PyTorch Geometric, DGL): edges one way each, features in matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphtrees._layout import OFFSET
from graphtrees.graphs.collection import Graphs
from graphtrees.graphs.convert._many import convert_each
from graphtrees.graphs.direction import is_symmetric
from graphtrees.graphs.graph import Graph
from graphtrees.graphs.labels import encode
from graphtrees.graphs.validation import Attributes, build_graphs


@dataclass(frozen=True)
class Arrays:
    """One graph as arrays; every edge goes one way."""

    n_vertices: int
    edges: np.ndarray  # (2, E)
    features: Any = None
    weights: np.ndarray | None = None
    types: np.ndarray | None = None
    edge_features: np.ndarray | None = None
    feature_names: Sequence[str] | None = None
    edge_feature_names: Sequence[str] | None = None
    vertex_names: Sequence[Any] | None = None
    categories: dict[int, tuple] = field(default_factory=dict)


def assemble(items: list[Arrays], directed: bool | None, single: bool) -> Graph | Graphs:
    """One `Graph` for a single item, else `Graphs`; undirected if every edge has its reverse."""
    if directed is None:
        directed = not all(_is_symmetric(item) for item in items)

    def build(item: Arrays) -> Graph:
        return _build(item if directed else _each_edge_once(item), directed)

    return build(items[0]) if single else Graphs(convert_each(items, build))


def _build(item: Arrays, directed: bool) -> Graph:
    given = Attributes(
        features=item.features,
        feature_names=item.feature_names,
        categories=item.categories,
        edge_weights=item.weights,
        edge_types=item.types,
        edge_features=item.edge_features,
        edge_feature_names=item.edge_feature_names,
        vertex_names=item.vertex_names,
    )
    vertex_ptr = np.array([0, item.n_vertices], OFFSET)
    edge_ptr = np.array([0, item.edges.shape[1]], OFFSET)
    return Graph._of(build_graphs(vertex_ptr, edge_ptr, item.edges, directed, given, None))


def _is_symmetric(item: Arrays) -> bool:
    """Whether every edge has its reverse, as often and with the same weight, type and features."""
    source, target = item.edges
    if item.edges.min(initial=0) < 0:
        return False  # validation says what is wrong with it
    features = [] if item.edge_features is None else list(item.edge_features.T)
    types = None if item.types is None else encode(item.types)[0]
    return is_symmetric(source, target, [item.weights, types, *features])


def _each_edge_once(item: Arrays) -> Arrays:
    """Of the two directions of an edge keep the one from the smaller vertex number."""
    if not _is_symmetric(item):
        raise ValueError(
            "directed=False, but not every edge has its reverse (with the same weight and type)"
        )
    once = item.edges[0] <= item.edges[1]
    return replace(
        item,
        edges=item.edges[:, once],
        weights=None if item.weights is None else item.weights[once],
        types=None if item.types is None else item.types[once],
        edge_features=None if item.edge_features is None else item.edge_features[once],
    )


def to_numpy(tensor: Any) -> np.ndarray:
    """A tensor's values as an array, wherever it lives."""
    tensor = tensor.detach().cpu()
    if str(tensor.dtype) == "torch.bfloat16":
        tensor = tensor.float()
    return tensor.numpy()


def to_matrix(tensor: Any) -> np.ndarray | sp.csr_array:
    """A tensor with one row each; one number each becomes one column, sparse stays sparse."""
    if str(tensor.layout) != "torch.strided":
        entries = tensor.detach().cpu().to_sparse_coo().coalesce()
        values, (rows, columns) = to_numpy(entries.values()), entries.indices().numpy()
        return sp.csr_array(sp.coo_array((values, (rows, columns)), shape=tuple(entries.shape)))
    array = to_numpy(tensor)
    return array.reshape(-1, 1) if array.ndim == 1 else array


def stack(matrices: Sequence[np.ndarray | sp.csr_array]) -> np.ndarray | sp.csr_array | None:
    """Matrices side by side: sparse if any is."""
    if len(matrices) <= 1:
        return matrices[0] if matrices else None
    if any(sp.issparse(matrix) for matrix in matrices):
        return sp.csr_array(sp.hstack(matrices, format="csr"))
    return np.concatenate(matrices, axis=1)
