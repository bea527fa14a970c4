"""What users of other libraries try first, and what they are told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import some_graphs
from sklearn.base import clone
from sklearn.metrics import accuracy_score, f1_score, mean_absolute_error, roc_auc_score

import graphtrees as gt


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("num_leaves", "max_leaf_nodes"),
        ("early_stopping_rounds", "early_stopping=True and n_iter_no_change"),
        ("reg_lambda", "l2_regularization"),
        ("colsample_bytree", "feature_fraction"),
    ],
)
def test_parameters_of_lightgbm_and_xgboost_are_translated(name, here):
    with pytest.raises(TypeError, match=rf"no parameter '{name}'; here: {here}$"):
        gt.GraphBoostingClassifier(**{name: 1})
    with pytest.raises(ValueError, match=rf"Invalid parameter '{name}' .*; here: {here}$"):
        gt.GraphBoostingClassifier().set_params(**{name: 1})


def test_a_translation_that_an_estimator_does_not_have_is_not_offered():
    with pytest.raises(TypeError, match=r"GraphTreeClassifier has no parameter 'reg_lambda'$"):
        gt.GraphTreeClassifier(reg_lambda=1)
    with pytest.raises(TypeError, match="did you mean 'max_depth'"):
        gt.GraphTreeClassifier(max_deph=1)


def test_every_translation_names_a_parameter():
    from graphtrees.estimators.habits import ELSEWHERE

    known = set(gt.GraphBoostingClassifier().get_params())
    assert {here.partition("=")[0].partition(" ")[0] for here in ELSEWHERE.values()} <= known
    assert not set(ELSEWHERE) & known


def test_estimators_are_still_made_by_position_and_cloned():
    model = gt.GraphBoostingClassifier(7, learning_rate=0.5)
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    "make",
    [list, tuple, np.array, pd.Series, lambda x: np.array(x, dtype=object)],
    ids=["list", "tuple", "array", "Series", "objects"],
)
def test_smiles_given_to_fit_are_sent_to_from_smiles(make):
    with pytest.raises(TypeError, match=r"such as 'CCO'. Molecules .* graphtrees.from_smiles\(X\)"):
        gt.GraphBoostingClassifier().fit(make(["CCO", "CCN"]), [0, 1])


def test_no_examples_are_called_so():
    with pytest.raises(ValueError, match="X holds no examples; at least one is needed"):
        gt.GraphBoostingClassifier().fit([], [])


@pytest.mark.parametrize(
    "model", [gt.GraphTreeClassifier(), gt.GraphForestClassifier(2), gt.GraphBoostingClassifier(2)]
)
def test_one_class_is_fitted_with_a_warning(model):
    X = gt.Graphs(some_graphs(6))
    with pytest.warns(UserWarning, match="y holds one class only, 'a': the model will predict it"):
        model.fit(X, ["a"] * 6)
    assert set(model.predict(X)) == {"a"}


@pytest.mark.parametrize("kind", [gt.GraphTreeClassifier, gt.GraphForestClassifier])
def test_the_warning_of_one_class_points_to_the_call_of_fit(kind):
    with pytest.warns(UserWarning, match="one class") as caught:
        kind().fit(gt.Graphs(some_graphs(6)), ["a"] * 6)
    assert caught[0].filename == __file__


def watched(scoring, y, kind=gt.GraphBoostingClassifier):
    X = gt.Graphs(some_graphs(30))
    model = kind(4, min_samples_leaf=2, scoring=scoring, random_state=0)
    return model.fit(X, y, eval_set=(X, y)), X


def test_a_metric_function_is_a_scoring():
    y = np.arange(30) % 2
    model, X = watched({"acc": accuracy_score, "f1": f1_score, "auc": roc_auc_score}, y)
    last = {name: scores[-1] for name, scores in model.evals_result_["validation"].items()}
    assert last["acc"] == accuracy_score(y, model.predict(X))
    assert last["f1"] == f1_score(y, model.predict(X))
    assert last["auc"] == pytest.approx(roc_auc_score(y, model.predict_proba(X)[:, 1]))


def test_a_function_of_two_arguments_is_a_metric_and_one_of_three_a_scorer():
    y = np.arange(30) % 2
    model, _ = watched([lambda a, b: float((a == b).mean())], y)
    assert set(model.evals_result_["validation"]) == {"<lambda>"}

    def scorer(estimator, X, y):
        return float((estimator.predict(X) == y).mean())

    other, _ = watched(scorer, y)
    first = model.evals_result_["validation"]["<lambda>"]
    assert first == other.evals_result_["validation"]["scorer"]


def test_less_of_an_error_is_better():
    y = np.linspace(0, 1, 30) ** 2
    model, _ = watched(mean_absolute_error, y, gt.GraphBoostingRegressor)
    errors = model.evals_result_["validation"]["mean_absolute_error"]
    assert errors[-1] < errors[0]
    assert model.best_iteration_ == int(np.argmin(errors))


def test_messages_name_the_classes_that_users_know():
    """Scikit-learn says which class cannot be scored so."""
    with pytest.raises((AttributeError, ValueError), match="GraphBoostingRegressor") as raised:
        watched("roc_auc", np.linspace(0, 1, 30), gt.GraphBoostingRegressor)
    assert "_Standing" not in str(raised.value)
