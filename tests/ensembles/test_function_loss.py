"""A loss that the user brings along as a function, as in LightGBM."""

from __future__ import annotations

import functools
import json
import pickle

import numpy as np
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
from scipy.special import expit, softmax
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import graphtrees as gt


def logistic(y, raw):
    chance = expit(raw)
    return chance - y, chance * (1 - chance)


def of_many(y, raw):
    chance = softmax(raw, axis=1)
    return chance - np.eye(raw.shape[1])[y.astype(int)], chance * (1 - chance)


def squared(y, raw):
    return raw - y, np.ones_like(raw)


def squared_with_weight(y, raw, weight):
    return (raw - y) * weight, weight


class Logistic:
    """The same as an object, which may also start elsewhere; this one does not."""

    def gradient(self, y, raw):
        return logistic(y, raw)[0]

    def hessian(self, y, raw):
        return logistic(y, raw)[1]


@both
def test_a_function_of_two_classes_gives_the_model_of_the_object(about):
    X = examples(about)
    y = np.array(["no", "yes"])[classes(X)]
    by_function, by_object = (
        classifier(loss=logistic).fit(X, y),
        classifier(loss=Logistic()).fit(X, y),
    )
    np.testing.assert_array_equal(by_function.predict_proba(X), by_object.predict_proba(X))
    np.testing.assert_array_equal(
        by_function.predict_proba(X)[:, 1], expit(by_function.decision_function(X))
    )
    assert by_function.score(X, y) > 0.7


@both
def test_a_function_of_many_classes_gives_the_softmax_from_zero(about):
    X = examples(about)
    y = classes(X, 3)
    for strategy in ("softmax", "multi_output_tree", "one_vs_rest"):
        model = classifier(20, loss=of_many, multi_strategy=strategy).fit(X, y)
        np.testing.assert_array_equal(model.init_, np.zeros(3))
        raw = model.decision_function(X)
        np.testing.assert_array_equal(model.predict_proba(X), softmax(raw, axis=1))
        assert model.score(X, y) > 0.7


def test_a_function_of_numbers_gives_the_built_in_model_of_centred_targets():
    X = examples("graphs")
    y = numbers(X)
    y -= y.mean()
    by_function = regressor(loss=squared, min_samples_leaf=2).fit(X, y)
    np.testing.assert_allclose(by_function.predict(X), regressor().fit(X, y).predict(X), atol=1e-9)
    assert by_function.init_ == 0


def test_functions_see_float64_arrays_of_their_own():
    seen = []

    def careless(y, raw):
        seen.append((y.dtype, y.shape, raw.dtype, raw.shape))
        raw -= y  # changes what was handed over, and nothing else
        return raw, np.ones_like(raw)

    X = examples("graphs")
    y = numbers(X)
    model = regressor(loss=careless).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), regressor(loss=squared).fit(X, y).predict(X))
    assert set(seen) == {(np.dtype("float64"), (60,), np.dtype("float64"), (60,))}
    assert len(seen) == 5  # once a round


def test_class_numbers_come_as_float64_and_several_outputs_side_by_side():
    seen = []

    def spy(y, raw):
        seen.append((y.dtype.name, y.shape, raw.shape))
        return of_many(y, raw) if y.ndim == 1 else squared(y, raw)

    X = examples("vertices")
    classifier(1, loss=spy).fit(X, classes(X, 3))
    regressor(1, loss=spy).fit(X, np.column_stack([numbers(X, 0), numbers(X, 1)]))
    assert seen == [("float64", (60,), (60, 3)), ("float64", (60, 2), (60, 2))]


def test_weights_are_multiplied_in_unless_the_function_asks_for_them():
    X = examples("graphs")
    y = numbers(X)
    weight = np.linspace(0.0, 3.0, 60)
    by_us = regressor(loss=squared).fit(X, y, sample_weight=weight)
    by_it = regressor(loss=squared_with_weight).fit(X, y, sample_weight=weight)
    assert_same_model(by_us, by_it, X)
    unweighted = regressor(loss=squared).fit(X, y)
    assert (by_us.predict(X) != unweighted.predict(X)).any()


def test_weight_two_equals_the_graph_twice():
    X = examples("graphs", 30)
    y = numbers(X)
    settings = {"loss": squared, "min_samples_leaf": 1, "max_bins": None}
    doubled = regressor(**settings).fit(X, y, sample_weight=[2] * 10 + [1] * 20)
    twice = regressor(**settings).fit([*X, *X[:10]], [*y, *y[:10]])
    np.testing.assert_allclose(doubled.predict(X), twice.predict(X), atol=1e-9)


def test_class_weights_reach_the_function():
    X = examples("graphs")
    y = classes(X)
    given = []

    def spy(y, raw, sample_weight=None):
        given.append(sample_weight)
        gradient, hessian = logistic(y, raw)
        return gradient * sample_weight, hessian * sample_weight

    classifier(1, loss=spy, class_weight={0: 1, 1: 3}).fit(X, y)
    np.testing.assert_array_equal(given[0], np.where(y == 1, 3.0, 1.0))


def test_other_parameters_of_the_function_keep_their_defaults():
    def pinball(y, raw, level=0.9):
        return np.where(y > raw, -level, 1 - level), np.ones_like(raw)

    X = examples("graphs")
    y = numbers(X)
    model = regressor(200, loss=pinball).fit(X, y)
    assert 0.8 < (y <= model.predict(X)).mean() < 0.99
    lower = regressor(200, loss=functools.partial(pinball, level=0.1)).fit(X, y)
    assert (y <= lower.predict(X)).mean() < 0.3


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (lambda y, raw: raw - y, TypeError, "must return two arrays, .* got ndarray of length 60"),
        (lambda y, raw: None, TypeError, r"two arrays, \(gradient, hessian\); got NoneType$"),
        (lambda y, raw: (raw, raw, raw), TypeError, r"got tuple of length 3"),
        (
            lambda y, raw: (raw[:3], np.ones_like(raw)),
            ValueError,
            r"loss=<lambda> must return a gradient of shape \(60,\); got \(3,\)",
        ),
        (lambda y, raw: (raw, 1.0), ValueError, r"a hessian of shape \(60,\); got \(\)"),
        (
            lambda y, raw: (raw * np.nan, np.ones_like(raw)),
            ValueError,
            "loss=<lambda> returned a gradient that is NaN or infinite",
        ),
        (lambda y, raw: (raw, raw + np.inf), ValueError, "a hessian that is NaN or infinite"),
        (
            lambda y, raw: (raw - y, raw - 2.0),
            ValueError,
            r"hessian with negative values, the least -2; return a stand-in",
        ),
        (lambda y, raw: (raw - y, 0 * raw), ValueError, "a hessian of zeros, which gives no step"),
        (lambda y: y, TypeError, r"be a function f\(y, raw\) or f\(y, raw, weight\); got \(y\)"),
        (lambda y, raw, weight, group: y, TypeError, r"got \(y, raw, weight, group\)"),
        (lambda y, raw, *, level: y, TypeError, r"got \(y, raw, \*, level\)"),
    ],
)  # fmt: skip
def test_what_a_function_takes_and_returns_is_checked(answer, error, words):
    X = examples("graphs")
    with pytest.raises(error, match=words):
        regressor(loss=answer).fit(X, numbers(X))


def test_the_flat_layout_of_older_lightgbm_is_refused_with_the_shape_wanted():
    def flat(y, raw):
        return tuple(part.T.ravel() for part in of_many(y, raw))

    X = examples("graphs")
    with pytest.raises(ValueError, match=r"gradient of shape \(60, 3\); got \(180,\)"):
        classifier(loss=flat).fit(X, classes(X, 3))


def test_a_class_is_no_loss_but_one_made_of_it_is():
    X = examples("graphs")
    with pytest.raises(ValueError, match=r"'loss' .* must be .*\(not a class: make one of it\)"):
        classifier(loss=Logistic).fit(X, classes(X))


def test_errors_of_the_function_itself_come_through():
    def broken(y, raw):
        raise ZeroDivisionError("mine")

    X = examples("graphs")
    with pytest.raises(ZeroDivisionError, match="mine"):
        regressor(loss=broken).fit(X, numbers(X))


def test_a_function_has_no_value_to_watch_but_scoring_does():
    X = examples("graphs")
    y = numbers(X)
    assert regressor(loss=squared).fit(X, y).evals_result_ == {"train": {}}
    with pytest.raises(ValueError, match=r"or set scoring \(a loss that is a function"):
        regressor(loss=squared, early_stopping=True).fit(X, y)
    model = regressor(50, loss=squared, early_stopping=True, scoring="r2", learning_rate=1.0)
    assert model.fit(X, y).n_iter_ < 50


def test_clones_searches_and_pickles_keep_the_function():
    X = examples("graphs")
    y = numbers(X)
    assert clone(regressor(loss=squared)).loss is squared
    search = GridSearchCV(regressor(), {"loss": [squared, "squared_error"]}, cv=2).fit(X, y)
    assert search.best_params_["loss"] == "squared_error"  # a function starts from zero
    model = regressor(loss=squared).fit(X, y)
    assert_same_model(pickle.loads(pickle.dumps(model)), model, X)


@pytest.mark.parametrize(
    ("make", "loss", "n_classes"),
    [(regressor, squared, 0), (classifier, logistic, 2), (classifier, of_many, 3)],
    ids=["numbers", "two classes", "three classes"],
)
def test_a_file_predicts_without_the_function(tmp_path, make, loss, n_classes):
    X = examples("graphs")
    y = classes(X, n_classes) if n_classes else numbers(X)
    model = make(loss=loss).fit(X, y)
    model.save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_text())["parameters"]["loss"] is None
    again = gt.load_model(tmp_path / "model.json")
    assert_same_model(again, model, X)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    if n_classes:
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "model.json").read_text()


def test_to_train_on_a_model_from_a_file_its_function_is_asked_for(tmp_path):
    X = examples("graphs")
    y = numbers(X)
    whole = regressor(8, loss=squared).fit(X, y)
    regressor(5, loss=squared).fit(X, y).save(tmp_path / "model.json")
    loaded = gt.load_model(tmp_path / "model.json").set_params(n_estimators=8, warm_start=True)
    with pytest.raises(ValueError, match=r"does not hold it; .* again by set_params\(loss=...\)"):
        loaded.fit(X, y)
    with pytest.raises(ValueError, match="does not hold it"):
        clone(loaded).fit(X, y)
    with pytest.raises(ValueError, match="loss was 'the function squared'; got 'huber'"):
        loaded.set_params(loss="huber").fit(X, y)
    assert_same_model(loaded.set_params(loss=squared).fit(X, y), whole, X)


def test_a_checkpoint_is_resumed_with_the_same_function(tmp_path):
    X = examples("graphs")
    y = numbers(X)
    settings = {"loss": squared, "subsample": 0.5}
    whole = regressor(8, **settings).fit(X, y)
    path = tmp_path / "run.json"
    regressor(5, **settings).fit(X, y, callbacks=gt.Checkpoint(path))
    assert_same_model(regressor(8, **settings).fit(X, y, resume_from=path), whole, X)
    with pytest.raises(ValueError, match="loss was 'the function squared'; got 'the function log"):
        regressor(8, loss=logistic, subsample=0.5).fit(X, y, resume_from=path)
