"""Boosting that starts from a model: `init`."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from boosting_tasks import (
    assert_same_model,
    both,
    classes,
    classifier,
    examples,
    numbers,
    regressor,
)
from builders import a_rich_graph, some_graphs
from models import BOOSTING, small
from scipy import sparse
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import graphtrees as gt
from graphtrees.estimators.starts.borrowed import raw_of
from graphtrees.estimators.starts.choosing import deal_out
from graphtrees.estimators.starts.linear import _within
from graphtrees.estimators.starts.penalised import STRENGTHS

TASKS: dict[str, tuple[Any, Any]] = {
    "two classes": (classifier, lambda X: classes(X)),
    "three classes": (classifier, lambda X: classes(X, 3)),
    "softmax": (lambda n=5, **given: classifier(n, multi_strategy="softmax", **given),
                lambda X: classes(X, 3)),
    "numbers": (regressor, numbers),
    "medians": (lambda n=5, **given: regressor(n, loss="absolute_error", **given), numbers),
    "counts": (lambda n=5, **given: regressor(n, loss="poisson", **given),
               lambda X: np.exp(0.2 * numbers(X))),
    "two outputs": (regressor, lambda X: np.stack([numbers(X), numbers(X, 1)], axis=1)),
}  # fmt: skip
every_task = pytest.mark.parametrize("task", TASKS)


def raw_scores(model: Any, X: Any) -> np.ndarray:
    return model._raw(X)


# ---- what it computes ----------------------------------------------------------------------------


@both
@every_task
def test_with_steps_of_no_size_the_prediction_is_that_of_the_linear_model(task, about):
    make, targets = TASKS[task]
    X = examples(about)
    model = make(2, init="linear", learning_rate=1e-12).fit(X, targets(X))
    np.testing.assert_allclose(raw_scores(model, X), model.start_values(X), atol=1e-9)
    assert np.ptp(model.start_values(X), axis=0).min() > 0.1


def test_the_linear_model_of_a_table_is_ridge_regression():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)) * [1.0, 10.0, 0.1] + [0.0, 5.0, 100.0]
    y = X @ [1.0, 0.2, -3.0] + 0.5 * rng.normal(size=80)
    model = regressor(1, init="linear").fit(X, y)
    scaled = StandardScaler().fit(X)
    strength = 80 * 3 * model.init_estimator_.strength  # rows are scaled to a length of about 1
    ridge = Ridge(alpha=strength).fit(scaled.transform(X), y)
    np.testing.assert_allclose(
        model.start_values(X)[:, 0], ridge.predict(scaled.transform(X)), rtol=1e-7
    )


def test_the_linear_model_of_classes_is_logistic_regression():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = X[:, 0] + rng.normal(size=200) > 0
    model = classifier(1, init="linear").fit(X, y)
    scaled = StandardScaler().fit(X)
    peer = LogisticRegression(C=1 / (200 * 2 * model.init_estimator_.strength), tol=1e-8)
    peer.fit(scaled.transform(X), y)
    np.testing.assert_allclose(
        model.start_values(X)[:, 0], peer.decision_function(scaled.transform(X)), atol=2e-3
    )


def test_neighbour_means_are_columns_of_the_linear_model():
    rng = np.random.default_rng(0)
    n = 200
    edges = rng.integers(n, size=(400, 2))
    g = gt.Graph(rng.normal(size=(n, 1)), edges)
    A = g.adjacency() + sparse.diags_array(g.adjacency().diagonal())
    means = (A @ g.features)[:, 0] / np.maximum(A.sum(axis=1), 1)
    model = regressor(1, init="linear").fit(g.vertices, 3 * means)
    assert model.init_estimator_.n_steps == 1  # max_walk_length is 1
    np.testing.assert_allclose(model.start_values(g.vertices)[:, 0], 3 * means, atol=1e-3)


@pytest.mark.parametrize("about", ["own", "neighbours"])
def test_cross_validation_tells_whether_neighbours_count(about):
    rng = np.random.default_rng(1)
    X = some_graphs(1, n_vertices=(150, 150), density=0.03).vertices
    g = X.graphs[0]
    y = (g.adjacency() @ g.features if about == "neighbours" else g.features)[:, 0]
    model = regressor(1, init="linear").fit(X, y + 0.01 * rng.normal(size=150))
    assert model.init_estimator_.n_steps == (1 if about == "neighbours" else 0)


def test_training_examples_start_from_models_that_did_not_see_them():
    """Labels of pure noise that a linear model could learn by heart."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 60)), rng.normal(size=40)
    given = {"learning_rate": 1e-12, "init": Ridge(alpha=1e-6)}
    model = regressor(1, **given).fit(X, y)
    seen = np.mean((model.predict(X) - y) ** 2)
    assert seen < 1e-6
    assert model.evals_result_["train"]["loss"][0] > 0.5


def test_nothing_changes_without_init():
    """The trees, the start and the predictions, to the bit: a constant start says the same."""
    X = examples("vertices")
    plain = regressor().fit(X, numbers(X))
    assert plain.init_estimator_ is None
    np.testing.assert_array_equal(plain.start_values(X), np.tile(plain.init_, (len(X), 1)))
    assert plain.init_[0] == pytest.approx(numbers(X).mean(), rel=1e-15)


@both
def test_a_linear_start_helps_where_the_target_is_linear(about):
    X, new = examples(about, 80), examples(about, 80, seed=5)
    plain = regressor(20).fit(X, numbers(X, noise=0.01))
    linear = regressor(20, init="linear").fit(X, numbers(X, noise=0.01))
    truth = numbers(new, noise=0.0)
    assert linear.score(new, truth) > 0.95 > plain.score(new, truth)


@both
def test_the_number_of_threads_changes_nothing(about):
    X = examples(about)
    one, two = (classifier(init="linear", n_jobs=n_jobs).fit(X, classes(X, 3)) for n_jobs in (1, 2))
    assert_same_model(one, two, X)


def test_sparse_and_dense_features_give_the_same_start():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 5)) * (rng.random((60, 5)) < 0.1)
    edges, y = rng.integers(60, size=(100, 2)), rng.normal(size=60)
    dense, thin = gt.Graph(values, edges), gt.Graph(sparse.csr_array(values), edges)
    starts = [
        regressor(1, init="linear", random_state=0).fit(g.vertices, y).start_values(g.vertices)
        for g in (dense, thin)
    ]
    np.testing.assert_allclose(*starts, atol=1e-6)


@pytest.mark.parametrize("kind", ["graphs", "vertices", "edges"])
@pytest.mark.parametrize("directed", [False, True])
def test_every_kind_of_feature_and_example_has_a_linear_start(kind, directed):
    graphs = gt.Graphs([a_rich_graph(seed, directed=directed) for seed in range(30)])
    X = graphs if kind == "graphs" else getattr(graphs, kind)
    y = np.random.default_rng(0).normal(size=len(X))
    model = regressor(init="linear").fit(X, y)
    assert np.isfinite(model.predict(X)).all()


def test_a_table_with_missing_values_and_categories_has_a_linear_start():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"size": rng.normal(size=50), "kind": pd.Categorical(list("abcde") * 10)})
    table.loc[::7, "size"] = np.nan
    y = table["kind"].cat.codes + table["size"].fillna(0.0)
    model = regressor(20, init="linear").fit(table, y)
    assert model.score(table, y) > 0.95
    table.loc[0, "kind"] = np.nan
    assert np.isfinite(model.predict(table)).all()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_the_mean_of_the_known_values_stands_for_a_missing_one(form):
    X = np.random.default_rng(0).normal(3.0, size=(40, 2))
    X[::3, 0] = np.nan
    model = regressor(1, init="linear").fit(form(X), X[:, 1])
    np.testing.assert_allclose(model.init_estimator_.fill, np.nanmean(X, axis=0), rtol=1e-6)
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    np.testing.assert_allclose(
        model.start_values(form(X)), model.start_values(form(filled)), rtol=1e-6
    )


@pytest.mark.parametrize("seed", range(20))
def test_every_fold_has_its_share_of_each_class_and_of_the_examples_that_count(seed):
    codes = np.repeat([0, 1, 2], [60, 25, 15])
    weight = np.tile([0.0, 0.0, 0.0, 0.0, 1.0], 20)
    fold_of = deal_out(weight, codes, seed)
    for code in range(3):
        counts = np.bincount(fold_of[(codes == code) & (weight > 0)], minlength=5)
        assert np.ptp(counts) <= 1, counts
    assert set(np.bincount(fold_of)) == {20}
    assert np.ptp(np.bincount(deal_out(weight, None, seed)[weight > 0], minlength=5)) <= 1


def test_a_fold_without_a_class_gives_it_the_least_chance():
    """The estimator of that fold knows two of the three classes, and not the first."""
    X, classes_ = np.arange(8.0)[:, None], np.array(["a", "b", "c"])
    known = DummyClassifier(strategy="prior").fit(X, list("bbbbbbcc"))
    for strategy in ("softmax", "one_vs_rest"):
        model = classifier(1, multi_strategy=strategy).fit(X, list("abcabcab"))
        raw = raw_of(known, X, model._fitted.loss, classes_)
        assert (np.argsort(raw, axis=1) == [0, 2, 1]).all()


def test_of_penalties_that_score_alike_the_strongest_is_taken():
    """Columns that do not vary have no coefficients, whatever the penalty."""
    X, y = np.ones((30, 3)), np.random.default_rng(0).normal(size=30)
    model = regressor(1, init="linear").fit(X, y)
    assert model.init_estimator_.strength == max(STRENGTHS)
    assert not model.init_estimator_.coef.any()


def test_examples_may_start_a_range_beyond_where_the_model_of_all_puts_any():
    """No further: a model that never saw the like of an example may be far off."""
    of_all = np.array([[1.0, 0.0], [3.0, 0.0], [2.0, 5.0]])
    raw = np.array([[-0.9, -9.0], [-1.1, 9.9], [5.1, 10.1]])
    np.testing.assert_array_equal(_within(raw, of_all), [[-0.9, -5.0], [-1.0, 9.9], [5.0, 10.0]])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_class_of_one_example_has_a_linear_start(n_classes):
    X = np.arange(20.0)[:, None]
    y = np.zeros(20, int)
    y[-(n_classes - 1) :] = np.arange(1, n_classes)
    model = classifier(init="linear").fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


def test_a_fold_of_zeros_does_not_start_counts_from_nothing():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = (np.arange(60) == 3).astype(float)
    model = regressor(init="linear", loss="poisson").fit(X, y)
    assert model.predict(X).max() < 2
    assert model.evals_result_["train"]["loss"][-1] < model.evals_result_["train"]["loss"][0]


def test_one_class_or_one_example_starts_from_a_constant():
    with pytest.warns(UserWarning, match="one class only"):
        model = classifier(init="linear").fit(np.eye(3), [1, 1, 1])
    assert model.init_estimator_ is None
    assert regressor(init="linear", min_samples_leaf=1).fit([[1.0]], [2.0]).predict([[5.0]]) == [2]


def test_weights_count_in_the_linear_model():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 1))
    y = np.where(np.arange(60) < 30, 2 * X[:, 0], -X[:, 0])
    weight = np.where(np.arange(60) < 30, 1.0, 0.0)
    model = regressor(1, init="linear", learning_rate=1e-9).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.predict(X), 2 * X[:, 0], atol=1e-3)


def test_features_take_no_more_steps_in_the_linear_model_than_they_may_walk():
    X = some_graphs(20, n_vertices=(4, 7), density=0.5).vertices
    y = np.random.default_rng(0).normal(size=len(X))
    model = regressor(3, init="linear", max_walk_length=2).fit(X, y)
    short = regressor(3, init="linear", max_walk_length={0: 0}).fit(X, y)
    assert model.init_estimator_.n_steps == short.init_estimator_.n_steps == 2
    steps = [m.init_estimator_.coef.reshape(3, -1) for m in (model, short)]
    assert (steps[0][1:, 0] != 0).all()
    np.testing.assert_array_equal(steps[1][1:, 0], 0.0)
    assert (steps[1][1:, 1] != 0).all()


def test_neighbourhoods_are_counted_and_not_walked_in_the_linear_model(tmp_path):
    rng = np.random.default_rng(0)
    graphs = []
    for _ in range(40):
        kinds = pd.Categorical(rng.choice(["C", "O"], 6))
        edges = [(v, int(rng.integers(v))) for v in range(1, 6)]
        graphs.append(gt.Graph(pd.DataFrame({"kind": kinds}), edges))
    X, y = gt.Graphs(graphs), rng.normal(size=40)
    model = regressor(3, init="linear", colours=1, max_walk_length=1, min_samples_leaf=3).fit(X, y)
    n = model._fitted.features.n_colours
    assert n > 3
    start = model.init_estimator_
    blocks = start.coef.reshape(-1, 3 + n)  # C, O, the constant, colours; sums and means by steps
    assert (blocks[0, 3:] != 0).any()
    np.testing.assert_array_equal(blocks[2:, 3:], 0.0)
    model.save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def log_loss_derivatives(y, raw):
    chance = 1 / (1 + np.exp(-raw))
    return chance - y, chance * (1 - chance)


def test_a_loss_that_is_a_function_starts_from_the_probabilities_of_an_estimator():
    X = examples("vertices")
    y = classes(X)
    forest = gt.GraphForestClassifier(5, random_state=0)
    model = classifier(1, loss=log_loss_derivatives, init=forest, learning_rate=1e-12).fit(X, y)
    told = model.init_estimator_.predict_proba(X)[:, 1]
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], told, atol=1e-6)
    with pytest.raises(ValueError, match="init='linear' needs a loss with a method loss"):
        classifier(1, loss=log_loss_derivatives, init="linear").fit(X, y)


# ---- estimators ----------------------------------------------------------------------------------


def test_an_estimator_of_ours_is_a_start():
    X = examples("graphs")
    forest = gt.GraphForestClassifier(10, random_state=0, n_jobs=1)
    model = classifier(1, init=forest, learning_rate=1e-12).fit(X, classes(X, 3))
    wanted = clone(forest).fit(X, classes(X, 3)).predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), wanted, atol=1e-6)
    assert isinstance(model.init_estimator_, gt.GraphForestClassifier)
    assert not hasattr(forest, "classes_")  # the one that was given is not fitted


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_a_pipeline_is_a_start_on_tables(loss):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.random(60) + 1
    pipeline = make_pipeline(SimpleImputer(), Ridge())
    model = regressor(1, init=pipeline, loss=loss, learning_rate=1e-12).fit(X, y)
    np.testing.assert_allclose(model.predict(X), pipeline.fit(X, y).predict(X), rtol=1e-6)


def test_labels_that_are_strings_reach_the_estimator():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.array(["no", "yes"])[(X[:, 0] > 0).astype(int)]
    model = classifier(3, init=LogisticRegression()).fit(X, y)
    assert model.init_estimator_.classes_.tolist() == ["no", "yes"]
    assert model.score(X, y) > 0.9


def test_an_estimator_without_weights_is_named():
    X, y = np.eye(20), np.arange(20.0)
    pipeline = make_pipeline(SimpleImputer(), Ridge())
    with pytest.raises(ValueError, match="the fit of Pipeline takes no sample_weight"):
        regressor(init=pipeline).fit(X, y, sample_weight=np.arange(1.0, 21.0))


def test_an_estimator_without_probabilities_is_named():
    X, y = np.eye(20), np.arange(20) % 2
    with pytest.raises(TypeError, match="init: Ridge has no predict_proba"):
        classifier(init=Ridge()).fit(X, y)


@pytest.mark.parametrize("odd", ["ridge", 3, Ridge, DummyRegressor()])
def test_an_init_that_is_none_is_refused(odd):
    if isinstance(odd, DummyRegressor):
        odd.predict = None  # no estimator without a way to predict
    with pytest.raises(ValueError, match="'init' parameter of GraphBoostingRegressor must be None"):
        regressor(init=odd).fit(np.eye(3), [1.0, 2.0, 3.0])


def test_a_loss_with_a_link_of_its_own_has_no_estimator_to_start_from():
    class Odd:
        def gradient(self, y, raw):
            return raw - y

        def link(self, raw):
            return raw**3

    with pytest.raises(ValueError, match="init=estimator needs a loss whose link is known"):
        regressor(init=Ridge(), loss=Odd()).fit(np.eye(9), np.arange(9.0))
    with pytest.raises(ValueError, match="init='linear' needs a loss with a method loss"):
        regressor(init="linear", loss=Odd()).fit(np.eye(9), np.arange(9.0))


def test_clone_and_grid_search_reach_into_the_start():
    X = examples("vertices")
    model = classifier(2, init=gt.GraphTreeClassifier(random_state=0))
    search = GridSearchCV(model, {"init__max_depth": [1, 2], "init": [model.init]}, cv=2)
    search.fit(X, classes(X))
    assert search.best_estimator_.init.max_depth in (1, 2)


_FOLDS = "folds are dealt out by the number of examples, and weight 2 does not count twice there"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": _FOLDS,
    "check_sample_weight_equivalence_on_sparse_data": _FOLDS,
}


# A check sets n_iter_no_change on whatever has it, which is warned of while early stopping is off.
@pytest.mark.filterwarnings("ignore:n_iter_no_change=20")
@parametrize_with_checks(
    [small(kind, init="linear") for kind in BOOSTING], expected_failed_checks=lambda _: EXPECTED
)
def test_scikit_learn_accepts_a_linear_start(estimator, check):
    check(estimator)


# ---- everything that predictions pass through ----------------------------------------------------


@both
@every_task
def test_stages_end_at_the_prediction(task, about):
    make, targets = TASKS[task]
    X = examples(about)
    model = make(init="linear").fit(X, targets(X))
    stages = list(model.staged_predict(X))
    assert len(stages) == 5
    np.testing.assert_array_equal(stages[-1], model.predict(X))


@pytest.mark.parametrize("init", ["linear", Ridge()])
def test_watched_sets_start_from_the_model(init):
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(50, 2)), rng.normal(size=(30, 2))
    model = regressor(init=init, early_stopping=True)
    model.fit(X, 2 * X[:, 0], eval_set=(new, 2 * new[:, 0]))
    left = np.mean((model.predict(new) - 2 * new[:, 0]) ** 2)
    best = model.evals_result_["validation"]["loss"][model.best_iteration_]
    assert best == pytest.approx(left, rel=1e-9)


def test_examples_set_aside_are_not_seen_by_the_linear_model():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 50)), rng.normal(size=60)
    model = regressor(init="linear", early_stopping=True, validation_fraction=0.5).fit(X, y)
    assert model.evals_result_["validation"]["loss"][0] > 0.3


@both
@every_task
def test_explanations_add_up(task, about):
    make, targets = TASKS[task]
    X = examples(about)
    model = make(init="linear").fit(X, targets(X))
    raw = raw_scores(model, X)
    for place in range(3):
        e = model.explain(X[[place]])
        output = (
            0
            if raw.shape[1] == 1 or task == "two outputs"
            else list(model.classes_).index(e.class_)
        )
        sign = -1 if task == "two classes" and e.class_ == 0 else 1
        assert e.raw_score == pytest.approx(sign * raw[place, output], rel=1e-9, abs=1e-9)
        added = e.vertex_attribution.sum() + e.absence
        assert e.start + added == pytest.approx(e.raw_score, rel=1e-6, abs=1e-6)


def test_rules_say_what_the_linear_model_says():
    X = examples("vertices")
    model = classifier(init="linear").fit(X, np.where(classes(X), "red", "blue"))
    place = int(np.argmax(model.start_values(X)[:, 0]))
    first = model.explain(X[[place]], class_="red").rules()[0]
    assert first.startswith("start: a linear model puts class 'red' at +")
    other = model.explain(X[[place]], class_="blue").rules()[0]
    assert other == first.replace("red", "blue").replace("+", "−")
    plain = classifier().fit(X, classes(X))
    assert plain.explain(X[[0]]).rules()[0].startswith("tree ")


def test_plots_and_reports_say_what_the_trees_start_from(tmp_path):
    X = examples("vertices")
    model = classifier(init="linear").fit(X, classes(X))
    assert "starts from a linear model" in gt.plot_tree(model).get_title()
    model.report(X, classes(X), path=tmp_path / "report.html")
    assert "5 trees that start from a linear model" in (tmp_path / "report.html").read_text()


# ---- going on ------------------------------------------------------------------------------------


@both
@every_task
def test_a_resumed_run_is_the_run_that_never_stopped(task, about, tmp_path):
    make, targets = TASKS[task]
    X = examples(about)
    whole = make(6, init="linear").fit(X, targets(X))
    stopped = make(3, init="linear")
    stopped.fit(X, targets(X), callbacks=[gt.Checkpoint(tmp_path / "run.json", every=2)])
    resumed = make(6, init="linear").fit(X, targets(X), resume_from=tmp_path / "run.json")
    assert_same_model(resumed, whole, X)
    np.testing.assert_array_equal(resumed.init_estimator_.coef, whole.init_estimator_.coef)


def test_a_resumed_run_sets_the_same_examples_aside(tmp_path):
    X = examples("vertices")
    given = {"init": "linear", "early_stopping": True, "n_iter_no_change": 50}
    whole = regressor(6, **given).fit(X, numbers(X))
    checkpoint = gt.Checkpoint(tmp_path / "run.json", every=3)
    regressor(6, **given).fit(X, numbers(X), callbacks=[checkpoint, lambda state: state.round == 3])
    resumed = regressor(6, **given).fit(X, numbers(X), resume_from=tmp_path / "run.json")
    assert_same_model(resumed, whole, X)


@pytest.mark.parametrize("init", ["linear", RandomForestClassifier(5)])
def test_a_warm_start_is_the_run_that_never_stopped(init):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    longer = classifier(3, init=init, warm_start=True).fit(X, y)
    before = copy.deepcopy(longer)
    longer.set_params(n_estimators=6).fit(X, y)
    assert longer.n_iter_ == 6
    np.testing.assert_array_equal(longer.start_values(X), before.start_values(X))
    assert longer.evals_result_["train"]["loss"][:3] == before.evals_result_["train"]["loss"]


def test_a_warm_start_on_new_examples_keeps_the_start():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(60, 2)), rng.normal(size=(40, 2))
    model = regressor(2, init="linear", warm_start=True).fit(X, X[:, 0])
    coef = model.init_estimator_.coef
    model.set_params(n_estimators=4).fit(new, -new[:, 0])
    np.testing.assert_array_equal(model.init_estimator_.coef, coef)
    assert model.evals_result_["train"]["loss"][0] > 1


def test_another_init_cannot_go_on_from_a_run(tmp_path):
    X = examples("vertices")
    regressor(2, init="linear").fit(X, numbers(X)).save(tmp_path / "run.json")
    with pytest.raises(ValueError, match="init was 'linear' there; got None"):
        regressor(4).fit(X, numbers(X), resume_from=tmp_path / "run.json")
    model = regressor(2, warm_start=True).fit(X, numbers(X))
    with pytest.raises(ValueError, match="init was None; got 'linear'"):
        model.set_params(n_estimators=4, init="linear").fit(X, numbers(X))


# ---- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("about", ["graphs", "vertices", "edges", "rows"])
@every_task
def test_a_linear_start_is_saved_with_the_model(task, about, tmp_path):
    make, targets = TASKS[task]
    X = examples("graphs")
    if about == "edges":
        X, base = X.edges, X
        y = targets(base)[X.graph_of]
    elif about == "rows":
        X, y = np.random.default_rng(0).normal(size=(60, 3)), targets(X)
    else:
        X = examples(about)
        y = targets(X)
    model = make(init="linear").fit(X, y)
    model.save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.init_estimator_.coef, model.init_estimator_.coef)
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


def test_a_model_that_starts_from_an_estimator_is_pickled_and_not_saved(tmp_path):
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40.0)
    model = regressor(init=Ridge()).fit(X, y)
    with pytest.raises(TypeError, match=r"init is a Ridge.*use pickle, or init='linear'"):
        model.save(tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()
    with pytest.raises(TypeError, match="init is a Ridge"):
        regressor(init=Ridge()).fit(X, y, callbacks=[gt.Checkpoint(tmp_path / "run.json")])
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


ODD = {
    "no object": ("", 3),
    "another member": ("", lambda start: start | {"more": 1}),
    "a member less": ("", lambda start: {k: v for k, v in start.items() if k != "fill"}),
    "too many steps": ("n_steps", 9),
    "steps of no number": ("n_steps", True),
    "fewer steps": ("n_steps", 0),
    "no strength": ("strength", 0),
    "a strength of text": ("strength", "1"),
    "a strength that is no number": ("strength", float("nan")),
    "coefficients of text": ("coef", {"dtype": "str", "values": ["a"]}),
    "too few coefficients": ("coef", {"dtype": "float64", "values": [1.0]}),
    "coefficients in a list": ("coef", [1.0]),
    "a coefficient that is no number": (
        "coef", lambda coef: coef | {"values": [float("nan"), *coef["values"][1:]]}),
    "a coefficient without end": (
        "coef", lambda coef: coef | {"values": [1e300, *coef["values"][1:]]}),
    "too few to fill in": ("fill", {"dtype": "float64", "values": []}),
    "integers to fill in": ("fill", lambda fill: fill | {"dtype": "int64"}),
}  # fmt: skip


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("start") / "model.json"
    X = examples("graphs")
    regressor(2, init="linear").fit(X, numbers(X)).save(path)
    return json.loads(path.read_text())


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_start_in_a_file_is_refused(odd, saved, tmp_path):
    member, value = ODD[odd]
    content = copy.deepcopy(saved)
    place, key = (content["start"], member) if member else (content, "start")
    place[key] = value(place[key]) if callable(value) else value
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(gt.ModelFileError, match="a damaged model"):
        gt.load_model(tmp_path / "model.json")


def test_a_start_that_the_parameters_do_not_ask_for_is_refused(saved, tmp_path):
    content = copy.deepcopy(saved)
    content["parameters"]["init"] = None
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(gt.ModelFileError, match="a start that the parameters do not ask for"):
        gt.load_model(tmp_path / "model.json")
