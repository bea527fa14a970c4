"""A fit succeeds as a whole or changes nothing, and what was fitted does not follow parameters."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from builders import some_graphs
from models import BOOSTING, CLASSIFIERS, FORESTS, SIX, name_of, small

import graphtrees as gt

N = 24
X = some_graphs(N, n_vertices=(3, 6), directed=True, n_edge_types=2)
CODES = np.random.default_rng(0).integers(3, size=N)
EVERY = ("adjacency", "reverse", "mean")
every_kind = pytest.mark.parametrize("kind", SIX, ids=name_of)


def targets(kind: type) -> np.ndarray:
    return np.array(["a", "b", "c"])[CODES] if kind in CLASSIFIERS else CODES + 0.25


def fitted(kind: type, **given):
    return small(kind, operators=EVERY, **given).fit(X, targets(kind))


def everything(model) -> dict:
    """All that a model says, and all that a file of it would hold."""
    said = {
        name: getattr(model, name)(X).tolist()
        for name in ("predict", "predict_proba", "decision_function", "apply")
        if hasattr(model, name)
    }
    said["explained"] = model.explain(X[0]).vertex_importance.tolist()
    said["importances"] = model.feature_importances_.tolist()
    said["attributes"] = sorted(name for name in vars(model) if name.endswith("_"))
    if hasattr(model, "staged_predict"):
        said["staged"] = [one.tolist() for one in model.staged_predict(X)]
    return said


def saved_text(model, folder) -> str:
    model.save(folder / "model.json")
    return (folder / "model.json").read_text()


REFUSED = {
    "labels of another length": lambda model: model.fit(X, targets(type(model))[:5]),
    "no labels": lambda model: model.fit(X, None),
    "no examples": lambda model: model.fit(X[:0], []),
    "negative weights": lambda model: model.fit(X, targets(type(model)), sample_weight=-np.ones(N)),
    "an unknown relation": lambda model: model.set_params(operators="no such").fit(
        X, targets(type(model))
    ),
    "a parameter out of range": lambda model: model.set_params(max_depth=0).fit(
        X, targets(type(model))
    ),
    "vertices, and too few labels": lambda model: model.fit(X.vertices, targets(type(model))),
    "a table with other features, and too few labels": lambda model: model.fit(
        np.zeros((N, 7)), targets(type(model))[:2]
    ),
    "something that is no data": lambda model: model.fit(3, targets(type(model))),
}


@every_kind
@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_fit_leaves_the_model_whole(kind, case, tmp_path):
    model = fitted(kind)
    before, text = everything(model), saved_text(model, tmp_path)
    with pytest.raises((ValueError, TypeError)):
        REFUSED[case](model)
    assert everything(model) == before
    assert saved_text(model, tmp_path) == text


@every_kind
def test_a_refused_first_fit_leaves_nothing(kind):
    model = small(kind)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="inconsistent"):
        model.fit(X, targets(kind)[:5])
    assert vars(model) == before


@every_kind
def test_an_aborted_fit_leaves_the_model_whole(kind, monkeypatch):
    """Ctrl-C in the middle of the first tree."""
    model = fitted(kind)
    before = everything(model)

    def interrupt(*args, **given):
        raise KeyboardInterrupt

    where = "boosting" if kind in BOOSTING else "forest" if kind in FORESTS else None
    home = "graphtrees.estimators.single" if where is None else f"graphtrees.ensembles.{where}"
    monkeypatch.setattr(f"{home}.grow_tree", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.set_params(operators="adjacency").fit(X.vertices, np.arange(len(X.vertices)) % 2)
    monkeypatch.undo()
    assert everything(model) == before


@pytest.mark.parametrize("kind", BOOSTING, ids=name_of)
@pytest.mark.parametrize("warm", [False, True])
def test_a_callback_that_fails_leaves_the_model_whole(kind, warm, tmp_path):
    model = fitted(kind, warm_start=warm)
    before, text = everything(model), saved_text(model, tmp_path)

    def fail(state):
        if state.round >= 4:
            raise RuntimeError("the disk is full")

    model.set_params(n_estimators=8)
    with pytest.raises(RuntimeError, match="the disk is full"):
        model.fit(X, targets(kind), callbacks=[fail])
    assert everything(model) == before
    assert saved_text(model, tmp_path) == text
    again = fitted(kind, warm_start=warm).set_params(n_estimators=8).fit(X, targets(kind))
    assert everything(model.fit(X, targets(kind))) == everything(again)


OTHER = {
    "operators": ("mean", "relations"),
    "max_walk_length": 0,
    "walk_types": ("source",),
    "aggregators": ("min",),
    "add_constant": False,
    "categorical_features": None,
    "max_leaf_nodes": None,
    "random_state": 7,
    "verbose": 0,
    "n_estimators": 50,
    "learning_rate": 100.0,
    "multi_strategy": "multi_output_tree",
    "loss": "poisson",
    "alpha": 0.1,
    "class_weight": "balanced",
    "criterion": "entropy",
}


@every_kind
def test_parameters_that_are_set_later_change_no_prediction(kind, tmp_path):
    model = fitted(kind)
    before, text = everything(model), saved_text(model, tmp_path)
    known = model.get_params()
    changed = {name: value for name, value in OTHER.items() if name in known}
    assert len(changed) >= 9
    model.set_params(**changed)
    assert everything(model) == before
    assert saved_text(model, tmp_path) == text, "the file holds the parameters of the fit"
    assert gt.load_model(tmp_path / "model.json").get_params() == known


@every_kind
def test_parameters_that_are_set_later_to_nonsense_change_no_prediction(kind, tmp_path):
    model = fitted(kind)
    before, text = everything(model), saved_text(model, tmp_path)
    model.set_params(operators=None, max_walk_length="long", min_gain=np.nan)
    assert everything(model) == before
    assert saved_text(model, tmp_path) == text
    assert everything(pickle.loads(pickle.dumps(model))) == before
    assert everything(copy.deepcopy(model)) == before


@pytest.mark.parametrize("strategy", ["one_vs_rest", "softmax", "multi_output_tree"])
def test_probabilities_keep_the_link_of_the_fit(strategy, tmp_path):
    model = fitted(gt.GraphBoostingClassifier, multi_strategy=strategy)
    before = model.predict_proba(X)
    for other in ("one_vs_rest", "softmax", "multi_output_tree"):
        model.set_params(multi_strategy=other, learning_rate=3.0)
        np.testing.assert_array_equal(model.predict_proba(X), before)
        model.save(tmp_path / "model.json")
        loaded = gt.load_model(tmp_path / "model.json")
        np.testing.assert_array_equal(loaded.predict_proba(X), before)


@every_kind
def test_a_refit_takes_over_all_that_is_new_and_keeps_nothing_old(kind):
    named = gt.Graphs(gt.Graph([[1.0 * k]], [], feature_names=["size"]) for k in range(N))
    given = {"oob_score": True} if kind in FORESTS else {}
    model = small(kind, **given).fit(named, targets(kind))
    assert list(model.feature_names_in_) == ["size"]
    if kind in FORESTS:
        model.set_params(oob_score=False)
    model.fit(X, targets(kind))
    fresh = small(kind).fit(X, targets(kind))
    assert everything(model) == everything(fresh)
    assert set(vars(model)) == set(vars(fresh))


def test_what_is_not_the_models_own_stays_on_it():
    model = small(gt.GraphTreeClassifier)
    model.note = "mine"
    assert model.fit(X, targets(type(model))).note == "mine"
    assert model.fit(X, targets(type(model))).note == "mine"


def test_a_parameter_that_a_callback_sets_is_not_lost():
    model = small(gt.GraphBoostingRegressor, n_estimators=2)
    model.fit(X, CODES + 0.5, callbacks=[lambda state: model.set_params(verbose=2)])
    assert model.verbose == 2


def test_a_file_of_a_resumed_run_is_compared_with_the_parameters_of_its_fit(tmp_path):
    model = fitted(gt.GraphBoostingRegressor)
    model.set_params(max_leaf_nodes=2)
    model.save(tmp_path / "run.json")
    stored = json.loads((tmp_path / "run.json").read_text())
    assert stored["parameters"]["max_leaf_nodes"] == 6
    longer = small(gt.GraphBoostingRegressor, operators=EVERY, n_estimators=5)
    longer.fit(X, targets(type(model)), resume_from=tmp_path / "run.json")
    whole = small(gt.GraphBoostingRegressor, operators=EVERY, n_estimators=5)
    np.testing.assert_array_equal(longer.predict(X), whole.fit(X, targets(type(model))).predict(X))
