"""Metrics f(y_true, y_pred) as `scoring`: which way is better, and what they may return."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from boosting_tasks import classes, examples, numbers
from sklearn import metrics

import graphtrees as gt

X = examples("graphs", 45)
NUMBERS, CLASSES = numbers(X), classes(X, 3)


def rmse(y_true, y_pred):
    return float(np.sqrt(np.mean((y_true - y_pred) ** 2)))


def pinball_loss(y_true, y_pred, alpha=0.5):
    return float(metrics.mean_pinball_loss(y_true, y_pred, alpha=alpha))


def typical_miss(y_true, y_pred):
    return float(np.median(np.abs(y_true - y_pred)))


def stopped(scoring, kind=gt.GraphBoostingRegressor, y=NUMBERS, X=X):
    """A model that overfits, and its scores on other examples."""
    model = kind(30, learning_rate=0.9, min_samples_leaf=2, early_stopping=True, random_state=0,
                 n_iter_no_change=30, scoring=scoring)  # fmt: skip
    model.fit(X[:25], y[:25], eval_set=(X[25:], y[25:]))
    [scores] = model.evals_result_["validation"].values()
    assert len(set(scores)) > 1
    return model, np.array(scores)


@pytest.mark.parametrize(
    "error",
    [
        metrics.mean_absolute_error,
        metrics.mean_squared_error,
        metrics.max_error,
        rmse,
        pinball_loss,
        partial(metrics.mean_pinball_loss, alpha=0.9),
        {"my rmse": lambda a, b: rmse(a, b)},
    ],
)
def test_of_an_error_the_smallest_is_the_best(error):
    model, scores = stopped(error)
    assert model.best_iteration_ == int(np.argmin(scores))


@pytest.mark.parametrize("score", [metrics.accuracy_score, metrics.matthews_corrcoef])
def test_of_a_score_the_largest_is_the_best(score):
    model, scores = stopped(score, gt.GraphBoostingClassifier, CLASSES)
    assert model.best_iteration_ == int(np.argmax(scores))


def test_the_log_loss_is_of_chances_and_the_smallest_is_the_best():
    model, scores = stopped(metrics.log_loss, gt.GraphBoostingClassifier, CLASSES)
    assert model.best_iteration_ == int(np.argmin(scores))
    said = metrics.log_loss(CLASSES[25:], model.predict_proba(X[25:]))
    assert scores[model.best_iteration_] == pytest.approx(said)


def test_a_metric_whose_name_says_nothing_is_a_score_with_a_warning_that_tells_how_to_turn_it():
    with pytest.warns(UserWarning, match=r"'typical_miss' more is taken to be better") as caught:
        model, scores = stopped(typical_miss)
    assert [one.filename for one in caught] == [__file__]
    assert "make_scorer(typical_miss, greater_is_better=False)" in str(caught[0].message)
    assert model.best_iteration_ == int(np.argmax(scores))
    turned, negative = stopped(metrics.make_scorer(typical_miss, greater_is_better=False))
    assert turned.best_iteration_ == int(np.argmin(-negative))
    same, again = stopped(metrics.make_scorer(typical_miss))
    assert same.best_iteration_ == model.best_iteration_
    np.testing.assert_array_equal(scores, again)


def test_only_the_metric_that_decides_is_asked_which_way_is_better():
    scoring = ["loss", typical_miss]
    model = gt.GraphBoostingRegressor(2, scoring=scoring).fit(X, NUMBERS)
    assert list(model.evals_result_["train"]) == ["loss", "typical_miss"]


def test_a_scorer_that_is_called_an_error_is_doubted():
    def rmse_of(estimator, X, y):
        return rmse(y, estimator.predict(X))

    with pytest.warns(UserWarning, match="'rmse_of' sounds like an error and returned") as caught:
        stopped(rmse_of)
    assert [one.filename for one in caught] == [__file__]
    with pytest.warns(UserWarning, match="'rmse_of' sounds like an error and returned") as caught:
        auto(rmse_of)
    assert len(caught) == 1

    def negative_error(estimator, X, y):
        return -rmse_of(estimator, X, y)

    def error(estimator, X, y):
        return -rmse_of(estimator, X, y)

    stopped(negative_error)
    stopped(error)


def auto(scoring):
    return gt.AutoGraphRegressor(
        None, cv=3, recipes=("table", "walks"), random_state=0, n_jobs=1, scoring=scoring
    ).fit(X, NUMBERS)


def test_auto_minimises_an_error():
    model, same = auto(metrics.mean_absolute_error), auto("neg_mean_absolute_error")
    assert model.best_score_ == same.best_score_ < 0
    assert [row["weight"] for row in model.leaderboard_] == [
        row["weight"] for row in same.leaderboard_
    ]
    with pytest.warns(UserWarning, match="'typical_miss' more is taken to be better") as caught:
        auto(typical_miss)
    assert len(caught) == 1


def test_labels_as_evidence_and_permutations_minimise_an_error():
    vertices = X.vertices
    y = numbers(vertices)
    scores = [
        gt.WithLabels(gt.GraphTreeRegressor(), cv=2, scoring=scoring, random_state=0)
        .fit(vertices, y)
        .scores_
        for scoring in (metrics.mean_absolute_error, "neg_mean_absolute_error")
    ]
    assert scores[0] == scores[1]
    model = gt.GraphTreeRegressor(min_samples_leaf=2).fit(X, NUMBERS)
    mine, known = (
        gt.permutation_importance(model, X, NUMBERS, scoring=scoring, random_state=0)
        for scoring in (rmse, "neg_root_mean_squared_error")
    )
    np.testing.assert_allclose(mine.importances, known.importances)


def test_a_metric_of_lightgbm_is_answered_with_what_to_return():
    def feval(y_true, y_pred):
        return "rmse", rmse(y_true, y_pred), False

    message = r"'feval' returned \('rmse', .*, False\), not one number.*LightGBM.*the value alone"
    with pytest.warns(UserWarning, match="more is taken"), pytest.raises(TypeError, match=message):
        stopped(feval)
    with pytest.warns(UserWarning, match="more is taken"), pytest.raises(TypeError, match=message):
        auto(feval)


@pytest.mark.parametrize("value", [None, "0.3", [1.0, 2.0]])
def test_a_metric_returns_one_number(value):
    def mae(y_true, y_pred):
        return value

    with pytest.raises(TypeError, match="scoring: 'mae' must return one number; got"):
        stopped(mae)
