"""Vertices of PyTorch Geometric data as examples, with their labels and splits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphtrees.graphs.convert._tensors import to_numpy

# Mask of PyG -> part of a split.
MASKS = {"train_mask": "train", "val_mask": "validation", "test_mask": "test"}


def vertex_stores(items: list, vertices: str | bool, is_typed: bool) -> list:
    """Where each graph keeps what its examples have: itself, or the store of one vertex type."""
    if not is_typed:
        if isinstance(vertices, str):
            raise ValueError(
                f"vertices={vertices!r} names a vertex type; Data has only one: vertices=True"
            )
        return items
    known = sorted({kind for item in items for kind in item.node_types})
    if not isinstance(vertices, str) or vertices not in known:
        listed = ", ".join(map(repr, known)) or "none"
        raise ValueError(
            f"vertices must be one of the vertex types ({listed}) of HeteroData; got {vertices!r}"
        )
    return [item[vertices] if vertices in item.node_types else None for item in items]


def vertex_labels(stores: list, counts: Sequence[int], single: bool) -> np.ndarray:
    """The labels of all examples, one row each."""
    columns, lacking = _columns(stores, "y", counts, single)
    if lacking:
        raise ValueError(f"return_y=True, but {lacking[0]} has no y for these vertices")
    return np.concatenate(columns) if columns else np.zeros(0)


def vertex_splits(stores: list, counts: Sequence[int], single: bool) -> list[dict[str, np.ndarray]]:
    """Positions of the examples of every part, for each column of the masks."""
    parts: dict[str, np.ndarray] = {}
    for name, part in MASKS.items():
        masks, lacking = _columns(stores, name, counts, single)
        if masks and lacking:
            raise ValueError(f"{lacking[0]} has no {name} for these vertices; others have one")
        if masks:
            parts[part] = _two_dimensional(np.concatenate(masks)).astype(bool)
    if not parts:
        raise ValueError(f"return_splits=True, but these vertices have none of {', '.join(MASKS)}")
    n_splits = {mask.shape[1] for mask in parts.values()}
    if len(n_splits) > 1:
        raise ValueError(f"the masks have different numbers of columns: {sorted(n_splits)}")
    return [
        {part: np.flatnonzero(mask[:, k]) for part, mask in parts.items()}
        for k in range(n_splits.pop())
    ]


def _columns(
    stores: list, name: str, counts: Sequence[int], single: bool
) -> tuple[list[np.ndarray], list[str]]:
    """An attribute of the vertices of each graph that has any, and the graphs that lack it."""
    columns, lacking = [], []
    for place, (store, n) in enumerate(zip(stores, counts, strict=True)):
        which = "the data" if single else f"graph {place}"
        value = getattr(store, name, None) if n and name in store else None
        if value is not None:
            columns.append(_rows(to_numpy(value), n, f"{which}: {name}"))
        elif n:
            lacking.append(which)
    return columns, lacking


def _rows(array: np.ndarray, n: int, what: str) -> np.ndarray:
    """One row for each of n vertices; a single column as one dimension."""
    if array.ndim == 0 or len(array) != n:
        raise ValueError(f"{what} has shape {array.shape}; there are {n} vertices")
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def _two_dimensional(mask: np.ndarray) -> np.ndarray:
    return mask[:, None] if mask.ndim == 1 else mask
