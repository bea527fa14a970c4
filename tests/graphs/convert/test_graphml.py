"""GraphML and GML files, written by networkx."""

import numpy as np
import pytest

from graphtrees.graphs import Graphs, from_graphml, from_networkx

nx = pytest.importorskip("networkx")


@pytest.fixture
def G():
    G = nx.DiGraph()
    G.add_node("a", kind="red", size=1.5)
    G.add_node("b", kind="blue", size=2.0)
    G.add_edge("a", "b", weight=3.0, road="motorway")
    return G


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("g.graphml", nx.write_graphml),
        ("g.graphml.gz", nx.write_graphml),
        ("g.gml", nx.write_gml),
        ("g.gml.gz", nx.write_gml),
    ],
)
def test_a_file_holds_the_graph_it_was_written_from(G, tmp_path, name, write):
    write(G, tmp_path / name)
    g, wanted = from_graphml(tmp_path / name, edge_type="road"), from_networkx(G, edge_type="road")
    np.testing.assert_array_equal(g.features, wanted.features)
    assert (g.feature_names, g.categories) == (wanted.feature_names, wanted.categories)
    assert (g.directed, g.edge_weights.tolist()) == (True, [3.0])
    assert g.edge_types.tolist() == ["motorway"]
    assert g.vertex_names.tolist() == ["a", "b"]


def test_several_files_give_graphs(G, tmp_path):
    paths = [tmp_path / "1.graphml", str(tmp_path / "2.graphml")]
    for path in paths:
        nx.write_graphml(G, path)
    graphs = from_graphml(paths, ["size"])
    assert isinstance(graphs, Graphs)
    assert graphs.flat.features.tolist() == [[1.5], [2.0], [1.5], [2.0]]


def test_files_that_are_not_there_or_not_graphs_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no file '.*nothing\.graphml'"):
        from_graphml(tmp_path / "nothing.graphml")
    (tmp_path / "bad.graphml").write_text("a,b")
    with pytest.raises(ValueError, match=r"bad\.graphml: could not be read as GraphML"):
        from_graphml(tmp_path / "bad.graphml")
    (tmp_path / "bad.gml").write_text("graph [ node ]")
    with pytest.raises(ValueError, match=r"bad\.gml: could not be read as GML"):
        from_graphml(tmp_path / "bad.gml")


def test_errors_of_the_file_system_are_raised_as_they_are(tmp_path):
    (tmp_path / "folder.graphml").mkdir()
    with pytest.raises(IsADirectoryError):
        from_graphml(tmp_path / "folder.graphml")
