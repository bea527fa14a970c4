"""DGL graphs, where DGL can be imported."""

import os
import warnings

import numpy as np
import pytest

from graphtrees.graphs import Graphs, from_dgl

os.environ.setdefault("DGLBACKEND", "pytorch")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch = pytest.importorskip("torch")
    dgl = pytest.importorskip(
        "dgl", reason="DGL has no build for this torch", exc_type=(ImportError, OSError)
    )


def a_dgl_graph():
    g = dgl.graph(([0, 1, 2], [1, 2, 2]), num_nodes=4)
    g.ndata["feat"] = torch.arange(8.0).reshape(4, 2)
    g.ndata["label"] = torch.tensor([0, 1, 0, 1])
    g.edata["w"] = torch.tensor([1.0, 2.0, 3.0])
    g.edata["rel"] = torch.tensor([5, 5, 6])
    return g


def test_edges_features_weights_and_types_are_read():
    g = from_dgl(a_dgl_graph(), weight="w", edge_type="rel", edge_features=["w"])
    assert g.directed
    assert g.edge_index.tolist() == [[0, 1, 2], [1, 2, 2]]
    np.testing.assert_array_equal(g.features, np.arange(8.0).reshape(4, 2))
    assert g.features.dtype == np.float32
    assert g.edge_weights.tolist() == [1, 2, 3]
    assert g.edge_types.tolist() == [5, 5, 6]
    assert g.edge_features.tolist() == [[1], [2], [3]]


def test_edges_in_both_directions_are_one_undirected_edge():
    g = from_dgl(dgl.to_bidirected(dgl.graph(([0, 1], [1, 2]))))
    assert not g.directed
    assert g.edge_index.tolist() == [[0, 1], [1, 2]]


def test_lists_and_batches_give_graphs():
    items = [dgl.graph(([0], [1])), dgl.graph(([], []), num_nodes=3)]
    for many in (items, dgl.batch(items)):
        graphs = from_dgl(many)
        assert isinstance(graphs, Graphs)
        assert [(g.n_vertices, g.n_edges) for g in graphs] == [(2, 1), (3, 0)]


def test_a_typed_graph_is_laid_out_as_one():
    edges = {("u", "likes", "f"): ([0], [1]), ("u", "knows", "u"): ([1], [0])}
    other = dgl.heterograph(edges)
    other.nodes["u"].data["feat"] = torch.tensor([[1.0], [2.0]])
    g = from_dgl(other)
    assert g.feature_names == ("kind", "u.0")
    np.testing.assert_array_equal(g.features, [[0, np.nan], [0, np.nan], [1, 1], [1, 2]])
    assert g.edge_types.tolist() == ["u knows u", "u likes f"]
    assert g.edge_index.tolist() == [[3, 2], [2, 1]]
    with pytest.raises(ValueError, match="several types gives a directed graph"):
        from_dgl(other, directed=False)


def test_data_that_is_not_there_is_named():
    other = a_dgl_graph()
    del other.ndata["feat"]
    with pytest.raises(ValueError, match="there is no data 'feat'; there is: label"):
        from_dgl(other)
    assert from_dgl(other, "label").n_features == 1
    with pytest.raises(ValueError, match="there is no data 'v'; there is: rel, w"):
        from_dgl(a_dgl_graph(), weight="v")
    with pytest.raises(TypeError, match="from_dgl reads DGL graphs; got a str"):
        from_dgl("g")
