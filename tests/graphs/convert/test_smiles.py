"""Molecules, compared with what a chemist knows of them."""

import numpy as np
import pandas
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import graphtrees as gt
from graphtrees.graphs import Graphs, from_smiles

Chem = pytest.importorskip("rdkit.Chem")


def column(g, name):
    place = g.feature_names.index(name)
    values = g.features[:, place].tolist()
    labels = g.categories.get(place)
    return values if labels is None else [labels[int(code)] for code in values]


def test_acetic_acid_has_the_atoms_and_bonds_it_should():
    g = from_smiles("CC(=O)O")
    assert column(g, "element") == ["C", "C", "O", "O"]
    assert column(g, "hydrogens") == [3, 0, 0, 1]
    assert column(g, "hybridization") == ["SP3", "SP2", "SP2", "SP2"]
    assert g.edge_types.tolist() == ["single", "double", "single"]
    assert g.edge_index.T.tolist() == [[0, 1], [1, 2], [1, 3]]
    assert not g.directed


def test_rings_charges_and_aromatic_bonds_are_seen():
    benzene = from_smiles("c1ccccc1")
    assert column(benzene, "aromatic") == column(benzene, "in_ring") == [1] * 6
    assert set(benzene.edge_types) == {"aromatic"}
    assert column(from_smiles("[NH4+].[Cl-]"), "charge") == [1, -1]
    assert column(from_smiles("C1CC1"), "aromatic") == [0, 0, 0]


def test_molecules_share_their_categories():
    graphs = from_smiles(["CCO", "CCN", Chem.MolFromSmiles("C#N")])
    assert isinstance(graphs, Graphs)
    assert graphs.flat.categories[0] == ("C", "N", "O")
    assert graphs.flat.edge_type_names == ("single", "triple")
    assert [column(g, "element")[-1] for g in graphs] == ["O", "N", "N"]


def test_a_lone_atom_is_a_graph():
    g = from_smiles("C")
    assert (g.n_vertices, g.n_edges) == (1, 0)
    assert len(from_smiles(["C", "CC"])) == 2


def test_hydrogens_may_be_vertices():
    g = from_smiles("C", explicit_hydrogens=True)
    assert column(g, "element") == ["C", "H", "H", "H", "H"]
    assert column(g, "hydrogens") == [4, 0, 0, 0, 0]


def test_the_order_of_writing_changes_only_the_order_of_atoms():
    one, other = from_smiles("OCC"), from_smiles("CCO")
    np.testing.assert_array_equal(one.features, other.features[::-1])


def test_a_molecule_that_cannot_be_read_is_named(capfd):
    with pytest.raises(ValueError, match=r"^molecule 1: RDKit cannot read the SMILES 'C1CC'"):
        from_smiles(["CC", "C1CC"])
    with pytest.raises(ValueError, match=r"^RDKit cannot read"):
        from_smiles("C1CC")
    with pytest.raises(TypeError, match=r"molecule 0: wanted a SMILES string .* got an int"):
        from_smiles([6])
    assert capfd.readouterr().err == ""


def test_half_a_character_is_no_smiles():
    with pytest.raises(ValueError, match="RDKit cannot read the SMILES"):
        gt.from_smiles(["CCO", "\ud800"])


@pytest.mark.parametrize(
    "make",
    [
        np.array,
        tuple,
        iter,
        lambda smiles: pandas.Series(smiles, index=[7, 8]),
        lambda smiles: pandas.DataFrame({"smiles": smiles}),
        lambda smiles: np.array(smiles, dtype=object)[:, None],
    ],
    ids=["array", "tuple", "generator", "Series", "one-column table", "column of an array"],
)
def test_molecules_come_in_any_sequence(make):
    graphs = from_smiles(make(["CCO", "CN"]))
    assert [column(g, "element") for g in graphs] == [["C", "C", "O"], ["C", "N"]]


def test_molecules_are_read_in_a_pipeline():
    steps = make_pipeline(
        FunctionTransformer(from_smiles), gt.GraphTreeClassifier(max_walk_length=0)
    )
    smiles = pandas.Series(["CCO", "CCN", "CO", "CN"])
    steps.fit(smiles, ["alcohol", "amine"] * 2)
    assert steps.predict(np.array(["CCCCN", "CCCCO"])).tolist() == ["amine", "alcohol"]


def test_a_table_of_many_columns_is_asked_for_one():
    with pytest.raises(TypeError, match=r"a DataFrame with 2 columns: give one of them"):
        from_smiles(pandas.DataFrame({"smiles": ["C"], "y": [1]}))


MIXED = ["CCO", "C1CC", None, "CN", float("nan"), "nope"]


def test_all_molecules_that_cannot_be_read_are_listed():
    with pytest.raises(ValueError, match=r"^4 molecules: molecule 1: RDKit .*'C1CC'") as raised:
        from_smiles(MIXED)
    for words in ("molecule 2: the SMILES is missing", "molecule 5: ", "errors='skip'"):
        assert words in str(raised.value)
    assert list(raised.value.faults) == [1, 2, 4, 5]


def test_bad_molecules_are_skipped_and_labels_follow():
    with pytest.warns(UserWarning, match="molecule 5.*Left out"):
        graphs, kept = from_smiles(MIXED, errors="skip", return_index=True)
    assert (len(graphs), kept.tolist()) == (2, [0, 3])
    assert [g.n_vertices for g in graphs] == [3, 2]


def test_bad_molecules_leave_a_graph_without_vertices():
    with pytest.warns(UserWarning, match="graphs without vertices|Graphs without vertices"):
        graphs, kept = from_smiles(MIXED, errors="none", return_index=True)
    assert [g.n_vertices for g in graphs] == [3, 0, 0, 2, 0, 0]
    assert kept.tolist() == [0, 3]


def test_errors_is_one_of_three_words():
    with pytest.raises(ValueError, match=r"errors must be one of 'raise', 'skip', 'none'"):
        from_smiles(["C"], errors="ignore")


def test_no_molecules_are_no_graphs():
    assert len(from_smiles([])) == 0
