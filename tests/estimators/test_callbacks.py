"""Callbacks, interrupts from the keyboard, and progress."""

from __future__ import annotations

import re

import numpy as np
import pytest
from boosting_tasks import both, classes, classifier, examples, numbers, regressor

import graphtrees as gt
from graphtrees import _progress


class Diary:
    """Writes down every call; may ask to stop."""

    def __init__(self, stop_before: int = -1, stop_after: int = -1) -> None:
        self.stop_before, self.stop_after = stop_before, stop_after
        self.calls: list[tuple] = []

    def before_round(self, state):
        self.calls.append(("before", state.round, len(state.evals_result["train"]["loss"])))
        return state.round == self.stop_before

    def after_round(self, state):
        self.calls.append(("after", state.round, len(state.evals_result["train"]["loss"])))
        return state.round == self.stop_after


@both
def test_a_callback_is_called_before_and_after_each_round(about):
    X = examples(about)
    diary = Diary()
    regressor(3).fit(X, numbers(X), callbacks=[diary])
    assert diary.calls == [
        ("before", 0, 0), ("after", 0, 1),
        ("before", 1, 1), ("after", 1, 2),
        ("before", 2, 2), ("after", 2, 3),
    ]  # fmt: skip


@both
def test_a_callback_may_end_the_training_before_or_after_a_round(about):
    X = examples(about)
    y = numbers(X)
    assert regressor(9).fit(X, y, callbacks=[Diary(stop_after=3)]).n_iter_ == 4
    assert regressor(9).fit(X, y, callbacks=[Diary(stop_before=3)]).n_iter_ == 3
    stopped = regressor(9).fit(X, y, callbacks=[Diary(stop_after=3), Diary()])
    np.testing.assert_array_equal(stopped.predict(X), regressor(4).fit(X, y).predict(X))


def test_every_callback_is_called_though_the_first_asks_to_stop():
    X = examples("graphs")
    second = Diary()
    regressor(9).fit(X, numbers(X), callbacks=[Diary(stop_after=0), second])
    assert second.calls == [("before", 0, 0), ("after", 0, 1)]


def test_a_training_that_ends_before_its_first_round_predicts_its_start():
    X = examples("graphs")
    y = numbers(X)
    model = regressor().fit(X, y, callbacks=[Diary(stop_before=0)])
    assert model.n_iter_ == 0
    np.testing.assert_allclose(model.predict(X), y.mean())
    assert model.apply(X).shape == (len(X), 0)
    assert model.feature_importances_.sum() == 0.0


@both
def test_a_function_is_called_after_each_round(about):
    X = examples(about)
    rounds = []
    regressor(3).fit(X, numbers(X), callbacks=lambda state: rounds.append(state.round))
    assert rounds == [0, 1, 2]


@both
def test_a_callback_is_called_in_the_round_that_stops_early(about):
    X = examples(about)
    diary = Diary()
    model = classifier(
        60, learning_rate=1.0, early_stopping=True, validation_fraction=0.3, n_iter_no_change=2
    ).fit(X, classes(X), callbacks=[diary])
    n_rounds = len(model.evals_result_["validation"]["loss"])
    assert diary.calls[-1] == ("after", n_rounds - 1, n_rounds)


@both
def test_the_state_holds_a_model_of_the_trees_so_far(about):
    X = examples(about)
    y = numbers(X)
    seen = []

    def look(state) -> None:
        assert state.n_rounds == 3
        seen.append(state.model)

    final = regressor(3).fit(X, y, callbacks=[look])
    assert [model.n_iter_ for model in seen] == [1, 2, 3]
    for model, stage in zip(seen, final.staged_predict(X), strict=True):
        np.testing.assert_array_equal(model.predict(X), stage)
    assert [len(m.evals_result_["train"]["loss"]) for m in seen] == [1, 2, 3]


@pytest.mark.parametrize(
    "bad", [3, "print", [object()], [None]], ids=["a number", "a word", "an object", "nothing"]
)
def test_what_cannot_be_called_is_refused(bad):
    X = examples("graphs")
    with pytest.raises(TypeError, match=r"callbacks must be functions, or objects with before_"):
        regressor().fit(X, numbers(X), callbacks=bad)


# ---- Ctrl-C --------------------------------------------------------------------------------------


def interrupt_after(n_rounds: int):
    def callback(state) -> None:
        if state.round + 1 == n_rounds:
            raise KeyboardInterrupt

    return callback


@both
def test_an_interrupt_keeps_the_rounds_made_so_far_and_says_so(about):
    X = examples(about)
    y = numbers(X)
    with pytest.warns(UserWarning, match="interrupted: kept the 3 rounds made so far"):
        model = regressor(9).fit(X, y, callbacks=[interrupt_after(3)])
    assert model.n_iter_ == 3
    np.testing.assert_array_equal(model.predict(X), regressor(3).fit(X, y).predict(X))


@pytest.mark.parametrize("strategy", ["one_vs_rest", "multi_output_tree"])
def test_an_interrupt_within_a_round_leaves_nothing_of_it(strategy, monkeypatch):
    """Ctrl-C comes while the third round grows its second tree, or scores its examples."""
    from graphtrees.ensembles import boosting

    X = examples("graphs")
    y = classes(X, 3)
    calls = []
    grow = boosting.grow_tree

    def interrupted(*given):
        calls.append(1)
        if len(calls) == (8 if strategy == "one_vs_rest" else 3):
            raise KeyboardInterrupt
        return grow(*given)

    whole = classifier(2, multi_strategy=strategy).fit(X, y)
    monkeypatch.setattr(boosting, "grow_tree", interrupted)
    with pytest.warns(UserWarning, match="kept the 2 rounds"):
        model = classifier(9, multi_strategy=strategy).fit(X, y)
    assert model.decision_function(X).tobytes() == whole.decision_function(X).tobytes()
    assert model.evals_result_ == whole.evals_result_


def test_an_interrupt_while_examples_are_scored_leaves_scores_of_one_length():
    X = examples("graphs")
    y = numbers(X)
    calls = []

    def score(estimator, X, y) -> float:
        calls.append(1)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return 0.0

    with pytest.warns(UserWarning, match="kept the 2 rounds"):
        model = regressor(9, scoring=score).fit(X, y, eval_set=(X, y))
    assert {len(s["score"]) for s in model.evals_result_.values()} == {2}


def test_an_interrupt_before_any_round_is_an_interrupt():
    X = examples("graphs")

    class AtOnce:
        def before_round(self, state):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        regressor().fit(X, numbers(X), callbacks=[AtOnce()])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupted_forest_keeps_its_trees_and_says_so(n_jobs, monkeypatch):
    from graphtrees.ensembles import forest

    X = examples("graphs")
    calls = []
    grow = forest.grow_tree

    def interrupted(*given):
        calls.append(1)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return grow(*given)

    monkeypatch.setattr(forest, "grow_tree", interrupted)
    model = gt.GraphForestClassifier(20, random_state=0, n_jobs=n_jobs, max_leaf_nodes=4)
    with pytest.warns(UserWarning, match=r"interrupted: kept the \d+ trees made so far"):
        model.fit(X, classes(X))
    assert 4 <= model.trees_to_dataframe()["tree"].nunique() < 20
    assert model.predict(X).shape == (60,)


# ---- progress ------------------------------------------------------------------------------------


@both
def test_progress_tells_round_scores_and_time_left(about, capsys):
    X = examples(about)
    asked = {"X": X, "y": numbers(X), "eval_set": (X, numbers(X))}
    regressor(1, verbose=0).fit(**asked)  # kernels are compiled, and that was said
    capsys.readouterr()
    regressor(4, verbose=2).fit(**asked)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4
    told = r"round 2/4 · train loss [\d.]+, validation loss [\d.]+ · \d+ s · about \d+ s left"
    assert re.fullmatch(told, lines[1])
    assert "left" not in lines[-1]


def test_progress_is_one_line_and_only_when_it_takes_long(capsys, monkeypatch):
    X = examples("graphs")
    regressor(1, verbose=0).fit(X, numbers(X))
    capsys.readouterr()
    monkeypatch.setattr(_progress, "PATIENCE", 60.0)
    regressor(4, verbose=1).fit(X, numbers(X))
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    monkeypatch.setattr(_progress, "LOG", 60.0)
    regressor(4, verbose=1).fit(X, numbers(X))
    assert re.fullmatch(r"round 4/4 · train loss [\d.]+ · \d+ s\n", capsys.readouterr().err)
    regressor(4, verbose=0).fit(X, numbers(X))
    assert capsys.readouterr().err == ""


def test_progress_of_a_run_that_goes_on_counts_all_rounds(capsys):
    X = examples("graphs")
    model = regressor(3, warm_start=True).fit(X, numbers(X))
    model.set_params(n_estimators=5, verbose=2).fit(X, numbers(X))
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(" · ")[0] for line in lines] == ["round 4/5", "round 5/5"]


@pytest.mark.parametrize(("verbose", "shown"), [(2, range(1, 26)), (10, (10, 20, 25))])
def test_verbose_says_how_often_a_round_is_told(capsys, verbose, shown):
    X = examples("graphs")
    regressor(1).fit(X, numbers(X))
    capsys.readouterr()
    regressor(25, verbose=verbose).fit(X, numbers(X))
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(" · ")[0] for line in lines] == [f"round {k}/25" for k in shown]


class _Clock:
    """A second for every step."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        self.now += 1.0
        return self.now


@pytest.mark.parametrize(("notebook", "n_lines"), [(False, 4), (True, 1)])
def test_progress_in_logs_and_notebooks(capsys, monkeypatch, notebook, n_lines):
    """A line every few seconds in a log; one that is rewritten in a notebook."""
    monkeypatch.setattr(_progress, "time", _Clock())
    monkeypatch.setattr(_progress, "in_notebook", lambda: notebook)
    progress = _progress.Progress("round", 20, verbose=1)
    for _ in range(20):
        progress.step("loss 1")
    progress.close()
    told = capsys.readouterr().err
    assert told.count("\n") == n_lines
    assert ("\r" in told) == notebook
    assert "\x1b" not in told
    assert told.splitlines()[-1].endswith("round 20/20 · loss 1 · 21 s")
