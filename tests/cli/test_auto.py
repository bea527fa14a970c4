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
        (("--checkpoint", "run.json"), "--checkpoint is for one model"),
    ],
)
def test_what_does_not_go_with_auto_is_named(run, here, more, message):
    table_folder(here / "data")
    ran = run("train", "data", "--target", "kind", "--auto", "1m", *more)
    assert ran.code != 0
    assert message in ran.err


def page_of(path):
    text = path.read_text()
    start = text.index('id="page"')
    return json.loads(text[text.index(">", start) + 1 : text.index("</script>", start)])


@pytest.mark.parametrize("target", ["kind", "score"])
def test_an_ensemble_has_a_report_of_the_held_out_rows(run, here, target):
    table_folder(here / "data", 40)
    words = ("--target", target, "-o", "m.json", "--auto", "20s", "--report", "r.html")
    ran = run("train", "data", *words, "--json")
    assert ran.code == 0, ran.err
    model, told = gt.load_model(here / "m.json"), json.loads(ran.out)
    page = page_of(here / "r.html")
    assert page["model"] == type(model).__name__
    assert page["of"] == told["evaluation"]["n_test"] == 8
    name, weight, member = max(model.members_, key=lambda one: one[1])
    assert f"pictures and trees are of '{name}' ({weight:.0%}" in page["line"]
    assert page["trees"] == len(member._fitted.trees)
    # Figures are those of the ensemble.
    metrics = {one["name"]: one["value"] for one in page["metrics"]}
    if target == "kind":
        accuracy = told["evaluation"]["scores"]["accuracy"]["value"]
        assert metrics["accuracy"] == f"{100 * accuracy:.1f} %"
    else:
        assert metrics["RMSE"] == f"{told['evaluation']['scores']['rmse']['value']:.4g}"


def test_an_ensemble_is_explained_from_its_file(run, here):
    table_folder(here / "data")
    run("train", "data", "--target", "kind", "-o", "model.json", "--auto", "0.001s")
    ran = run("explain", "model.json", "data", "-o", "r.html", "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["seen_in_training"] == page_of(here / "r.html")["seen"]["n"] > 0


def test_the_metric_that_recipes_were_chosen_by_is_named(run, here):
    table_folder(here / "data", 40)
    for target, metric in (("kind", "neg_log_loss"), ("score", "neg_mean_squared_error")):
        ran = run("train", "data", "--target", target, "--auto", "0.001s", "-o", "m.json")
        assert f"score: {metric}, the mean over the folds; more is better" in ran.out
        assert json.loads((here / "m.summary.json").read_text())["leaderboard_metric"] == metric
        assert f"score: {metric}," in run("inspect", "m.json").out


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
