"""Every parameter outside its range is refused in `fit` by name, with what may be there instead."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest
from builders import some_graphs
from models import BOOSTING, FORESTS, ONE_TREE, SIX, name_of, small

import graphtrees as gt

AT_LEAST_0, AT_LEAST_1 = "an integer of at least 0", "an integer of at least 1"
SHARE = "a number above 0 and at most 1"
YES_NO = "True or False"

# parameter -> values that are refused, words for what may be there
OF_ALL = {
    "max_walk_length": (
        (-1, 1.5, True, None, "2", 1001, 10**8, 10**400),
        "an integer from 0 to 1000",
    ),
    "max_ancestor_distance": ((-1, 0.5, None), AT_LEAST_0),
    "walk_types": (
        ((), "source", ("loop",), ("source", "source"), None, (0,)),
        "a tuple of one or more of 'source', 'cycle', 'target', 'target_source'",
    ),
    "aggregators": (
        ((), "sum", ("median",), ("sum", "sum"), None),
        "a tuple of one or more of 'sum', 'mean', 'min', 'max'",
    ),
    "walk_type_probability": ((-0.1, 1.1, np.nan, None), "a number of at least 0 and at most 1"),
    "operators": (((), 1, (1,), None), "the name of an operator or a tuple of"),
    "add_constant": (("yes", 1, None), YES_NO),
    "colours": ((-1, 1.5, True, None, 17), "an integer from 0 to 16"),
    "colour_features": ((None, 1.5, [2.5]), "'auto', or a name or number of a feature"),
    "max_leaf_nodes": ((1, 0, 2.5, True, "all"), "an integer of at least 2 or 'auto' or None"),
    "max_depth": ((0, -1, 1.5), "an integer of at least 1 or None"),
    "min_samples_leaf": ((0, -3, 0.5, None), AT_LEAST_1),
    "min_gain": ((-0.1, np.inf, np.nan, None), "a number of at least 0"),
    "ccp_alpha": ((-1e-9, np.inf, None), "a number of at least 0"),
    "max_bins": ((1, 256, 0, 10.0, "all"), "an integer from 2 to 255 or None"),
    "random_state": ((-1, 1.5, "seed", True), "an integer of at least 0, a RandomState or None"),
    "n_jobs": ((0, 1.5, "all", True), AT_LEAST_1),
    "verbose": ((-1, 0.5, None), AT_LEAST_0),
    "memory_limit": ((0, -1, "much", True), "a number of bytes, text such as '2GB' or None"),
    "importance_type": (("cover", "splits", None, 1), "one of 'gain', 'split'"),
}
OF_CLASSIFIERS = {"class_weight": (("heavy", 3, [1, 2]), "a dict or 'balanced'")}
OF_FORESTS = {
    "n_estimators": ((0, -1, 1.5, None), AT_LEAST_1),
    "max_features": ((0, -1, 0.0, 1.5, "all", True), "one of 'sqrt', 'log2' or an integer of"),
    "bootstrap": (("yes", 1, None), YES_NO),
    "oob_score": (("yes", 1, None), YES_NO),
    "max_samples": ((0, -1, 0.0, 1.5, "all"), f"{AT_LEAST_1} or {SHARE} or None"),
}
OF_BOOSTING = {
    "n_estimators": ((0, -1, 1.5, None), AT_LEAST_1),
    "learning_rate": ((0.0, -0.1, np.inf, np.nan, None), "a number above 0"),
    "l2_regularization": ((-1.0, np.nan, None), "a number of at least 0"),
    "subsample": ((0.0, 1.1, None), SHARE),
    "feature_fraction": ((0.0, 1.1, None), SHARE),
    "feature_fraction_per_node": ((0.0, 1.1, None), SHARE),
    "early_stopping": (("auto", 1, None), YES_NO),
    "validation_fraction": ((0.0, 1.5, None), "a number above 0"),
    "n_iter_no_change": ((0, 1.5, None), AT_LEAST_1),
    "tol": ((-1e-9, np.nan, None), "a number of at least 0"),
    "scoring": (("acuracy", 3, [], {}, ["loss", None], {1: "loss"}), "a scikit-learn scorer"),
    "init": (("ridge", 3, object), "None or 'linear' or an estimator"),
    "warm_start": (("yes", 1, None), YES_NO),
}
OF_ONE = {
    gt.GraphBoostingClassifier: {
        "loss": (("squared_error", None, object), "'log_loss' or an object with a method"),
        "multi_strategy": (("both", None), "'one_vs_rest', 'softmax', 'multi_output_tree'"),
    },
    gt.GraphBoostingRegressor: {
        "loss": (
            ("log_loss", None),
            "'squared_error', 'absolute_error', 'huber', 'quantile', 'poisson'",
        ),
        "alpha": ((0.0, 1.1, None), "a number above 0"),
    },
    gt.GraphTreeClassifier: {"criterion": (("mse", None), "'gini', 'entropy', 'log_loss'")},
    gt.GraphForestClassifier: {"criterion": (("mse", None), "'gini', 'entropy', 'log_loss'")},
    gt.GraphTreeRegressor: {"criterion": (("gini", None), "'squared_error'")},
    gt.GraphForestRegressor: {"criterion": (("gini", None), "'squared_error'")},
}
ELSEWHERE = {"categorical_features"}  # depends on the features; see test_categories


def refused_by(kind: type) -> dict:
    table = dict(OF_ALL)
    table |= OF_FORESTS if kind in FORESTS else {}
    table |= OF_BOOSTING if kind in BOOSTING else {}
    table |= OF_CLASSIFIERS if "Classifier" in kind.__name__ else {}
    return table | OF_ONE[kind]


def every_bad_value():
    for kind in SIX:
        for name, (values, words) in refused_by(kind).items():
            for value in values:
                yield pytest.param(kind, name, value, words, id=f"{name_of(kind)}-{name}={value}")


@pytest.fixture(scope="module")
def task():
    return some_graphs(6), np.array([0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize(("kind", "name", "value", "words"), list(every_bad_value()))
def test_a_parameter_out_of_range_is_refused_by_name(kind, name, value, words, task):
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        small(kind, **{name: value}).fit(*task)
    assert f"{name!r} parameter of {kind.__name__}" in str(caught.value)
    assert f"got {value!r}" in str(caught.value)


@pytest.mark.parametrize("kind", SIX, ids=name_of)
def test_no_parameter_goes_untested(kind):
    parameters = set(inspect.signature(kind).parameters)
    assert parameters == set(refused_by(kind)) | ELSEWHERE


AT_THE_EDGE = {
    "max_walk_length": (0, np.int64(1)),
    "max_ancestor_distance": (0,),
    "walk_types": (["cycle"],),
    "aggregators": (("max", "min"),),
    "walk_type_probability": (0, 1, 0.0),
    "max_leaf_nodes": (2, None, "auto"),
    "max_depth": (1, None),
    "max_bins": (2, 255, None),
    "random_state": (None, np.random.RandomState(0), np.int32(3)),
    "n_jobs": (None, -1, 2),
    "verbose": (False,),
    "categorical_features": (None, "from_dtype", [], [1]),
    "colours": (0, 1, 16),
    "colour_features": ("auto", [], 0, [1]),
}


@pytest.mark.parametrize(("name", "values"), list(AT_THE_EDGE.items()), ids=AT_THE_EDGE)
@pytest.mark.parametrize("kind", ONE_TREE, ids=name_of)
def test_a_parameter_at_the_edge_of_its_range_works(kind, name, values, task):
    for value in values:
        assert len(small(kind, **{name: value}).fit(*task).predict(task[0])) == 6


@pytest.mark.parametrize("value", [1, 0.01, 1.0, "sqrt", "log2", None])
@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
def test_max_features_may_be_a_number_a_share_or_a_rule(kind, value, task):
    assert len(small(kind, max_features=value).fit(*task).predict(task[0])) == 6


def test_nothing_is_checked_or_changed_before_fit(task):
    model = gt.GraphTreeClassifier(max_walk_length=-1)
    assert model.get_params()["max_walk_length"] == -1
    assert len(model.set_params(max_walk_length=1).fit(*task).predict(task[0])) == 6


@pytest.mark.parametrize("kind", SIX, ids=name_of)
def test_an_unknown_operator_is_named(kind, task):
    with pytest.raises(ValueError, match=r"operators must be among adjacency, .*; got 'laplace'"):
        small(kind, operators=("adjacency", "laplace")).fit(*task)


@pytest.mark.parametrize("kind", SIX, ids=name_of)
@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        (["colour"], "categorical_features names 'colour'; the features: none have names"),
        ([7], "numbers below 2; got 7"),
        ([-1], "numbers below 2; got -1"),
        ([0.5], "numbers below 2; got 0.5"),
        ("colour", "categorical_features names 'colour'"),
    ],
    ids=str,
)
def test_categories_of_no_feature_are_refused(kind, chosen, words, task):
    with pytest.raises(ValueError, match=re.escape(words)):
        small(kind, categorical_features=chosen).fit(*task)


@pytest.mark.parametrize("kind", FORESTS, ids=name_of)
def test_parameters_that_exclude_each_other_are_refused(kind, task):
    with pytest.raises(ValueError, match="oob_score=True needs bootstrap=True"):
        small(kind, oob_score=True, bootstrap=False).fit(*task)
    with pytest.raises(ValueError, match="max_samples=7 is more than the 6 examples"):
        small(kind, max_samples=7).fit(*task)


@pytest.mark.parametrize("kind", [k for k in SIX if "Classifier" in k.__name__], ids=name_of)
def test_a_class_weight_of_an_unknown_class_is_refused(kind, task):
    with pytest.raises(ValueError, match="class_weight names 5; the classes are"):
        small(kind, class_weight={5: 2.0}).fit(*task)


@pytest.mark.parametrize("kind", BOOSTING, ids=name_of)
def test_a_warm_start_cannot_go_back(kind, task):
    model = small(kind, warm_start=True).fit(*task)
    with pytest.raises(ValueError, match="n_estimators=2 must be at least the 3 rounds"):
        model.set_params(n_estimators=2).fit(*task)


@pytest.mark.parametrize("kind", BOOSTING, ids=name_of)
def test_holding_everything_out_leaves_nothing_to_train_on(kind, task):
    with pytest.raises(ValueError, match="validation_fraction"):
        small(kind, early_stopping=True, validation_fraction=1.0).fit(*task)
