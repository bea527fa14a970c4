"""Parse the CSV layout of the Open Graph Benchmark: gzipped tables in ``raw`` and ``split``."""

from __future__ import annotations

import numpy as np

from graphtrees.datasets.archives import Collection
from graphtrees.datasets.tables import Tables
from graphtrees.graphs.flat import starts_of

# File name -> the name of the same part in packed arrays.
PARTS = {"train": "train_idx", "valid": "val_idx", "test": "test_idx"}


def read_ogb_molecules(collection: Collection) -> dict[str, np.ndarray]:
    """A collection of molecules in the arrays of a packed one."""
    raw = Tables(collection, "raw/{}.csv.gz")
    node_ptr = starts_of(raw.integers("num-node-list", 1)[:, 0])
    edge_ptr = starts_of(raw.integers("num-edge-list", 1)[:, 0])
    n_vertices, n_edges = int(node_ptr[-1]), int(edge_ptr[-1])
    y = raw.numbers("graph-label", len(node_ptr) - 1, "graphs")
    return {
        "x": raw.numbers("node-feat", n_vertices, "vertices"),
        "node_ptr": node_ptr,
        "edge_local": _edges(raw, n_edges),
        "edge_attr": raw.numbers("edge-feat", n_edges, "edges"),
        "edge_ptr": edge_ptr,
        "y": y[:, 0] if y.shape[1] == 1 else y,
        **_splits(collection, "scaffold"),
    }


def read_ogb_vertices(collection: Collection, split: str) -> dict[str, np.ndarray]:
    """One graph with a class at each vertex."""
    raw = Tables(collection, "raw/{}.csv.gz")
    n_vertices = int(raw.integers("num-node-list", 1).sum())
    n_edges = int(raw.integers("num-edge-list", 1).sum())
    arrays = {
        "x": raw.numbers("node-feat", n_vertices, "vertices").astype(np.float32),
        "edge_index": _edges(raw, n_edges).T,
        "y": raw.integers("node-label", 1)[:, 0],
        **_splits(collection, split),
    }
    year = raw.optional("node_year", n_vertices, "vertices")
    return arrays if year is None else {**arrays, "year": year[:, 0]}


def _edges(raw: Tables, n_edges: int) -> np.ndarray:
    edges = raw.integers("edge", 2)
    if len(edges) != n_edges:
        raise ValueError(f"{raw.file('edge')} has {len(edges)} lines; there are {n_edges} edges")
    return edges


def _splits(collection: Collection, split: str) -> dict[str, np.ndarray]:
    tables = Tables(collection, f"split/{split}/{{}}.csv.gz")
    return {name: tables.integers(file, 1)[:, 0] for file, name in PARTS.items()}
