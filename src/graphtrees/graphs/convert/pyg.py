"""From PyTorch Geometric."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphtrees._optional import require
from graphtrees.graphs.collection import Graphs
from graphtrees.graphs.convert._many import one_or_many
from graphtrees.graphs.convert._pyg_examples import vertex_labels, vertex_splits, vertex_stores
from graphtrees.graphs.convert._relational import Relation, Relational, lay_out, places_of
from graphtrees.graphs.convert._tensors import Arrays, assemble, stack, to_matrix, to_numpy
from graphtrees.graphs.examples import Vertices
from graphtrees.graphs.graph import Graph
from graphtrees.graphs.labels import object_array
from graphtrees.graphs.validation.keywords import suggests_keywords
from graphtrees.graphs.validation.where import kind_of

WANTED = "from_pyg reads Data, HeteroData and Batch"


@suggests_keywords
def from_pyg(
    data: Any,
    features: str | Sequence[str] = "x",
    *,
    directed: bool | None = None,
    feature_names: Sequence[str] | None = None,
    vertices: str | bool = False,
    return_y: bool = False,
    return_splits: bool = False,
) -> Any:
    """Read PyTorch Geometric data.

    `edge_weight`, `edge_type` and `edge_attr` become edge weights, types and features. A
    `HeteroData` becomes one directed graph: the type of a vertex is the categorical feature
    ``kind``, every vertex type has columns of its own (``user.0``) that the others miss, and the
    relations (``"user likes film"``) are the edge types.

    Parameters
    ----------
    data : Data or HeteroData; or Batch, Dataset, DataLoader or any iterable of them
        One gives a `Graph`, several give `Graphs`.
    features : str or list of str, default="x"
        The vertex attributes to use, side by side. Data without `x` has no features.
    directed : bool, optional
        Default: undirected if every edge is there in both directions, with the same attributes.
    feature_names : sequence of str, optional
        What to call the columns of the features.
    vertices : str or bool, default=False
        Whether vertices are the examples: True, or of `HeteroData` the type of those that are,
        such as ``"paper"``. Then `Vertices` are returned, in the order of that type.
    return_y : bool, default=False
        Whether to return the labels ``y`` of the data, too: with `vertices` one for each of them;
        else those of many graphs one after another, those of one graph as they are.
    return_splits : bool, default=False
        Whether to return the splits of the `vertices` that ``train_mask``, ``val_mask`` and
        ``test_mask`` tell: a list of dicts of index arrays ``train``, ``validation``, ``test``, one
        for each column of the masks, as of the data sets in `graphtrees.datasets`.

    Returns
    -------
    Graph or Graphs, or Vertices; with `return_y` also an array of labels, with `return_splits` also
    a list of splits.

    Examples
    --------
    >>> from graphtrees.graphs import Graph, from_pyg
    >>> data = Graph([[1.0], [2.0], [3.0]], [(0, 1), (1, 2)]).to_pyg()
    >>> data.edge_index
    tensor([[0, 1, 1, 2],
            [1, 2, 0, 1]])
    >>> from_pyg(data)
    Graph(n_vertices=3, n_edges=2, n_features=1)
    """
    pyg = require("torch_geometric.data", extra="pyg", purpose="from_pyg")
    items, single = _items(data, pyg)
    keys = (features,) if isinstance(features, str) else tuple(features)
    is_typed = bool(items) and all(isinstance(item, pyg.HeteroData) for item in items)
    stores = None if vertices is False else vertex_stores(items, vertices, is_typed)
    if is_typed:
        typed = [_read_hetero(item, keys) for item in items]
        graphs = _from_hetero(typed, directed, feature_names, single)
    else:
        for item in items:
            if not isinstance(item, pyg.Data):
                raise TypeError(f"{WANTED}; got {kind_of(item)}")
        graphs = assemble([_read(item, keys, feature_names) for item in items], directed, single)
    if stores is None:
        if return_splits:
            raise ValueError("return_splits=True is for vertices: say which, by vertices=...")
        return (graphs, _labels(items, single)) if return_y else graphs
    places = places_of(typed, vertices) if isinstance(vertices, str) else None
    X, counts = _vertices(graphs, places)
    y = [vertex_labels(stores, counts, single)] if return_y else []
    splits = [vertex_splits(stores, counts, single)] if return_splits else []
    return (X, *y, *splits) if y or splits else X


def _vertices(graphs: Graph | Graphs, places: list[np.ndarray] | None) -> tuple[Vertices, list]:
    """The vertices that are examples, and how many of them each graph has."""
    many = graphs if isinstance(graphs, Graphs) else Graphs([graphs])
    if places is None:
        return many.vertices, np.diff(many.flat.vertex_ptr).tolist()
    counts = [len(one) for one in places]
    graph_of = np.repeat(np.arange(len(counts)), counts)
    return Vertices(many, graph_of, np.concatenate(places)), counts


def _items(data: Any, pyg: Any) -> tuple[list, bool]:
    """Single graphs, those of batches among them."""
    if isinstance(data, pyg.Batch):
        return data.to_data_list(), False
    if isinstance(data, pyg.Dataset):
        return [data[place] for place in range(len(data))], False
    items, single = one_or_many(data, (pyg.Data, pyg.HeteroData), WANTED)
    parts = [item.to_data_list() if isinstance(item, pyg.Batch) else [item] for item in items]
    return [item for part in parts for item in part], single


def _labels(items: list, single: bool) -> np.ndarray:
    """The labels of all graphs; a graph's single label is one entry, not an array of one."""
    labels = []
    for place, item in enumerate(items):
        if getattr(item, "y", None) is None:
            which = "the data" if single else f"graph {place}"
            kinds = [kind for kind in getattr(item, "node_types", ()) if "y" in item[kind]]
            advice = f"; vertices={kinds[0]!r} has: give it" if kinds else ""
            raise ValueError(f"return_y=True, but {which} has no y{advice}")
        y = to_numpy(item.y)
        labels.append(y if single or y.ndim else y[None])
    return labels[0] if single else np.concatenate(labels) if labels else np.zeros(0)


def _read(data: Any, keys: tuple[str, ...], feature_names: Sequence[str] | None) -> Arrays:
    features = _features(data, keys)
    edge_types = data.get("edge_type")
    names = data.get("edge_type_names")
    codes = None if edge_types is None else to_numpy(edge_types)
    return Arrays(
        n_vertices=_n_vertices(data, features),
        edges=_edge_index(data),
        features=features,
        weights=_optional(data, "edge_weight", to_numpy),
        types=codes if names is None or codes is None else object_array(names)[codes],
        edge_features=_optional(data, "edge_attr", to_matrix),
        feature_names=feature_names or data.get("feature_names"),
        edge_feature_names=data.get("edge_attr_names"),
        vertex_names=data.get("vertex_names"),
        categories=data.get("categories") or {},
    )


def _from_hetero(read, directed, feature_names, single) -> Graph | Graphs:
    if directed is False or feature_names is not None:
        raise ValueError("HeteroData gives a directed graph whose features are named by type")
    return assemble(lay_out(read), True, single)


def _read_hetero(data: Any, keys: tuple[str, ...]) -> Relational:
    features = {kind: _features(data[kind], keys) for kind in data.node_types}
    relations = {
        triple: Relation(
            _edge_index(data[triple]),
            _optional(data[triple], "edge_weight", to_numpy),
            _optional(data[triple], "edge_attr", to_matrix),
        )
        for triple in data.edge_types
    }
    counts = {kind: _n_vertices(data[kind], features[kind]) for kind in data.node_types}
    return Relational(_room_for_ends(counts, features, relations), features, relations)


def _room_for_ends(counts, features, relations) -> dict[str, int]:
    """A kind that says nothing of its size has as many vertices as its edges name."""
    counts = dict(counts)
    for (source, _, target), relation in relations.items():
        for kind, ends in ((source, relation.edges[0]), (target, relation.edges[1])):
            if features.get(kind) is None and ends.size:
                counts[kind] = max(counts.get(kind, 0), int(ends.max()) + 1)
    return counts


def _features(data: Any, keys: tuple[str, ...]) -> Any:
    matrices = []
    for key in keys:
        value = getattr(data, key, None) if key in data else None
        if value is not None:
            matrices.append(to_matrix(value))
        elif keys != ("x",):
            raise ValueError(f"the data has no vertex attribute {key!r}")
    return stack(matrices)


def _optional(data: Any, key: str, convert: Any) -> Any:
    value = getattr(data, key, None) if key in data else None
    return None if value is None else convert(value)


def _edge_index(data: Any) -> np.ndarray:
    if "edge_index" in data and data.edge_index is not None:
        return to_numpy(data.edge_index)
    if "adj_t" in data:
        raise ValueError("the data holds its edges as adj_t; from_pyg reads edge_index")
    return np.zeros((2, 0), np.int64)


def _n_vertices(data: Any, features: Any) -> int:
    if features is not None:
        return int(features.shape[0])
    with warnings.catch_warnings():
        # PyG warns where it has to count vertices by their edges; so does our own counting.
        warnings.simplefilter("ignore")
        return int(data.num_nodes or 0)
