"""The real files, for those who have them: counts as published for each data set."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from graphtrees import datasets
from graphtrees.datasets.registry import KNOWN

pytestmark = pytest.mark.usefixtures("real_data")

# graphs, mean vertices, mean edges, columns of features, edge types, classes, folds
TU = {
    "MUTAG": (188, 17.93, 19.79, 7, 4, {-1: 63, 1: 125}, 0),
    "PTC_MR": (344, 14.29, 14.69, 18, 4, {-1: 192, 1: 152}, 0),
    "PROTEINS": (1113, 39.06, 72.82, 3 + 1, 0, {1: 663, 2: 450}, 10),
    "PROTEINS_full": (1113, 39.06, 72.82, 3 + 29, 0, {1: 663, 2: 450}, 10),
    "NCI1": (4110, 29.87, 32.30, 37, 0, {0: 2053, 1: 2057}, 10),
    "ENZYMES": (600, 32.63, 62.14, 3 + 18, 0, dict.fromkeys(range(1, 7), 100), 10),
    "DD": (1178, 284.32, 715.66, 82, 0, {1: 691, 2: 487}, 10),
    "IMDB-BINARY": (1000, 19.77, 96.53, 0, 0, {0: 500, 1: 500}, 10),
    "IMDB-MULTI": (1500, 13.00, 65.94, 0, 0, {1: 500, 2: 500, 3: 500}, 10),
    "Mutagenicity": (4337, 30.32, 30.77, 14, 3, {0: 2401, 1: 1936}, 0),
}


def class_counts(y):
    return dict(zip(*(part.tolist() for part in np.unique(y, return_counts=True)), strict=True))


def sizes(split):
    return tuple(len(split[part]) for part in ("train", "validation", "test"))


@pytest.mark.parametrize("name", TU)
def test_tu_collections_have_their_published_counts(name):
    n_graphs, vertices, edges, n_features, n_types, classes, n_folds = TU[name]
    loaded = datasets.load_tu(name)
    flat = loaded.X.flat
    assert len(loaded.X) == n_graphs
    assert round(flat.n_vertices / n_graphs, 2) == vertices
    assert round(flat.n_edges / n_graphs, 2) == edges
    assert flat.n_features == n_features
    assert len(flat.edge_type_names) == n_types
    assert class_counts(loaded.y) == classes
    assert not loaded.X.directed
    assert len(loaded.splits) == n_folds


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("MUTAG", {"aromatic": 4708, "double": 724, "single": 2008, "triple": 2}),
        ("PTC_MR", {"aromatic": 3968, "double": 852, "single": 5276, "triple": 12}),
        ("Mutagenicity", {"double": 45674, "single": 221000, "triple": 220}),
    ],
)
def test_bonds_of_molecules_are_those_of_their_notes(name, lines):
    """As many as there are lines with their label in the file, which lists a bond twice."""
    flat = datasets.load_tu(name).X.flat
    counts = np.bincount(flat.edge_types)
    assert {kind: 2 * n for kind, n in zip(flat.edge_type_names, counts, strict=True)} == lines


@pytest.mark.parametrize("name", [name for name in TU if TU[name][-1]])
def test_folds_test_each_graph_once_and_share_out_all_graphs(name):
    loaded = datasets.load_tu(name)
    tested = np.concatenate([split["test"] for split in loaded.splits])
    assert sorted(tested) == list(range(len(loaded.X)))
    for split in loaded.splits:
        assert sorted(np.concatenate(list(split.values()))) == list(range(len(loaded.X)))


@pytest.mark.parametrize(
    ("name", "vertices", "edges", "features", "classes", "public"),
    [
        ("Cora", 2708, 5278, 1433, 7, (140, 500, 1000)),
        ("Citeseer", 3327, 4552, 3703, 6, (120, 500, 1000)),
        ("Pubmed", 19717, 44324, 500, 3, (60, 500, 1000)),
    ],
)
def test_planetoid_sets_have_their_published_counts(
    name, vertices, edges, features, classes, public
):
    loaded = datasets.load_planetoid(name)
    graph = loaded.graph
    assert (graph.n_vertices, graph.n_edges, graph.n_features) == (vertices, edges, features)
    assert not graph.directed
    assert set(loaded.y) - {-1} == set(range(classes))
    assert (loaded.y == -1).sum() == (15 if name == "Citeseer" else 0)
    assert [sizes(split) for split in loaded.splits] == [public]
    assert len(loaded.geom_splits) == 10


@pytest.mark.parametrize(
    ("name", "counts", "features", "classes", "parts"),
    [
        ("Cornell", (183, 298, 295), 1703, (38, 16, 30, 82, 17), (87, 59, 37)),
        ("Cornell-2020", (183, 298, 295), 1703, (33, 1, 18, 101, 30), (87, 59, 37)),
        ("Actor", (7600, 30019, None), 932, None, (3648, 2432, 1520)),
    ],
)
def test_geom_gcn_sets_have_their_published_counts(name, counts, features, classes, parts):
    loaded = datasets.load_geom_gcn(name)
    graph = loaded.graph
    vertices, edges, without_loops = counts
    assert (graph.n_vertices, graph.n_edges, graph.n_features) == (vertices, edges, features)
    assert graph.directed
    source, target = graph.edge_index
    assert without_loops in (None, (source != target).sum())
    assert len(set(loaded.y)) == 5
    assert classes in (None, tuple(np.bincount(loaded.y)))
    assert [sizes(split) for split in loaded.splits] == [parts] * 10


def test_actor_has_its_published_undirected_count():
    source, target = datasets.load_geom_gcn("Actor", directed=False).graph.edge_index
    assert (source != target).sum() == 26659


def test_county_has_its_published_counts():
    loaded = datasets.load_county()
    source, target = loaded.graph.edge_index
    assert (loaded.graph.n_vertices, loaded.graph.n_edges) == (3217, 12684)
    assert (source == target).sum() == 3217
    assert loaded.graph.n_features == len(loaded.feature_names) == 7
    assert np.isnan(loaded.graph.features).any()
    assert (loaded.y.min().round(1), loaded.y.max().round(1)) == (1.7, 24.1)
    assert len(loaded.splits) == 5
    assert all(sum(sizes(split)) == 3217 for split in loaded.splits)


def test_tolokers_has_its_published_counts():
    loaded = datasets.load_heterophilous("Tolokers")
    graph = loaded.graph
    assert (graph.n_vertices, graph.n_edges, graph.n_features) == (11758, 519000, 10)
    assert class_counts(loaded.y) == {0: 9192, 1: 2566}
    assert len(loaded.splits) == 10


def test_flights_has_its_counts():
    loaded = datasets.load_flights()
    graph = loaded.graph
    assert (graph.n_vertices, graph.n_edges, graph.n_features) == (327346, 935613, 24)
    assert graph.directed
    assert class_counts(graph.flat.edge_types) == {0: 280930, 1: 654683}
    assert graph.flat.edge_type_names == ("aircraft", "airport")
    assert sorted(len(labels) for labels in graph.categories.values()) == [3, 16, 104]
    assert round(loaded.y.mean(), 3) == 0.237
    np.testing.assert_array_equal(loaded.y, loaded.arr_delay > 15)
    assert [sizes(split) for split in loaded.splits] == [(217727, 55628, 53991)]


def test_molhiv_has_its_published_counts():
    loaded = datasets.load_ogb("ogbg-molhiv")
    flat = loaded.X.flat
    assert (flat.n_graphs, flat.n_vertices, flat.n_edges) == (41127, 1049163, 1129688)
    assert sorted(flat.categories) == list(range(9))
    assert flat.edge_type_names == ("aromatic", "double", "single", "triple")
    (split,) = loaded.splits
    assert sizes(split) == (32901, 4113, 4113)
    positives = [loaded.y[split[part]].sum() for part in ("train", "validation", "test")]
    assert positives == [1232, 81, 130]
    assert loaded.y.sum() == 1443


@pytest.mark.parametrize("path", KNOWN)
def test_the_registry_knows_the_files(real_data, path):
    content = (Path(real_data) / path).read_bytes()
    assert (len(content), hashlib.sha256(content).hexdigest()) == KNOWN[path]
