"""benchmarks/accuracy: `auto` with its own threads, its leaderboard, its goals, and the page."""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import graphtrees as gt

ROOT = Path(__file__).parents[2]
MODULES = ("command", "goals", "measuring", "methods", "pool", "problems", "results")

OWN = """
import os, time
from functools import partial
import graphtrees as gt
from benchmarks.accuracy.methods import Method
from benchmarks.accuracy.problems import DataSet, Problem

def load():
    data = gt.datasets.make_red_isolated_vertex(n_graphs=24, n_vertices=5, random_state=0)
    return Problem(data.X, data.y)

SET = DataSet(load, "graphs", 1)

class Telling:
    def fit(self, X, y):
        raise RuntimeError(os.environ["OMP_NUM_THREADS"])

ONE = Method(lambda setting: Telling())
TWO = Method(lambda setting: Telling(), threads=2)
AUTO = Method(lambda setting: gt.AutoGraphClassifier(
    1e-9, recipes=("table", "walks"), cv=2, random_state=0, n_jobs=1))

def interval(task):
    begun = time.monotonic()
    time.sleep(0.3)
    return {"begun": begun, "ended": time.monotonic()}
"""


@pytest.fixture
def accuracy(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT))
    (tmp_path / "own_goals.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    loaded = {name: importlib.import_module(f"benchmarks.accuracy.{name}") for name in MODULES}
    for name in loaded["pool"].THREAD_VARIABLES:  # the pool sets them; put them back afterwards
        monkeypatch.setenv(name, os.environ.get(name, "1"))
    return SimpleNamespace(**loaded)


# ---- running -----------------------------------------------------------------------------------


def test_a_method_has_as_many_threads_as_it_says(accuracy, tmp_path):
    path = tmp_path / "results.csv"
    methods = "own_goals:ONE,own_goals:TWO"
    asked = ("--sets", "own_goals:SET", "--methods", methods, "--jobs", "1", "--parts", "1")
    accuracy.command.main(["--out", str(path), *asked])
    errors = {row["method"]: row["error"] for row in accuracy.results.read(path)}
    assert errors == {"own_goals:ONE": "RuntimeError: 1", "own_goals:TWO": "RuntimeError: 2"}


@pytest.mark.parametrize(("n_cores", "at_once"), [(1, 1), (3, 1), (4, 2)])
def test_no_more_threads_are_at_work_than_there_are_cores(accuracy, n_cores, at_once):
    own = importlib.import_module("own_goals")
    tasks = [accuracy.measuring.Task("own_goals:SET", "own_goals:TWO", 0, k, 4) for k in range(4)]
    limits = accuracy.pool.Limits()
    done = list(accuracy.pool.run(tasks, n_cores, limits, own.interval, lambda task: 2))
    spans = [(columns["begun"], columns["ended"]) for _, columns in done]
    most = max(sum(a <= moment < b for a, b in spans) for moment, _ in spans)
    assert len(spans) == 4
    assert most <= at_once


def test_only_the_first_parts_are_run_on_request(accuracy):
    asked = SimpleNamespace(folds=10, parts=2, seeds=1, one_split_seeds=1)
    listed = list(accuracy.command.tasks(["MUTAG", "County", "Cora"], ["boosting"], asked))
    parts = [(task.data, task.fold, task.n_folds) for task in listed]
    assert sorted(parts) == [
        ("Cora", 0, 1), ("County", 0, 5), ("County", 1, 5), ("MUTAG", 0, 10), ("MUTAG", 1, 10),
    ]  # fmt: skip


def test_auto_is_given_five_minutes_and_two_threads(accuracy):
    method = accuracy.methods.method("auto")
    for classifies, kind in ((True, gt.AutoGraphClassifier), (False, gt.AutoGraphRegressor)):
        model = method.make(accuracy.methods.Setting("graphs", classifies, 3))
        assert isinstance(model, kind)
        assert (model.time_limit, model.n_jobs, model.random_state) == (300, 2, 3)
    assert method.threads == 2


def test_the_leaderboard_is_kept_in_the_row(accuracy):
    row = accuracy.measuring.measure(
        accuracy.measuring.Task("own_goals:SET", "own_goals:AUTO", 0, 0, 3)
    )
    board = json.loads(row["chosen"])
    assert board["walks"] == "no time left"
    score, seconds, weight = board["table"]
    assert score < 0 <= seconds  # of which one digit is kept
    assert row["tuning_seconds"] > 0
    assert weight == 1.0
    assert row["tuning_seconds"] == pytest.approx(seconds, abs=0.06)


# ---- the tables --------------------------------------------------------------------------------


def rows_of(accuracy, name, method, scores, family="peer", **more):
    usual = {"metric": "accuracy", "sampling_error": 0.03, "n_train": 90, "n_test": 10,
             "fit_seconds": 100.0, "error": "", "machine": "this"}  # fmt: skip
    if method == "auto":
        board = {"walks": [-0.5, 9.0, 0.75], "table": [-0.6, 3.0, 0.25], "forest": "no time left"}
        usual["chosen"] = json.dumps(board)
    return [
        accuracy.results.row_of(
            accuracy.measuring.Task(name, method, 0, fold, 10), family=family, score=score,
            **usual | more,
        )
        for fold, score in enumerate(scores)
    ]  # fmt: skip


def cells(text, first, table=0):
    """The cells of the line of one of the tables that begins so."""
    lines = text.split("\n\n")[table].splitlines()
    (line,) = (line for line in lines if line.startswith(f"| {first}"))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_goal_is_met_by_the_mean_and_compared_on_the_parts_of_auto(accuracy):
    rows = rows_of(accuracy, "MUTAG", "auto", [0.80, 0.90, 0.97], "ours")
    rows += rows_of(accuracy, "MUTAG", "gin", [0.80, 0.84, 0.88] + 7 * [1.0])
    rows += rows_of(accuracy, "MUTAG", "gcn", [0.99, 0.99])  # lacks a part
    rows += rows_of(accuracy, "MUTAG", "boosting", [1.0, 1.0, 1.0], "ours")  # no peer
    text = accuracy.goals.as_markdown(rows)
    line = cells(text, "MUTAG")
    assert line[:7] == ["MUTAG, accuracy", "3", "88.5", "89.0 ± 4.9", "yes", "`gin`", "84.0"]
    gaps = np.array([0.0, 0.06, 0.09])
    width = 4.3027 * np.sqrt((1 / 3 + 1 / 9) * gaps.var(ddof=1))
    assert line[7:] == [f"+5.0 ± {100 * width:.1f}", "tie", "100 s"]
    peers = dict(zip(cells(text, "set", 1), cells(text, "MUTAG", 1), strict=True))
    assert (peers["`auto`"], peers["`gin`"], peers["`gcn`"]) == ("89.0", "84.0", "")


def test_of_an_error_less_is_better(accuracy):
    rows = rows_of(accuracy, "County", "auto", [1.0, 1.05, 1.02], "ours", metric="RMSE")
    rows += rows_of(accuracy, "County", "gin", [1.2, 1.24, 1.23], metric="RMSE")
    rows += rows_of(accuracy, "County", "gcn", [1.1, 1.5, 1.6], metric="RMSE")
    line = cells(accuracy.goals.as_markdown(rows), "County")
    assert (line[2], line[4], line[5], line[6]) == ("1.080", "yes", "`gin`", "1.223")
    assert line[8] == "better"
    worse = [row | {"score": 2.0} if row["method"] == "auto" else row for row in rows]
    assert cells(accuracy.goals.as_markdown(worse), "County")[4] == "no"


def test_a_single_part_is_judged_by_its_examples(accuracy):
    rows = rows_of(accuracy, "Cornell", "auto", [0.7], "ours")
    rows += rows_of(accuracy, "Cornell", "gin", [0.9])
    line = cells(accuracy.goals.as_markdown(rows), "Cornell")
    assert line[3] == "70.0 ± 3.0"
    assert line[7:9] == [f"-20.0 ± {196 * np.hypot(0.03, 0.03):.1f}", "worse"]


def test_recipes_are_listed_by_their_mean_weight(accuracy):
    rows = rows_of(accuracy, "MUTAG", "auto", [0.8, 0.9], "ours")
    other = {"walks": "no time left", "table": [-0.6, 3.0, 1.0], "forest": "no time left"}
    rows[1]["chosen"] = json.dumps(other)
    line = cells(accuracy.goals.as_markdown(rows), "MUTAG", 2)
    assert line == ["MUTAG", "table 0.62, walks 0.38", "", "forest, walks (1 of 2)"]


def test_of_rows_in_several_files_the_later_count(accuracy, tmp_path, capsys):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    about = {"versions": "all", "fit_cpu_seconds": 1.0, "predict_seconds": 1.0}
    accuracy.results.append(old, rows_of(accuracy, "MUTAG", "auto", [0.5, 0.5], "ours", **about))
    accuracy.results.append(new, rows_of(accuracy, "MUTAG", "auto", [0.9], "ours", **about))
    accuracy.command.main(["--goals", str(old), str(new)])
    assert cells(capsys.readouterr().out, "MUTAG")[1:4] == ["2", "88.5", "70.0 ± 20.0"]
    with pytest.raises(SystemExit):
        accuracy.command.main(["--goals", str(tmp_path / "nowhere.csv")])
    assert "there is no file" in capsys.readouterr().err


def test_the_page_shows_what_the_files_say(accuracy):
    folder = ROOT / "benchmarks" / "results"
    rows = accuracy.results.read_all([folder / "paper.csv", folder / "accuracy.csv"])
    page = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")
    for table in accuracy.goals.as_markdown(rows).split("\n\n"):
        assert table in page
