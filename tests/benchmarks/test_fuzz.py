"""The fuzzer finds planted faults, shrinks them, and gives the same cases for the same seed."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def part(monkeypatch):
    """A module of the fuzzer."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return lambda name: importlib.import_module(f"fuzzing.{name}")


def test_the_same_seed_gives_the_same_cases(part):
    make = part("cases").make_case
    once, again = ([json.dumps(make(7, k)) for k in range(40)] for _ in range(2))
    assert once == again
    assert len(set(once)) == 40
    assert once != [json.dumps(make(8, k)) for k in range(40)]


def test_every_kind_of_case_occurs(part):
    kinds = {part("cases").make_case(0, k)["kind"] for k in range(40)}
    assert kinds == {"law", "call", "file", "command"}


def raised_by(function, *given):
    try:
        function(*given)
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def test_a_proper_refusal_is_no_finding(part):
    import graphtrees as gt

    complaint = part("judge").complaint
    assert complaint(raised_by(gt.Graph, [[1.0]], [(0, 5)])) is None
    assert complaint(raised_by(gt.load_model, "no such file")) is None


def test_other_errors_are_findings(part):
    complaint, broken = part("judge").complaint, part("laws").BrokenLawError
    assert "KeyError" in complaint(raised_by({}.__getitem__, 1))
    assert "raw ValueError" in complaint(raised_by(np.reshape, np.ones(3), (2, 2)))
    assert "law: twice" in complaint(broken("twice"))


def test_errors_that_name_what_is_inside_are_findings(part):
    import graphtrees.files.want as inside

    complaint = part("judge").complaint
    error = raised_by(inside.want, False, "QuestionSpace went wrong")
    assert "names the internal QuestionSpace" in complaint(error)


def test_a_finding_is_shrunk_to_what_matters(part):
    case = part("cases").make_case(0, 0) | {"kind": "law", "task": part("tasks").random_task(
        np.random.default_rng(3))}  # fmt: skip
    case["task"]["graphs"][0]["x"] = [[7.0], [0.0]]
    case["task"]["graphs"][0] |= {"n": 2, "edges": [[0, 1], [1, 1], [0, 0]]}
    case["task"]["n_features"] = 1

    def still_fails(smaller):
        return any(7.0 in row for graph in smaller["task"]["graphs"] for row in graph["x"])

    small = part("shrink").shrink(case, still_fails, seconds=20)["task"]
    assert len(small["graphs"]) == 1
    assert small["graphs"][0]["edges"] == []
    assert small["graphs"][0]["x"] == [[7.0]]
    assert set(small["parameters"]) <= {"n_estimators"}


def test_bytes_are_shrunk_to_those_that_matter(part):
    shown = part("files")._shown
    case = {"kind": "file", "reader": "model", "words": ["x"],
            "files": {"m": shown(b"much before \xff much after")}}  # fmt: skip
    data_of = part("files").data_of
    small = part("shrink").shrink(case, lambda c: b"\xff" in data_of(c["files"]["m"]), 10)
    assert data_of(small["files"]["m"]) == b"\xff"


def test_a_child_that_dies_or_hangs_is_a_finding_and_the_next_case_runs(part, tmp_path):
    """A worker of a few lines instead of the real one."""
    worker = tmp_path / "worker.py"
    worker.write_text(
        "import json, os, sys, time\nprint('{}', flush=True)\n"
        "for line in sys.stdin:\n"
        "    case = json.loads(line)\n"
        "    if case['do'] == 'die': os.abort()\n"
        "    if case['do'] == 'hang': time.sleep(100)\n"
        "    print(json.dumps({'outcome': 'fine'}), flush=True)\n"
    )
    pool = part("pool")
    pool.WORKER = worker
    try:
        child = pool.Child(seconds=2)
        assert child.ask({"do": "die"})["signature"] == "died SIGABRT"
        assert child.ask({"do": "hang"})["signature"] == "hang"
        assert child.ask({"do": "nothing"}) == {"outcome": "fine"}
        child.stop()
    finally:
        pool.WORKER = Path(pool.__file__).with_name("worker.py")


def test_cases_run_in_children_and_are_counted(part, tmp_path, capsys):
    fuzz = importlib.import_module("fuzz")
    limits = ["--cases", "12", "--minutes", "60", "--seconds", "600"]
    code = fuzz.main(["--seed", "0", "--out", str(tmp_path), *limits])
    assert code == 0
    assert "seed 0: 12 cases" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())
