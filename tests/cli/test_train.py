"""Training: parameters, settings, evaluation, and what is written."""

from __future__ import annotations

import csv
import json
import sys

import numpy as np
import pytest

import graphtrees as gt
from cli.data import one_graph_folder, smiles_file, table, table_folder, tu_zip, write
from graphtrees import load_model
from graphtrees.cli.data import Data
from graphtrees.cli.errors import UserError
from graphtrees.cli.evaluation import evaluate
from graphtrees.cli.parameters import (
    FAMILIES,
    Parameter,
    estimator_class,
    known_parameters,
    make_estimator,
)
from graphtrees.cli.settings import read_config
from graphtrees.estimators.meanings import MEANINGS

QUICK = ("--n-estimators", "3", "--min-samples-leaf", "1")


def rows_of(path):
    with path.open() as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_every_parameter_of_every_estimator_is_an_option(family, task):
    parameters = estimator_class(family, task)().get_params(deep=False)
    not_for_shells = {"verbose", "warm_start"}  # -v, and --resume
    assert set(parameters) - not_for_shells <= set(known_parameters())


def test_help_lists_parameters_with_what_they_may_be(run):
    ran = run("train", "--help")
    assert ran.code == 0
    words = " ".join(ran.out.split())
    assert "far-reaching patterns: an integer from 0 to 1000, or NAME=NUMBER" in words
    assert "--early-stopping, --no-early-stopping" in words
    assert "(default: boosting 10, forest 1, tree 1)" in words
    assert "(default: log_loss or squared_error, by task; boosting only)" in words


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("max_depth", "5", 5),
        ("max_depth", "none", None),
        ("learning_rate", "0.5", 0.5),
        ("walk_types", "cycle, source", ("cycle", "source")),
        ("operators", "adjacency", ("adjacency",)),
        ("class_weight", "balanced", "balanced"),
        ("class_weight", "0=1,1=2.5", {0: 1, 1: 2.5}),
        ("categorical_features", "a,b", ("a", "b")),
        ("categorical_features", "none", None),
        ("n_jobs", "-1", -1),
        ("early_stopping", True, True),
        ("aggregators", ["sum"], ("sum",)),
    ],
)
def test_text_is_read_as_the_value_it_means(name, text, value):
    assert getattr(make_estimator("boosting", "classification", {name: text}, 0), name) == value


def test_runs_can_be_repeated_unless_told_otherwise():
    assert make_estimator("tree", "regression", {}, 1).get_params()["random_state"] == 0
    assert make_estimator("tree", "regression", {"random_state": "none"}, 1).random_state is None


def test_a_parameter_of_another_estimator_is_named():
    with pytest.raises(UserError, match="--learning-rate is no parameter of GraphTreeClassifier"):
        make_estimator("tree", "classification", {"learning_rate": "1"}, 0)


def test_defaults_that_differ_are_told_apart():
    shown = Parameter("x", {"boosting": 10, "tree": 1}, "an integer").help
    assert shown == "an integer (default: boosting 10, tree 1)"


@pytest.mark.parametrize("name", sorted(known_parameters()))
def test_help_says_what_each_parameter_is_for_and_nothing_that_only_python_can_pass(name):
    shown = known_parameters()[name].help
    assert MEANINGS[name] in shown
    for words in ("RandomState", "function(", "a dict", "a tuple", "object", "None", "anything"):
        assert words not in shown


def test_help_has_common_options_first_and_the_defaults_of_a_shell(run):
    words = " ".join(run("train", "--help").out.split())
    places = [words.index(o) for o in ("--output", "--target NAME", "--n-estimators", "--tol")]
    assert places == sorted(places)
    assert "an integer of at least 0 or none (default: 0)" in words[words.index("--random-state") :]
    assert "--warm-start" not in words


def test_a_config_file_gives_options_and_the_command_line_wins(run, here):
    table_folder(here / "d")
    write(here / "c.toml", 'target = "kind"\nn-estimators = 2\nmin_samples_leaf = 1\n'
          'walk_types = ["cycle"]\ntest_size = 0\n')  # fmt: skip
    ran = run("train", "d", "--config", "c.toml", "--n-estimators", "4", "-o", "m.json")
    assert ran.code == 0, ran.err
    model = load_model(here / "m.json")
    assert (model.n_estimators, model.min_samples_leaf, model.walk_types) == (4, 1, ("cycle",))
    assert json.loads((here / "m.summary.json").read_text())["evaluation"] is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("colour = 1", "c.toml: 'colour' is no option of train"),
        ("cv = 2.5", "c.toml: 'cv' must be int; got 2.5"),
        ("refit = 1", "c.toml: 'refit' must be bool; got 1"),
        ("features = 'a'", "c.toml: 'features' must be list; got 'a'"),
        ("task = 'guess'", "c.toml: 'task' must be classification or regression; got 'guess'"),
        ("cv = ", "c.toml: is not TOML"),
    ],
)
def test_faults_in_a_config_file_are_named(here, text, words):
    path = write(here / "c.toml", text)
    with pytest.raises(UserError) as raised:
        read_config(path.relative_to(here), set())
    assert words in str(raised.value)


def test_cross_validation_tells_folds_and_spread(run, here):
    table_folder(here / "d")
    asked = ("train", "d", "--target", "kind", "--cv", "3", "--json", *QUICK)
    assert run(*asked).code == 0  # kernels are compiled, and that was said
    ran = run(*asked)
    assert ran.code == 0, ran.err
    assert [line.split(" · ")[0] for line in ran.err.splitlines()] == [
        "fold 1/3", "fold 2/3", "fold 3/3",
    ]  # fmt: skip
    told = json.loads(ran.out)
    accuracy = told["evaluation"]["scores"]["accuracy"]
    assert len(accuracy["folds"]) == 3
    assert accuracy["value"] == pytest.approx(np.mean(accuracy["folds"]))
    assert accuracy["spread"] == pytest.approx(np.std(accuracy["folds"], ddof=1))
    assert told["fitted_on"] == "everything"


def test_numbers_are_a_regression(run, here):
    table_folder(here / "d")
    ran = run("train", "d", "--target", "score", "--json", "-o", "m.json", *QUICK)
    told = json.loads(ran.out)
    assert (told["task"], told["estimator"]) == ("regression", "GraphBoostingRegressor")
    assert set(told["evaluation"]["scores"]) == {"r2", "rmse", "mae"}
    assert run("predict", "m.json", "d", "-o", "p.csv").code == 0
    assert set(rows_of(here / "p.csv")[0]) == {"graph_id", "prediction"}


def test_vertices_without_a_label_are_left_out_but_predicted(run, here):
    one_graph_folder(here / "d")
    ran = run("train", "d", "--target", "kind", "-o", "m.json.gz", *QUICK)
    assert ran.code == 0, ran.err
    assert "8 of 40 examples have no label" in ran.err
    assert "26 test" not in ran.out
    assert run("predict", "m.json.gz", "d", "-o", "p.csv").code == 0
    rows = rows_of(here / "p.csv")
    assert [row["id"] for row in rows] == [str(v) for v in range(40)]
    assert {row["prediction"] for row in rows} == {"big", "small"}


def test_edges_can_be_the_examples(run, here):
    rows = [(v, v + 1, "far" if v % 2 else "near") for v in range(30)]
    write(here / "d" / "vertices.csv", table(("id", "x"), *((v, v % 2) for v in range(31))))
    write(here / "d" / "edges.csv", table(("source", "target", "reach"), *rows))
    ran = run("train", "d", "--target", "reach", "--directed", "-o", "m.json", *QUICK)
    assert ran.code == 0, ran.err
    assert "30 edges, 2 classes" in ran.out
    assert run("predict", "m.json", "d", "-o", "p.csv").code == 0
    found = rows_of(here / "p.csv")
    assert [row["prediction"] for row in found] == [reach for _, _, reach in rows]
    assert [row["source"] for row in found] == [str(v) for v in range(30)]


def test_predictions_are_those_of_the_library(run, here):
    folder = table_folder(here / "d")
    assert run("train", "d", "--target", "kind", "-o", "m.json", *QUICK).code == 0
    whole, pieces = here / "whole.csv", here / "pieces.csv"
    assert run("predict", "m.json", "d", "-o", str(whole)).code == 0
    assert run("predict", "m.json", "d", "-o", str(pieces), "--chunk-size", "5").code == 0
    assert whole.read_bytes() == pieces.read_bytes()
    # Rows in another order cannot be read in pieces, and are read whole.
    header, *rows = (folder / "edges.csv").read_text().splitlines(keepends=True)
    (folder / "edges.csv").write_text(header + "".join(reversed(rows)))
    assert run("predict", "m.json", "d", "-o", str(pieces), "--chunk-size", "5").code == 0
    assert whole.read_bytes() == pieces.read_bytes()
    printed = run("predict", "m.json", "d", "-q")
    assert printed.out.encode() == whole.read_bytes()


def test_a_model_reads_new_data_as_it_read_the_old(run, here):
    """Also without the target, with more columns, and with labels never seen."""
    table_folder(here / "d")
    assert run("train", "d", "--target", "kind", "-o", "m.json", "--directed", *QUICK).code == 0
    stored = json.loads((here / "m.json").read_text())["reading"]
    assert stored["directed"] is True
    assert stored["features"] == ["size", "element"]
    assert stored["as_text"] == ["element"]
    write(here / "new" / "vertices.csv", "extra,element,id,graph_id,size\n9,Zn,a,n,1\n9,7,b,n,\n")
    write(here / "new" / "edges.csv", "graph_id,source,target\nn,a,b\n")
    ran = run("predict", "m.json", "new", "-o", "p.csv")
    assert ran.code == 0, ran.err
    assert rows_of(here / "p.csv")[0]["graph_id"] == "n"


def test_molecules_from_file_to_prediction(run, here):
    smiles_file(here / "m.csv")
    ran = run("train", "m.csv", "--target", "alcohol", "-o", "m.json", *QUICK, "--test-size", "0.3")
    assert ran.code == 0, ran.err
    write(here / "new.csv", "smiles\nCCCCCO\nCCCCCN\n")
    assert run("predict", "m.json", "new.csv", "-o", "p.csv").code == 0
    assert [row["prediction"] for row in rows_of(here / "p.csv")] == ["1", "0"]


def test_how_loud_the_shell_was_is_not_in_the_file(run, here):
    smiles_file(here / "m.csv")
    ran = run("train", "m.csv", "--target", "alcohol", "-o", "m.json", "--verbose", *QUICK)
    assert ran.code == 0, ran.err
    assert json.loads((here / "m.json").read_text())["parameters"]["verbose"] == 0


def test_a_failed_prediction_leaves_the_old_file_alone(run, here):
    smiles_file(here / "m.csv")
    assert run("train", "m.csv", "--target", "alcohol", "-o", "m.json", *QUICK).code == 0
    write(here / "p.csv", "old")
    write(here / "bad.csv", "smiles\nCCO\nQ\n")
    assert run("predict", "m.json", "bad.csv", "-o", "p.csv", "--chunk-size", "1").code == 2
    assert (here / "p.csv").read_text() == "old"
    assert not list(here.glob(".*"))


def test_quiet_says_nothing_and_json_only_json(run, here):
    tu_zip(here / "t.zip")
    assert run("train", "t.zip", *QUICK).code == 0  # kernels are compiled, and that was said
    ran = run("train", "t.zip", "-q", *QUICK)
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    ran = run("inspect", "t.zip", "--json")
    assert json.loads(ran.out)["n_examples"] == 24
    ran = run("datasets", "--json")
    assert {"name", "task", "found"} <= set(json.loads(ran.out)[0])


def test_a_model_is_described_by_what_it_is(run, here):
    tu_zip(here / "t.zip")
    assert run("train", "t.zip", "-o", "m.json", *QUICK).code == 0
    told = json.loads(run("inspect", "m.json", "--json").out)
    model = load_model(here / "m.json")
    assert told["estimator"] == "GraphBoostingClassifier"
    assert told["n_trees"] == 3
    assert told["changed"] == {"n_estimators": 3, "min_samples_leaf": 1, "random_state": 0}
    assert sum(told["importances"].values()) == pytest.approx(1)
    share = told["importances"]["count of vertices"]
    assert share == pytest.approx(model.constant_importance_)
    text = run("inspect", "m.json").out
    assert "3 with" in text
    assert "min_samples_leaf=1, n_estimators=3, random_state=0" in text


def test_train_and_test_data_are_compared(run, here):
    table_folder(here / "d")
    ran = run("inspect", "d", "--target", "kind", "--test", "d")
    assert "24 of 24 test examples are training examples as well" in " ".join(ran.out.split())


def test_without_matplotlib_the_demo_has_no_picture_and_says_why(run, here, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    ran = run("demo", "--graphs", "100")
    assert ran.code == 0, ran.err
    assert "pip install 'graphtrees[plot]'" in ran.err
    assert "accuracy" in ran.out
    assert not list(here.iterdir())


def test_published_splits_are_used(run, here, monkeypatch):
    data = here / "data" / "tu"
    data.mkdir(parents=True)
    tu_zip(data / "RINGS.zip")
    monkeypatch.setenv("GRAPHTREES_DATA", str(here / "data"))
    ran = run("train", "tu:RINGS", "--split", "0", *QUICK)
    assert ran.code == 2
    assert "--split 0: RINGS has no published splits" in ran.err
    ran = run("train", "tu:RINGS", "--json", *QUICK)
    assert json.loads(ran.out)["n_examples"] == 24


@pytest.mark.parametrize("make", [table_folder, one_graph_folder])
def test_a_report_is_one_page(run, here, make):
    make(here / "d")
    assert run("train", "d", "--target", "kind", "-o", "m.json", *QUICK).code == 0
    ran = run("explain", "m.json", "d", "-o", "r.html")
    assert ran.code == 0, ran.err
    assert "<html" in (here / "r.html").read_text()


def test_no_cell_of_the_predictions_is_a_formula(run, here):
    """Ids and labels are text from strangers, which a spreadsheet must not run."""
    names = ("=1+2", "@SUM(A1)", "-1+cmd|'/C calc'!A0", "+x", "-7", "-", "plain", "'=quoted")
    labels = ("=HYPERLINK(1)", "minus")
    rows = [(name, k % 2, labels[k % 2]) for k, name in enumerate(names)]
    write(here / "d" / "vertices.csv", table(("id", "size", "=kind"), *rows))
    write(here / "d" / "edges.csv", table(("source", "target"), (names[0], names[1])))
    ran = run("train", "d", "--target", "=kind", "-o", "m.json", "--test-size", "0", *QUICK)
    assert ran.code == 0, ran.err
    ran = run("predict", "m.json", "d", "-o", "p.csv")
    assert ran.code == 0, ran.err
    assert "8 cells that begin like a formula got a ' in front" in ran.err
    written = rows_of(here / "p.csv")
    wanted = ["'=1+2", "'@SUM(A1)", "'-1+cmd|'/C calc'!A0", "'+x", "-7", "-", "plain", "'=quoted"]
    assert [row["id"] for row in written] == wanted
    assert {row["prediction"] for row in written} == {"'=HYPERLINK(1)", "minus"}


def test_a_number_that_a_new_table_holds_as_text_is_refused_by_name(run, here):
    table_folder(here / "d")
    assert run("train", "d", "--target", "kind", "-o", "m.json", *QUICK).code == 0
    text = (here / "d" / "vertices.csv").read_text().replace("g3,v1,1,", "g3,v1,lots,")
    write(here / "d" / "vertices.csv", text)
    ran = run("predict", "m.json", "d", "-o", "p.csv")
    assert ran.code == 2
    assert "size" in ran.err
    assert not (here / "p.csv").exists()


def test_the_baseline_is_the_majority_of_the_training_part():
    """Six of eight are "a" in training, three of four "b" in the test: one in four is right."""
    y = np.array(["a"] * 6 + ["b"] * 2 + ["a"] + ["b"] * 3, dtype=object)
    X = gt.Graphs(gt.Graph([[float(k)]], []) for k in range(12))
    data = Data("by hand", X, y, {"graph": list(range(12))})
    part = np.arange(8), np.arange(8, 12)
    model = gt.GraphTreeClassifier().fit(X[:8], y[:8])
    result = evaluate(model, data, part, "classification")
    assert result.baseline == {"accuracy": 0.25}
    numbers = Data("by hand", X, np.array([1.0] * 8 + [3.0] * 4), {"graph": list(range(12))})
    model = gt.GraphTreeRegressor().fit(X[:8], numbers.y[:8])
    result = evaluate(model, numbers, part, "regression")
    assert result.baseline == {"rmse": 2.0}


def test_a_memory_limit_stops_training_before_it_starts(run, here):
    table_folder(here / "rings")
    words = ("train", "rings", "--target", "kind", "-o", "model.json", *QUICK)
    ran = run(*words, "--memory-limit", "1MB")
    assert ran.code == 2
    assert "fit would need about" in ran.err
    assert "memory_limit is 1 MB" in ran.err
    assert not (here / "model.json").exists()
    assert run(*words, "--memory-limit", "2GB").code == 0
