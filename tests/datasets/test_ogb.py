"""Data sets of the Open Graph Benchmark, packed and in its own layout."""

from __future__ import annotations

import hashlib
import zipfile

import numpy as np
import pytest

from datasets.archives import MOLECULES, as_lists, csv_gz, npz, ogb_molecule_zip, zip_of
from graphtrees.datasets import files, load_ogb
from graphtrees.datasets.registry import Known


def check_molecules(loaded) -> None:
    path, atom = loaded.X
    np.testing.assert_array_equal(path.features, MOLECULES["x"][:3])
    np.testing.assert_array_equal(atom.features, MOLECULES["x"][3:])
    np.testing.assert_array_equal(path.edge_index, [[0, 1], [1, 2]])
    assert not loaded.X.directed
    assert list(path.edge_types) == ["single", "aromatic"]
    np.testing.assert_array_equal(path.edge_features, [[0], [1]])
    assert path.edge_feature_names == ("is_conjugated",)
    np.testing.assert_array_equal(loaded.y, [1, 0])
    assert loaded.y.dtype == np.int64
    assert as_lists(loaded.splits) == [{"train": [1], "validation": [0], "test": []}]
    assert loaded.name == "ogbg-molhiv"


@pytest.fixture
def packed() -> bytes:
    parts = {"train_idx": [1], "val_idx": [0], "test_idx": np.zeros(0, np.int32)}
    return npz(**MOLECULES, **parts)


def test_every_number_of_two_packed_molecules(tmp_path, packed):
    (tmp_path / "ogbg_molhiv.npz").write_bytes(packed)
    check_molecules(load_ogb("ogbg-molhiv", data_home=tmp_path))


def test_every_number_of_two_molecules_in_the_layout_of_ogb(mirror):
    mirror.files["graph/hiv.zip"] = ogb_molecule_zip()
    check_molecules(load_ogb("ogbg-molhiv", base_url=mirror.url))
    assert mirror.asked == ["graph/ogbg_molhiv.npz", "graph/hiv.zip"]


def test_the_folder_that_ogb_unpacks_is_read(tmp_path):
    (tmp_path / "hiv.zip").write_bytes(ogb_molecule_zip())
    with zipfile.ZipFile(tmp_path / "hiv.zip") as archive:
        archive.extractall(tmp_path)
    (tmp_path / "hiv.zip").unlink()
    (tmp_path / "hiv").rename(tmp_path / "ogbg_molhiv")
    check_molecules(load_ogb("ogbg_molhiv", data_home=tmp_path))


def test_a_mirror_with_packed_molecules_is_used(mirror, packed, monkeypatch):
    mirror.files["graph/ogbg_molhiv.npz"] = packed
    known = Known(len(packed), hashlib.sha256(packed).hexdigest())
    monkeypatch.setitem(files.KNOWN, "graph/ogbg_molhiv.npz", known)
    check_molecules(load_ogb("ogbg-molhiv", base_url=mirror.url))


def test_codes_of_atoms_have_names(tmp_path, packed):
    (tmp_path / "ogbg_molhiv.npz").write_bytes(packed)
    graph = load_ogb("ogbg-molhiv", data_home=tmp_path).X[0]
    label = {
        name: graph.categories[column][int(graph.features[2, column])]
        for column, name in enumerate(graph.feature_names)
    }
    assert label == {
        "atomic_num": "8",  # oxygen
        "chirality": "unspecified",
        "degree": "2",
        "formal_charge": "0",
        "num_h": "1",
        "num_radical_e": "0",
        "hybridization": "sp3",
        "is_aromatic": "no",
        "is_in_ring": "no",
    }


def test_several_targets_may_miss_values(tmp_path):
    rows = ["1,,0", ",1,"]
    (tmp_path / "tox21.zip").write_bytes(ogb_molecule_zip(graph_label=rows))
    tox21 = load_ogb("ogbg-moltox21", data_home=tmp_path)
    np.testing.assert_array_equal(tox21.y, [[1, np.nan, 0], [np.nan, 1, np.nan]])


def test_a_numeric_target_stays_a_number(tmp_path):
    (tmp_path / "esol.zip").write_bytes(ogb_molecule_zip(graph_label=[0.5, -2]))
    np.testing.assert_array_equal(load_ogb("ogbg-molesol", data_home=tmp_path).y, [0.5, -2.0])


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"graph_label": [1]}, r"graph-label\.csv\.gz has 1 lines; there are 2 graphs"),
        ({"node_feat": MOLECULES["x"][:2]}, r"node-feat\.csv\.gz has 2 lines; there are 4 vert"),
        ({"node_feat": [[1, 2]] * 4}, r"atoms should have 9 features each; got shape \(4, 2\)"),
        ({"edge": [[0, 1]]}, r"edge\.csv\.gz has 1 lines; there are 2 edges"),
        ({"edge": [[0, 1], [1, 3]]}, r"graph 0: edge \(1, 3\) points outside its 3 vertices"),
        ({"edge_feat": [[0, 0, 0], [5, 0, 0]]}, "bond types should be codes below 5"),
        ({"node_feat": [[119] + [0] * 8] * 4}, "'atomic_num' holds the code 119 for 119 labels"),
        ({"train": None}, r"the zip has no file split/scaffold/train\.csv\.gz"),
    ],
)
def test_faulty_molecules_are_told(tmp_path, changed, error):
    (tmp_path / "hiv.zip").write_bytes(ogb_molecule_zip(**changed))
    with pytest.raises(ValueError, match=error):
        load_ogb("ogbg-molhiv", data_home=tmp_path)


def test_every_number_of_a_small_arxiv(mirror):
    tables = {
        "raw/num-node-list": [3],
        "raw/num-edge-list": [3],
        "raw/node-feat": [[0.5, 1], [1.5, 2], [2.5, 3]],
        "raw/node-label": [4, 0, 39],
        "raw/node_year": [2013, 2017, 2019],
        "raw/edge": [[2, 0], [2, 1], [1, 0]],
        "split/time/train": [0],
        "split/time/valid": [1],
        "split/time/test": [2],
    }
    mirror.files["node/arxiv.zip"] = zip_of(
        {f"arxiv/{path}.csv.gz": csv_gz(rows) for path, rows in tables.items()}
    )
    arxiv = load_ogb("ogbn-arxiv", base_url=mirror.url)
    np.testing.assert_array_equal(arxiv.graph.features, [[0.5, 1], [1.5, 2], [2.5, 3]])
    np.testing.assert_array_equal(arxiv.graph.edge_index, [[2, 2, 1], [0, 1, 0]])
    assert arxiv.graph.directed
    np.testing.assert_array_equal(arxiv.y, [4, 0, 39])
    np.testing.assert_array_equal(arxiv.year, [2013, 2017, 2019])
    assert as_lists(arxiv.splits) == [{"train": [0], "validation": [1], "test": [2]}]


def test_an_unknown_name_is_told():
    with pytest.raises(ValueError, match=r"OGB data sets are ogbg-molhiv, .*; got 'ogbg-ppa'"):
        load_ogb("ogbg-ppa")
