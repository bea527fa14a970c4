"""Tasks on the vertices of one graph, packed as arrays in an ``.npz`` file.

Features are dense ``x`` or the CSR parts ``x_data``, ``x_indices``, ``x_indptr``, ``x_shape``;
``edge_index`` is (2, n_edges); ``y`` has a target for each vertex.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import Bunch

from graphtrees.datasets.archives import damaged, read_npz, require
from graphtrees.datasets.bunches import Split, bunch
from graphtrees.graphs import Graphs
from graphtrees.graphs.validation.sparse import check_sparse

CSR = ("x_data", "x_indices", "x_indptr", "x_shape")

Arrays = Mapping[str, np.ndarray]


def read_packed(path: Path, *required: str) -> dict[str, np.ndarray]:
    """The checked arrays of a packed vertex task."""
    return check_packed(path, read_npz(path, *required))


def check_packed(path: Path, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Check that the arrays describe a vertex task, and return them."""
    require(path, arrays, "edge_index", "y", *(() if "x" in arrays else CSR))
    for name in ("x",) if "x" in arrays else CSR:
        if arrays[name].dtype.kind not in "biuf":
            raise damaged(path, f"{name} holds {arrays[name].dtype}, not numbers")
        if name in CSR[1:] and arrays[name].dtype.kind not in "iu":
            raise damaged(path, f"{name} holds {arrays[name].dtype}, not integers")
    for name in ("y",) if "x" in arrays else ("y", *CSR):
        if arrays[name].ndim == 0:
            raise damaged(path, f"{name} is one number, not a list of them")
    edges = arrays["edge_index"]
    if edges.ndim != 2 or edges.shape[0] != 2 or edges.dtype.kind not in "iu":
        raise damaged(path, f"edge_index is {edges.dtype} {edges.shape}, not integers (2, n_edges)")
    try:
        packed_features(arrays)
    except ValueError as error:
        raise damaged(path, str(error)) from error
    return arrays


def classes_of(name: str, y: np.ndarray) -> np.ndarray:
    """Targets that are classes, as integers."""
    if y.dtype.kind not in "biu":
        raise ValueError(f"{name}: y holds {y.dtype}, not integers")
    return y.astype(np.int64)


def packed_features(arrays: Arrays) -> np.ndarray | sp.csr_array:
    """The features as float32, dense or sparse as they are packed."""
    if "x" in arrays:
        return np.asarray(arrays["x"], dtype=np.float32)
    data, indices, indptr, shape = (arrays[name] for name in CSR)
    matrix = sp.csr_array(
        (data.astype(np.float32), indices.astype(np.int64), indptr.astype(np.int64)),
        shape=tuple(shape.tolist()),
    )
    check_sparse(matrix, "features")
    return matrix


def vertex_bunch(
    name: str,
    features: np.ndarray | sp.csr_array,
    edges: np.ndarray,
    y: np.ndarray,
    splits: list[Split],
    description: str,
    *,
    directed: bool = False,
    feature_names: list[str] | None = None,
    categories: Mapping[int, Any] | None = None,
    edge_types: np.ndarray | None = None,
    **more: Any,
) -> Bunch:
    """The bunch of a task on the vertices of one graph; `edges` is (2, n_edges)."""
    if len(y) != features.shape[0]:
        raise ValueError(f"{name}: {len(y)} targets for {features.shape[0]} vertices")
    graphs = Graphs.from_flat(
        vertex_ptr=np.array([0, features.shape[0]]),
        edge_ptr=np.array([0, edges.shape[1]]),
        edges=edges,
        directed=directed,
        features=features,
        feature_names=feature_names,
        categories=categories,
        edge_types=edge_types,
    )
    return bunch(
        name,
        graphs.vertices,
        y,
        splits,
        description,
        graph=graphs[0],
        feature_names=feature_names,
        **more,
    )


def distinct(edges: np.ndarray, directed: bool) -> np.ndarray:
    """Edges (2, n_edges) without repeats, in order; undirected, (3, 1) repeats (1, 3)."""
    source, target = edges.astype(np.int64) if directed else np.sort(edges.astype(np.int64), axis=0)
    n_vertices = int(edges.max(initial=-1)) + 1
    _, first = np.unique(source * n_vertices + target, return_index=True)
    return edges[:, np.sort(first)]


def text_list(array: np.ndarray) -> list[str]:
    """Names stored as an array, as plain strings."""
    return [str(item) for item in array.tolist()]
