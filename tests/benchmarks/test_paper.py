"""benchmarks/paper: no choice by a test part, and runs that can be killed."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import graphtrees as gt

ROOT = Path(__file__).parents[2]

# A set and a method of one's own; workers import this file.
OWN = """
import time
import numpy as np
import graphtrees as gt
from benchmarks.accuracy.methods import Method
from benchmarks.accuracy.problems import DataSet, Problem

def load():
    data = gt.datasets.make_red_isolated_vertex(n_graphs=40, n_vertices=5, random_state=0)
    return Problem(data.X, data.y)

SET = DataSet(load, "graphs", 1)

class Slow:
    def fit(self, X, y):
        time.sleep(0.4)
        self.answer = y[0]
        return self

    def predict(self, X):
        return np.full(len(X), self.answer)

SLOW = Method(lambda setting: Slow())
"""


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    names = {
        name: importlib.import_module(f"benchmarks.accuracy.{name}")
        for name in ("measuring", "methods", "problems", "results", "table", "methods.tuning")
    }
    names["tuning"] = names.pop("methods.tuning")
    return SimpleNamespace(**names)


@pytest.fixture
def command(bench):
    return importlib.import_module("benchmarks.paper.command")


# ---- nothing is chosen by a test part ----------------------------------------------------------


class Spy:
    """Writes down every fit and every prediction; knows the right answers of what it has seen."""

    log: list[tuple[str, list[int], list[str]]] = []  # noqa: RUF012

    def __init__(self, size: int) -> None:
        self.size = size

    def fit(self, X, y):
        self.log.append(("fit", X.vertex_of.tolist(), y.tolist()))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        self.log.append(("predict", X.vertex_of.tolist(), []))
        return np.full(len(X), "a" if self.size == 2 else "b")


def spied(bench, y, **more):
    """A problem on vertices, and an estimator that tries three sizes."""
    Spy.log = []
    n = len(y)
    X = gt.Graph(np.zeros((n, 1)), [(i, (i + 1) % n) for i in range(n)]).vertices
    problem = bench.problems.Problem(X, y, **more)
    recipe = bench.tuning.Recipe(lambda setting, size: Spy(size), {"size": (1, 2, 3)})
    return problem, bench.tuning.Tuned(recipe, bench.methods.Setting("vertices", True, 0))


def test_inner_folds_are_disjoint_and_the_outer_test_part_reaches_no_fit(bench):
    y = np.array(["a", "a", "b"] * 20, dtype=object)
    problem, model = spied(bench, y)
    for fold in range(3):
        Spy.log.clear()
        train, test = problem.parts(seed=1, fold=fold, n_folds=3)
        assert not set(train) & set(test)
        bench.measuring.fit_and_score(model, problem, train, test)
        fits = [entry for entry in Spy.log if entry[0] == "fit"]
        told = [entry for entry in Spy.log if entry[0] == "predict"]
        assert len(fits) == 3 * 5 + 1
        for (_, inner, labels), (_, held, _) in zip(fits[:-1], told[:-1], strict=True):
            assert not set(inner) & set(held)
            assert sorted([*inner, *held]) == train.tolist()
            assert labels == y[inner].tolist()
        assert fits[-1][1] == train.tolist()
        assert told[-1][1] == test.tolist()  # once, after everything else
        assert not set(test) & {i for entry in Spy.log[:-1] for i in entry[1]}


def test_labels_of_the_test_part_change_neither_choice_nor_prediction(bench):
    y = np.array(["a", "a", "b"] * 20, dtype=object)
    chosen = []
    for spoiled in (y, np.where(np.arange(60) >= 45, "b", y)):
        problem, model = spied(bench, spoiled)
        bench.measuring.fit_and_score(model, problem, np.arange(45), np.arange(45, 60))
        chosen.append((model.chosen_, Spy.log.copy()))
    assert chosen[0] == chosen[1]
    assert chosen[0][0] == {"size": 2}


def test_a_validation_part_replaces_inner_folds_and_is_not_trained_on(bench):
    y = np.array(["b"] * 20 + ["a"] * 20 + ["c"] * 20, dtype=object)
    problem, model = spied(bench, y)
    train, validation, test = np.arange(20), np.arange(20, 40), np.arange(40, 60)
    row = bench.measuring.fit_and_score(model, problem, train, test, validation)
    assert (
        row["chosen"] == '{"size": 2}'
    )  # right on the validation part, wrong on the training part
    assert [entry[1] for entry in Spy.log if entry[0] == "fit"] == [train.tolist()] * 4
    with pytest.raises(ValueError, match="1 examples are in both parts, example 40 first"):
        bench.measuring.fit_and_score(model, problem, train, test, np.arange(20, 41))


def test_settings_found_on_another_set_come_from_its_validation_part_alone(bench, monkeypatch):
    y = np.array(["b"] * 20 + ["a"] * 20 + ["c"] * 20, dtype=object)
    parts = {"splits": ((np.arange(20), np.arange(40, 60)),), "validations": (np.arange(20, 40),)}
    problem, model = spied(bench, y, **parts)
    method = bench.methods.Method(lambda setting: model, tunes=True)
    monkeypatch.setattr(bench.measuring, "load", lambda name: problem)
    monkeypatch.setattr(bench.measuring, "method", lambda name: method)
    assert bench.measuring.settings_found_on("a set", "a method of its own", 7) == {"size": 2}
    assert not {i for entry in Spy.log for i in entry[1]} & set(range(40, 60))


def test_citeseer_and_pubmed_are_tuned_on_cora(bench):
    of = bench.problems.data_set
    assert [of(name).tuned_on for name in ("Cora", "Citeseer", "Pubmed", "Actor")] == [
        "", "Cora", "Cora", "",
    ]  # fmt: skip


def test_one_fit_of_fifty_rounds_serves_twenty(bench):
    data = gt.datasets.make_red_isolated_vertex(n_graphs=80, n_vertices=6, random_state=0)
    recipe = bench.methods.METHODS["treeg"].make(bench.methods.Setting("graphs", True, 0)).recipe
    setting = bench.methods.Setting("graphs", True, 0)
    fits = {n: recipe.make(setting, n_estimators=n).fit(data.X[:60], data.y[:60]) for n in (20, 50)}
    staged = recipe.staged(fits[50], data.X[60:], (20, 50), "ROC AUC")
    for stage, told in zip((20, 50), staged, strict=True):
        np.testing.assert_array_equal(told, fits[stage].predict_proba(data.X[60:])[:, 1])


def test_every_method_tries_at_most_as_many_settings_as_the_trees(bench):
    trees = bench.methods.METHODS["treeg"].make(None).recipe
    assert len(trees.candidates()) * len(trees.stages) == bench.tuning.BUDGET
    for name, method in bench.methods.METHODS.items():
        if method.tunes:
            recipe = method.make(None).recipe
            n_tried = len(recipe.candidates()) * max(1, len(recipe.stages))
            assert 0 < n_tried <= bench.tuning.BUDGET, name
            assert recipe.candidates() == recipe.candidates()


# ---- killed runs go on -------------------------------------------------------------------------


def arguments(path: Path) -> list[str]:
    return ["--table", "graphs", "--only", "own_sets:SET", "--methods", "own_sets:SLOW",
            "--out", str(path)]  # fmt: skip


def test_a_killed_run_resumes_with_the_same_table(bench, tmp_path):
    (tmp_path / "own_sets.py").write_text(OWN)
    folders = os.pathsep.join([str(tmp_path), str(ROOT), str(ROOT / "src")])
    env = os.environ | {"PYTHONPATH": folders}
    command = [sys.executable, "-m", "benchmarks.paper"]
    killed, whole = tmp_path / "killed.csv", tmp_path / "whole.csv"
    run = subprocess.Popen(
        [*command, *arguments(killed)], env=env, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        until = time.monotonic() + 120
        while not (killed.exists() and killed.read_text().count("\n") >= 3):
            assert time.monotonic() < until
            assert run.poll() is None
            time.sleep(0.05)
    finally:
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    n_before = len(bench.results.read(killed))
    assert 2 <= n_before < 10
    for path in (killed, whole):
        done = subprocess.run([*command, *arguments(path)], env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    scores = [
        {bench.results.key(row): row["score"] for row in bench.results.read(path)}
        for path in (killed, whole)
    ]
    assert scores[0] == scores[1]
    assert sorted(key.fold for key in scores[0]) == list(range(10))
    assert killed.read_text().count("\n") == 1 + 10  # no fold was run twice


def test_rows_without_the_columns_of_tuning_are_read_and_continued(bench, tmp_path):
    results, path = bench.results, tmp_path / "older.csv"
    task = bench.measuring.Task("MUTAG", "boosting", 0, 0, 10)
    row = results.row_of(task, score=0.5, machine="this")
    path.write_text(",".join(results.OLDER_FIELDS) + "\n")
    results.append(path, [row, row | {"fold": 1, "chosen": "{}"}])
    assert [each["score"] for each in results.read(path)] == [0.5, 0.5]
    assert path.read_text().splitlines()[0] == ",".join(results.OLDER_FIELDS)


def test_an_unknown_set_or_method_is_answered_with_those_of_the_table(command, tmp_path):
    for option, name in (("--only", "set"), ("--methods", "method")):
        with pytest.raises(SystemExit, match=f"no {name} 'XYZ' in this table; there are "):
            command.main(["--table", "molhiv", option, "XYZ", "--out", str(tmp_path / "r")])
    with pytest.raises(SystemExit):
        command.main(["--out", str(tmp_path / "r")])


# ---- rows of other machines --------------------------------------------------------------------


def test_merging_adds_finished_rows_and_changes_none_that_is_there(
    bench, command, tmp_path, capsys
):
    results, Task = bench.results, bench.measuring.Task
    own, other = tmp_path / "own.csv", tmp_path / "other.csv"

    def row(fold, score, machine, error=""):
        task = Task("MUTAG", "treeg", 0, fold, 10)
        return results.row_of(task, score=score, machine=machine, error=error)

    results.append(own, [row(0, 0.1, "here"), row(1, None, "here", "ended")])
    results.append(other, [row(fold, 0.9, "there") for fold in (0, 1, 2)])
    results.append(other, [row(3, None, "there", "no memory")])
    for _ in range(2):  # the second time there is nothing left to add
        command.main(["--merge", str(other), "--out", str(own)])
    merged = {each["fold"]: (each["score"], each["machine"]) for each in results.read(own)}
    assert merged == {0: (0.1, "here"), 1: (0.9, "there"), 2: (0.9, "there")}
    assert own.read_text().count("\n") == 1 + 2 + 2
    assert "2 rows added" in capsys.readouterr().err


def test_merging_a_file_that_is_not_there_or_is_of_another_kind_says_so(command, tmp_path):
    with pytest.raises(SystemExit, match=r"there is no file .*nowhere.csv"):
        command.main(["--merge", str(tmp_path / "nowhere.csv"), "--out", str(tmp_path / "o")])
    (tmp_path / "odd.csv").write_text("a,b\n1,2\n")
    with pytest.raises(SystemExit, match="has other columns"):
        command.main(["--merge", str(tmp_path / "odd.csv"), "--out", str(tmp_path / "o")])
    assert not (tmp_path / "o").exists()


def test_one_inner_fold_is_the_first_of_the_five_and_holds_no_test_example(bench):
    y = np.array(["a", "a", "b"] * 20, dtype=object)
    problem, five = spied(bench, y)
    train, test = problem.parts(seed=1, fold=0, n_folds=3)
    logs = []
    for n_inner in (5, 1):
        Spy.log.clear()
        recipe = bench.tuning.Recipe(
            five.recipe.make, {"size": (1, 2, 3)}, n_inner=n_inner, budgets={"vertices": 2}
        )
        bench.measuring.fit_and_score(
            bench.tuning.Tuned(recipe, five.setting), problem, train, test
        )
        logs.append([entry for entry in Spy.log if entry[0] == "fit"])
        assert not set(test) & {i for entry in Spy.log[:-1] for i in entry[1]}
    assert [len(fits) for fits in logs] == [2 * 5 + 1, 2 + 1]
    assert logs[1][:-1] == logs[0][:2]


@pytest.mark.parametrize("name", ["Cora", "Citeseer"])
def test_all_labels_are_those_outside_validation_and_test(bench, name):
    try:
        gt.datasets.load_planetoid(name, download_if_missing=False)
    except FileNotFoundError:
        pytest.skip(f"{name} is not here")
    public = bench.problems.data_set(name).load()
    every = bench.problems.data_set(f"{name}-all-labels").load()
    train, test = every.parts(0, 0, 1)
    held = every.validation(0)
    assert np.array_equal(test, public.parts(0, 0, 1)[1])
    assert np.array_equal(held, public.validation(0))
    assert sorted([*train, *test, *held]) == list(range(len(every.y)))


def test_degrees_are_numbers_of_neighbours(bench):
    try:
        gt.datasets.load_tu("IMDB-MULTI", download_if_missing=False)
    except FileNotFoundError:
        pytest.skip("IMDB-MULTI is not here")
    graph = bench.problems.data_set("IMDB-MULTI-degrees").load().X[7]
    plain = gt.datasets.load_tu("IMDB-MULTI").X[7]
    neighbours = [len(plain.to_networkx()[vertex]) for vertex in range(plain.n_vertices)]
    assert (graph.adjacency() != plain.adjacency()).nnz == 0
    assert np.asarray(graph.features).ravel().tolist() == neighbours
