"""scikit-learn's functions to look into a model, with ours: they work on tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import some_graphs
from models import SIX, name_of, small
from sklearn.inspection import (
    PartialDependenceDisplay,
    partial_dependence,
    permutation_importance,
)

import graphtrees as gt

N = 40


def a_table() -> tuple[pd.DataFrame, np.ndarray]:
    """A table whose first column alone tells the label."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"told": rng.random(N), "noise": rng.random(N)})
    X["kind"] = pd.Categorical(rng.choice(["u", "v"], N))
    return X, (X["told"] > 0.5).to_numpy().astype(int)


@pytest.mark.parametrize("kind", SIX, ids=name_of)
def test_permutation_importance_of_a_table_finds_the_column_that_tells(kind):
    X, y = a_table()
    for table in (X, X[["told", "noise"]].to_numpy()):
        model = small(kind).fit(table, y)
        found = permutation_importance(model, table, y, n_repeats=3, random_state=0)
        assert found.importances_mean.argmax() == 0
        ours = gt.permutation_importance(model, table, y, n_repeats=3, random_state=0)
        assert ours.importances.shape == found.importances.shape


@pytest.mark.parametrize("kind", SIX, ids=name_of)
def test_partial_dependence_of_a_table_rises_with_the_column_that_tells(kind):
    X, y = a_table()
    model = small(kind).fit(X, y)
    rising = partial_dependence(model, X, ["told"])["average"][0]
    assert rising[-1] > rising[0]
    by_label = partial_dependence(model, X, ["kind"], categorical_features=["kind"])
    assert by_label["average"].shape == (1, 2)
    array = X[["told", "noise"]].to_numpy()
    of_array = partial_dependence(small(kind).fit(array, y), array, [(0, 1)], grid_resolution=5)
    assert of_array["average"].shape == (1, 5, 5)


def test_partial_dependence_is_drawn():
    pytest.importorskip("matplotlib").use("Agg")
    X, y = a_table()
    model = gt.GraphBoostingClassifier(3).fit(X, y)
    drawn = PartialDependenceDisplay.from_estimator(
        model, X, ["told", "kind"], categorical_features=["kind"]
    )
    assert drawn.axes_.shape == (1, 2)


def test_a_column_of_graphs_is_no_way_around():
    X, y = some_graphs(12, n_vertices=(3, 5), density=1.0), np.arange(12) % 2
    column = np.array(list(X), dtype=object)[:, None]
    model = gt.GraphTreeClassifier().fit(X, y)
    words = r"shape \(12, 1\) that holds graphs; give Graphs or a list of Graph\. Functions of"
    with pytest.raises(TypeError, match=words):
        permutation_importance(model, column, y)
    with pytest.raises(TypeError, match=words):
        gt.GraphTreeClassifier().fit(column, y)


def test_numpy_and_pandas_still_make_arrays_of_graphs():
    X, y = some_graphs(12, n_vertices=(3, 5), density=1.0), np.arange(12) % 2
    for array in (np.asarray(X), np.array(list(X)), pd.Series(X).to_numpy()):
        assert (array.shape, array.dtype) == ((12,), object)
        assert gt.GraphTreeClassifier().fit(array, y).predict(array).shape == (12,)
    assert [len(part) for part in np.array_split(X, 3)] == [4, 4, 4]
