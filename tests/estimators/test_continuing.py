"""Going on with a run: warm starts, checkpoints, and `resume_from`, to the same bits."""

from __future__ import annotations

import json

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
from builders import some_graphs
from sklearn.base import clone

import graphtrees as gt

PLAIN: dict = {}
DRAWING = {
    "subsample": 0.6,
    "feature_fraction": 0.7,
    "feature_fraction_per_node": 0.5,
    "walk_type_probability": 0.5,
}
ways = pytest.mark.parametrize("given", [PLAIN, DRAWING], ids=["plain", "drawing"])
every_regression_loss = pytest.mark.parametrize(
    "loss", ["squared_error", "absolute_error", "huber", "quantile", "poisson"]
)


def stop_after(n_rounds: int):
    return lambda state: state.round + 1 == n_rounds


# ---- warm starts ---------------------------------------------------------------------------------


@both
@ways
def test_a_warm_start_goes_on_as_if_it_had_never_stopped(about, given):
    X = examples(about)
    y = classes(X)
    whole = classifier(6, **given).fit(X, y, eval_set=(X, y))
    model = classifier(2, warm_start=True, **given).fit(X, y, eval_set=(X, y))
    model.set_params(n_estimators=4).fit(X, y, eval_set=(X, y))
    model.set_params(n_estimators=6).fit(X, y, eval_set=(X, y))
    assert_same_model(model, whole, X)


@every_regression_loss
def test_a_warm_start_goes_on_with_every_loss(loss):
    X = examples("vertices")
    y = np.column_stack([np.abs(numbers(X, 0)), np.abs(numbers(X, 1))])
    whole = regressor(5, loss=loss, subsample=0.7).fit(X, y)
    model = regressor(3, loss=loss, subsample=0.7, warm_start=True).fit(X, y)
    assert_same_model(model.set_params(n_estimators=5).fit(X, y), whole, X)


@pytest.mark.parametrize("strategy", ["one_vs_rest", "softmax", "multi_output_tree"])
def test_a_warm_start_goes_on_with_several_classes(strategy):
    X = examples("graphs")
    y = classes(X, 3)
    whole = classifier(5, multi_strategy=strategy).fit(X, y)
    model = classifier(3, multi_strategy=strategy, warm_start=True).fit(X, y)
    assert_same_model(model.set_params(n_estimators=5).fit(X, y), whole, X)


def test_a_warm_start_with_a_part_set_aside_keeps_that_part():
    X = examples("graphs")
    y = classes(X)
    given = {"early_stopping": True, "validation_fraction": 0.3, "learning_rate": 0.01}
    whole = classifier(6, random_state=np.random.RandomState(5), **given).fit(X, y)
    model = classifier(3, random_state=np.random.RandomState(5), warm_start=True, **given).fit(X, y)
    assert model.n_iter_ == 3, "so slow that every round is better than the last"
    assert_same_model(model.set_params(n_estimators=6).fit(X, y), whole, X)


def test_a_warm_start_may_go_on_from_a_file(tmp_path):
    X = examples("graphs")
    y = classes(X)
    whole = classifier(5, **DRAWING).fit(X, y)
    classifier(3, warm_start=True, **DRAWING).fit(X, y).save(tmp_path / "model.json")
    model = gt.load_model(tmp_path / "model.json").set_params(n_estimators=5)
    assert_same_model(model.fit(X, y), whole, X)


def test_a_warm_start_after_an_interrupt_goes_on_from_the_last_whole_round():
    X = examples("graphs")
    y = classes(X)

    def interrupt(state) -> None:
        if state.round == 2:
            raise KeyboardInterrupt

    model = classifier(6, warm_start=True, **DRAWING)
    with pytest.warns(UserWarning, match="kept the 3 rounds"):
        model.fit(X, y, callbacks=[interrupt])
    assert_same_model(model.fit(X, y), classifier(6, **DRAWING).fit(X, y), X)


def test_without_warm_start_every_fit_starts_anew():
    X = examples("graphs")
    y = classes(X)
    model = classifier(3).fit(X, y)
    assert_same_model(model.fit(X, y), clone(model).fit(X, y), X)


def test_a_warm_start_on_new_examples_adds_trees_for_them():
    X = examples("graphs", 120)
    y = numbers(X)
    model = regressor(3, warm_start=True).fit(X[:60], y[:60])
    first = model._fitted.trees
    model.set_params(n_estimators=6).fit(X[60:], y[60:])
    assert model._fitted.trees[:3] == first
    assert model.n_iter_ == 6


def test_trees_keep_their_thresholds_where_new_examples_have_other_offsets():
    """Times within minutes of each other, the new ones on another day."""
    rng = np.random.default_rng(0)
    days = [np.array([[start + t] for t in rng.integers(600, size=60)]) for start in (1.7e9, 1.8e9)]
    old, new = (gt.Graphs(gt.Graph([row], []) for row in day) for day in days)
    y = days[0][:, 0] > 1.7e9 + 300
    compared = {"max_walk_length": 0, "max_ancestor_distance": 0, "aggregators": ("mean",)}
    model = regressor(3, warm_start=True, **compared).fit(old, y)
    assert np.ptp(model.predict(old)) > 0
    before = [model.predict(old), model.predict(new)]
    model.set_params(n_estimators=4).fit(new, days[1][:, 0] > 1.8e9 + 100)
    after = [list(model.staged_predict(X))[2] for X in (old, new)]
    np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"learning_rate": 0.7}, r"learning_rate was 0\.1; got 0\.7"),
        ({"multi_strategy": "softmax"}, "multi_strategy was 'one_vs_rest'; got 'softmax'"),
        ({"operators": ("adjacency", "mean")}, "operators was"),
        ({"add_constant": False}, "add_constant was True; got False"),
        ({"colours": 0}, "colours was 1; got 0"),
        ({"colour_features": [0]}, r"colour_features was auto; got \[0\]"),
    ],
    ids=str,
)
def test_a_warm_start_cannot_change_what_trees_are_made_of(change, words):
    X = examples("graphs")
    y = classes(X, 3)
    given = {"learning_rate": 0.1, "multi_strategy": "one_vs_rest", "colours": 1}
    model = classifier(2, warm_start=True, **given)
    model.fit(X, y).set_params(n_estimators=4, **change)
    with pytest.raises(ValueError, match=f"warm_start=True: {words}"):
        model.fit(X, y)


@pytest.mark.parametrize("types", [("type 0",), ("type 0", "type 1", "type 2"), None])
def test_a_warm_start_knows_the_neighbours_of_each_edge_type(types):
    X = some_graphs(30, seed=3, n_edge_types=2)
    model = regressor(2, colours=1, colour_features=[0], warm_start=True).fit(X, numbers(X))
    rng = np.random.default_rng(0)
    others = gt.Graphs(
        gt.Graph(
            g.features, g.edge_index.T,
            edge_types=None if types is None else rng.choice(types, g.n_edges),
        )
        for g in X
    )  # fmt: skip
    before = model.predict(others)
    model.set_params(n_estimators=4, colour_features=0).fit(others, numbers(others))
    np.testing.assert_array_equal(list(model.staged_predict(others))[1], before)


def test_a_warm_start_with_colours_needs_edges_with_the_same_direction():
    X = some_graphs(30, seed=3)
    model = regressor(2, colours=1, warm_start=True).fit(X, numbers(X))
    turned = gt.Graphs(gt.Graph(g.features, g.edge_index.T, directed=True) for g in X)
    with pytest.raises(ValueError, match="directed was False; got True"):
        model.set_params(n_estimators=4).fit(turned, numbers(X))


def test_a_warm_start_needs_the_same_kind_of_examples_features_and_classes():
    X = examples("graphs")
    y = classes(X, 3)
    model = classifier(2, warm_start=True).fit(X, y)
    model.set_params(n_estimators=4)
    with pytest.raises(ValueError, match="the kind of X was graphs; got vertices"):
        model.fit(X.vertices[:60], y)
    model = classifier(2, warm_start=True).fit(X, y).set_params(n_estimators=4)
    with pytest.raises(ValueError, match="classes of y was"):
        model.fit(X, y + 1)
    numbers_model = regressor(2, warm_start=True).fit(X, y).set_params(n_estimators=4)
    with pytest.raises(ValueError, match="y had 1 outputs; got 2"):
        numbers_model.fit(X, np.column_stack([y, y]))


# ---- checkpoints ---------------------------------------------------------------------------------


@both
@ways
@pytest.mark.parametrize("name", ["run.json", "run.json.gz"])
def test_a_resumed_run_gives_the_model_of_one_that_never_stopped(about, given, name, tmp_path):
    X = examples(about)
    y = classes(X)
    path = tmp_path / name
    whole = classifier(7, **given).fit(X, y, eval_set=(X, y))
    stopped = classifier(7, **given)
    stopped.fit(X, y, eval_set=(X, y), callbacks=[gt.Checkpoint(path, every=2), stop_after(5)])
    assert gt.load_model(path).n_iter_ == 4, "written after rounds 2 and 4"
    resumed = classifier(7, **given).fit(X, y, eval_set=(X, y), resume_from=path)
    assert_same_model(resumed, whole, X)


@every_regression_loss
def test_a_run_of_every_loss_can_be_resumed(loss, tmp_path):
    X = examples("vertices")
    y = np.abs(numbers(X))
    path = tmp_path / "run.json"
    given = {"loss": loss, **DRAWING}
    regressor(4, **given).fit(X, y, callbacks=[gt.Checkpoint(path, every=3), stop_after(3)])
    resumed = regressor(6, **given).fit(X, y, resume_from=path)
    assert_same_model(resumed, regressor(6, **given).fit(X, y), X)


@both
def test_a_run_that_would_stop_early_stops_in_the_same_round(about, tmp_path):
    np.random.seed(0)  # noqa: NPY002  what random_state=None draws from
    X = examples(about)
    y = classes(X)
    path = tmp_path / "run.json"
    given = {
        "learning_rate": 0.7, "early_stopping": True, "n_iter_no_change": 4, "tol": 0.0,
        "validation_fraction": 0.3, "random_state": None,
    }  # fmt: skip
    whole = classifier(80, **given).fit(
        X, y, callbacks=[gt.Checkpoint(path, every=1), stop_after(3)]
    )
    assert gt.load_model(path).n_iter_ == 3
    resumed = classifier(80, **given).fit(X, y, resume_from=path)
    again = classifier(80, **given).fit(X, y, resume_from=path, callbacks=[gt.Checkpoint(path, 1)])
    assert_same_model(resumed, again, X)
    assert len(resumed.evals_result_["validation"]["loss"]) == resumed.n_iter_ + 4
    assert whole.init_ == resumed.init_
    ended = classifier(80, **given).fit(X, y, resume_from=path)
    assert_same_model(ended, resumed, X)


def test_a_checkpoint_is_a_model_as_it_stands(tmp_path):
    X = examples("graphs")
    y = classes(X)
    path = tmp_path / "run.json.gz"
    classifier(5).fit(X, y, callbacks=[gt.Checkpoint(path, every=3), stop_after(4)])
    np.testing.assert_array_equal(
        gt.load_model(path).predict_proba(X), classifier(3).fit(X, y).predict_proba(X)
    )


def test_the_last_round_is_always_written(tmp_path):
    X = examples("graphs")
    path = tmp_path / "run.json"
    regressor(5).fit(X, numbers(X), callbacks=[gt.Checkpoint(path, every=2)])
    assert gt.load_model(path).n_iter_ == 5


def test_a_run_may_be_made_longer(tmp_path):
    X = examples("graphs")
    y = numbers(X)
    path = tmp_path / "run.json"
    regressor(3, subsample=0.5).fit(X, y, callbacks=[gt.Checkpoint(path)])
    longer = regressor(6, subsample=0.5, n_jobs=2).fit(X, y, resume_from=str(path))
    assert_same_model(longer, regressor(6, subsample=0.5).fit(X, y), X)
    with pytest.raises(ValueError, match="n_estimators=2 must be at least the 3 rounds already"):
        regressor(2, subsample=0.5).fit(X, y, resume_from=path)


def test_a_write_that_fails_leaves_the_older_file_whole(tmp_path, monkeypatch):
    X = examples("graphs")
    y = numbers(X)
    path = tmp_path / "run.json"
    regressor(3).fit(X, y, callbacks=[gt.Checkpoint(path, every=3)])
    before = path.read_bytes()

    def full(*given) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("graphtrees._disk.os.fsync", full)
    with pytest.raises(OSError, match="no space left"):
        regressor(6).fit(X, y, resume_from=path, callbacks=[gt.Checkpoint(path, every=1)])
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]


def a_run(tmp_path):
    X = examples("graphs")
    y = numbers(X)
    path = tmp_path / "run.json"
    regressor(3).fit(X, y, callbacks=[gt.Checkpoint(path)])
    return X, y, path


@pytest.mark.parametrize(
    "change",
    [{"learning_rate": 0.7}, {"max_leaf_nodes": 5}, {"subsample": 0.5}, {"random_state": 1}],
    ids=str,
)
def test_a_run_is_resumed_with_its_own_parameters(change, tmp_path):
    X, y, path = a_run(tmp_path)
    (name,) = change
    with pytest.raises(ValueError, match=rf"resume_from='.*run\.json': {name} was .* got"):
        regressor(5, **change).fit(X, y, resume_from=path)


def test_a_run_is_resumed_on_its_own_examples(tmp_path):
    X, y, path = a_run(tmp_path)
    words = "the run was made on other examples, labels or weights"
    for other in ((X[::-1], y), (X, y + 1), (X, y, np.linspace(1, 2, len(y)))):
        with pytest.raises(ValueError, match=words):
            regressor(5).fit(*other, resume_from=path)


def test_a_run_of_another_estimator_or_no_run_at_all_is_refused(tmp_path):
    X, y, path = a_run(tmp_path)
    with pytest.raises(ValueError, match="holds a GraphBoostingRegressor; a GraphBoostingClass"):
        classifier(5).fit(X, classes(X), resume_from=path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        regressor(5).fit(X, y, resume_from=tmp_path / "nowhere.json")
    path.write_text("{")
    with pytest.raises(gt.ModelFileError, match=r"run\.json: truncated"):
        regressor(5).fit(X, y, resume_from=path)


def test_a_tampered_run_is_refused(tmp_path):
    _, _, path = a_run(tmp_path)
    content = json.loads(path.read_text())
    for change in (
        {"seed": "0"}, {"generator": {"bit_generator": "MT19937"}}, {"examples": 3}, {"more": 1},
    ):  # fmt: skip
        path.write_text(json.dumps(content | {"run": content["run"] | change}))
        with pytest.raises(gt.ModelFileError, match="a damaged model"):
            gt.load_model(path)


@pytest.mark.parametrize("every", [0, -1, 1.5, True, None])
def test_a_checkpoint_is_written_every_whole_number_of_rounds(every, tmp_path):
    with pytest.raises(ValueError, match="every must be an integer of at least 1"):
        gt.Checkpoint(tmp_path / "run.json", every=every)


def test_what_cannot_be_written_is_found_out_before_the_first_round(tmp_path):
    X = examples("graphs")
    y = numbers(X)
    seen = []

    class Loss:
        def gradient(self, y, raw):
            seen.append(1)
            return raw - y

    with pytest.raises(TypeError, match="parameter 'loss' is Loss, which a JSON file cannot hold"):
        regressor(loss=Loss()).fit(X, y, callbacks=[gt.Checkpoint(tmp_path / "run.json")])
    assert not seen
    with pytest.raises(FileNotFoundError, match="Checkpoint: there is no folder"):
        regressor().fit(X, y, callbacks=[gt.Checkpoint(tmp_path / "no" / "run.json")])


def test_functions_that_score_are_not_written_and_need_not_be(tmp_path):
    X = examples("graphs")
    y = numbers(X)
    path = tmp_path / "run.json"

    def error(estimator, X, y) -> float:
        return -float(np.abs(estimator.predict(X) - y).max())

    whole = regressor(5, scoring=error).fit(X, y)
    regressor(3, scoring=error).fit(X, y, callbacks=[gt.Checkpoint(path)])
    assert gt.load_model(path).scoring is None
    assert (
        gt.load_model(path).evals_result_["train"]["error"]
        == whole.evals_result_["train"]["error"][:3]
    )
    assert_same_model(regressor(5, scoring=error).fit(X, y, resume_from=path), whole, X)
