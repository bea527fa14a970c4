"""scikit-learn's functions to look into a model, with ours: tables work, graphs are sent on."""

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
from sklearn.multioutput import ClassifierChain

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


def made_of_graphs(about: str):
    graphs = some_graphs(12, n_vertices=(3, 5), density=1.0)
    listed = {"graphs": graphs, "list": list(graphs)}
    return listed[about] if about in listed else getattr(graphs, about)[:12]


@pytest.mark.parametrize("about", ["graphs", "list", "vertices", "edges"])
def test_for_graphs_the_error_names_what_to_use_instead(about):
    X, y = made_of_graphs(about), np.arange(12) % 2
    model = gt.GraphTreeClassifier().fit(X, y)
    words = (
        r"X is made of \w+, not of rows and columns\. .*"
        r"graphtrees\.permutation_importance.*model\.explain.*MultiOutputClassifier"
    )
    for call in (
        lambda: permutation_importance(model, X, y),
        lambda: partial_dependence(model, X, [0]),
        lambda: PartialDependenceDisplay.from_estimator(model, X, [0]),
        lambda: ClassifierChain(model).fit(X, np.column_stack([y, y])),
    ):
        with pytest.raises(TypeError, match=words):
            call()
    assert gt.permutation_importance(model, X, y).importances_mean.shape == (2,)


def test_a_column_of_graphs_is_no_way_around():
    X, y = made_of_graphs("graphs"), np.arange(12) % 2
    column = np.array(list(X), dtype=object)[:, None]
    model = gt.GraphTreeClassifier().fit(X, y)
    words = r"shape \(12, 1\) that holds graphs; give Graphs or a list of Graph\. This function"
    with pytest.raises(TypeError, match=words):
        permutation_importance(model, column, y)
    with pytest.raises(TypeError, match=words):
        gt.GraphTreeClassifier().fit(column, y)


def test_numpy_and_pandas_still_make_arrays_of_graphs():
    X, y = made_of_graphs("graphs"), np.arange(12) % 2
    for array in (np.asarray(X), np.array(list(X)), pd.Series(X).to_numpy()):
        assert (array.shape, array.dtype) == ((12,), object)
        assert gt.GraphTreeClassifier().fit(array, y).predict(array).shape == (12,)
    assert [len(part) for part in np.array_split(X, 3)] == [4, 4, 4]
