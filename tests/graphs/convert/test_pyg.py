"""PyTorch Geometric there and back."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from builders import a_graph, a_path, a_rich_graph
from hypothesis import given, settings
from hypothesis import strategies as st

import graphtrees as gt
from graphtrees.graphs import Graph, Graphs, Vertices, from_pyg

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    torch = pytest.importorskip("torch")
    pyg = pytest.importorskip("torch_geometric.data")


def sorted_edges(g):
    """Edges with their weights, types and features; undirected ends in order."""
    ends = g.edge_index if g.directed else np.sort(g.edge_index, axis=0)
    columns = [ends.T.tolist(), g.edge_weights.tolist(), list(g.edge_types)]
    return sorted(zip(*columns, g.edge_features.tolist(), strict=True))


@settings(deadline=None)
@given(st.integers(0, 1000), st.integers(1, 6))
def test_our_undirected_graph_comes_back_as_it_was(seed, n_vertices):
    g = a_rich_graph(seed, n_vertices)
    again = from_pyg(g.to_pyg())
    np.testing.assert_array_equal(again.features, g.features)
    assert (again.directed, again.feature_names) == (False, g.feature_names)
    assert again.categories == g.categories
    assert again.edge_feature_names == g.edge_feature_names
    assert again.vertex_names.tolist() == g.vertex_names.tolist()
    assert sorted_edges(again) == sorted_edges(g)


@settings(deadline=None)
@given(st.integers(0, 1000))
def test_our_directed_graph_comes_back_in_the_same_order(seed):
    g = a_rich_graph(seed, directed=True)
    again = from_pyg(g.to_pyg(), directed=True)
    for name in ("features", "edge_index", "edge_weights", "edge_types", "edge_features"):
        np.testing.assert_array_equal(getattr(again, name), getattr(g, name))


@settings(deadline=None)
@given(st.integers(0, 1000), st.booleans())
def test_direction_is_what_pyg_says_it_is(seed, directed):
    data = a_graph(4, seed=seed, directed=directed, density=0.7).to_pyg()
    assert from_pyg(data).directed == (not data.is_undirected())


def test_data_keeps_its_types():
    data = pyg.Data(
        x=torch.ones(2, 3),
        edge_index=torch.tensor([[0], [1]]),
        edge_weight=torch.tensor([0.5]),
        edge_attr=torch.tensor([7.0]),
        edge_type=torch.tensor([4]),
    )
    g = from_pyg(data, feature_names=["a", "b", "c"])
    assert g.features.dtype == np.float32
    assert g.directed
    assert (g.edge_weights.tolist(), g.edge_types.tolist()) == ([0.5], [4])
    assert g.edge_features.tolist() == [[7.0]]
    assert g.feature_names == ("a", "b", "c")


def test_reverse_edges_of_another_weight_are_edges_of_their_own():
    both = torch.tensor([[0, 1], [1, 0]])
    assert not from_pyg(pyg.Data(edge_index=both, edge_weight=torch.tensor([2.0, 2.0]))).directed
    g = from_pyg(pyg.Data(edge_index=both, edge_weight=torch.tensor([2.0, 3.0])))
    assert g.directed
    assert g.n_edges == 2
    with pytest.raises(ValueError, match="directed=False, but not every edge has its reverse"):
        from_pyg(pyg.Data(edge_index=both[:, :1]), directed=False)


def test_lists_batches_and_data_loaders_give_graphs():
    items = [a_path(n).to_pyg() for n in (1, 3, 2)]
    for many in (items, pyg.Batch.from_data_list(items)):
        graphs = from_pyg(many)
        assert isinstance(graphs, Graphs)
        assert [g.n_vertices for g in graphs] == [1, 3, 2]
        assert graphs[1].edge_index.tolist() == [[0, 1], [1, 2]]


def test_data_without_features_or_edges_works():
    assert from_pyg(pyg.Data(num_nodes=3)).n_vertices == 3
    assert from_pyg(pyg.Data(edge_index=torch.tensor([[0], [4]]))).n_vertices == 5
    assert from_pyg(pyg.Data(x=torch.ones(2, 1))).n_edges == 0
    assert from_pyg(pyg.Data()).n_vertices == 0
    assert from_pyg(a_path(1).to_pyg()).n_edges == 0


def test_several_attributes_stand_side_by_side():
    data = pyg.Data(x=torch.ones(2, 1), z=torch.tensor([6, 8]), pos=torch.zeros(2, 3))
    assert from_pyg(data, ["z", "x", "pos"]).features.tolist() == [[6, 1, 0, 0, 0], [8, 1, 0, 0, 0]]
    with pytest.raises(ValueError, match="no vertex attribute 'q'"):
        from_pyg(data, "q")


def test_sparse_features_stay_sparse():
    g = Graph(sp.csr_array(np.diag([1.0, 0.0, 3.0])), [(0, 1)])
    again = from_pyg(g.to_pyg())
    assert isinstance(again.features, sp.csr_array)
    np.testing.assert_array_equal(again.features.toarray(), g.features.toarray())


def test_half_precision_and_sparse_columns_side_by_side():
    data = pyg.Data(x=torch.ones(2, 1, dtype=torch.bfloat16), eye=torch.eye(2).to_sparse())
    assert from_pyg(data).features.tolist() == [[1], [1]]
    assert from_pyg(data, ["eye", "x"]).features.toarray().tolist() == [[1, 0, 1], [0, 1, 1]]


def test_edges_held_in_another_way_are_not_overlooked():
    with pytest.raises(ValueError, match="holds its edges as adj_t; from_pyg reads edge_index"):
        from_pyg(pyg.Data(x=torch.ones(2, 1), adj_t=torch.eye(2)))


def hetero(n_users=2):
    data = pyg.HeteroData()
    data["user"].x = torch.tensor([[0.1, 0.2]] * n_users)
    data["film"].x = torch.tensor([[7.0]])
    data["user", "likes", "film"].edge_index = torch.tensor([[1], [0]])
    data["user", "likes", "film"].edge_attr = torch.tensor([[5.0]])
    data["user", "knows", "user"].edge_index = torch.tensor([[0], [1]])
    data["user", "knows", "user"].edge_weight = torch.tensor([3.0])
    return data


def test_vertex_types_have_columns_of_their_own_and_relations_are_types():
    g = from_pyg(hetero())
    assert g.feature_names == ("kind", "film.0", "user.0", "user.1")
    assert g.categories == {0: ("film", "user")}
    nan = np.nan
    wanted = [[0, 7, nan, nan], [1, nan, 0.1, 0.2], [1, nan, 0.1, 0.2]]
    np.testing.assert_allclose(g.features, wanted, rtol=1e-6)
    assert g.directed
    assert g.edge_index.tolist() == [[1, 2], [2, 0]]
    assert g.edge_types.tolist() == ["user knows user", "user likes film"]
    assert g.edge_weights.tolist() == [3, 1]
    assert g.edge_feature_names == ("user likes film.0",)
    assert g.edge_features.tolist() == [[0], [5]]


def test_typed_graphs_share_the_columns_of_all():
    other = pyg.HeteroData()
    other["place"].x = torch.ones(1, 1)
    other["place", "near", "place"].edge_index = torch.tensor([[0], [0]])
    graphs = from_pyg([hetero(), other])
    assert graphs.feature_names == ("kind", "film.0", "place.0", "user.0", "user.1")
    assert graphs.flat.categories == {0: ("film", "place", "user")}
    assert graphs[1].edge_features.tolist() == [[0]]
    other["user"].x = torch.ones(1, 5)
    with pytest.raises(ValueError, match="'user' has 5 features here and 2 elsewhere"):
        from_pyg([hetero(), other])


def test_a_vertex_type_without_features_is_counted_by_its_edges():
    data = pyg.HeteroData()
    data["user"].x = torch.ones(1, 1)
    data["user", "in", "town"].edge_index = torch.tensor([[0], [2]])
    assert from_pyg(data).n_vertices == 4


def test_wrong_kinds_are_named():
    with pytest.raises(TypeError, match="from_pyg reads Data, HeteroData and Batch; got a str"):
        from_pyg("data")
    bad = pyg.Data(x=torch.ones(1, 1), edge_index=torch.tensor([[0], [3]]))
    with pytest.raises(ValueError, match=r"graph 1: edge \(0, 3\) points outside its 1 vertices"):
        from_pyg([a_path(1).to_pyg(), bad])
    with pytest.raises(ValueError, match="directed graph whose features are named by type"):
        from_pyg(hetero(), directed=False)


def labelled(n_vertices, y):
    return pyg.Data(
        x=torch.ones(n_vertices, 1), edge_index=torch.tensor([[0, 1], [1, 0]]), y=torch.tensor(y)
    )


def test_a_loader_and_a_generator_are_read_like_a_list():
    loader = pytest.importorskip("torch_geometric.loader").DataLoader
    items = [labelled(n, [n]) for n in (2, 3, 4)]
    for many in (loader(items, batch_size=2), iter(items), tuple(items)):
        assert [g.n_vertices for g in from_pyg(many)] == [2, 3, 4]


def test_labels_come_along():
    graphs, y = from_pyg([labelled(2, [7]), labelled(3, [8])], return_y=True)
    assert (len(graphs), y.tolist()) == (2, [7, 8])
    _, y = from_pyg([labelled(2, 0.5), labelled(3, 1.5)], return_y=True)
    assert y.tolist() == [0.5, 1.5]
    graph, y = from_pyg(labelled(3, [0, 1, 0]), return_y=True)
    assert (graph.n_vertices, y.tolist()) == (3, [0, 1, 0])


def test_labels_that_are_not_there_are_named():
    with pytest.raises(ValueError, match="return_y=True, but graph 1 has no y"):
        from_pyg([labelled(2, [7]), pyg.Data(x=torch.ones(1, 1))], return_y=True)


def library(n_papers=6, n_authors=4):
    """Papers and those who wrote them; a paper of an author with much of x is of class 1."""
    data = pyg.HeteroData()
    rng = np.random.default_rng(n_papers)
    talent = np.arange(n_authors) % 2
    wrote = rng.integers(n_authors, size=n_papers)
    data["paper"].x = torch.zeros(n_papers, 2)
    data["author"].x = torch.tensor(talent[:, None] * 10.0)
    data["paper"].y = torch.tensor(talent[wrote])
    place = torch.arange(n_papers)
    data["paper"].train_mask = place % 3 == 0
    data["paper"].val_mask = place % 3 == 1
    data["paper"].test_mask = place % 3 == 2
    data["author", "writes", "paper"].edge_index = torch.tensor(
        np.array([wrote, np.arange(n_papers)])
    )
    return data


def test_papers_are_classified_in_three_lines():
    data = library(120, 20)
    X, y, (split,) = from_pyg(data, vertices="paper", return_y=True, return_splits=True)
    model = gt.GraphTreeClassifier().fit(X[split["train"]], y[split["train"]])
    assert model.score(X[split["test"]], y[split["test"]]) == 1.0
    assert len(X) == len(y) == 120


def test_vertices_of_a_type_are_examples_in_the_order_of_the_type():
    data = library()
    papers = from_pyg(data, vertices="paper")
    assert isinstance(papers, Vertices)
    graph = papers.graphs[0]
    assert papers.vertex_of.tolist() == [4, 5, 6, 7, 8, 9]  # after the authors
    labels = graph.categories[0]
    kinds = graph.features[:, 0].astype(int)
    assert {labels[k] for k in kinds[papers.vertex_of]} == {"paper"}
    authors = from_pyg(data, vertices="author")
    assert authors.vertex_of.tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(graph.features[authors.vertex_of, 1], data["author"].x[:, 0])


def test_masks_become_splits_of_positions_among_the_examples():
    _, (split,) = from_pyg(library(), vertices="paper", return_splits=True)
    assert {part: at.tolist() for part, at in split.items()} == {
        "train": [0, 3], "validation": [1, 4], "test": [2, 5],
    }  # fmt: skip


def test_masks_of_several_columns_are_several_splits():
    data = library()
    for name in ("train_mask", "val_mask", "test_mask"):
        mask = data["paper"][name]
        data["paper"][name] = torch.stack([mask, ~mask], dim=1)
    _, splits = from_pyg(data, vertices="paper", return_splits=True)
    assert [split["train"].tolist() for split in splits] == [[0, 3], [1, 2, 4, 5]]
    data["paper"].val_mask = data["paper"].val_mask[:, :1]
    with pytest.raises(ValueError, match=r"different numbers of columns: \[1, 2\]"):
        from_pyg(data, vertices="paper", return_splits=True)


def test_a_part_without_a_mask_is_left_out():
    data = library()
    del data["paper"].val_mask
    _, (split,) = from_pyg(data, vertices="paper", return_splits=True)
    assert list(split) == ["train", "test"]


def test_examples_of_many_typed_graphs_follow_each_other():
    many = [library(6, 4), library(3, 2), pyg.HeteroData(author={"x": torch.ones(1, 1)})]
    X, y, (split,) = from_pyg(many, vertices="paper", return_y=True, return_splits=True)
    assert X.graph_of.tolist() == [0] * 6 + [1] * 3
    assert X.vertex_of.tolist() == [4, 5, 6, 7, 8, 9, 2, 3, 4]
    assert y.tolist() == [*many[0]["paper"].y.tolist(), *many[1]["paper"].y.tolist()]
    assert split["train"].tolist() == [0, 3, 6]
    del many[1]["paper"].val_mask
    with pytest.raises(ValueError, match="graph 1 has no val_mask for these vertices; others"):
        from_pyg(many, vertices="paper", return_splits=True)
    del many[1]["paper"].y
    with pytest.raises(ValueError, match="return_y=True, but graph 1 has no y for these vertices"):
        from_pyg(many, vertices="paper", return_y=True)


def test_vertices_of_plain_data_are_examples_too():
    data = labelled(3, [[0], [1], [0]])
    data.train_mask = torch.tensor([True, True, False])
    X, y, (split,) = from_pyg(data, vertices=True, return_y=True, return_splits=True)
    assert (len(X), y.tolist(), split["train"].tolist()) == (3, [0, 1, 0], [0, 1])
    X, y = from_pyg([data, data], vertices=True, return_y=True)
    assert (X.graph_of.tolist(), y.tolist()) == ([0, 0, 0, 1, 1, 1], [0, 1, 0, 0, 1, 0])


def test_what_is_asked_of_vertices_and_is_not_there_is_named():
    data = library()
    with pytest.raises(ValueError, match=r"one of the vertex types \('author', 'paper'\) .*'papr'"):
        from_pyg(data, vertices="papr")
    with pytest.raises(ValueError, match=r"\('author', 'paper'\) of HeteroData; got True"):
        from_pyg(data, vertices=True)
    with pytest.raises(ValueError, match="Data has only one: vertices=True"):
        from_pyg(labelled(2, [0, 1]), vertices="paper")
    with pytest.raises(ValueError, match="return_y=True, but the data has no y for these vertices"):
        from_pyg(data, vertices="author", return_y=True)
    with pytest.raises(ValueError, match="none of train_mask, val_mask, test_mask"):
        from_pyg(data, vertices="author", return_splits=True)
    with pytest.raises(ValueError, match=r"return_splits=True is for vertices: say which"):
        from_pyg(data, return_splits=True)
    with pytest.raises(ValueError, match="the data has no y; vertices='paper' has: give it"):
        from_pyg(data, return_y=True)
    data["paper"].y = data["paper"].y[:4]
    with pytest.raises(ValueError, match=r"the data: y has shape \(4,\); there are 6 vertices"):
        from_pyg(data, vertices="paper", return_y=True)
