"""`train --auto`: several ways to learn within a time."""

from __future__ import annotations

import json

import pytest

import graphtrees as gt
from cli.data import table_folder
from graphtrees.cli.auto import read_seconds
from graphtrees.cli.errors import UserError


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("5m", 300), ("1.5h", 5400), (60, 60)]
)
def test_a_time_is_read_with_its_unit(text, seconds):
    assert read_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "-5m", "5 minutes", "m", "1d", "inf"])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(UserError, match="--auto must be a time such as 90s, 5m or 1h"):
        read_seconds(text)


def test_an_ensemble_is_trained_written_inspected_and_predicts(run, here):
    table_folder(here / "data")
    words = ("train", "data", "--target", "kind", "-o", "model.json", "--auto", "0.001s")
    ran = run(*words)
    assert ran.code == 0, ran.err
    assert "AutoGraphClassifier" in ran.out
    assert "no time left" in ran.out
    model = gt.load_model(here / "model.json")
    assert isinstance(model, gt.AutoGraphClassifier)
    assert [name for name, _, _ in model.members_] == ["table"]
    summary = json.loads((here / "model.summary.json").read_text())
    assert summary["leaderboard"][0]["recipe"] == "table"
    ran = run("predict", "model.json", "data", "-o", "out.csv")
    assert ran.code == 0, ran.err
    assert "prediction" in (here / "out.csv").read_text().splitlines()[0]
    ran = run("inspect", "model.json")
    assert ran.code == 0, ran.err
    assert "AutoGraphClassifier of graphs: 1 model, 100 trees" in ran.out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--estimator", "forest"), "leave --estimator out"),
        (("--max-depth", "3"), "chooses the parameters itself: leave --max-depth out"),
        (("--report", "r.html"), "--report is for one model"),
        (("--checkpoint", "run.json"), "--checkpoint is for one model"),
    ],
)
def test_what_does_not_go_with_auto_is_named(run, here, more, message):
    table_folder(here / "data")
    ran = run("train", "data", "--target", "kind", "--auto", "1m", *more)
    assert ran.code != 0
    assert message in ran.err


def test_a_report_of_an_ensemble_is_refused_with_advice(run, here):
    table_folder(here / "data")
    run("train", "data", "--target", "kind", "-o", "model.json", "--auto", "0.001s")
    ran = run("explain", "model.json", "data", "-o", "r.html")
    assert ran.code != 0
    assert "train one without --auto" in ran.err


def test_a_linear_start_is_an_option(run, here):
    table_folder(here / "data")
    words = ("train", "data", "--target", "kind", "-o", "model.json", "--n-estimators", "2")
    ran = run(*words, "--init", "linear")
    assert ran.code == 0, ran.err
    assert gt.load_model(here / "model.json").init == "linear"
    assert "the trees start from a linear model" in run("inspect", "model.json").out
    ran = run(*words, "--init", "crooked")
    assert ran.code != 0
    assert "--init must be None or 'linear'" in ran.err
