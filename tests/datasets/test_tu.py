"""Collections in the TU text layout, every number of them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from datasets.archives import TINY, as_lists, splits_zip, tu_zip
from graphtrees.datasets import load_tu, tu_text


@pytest.fixture
def load(tmp_path):
    """Load a collection made of the tables of TINY with some changed (None: left out)."""

    def load(folder: bool = True, name: str = "Tiny", **changed):
        tables = {key: text for key, text in (TINY | changed).items() if text is not None}
        (tmp_path / "tu").mkdir(exist_ok=True)
        (tmp_path / "tu" / f"{name}.zip").write_bytes(tu_zip(name, tables, folder))
        return load_tu(name, data_home=tmp_path, download_if_missing=False)

    return load


def test_every_number_of_a_small_collection(load):
    tiny = load()
    path, edge = tiny.X
    np.testing.assert_array_equal(path.features, [[1, 0], [0, 1], [1, 0]])
    np.testing.assert_array_equal(edge.features, [[0, 1], [0, 1]])
    np.testing.assert_array_equal(path.edge_index, [[0, 1], [1, 2]])
    np.testing.assert_array_equal(edge.edge_index, [[0], [1]])
    np.testing.assert_array_equal(tiny.y, [-1, 1])
    assert tiny.y.dtype == np.int64
    assert tiny.X.flat.features.dtype == np.float32
    assert not tiny.X.directed
    assert tiny.feature_names == ["label=5", "label=7"]
    assert tiny.X.feature_names == ("label=5", "label=7")
    assert tiny.name == "Tiny"
    assert tiny.splits == []
    assert tiny.description == (
        "Tiny: 2 graphs from the TU Dortmund collection, with 2.50 vertices and 1.50 undirected "
        "edges on average."
    )


def test_the_readme_is_part_of_the_description(tmp_path):
    (tmp_path / "Tiny.zip").write_bytes(tu_zip("Tiny", TINY, README__txt="Made by hand."))
    assert load_tu("Tiny", data_home=tmp_path).description.endswith("\n\nMade by hand.")


NOTES = "Node labels:\n\n  5  C\n  7  Cl\n\nEdge labels:\n\n  0  single\n"
CONVERTED = (
    "Node labels:\t\t[chem]\n\nNode labels were converted to integer values using this map:\n\n"
    "Component 0:\n\t5\tC\n\t7\tCl\n\n\nClass labels were converted:\n\n\t0\tmutagen\n"
)


@pytest.mark.parametrize("notes", [NOTES, CONVERTED], ids=["listed", "converted"])
def test_atoms_are_named_by_the_elements_that_the_notes_tell(tmp_path, notes):
    (tmp_path / "Tiny.zip").write_bytes(tu_zip("Tiny", TINY, README__txt=notes))
    path, edge = load_tu("Tiny", data_home=tmp_path).X
    assert path.vertex_names.tolist() == ["C0", "Cl1", "C2"]
    assert edge.vertex_names.tolist() == ["Cl0", "Cl1"]


@pytest.mark.parametrize("notes", [NOTES.replace("Cl", "helix"), NOTES.replace("  7", "  8")])
def test_labels_that_are_not_all_known_elements_stay_numbers(tmp_path, notes):
    (tmp_path / "Tiny.zip").write_bytes(tu_zip("Tiny", TINY, README__txt=notes))
    assert load_tu("Tiny", data_home=tmp_path).X[0].vertex_names is None


def test_a_folder_works_as_a_zip_does(tmp_path):
    folder = tmp_path / "Tiny"
    folder.mkdir()
    for table, text in TINY.items():
        (folder / f"Tiny_{table}.txt").write_text(text)
    assert load_tu("Tiny", data_home=tmp_path).X.flat.n_edges == 3


def test_files_need_no_folder_in_the_zip(load):
    assert load(folder=False).X.flat.n_vertices == 5


def test_attributes_follow_the_labels(load):
    tiny = load(node_attributes="0.5, 1\n1.5, 2\n2.5, 3\n3.5, 4\n4.5, nan\n")
    assert tiny.feature_names == ["label=5", "label=7", "attribute_0", "attribute_1"]
    np.testing.assert_array_equal(tiny.X[1].features, [[0, 1, 3.5, 4], [0, 1, 4.5, np.nan]])


def test_attributes_that_float32_cannot_hold_are_refused_by_file_and_line(load):
    with pytest.raises(ValueError, match=r"_node_attributes.*line 2 holds 1e\+40; features are"):
        load(node_attributes="1\n1e40\n1\n1\n1\n")


def test_several_columns_of_labels_are_named_apart(load):
    tiny = load(node_labels="0, 3\n1, 3\n0, 3\n0, 4\n0, 4\n")
    assert tiny.feature_names == ["label_0=0", "label_0=1", "label_1=3", "label_1=4"]
    np.testing.assert_array_equal(tiny.X[0].features[1], [0, 1, 1, 0])


def test_graphs_without_labels_have_no_features(load):
    tiny = load(node_labels=None)
    assert tiny.X.n_features == 0
    assert "feature_names" not in tiny


def test_many_labels_stay_sparse(load, monkeypatch):
    dense = load().X.flat.features
    monkeypatch.setattr(tu_text, "LARGEST_DENSE", 9)
    sparse = load().X.flat.features
    assert sp.issparse(sparse)
    np.testing.assert_array_equal(sparse.toarray(), dense)
    with_attributes = load(node_attributes="1\n2\n3\n4\n5\n").X.flat.features
    np.testing.assert_array_equal(with_attributes.toarray()[:, 2], [1, 2, 3, 4, 5])


def test_edge_labels_are_edge_types(load):
    tiny = load(edge_labels="0\n0\n2\n2\n0\n0\n")
    assert tiny.X.flat.edge_type_names == (0, 2)
    assert list(tiny.X[0].edge_types) == [0, 2]
    assert list(tiny.X[1].edge_types) == [0]


BONDS = "Edge labels:\n\n  0  aromatic\n  2  double\n"
VALENCES = (
    "Node labels:\t\t[chem]\n\nEdge labels:\t\t[valence]\n\n"
    "Edge labels were converted to integer values using this map:\n\n"
    "Component 0:\n\t0\t1\n\t2\t3\n\n\nClass labels were converted:\n\n\t0\tmutagen\n"
)


def with_notes(folder, notes: str, edge_labels: str = "0\n0\n2\n2\n0\n0\n"):
    packed = tu_zip("Tiny", TINY | {"edge_labels": edge_labels}, README__txt=notes)
    (folder / "Tiny.zip").write_bytes(packed)
    return load_tu("Tiny", data_home=folder).X


@pytest.mark.parametrize(
    ("notes", "kinds"),
    [(BONDS, ["aromatic", "double"]), (VALENCES, ["single", "triple"])],
    ids=["kinds", "valences"],
)
def test_bonds_are_named_by_the_kinds_that_the_notes_tell(tmp_path, notes, kinds):
    path, edge = with_notes(tmp_path, notes)
    assert list(path.edge_types) == kinds
    assert list(edge.edge_types) == kinds[:1]


@pytest.mark.parametrize(
    "notes",
    [BONDS.replace("double", "inter-sheet"), VALENCES.replace("[valence]", "[type]"), "By hand."],
    ids=["other kinds", "numbers of something else", "nothing"],
)
def test_edge_labels_whose_meaning_is_not_told_stay_numbers(tmp_path, notes):
    assert list(with_notes(tmp_path, notes)[0].edge_types) == [0, 2]


def test_an_edge_label_that_the_notes_leave_out_stays_a_number(tmp_path):
    path, _ = with_notes(tmp_path, BONDS, "0\n0\n7\n7\n0\n0\n")
    assert list(path.edge_types) == ["aromatic", "7"]


def test_several_columns_of_edge_labels_are_one_type(load):
    tiny = load(edge_labels="0, 1\n0, 1\n2, 1\n2, 1\n0, 1\n0, 1\n")
    assert list(tiny.X[0].edge_types) == ["0,1", "2,1"]


def test_edge_attributes_are_edge_features(load):
    tiny = load(edge_attributes="0.5\n0.5\n1.5\n1.5\n2.5\n2.5\n")
    np.testing.assert_array_equal(tiny.X[0].edge_features, [[0.5], [1.5]])
    assert tiny.X[0].edge_feature_names == ("edge_attribute_0",)


def test_lines_without_their_reverse_make_directed_graphs(load):
    tiny = load(A="1, 2\n3, 2\n4, 5\n5, 4\n")
    assert tiny.X.directed
    np.testing.assert_array_equal(tiny.X[0].edge_index, [[0, 2], [1, 1]])
    np.testing.assert_array_equal(tiny.X[1].edge_index, [[0, 1], [1, 0]])
    assert "directed edges" in tiny.description


@pytest.mark.parametrize("kind", ["edge_labels", "edge_attributes"])
def test_a_label_that_depends_on_the_direction_keeps_edges_directed(load, kind):
    tiny = load(**{kind: "0\n1\n2\n2\n0\n0\n"})
    assert tiny.X.directed
    assert tiny.X.flat.n_edges == 6


def test_repeated_lines_count_once(load):
    tiny = load(A=TINY["A"] * 2)
    assert not tiny.X.directed
    assert tiny.X.flat.n_edges == 3


def test_parallel_edges_of_two_types_are_both_kept(load):
    tiny = load(A="1, 2\n2, 1\n1, 2\n2, 1\n", edge_labels="0\n0\n1\n1\n")
    assert not tiny.X.directed
    assert list(tiny.X[0].edge_types) == [0, 1]


def test_a_self_loop_is_kept_once(load):
    tiny = load(A="1, 1\n1, 2\n2, 1\n")
    np.testing.assert_array_equal(tiny.X[0].edge_index, [[0, 0], [0, 1]])
    assert not tiny.X.directed


def test_graphs_without_edges_or_vertices_are_graphs(load):
    tiny = load(A="", graph_indicator="1\n3\n", graph_labels="0\n1\n0\n1\n", node_labels="1\n1\n")
    assert [graph.n_vertices for graph in tiny.X] == [1, 0, 1, 0]
    assert tiny.X.flat.n_edges == 0
    assert not tiny.X.directed


def test_vertices_may_come_in_any_order_of_graphs(load):
    tiny = load(
        graph_indicator="2\n1\n2\n1\n2\n",
        node_labels="1\n2\n3\n4\n5\n",
        A="1, 5\n5, 1\n2, 4\n4, 2\n3, 5\n5, 3\n",
    )
    np.testing.assert_array_equal(np.argmax(tiny.X[0].features, axis=1), [1, 3])
    np.testing.assert_array_equal(np.argmax(tiny.X[1].features, axis=1), [0, 2, 4])
    np.testing.assert_array_equal(tiny.X[0].edge_index, [[0], [1]])
    np.testing.assert_array_equal(tiny.X[1].edge_index, [[0, 1], [2, 2]])


def test_graph_attributes_are_a_numeric_target(load):
    tiny = load(graph_labels=None, graph_attributes="1\n2\n")
    np.testing.assert_array_equal(tiny.y, [1.0, 2.0])
    assert tiny.y.dtype == np.float64


def test_graph_attributes_stand_beside_labels(load):
    tiny = load(graph_attributes="0.5, 1\n1.5, 2\n")
    np.testing.assert_array_equal(tiny.y, [-1, 1])
    np.testing.assert_array_equal(tiny.graph_attributes, [[0.5, 1], [1.5, 2]])


def test_published_folds_are_the_splits(load, tmp_path):
    folds = [
        {"train": [1], "validation": [], "test": [0]},
        {"train": [0], "validation": [], "test": [1]},
    ]
    (tmp_path / "tu").mkdir()
    (tmp_path / "tu" / "fair_splits.zip").write_bytes(splits_zip(PROTEINS_full=folds))
    splits = load(name="PROTEINS").splits
    assert as_lists(splits) == folds
    assert all(rows.dtype == np.int64 for split in splits for rows in split.values())


def test_folds_of_other_graphs_are_refused(load, tmp_path):
    fold = {"train": [1, 2], "validation": [], "test": [0]}
    (tmp_path / "fair_splits.zip").write_bytes(splits_zip(NCI1=[fold]))
    with pytest.raises(ValueError, match="fold 0 of NCI1 names graph 2; there are 2"):
        load(name="NCI1")


def test_folds_without_a_part_are_refused(load, tmp_path):
    (tmp_path / "fair_splits.zip").write_bytes(splits_zip(NCI1=[{"train": [1], "test": [0]}]))
    with pytest.raises(ValueError, match="fold 0 of NCI1 has no part 'validation'; it has train"):
        load(name="NCI1")


def test_collections_and_folds_come_from_a_mirror(mirror, cache):
    mirror.files["tu/MUTAG.zip"] = tu_zip("MUTAG", TINY)
    mirror.files["tu/NCI1.zip"] = tu_zip("NCI1", TINY)
    assert len(load_tu("MUTAG", base_url=mirror.url).X) == 2
    assert load_tu("NCI1", base_url=mirror.url).splits == []
    assert mirror.asked == ["tu/MUTAG.zip", "tu/NCI1.zip", "tu/fair_splits.zip"]
    assert (cache / "tu" / "MUTAG.zip").exists()


def test_an_unknown_collection_is_told(mirror):
    with pytest.raises(FileNotFoundError, match=r"'NCI99': .*NCI99\.zip is not on the server"):
        load_tu("NCI99", base_url=mirror.url)


@pytest.mark.parametrize("name", ["../secret", "a/b", "", None, "-"])
def test_a_name_that_is_none_is_refused(name):
    with pytest.raises(ValueError, match=r"name must be that of a TU data set, such as 'MUTAG'"):
        load_tu(name)


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"A": "1, 2\n2, 6\n"}, r"A\.txt: line 2 joins vertices 2 and 6, but there are 5 vertices"),
        ({"A": "1, 2\n3, 4\n"}, r"A\.txt: line 2 joins vertices 3 and 4, of two graphs"),
        ({"A": "1\n2\n"}, r"Tiny_A\.txt should have 2 columns; it has 1"),
        ({"A": None}, r"the zip has no file Tiny_A\.txt"),
        ({"graph_labels": None}, r"has no file Tiny_graph_labels\.txt"),
        ({"graph_labels": "1\n"}, r"Tiny_graph_labels\.txt has 1 lines; there are 2 graphs"),
        ({"node_labels": "1\n"}, r"Tiny_node_labels\.txt has 1 lines; there are 5 vertices"),
        ({"edge_labels": "1\n"}, r"Tiny_edge_labels\.txt has 1 lines; there are 6 edges"),
        ({"graph_indicator": "0\n0\n0\n1\n1\n"}, "graphs are numbered from 1, not 0"),
    ],
)
def test_faulty_files_are_told(load, changed, error):
    with pytest.raises(ValueError, match=error):
        load(**changed)
