"""Bad input is refused in words: which thing, what was wanted, what came."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import a_graph, a_path, some_graphs
from models import CLASSIFIERS, REGRESSORS, SIX, name_of, small
from sklearn.exceptions import NotFittedError

import graphtrees as gt

EIGHT = np.ones((8, 1))


@pytest.fixture(params=["graphs", "vertices"])
def X(request):
    """Six examples: six graphs, or six vertices of them."""
    graphs = some_graphs(6, n_vertices=(3, 5))
    return graphs if request.param == "graphs" else graphs.vertices[:6]


six_kinds = pytest.mark.parametrize("kind", SIX, ids=name_of)
three_classifiers = pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
three_regressors = pytest.mark.parametrize("kind", REGRESSORS, ids=name_of)
Y = np.array([0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ([(0, 1), (3, 9)], r"edge \(3, 9\) points outside its 8 vertices"),
        ([(0, -1)], r"edge \(0, -1\) points outside its 8 vertices"),
        ([(0.5, 1)], r"edge 0 is \(0.5, 1\); edges must be whole"),
    ],
)
def test_an_edge_that_leads_nowhere_is_named(edges, words):
    with pytest.raises(ValueError, match=words):
        gt.Graph(EIGHT, edges)


def test_a_bad_edge_among_many_graphs_is_named_by_its_graph():
    with pytest.raises(ValueError, match=r"graph 1: edge \(0, 2\) points outside its 2 vertices"):
        gt.Graphs.from_flat(
            vertex_ptr=[0, 3, 5],
            edge_ptr=[0, 1, 2],
            edges=[[0, 0], [2, 2]],
            features=np.ones((5, 1)),
        )


def test_features_of_the_wrong_length_are_refused_with_both_counts():
    with pytest.raises(ValueError, match="n_vertices gives 5 vertices, features gives 8"):
        gt.Graph(EIGHT, [], n_vertices=5)


def test_an_infinite_value_is_named_by_vertex_and_feature():
    with pytest.raises(ValueError, match="vertex 1: feature 'age' is infinite"):
        gt.Graph([[1.0], [np.inf]], [], feature_names=["age"])


@six_kinds
def test_graphs_that_disagree_on_features_are_both_named(kind):
    X = [a_graph(n_features=2), a_graph(n_features=2), a_graph(n_features=3)]
    with pytest.raises(ValueError, match="graph 2 has 3 features; graph 0 has 2 features"):
        small(kind).fit(X, [0, 1, 0])


@six_kinds
@pytest.mark.parametrize("y", [Y[:5], np.r_[Y, 0]], ids=["short", "long"])
def test_y_of_the_wrong_length_is_refused_with_both_lengths(kind, X, y):
    with pytest.raises(ValueError, match=f"X holds 6 examples, y {len(y)} labels"):
        small(kind).fit(X, y)


@six_kinds
@pytest.mark.parametrize("bad", [np.nan, np.inf], ids=["NaN", "infinity"])
def test_y_that_is_no_number_is_refused(kind, X, bad):
    y = Y.astype(float)
    y[3] = bad
    words = "NaN" if np.isnan(bad) else "infinity"
    with pytest.raises(ValueError, match=rf"Input y contains {words}"):
        small(kind).fit(X, y)


@three_classifiers
def test_the_example_without_a_label_is_named(kind, X):
    with pytest.raises(ValueError, match=r"y\[3\] has no label"):
        small(kind).fit(X, [0, 1, 0, np.nan, 0, 1])


@three_classifiers
def test_a_continuous_target_is_no_class(kind, X):
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        small(kind).fit(X, Y + 0.5 * np.arange(6))


@six_kinds
def test_y_must_be_given(kind, X):
    with pytest.raises(ValueError, match="y"):
        small(kind).fit(X, None)


@three_regressors
def test_words_are_no_targets_of_a_regression(kind, X):
    with pytest.raises(ValueError, match="could not convert string to float"):
        small(kind).fit(X, list("abcdef"))


def test_a_poisson_loss_refuses_negative_counts(X):
    with pytest.raises(ValueError, match="loss='poisson' wants y >= 0"):
        gt.GraphBoostingRegressor(loss="poisson").fit(X, Y - 1.0)


@six_kinds
@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (np.ones(5), r"sample_weight has shape \(5,\); one weight for each of the 6 examples"),
        (np.ones((6, 1)), r"sample_weight has shape \(6, 1\)"),
        ([1, 1, -1, 1, 1, 1], r"sample_weight\[2\] is negative"),
        (np.zeros(6), "sample_weight is zero for every example"),
        ([1, 1, np.nan, 1, 1, 1], "sample_weight contains NaN"),
        ([1, 1, np.inf, 1, 1, 1], "sample_weight contains infinity"),
    ],
    ids=["too few", "a column", "negative", "all zero", "NaN", "infinite"],
)
def test_bad_weights_are_refused(kind, X, weight, words):
    with pytest.raises(ValueError, match=words):
        small(kind).fit(X, Y, sample_weight=weight)


@six_kinds
def test_one_graph_alone_is_not_examples(kind):
    with pytest.raises(TypeError, match=r"X is one Graph.*Use Graphs\(\[g\]\) or g\.vertices"):
        small(kind).fit(a_graph(), [0])


@six_kinds
def test_a_list_of_more_than_graphs_is_refused_by_item(kind):
    with pytest.raises(TypeError, match=r"got a list whose item 1 is an int"):
        small(kind).fit([a_graph(), 3], [0, 1])


@six_kinds
def test_the_graphs_of_another_library_are_sent_to_their_converter(kind):
    networkx = pytest.importorskip("networkx")
    with pytest.raises(TypeError, match=r"See graphtrees\.from_networkx"):
        small(kind).fit([networkx.path_graph(3), networkx.path_graph(2)], [0, 1])


@six_kinds
def test_no_examples_are_too_few(kind, X):
    with pytest.raises(ValueError, match="X holds no examples; at least one is needed"):
        small(kind).fit(X[:0], [])


@six_kinds
def test_a_model_must_be_fitted_first(kind, X):
    for method in ("predict", "apply", "trees_to_dataframe"):
        with pytest.raises(NotFittedError, match=f"This {kind.__name__} instance is not fitted"):
            getattr(small(kind), method)(*(() if method == "trees_to_dataframe" else (X,)))
    with pytest.raises(NotFittedError, match="is not fitted"):
        small(kind).save("never-written.json")


@six_kinds
def test_a_feature_count_that_differs_from_fit_is_refused_with_both(kind, X):
    model = small(kind).fit(X, Y)
    other = some_graphs(2, n_features=3)
    other = other if isinstance(X, gt.Graphs) else other.vertices
    with pytest.raises(ValueError, match=f"X has 3 features, but {kind.__name__} is expecting 2"):
        model.predict(other)


@six_kinds
@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_a_feature_name_that_differs_from_fit_is_refused_with_both(kind, about):
    def named(*names):
        graphs = gt.Graphs([a_path(3, feature_names=names), a_path(4, feature_names=names)])
        return graphs if about == "graphs" else graphs.vertices

    X = named("age")
    model = small(kind).fit(X, np.arange(len(X)) % 2)
    words = f"feature 0 of X is named 'size', but {kind.__name__} was fitted with 'age'"
    with pytest.raises(ValueError, match=words):
        model.predict(named("size"))


@six_kinds
def test_features_in_another_order_than_in_fit_are_refused(kind):
    rows = np.arange(6.0).reshape(3, 2)

    def named(*names):
        return gt.Graph(rows, [(0, 1)], feature_names=names).vertices

    model = small(kind).fit(named("a", "b"), [0, 1, 0])
    with pytest.raises(ValueError, match="same names and order"):
        model.predict(named("b", "a"))


@six_kinds
def test_another_kind_of_example_than_in_fit_is_refused_with_both(kind, X):
    model = small(kind).fit(X, Y)
    graphs = some_graphs(6)
    of_graphs = isinstance(X, gt.Graphs)
    words = "was fitted on graphs; got vertices" if of_graphs else "on vertices; got graphs"
    with pytest.raises(ValueError, match=words):
        model.predict(graphs.vertices if of_graphs else graphs)


@six_kinds
def test_a_table_is_refused_by_a_model_of_graphs(kind, X):
    with pytest.raises(ValueError, match=r"was fitted on .*; got rows"):
        small(kind).fit(X, Y).predict(np.ones((2, 2)))


def test_walks_that_overflow_are_refused_with_advice():
    loud = gt.Graph([[1e30], [1e30]], [(0, 1)], edge_weights=[1e20])
    with pytest.raises(ValueError, match=r"walks of length 1 .* overflow float32: use a smaller"):
        small(gt.GraphTreeRegressor).fit(loud.vertices, [0.0, 1.0])


def test_an_eval_set_of_unknown_classes_is_refused(X):
    with pytest.raises(ValueError, match="eval_set holds the class 7, which y does not"):
        small(gt.GraphBoostingClassifier).fit(X, Y, eval_set=(X, Y + 7 * (Y == 1) - Y))


@pytest.mark.parametrize("bad", [[1, 2, 3], [("a", 1, 2, 3)], 5], ids=str)
def test_an_eval_set_of_no_shape_is_refused(X, bad):
    with pytest.raises((ValueError, TypeError), match="eval_set must be"):
        small(gt.GraphBoostingRegressor).fit(X, Y, eval_set=bad)


def test_an_eval_set_that_holds_no_labels_for_some_is_refused(X):
    with pytest.raises(ValueError, match="X holds 6 examples, y 5 labels"):
        small(gt.GraphBoostingRegressor).fit(X, Y, eval_set=(X, Y[:5]))


@pytest.mark.parametrize("kind", [gt.GraphTreeClassifier, gt.GraphTreeRegressor], ids=name_of)
def test_two_columns_of_one_name_are_pointed_out(kind):
    twice = pd.DataFrame(np.ones((6, 2)), columns=["a", "a"])
    for X, y, weight, what in (
        (twice, Y, None, "X"),
        (EIGHT[:6], twice, None, "y"),
        (EIGHT[:6], Y, twice, "sample_weight"),
    ):
        with pytest.raises(ValueError, match=f"{what} has two columns named 'a'"):
            small(kind).fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("path", [3, None, ["model.json"], np.ones(2)], ids=repr)
def test_what_is_no_path_is_told_by_what_it_is(path, X):
    model = small(gt.GraphTreeClassifier).fit(X, Y)
    for use in (gt.load_model, model.save, gt.Checkpoint, lambda p: model.report(X, path=p)):
        with pytest.raises(TypeError, match="path must be a path, as text or as a Path; got a"):
            use(path)


def test_a_path_that_the_system_cannot_have_is_refused(X):
    for path in ("\ud800.json", "a\0b.json"):
        with pytest.raises(ValueError, match="path holds"):
            gt.load_model(path)


def test_a_lone_graph_is_no_collection():
    with pytest.raises(TypeError, match=r"got one Graph. Use Graphs\(\[graph\]\)"):
        gt.Graphs(a_path())
