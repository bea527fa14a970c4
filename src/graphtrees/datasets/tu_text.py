"""Parse the TU text layout: files of graphs, vertices and edges, a line each, numbered from 1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from graphtrees.datasets.archives import Collection
from graphtrees.datasets.tables import Tables, as_features
from graphtrees.datasets.tu_readme import atom_names, bond_names, bonds_in, elements_in, readme_of
from graphtrees.graphs.flat import starts_of

# One-hot labels of more entries than this stay sparse (DD: 334,925 vertices x 82 labels).
LARGEST_DENSE = 1 << 24


@dataclass(frozen=True)
class TUText:
    """The content of the files of a collection."""

    flat: dict[str, Any]  # the arguments of Graphs.from_flat
    y: np.ndarray
    graph_attributes: np.ndarray | None  # numbers per graph, where there are labels besides


def read_tu_text(collection: Collection, name: str) -> TUText:
    """All graphs of the collection, side by side."""
    tables = Tables(collection, f"{name}_{{}}.txt")
    graph_of, n_graphs, order = _vertices(tables)
    y, graph_attributes = _targets(tables, n_graphs)
    features, feature_names = _features(tables, order)
    edges = _without_repeats(_read_edges(tables, graph_of, order))
    vertex_ptr = starts_of(np.bincount(graph_of, minlength=n_graphs))
    readme = readme_of(collection, name) or ""
    flat = {
        "vertex_ptr": vertex_ptr,
        "edge_ptr": starts_of(np.bincount(edges.graph_of, minlength=n_graphs)),
        "edges": edges.ends.T - vertex_ptr[edges.graph_of],
        "directed": edges.directed,
        "features": features,
        "feature_names": feature_names,
        "vertex_names": _names(tables, readme, order, vertex_ptr[graph_of]),
        "edge_types": bond_names(edges.types, bonds_in(readme)),
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
        blocks.append(as_features(attributes, tables.file("node_attributes"))[order])
        names += _numbered("attribute", attributes) or []
    if not names:
        return None, None
    if any(sp.issparse(block) for block in blocks):
        return sp.csr_array(sp.hstack(blocks, format="csr")), names
    return np.hstack(blocks), names


def _names(tables: Tables, readme: str, order: np.ndarray, first: np.ndarray) -> np.ndarray | None:
    """Atoms by their elements, where the README lists them."""
    elements = elements_in(readme)
    labels = tables.optional("node_labels", len(order), "vertices") if elements else None
    return None if labels is None else atom_names(labels[order], elements, first)


def _one_hot(codes: np.ndarray, n_kinds: int) -> np.ndarray | sp.csr_array:
    n_rows = len(codes)
    ones = np.ones(n_rows, np.float32)
    matrix = sp.csr_array((ones, codes, np.arange(n_rows + 1)), shape=(n_rows, n_kinds))
    return matrix.toarray() if n_rows * n_kinds <= LARGEST_DENSE else matrix


def _numbered(word: str, table: np.ndarray | None) -> list[str] | None:
    return None if table is None else [f"{word}_{i}" for i in range(table.shape[1])]


@dataclass(frozen=True)
class _Edges:
    """Edges between vertices numbered from 0 over the whole collection."""

    ends: np.ndarray  # (n_edges, 2)
    graph_of: np.ndarray
    types: np.ndarray | None
    attributes: np.ndarray | None
    directed: bool = True

    def take(self, chosen: np.ndarray) -> _Edges:
        """The chosen edges, in the order asked for."""
        return replace(
            self,
            ends=self.ends[chosen],
            graph_of=self.graph_of[chosen],
            types=None if self.types is None else self.types[chosen],
            attributes=None if self.attributes is None else self.attributes[chosen],
        )


def _read_edges(tables: Tables, graph_of: np.ndarray, order: np.ndarray) -> _Edges:
    """All lines of the ``_A`` file, with vertices renumbered as `order` puts them."""
    ends = tables.integers("A", 2) - 1
    outside = (ends.min(axis=1) < 0) | (ends.max(axis=1) >= len(order))
    _refuse(outside, tables.file("A"), ends, f"but there are {len(order)} vertices")
    ends = np.argsort(order)[ends]
    graphs = graph_of[ends]
    _refuse(graphs[:, 0] != graphs[:, 1], tables.file("A"), order[ends], "of two graphs")
    types = tables.optional("edge_labels", len(ends), "edges")
    attributes = tables.optional("edge_attributes", len(ends), "edges")
    return _Edges(ends, graphs[:, 0], _as_types(types), attributes)


def _refuse(wrong: np.ndarray, file: str, ends: np.ndarray, why: str) -> None:
    if wrong.any():
        line = int(np.argmax(wrong))
        source, target = (ends[line] + 1).tolist()
        raise ValueError(f"{file}: line {line + 1} joins vertices {source} and {target}, {why}")


def _as_types(labels: np.ndarray | None) -> np.ndarray | None:
    """One label per edge; several columns of them are joined, as in ``"0,2"``."""
    if labels is None or len(labels) == 0:
        return None
    if labels.shape[1] == 1:
        return labels[:, 0]
    return np.array([",".join(map(str, row)) for row in labels.tolist()])


def _without_repeats(edges: _Edges) -> _Edges:
    """Drop repeated lines and, if every edge is listed both ways, its second direction.

    A type or attribute that differs between the two directions keeps the edges directed.
    """
    codes, n_types = np.zeros(len(edges.ends), np.int64), 1
    if edges.types is not None:
        labels, codes = np.unique(edges.types, return_inverse=True)
        n_types = max(len(labels), 1)
    n_vertices = int(edges.ends.max(initial=-1)) + 1
    source, target = edges.ends.T
    forward = (source * n_vertices + target) * n_types + codes
    backward = (target * n_vertices + source) * n_types + codes
    keys, first = np.unique(forward, return_index=True)
    symmetric = np.array_equal(np.sort(backward[first]), keys)
    if symmetric and edges.attributes is not None:
        partner = first[np.searchsorted(keys, backward[first])]
        here, there = edges.attributes[first], edges.attributes[partner]
        symmetric = np.array_equal(here, there, equal_nan=True)
    if symmetric:
        first = first[source[first] <= target[first]]
    kept = first[np.lexsort((first, edges.graph_of[first]))]  # graph by graph, else as listed
    return replace(edges.take(kept), directed=not symmetric)
