"""Parse the files of the Geom-GCN repository: tab-separated text and masks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from graphtrees.datasets.archives import read_npz
from graphtrees.datasets.tables import read_integers

MASKS = ("train_mask", "val_mask", "test_mask")


def read_geom_gcn_text(
    edges: Path, vertices: Path, splits: Sequence[Path], listed: int | None
) -> dict[str, np.ndarray]:
    """The arrays of a packed data set.

    A vertex's features are 0/1 values; where `listed` is a number, they are the positions of the
    ones among that many.
    """
    features, y = _vertices(vertices, listed)
    masks = [read_npz(path, *MASKS) for path in splits]
    for path, mask in zip(splits, masks, strict=True):
        if any(mask[name].shape != y.shape for name in MASKS):
            raise ValueError(f"{path}: its masks are not for {len(y)} vertices")
    return {
        **{name: np.array([mask[name] for mask in masks], dtype=bool) for name in MASKS},
        "x_data": features.data,
        "x_indices": features.indices,
        "x_indptr": features.indptr,
        "x_shape": np.array(features.shape),
        "y": y,
        "edge_index": _edges(edges),
    }


def _edges(path: Path) -> np.ndarray:
    """(2, n_edges); the first line is a heading."""
    _, _, body = path.read_bytes().partition(b"\n")
    return read_integers(body.replace(b"\t", b","), str(path), 2).T


def _vertices(path: Path, listed: int | None) -> tuple[sp.csr_array, np.ndarray]:
    """Features and classes by vertex number; lines are `number, features, class`."""
    vertices: dict[int, tuple[np.ndarray, int]] = {}
    for line, text in enumerate(path.read_text(encoding="utf-8").splitlines()[1:], start=2):
        try:
            number, values, label = text.split("\t")
            vertices[int(number)] = (np.array(values.split(","), dtype=np.int64), int(label))
        except ValueError as error:
            raise ValueError(
                f"{path}: line {line} should be number, features, class ({error})"
            ) from error
    if sorted(vertices) != list(range(len(vertices))):
        raise ValueError(f"{path}: vertices should be numbered from 0 to {len(vertices) - 1}")
    ordered = [vertices[number] for number in range(len(vertices))]
    features = _matrix([values for values, _ in ordered], listed, path)
    return features, np.array([label for _, label in ordered], dtype=np.int64)


def _matrix(rows: list[np.ndarray], listed: int | None, path: Path) -> sp.csr_array:
    n_features = listed if listed is not None else max((len(row) for row in rows), default=0)
    if listed is None:
        if any(len(row) != n_features for row in rows):
            raise ValueError(f"{path}: vertices have different numbers of features")
        rows = [np.flatnonzero(row) for row in rows]
    indices = np.concatenate([np.unique(row) for row in rows]) if rows else np.zeros(0, np.int64)
    if len(indices) and not 0 <= indices.min() <= indices.max() < n_features:
        raise ValueError(f"{path}: a vertex names a feature outside the {n_features}")
    indptr = np.concatenate([[0], np.cumsum([len(np.unique(row)) for row in rows])])
    data = np.ones(len(indices), np.float32)
    return sp.csr_array((data, indices, indptr), shape=(len(rows), n_features))
