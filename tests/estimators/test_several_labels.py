"""Several labels or numbers for each example."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from boosting_tasks import classes, examples, numbers
from models import CLASSIFIERS, SIX, name_of, small
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.tree import DecisionTreeClassifier

import graphtrees as gt

REGRESSORS = [kind for kind in SIX if kind not in CLASSIFIERS]
classifiers = pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
regressors = pytest.mark.parametrize("kind", REGRESSORS, ids=name_of)
every_x = pytest.mark.parametrize("about", ["graphs", "list", "vertices", "edges"])


def make(about: str):
    """60 examples, and two columns of labels."""
    X = examples("vertices" if about == "vertices" else "graphs")
    Y = np.column_stack([classes(X, 2), classes(X, 3, seed=1)])
    if about == "edges":
        X = X.edges[:60]
    return (list(X) if about == "list" else X), Y


@every_x
@classifiers
def test_a_model_for_each_column_is_what_the_columns_alone_give(kind, about):
    X, Y = make(about)
    together = MultiOutputClassifier(small(kind)).fit(X, Y)
    alone = [small(kind).fit(X, column) for column in Y.T]
    np.testing.assert_array_equal(
        together.predict(X), np.column_stack([one.predict(X) for one in alone])
    )
    for ours, one in zip(together.predict_proba(X), alone, strict=True):
        np.testing.assert_array_equal(ours, one.predict_proba(X))
    assert 0 < together.score(X, Y) <= 1


@every_x
@regressors
def test_several_numbers_are_fitted_by_one_model_or_by_one_each(kind, about):
    X, Y = make(about)
    Y = Y.astype(float)
    assert small(kind).fit(X, Y).predict(X).shape == Y.shape
    each = MultiOutputRegressor(small(kind)).fit(X, Y)
    alone = [small(kind).fit(X, column).predict(X) for column in Y.T]
    np.testing.assert_array_equal(each.predict(X), np.column_stack(alone))


def test_searches_and_folds_go_through_the_wrapper():
    X, Y = make("vertices")
    model = MultiOutputClassifier(small(gt.GraphBoostingClassifier))
    assert cross_val_score(model, X, Y, cv=3).shape == (3,)
    assert cross_val_predict(model, X, Y, cv=3).shape == Y.shape
    search = GridSearchCV(model, {"estimator__max_leaf_nodes": [2, 4]}, cv=2).fit(X, Y)
    assert search.best_params_["estimator__max_leaf_nodes"] in (2, 4)


def test_weights_go_through_the_wrapper():
    X, Y = make("graphs")
    weight = np.linspace(0.1, 3, 60)
    model = MultiOutputClassifier(small(gt.GraphTreeClassifier)).fit(X, Y, sample_weight=weight)
    alone = small(gt.GraphTreeClassifier).fit(X, Y[:, 0], sample_weight=weight)
    np.testing.assert_array_equal(model.predict(X)[:, 0], alone.predict(X))


def test_sets_of_labels_become_columns():
    X, Y = make("graphs")
    tags = [{name for name, there in zip("ab", row > 0, strict=True) if there} for row in Y]
    binarizer = MultiLabelBinarizer()
    columns = binarizer.fit_transform(tags)
    model = OneVsRestClassifier(small(gt.GraphBoostingClassifier)).fit(X, columns)
    assert set(binarizer.inverse_transform(model.predict(X))[0]) <= set("ab")


@classifiers
def test_a_classifier_says_what_to_write_for_several_columns(kind):
    X, Y = make("graphs")
    words = r"shape \(60, 2\) instead: one label .*MultiOutputClassifier\(model\)\.fit\(X, y\)\.$"
    for y in (Y, pd.DataFrame(Y), Y.tolist()):
        with pytest.raises(ValueError, match=words):
            small(kind).fit(X, y)


@classifiers
def test_one_hot_columns_are_known_as_such(kind):
    X, Y = make("graphs")
    with pytest.raises(ValueError, match=r"\(one-hot\), give y\.argmax\(axis=1\)"):
        small(kind).fit(X, np.eye(3)[Y[:, 1]])


@pytest.mark.parametrize(
    "y", [[["a", "b"], ["a"], []] * 20, [{"a"}, {"a", "b"}, {"b"}] * 20], ids=["lists", "sets"]
)
def test_lists_of_labels_are_sent_to_the_binarizer(y):
    X, _ = make("graphs")
    for given in (y, pd.Series(y)):
        with pytest.raises(ValueError, match=r"several labels .*MultiLabelBinarizer\(\)"):
            gt.GraphForestClassifier().fit(X, given)


def test_a_regressor_on_labels_of_0_and_1_is_one_tree_for_all_of_them():
    """Squared error of 0 and 1 is half of Gini's impurity, so the tree is scikit-learn's."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 40, (80, 3)).astype(float)
    Y = np.column_stack([X[:, 0] > 15, X[:, 1] + X[:, 0] > 40, rng.random(80) > 0.7]).astype(int)
    tree = gt.GraphTreeRegressor(max_depth=3, max_bins=None, random_state=0).fit(X, Y)
    theirs = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, Y)
    chances = np.column_stack([two[:, 1] for two in theirs.predict_proba(X)])
    np.testing.assert_allclose(tree.predict(X), chances, atol=1e-12)


def test_numbers_of_several_examples_do_not_mix():
    X = examples("graphs")
    Y = np.column_stack([numbers(X, 0), -numbers(X, 0)])
    said = small(gt.GraphForestRegressor).fit(X, Y).predict(X)
    np.testing.assert_allclose(said[:, 0], -said[:, 1])
