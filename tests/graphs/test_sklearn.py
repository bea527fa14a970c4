"""scikit-learn splits and searches over every kind of example."""

import numpy as np
import pytest
from builders import some_graphs
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    StratifiedKFold,
    cross_val_score,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from graphtrees.graphs import Graphs, as_examples

N = 12


class BySize(ClassifierMixin, BaseEstimator):
    """Says 1 for the examples above a place: enough to see that X is handed on whole."""

    def __init__(self, above=0):
        self.above = above

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        assert len(as_examples(X)) == len(y)
        return self

    def predict(self, X):
        return (place_of(X) > self.above).astype(int)


def place_of(X):
    X = as_examples(X)
    if isinstance(X, Graphs):
        return np.diff(X.flat.vertex_ptr)
    return X.vertex_of if hasattr(X, "vertex_of") else X.edge_of


@pytest.fixture(params=["graphs", "list", "vertices", "edges"])
def X(request):
    graphs = some_graphs(N, n_vertices=(4, 9), density=1.0)
    kinds = {"graphs": graphs, "list": list(graphs)}
    return kinds.get(request.param) or getattr(graphs, request.param)[: 3 * N : 3]


def test_train_test_split_keeps_examples_with_their_labels(X):
    y = place_of(X)
    train, test, y_train, y_test = train_test_split(X, y, test_size=4, random_state=0)
    assert (len(train), len(test)) == (N - 4, 4)
    assert type(train) is type(X)
    np.testing.assert_array_equal(place_of(train), y_train)
    np.testing.assert_array_equal(place_of(test), y_test)


def test_folds_and_searches_index_every_kind_of_example(X):
    y = np.arange(N) % 2
    for train, test in StratifiedKFold(3).split(X, y):
        assert len(train) + len(test) == N
    assert len(list(GroupKFold(3).split(X, y, groups=np.arange(N) // 2))) == 3
    assert len(cross_val_score(BySize(), X, y, cv=3)) == 3
    y = (place_of(X) > np.median(place_of(X))).astype(int)
    search = GridSearchCV(BySize(), {"above": [-1, np.median(place_of(X))]}, cv=2).fit(X, y)
    assert search.best_score_ == 1.0


def test_a_pipeline_hands_examples_through(X):
    y = np.arange(N) % 2
    model = make_pipeline(FunctionTransformer(), BySize()).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), place_of(X) > 0)


def test_a_search_in_other_processes_gets_the_examples():
    X = some_graphs(N, n_vertices=(4, 9)).vertices[:N]
    scores = cross_val_score(DummyClassifier(), X, np.arange(N) % 2, cv=2, n_jobs=2)
    assert len(scores) == 2
