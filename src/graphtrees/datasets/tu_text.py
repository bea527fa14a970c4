"""Parse the TU text layout: one file per kind of thing, one line per thing, numbered from 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphtrees.datasets.archives import Collection
from graphtrees.datasets.tables import Tables
from graphtrees.datasets.tu_atoms import atom_names, elements_in
from graphtrees.datasets.tu_bonds import bond_names, bonds_in
from graphtrees.datasets.tu_edges import once_each, read_edges
from graphtrees.datasets.tu_notes import readme_of

# One-hot labels of more entries than this stay sparse (DD: 334,925 vertices x 82 labels).
LARGEST_DENSE = 1 << 24


@dataclass(frozen=True)
class TUText:
    """What the files of a collection say."""

    flat: dict[str, Any]  # the arguments of Graphs.from_flat
    y: np.ndarray
    graph_attributes: np.ndarray | None  # numbers per graph, where there are labels besides


def read_tu_text(collection: Collection, name: str) -> TUText:
    """All graphs of the collection, side by side."""
    tables = Tables(collection, f"{name}_{{}}.txt")
    graph_of, n_graphs, order = _vertices(tables)
    y, graph_attributes = _targets(tables, n_graphs)
    features, feature_names = _features(tables, order)
    edges = once_each(read_edges(tables, graph_of, order))
    vertex_ptr = _starts(graph_of, n_graphs)
    notes = readme_of(collection, name) or ""
    flat = {
        "vertex_ptr": vertex_ptr,
        "edge_ptr": _starts(edges.graph_of, n_graphs),
        "edges": edges.ends.T - vertex_ptr[edges.graph_of],
        "directed": edges.directed,
        "features": features,
        "feature_names": feature_names,
        "vertex_names": _names(tables, notes, order, vertex_ptr[graph_of]),
        "edge_types": bond_names(edges.types, bonds_in(notes)),
        "edge_features": edges.attributes,
        "edge_feature_names": _numbered("edge_attribute", edges.attributes),
    }
    return TUText(flat, y, graph_attributes)


def _vertices(tables: Tables) -> tuple[np.ndarray, int, np.ndarray]:
    """The graph of each vertex, how many graphs, and the order that puts graphs side by side."""
    graph_of = tables.integers("graph_indicator", 1)[:, 0] - 1
    if len(graph_of) and graph_of.min() < 0:
        raise ValueError(f"{tables.file('graph_indicator')}: graphs are numbered from 1, not 0")
    n_graphs = int(graph_of.max(initial=-1)) + 1
    # A last graph without vertices is known by its target alone.
    for short in ("graph_labels", "graph_attributes"):
        targets = tables.optional(short)
        n_graphs = max(n_graphs, 0 if targets is None else len(targets))
    order = np.argsort(graph_of, kind="stable")
    return graph_of[order], n_graphs, order


def _targets(tables: Tables, n_graphs: int) -> tuple[np.ndarray, np.ndarray | None]:
    labels = tables.optional("graph_labels", n_graphs, "graphs")
    attributes = tables.optional("graph_attributes", n_graphs, "graphs")
    if labels is not None:
        return _flat_if_single(labels), attributes
    if attributes is not None:
        return _flat_if_single(attributes.astype(np.float64)), None
    raise ValueError(f"{tables.collection.path} has no file {tables.file('graph_labels')}")


def _flat_if_single(table: np.ndarray) -> np.ndarray:
    return table if table.shape[1] > 1 else table.ravel()


def _features(
    tables: Tables, order: np.ndarray
) -> tuple[np.ndarray | sp.csr_array | None, list[str] | None]:
    """One-hot labels, then attributes; None and None without either."""
    labels = tables.optional("node_labels", len(order), "vertices")
    attributes = tables.optional("node_attributes", len(order), "vertices")
    blocks: list[np.ndarray | sp.csr_array] = []
    names: list[str] = []
    if labels is not None:
        for column, values in enumerate(labels[order].T):
            prefix = "label" if labels.shape[1] == 1 else f"label_{column}"
            kinds, codes = np.unique(values, return_inverse=True)
            blocks.append(_one_hot(codes, len(kinds)))
            names += [f"{prefix}={kind}" for kind in kinds.tolist()]
    if attributes is not None:
        blocks.append(attributes[order].astype(np.float32))
        names += _numbered("attribute", attributes) or []
    if not names:
        return None, None
    if any(sp.issparse(block) for block in blocks):
        return sp.csr_array(sp.hstack(blocks, format="csr")), names
    return np.hstack(blocks), names


def _names(tables: Tables, notes: str, order: np.ndarray, first: np.ndarray) -> np.ndarray | None:
    """Atoms by their elements, where the notes of the collection tell them."""
    elements = elements_in(notes)
    labels = tables.optional("node_labels", len(order), "vertices") if elements else None
    return None if labels is None else atom_names(labels[order], elements, first)


def _one_hot(codes: np.ndarray, n_kinds: int) -> np.ndarray | sp.csr_array:
    n_rows = len(codes)
    ones = np.ones(n_rows, np.float32)
    matrix = sp.csr_array((ones, codes, np.arange(n_rows + 1)), shape=(n_rows, n_kinds))
    return matrix.toarray() if n_rows * n_kinds <= LARGEST_DENSE else matrix


def _numbered(word: str, table: np.ndarray | None) -> list[str] | None:
    return None if table is None else [f"{word}_{i}" for i in range(table.shape[1])]


def _starts(graph_of: np.ndarray, n_graphs: int) -> np.ndarray:
    counts = np.bincount(graph_of, minlength=n_graphs)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
