"""`importance` on every estimator, and what shuffling a feature costs."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import some_graphs
from models import SIX, name_of, small
from scipy import sparse
from sklearn.inspection import permutation_importance as of_scikit_learn

import graphtrees as gt
from graphtrees.explain import importance

six = pytest.mark.parametrize("kind", SIX, ids=name_of)


def told_by_one_feature(about: str, n: int = 80):
    """Examples with three features; the second one, summed over neighbours, tells y."""
    X = some_graphs(n if about != "vertices" else 4, n_features=3, n_vertices=(4, 8), seed=1)
    if about == "graphs":
        y = np.array([g.features[:, 1].sum() for g in X])
        return X, (y > np.median(y)).astype(int)
    X = some_graphs(4, n_features=3, n_vertices=(20, 20), density=0.2, seed=1)
    sums = np.concatenate([g.adjacency() @ g.features[:, 1] for g in X])
    return X.vertices, (sums > np.median(sums)).astype(int)


@six
@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_a_model_tells_what_it_gained_from(kind, about):
    X, y = told_by_one_feature(about)
    model = small(kind).fit(X, y)
    for what in ("gain", "splits"):
        for by in ("feature", "walk_length", "walk_type", "aggregator", "operator", "question"):
            assert model.importance(what, by) == importance(model, what, by)
    assert model.importance() == importance(model, "gain", "feature")


@six
@pytest.mark.parametrize("about", ["graphs", "vertices"])
def test_shuffling_the_feature_that_tells_costs_most(kind, about):
    X, y = told_by_one_feature(about)
    model = small(kind, n_jobs=None).fit(X, y)
    found = gt.permutation_importance(model, X, y, n_repeats=3, random_state=0)
    assert found.importances.shape == (3, 3)
    assert found.feature_names == ["x0", "x1", "x2"]
    assert found.importances_mean.argmax() == 1
    assert found.score == pytest.approx(model.score(X, y))
    np.testing.assert_allclose(found.importances_mean, found.importances.mean(axis=1))
    np.testing.assert_allclose(found.importances_std, found.importances.std(axis=1))


def test_a_feature_that_no_tree_asks_about_costs_nothing():
    X, y = told_by_one_feature("graphs")
    model = gt.GraphTreeClassifier(max_depth=1).fit(X, y)
    (asked,) = model.importance()
    found = gt.permutation_importance(model, X, y, random_state=0)
    for name, row in zip(found.feature_names, found.importances, strict=True):
        assert row.any() == (name == asked)


def test_values_move_over_all_vertices_of_all_graphs():
    """A model that knows graphs by one value of their own is left with nothing."""
    graphs = gt.Graphs([gt.Graph(np.full((3, 1), float(k)), [(0, 1)]) for k in range(30)])
    model = gt.GraphTreeRegressor().fit(graphs, np.arange(30.0))
    assert model.score(graphs, np.arange(30.0)) == 1.0
    found = gt.permutation_importance(model, graphs, np.arange(30.0), random_state=0)
    assert found.importances_mean[0] > 0.9


def test_values_of_vertices_without_a_label_take_part():
    """y is told by a neighbour that is never an example itself."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, 80).astype(float)
    graph = gt.Graph(values[:, None], [(k, k + 40) for k in range(40)])
    X, y = graph.vertices[:40], values[40:]
    model = gt.GraphTreeClassifier(max_walk_length=1).fit(X, y)
    assert model.score(X, y) == 1.0
    found = gt.permutation_importance(model, X, y, random_state=0)
    assert 0.3 < found.importances_mean[0] < 0.7


def test_edges_are_judged_by_their_own_features_and_by_those_of_their_ends():
    rng = np.random.default_rng(0)
    graph = gt.Graph(
        rng.normal(size=(30, 2)), rng.integers(0, 30, (60, 2)), feature_names=["a", "b"],
        edge_features=pd.DataFrame({"length": rng.normal(size=60)}), edge_weights=rng.random(60),
    )  # fmt: skip
    y = (graph.edge_features[:, 0] > 0).astype(int)
    model = gt.GraphTreeClassifier(max_walk_length=0).fit(graph.edges, y)
    found = model.importance("permutation", X=graph.edges, y=y, random_state=0)
    assert set(found) == {"a", "b", "weight", "length"}
    assert next(iter(found)) == "length"
    assert found["length"] > 0.3


def a_table(form: str):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(120, 3))
    y = values[:, 0] + 0.3 * values[:, 1] + 0.1 * rng.normal(size=120)
    if form == "array":
        return values, y
    if form == "sparse":
        return sparse.csr_array(values), y
    if form == "polars":
        polars = pytest.importorskip("polars")
        return polars.DataFrame({name: values[:, k] for k, name in enumerate("abc")}), y
    frame = pd.DataFrame(values, columns=list("abc"), index=np.arange(120)[::-1])
    if form == "categories":
        frame["c"] = pd.Categorical(np.where(values[:, 2] > 0, "up", "down"))
        y = y + 2 * (values[:, 2] > 0)
    return frame, y


@pytest.mark.parametrize("form", ["array", "sparse", "pandas", "polars", "categories"])
def test_columns_of_any_table_can_be_shuffled(form):
    X, y = a_table(form)
    model = gt.GraphBoostingRegressor(20, random_state=0).fit(X, y)
    found = gt.permutation_importance(model, X, y, random_state=0)
    assert found.feature_names == (
        ["x0", "x1", "x2"] if form in ("array", "sparse") else list("abc")
    )
    mean = found.importances_mean
    assert mean[0] > mean[1] > 0.0
    assert mean[2] > (0.2 if form == "categories" else -0.01)


def test_on_a_table_it_is_scikit_learns_importance():
    X, y = a_table("array")
    model = gt.GraphBoostingRegressor(20, random_state=0).fit(X, y)
    ours = gt.permutation_importance(model, X, y, n_repeats=60, random_state=0)
    theirs = of_scikit_learn(model, X, y, n_repeats=60, random_state=0)
    error = 4 * np.sqrt(ours.importances_std**2 / 60 + theirs.importances_std**2 / 60)
    assert (np.abs(ours.importances_mean - theirs.importances_mean) <= error + 1e-12).all()


def test_any_scorer_can_judge_and_weights_are_read():
    X, y = told_by_one_feature("graphs")
    model = small(gt.GraphBoostingClassifier).fit(X, y)
    found = gt.permutation_importance(model, X, y, scoring="neg_log_loss", random_state=0)
    assert found.score < 0
    weight = np.where(np.arange(len(X)) < 10, 1.0, 0.0)
    some = gt.permutation_importance(
        model, X, y, scoring="neg_log_loss", sample_weight=weight, random_state=0
    )
    assert some.score == pytest.approx(
        gt.permutation_importance(model, X[:10], y[:10], scoring="neg_log_loss").score
    )


def test_shuffles_are_seeded_and_do_not_depend_on_other_features():
    X, y = told_by_one_feature("graphs")
    model = small(gt.GraphForestClassifier, n_estimators=10).fit(X, y)
    one, again, other = (gt.permutation_importance(model, X, y, random_state=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(one.importances, again.importances)
    assert (one.importances != other.importances).any()
    fewer = gt.permutation_importance(model, X, y, random_state=1, n_repeats=2)
    np.testing.assert_array_equal(fewer.importances, one.importances[:, :2])


def test_the_method_gives_the_mean_loss_by_name_the_largest_first():
    X, y = told_by_one_feature("graphs")
    model = small(gt.GraphBoostingClassifier).fit(X, y)
    told = model.importance("permutation", X=X, y=y, random_state=0, n_repeats=2)
    found = gt.permutation_importance(model, X, y, random_state=0, n_repeats=2)
    means = dict(zip(found.feature_names, found.importances_mean.tolist(), strict=True))
    assert told == means
    assert list(told.values()) == sorted(told.values(), reverse=True)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (
            {"kind": "luck"},
            ValueError,
            "kind must be one of gain, split, splits, permutation; got 'luck'",
        ),
        ({"by": "colour"}, ValueError, "by must be one of feature, .* got 'colour'"),
        ({"kind": "permutation"}, TypeError, "kind='permutation' needs X and y"),
        (
            {"kind": "permutation", "by": "walk_length", "X": "X", "y": "y"},
            ValueError,
            "knows by='feature' alone; got by='walk_length'",
        ),
        ({"X": "X"}, TypeError, "X: for kind='permutation' alone; got kind='gain'"),
    ],
    ids=str,
)
def test_what_is_asked_wrongly_is_answered_with_what_can_be_asked(given, error, words):
    X, y = told_by_one_feature("graphs")
    model = small(gt.GraphTreeClassifier).fit(X, y)
    given = {k: {"X": X, "y": y}.get(v, v) if isinstance(v, str) else v for k, v in given.items()}
    with pytest.raises(error, match=words):
        model.importance(**given)


@pytest.mark.parametrize("n_repeats", [0, 1.5, True])
def test_shuffles_are_a_whole_number(n_repeats):
    X, y = told_by_one_feature("graphs")
    model = small(gt.GraphTreeClassifier).fit(X, y)
    with pytest.raises(ValueError, match="n_repeats must be an integer of at least 1"):
        gt.permutation_importance(model, X, y, n_repeats=n_repeats)
