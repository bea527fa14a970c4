"""benchmarks/accuracy: fair parts, results that can be continued, and a table that adds up."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import graphtrees as gt

ROOT = Path(__file__).parents[2]
MODULES = ("command", "measuring", "methods", "pool", "problems", "results", "table")

# A set and methods of one's own, as a user would write them; workers import this file.
OWN = """
import os, time
import numpy as np
import graphtrees as gt
from benchmarks.accuracy.methods import Method
from benchmarks.accuracy.problems import DataSet, Problem

def load():
    data = gt.datasets.make_red_isolated_vertex(n_graphs=24, n_vertices=5, random_state=0)
    return Problem(data.X, data.y)

SET = DataSet(load, "graphs", 1)

class Commonest:
    def fit(self, X, y):
        values, counts = np.unique(y, return_counts=True)
        self.answer = values[counts.argmax()]
        return self

    def predict(self, X):
        return np.full(len(X), self.answer)

class Failing(Commonest):
    def fit(self, X, y):
        raise RuntimeError("no luck,\\nat all")

class Dying(Commonest):
    def fit(self, X, y):
        os._exit(7)

class Hanging(Commonest):
    def fit(self, X, y):
        time.sleep(600)

COMMONEST = Method(lambda setting: Commonest())
FAILING = Method(lambda setting: Failing(), cost=2)
DYING = Method(lambda setting: Dying(), cost=3)
HANGING = Method(lambda setting: Hanging(), cost=4)
ABSENT = Method(lambda setting: Commonest(), needs=("no_such_library",))
"""


@pytest.fixture
def accuracy(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    loaded = {name: importlib.import_module(f"benchmarks.accuracy.{name}") for name in MODULES}
    return SimpleNamespace(**loaded)


@pytest.fixture
def own(accuracy, tmp_path, monkeypatch):
    """Names of the set and of the methods above."""
    (tmp_path / "own_methods.py").write_text(OWN)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in accuracy.pool.THREAD_VARIABLES:  # the pool sets them; put them back afterwards
        monkeypatch.setenv(name, os.environ.get(name, "1"))
    return lambda *names: ",".join(f"own_methods:{name}" for name in names)


# ---- parts -------------------------------------------------------------------------------------


def some_vertices() -> gt.Vertices:
    rng = np.random.default_rng(0)
    return gt.Graph(rng.normal(size=(40, 3)), rng.integers(0, 40, size=(80, 2))).vertices


def test_folds_are_disjoint_stratified_and_cover_every_example_once(accuracy):
    y = np.repeat([0, 1, 2], [40, 20, 20])
    problem = accuracy.problems.Problem(None, y)
    parts = [problem.parts(seed=3, fold=fold, n_folds=10) for fold in range(10)]
    assert sorted(np.concatenate([test for _, test in parts])) == list(range(80))
    for train, test in parts:
        assert not set(train) & set(test)
        assert len(train) + len(test) == 80
        assert np.bincount(y[test]).tolist() == [4, 2, 2]


def test_a_seed_deals_out_the_folds_anew_and_the_same_seed_the_same(accuracy):
    problem = accuracy.problems.Problem(None, np.arange(60) % 2)
    first, again, other = (problem.parts(seed, 0, 5)[1].tolist() for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_published_splits_are_used_as_they_are(accuracy):
    splits = tuple((np.array([i]), np.array([i + 1])) for i in range(3))
    problem = accuracy.problems.Problem(None, np.zeros(5), splits=splits)
    assert problem.parts(seed=9, fold=2, n_folds=3)[1].tolist() == [3]


def test_parts_that_overlap_are_refused_before_any_fit(accuracy):
    problem = accuracy.problems.Problem(some_vertices(), np.arange(40) % 2)
    spy = Spy(problem)
    with pytest.raises(ValueError, match="2 examples are in both parts, example 4 first"):
        accuracy.measuring.fit_and_score(spy, problem, np.arange(6), np.arange(4, 9))
    assert spy.seen is None


class Spy:
    """Keeps what `fit` is given, and spoils all labels of the problem in `predict`."""

    def __init__(self, problem):
        self.problem, self.seen = problem, None

    def fit(self, X, y):
        assert self.seen is None
        self.seen = X.vertex_of.copy(), y.copy()
        assert not np.shares_memory(y, self.problem.y)
        return self

    def predict(self, X):
        return np.full(len(X), "a")


def test_fit_is_given_the_training_labels_and_no_others(accuracy):
    y = np.array([f"label of {i}" for i in range(40)], dtype=object)
    problem = accuracy.problems.Problem(some_vertices(), y)
    train, test = np.arange(0, 40, 2), np.arange(1, 40, 2)
    spy = Spy(problem)
    row = accuracy.measuring.fit_and_score(spy, problem, train, test)
    vertices, labels = spy.seen
    assert vertices.tolist() == train.tolist()
    assert labels.tolist() == [f"label of {i}" for i in train]
    assert (row["n_train"], row["n_test"], row["score"]) == (20, 20, 0.0)


def test_labels_of_test_vertices_change_no_prediction(accuracy):
    X, rng = some_vertices(), np.random.default_rng(1)
    train, test = np.arange(30), np.arange(30, 40)
    for name in ("boosting", "lightgbm", "smoothed-linear"):
        method = accuracy.methods.method(name)
        if method.missing():
            continue
        told = []
        for _ in range(2):
            y = np.r_[np.arange(30) % 2, rng.integers(0, 2, 10)]
            model = method.make(accuracy.methods.Setting("vertices", True, 0))
            told.append(model.fit(X[train], y[train]).predict_proba(X[test]))
        np.testing.assert_array_equal(*told)


# ---- scores ------------------------------------------------------------------------------------


def test_errors_of_scores_are_those_of_estimates_from_so_many_examples(accuracy):
    rng = np.random.default_rng(0)
    y, told = np.arange(400) % 2, rng.normal(size=400) + np.arange(400) % 2
    score, error = accuracy.measuring.roc_auc(y, told)
    assert score == pytest.approx(roc_auc_score(y, told))
    draws = rng.integers(0, 400, size=(500, 400))
    assert error == pytest.approx(np.std([roc_auc_score(y[d], told[d]) for d in draws]), rel=0.15)
    assert accuracy.measuring.accuracy(np.array([1, 1, 0, 0]), np.array([1, 1, 0, 1])) == (
        0.75,
        pytest.approx(np.sqrt(0.75 * 0.25 / 4)),
    )
    score, error = accuracy.measuring.rmse(y, told)
    again = [accuracy.measuring.rmse(y[d], told[d])[0] for d in draws]
    assert error == pytest.approx(np.std(again), rel=0.15)


def test_predictions_that_are_not_numbers_are_an_error(accuracy):
    with pytest.raises(ValueError, match="1 predictions are not finite"):
        accuracy.measuring.rmse(np.zeros(2), np.array([0.0, np.nan]))


# ---- running -----------------------------------------------------------------------------------


def run(accuracy, path, *more):
    accuracy.command.main(["--out", str(path), "--folds", "3", *more])
    return accuracy.results.read(path)


def test_a_rerun_skips_finished_rows_and_adds_the_others(accuracy, own, tmp_path, capsys):
    path = tmp_path / "results.csv"
    asked = ("--sets", own("SET"), "--methods", own("COMMONEST"), "--jobs", "2")
    rows = run(accuracy, path, *asked)
    assert [row["fold"] for row in sorted(rows, key=accuracy.results.key)] == [0, 1, 2]
    text = path.read_text()
    assert "3 finished, 0 left" in capsys.readouterr().err
    run(accuracy, path, *asked)
    assert path.read_text() == text
    assert "3 tasks, 3 of them" in capsys.readouterr().err
    path.write_text("".join(text.splitlines(keepends=True)[:-1]))  # lose one
    assert len(run(accuracy, path, *asked)) == 3
    assert "1 finished, 0 left" in capsys.readouterr().err


def test_failing_and_dying_methods_are_rows_with_errors(accuracy, own, tmp_path):
    path = tmp_path / "results.csv"
    methods = own("COMMONEST", "FAILING", "DYING")
    rows = run(accuracy, path, "--sets", own("SET"), "--methods", methods)
    errors = {row["method"].split(":")[1]: row["error"] for row in rows}
    assert errors == {
        "COMMONEST": "",
        "FAILING": "RuntimeError: no luck, at all",
        "DYING": "the process ended with exit code 7",
    }
    assert len(rows) == 9
    assert all((row["score"] is None) == bool(row["error"]) for row in rows)
    table = accuracy.table.as_markdown(rows)
    assert "own_methods:FAILING: RuntimeError: no luck, at all" in table


def test_a_task_that_takes_too_long_is_stopped_and_the_others_go_on(accuracy, own):
    tasks = [
        accuracy.measuring.Task(own("SET"), own(method), 0, 0, 3)
        for method in ("HANGING", "HANGING")
    ]
    finished = list(accuracy.pool.run(tasks, 1, accuracy.pool.Limits(task=1.0)))
    assert finished == [(task, {"error": "stopped after 1 seconds"}) for task in tasks]


def test_errors_are_tried_again_only_on_request(accuracy):
    task = accuracy.measuring.Task("MUTAG", "boosting", 0, 0, 10)
    failed = [accuracy.results.row_of(task, error="RuntimeError: no luck")]
    assert accuracy.command.to_do([task], failed, retry_errors=False) == []
    assert accuracy.command.to_do([task], failed, retry_errors=True) == [task]


def test_no_task_is_started_when_the_time_is_over(accuracy, own, tmp_path, capsys):
    path = tmp_path / "results.csv"
    rows = run(
        accuracy, path, "--sets", own("SET"), "--methods", own("COMMONEST"), "--minutes", "0"
    )
    assert rows == []
    assert "0 finished, 3 left for another run" in capsys.readouterr().err


def test_what_is_not_installed_is_skipped_with_a_message(accuracy, own, tmp_path, capsys):
    rows = run(accuracy, tmp_path / "results.csv", "--sets", own("SET"), "--methods", own("ABSENT"))
    assert rows == []
    message = "skipped: own_methods:ABSENT (no_such_library is not installed)"
    assert message in capsys.readouterr().err


def test_an_unknown_name_is_answered_with_those_there_are(accuracy, tmp_path):
    with pytest.raises(SystemExit, match="no data set 'MUTAGG'; there are MUTAG, PTC_MR"):
        run(accuracy, tmp_path / "r.csv", "--sets", "MUTAGG")
    with pytest.raises(SystemExit, match="no method 'boost'; there are all, ours, peers, boosting"):
        run(accuracy, tmp_path / "r.csv", "--sets", "MUTAG", "--methods", "boost")


def test_cheap_tasks_come_first_and_one_split_gets_several_seeds(accuracy):
    asked = SimpleNamespace(folds=2, seeds=1, one_split_seeds=3)
    listed = list(accuracy.command.tasks(["NCI1", "molHIV", "MUTAG"], ["boosting"], asked))
    assert [task.data for task in listed] == ["MUTAG"] * 2 + ["NCI1"] * 2 + ["molHIV"] * 3
    assert [(task.seed, task.fold, task.n_folds) for task in listed[-3:]] == [
        (0, 0, 1), (1, 0, 1), (2, 0, 1),
    ]  # fmt: skip


# ---- the file ----------------------------------------------------------------------------------


def rows_of(accuracy, method, scores, family="peer", **more):
    """Hand-made rows: folds of 90 training and 10 test examples."""
    folds = more.pop("folds", len(scores))
    usual = {"metric": "accuracy", "sampling_error": 0.1, "n_train": 90, "n_test": 10,
             "fit_seconds": 1.5, "fit_cpu_seconds": 1.4, "predict_seconds": 0.1, "error": "",
             "versions": "all", "machine": "this"}  # fmt: skip
    tasks = [
        accuracy.measuring.Task("MUTAG", method, 0, fold, folds) for fold in range(len(scores))
    ]
    return [
        accuracy.results.row_of(task, family=family, score=score, **usual | more)
        for task, score in zip(tasks, scores, strict=True)
    ]


def test_rows_come_back_as_they_were_and_a_later_row_counts(accuracy, tmp_path):
    path = tmp_path / "results.csv"
    rows = rows_of(accuracy, 'odd, "name"', [0.1 + 0.2, 0.5])
    accuracy.results.append(path, rows)
    assert accuracy.results.read(path) == rows
    later = rows[1] | {"score": 0.75}
    accuracy.results.append(path, [later])
    assert accuracy.results.read(path) == [rows[0], later]


def test_a_line_cut_off_by_a_kill_is_passed_over_and_spoils_no_other(accuracy, tmp_path):
    path = tmp_path / "results.csv"
    rows = rows_of(accuracy, "one", [0.5, 0.25, 0.75])
    accuracy.results.append(path, rows[:2])
    whole = path.read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    for length in range(1, len(last)):  # wherever it was cut
        path.write_bytes(whole[:-length])
        accuracy.results.append(path, rows[2:])
        found = accuracy.results.read(path)
        assert rows[0] in found
        assert rows[2] in found
        assert all(row in rows for row in found if length > len("this\n"))


def test_a_file_with_other_columns_is_refused(accuracy, tmp_path):
    path = tmp_path / "results.csv"
    path.write_text("set,method\nMUTAG,boosting\n")
    with pytest.raises(SystemExit, match="has other columns; wanted set, method, seed"):
        accuracy.command.main(["--out", str(path)])
    assert path.read_text() == "set,method\nMUTAG,boosting\n"


# ---- the table ---------------------------------------------------------------------------------


def test_the_table_adds_up(accuracy):
    rows = [
        *rows_of(accuracy, "mine", [0.9, 0.8, 0.9, 0.8], "ours"),
        *rows_of(accuracy, "theirs", [0.8, 0.8, 0.8, 0.8], fit_seconds=0.25),
        *rows_of(accuracy, "others", [0.3, 0.2, 0.3, 0.2]),
    ]
    # Differences 0.1, 0, 0.1, 0: s² = 1/300; (1/4 + 10/90) s²; t of 3 degrees is 3.1824.
    half = 3.182446 * np.sqrt((1 / 4 + 1 / 9) / 300)
    assert f"{half:.4f}" == "0.1104"
    # others less theirs: -0.5, -0.6, ...: the same spread.
    assert accuracy.table.as_markdown(rows).splitlines()[2:] == [
        "| MUTAG, accuracy, 4 parts | **mine** | 0.8500 ± 0.0289 | +0.0500 ± 0.1104 | tie "
        "| 1.50 s | 4 |",
        "| MUTAG, accuracy, 4 parts | theirs | 0.8000 ± 0.0000 |  | best peer | 0.25 s | 4 |",
        "| MUTAG, accuracy, 4 parts | others | 0.2500 ± 0.0289 | -0.5500 ± 0.1104 | worse "
        "| 1.50 s | 4 |",
    ]


def test_a_lower_error_is_better(accuracy):
    rows = [
        *rows_of(accuracy, "mine", [1.0, 1.1, 1.0, 1.1], "ours", metric="RMSE"),
        *rows_of(accuracy, "theirs", [3.0, 3.0, 3.1, 3.0], metric="RMSE"),
        *rows_of(accuracy, "others", [2.0, 2.0, 2.1, 2.0], metric="RMSE"),
    ]
    lines = accuracy.table.as_markdown(rows).splitlines()[2:]
    verdicts = [[cell.strip() for cell in line.split("|")][2:6] for line in lines]
    assert [(cells[0], cells[3]) for cells in verdicts] == [
        ("**mine**", "better"), ("others", "best peer"), ("theirs", "tie"),
    ]  # fmt: skip


def test_differences_are_paired_and_only_over_common_folds(accuracy):
    collect = accuracy.table.collect
    one = collect(rows_of(accuracy, "mine", [0.5, 0.9, 0.6], "ours"))[0]
    other = collect(rows_of(accuracy, "theirs", [0.4, 0.85], folds=3))[0]
    gap = accuracy.table.difference(one, other)
    assert gap.mean == pytest.approx(0.075)
    assert gap.half_width == pytest.approx(12.7062 * np.sqrt((1 / 2 + 1 / 9) * 0.00125), rel=1e-4)


def test_the_same_difference_again_and_again_proves_nothing(accuracy):
    collect = accuracy.table.collect
    one = collect(rows_of(accuracy, "mine", [0.75, 0.75], "ours"))[0]
    other = collect(rows_of(accuracy, "theirs", [0.5, 0.5]))[0]
    assert accuracy.table.difference(one, other).is_tie


def test_one_test_part_is_judged_by_its_examples_not_by_seeds(accuracy):
    rows = []
    for seed in range(3):
        for method, score in (("mine", 0.80), ("theirs", 0.70)):
            made = rows_of(accuracy, method, [score], "ours" if method == "mine" else "peer")
            rows += [row | {"seed": seed} for row in made]
    first = accuracy.table.as_markdown(rows).splitlines()[2]
    half = 1.959964 * np.hypot(0.1, 0.1)
    assert f"0.8000 ± 0.1000 | +0.1000 ± {half:.4f} | tie" in first


def test_the_best_peer_is_one_with_all_runs(accuracy):
    collect, best = accuracy.table.collect, accuracy.table.best_peer
    rows = [
        *rows_of(accuracy, "lucky start", [0.9], folds=3),
        *rows_of(accuracy, "steady", [0.6, 0.6, 0.7]),
        *rows_of(accuracy, "worse", [0.6, 0.6, 0.6]),
        *rows_of(accuracy, "mine", [0.8, 0.8, 0.8], "ours"),
    ]
    assert best(collect(rows), higher_is_better=True).method == "steady"
