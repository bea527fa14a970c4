"""Models on graph features: what they check, say, save and explain."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from builders import a_graph, some_graphs
from models import SIX, name_of, small
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split

import graphtrees as gt
from graphtrees.explain import explain_many, fidelity

six_kinds = pytest.mark.parametrize("kind", SIX, ids=name_of)
about_all = pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])
NAMES = ["a", "b"]


def a_table(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    weight = np.where(rng.random(n) < 0.15, np.nan, rng.normal(300.0, 50.0, n))
    return pd.DataFrame({"MW": weight, "assay": rng.choice(["A", "B", "C"], n)})


def a_task(about: str = "graphs", n: int = 60):
    """Examples whose classes the graph features tell together."""
    table = a_table(n)
    graphs = gt.Graphs(some_graphs(n, feature_names=NAMES), graph_features=table)
    X = graphs if about == "graphs" else getattr(graphs, about)
    owner = np.arange(n) if about == "graphs" else X.graph_of
    y = (table["MW"] > 300).to_numpy() ^ (table["assay"] == "B").to_numpy()
    return X, y[owner].astype(int)


# ---- features in and out ---------------------------------------------------------------------


@six_kinds
def test_they_come_after_the_features_of_vertices(kind):
    X, y = a_task()
    model = small(kind, min_samples_leaf=1).fit(X, y)
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == ["a", "b", "MW", "assay"]
    assert model.feature_importances_.shape == (4,)
    nodes = model.trees_to_dataframe()
    places = dict(zip(nodes["feature"], nodes["feature_index"], strict=True))
    assert places.get("MW", 2) == 2
    assert places.get("assay", 3) == 3
    assert places.get("1", 4) == 4


def test_features_of_vertices_without_names_are_numbered():
    graphs = gt.Graphs(some_graphs(20), graph_features=a_table(20)[["MW"]])
    model = small(gt.GraphTreeRegressor).fit(graphs, np.arange(20))
    assert model.feature_names_in_.tolist() == ["x0", "x1", "MW"]
    assert len(model.predict(graphs)) == 20


@about_all
def test_new_examples_have_to_have_the_same_graph_features(about):
    X, y = a_task(about)
    graphs = X if about == "graphs" else X.graphs
    bare = gt.Graphs([gt.Graph(g.features, g.edge_index.T, feature_names=NAMES) for g in graphs])
    swapped = gt.Graphs(bare, graph_features=a_table()[["assay", "MW"]])

    def of(graphs):
        return graphs if about == "graphs" else getattr(graphs, about)

    knows = small(gt.GraphBoostingClassifier).fit(X, y)
    with pytest.raises(ValueError, match="fitted with the graph features 'MW', 'assay'; the graphs "
                       "of X have no graph features"):  # fmt: skip
        knows.predict(of(bare))
    with pytest.raises(ValueError, match="of X have the graph features 'assay', 'MW'"):
        knows.predict(of(swapped))
    knows_not = small(gt.GraphBoostingClassifier).fit(of(bare), y)
    with pytest.raises(ValueError, match=r"fitted with no graph features; .* 'MW', 'assay'"):
        knows_not.predict(X)


def test_a_name_that_vertices_have_too_is_refused():
    graphs = gt.Graphs(some_graphs(20, feature_names=NAMES), graph_features=a_table(20))
    clash = gt.Graphs(graphs, graph_features=pd.DataFrame({"b": np.arange(20.0)}))
    with pytest.raises(ValueError, match=r"'b' is a feature of vertices .* and a graph feature"):
        gt.GraphTreeRegressor().fit(clash, np.arange(20))


def test_labels_where_numbers_were_fitted_are_refused():
    X, y = a_task()
    model = small(gt.GraphTreeClassifier).fit(X, y)
    text = a_table().assign(MW="heavy")
    with pytest.raises(ValueError, match=r"feature 'MW' was numbers when .* such as 'heavy'"):
        model.predict(gt.Graphs(X, graph_features=text))


def test_labels_that_training_did_not_know_are_none_of_them():
    X, _ = a_task()
    y = a_table()["assay"] == "B"
    model = small(gt.GraphTreeClassifier, max_leaf_nodes=2).fit(X, y)
    unknown = gt.Graphs(X, graph_features=a_table().assign(assay="Z"))
    assert not model.predict(unknown).any()


def test_categorical_features_may_name_them():
    graphs = gt.Graphs(
        some_graphs(30, feature_names=NAMES),
        graph_features=pd.DataFrame({"plate": np.arange(30) % 3}),
    )
    y = np.arange(30) % 3 == 1
    model = small(gt.GraphTreeClassifier, categorical_features=["plate"], max_leaf_nodes=2)
    assert model.fit(graphs, y).score(graphs, y) == 1.0
    assert gt.export_text(model).startswith("|--- node 0: whether plate = 1 <= 0.5")


def test_sparse_vertex_features_go_with_them():
    from scipy import sparse

    graphs = [gt.Graph(sparse.csr_array(g.features), g.edge_index.T) for g in some_graphs(40)]
    X = gt.Graphs(graphs, graph_features=a_table(40))
    y = a_table(40)["assay"] == "C"
    for one, label in ((X, y), (X.vertices, y.to_numpy()[X.vertices.graph_of])):
        model = small(gt.GraphTreeClassifier, max_leaf_nodes=2).fit(one, label)
        assert model.score(one, label) == 1.0


def test_vertices_without_features_go_with_them():
    graphs = [gt.Graph(None, g.edge_index.T, n_vertices=g.n_vertices) for g in some_graphs(40)]
    X = gt.Graphs(graphs, graph_features=a_table(40))
    y = a_table(40)["assay"] == "C"
    for constant in (True, False):
        model = small(gt.GraphTreeClassifier, max_leaf_nodes=2, add_constant=constant).fit(X, y)
        assert model.score(X, y) == 1.0


def test_they_are_never_walked_and_never_colour_vertices():
    X, y = a_task()
    for given in ({"max_walk_length": [2, 0]}, {"max_walk_length": {"a": 1}}, {"colours": 1}):
        small(gt.GraphTreeClassifier, **given).fit(X, y)
    with pytest.raises(ValueError, match="max_walk_length names 'MW', a graph feature"):
        small(gt.GraphTreeClassifier, max_walk_length={"MW": 1}).fit(X, y)
    with pytest.raises(ValueError, match="3 numbers; X has 2 features of vertices"):
        small(gt.GraphTreeClassifier, max_walk_length=[1, 1, 1]).fit(X, y)
    with pytest.raises(ValueError, match="colour_features names 'assay', a graph feature"):
        small(gt.GraphTreeClassifier, colours=1, colour_features=["assay"]).fit(X, y)


def test_colours_are_the_same_with_and_without_them():
    graphs = some_graphs(40, seed=1, integers=True, feature_names=NAMES)
    y = np.array([g.n_edges for g in graphs])
    given = {"colours": 2, "min_samples_leaf": 2, "max_leaf_nodes": 8}
    bare = small(gt.GraphTreeRegressor, **given).fit(graphs, y)
    known = gt.Graphs(graphs, graph_features=pd.DataFrame({"batch": np.zeros(40)}))
    more = small(gt.GraphTreeRegressor, **given).fit(known, y)
    np.testing.assert_array_equal(bare.predict(graphs), more.predict(known))


# ---- scikit-learn ----------------------------------------------------------------------------


@about_all
def test_scikit_learn_slices_them_with_the_examples(about):
    X, y = a_task(about)
    model = small(gt.GraphBoostingClassifier, n_estimators=5)
    assert cross_val_score(model, X, y, cv=3).mean() > 0.8
    search = GridSearchCV(model, {"max_leaf_nodes": [2, 4]}, cv=3).fit(X, y)
    assert search.best_params_ == {"max_leaf_nodes": 4}
    parts = train_test_split(X, y, random_state=0)
    assert model.fit(parts[0], parts[2]).score(parts[1], parts[3]) > 0.8


@six_kinds
def test_a_list_of_graphs_is_as_good_as_graphs(kind):
    X, y = a_task()
    one, other = small(kind).fit(X, y), small(kind).fit(list(X), y)
    np.testing.assert_array_equal(one.predict(X), other.predict(list(X)))


def test_training_goes_on_only_with_the_same_graph_features():
    X, y = a_task()
    model = small(gt.GraphBoostingClassifier, warm_start=True).fit(X, y)
    at_vertices = []
    for row in a_table().itertuples():
        assay = pd.Categorical([row.assay], categories=["A", "B", "C"])
        features = pd.DataFrame({"a": [0.0], "b": [0.0], "MW": [row.MW], "assay": assay})
        at_vertices.append(gt.Graph(features, []))
    with pytest.raises(ValueError, match=r"warm_start=True: the graph features was \('MW'"):
        model.set_params(n_estimators=6).fit(at_vertices, y)


# ---- words, explanations ---------------------------------------------------------------------


def test_words_say_the_feature_alone():
    X, y = a_task()
    model = small(gt.GraphTreeClassifier, min_samples_leaf=1).fit(X, y)
    text = gt.export_text(model)
    assert ": MW <= " in text
    assert ": whether assay = B <= 0.5" in text
    assert "largest MW" not in text
    assert model.importance(by="aggregator") == {"none": 1.0}
    rules = model.explain(X[0]).rules()
    assert rules[1].startswith("node 0: MW is 278.2 ≤ ")
    assert rules[2] == "node 1: whether assay = B: no → left"


def test_words_for_the_subsets_that_they_make():
    """A tree that asks the vertices of heavy graphs, which are all vertices or none."""
    X, y = a_task()
    model = small(gt.GraphTreeRegressor, min_samples_leaf=1).fit(X, y)
    tree = model._fitted.trees[0]
    features, words = model._fitted.features, model._fitted.question_text(0)
    made = {
        features.columns[tree.column[node]][0]: (
            words.new_subset(node, 1),
            words.new_subset(node, 2),
        )
        for node in np.flatnonzero(~tree.is_leaf)
    }
    assert made[2][0].startswith("the vertices of graphs with MW > ")
    assert made[2][1].startswith("the vertices of graphs with MW ≤ ")
    assert made[3] == (
        "the vertices of graphs with assay = B",
        "the vertices of graphs without assay = B",
    )


@six_kinds
@about_all
def test_attributions_add_up_exactly_as_without_them(kind, about):
    X, y = a_task(about)
    model = small(kind, min_samples_leaf=1).fit(X, y)
    for e in explain_many(model, X[:12]):
        parts = e.edge_attribution if about == "edges" else e.vertex_attribution
        assert e.start + parts.sum() + e.absence == pytest.approx(e.raw_score, abs=1e-12)
        assert e.vertex_importance.sum() == pytest.approx(1.0)
        assert e.graph.n_features == 2
        assert set(e.graph.graph_features) == {"MW", "assay"}


def test_the_vertices_of_a_graph_share_its_value_equally():
    X, _ = a_task()
    y = (a_table()["assay"] == "B").astype(float)
    model = small(gt.GraphTreeRegressor, max_leaf_nodes=2).fit(X, y)
    (carries,) = explain_many(model, X[[int(np.argmax(y))]])
    shares = carries.vertex_attribution
    np.testing.assert_allclose(shares, shares.sum() / len(shares))
    assert shares.sum() == pytest.approx(1.0 - y.mean())
    (lacks,) = explain_many(model, X[[int(np.argmin(y))]])
    assert lacks.absence == pytest.approx(-y.mean())  # an indicator of 0 has no part


def test_permutation_importance_shuffles_them_over_graphs():
    X, y = a_task()
    model = small(gt.GraphBoostingClassifier, n_estimators=10).fit(X, y)
    found = gt.permutation_importance(model, X, y, random_state=0)
    assert found.feature_names == ["a", "b", "MW", "assay"]
    assert found.importances_mean[2:].min() > 0.1
    assert np.abs(found.importances_mean[:2]).max() < 0.1
    assert set(model.importance("permutation", X=X, y=y, random_state=0)) == set(
        found.feature_names
    )


@pytest.mark.parametrize("about", ["vertices", "edges"])
def test_permutation_importance_of_vertices_and_edges(about):
    X, y = a_task(about)
    model = small(gt.GraphBoostingClassifier, n_estimators=10).fit(X, y)
    found = gt.permutation_importance(model, X, y, random_state=0)
    losses = dict(zip(found.feature_names, found.importances_mean, strict=True))
    assert min(losses["MW"], losses["assay"]) > 0.1


def test_fidelity_report_and_plots_take_them(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, y = a_task()
    model = small(gt.GraphBoostingClassifier).fit(X, y)
    assert fidelity(model, X[:10], top=[1], random_state=0).rows
    page = model.report(X, y, path=tmp_path / "report.html").read_text()
    assert "MW" in page
    assert "largest MW" not in page
    assert "MW" in " ".join(t.get_text() for t in gt.plot_tree(model, tree=0).figure.findobj(
        matplotlib.text.Text))  # fmt: skip
    model.explain(X[0]).plot()


def test_inspection_tells_graphs_apart_by_them():
    twin = a_graph(seed=1, feature_names=NAMES)
    X = gt.Graphs([twin, twin, twin], graph_features=pd.DataFrame({"MW": [1.0, 1.0, 2.0]}))
    found = gt.inspect(X)
    assert found.features.n_features == 3
    assert found.copies.shown == [[0, 1]]


# ---- files -----------------------------------------------------------------------------------


@six_kinds
@about_all
def test_files_keep_them(kind, about, tmp_path):
    X, y = a_task(about)
    model = small(kind, min_samples_leaf=1).fit(X, y)
    model.save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.feature_names_in_.tolist() == model.feature_names_in_.tolist()
    pd.testing.assert_frame_equal(again.trees_to_dataframe(), model.trees_to_dataframe())
    bare = gt.Graphs(some_graphs(60, feature_names=NAMES))
    with pytest.raises(ValueError, match="fitted with the graph features 'MW', 'assay'"):
        again.predict(bare if about == "graphs" else getattr(bare, about))


def test_a_file_without_them_does_not_speak_of_them(tmp_path):
    small(gt.GraphTreeRegressor).fit(some_graphs(20), np.arange(20)).save(tmp_path / "model.json")
    assert "n_graph_features" not in json.loads((tmp_path / "model.json").read_text())["features"]


@pytest.mark.parametrize(
    ("field", "value"),
    [("walk_length", 1), ("walk_type", 1), ("aggregator", 0), ("aggregator", -1)],
)
def test_a_file_that_asks_them_in_another_way_is_refused(field, value, tmp_path):
    X, y = a_task()
    small(gt.GraphTreeClassifier, max_leaf_nodes=2).fit(X, y).save(tmp_path / "model.json")
    content = json.loads((tmp_path / "model.json").read_text())
    content["trees"][0][field][0] = value
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(gt.ModelFileError, match=field):
        gt.load_model(tmp_path / "model.json")


@pytest.mark.parametrize("number", [-1, 5, 1.0, "2", True, None])
def test_a_file_with_an_odd_number_of_them_is_refused(number, tmp_path):
    X, y = a_task()
    small(gt.GraphTreeClassifier, max_leaf_nodes=2).fit(X, y).save(tmp_path / "model.json")
    content = json.loads((tmp_path / "model.json").read_text())
    content["features"]["n_graph_features"] = number
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(gt.ModelFileError, match="n_graph_features"):
        gt.load_model(tmp_path / "model.json")
