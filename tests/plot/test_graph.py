"""A graph as a picture, before any model."""

import numpy as np
import pandas as pd
import pytest
from builders import a_graph
from matplotlib.collections import LineCollection
from matplotlib.patches import FancyArrowPatch

import graphtrees as gt
from graphtrees.plot import plot_graph


def dots(ax):
    found = [c for c in ax.collections if not isinstance(c, LineCollection)]
    return max(found, key=lambda one: len(one.get_offsets()))


def labels(ax):
    return [text.get_text() for text in ax.texts]


def test_a_graph_is_drawn_with_all_it_has():
    graph = a_graph(7, seed=2)
    ax = graph.plot()
    assert len(dots(ax).get_offsets()) == 7
    assert sorted(labels(ax)) == list("0123456")
    assert ax.get_title() == f"7 vertices, {graph.n_edges} edges"


def test_one_vertex_is_no_vertices():
    assert gt.Graph([[1.0]], []).plot().get_title() == "1 vertex, 0 edges"
    assert gt.Graph(None, [(0, 1)]).plot().get_title() == "2 vertices, 1 edge"
    assert gt.Graph(np.zeros((0, 1)), []).plot().get_title() == "0 vertices, 0 edges"


def test_vertices_are_coloured_by_a_number():
    graph = a_graph(6, seed=1, feature_names=["charge", "mass"])
    ax = graph.plot(color="mass")
    np.testing.assert_allclose(dots(ax).get_array(), graph.features[:, 1])
    assert ax.figure.axes[-1].get_ylabel() == "mass"
    with pytest.raises(ValueError, match="color names the feature 'colour'; the graph has"):
        graph.plot(color="colour")


def test_vertices_are_coloured_by_a_category_with_a_legend():
    kind = pd.Categorical(["red", "blue", "red", None])
    graph = gt.Graph(pd.DataFrame({"kind": kind}), [(0, 1), (1, 2)])
    ax = graph.plot(color="kind")
    faces = dots(ax).get_facecolors()
    assert (faces[0] == faces[2]).all()
    assert (faces[0] != faces[1]).any()
    assert {text.get_text() for text in ax.get_legend().get_texts()} == {"red", "blue"}


def test_directed_edges_are_arrows():
    ax = gt.Graph(None, [(0, 1), (1, 2)], directed=True).plot()
    assert sum(isinstance(patch, FancyArrowPatch) for patch in ax.patches) == 2


def test_a_large_graph_is_drawn_around_its_hub():
    edges = [(0, k) for k in range(1, 20)] + [(k, k + 1) for k in range(20, 499)]
    ax = gt.Graph(None, edges).plot(max_vertices=15, labels=[str(k) for k in range(500)])
    assert len(dots(ax).get_offsets()) == 15
    assert "0" in labels(ax)
    assert labels(ax)[-1] == "15 of 500 vertices"


def test_a_molecule_has_its_elements_and_bonds():
    pytest.importorskip("rdkit")
    ax = gt.from_smiles("C=CC#N").plot()
    assert sorted(labels(ax)) == list("CCCN")
    (lines,) = (c for c in ax.collections if isinstance(c, LineCollection))
    assert len(lines.get_segments()) == 2 + 1 + 3


def test_a_molecule_of_a_tu_collection_has_its_bonds(tmp_path):
    notes = "Node labels:\n  0  C\n  1  O\nEdge labels:\n  0  aromatic\n  1  single\n  2  double\n"
    files = {
        "M_A": "1,2\n2,1\n2,3\n3,2\n",
        "M_edge_labels": "1\n1\n2\n2\n",
        "M_graph_indicator": "1\n1\n1\n",
        "M_graph_labels": "0\n",
        "M_node_labels": "0\n0\n1\n",
        "README": notes,
    }
    (tmp_path / "M").mkdir()
    for name, text in files.items():
        (tmp_path / "M" / f"{name}.txt").write_text(text)
    (molecule,) = gt.datasets.load_tu("M", data_home=tmp_path).X
    ax = molecule.plot()
    assert sorted(labels(ax))[:3] == list("CCO")
    (lines,) = (c for c in ax.collections if isinstance(c, LineCollection))
    assert len(lines.get_segments()) == 1 + 2


def test_axes_go_in_and_come_out_and_bad_input_is_refused(pyplot):
    _, ax = pyplot.subplots()
    assert plot_graph(a_graph(3), ax, title="mine") is ax
    assert ax.get_title() == "mine"
    with pytest.raises(TypeError, match="plot_graph takes a Graph; got Graphs"):
        plot_graph(gt.Graphs([a_graph(3)]))
    with pytest.raises(ValueError, match="max_vertices must be an integer of at least 1; got 0"):
        a_graph(3).plot(max_vertices=0)
    with pytest.raises(TypeError, match="title must be text or None; got list"):
        a_graph(3).plot(title=["mine"])
    with pytest.raises(ValueError, match=r"layout puts vertex 1 at \[nan, 0.0\]"):
        a_graph(3).plot(layout=[[0, 0], [np.nan, 0], [1, 1]])
