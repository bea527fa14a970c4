"""Eval sets, metrics and early stopping."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from boosting_tasks import both, classes, classifier, examples, numbers, regressor
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score, f1_score, log_loss, make_scorer, mean_absolute_error

import graphtrees as gt


def two_parts(about: str, n: int = 120):
    X = examples(about, n)
    return X[::2], X[1::2]


# ---- what is kept --------------------------------------------------------------------------------


@both
def test_each_set_is_scored_after_every_round(about):
    X, unseen = two_parts(about)
    y, y_unseen = classes(X), classes(unseen)
    model = classifier(6, scoring=["loss", "accuracy"]).fit(
        X, y, eval_set={"new": (unseen, y_unseen), "old": (X, y)}
    )
    assert list(model.evals_result_) == ["train", "new", "old"]
    assert model.evals_result_["old"] == model.evals_result_["train"]
    stages = zip(
        model.staged_predict_proba(unseen), *model.evals_result_["new"].values(), strict=True
    )
    for chances, loss, accuracy in stages:
        assert loss == pytest.approx(log_loss(y_unseen, chances), rel=1e-9)
        assert accuracy == accuracy_score(y_unseen, chances.argmax(axis=1))


@both
def test_sets_in_a_list_are_numbered_and_a_lone_one_has_a_name(about):
    X, unseen = two_parts(about)
    y, y_unseen = numbers(X), numbers(unseen)
    pairs = [(X, y), (unseen, y_unseen)]
    names = list(regressor(2).fit(X, y, eval_set=pairs).evals_result_)
    assert names == ["train", "validation_0", "validation_1"]
    assert list(regressor(2).fit(X, y, eval_set=pairs[1]).evals_result_) == ["train", "validation"]


@both
def test_watching_changes_nothing(about):
    X, unseen = two_parts(about)
    y, y_unseen = numbers(X), numbers(unseen)
    watched = regressor(scoring="r2").fit(X, y, eval_set=(unseen, y_unseen))
    assert watched.predict(X).tobytes() == regressor().fit(X, y).predict(X).tobytes()


def test_weights_of_a_set_are_read_with_it():
    X, unseen = two_parts("graphs")
    y, y_unseen = numbers(X), numbers(unseen)
    weight = np.random.default_rng(0).uniform(0.1, 3.0, len(unseen))
    scoring = ["loss", "neg_mean_absolute_error"]
    model = regressor(3, scoring=scoring).fit(X, y, eval_set=(unseen, y_unseen, weight))
    said = model.predict(unseen)
    scores = model.evals_result_["validation"]
    assert scores["loss"][-1] == pytest.approx(np.average((said - y_unseen) ** 2, weights=weight))
    error = mean_absolute_error(y_unseen, said, sample_weight=weight)
    assert scores["neg_mean_absolute_error"][-1] == pytest.approx(-error)


# ---- metrics -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scoring",
    ["accuracy", "roc_auc", "neg_log_loss", "f1", "balanced_accuracy", "average_precision"],
)
@both
def test_a_score_is_that_of_scikit_learns_scorer(about, scoring):
    from sklearn.metrics import get_scorer

    X, unseen = two_parts(about)
    model = classifier(3, scoring=scoring).fit(X, classes(X), eval_set=(unseen, classes(unseen)))
    told = model.evals_result_["validation"][scoring][-1]
    assert told == pytest.approx(get_scorer(scoring)(model, unseen, classes(unseen)))


@pytest.mark.parametrize("scoring", ["roc_auc_ovr", "f1_macro", "neg_log_loss"])
def test_several_classes_with_names_are_scored(scoring):
    from sklearn.metrics import get_scorer

    X = examples("vertices", 120)
    y = np.array(["red", "green", "blue"])[classes(X, 3)]
    model = classifier(3, scoring=scoring).fit(X, y)
    told = model.evals_result_["train"][scoring][-1]
    assert told == pytest.approx(get_scorer(scoring)(model, X, y))


def test_several_outputs_are_scored():
    X = examples("vertices")
    y = np.column_stack([numbers(X, 0), numbers(X, 1)])
    model = regressor(3, scoring="r2").fit(X, y)
    assert model.evals_result_["train"]["r2"][-1] == pytest.approx(model.score(X, y))


def few_edges_right(estimator, X, y) -> float:
    """A score that looks at X: accuracy on the graphs with few edges."""
    few = np.array([graph.n_edges < 4 for graph in X])
    return float(np.mean(estimator.predict(X)[few] == y[few]))


def right_on_some(estimator, X, y) -> float:
    """A score that asks about other examples than those it is given."""
    return float(np.mean(estimator.predict(X[:7]) == y[:7]))


@pytest.mark.parametrize("function", [few_edges_right, right_on_some])
def test_a_function_of_estimator_and_examples_is_a_metric(function):
    X = examples("graphs")
    model = classifier(4, scoring=function).fit(X, classes(X))
    scores = model.evals_result_["train"][function.__name__]
    assert scores[-1] == function(model, X, classes(X))
    assert len(scores) == 4


def test_metrics_are_named_by_themselves_or_by_a_dict():
    X = examples("graphs")
    f_half = make_scorer(f1_score, pos_label=0)
    listed = classifier(2, scoring=["roc_auc", f_half]).fit(X, classes(X)).evals_result_["train"]
    assert list(listed) == ["roc_auc", "f1_score"]
    named = classifier(2, scoring={"class 0": f_half, "class 1": "f1"}).fit(X, classes(X))
    assert list(named.evals_result_["train"]) == ["class 0", "class 1"]
    with pytest.raises(ValueError, match="scoring holds 'f1_score' twice; give a dict"):
        classifier(scoring=[f_half, f_half]).fit(X, classes(X))


# ---- early stopping ------------------------------------------------------------------------------


def wavering(start: int, scores: list[float]):
    """A metric that says these scores, one a round, of the examples y == start at index 0."""
    told = {"train": iter(scores), "watched": iter(scores)}

    def score(estimator, X, y) -> float:
        return next(told["watched" if y[0] == start else "train"])

    return score


def test_training_stops_when_the_last_set_has_not_got_better_for_a_while():
    """Best in round 2; rounds 3, 4 and 5 are no better."""
    X = examples("graphs")
    y = numbers(X)
    other = np.concatenate([[77.0], y[1:]])
    scores = [0.1, 0.2, 0.5, 0.4, 0.5, 0.3, 0.9, 0.9]
    model = regressor(8, early_stopping=True, n_iter_no_change=3, scoring=wavering(77, scores))
    model.fit(X, y, eval_set=(X, other))
    assert len(model.evals_result_["validation"]["score"]) == 6
    assert (model.best_iteration_, model.n_iter_) == (2, 3)
    np.testing.assert_array_equal(model.predict(X), regressor(3).fit(X, y).predict(X))


def test_getting_better_by_less_than_tol_does_not_count():
    X = examples("graphs")
    y = numbers(X)
    other = np.concatenate([[77.0], y[1:]])
    scores = [0.1, 0.2, 0.201, 0.202, 0.203, 0.9]
    model = regressor(6, early_stopping=True, n_iter_no_change=3, tol=0.05,
                      scoring=wavering(77, scores)).fit(X, y, eval_set=(X, other))  # fmt: skip
    assert len(model.evals_result_["validation"]["score"]) == 5
    assert model.best_iteration_ == 4, "the best round is the best, by however little"


@both
def test_the_last_set_and_the_first_metric_decide(about):
    X, unseen = two_parts(about)
    y, y_unseen = classes(X), classes(unseen)
    model = classifier(60, learning_rate=0.8, early_stopping=True, n_iter_no_change=4,
                       scoring=["roc_auc", "loss"])  # fmt: skip
    model.fit(X, y, eval_set={"noise": (X, y[::-1].copy()), "new": (unseen, y_unseen)})
    scores = model.evals_result_["new"]["roc_auc"]
    assert model.best_iteration_ == int(np.argmax(scores)) == model.n_iter_ - 1
    assert len(scores) == model.n_iter_ + 4


@both
def test_the_loss_decides_unless_told_otherwise_and_smaller_is_better(about):
    X, unseen = two_parts(about)
    model = regressor(80, learning_rate=0.8, early_stopping=True, n_iter_no_change=5)
    model.fit(X, numbers(X), eval_set=(unseen, numbers(unseen)))
    scores = model.evals_result_["validation"]["loss"]
    assert model.best_iteration_ == int(np.argmin(scores)) == model.n_iter_ - 1
    assert len(scores) == model.n_iter_ + 5 < 80
    best = np.mean((model.predict(unseen) - numbers(unseen)) ** 2)
    assert best == pytest.approx(min(scores), rel=1e-12)
    assert len(list(model.staged_predict(X))) == model.n_iter_


def test_without_early_stopping_the_best_round_is_told_and_all_are_kept():
    X, unseen = two_parts("graphs")
    model = regressor(40, learning_rate=0.8).fit(X, numbers(X), eval_set=(unseen, numbers(unseen)))
    scores = model.evals_result_["validation"]["loss"]
    assert model.n_iter_ == len(scores) == 40
    assert model.best_iteration_ == int(np.argmin(scores)) < 39


@both
def test_a_part_is_set_aside_with_the_same_shares_of_classes(about):
    X = examples(about, 120)
    y = np.where(np.arange(120) % 10 == 0, "rare", "common")
    counts = {}

    def count(estimator, X, y) -> float:
        counts[len(y)] = int(np.sum(y == "rare"))
        return 0.5

    classifier(2, early_stopping=True, validation_fraction=0.25, scoring=count).fit(X, y)
    assert counts == {90: 9, 30: 3}


@both
def test_what_is_set_aside_depends_on_the_seed_alone(about):
    X = examples(about)
    y = classes(X)
    given = {"early_stopping": True, "validation_fraction": 0.3}
    one, same, other = (classifier(4, random_state=s, **given).fit(X, y) for s in (1, 1, 2))
    assert one.evals_result_ == same.evals_result_ != other.evals_result_


def test_a_class_too_small_to_be_set_aside_is_an_error_with_a_way_out():
    X = examples("graphs", 20)
    y = np.array([0] * 19 + [1])
    with pytest.raises(ValueError, match=r"validation_fraction=0\.1 of 20 .* Give an eval_set"):
        classifier(early_stopping=True).fit(X, y)
    assert classifier(early_stopping=True).fit(X, y, eval_set=(X, y)).n_iter_ >= 1


def test_classes_set_aside_weigh_what_they_weigh_in_training():
    X = examples("graphs", 120)
    y = (np.arange(120) % 6 == 0).astype(int)
    model = classifier(1, learning_rate=1e-12, early_stopping=True, class_weight="balanced",
                       validation_fraction=0.25).fit(X, y)  # fmt: skip
    assert model.evals_result_["validation"]["loss"][0] == pytest.approx(np.log(2))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_training_stops_where_scikit_learns_does(seed):
    """Their scores start before the first round. Weights keep splits from having equal gains."""
    if "X_val" not in inspect.signature(HistGradientBoostingClassifier.fit).parameters:
        pytest.skip("this scikit-learn cannot be given examples to watch")
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 12, (300, 4)) / 2.0
    y = (np.sin(table[:, 0]) * 3 + table[:, 1] + rng.normal(size=300) > 4).astype(int)
    weight = rng.uniform(0.5, 2.0, 200)
    given = {"learning_rate": 0.5, "max_leaf_nodes": 6, "min_samples_leaf": 8}
    theirs = HistGradientBoostingClassifier(
        max_iter=60, early_stopping=True, n_iter_no_change=5, tol=0.0, random_state=0, **given
    )
    theirs.fit(table[:200], y[:200], sample_weight=weight, X_val=table[200:], y_val=y[200:])
    ours = gt.GraphBoostingClassifier(
        60, early_stopping=True, n_iter_no_change=5, tol=0.0, l2_regularization=0.0, **given
    ).fit(table[:200], y[:200], sample_weight=weight, eval_set=(table[200:], y[200:]))
    losses = ours.evals_result_["validation"]["loss"]
    n_both = min(len(losses), theirs.n_iter_)
    np.testing.assert_allclose(
        losses[:n_both], -theirs.validation_score_[1 : n_both + 1], rtol=1e-5
    )
    assert len(losses) == theirs.n_iter_


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_best_round_is_lightgbms(seed):
    lightgbm = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 13, (300, 4)) / 2.0
    y = np.sin(table[:, 0]) * 3 + table[:, 1] + rng.normal(size=300)
    ours = gt.GraphBoostingRegressor(
        60, learning_rate=0.4, max_leaf_nodes=6, min_samples_leaf=8, l2_regularization=0.0,
        early_stopping=True, n_iter_no_change=5, tol=0.0,
    ).fit(table[:200], y[:200], eval_set=(table[200:], y[200:]))  # fmt: skip
    settings = {
        "objective": "regression", "learning_rate": 0.4, "num_leaves": 6, "min_data_in_leaf": 8,
        "min_data_in_bin": 1, "verbose": -1, "num_threads": 1, "metric": "l2",
    }  # fmt: skip
    train = lightgbm.Dataset(table[:200], y[:200], params=settings)
    told: dict = {}
    theirs = lightgbm.train(
        settings, train, num_boost_round=60,
        valid_sets=[lightgbm.Dataset(table[200:], y[200:], reference=train)],
        callbacks=[lightgbm.early_stopping(5, verbose=False), lightgbm.record_evaluation(told)],
    )  # fmt: skip
    assert ours.n_iter_ == theirs.best_iteration
    np.testing.assert_allclose(
        ours.evals_result_["validation"]["loss"], told["valid_0"]["l2"], rtol=1e-5
    )
    np.testing.assert_allclose(ours.predict(table), theirs.predict(table), rtol=1e-5)


# ---- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("eval_set", "words"),
    [
        ({"train": "pair"}, "other than 'train'; got 'train'"),
        ({3: "pair"}, "must be a str other than 'train'; got 3"),
        ({"new": "X"}, "eval_set must be .* got Graphs for 'new'"),
        (["X"], "eval_set must be .* got Graphs for 'validation_0'"),
        ("X", "eval_set must be .* got Graphs for 'validation'"),
    ],
    ids=str,
)
def test_a_set_of_no_known_form_is_refused(eval_set, words):
    X = examples("graphs")
    y = numbers(X)
    real = {"pair": (X, y), "X": X}
    if isinstance(eval_set, dict):
        eval_set = {k: real[v] for k, v in eval_set.items()}
    else:
        eval_set = [real[v] for v in eval_set] if isinstance(eval_set, list) else real[eval_set]
    with pytest.raises(ValueError, match=words):
        regressor().fit(X, y, eval_set=eval_set)


@both
def test_a_set_without_examples_or_weight_is_named(about):
    X = examples(about)
    y = classes(X)
    with pytest.raises(ValueError, match="eval_set 'new' holds no examples"):
        classifier().fit(X, y, eval_set={"new": (X[:0], y[:0])})
    for empty in ([], np.empty((0, 3))):
        with pytest.raises(ValueError, match="eval_set 'validation' holds no examples"):
            classifier().fit(X, y, eval_set=(empty, []))
    with pytest.raises(ValueError, match="eval_set 'new': sample_weight is zero"):
        classifier().fit(X, y, eval_set={"new": (X, y, np.zeros(len(X)))})


def test_a_set_must_have_as_many_columns_as_y():
    X = examples("graphs")
    y = numbers(X)
    with pytest.raises(ValueError, match="y of eval_set has 1 columns; y has 2"):
        regressor().fit(X, np.column_stack([y, y]), eval_set=(X, y))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_rows_of_any_table_can_be_set_aside(library):
    values = np.random.default_rng(0).normal(size=(60, 2))
    columns = {"a": values[:, 0], "b": values[:, 1]}
    make = pytest.importorskip(library)
    table = make.table(columns) if library == "pyarrow" else make.DataFrame(columns)
    of_frame = regressor(early_stopping=True).fit(table, values[:, 0])
    of_array = regressor(early_stopping=True).fit(values, values[:, 0])
    assert of_frame.evals_result_ == of_array.evals_result_
