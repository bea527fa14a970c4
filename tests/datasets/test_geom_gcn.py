"""The Geom-GCN collection, packed and as its repository has it."""

from __future__ import annotations

import numpy as np
import pytest

from datasets.archives import DENSE, as_lists, masks, npz, packed_vertices
from graphtrees.datasets import load_geom_gcn

GEOM_EDGES = np.array([[0, 1, 0, 2, 1], [1, 0, 1, 2, 3]])


def test_every_number_of_a_small_packed_geom_gcn_set(put):
    arrays = packed_vertices(edge_index=GEOM_EDGES, **masks("ttvs", "svtt"))
    folder = put("node/cornell.npz", **arrays)
    cornell = load_geom_gcn("Cornell", data_home=folder)
    np.testing.assert_array_equal(cornell.graph.edge_index, [[0, 1, 2, 1], [1, 0, 2, 3]])
    assert cornell.graph.directed
    np.testing.assert_array_equal(cornell.graph.features.toarray(), DENSE)
    assert as_lists(cornell.splits) == [
        {"train": [0, 1], "validation": [2], "test": [3]},
        {"train": [2, 3], "validation": [1], "test": [0]},
    ]


def test_geom_gcn_edges_may_be_walked_both_ways(put):
    folder = put("cornell_2020.npz", **packed_vertices(edge_index=GEOM_EDGES, **masks("ttvs")))
    cornell = load_geom_gcn("cornell_2020", directed=False, data_home=folder)
    np.testing.assert_array_equal(cornell.graph.edge_index, [[0, 2, 1], [1, 2, 3]])
    assert not cornell.graph.directed
    assert cornell.name == "Cornell-2020"


def geom_gcn_repository(folder: str, features: dict[int, str], labels: list[int]) -> dict:
    """The files of the Geom-GCN repository for one data set, vertices in falling order."""
    vertices = [f"{v}\t{features[v]}\t{labels[v]}" for v in sorted(features, reverse=True)]
    mask = {name: rows[0] for name, rows in masks("tvst"[: len(labels)]).items()}
    texts = {
        "out1_graph_edges.txt": "node_id\tnode_id\n0\t1\n2\t1\n2\t2\n0\t1\n",
        "out1_node_feature_label.txt": "node_id\tfeature\tlabel\n" + "\n".join(vertices) + "\n",
    }
    files = {f"geom-gcn/new_data/{folder}/{name}": t.encode() for name, t in texts.items()}
    for i in range(10):
        files[f"geom-gcn/splits/{folder}_split_0.6_0.2_{i}.npz"] = npz(**mask)
    return files


@pytest.mark.parametrize(
    ("name", "folder", "features", "n_features"),
    [
        ("Texas", "texas", {0: "1,0,1", 1: "0,0,0", 2: "0,1,0"}, 3),
        ("Actor", "film", {0: "0,2", 1: "931", 2: "1"}, 932),
    ],
)
def test_geom_gcn_text_is_fetched_and_read(mirror, cache, name, folder, features, n_features):
    mirror.files |= geom_gcn_repository(folder, features, [4, 0, 2])
    loaded = load_geom_gcn(name, base_url=mirror.url)
    wanted = np.zeros((3, n_features))
    wanted[[0, 0, 2], [0, 2, 1]] = 1
    wanted[1, 931:] = 1
    np.testing.assert_array_equal(loaded.graph.features.toarray(), wanted)
    np.testing.assert_array_equal(loaded.y, [4, 0, 2])
    np.testing.assert_array_equal(loaded.graph.edge_index, [[0, 2, 2], [1, 1, 2]])
    assert as_lists(loaded.splits) == [{"train": [0], "validation": [1], "test": [2]}] * 10
    asked = len(mirror.asked)
    load_geom_gcn(name, base_url=mirror.url)
    assert len(mirror.asked) == asked, "the second time nothing is fetched"


@pytest.mark.parametrize(
    ("features", "error"),
    [
        ({0: "1,0", 1: "1", 2: "0,1"}, "different numbers of features"),
        ({0: "1", 1: "x", 2: "0"}, "line 3 should be number, features, class"),
        ({0: "1", 1: "1", 5: "0"}, "should be numbered from 0 to 2"),
    ],
)
def test_faulty_geom_gcn_text_is_told(mirror, features, error):
    mirror.files |= geom_gcn_repository("texas", features, [0, 1, 2, 0, 0, 0])
    with pytest.raises(ValueError, match=error):
        load_geom_gcn("Texas", base_url=mirror.url)


def test_actor_names_no_feature_beyond_its_932(mirror):
    mirror.files |= geom_gcn_repository("film", {0: "932"}, [0])
    with pytest.raises(ValueError, match="names a feature outside the 932"):
        load_geom_gcn("Actor", base_url=mirror.url)


def test_geom_gcn_masks_are_for_the_vertices(mirror):
    mirror.files |= geom_gcn_repository("texas", {0: "1", 1: "0"}, [0, 1])
    mirror.files["geom-gcn/splits/texas_split_0.6_0.2_3.npz"] = npz(
        **{name: rows[0] for name, rows in masks("tvs").items()}
    )
    with pytest.raises(ValueError, match=r"_3\.npz: its masks are not for 2 vertices"):
        load_geom_gcn("Texas", base_url=mirror.url)


def test_an_unknown_name_is_told_with_the_known_ones():
    with pytest.raises(ValueError, match=r"Geom-GCN data sets are Cornell, .*; got None"):
        load_geom_gcn(None)
