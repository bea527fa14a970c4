"""Edges at `predict` have the direction and the relations of those at `fit`."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from models import SIX, name_of, small

import graphtrees as gt

six_kinds = pytest.mark.parametrize("kind", SIX, ids=name_of)
about_what = pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])
PAIRS = [(0, 1), (1, 2), (0, 2)]


def examples(about: str, n_graphs: int = 4, pairs=PAIRS, **given):
    graphs = gt.Graphs(
        gt.Graph([[1.0], [2.0], [float(k)]], pairs, **given) for k in range(n_graphs)
    )
    return graphs if about == "graphs" else getattr(graphs, about)


def fit(kind, X, **given):
    return small(kind, **given).fit(X, np.arange(len(X)) % 2)


@about_what
@six_kinds
def test_directed_graphs_are_refused_where_undirected_ones_were_fitted(kind, about):
    model = fit(kind, examples(about, directed=False))
    with pytest.raises(ValueError, match=r"directed=False; got graphs with directed=True|features"):
        model.predict(examples(about, directed=True))


@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_undirected_graphs_are_walked_both_ways_with_a_warning(about):
    model = fit(gt.GraphTreeClassifier, examples(about, directed=True))
    both = [*PAIRS, *((j, i) for i, j in PAIRS)]
    with pytest.warns(UserWarning, match="walked both ways"):
        said = model.predict(examples(about, directed=False))
    np.testing.assert_array_equal(said, model.predict(examples(about, pairs=both, directed=True)))


def test_a_graph_without_edges_has_no_direction():
    model = fit(gt.GraphTreeClassifier, examples("graphs", directed=True))
    model.predict([gt.Graph([[1.0], [2.0]], [], directed=False)])
    model = fit(gt.GraphTreeClassifier, examples("graphs", pairs=[], directed=False))
    model.predict(examples("graphs", directed=True))


@pytest.mark.parametrize("about", ["graphs", "vertices"])
@pytest.mark.parametrize("operators", ["relations", ("mean:road",), ("reverse:road",)])
def test_edges_without_types_are_refused_where_a_type_is_walked(about, operators):
    typed = {"edge_types": ["road", "rail", "road"], "directed": True}
    model = fit(gt.GraphTreeClassifier, examples(about, **typed), operators=operators)
    with pytest.raises(ValueError, match=r"of the type '\w+'; the graphs of X have no edge types"):
        model.predict(examples(about, directed=True))


@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_edges_without_a_feature_are_refused_where_it_is_walked(about):
    toll = pd.DataFrame({"toll": [1.0, 2.0, 3.0]})
    model = fit(gt.GraphTreeClassifier, examples(about, edge_features=toll), operators=("toll",))
    for other in ({}, {"edge_features": toll.rename(columns={"toll": "fee"})}):
        with pytest.raises(ValueError, match="walks along the edge feature 'toll'; the graphs of"):
            model.predict(examples(about, **other))


def test_graphs_may_lack_edges_of_a_type_and_have_others():
    model = fit(
        gt.GraphTreeClassifier,
        examples("graphs", edge_types=["road", "rail", "road"]),
        operators="relations",
    )
    model.predict(examples("graphs", edge_types=["air", "rail", "air"]))
    model.predict(examples("graphs", pairs=[], edge_types=[]))


def test_a_saved_model_knows_the_edges_it_was_fitted_on(tmp_path):
    toll = pd.DataFrame({"toll": [1.0, 2.0, 3.0]})
    X = examples("graphs", edge_features=toll, directed=True)
    fit(gt.GraphTreeClassifier, X, operators=("toll",)).save(tmp_path / "model.json")
    model = gt.load_model(tmp_path / "model.json")
    with pytest.raises(ValueError, match="edge feature 'toll'"):
        model.predict(examples("graphs", directed=True))


@about_what
@six_kinds
def test_a_model_read_from_a_file_compares_edges_as_well(kind, about, tmp_path):
    fit(kind, examples(about, directed=False)).save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    with pytest.raises(ValueError, match=r"directed=False; got graphs with directed=True|features"):
        again.predict(examples(about, directed=True))


def test_a_model_read_from_a_file_knows_which_relations_were_edge_features(tmp_path):
    lengths = pd.DataFrame({"length": [1.0, 2.0, 3.0]})
    X = examples("graphs", edge_features=lengths)
    fit(gt.GraphTreeClassifier, X, operators="relations").save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    with pytest.raises(ValueError, match="edge feature 'length'; the graphs of X have no edge fea"):
        again.predict(examples("graphs"))


def test_directed_graphs_with_each_edge_both_ways_do_not_forbid_others():
    """Loops, or edges listed both ways: what was fitted does not tell whether direction matters."""
    fitted = [
        gt.Graph([[float(k)], [1.0]], [(0, 1), (1, 0), (1, 1)], directed=True) for k in (0, 1)
    ]
    model = gt.GraphTreeClassifier(min_samples_leaf=1).fit(fitted, [0, 1])
    one_way = gt.Graph([[0.0], [1.0]], [(0, 1)], directed=True)
    both_ways = gt.Graph([[0.0], [1.0]], [(0, 1), (1, 1)])
    assert len(model.predict([one_way])) == len(model.predict([both_ways])) == 1
