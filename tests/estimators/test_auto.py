"""`AutoGraphClassifier` and `AutoGraphRegressor`: several recipes, combined."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from boosting_tasks import classes, examples, numbers
from sklearn.base import clone
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.utils.estimator_checks import parametrize_with_checks

import graphtrees as gt
from graphtrees.estimators.auto.recipes import NAMES, RECIPES, recipes_for
from graphtrees.estimators.auto.running import Clock, Finished
from graphtrees.estimators.auto.selection import select

QUICK = {"cv": 3, "random_state": 0, "n_jobs": 1, "time_limit": None}
TWO = {**QUICK, "recipes": ("table", "walks")}
X, Y = examples("graphs", 45), classes(examples("graphs", 45), 3)
NUMBERS = numbers(X)


@pytest.fixture(scope="module")
def classifier() -> gt.AutoGraphClassifier:
    return gt.AutoGraphClassifier(**QUICK).fit(X, np.array(["a", "b", "c"])[Y])


@pytest.fixture(scope="module")
def regressor() -> gt.AutoGraphRegressor:
    return gt.AutoGraphRegressor(**TWO).fit(X, NUMBERS)


# ---- the list of recipes -------------------------------------------------------------------------


def test_each_recipe_is_tried_on_the_examples_it_is_for(classifier):
    tried = {row["recipe"] for row in classifier.leaderboard_}
    assert tried == {recipe.name for recipe in RECIPES if "graphs" in recipe.kinds}
    assert "labels" not in tried
    assert all(np.isfinite(row["score"]) for row in classifier.leaderboard_)


def test_the_first_recipe_is_the_cheapest_and_each_has_a_name_of_its_own():
    assert len(set(NAMES)) == len(NAMES)
    for kind in ("graphs", "vertices", "edges", "rows"):
        costs = [recipe.cost for recipe in recipes_for(kind, None)]
        assert costs[0] == min(costs) == 1.0


def test_whole_graphs_are_also_tried_with_neighbourhoods_as_features(tmp_path):
    given = QUICK | {"recipes": ("colours", "forest colours")}
    model = gt.AutoGraphClassifier(**given).fit(X, Y)
    assert {row["recipe"] for row in model.leaderboard_} == set(given["recipes"])
    assert all(member.colours >= 2 for _, _, member in model.members_)
    model.save(tmp_path / "model.json")
    again = gt.load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    with pytest.raises(ValueError, match="recipes: 'colours' is not for vertices"):
        gt.AutoGraphClassifier(**given).fit(X.vertices, np.zeros(len(X.vertices)))


def test_the_score_of_a_recipe_is_that_of_its_predictions_out_of_fold():
    folds = list(KFold(3, shuffle=True, random_state=1).split(np.arange(45)))
    model = gt.AutoGraphClassifier(**TWO | {"cv": folds, "recipes": ("walks",)}).fit(X, Y)
    inner = model.best_estimator_
    scores = []
    for train, test in folds:
        told = clone(inner).fit(X[train], Y[train]).predict_proba(X[test])
        scores.append(-log_loss(Y[test], told, labels=[0, 1, 2]))
    [row] = model.leaderboard_
    assert row["score"] == pytest.approx(np.mean(scores), rel=1e-9)
    assert row["error"] == pytest.approx(np.std(scores, ddof=1) / np.sqrt(3), rel=1e-9)
    assert row["weight"] == 1.0


def test_examples_count_by_their_weight_in_the_score_of_a_recipe():
    folds = list(KFold(3, shuffle=True, random_state=1).split(np.arange(45)))
    weight = np.random.default_rng(0).uniform(0.1, 5.0, 45)
    model = gt.AutoGraphRegressor(**TWO | {"cv": folds, "recipes": ("table",)})
    model.fit(X, NUMBERS, sample_weight=weight)
    scores = []
    for train, test in folds:
        inner = clone(model.best_estimator_).fit(X[train], NUMBERS[train], weight[train])
        wrong = (inner.predict(X[test]) - NUMBERS[test]) ** 2
        scores.append(-np.average(wrong, weights=weight[test]))
    assert model.leaderboard_[0]["score"] == pytest.approx(np.mean(scores), rel=1e-9)


def test_time_is_kept_to_fit_every_finished_recipe_once_more():
    clock = Clock(100.0)
    assert clock.allows(1, 95.0)
    for recipe in RECIPES[:3]:
        clock.learn(Finished(recipe, np.zeros((1, 1)), 50.0, n_folds=5))
    assert clock.allows(1, 65.0)
    assert not clock.allows(1, 75.0)


def seconds_a_fit(monkeypatch, seconds):
    """From here on a fit of each recipe takes as many seconds as `seconds` says of its name."""
    from graphtrees.estimators.auto import running

    now, whole = [0.0], running.Course.fit

    def fit(self, recipe, rows):
        now[0] += seconds[recipe.name]
        return whole(self, recipe, rows)

    monkeypatch.setattr(running.Course, "fit", fit)
    monkeypatch.setattr(running.time, "monotonic", lambda: now[0])


ROWS = np.random.default_rng(0).normal(size=(1500, 2))
TABLES = {"recipes": ("table", "linear table"), "cv": 5, "random_state": 0, "n_jobs": 1}


@pytest.mark.parametrize(
    ("seconds", "limit", "n_folds"),
    [
        ({"table": 1, "linear table": 2}, 18, 5),  # 6 fits of each
        ({"table": 1, "linear table": 2}, 17, 4),  # planned from what a fit of the first takes
        ({"table": 1, "linear table": 20}, 106, 4),  # a recipe that takes longer than expected
    ],
)
def test_where_time_is_short_fewer_folds_are_used(seconds, limit, n_folds, monkeypatch):
    seconds_a_fit(monkeypatch, seconds)
    y = ROWS[:, 0] + np.abs(ROWS[:, 1])
    model = gt.AutoGraphRegressor(limit, **TABLES).fit(ROWS, y)
    assert all(np.isfinite(row["score"]) for row in model.leaderboard_)
    last = next(row for row in model.leaderboard_ if row["recipe"] == "linear table")
    assert last["seconds"] == n_folds * seconds["linear table"]


def test_scores_on_fewer_folds_are_those_of_these_folds(monkeypatch):
    y = ROWS[:, 0] + np.abs(ROWS[:, 1])
    folds = list(KFold(5, shuffle=True, random_state=1).split(ROWS))
    seconds_a_fit(monkeypatch, {"table": 1, "linear table": 1})
    model = gt.AutoGraphRegressor(17, **TABLES | {"cv": folds}).fit(ROWS, y)
    inner = {name: one for name, _, one in model.members_}[model.best_recipe_]
    scores = [
        -np.mean((clone(inner).fit(ROWS[train], y[train]).predict(ROWS[test]) - y[test]) ** 2)
        for train, test in folds[:4]
    ]
    assert model.leaderboard_[0]["score"] == pytest.approx(np.mean(scores), rel=1e-9)


def test_few_examples_are_all_held_out_even_if_a_recipe_is_left_out_for_it(monkeypatch):
    seconds_a_fit(monkeypatch, {"table": 1, "walks": 20})
    model = gt.AutoGraphRegressor(**TWO | {"time_limit": 70, "cv": 5}).fit(X, NUMBERS)
    assert [row["note"] for row in model.leaderboard_] == ["", "no time left"]
    assert model.leaderboard_[0]["seconds"] == 5


def test_without_time_only_the_first_recipe_is_run():
    model = gt.AutoGraphRegressor(**TWO | {"time_limit": 1e-9}).fit(X, NUMBERS)
    assert [name for name, _, _ in model.members_] == ["table"]
    [late] = [row for row in model.leaderboard_ if row["recipe"] == "walks"]
    assert late["note"] == "no time left"
    assert np.isnan(late["score"])
    assert "no time left" in repr(model.leaderboard_)


def test_time_cuts_the_list_and_changes_nothing_else():
    cut = gt.AutoGraphRegressor(**TWO | {"time_limit": 1e-9}).fit(X, NUMBERS)
    short = gt.AutoGraphRegressor(**TWO | {"recipes": ("table",)}).fit(X, NUMBERS)
    np.testing.assert_array_equal(cut.predict(X), short.predict(X))


def test_the_same_seed_gives_the_same_model(regressor):
    again = gt.AutoGraphRegressor(**TWO).fit(X, NUMBERS)
    np.testing.assert_array_equal(again.predict(X), regressor.predict(X))
    other = gt.AutoGraphRegressor(**TWO | {"random_state": 1}).fit(X, NUMBERS)
    assert other.best_score_ != regressor.best_score_


def test_a_recipe_that_fails_is_left_out_with_a_warning(monkeypatch):
    from graphtrees.estimators.auto import recipes

    broken = recipes.Recipe("broken", "boosting", {"max_leaf_nodes": 1}, 2.0)
    monkeypatch.setattr(recipes, "RECIPES", (*RECIPES[:1], broken))
    with pytest.warns(UserWarning, match="recipe 'broken' is left out: The 'max_leaf_nodes'"):
        model = gt.AutoGraphRegressor(**QUICK).fit(X, NUMBERS)
    assert [name for name, _, _ in model.members_] == ["table"]
    assert "failed" in model.leaderboard_[-1]["note"]


def test_groups_stay_together():
    """Copies of an example tell its label, unless they are in its fold."""
    rng = np.random.default_rng(0)
    rows = np.repeat(rng.normal(size=(40, 3)), 5, axis=0)
    y, groups = np.repeat(rng.normal(size=40), 5), np.repeat(np.arange(40), 5)
    given = {**QUICK, "recipes": ("table",)}
    apart = gt.AutoGraphRegressor(**given).fit(rows, y)
    together = gt.AutoGraphRegressor(**given).fit(rows, y, groups=groups)
    assert apart.best_score_ > -0.3 > -0.8 > together.best_score_


def test_every_example_is_held_out_once_or_the_folds_are_refused():
    folds = [(np.arange(20, 45), np.arange(20)), (np.arange(20), np.arange(20, 40))]
    with pytest.raises(ValueError, match="cv must hold out every example once; some never are"):
        gt.AutoGraphRegressor(**TWO | {"cv": folds}).fit(X, NUMBERS)


# ---- the ensemble --------------------------------------------------------------------------------


def test_the_mean_of_two_that_err_to_opposite_sides_is_chosen():
    truth = np.zeros((10, 1))

    def score(told):
        return -float(((told - truth) ** 2).mean())

    assert select([truth + 1, truth - 1], score).tolist() == [0.5, 0.5]
    assert select([truth + 1, truth - 2], score) == pytest.approx([2 / 3, 1 / 3])
    assert select([truth + 1, truth, truth - 1], score).tolist() == [0.0, 1.0, 0.0]


def test_of_means_that_score_alike_the_one_of_fewest_is_kept():
    """The second alone scores 1, and so does its mean with the first."""
    told = [np.array([[0.0]]), np.array([[2.0]])]
    assert select(told, lambda mean: float(mean[0, 0] >= 1.0)).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("seed", range(4))
def test_the_best_recipe_is_the_first_of_the_leaderboard(seed):
    """By the mean of its folds: on noise any single fold says something else."""
    noise = np.random.default_rng(seed).normal(size=45)
    model = gt.AutoGraphRegressor(**TWO | {"random_state": seed}).fit(X, noise)
    assert model.best_recipe_ == model.leaderboard_[0]["recipe"]


def test_weights_sum_to_one_and_the_mean_is_no_worse_than_the_best(classifier):
    assert sum(weight for _, weight, _ in classifier.members_) == pytest.approx(1)
    assert classifier.best_score_ >= classifier.leaderboard_[0]["score"]
    assert classifier.leaderboard_[0]["recipe"] == classifier.best_recipe_


def test_a_prediction_is_the_weighted_mean_of_the_members(classifier, regressor):
    told = sum(weight * model.predict_proba(X) for _, weight, model in classifier.members_)
    np.testing.assert_allclose(classifier.predict_proba(X), told)
    assert (classifier.predict(X) == classifier.classes_[told.argmax(axis=1)]).all()
    told = sum(weight * model.predict(X) for _, weight, model in regressor.members_)
    np.testing.assert_allclose(regressor.predict(X), told)


def test_several_outputs_are_predicted():
    y = np.stack([NUMBERS, -NUMBERS], axis=1)
    model = gt.AutoGraphRegressor(**TWO | {"recipes": ("table",)}).fit(X, y)
    assert model.predict(X).shape == (45, 2)
    assert model.score(X, y) > 0.5


def test_a_scorer_of_scikit_learn_may_decide():
    model = gt.AutoGraphClassifier(**TWO | {"scoring": "accuracy"}).fit(X, Y)
    assert all(0 <= row["score"] <= 1 for row in model.leaderboard_)


def test_weights_of_examples_count():
    weight = np.where(np.arange(45) < 30, 1.0, 0.0)
    wrong = np.where(np.arange(45) < 30, NUMBERS, 1000.0)
    given = {**TWO, "recipes": ("table",)}
    model = gt.AutoGraphRegressor(**given).fit(X, wrong, sample_weight=weight)
    assert model.predict(X).max() < 100


@pytest.mark.parametrize("kind", ["vertices", "edges"])
def test_labels_around_are_a_recipe_for_parts_of_graphs(kind):
    rng = np.random.default_rng(0)
    group = np.arange(40) % 2
    chance = np.where(group[:, None] == group, 0.25, 0.02)
    g = gt.Graph(None, np.argwhere(np.triu(rng.random((40, 40)) < chance, 1)), n_vertices=40)
    examples_, y = (g.vertices, group) if kind == "vertices" else (g.edges, group[g.edge_index[0]])
    model = gt.AutoGraphClassifier(**TWO | {"recipes": ("table", "labels")}).fit(examples_, y)
    assert model.best_recipe_ == "labels"
    assert isinstance(model.best_estimator_, gt.WithLabels)


@pytest.mark.parametrize("name", ["classifier", "regressor"])
def test_explanations_are_sums_over_members(name, request):
    model = request.getfixturevalue(name)
    e = model.explain(X[0])
    assert e.vertex_importance.sum() == pytest.approx(1)
    added = e.vertex_attribution.sum() + e.absence
    assert e.start + added == pytest.approx(e.raw_score, rel=1e-6, abs=1e-6)
    if name == "regressor":  # both members are boosting
        assert e.raw_score == pytest.approx(model.predict(X[:1])[0])
        assert e.prediction == e.score == pytest.approx(e.raw_score)
    else:
        assert e.class_ == e.prediction == model.predict(X[:1])[0]
        assert e.score == pytest.approx(model.predict_proba(X[:1]).max())


# ---- going on ------------------------------------------------------------------------------------


def test_finished_recipes_are_taken_up_again(tmp_path):
    first = gt.AutoGraphRegressor(**TWO | {"checkpoint": tmp_path}).fit(X, NUMBERS)
    assert {path.name for path in tmp_path.iterdir()} == {"table.npz", "walks.npz"}
    hurried = TWO | {"checkpoint": tmp_path, "time_limit": 1e-9}
    again = gt.AutoGraphRegressor(**hurried).fit(X, NUMBERS)
    assert all(np.isfinite(row["score"]) for row in again.leaderboard_)  # though no time was left
    np.testing.assert_array_equal(again.predict(X), first.predict(X))


def test_a_run_on_fewer_folds_is_taken_up_again(tmp_path, monkeypatch):
    seconds_a_fit(monkeypatch, {"table": 1, "linear table": 1})
    y, given = ROWS[:, 0] + np.abs(ROWS[:, 1]), TABLES | {"checkpoint": tmp_path}
    first = gt.AutoGraphRegressor(17, **given).fit(ROWS, y)
    again = gt.AutoGraphRegressor(1e-9, **given).fit(ROWS, y)
    assert repr(again.leaderboard_) == repr(first.leaderboard_)
    assert again.leaderboard_[0]["seconds"] == 4
    np.testing.assert_array_equal(again.predict(ROWS), first.predict(ROWS))


@pytest.mark.parametrize("change", ["labels", "seed", "weights"])
def test_what_was_kept_of_another_task_is_not_used(change, tmp_path):
    given = TWO | {"checkpoint": tmp_path}
    gt.AutoGraphRegressor(**given).fit(X, NUMBERS)
    y, weight = NUMBERS, None
    given = given | {"time_limit": 1e-9}
    if change == "labels":
        y = NUMBERS + 1
    elif change == "weights":
        weight = np.arange(1.0, 46.0)
    else:
        given |= {"random_state": 1}
    model = gt.AutoGraphRegressor(**given).fit(X, y, sample_weight=weight)
    assert [row["note"] for row in model.leaderboard_] == ["", "no time left"]


def test_a_damaged_file_is_made_anew(tmp_path):
    given = TWO | {"checkpoint": tmp_path, "recipes": ("table",)}
    first = gt.AutoGraphRegressor(**given).fit(X, NUMBERS)
    (tmp_path / "table.npz").write_bytes(b"PK\x03\x04 nothing")
    with pytest.warns(UserWarning, match=r"table\.npz is damaged and made anew"):
        again = gt.AutoGraphRegressor(**given).fit(X, NUMBERS)
    np.testing.assert_array_equal(again.predict(X), first.predict(X))


def test_an_interrupted_run_keeps_what_is_finished(monkeypatch):
    from graphtrees.estimators.auto import running

    whole = running.Course.fit

    def interrupted(self, recipe, rows):
        if recipe.name == "walks":
            raise KeyboardInterrupt
        return whole(self, recipe, rows)

    monkeypatch.setattr(running.Course, "fit", interrupted)
    with pytest.warns(UserWarning, match="interrupted: goes on with table"):
        model = gt.AutoGraphRegressor(**TWO).fit(X, NUMBERS)
    assert model.leaderboard_[-1]["note"] == "interrupted"
    with pytest.raises(KeyboardInterrupt):
        gt.AutoGraphRegressor(**TWO | {"recipes": ("walks",)}).fit(X, NUMBERS)


# ---- as any estimator ----------------------------------------------------------------------------

_FOLDS = "folds are dealt out by the number of examples, and weight 2 does not count twice there"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": _FOLDS,
    "check_sample_weight_equivalence_on_sparse_data": _FOLDS,
}
CHECKED = {"recipes": ("table",), "cv": 2, "random_state": 0, "n_jobs": 1}


@pytest.fixture
def small_recipes(monkeypatch):
    """Ten trees each: the checks fit some hundred times, and look at no score."""
    small = [replace(one, parameters={"n_estimators": 10} | one.parameters) for one in RECIPES]
    monkeypatch.setattr("graphtrees.estimators.auto.recipes.RECIPES", small)


@parametrize_with_checks(
    [gt.AutoGraphClassifier(**CHECKED), gt.AutoGraphRegressor(**CHECKED)],
    expected_failed_checks=lambda model: EXPECTED,
)
def test_scikit_learn_accepts(estimator, check, small_recipes):
    check(estimator)


def test_grid_search_and_pickle_work(regressor):
    given = {**TWO, "recipes": ("table",)}
    search = GridSearchCV(gt.AutoGraphRegressor(**given), {"cv": [2, 3]}, cv=2).fit(X, NUMBERS)
    assert search.best_params_["cv"] in (2, 3)
    again = pickle.loads(pickle.dumps(regressor))
    np.testing.assert_array_equal(again.predict(X), regressor.predict(X))
    assert repr(again.leaderboard_) == repr(regressor.leaderboard_)


def test_the_leaderboard_is_a_table(regressor):
    table = regressor.leaderboard_.to_pandas()
    assert list(table.columns) == ["recipe", "score", "error", "seconds", "weight", "note"]
    assert table["score"].is_monotonic_decreasing
    assert table["weight"].sum() == pytest.approx(1)


ODD = {
    "time_limit": 0, "scoring": "best", "cv": 1, "recipes": ("tables",), "checkpoint": 3,
    "random_state": -1, "n_jobs": 0, "verbose": -1,
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_an_odd_parameter_is_refused_by_name(name):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of AutoGraphRegressor must be"):
        gt.AutoGraphRegressor(**{name: ODD[name]}).fit(X, NUMBERS)


def test_a_recipe_for_other_examples_is_refused():
    with pytest.raises(ValueError, match="recipes: 'labels' is not for graphs; those that are"):
        gt.AutoGraphRegressor(recipes=("labels",)).fit(X, NUMBERS)


# ---- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["classifier", "regressor"])
def test_an_ensemble_is_saved_and_read(name, request, tmp_path):
    model = request.getfixturevalue(name)
    for file in ("model.json", "model.json.gz"):
        model.save(tmp_path / file)
        again = gt.load_model(tmp_path / file)
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        assert again.get_params() == model.get_params()
        assert repr(again.leaderboard_) == repr(model.leaderboard_)
        assert again.best_recipe_ == model.best_recipe_
    assert type(model).load_model(tmp_path / "model.json").best_score_ == model.best_score_
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()


def test_a_member_that_json_cannot_hold_is_named(tmp_path):
    rng = np.random.default_rng(0)
    g = gt.Graph(None, rng.integers(30, size=(60, 2)), n_vertices=30)
    model = gt.AutoGraphRegressor(**QUICK, recipes=("labels",)).fit(g.vertices, rng.normal(size=30))
    with pytest.raises(TypeError, match=r"member 'labels' is a WithLabels.*use pickle"):
        model.save(tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()


HOSTILE = {
    "another estimator": ("estimator", "GraphTreeRegressor"),
    "no members": ("members", []),
    "a member that is no object": ("members", [3]),
    "a weight of nothing": ("members.0.weight", 0),
    "a weight that is no number": ("members.0.weight", True),
    "weights of another sum": ("members.0.weight", 1e-3),
    "weights of nearly the sum": ("members.0.weight", lambda weight: weight * (1 - 1e-4)),
    "no name": ("members.0.name", 3),
    "a member twice": ("members", lambda members: [members[0], members[0]]),
    "a member with more": ("members.0.more", 1),
    "a member of another version": ("members.0.model.version", 2),
    "a member that is an ensemble": ("members.0.model.format", "graphtrees ensemble"),
    "a damaged member": ("members.0.model.trees.0.left", [5]),
    "other features": ("attributes.n_features_in_", 7),
    "more attributes": ("attributes.code", "print()"),
    "a parameter that is none": ("parameters.code", 1),
    "an odd parameter": ("parameters.cv", 1),
    "a best recipe that is none": ("best_recipe", "none"),
    "a score of text": ("best_score", "high"),
    "a leaderboard of text": ("leaderboard", "first"),
    "a row with more": ("leaderboard.0.more", 1),
    "a row of text": ("leaderboard.0.score", "high"),
    "another part": ("code", "print()"),
}


@pytest.mark.parametrize("odd", HOSTILE)
def test_an_odd_ensemble_in_a_file_is_refused(odd, regressor, tmp_path):
    regressor.save(tmp_path / "model.json")
    content = copy.deepcopy(json.loads((tmp_path / "model.json").read_text()))
    way, value = HOSTILE[odd]
    *steps, last = way.split(".")
    place = content
    for step in steps:
        place = place[int(step) if isinstance(place, list) else step]
    place[last] = value(place[last]) if callable(value) else value
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(gt.ModelFileError, match="a damaged model"):
        gt.load_model(tmp_path / "model.json")


def test_the_leaderboard_names_its_metric(tmp_path):
    data = gt.datasets.make_red_isolated_vertex(n_graphs=40, n_vertices=6, random_state=0)

    def hits(model, X, y):
        return (model.predict(X) == y).mean()

    def my_loss(y_true, y_pred):
        return (y_true != y_pred).mean()

    functions = {"hits": hits, "neg_my_loss": my_loss, "accuracy_score": partial(accuracy_score)}
    names = {"neg_log_loss": None, "roc_auc": "roc_auc", **functions}
    for name, scoring in names.items():
        model = gt.AutoGraphClassifier(
            scoring=scoring, recipes=["table"], cv=2, random_state=0
        ).fit(data.X, data.y)  # fmt: skip
        assert model.leaderboard_.metric == name
        assert repr(model.leaderboard_).splitlines()[-1].startswith(f"score: {name}, the mean")
        model.save(tmp_path / "m.json")
        again = gt.load_model(tmp_path / "m.json").leaderboard_.metric
        assert again == ("" if name in functions else name)  # a function is no part of a file


def test_an_ensemble_without_trees_has_no_report(tmp_path):
    g = gt.Graph(np.arange(40.0)[:, None], [(k, k + 1) for k in range(39)])
    model = gt.AutoGraphClassifier(recipes=["labels"], cv=2, random_state=0)
    model.fit(g.vertices, np.arange(40) // 4 % 2)
    with pytest.raises(TypeError, match=r"\(its members: 'labels'\); leave 'labels' out of rec"):
        model.report(g.vertices, path=tmp_path / "r.html")
