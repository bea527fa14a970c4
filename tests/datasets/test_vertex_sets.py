"""Tasks on the vertices of one graph, packed and as published."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from datasets.archives import DENSE, as_lists, masks, npz, packed_vertices
from graphtrees.datasets import (
    files,
    load_county,
    load_flights,
    load_heterophilous,
    load_planetoid,
)
from graphtrees.datasets.registry import Known

PLANETOID = {
    "train_idx": np.array([0], np.int32),
    "val_idx": np.array([1], np.int32),
    "test_idx": np.array([3], np.int32),
    **{f"geom_{name}": mask for name, mask in masks("tvst", "stvs").items()},
}


@pytest.mark.parametrize("written", ["Cora", "cora", "CORA"])
def test_every_number_of_a_small_planetoid_set(put, written):
    folder = put("node/cora.npz", **packed_vertices(**PLANETOID))
    cora = load_planetoid(written, data_home=folder)
    assert cora.name == "Cora"
    np.testing.assert_array_equal(cora.graph.features.toarray(), DENSE)
    np.testing.assert_array_equal(cora.graph.edge_index, [[0, 1, 2], [1, 2, 3]])
    assert not cora.graph.directed
    assert len(cora.X) == 4
    np.testing.assert_array_equal(cora.X.graphs[0].features.toarray(), DENSE)
    np.testing.assert_array_equal(cora.y, [0, 1, -1, 2])
    assert cora.y.dtype == np.int64
    assert as_lists(cora.splits) == [{"train": [0], "validation": [1], "test": [3]}]
    assert as_lists(cora.geom_splits) == [
        {"train": [0, 3], "validation": [1], "test": [2]},
        {"train": [1], "validation": [2], "test": [0, 3]},
    ]
    assert cora.description.startswith("Cora. Papers on machine learning")


def test_planetoid_says_why_it_is_not_fetched():
    with pytest.raises(FileNotFoundError, match=r"pickles, .* never loaded.*Put node/cora\.npz"):
        load_planetoid("Cora")


def test_a_packed_set_comes_from_a_mirror_if_its_digest_is_right(mirror, monkeypatch):
    body = mirror.files["node/cora.npz"] = npz(**packed_vertices(**PLANETOID))
    with pytest.raises(OSError, match="should have 102,646 bytes"):
        load_planetoid("Cora", base_url=mirror.url)
    known = Known(len(body), hashlib.sha256(body).hexdigest())
    monkeypatch.setitem(files.KNOWN, "node/cora.npz", known)
    assert load_planetoid("Cora", base_url=mirror.url).graph.n_vertices == 4


def test_an_unknown_name_is_told_with_the_known_ones():
    with pytest.raises(
        ValueError, match=r"Planetoid data sets are Cora, Citeseer, Pubmed; got 'C'"
    ):
        load_planetoid("C")


@pytest.mark.parametrize(
    ("lacking", "error"),
    [("y", "no array 'y'"), ("edge_index", "no array 'edge_index'"), ("x_data", "'x_data'")],
)
def test_a_packed_set_without_an_array_is_told(put, lacking, error):
    arrays = packed_vertices(**PLANETOID)
    del arrays[lacking]
    folder = put("cora.npz", **arrays)
    with pytest.raises(ValueError, match=error):
        load_planetoid("Cora", data_home=folder)


@pytest.mark.parametrize(
    ("broken", "error"),
    [
        ({"x_indices": [0, 10**8, 1]}, r"indices\[1\] is 100000000"),
        ({"x_indices": [0, 2**32, 1]}, r"indices\[1\] is 4294967296"),
        ({"x_indptr": [0, 10**6, 2, 3, 3]}, "indptr must never fall"),
        ({"x_indptr": [0, 2, 2, 3, 10**6]}, "Last value of index pointer"),
        ({"x_indptr": [0, 2, 3]}, "index pointer size 3 should be 5"),
        ({"x_shape": [4, 3, 2]}, r"\(4, 3, 2\)|2-D"),
        ({"x_data": ["a", "b", "c"]}, "x_data holds <U1, not numbers"),
        ({"edge_index": [0, 1, 2]}, r"edge_index is int64 \(3,\)"),
        ({"edge_index": [[0.5, 1], [1, 2]]}, "edge_index is float64"),
    ],
)
def test_a_packed_set_with_a_broken_matrix_is_refused(put, broken, error):
    folder = put("cora.npz", **packed_vertices(**PLANETOID) | broken)
    with pytest.raises(ValueError, match=rf"cora.npz is damaged .*({error})"):
        load_planetoid("Cora", data_home=folder)


def test_targets_for_other_vertices_are_refused(put):
    folder = put("cora.npz", **packed_vertices(y=[1, 2]))
    with pytest.raises(ValueError, match="Cora: 2 targets for 4 vertices"):
        load_planetoid("Cora", data_home=folder)


def test_every_number_of_a_small_heterophilous_set_as_published(mirror):
    mirror.files["heterophilous/roman_empire.npz"] = npz(
        node_features=np.array([[0.5, 1], [1.5, 2], [2.5, 3]], np.float32),
        node_labels=[2, 0, 1],
        edges=[[0, 1], [1, 2], [1, 0]],
        **{f"{name}s": rows for name, rows in masks("tvs", "stv").items()},
    )
    roman = load_heterophilous("roman_empire", base_url=mirror.url)
    assert roman.name == "Roman-empire"
    np.testing.assert_array_equal(roman.graph.features, [[0.5, 1], [1.5, 2], [2.5, 3]])
    np.testing.assert_array_equal(roman.graph.edge_index, [[0, 1], [1, 2]])
    assert not roman.graph.directed
    np.testing.assert_array_equal(roman.y, [2, 0, 1])
    assert as_lists(roman.splits) == [
        {"train": [0], "validation": [1], "test": [2]},
        {"train": [1], "validation": [2], "test": [0]},
    ]


def test_a_packed_heterophilous_set_is_read_too(put):
    folder = put("node/tolokers.npz", **packed_vertices(**masks("tvst")))
    assert load_heterophilous("Tolokers", data_home=folder).graph.n_edges == 3


def test_every_number_of_a_small_county(put):
    folder = put(
        "node/county.npz",
        x=np.array([[1, np.nan], [2, 3]], np.float32),
        y=np.array([5.5, 2.5], np.float32),
        edge_index=[[0, 0, 1], [0, 1, 1]],
        fips=[1001, 1003],
        feature_names=["DEM", "GOP"],
        **masks("ts"),
    )
    county = load_county(data_home=folder)
    np.testing.assert_array_equal(county.graph.features, [[1, np.nan], [2, 3]])
    np.testing.assert_array_equal(county.y, [5.5, 2.5])
    np.testing.assert_array_equal(county.fips, [1001, 1003])
    assert county.graph.n_edges == 3
    assert county.feature_names == ["DEM", "GOP"]
    assert county.target_names == ["UnemploymentRate"]
    assert as_lists(county.splits) == [{"train": [0], "validation": [], "test": [1]}]


def test_every_number_of_a_few_flights(put):
    folder = put(
        "node/flights.npz",
        x=np.array([[7, 1, 0, 1], [8, 0, 0, 0], [np.nan, 1, 0, 1]], np.float32),
        y=np.array([0, 1, 1], np.uint8),
        arr_delay_min=np.array([-3, 16, 90], np.int16),
        edge_index=[[0, 0, 1], [2, 1, 2]],
        edge_type=np.array([0, 1, 1], np.uint8),
        train_idx=[0],
        val_idx=[1],
        test_idx=[2],
        feature_names=["hour", "carrier_code", "origin_code", "dest_code"],
        categorical=["carrier_code", "origin_code", "dest_code"],
        carrier=["AA", "UA"],
        origin=["JFK"],
        dest=["ABQ", "ACK"],
    )
    flights = load_flights(data_home=folder)
    assert flights.graph.directed
    assert list(flights.graph.edge_types) == ["aircraft", "airport", "airport"]
    assert flights.graph.categories == {1: ("AA", "UA"), 2: ("JFK",), 3: ("ABQ", "ACK")}
    np.testing.assert_array_equal(flights.graph.features[:, 0], [7, 8, np.nan])
    np.testing.assert_array_equal(flights.y, [0, 1, 1])
    np.testing.assert_array_equal(flights.arr_delay, [-3.0, 16.0, 90.0])
    assert as_lists(flights.splits) == [{"train": [0], "validation": [1], "test": [2]}]
