"""What users of other libraries try first, and what they are told."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pandas as pd
import pytest
import sklearn
from builders import some_graphs
from models import CLASSIFIERS, SIX, name_of
from sklearn.base import clone
from sklearn.metrics import accuracy_score, f1_score, mean_absolute_error, roc_auc_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

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


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("n_iter", "; here: n_estimators"),
        ("lr", "; here: learning_rate"),
        ("reg_alpha", ": there is no L1 penalty here; the nearest is l2_regularization"),
        (
            "min_child_weight",
            ": the least sum of hessians in a leaf is fixed here, at 0.001; the nearest is "
            "min_samples_leaf",
        ),
        ("bagging_freq", ": every round draws anew; the nearest is subsample"),
        ("num_class", ": classes are read from y"),
        ("monotone_constraints", ": there are no monotone constraints here"),
        (
            "boosting_type",
            ": there is one kind of boosting here, gradient boosting of trees: no DART, no GOSS",
        ),
        ("early_stopping_round", "; here: early_stopping=True and n_iter_no_change"),
        ("zzz", ""),
    ],
)
def test_a_name_without_counterpart_is_answered_with_the_nearest(name, here):
    with pytest.raises(TypeError) as raised:
        gt.GraphBoostingClassifier(**{name: 1})
    assert str(raised.value) == f"GraphBoostingClassifier has no parameter {name!r}{here}"


def test_the_nearest_is_offered_only_where_there_is_one():
    with pytest.raises(TypeError, match=r"'reg_alpha': there is no L1 penalty here$"):
        gt.GraphTreeRegressor(reg_alpha=1)
    from graphtrees.estimators.other_names import ELSEWHERE, NOT_HERE

    known = set(gt.GraphBoostingClassifier().get_params())
    assert {nearest for _, nearest in NOT_HERE.values()} - {""} <= known
    assert not set(NOT_HERE) & (known | set(ELSEWHERE))


def test_a_quiet_lightgbm_is_verbose_zero_here():
    with pytest.raises(ValueError, match=r"got -1\. Here: verbose=0 is silent\.$"):
        gt.GraphBoostingClassifier(verbose=-1).fit(gt.Graphs(some_graphs(6)), [0, 1] * 3)


@pytest.mark.parametrize(
    "given", [{"n_iter_no_change": 5}, {"validation_fraction": 0.2}, {"tol": 1e-3}]
)
def test_early_stopping_that_is_off_makes_its_parameters_useless(given):
    X, y = gt.Graphs(some_graphs(30)), np.arange(30.0)
    [(name, value)] = given.items()
    text = rf"{name}={value!r}: without effect unless early_stopping=True"
    with pytest.warns(UserWarning, match=text) as caught:
        gt.GraphBoostingRegressor(2, min_samples_leaf=2, **given).fit(X, y)
    assert [one.filename for one in caught] == [__file__]
    gt.GraphBoostingRegressor(2, min_samples_leaf=2, early_stopping=True, **given).fit(X, y)


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
def test_classes_are_written_as_users_write_them(kind):
    X, y = gt.Graphs(some_graphs(6)), np.array(["a", "b"] * 3)
    with pytest.raises(ValueError, match=r"class_weight names 'c'; the classes are \['a', 'b'\]$"):
        kind(class_weight={np.str_("c"): 1}).fit(X, y)
    with pytest.raises(ValueError, match=r"class_weight of 'a' must be .*; got -1\.0$"):
        kind(class_weight={np.str_("a"): np.float64(-1)}).fit(X, y)
    with pytest.raises(ValueError, match=r"class_weight names 5; the classes are \[0, 1\]$"):
        kind(class_weight={5: 1}).fit(X, np.arange(6) % 2)


def test_a_number_of_numpy_is_written_as_a_number():
    with pytest.raises(ValueError, match=r"got -0\.5\.$"):
        gt.GraphBoostingRegressor(learning_rate=np.float64(-0.5)).fit([[0.0], [1.0]], [0.0, 1.0])


def test_a_translation_that_an_estimator_does_not_have_is_not_offered():
    with pytest.raises(TypeError, match=r"GraphTreeClassifier has no parameter 'reg_lambda'$"):
        gt.GraphTreeClassifier(reg_lambda=1)
    with pytest.raises(TypeError, match="did you mean 'max_depth'"):
        gt.GraphTreeClassifier(max_deph=1)


def test_every_translation_names_a_parameter():
    from graphtrees.estimators.other_names import ELSEWHERE

    known = set(gt.GraphBoostingClassifier().get_params())
    assert {here.partition("=")[0].partition(" ")[0] for here in ELSEWHERE.values()} <= known
    assert not set(ELSEWHERE) & known


BOOSTING = "GraphBoostingClassifier"


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("early_stopping_rounds", f"{BOOSTING}(early_stopping=True, n_iter_no_change=...)"),
        ("eval_metric", f"{BOOSTING}(scoring=...)"),
        ("categorical_feature", f"{BOOSTING}(categorical_features=...)"),
        ("verbose", f"{BOOSTING}(verbose=...)"),
        ("n_estimators", f"{BOOSTING}(n_estimators=...)"),
        ("scale_pos_weight", f"{BOOSTING}(class_weight={{0: 1, 1: weight}})"),
        ("eval_names", "fit(X, y, eval_set={'name': (X_val, y_val)})"),
        ("eval_sample_weight", "fit(X, y, eval_set=(X_val, y_val, sample_weight))"),
        ("X_val", "fit(X, y, eval_set=(X_val, y_val))"),
        ("init_model", f"{BOOSTING}(warm_start=True), or fit(X, y, resume_from=path)"),
    ],
)
def test_what_others_give_to_fit_is_translated(name, here):
    X = gt.Graphs(some_graphs(6))
    with pytest.raises(TypeError) as raised:
        gt.GraphBoostingClassifier().fit(X, [0, 1] * 3, **{name: 1})
    start = f"GraphBoostingClassifier.fit() got an unexpected keyword argument {name!r}"
    assert str(raised.value) == f"{start}; here: {here}"


@pytest.mark.parametrize("kind", [gt.GraphTreeRegressor, gt.GraphForestClassifier])
@pytest.mark.parametrize("name", ["eval_set", "callbacks", "early_stopping_rounds", "eval_metric"])
def test_trees_and_forests_say_that_they_have_no_rounds(kind, name):
    with pytest.raises(TypeError, match=r"GraphBoostingClassifier and .*Regressor train in rounds"):
        kind().fit(gt.Graphs(some_graphs(6)), [0, 1] * 3, **{name: 1})


def test_a_slip_in_an_argument_of_fit_is_pointed_out():
    with pytest.raises(TypeError, match=r"'sample_weigth'; did you mean 'sample_weight'\?"):
        gt.GraphTreeClassifier().fit([[0.0], [1.0]], [0, 1], sample_weigth=[1, 1])
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'zzz'$"):
        gt.GraphTreeClassifier().fit([[0.0], [1.0]], [0, 1], zzz=3)


def test_every_translation_for_fit_can_be_written():
    from graphtrees.estimators.fit_arguments import CALLBACKS, IN_FIT, OF_ROUNDS

    known = set(inspect.signature(gt.GraphBoostingClassifier.fit).parameters)
    known |= set(gt.GraphBoostingClassifier().get_params()) | {"feature_names"}
    for text in (*OF_ROUNDS.values(), *IN_FIT.values(), *CALLBACKS.values()):
        assert set(re.findall(r"(\w+)=", text)) <= known


def test_the_translation_reaches_those_who_fit_through_a_pipeline():
    piped = make_pipeline(FunctionTransformer(), gt.GraphBoostingClassifier())
    with pytest.raises(TypeError, match=r"'verbose'; here: GraphBoostingClassifier\(verbose="):
        piped.fit([[0.0], [1.0]], [0, 1], graphboostingclassifier__verbose=1)


def test_metadata_routing_still_knows_the_arguments_of_fit():
    with sklearn.config_context(enable_metadata_routing=True):
        model = gt.GraphBoostingClassifier(2).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=False)
        requested = model.get_metadata_routing().fit.requests
        X = gt.Graphs(some_graphs(12))
        scores = cross_val_score(model, X, [0, 1] * 6, cv=2, params={"sample_weight": np.ones(12)})
    assert set(requested) == {"sample_weight", "eval_set", "callbacks", "resume_from"}
    assert scores.shape == (2,)


@pytest.mark.parametrize(
    ("make", "here"),
    [
        (lambda lgb: lgb.early_stopping(5), r"GraphBoostingClassifier\(early_stopping=True"),
        (lambda lgb: lgb.log_evaluation(5), r"GraphBoostingClassifier\(verbose=2\)"),
        (lambda lgb: lgb.record_evaluation({}), "the attribute evals_result_ after fit"),
    ],
)
def test_callbacks_of_lightgbm_are_translated(make, here):
    callback = make(pytest.importorskip("lightgbm"))
    for given, place in (([print, callback], 1), (callback, 0)):
        words = rf"callbacks\[{place}\] is \w+Callback of lightgbm; here: {here}"
        with pytest.raises(TypeError, match=words):
            gt.GraphBoostingClassifier().fit([[0.0], [1.0]], [0, 1], callbacks=given)


def test_callbacks_of_xgboost_are_known_by_the_class_that_they_derive_from():
    base = type("TrainingCallback", (), {"__module__": "xgboost.callback"})
    stopping = type("EarlyStopping", (base,), {"__module__": "xgboost.callback"})()
    with pytest.raises(TypeError, match=r"EarlyStopping of xgboost; here: .*early_stopping=True"):
        gt.GraphBoostingClassifier().fit([[0.0], [1.0]], [0, 1], callbacks=[stopping])
    own = type("Mine", (base,), {})()
    with pytest.raises(TypeError, match="Mine of xgboost; it cannot be used here"):
        gt.GraphBoostingClassifier().fit([[0.0], [1.0]], [0, 1], callbacks=[own])


def test_a_callback_that_cannot_be_translated_is_refused_before_training():
    callback = pytest.importorskip("lightgbm").reset_parameter(learning_rate=[0.1])
    with pytest.raises(TypeError, match="ResetParameterCallback of lightgbm; it cannot be used"):
        gt.GraphBoostingClassifier().fit([[0.0], [1.0]], [0, 1], callbacks=[callback])


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
    with pytest.warns(UserWarning, match="'<lambda>' more is taken to be better"):
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


@pytest.mark.parametrize(
    ("kind", "name", "value", "here"),
    [
        (gt.GraphBoostingRegressor, "loss", "mse", "loss='squared_error'"),
        (gt.GraphBoostingRegressor, "loss", "l1", "loss='absolute_error'"),
        (gt.GraphBoostingClassifier, "loss", "binary", "loss='log_loss'"),
        (gt.GraphBoostingClassifier, "scoring", "auc", "scoring='roc_auc'"),
        (gt.GraphTreeRegressor, "criterion", "mse", "criterion='squared_error'"),
        (
            gt.GraphBoostingClassifier,
            "early_stopping",
            10,
            "early_stopping=True, n_iter_no_change=10",
        ),
        (gt.GraphForestClassifier, "max_depth", -1, "max_depth=None is no limit"),
    ],
)
def test_values_of_other_libraries_are_translated(kind, name, value, here):
    with pytest.raises(ValueError, match=re.escape(f"; got {value!r}. Here: {here}.") + "$"):
        kind(**{name: value}).fit([[0.0], [1.0]], [0, 1])


def test_every_translated_value_is_accepted_by_some_estimator_and_only_offered_there():
    from graphtrees.estimators.other_names import VALUES, value_advice

    for name, values in VALUES.items():
        kinds = [kind for kind in SIX if name in kind._constraints]
        for here, there in values.items():
            takers = [kind for kind in kinds if kind._constraints[name].passes(here)]
            assert takers, (name, here)
            for kind in kinds:
                advice = value_advice(name, there[0], kind._constraints[name].passes)
                assert bool(advice) == (kind in takers)


@pytest.mark.parametrize(
    ("name", "here"),
    [
        ("raw_score", "decision_function(X)"),
        ("output_margin", "decision_function(X)"),
        ("pred_leaf", "apply(X)"),
        ("pred_contrib", "explain(X[0]).vertex_attribution"),
        ("num_iteration", "staged_predict(X), one result for each round"),
    ],
)
@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_what_others_give_to_predict_is_translated(method, name, here):
    X = gt.Graphs(some_graphs(12))
    model = gt.GraphBoostingClassifier(2).fit(X, [0, 1] * 6)
    with pytest.raises(TypeError, match=rf"{method}\(\) got .* {name!r}; here: ") as raised:
        getattr(model, method)(X, **{name: True})
    assert f"; here: {here}" in str(raised.value)
    np.testing.assert_array_equal(getattr(model, method)(X=X), getattr(model, method)(X))


@pytest.mark.parametrize("kind", [gt.GraphTreeRegressor, gt.GraphForestClassifier])
def test_methods_that_an_estimator_does_not_have_are_not_offered(kind):
    model = kind().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'raw_score'$"):
        model.predict([[0.0]], raw_score=True)
    with pytest.raises(TypeError, match=r"'pred_leaf'; here: apply\(X\)"):
        model.predict([[0.0]], pred_leaf=True)


@pytest.mark.parametrize("kind", SIX, ids=name_of)
def test_a_fit_without_labels_says_so_by_the_name_of_the_class(kind):
    with pytest.raises(TypeError, match=rf"^{kind.__name__}\.fit\(X, y\) needs y"):
        kind().fit(some_graphs(3))


@pytest.mark.parametrize("kind", [kind for kind in SIX if kind not in CLASSIFIERS], ids=name_of)
def test_labels_given_to_a_regressor_are_sent_to_a_classifier(kind):
    with pytest.raises(ValueError, match=r"y must be numbers: .*'a'.* GraphBoostingClassifier"):
        kind().fit([[0.0], [1.0]], ["a", "b"])


def test_a_column_of_a_table_may_hold_the_graphs():
    graphs = some_graphs(12)
    table = pd.DataFrame({"molecule": list(graphs), "active": [0, 1] * 6}, index=range(5, 17))
    model = gt.GraphTreeClassifier().fit(table["molecule"], table["active"])
    np.testing.assert_array_equal(model.predict(table["molecule"]), model.predict(graphs))
    assert cross_val_score(model, table["molecule"], table["active"], cv=2).shape == (2,)
    found = gt.permutation_importance(model, table["molecule"], table["active"], random_state=0)
    assert found.importances.shape == (2, 5)
    with pytest.raises(TypeError, match=r"table that holds graphs; give one column, X\['molec"):
        gt.GraphTreeClassifier().fit(table[["molecule"]], table["active"])


@pytest.mark.parametrize("kind", CLASSIFIERS, ids=name_of)
def test_classifiers_count_their_classes(kind):
    model = kind().fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])
    assert model.n_classes_ == 3
    assert not hasattr(kind(), "n_classes_")


def test_a_regressor_given_an_array_of_text_shows_the_text():
    with pytest.raises(ValueError, match=r"could not convert string to float: 'yes'\. Labels"):
        gt.GraphTreeRegressor().fit([[1.0], [2.0]], np.array(["yes", "no"]))
