"""What newcomers stumbled over, in the form in which they met it."""

from __future__ import annotations

import csv
import io
import json
import re
import sys

import numpy as np
import pandas
import pytest

import graphtrees as gt
from cli.data import MOLECULES, one_graph_folder, smiles_file, table, table_folder, tu_zip, write

QUICK = ("--n-estimators", "3", "--min-samples-leaf", "1")


def rows_of(path):
    with path.open() as stream:
        return list(csv.DictReader(stream))


def error_of(run, *words):
    ran = run(*words)
    assert ran.code == 2, ran
    assert ran.err.count("graphtrees: error: ") == 1
    return ran.err


def molecules_with_columns(path, n=40, sep=","):
    """Alcohols and amines with a weight, an assay, an id, and a number to predict."""
    lines = [sep.join(("mol_id", "smiles", "MW", "assay", "alcohol", "potency"))]
    for k in range(n):
        smiles = "C" * (k % 7 + 1) + ("O" if k % 2 else "N")
        fields = (f"M-{k:03}", smiles, 30.5 + k % 7, "AB"[k % 2], k % 2, f"{k / 7 + 0.123:.3f}")
        lines.append(sep.join(map(str, fields)))
    return write(path, "\n".join(lines) + "\n")


def page_of(path):
    text = path.read_text()
    start = text.index('id="page"')
    return json.loads(text[text.index(">", start) + 1 : text.index("</script>", start)])


# ---- the report tells what was seen in training --------------------------------------------------


def test_the_report_shows_held_out_figures_first(run, here):
    molecules_with_columns(here / "mols.csv")
    assert run("train", "mols.csv", "--target", "alcohol", "-o", "m.json", *QUICK).code == 0
    ran = run("explain", "m.json", "mols.csv", "-o", "r.html", "--json")
    told = json.loads(ran.out)
    page = page_of(here / "r.html")
    # Molecules come up again and again here: the test part has copies of what was trained on.
    assert told["seen_in_training"] == page["seen"]["n"] >= 32
    write(here / "new.csv", "smiles,alcohol\nCCCCCCCCCCO,1\nCCCCCCCCCCCN,0\n")
    both = (here / "mols.csv").read_text().splitlines()[:11]
    rows = ["smiles,alcohol", *(",".join(line.split(",")[1:5:3]) for line in both[1:])]
    write(here / "mixed.csv", "\n".join([*rows, "CCCCCCCCCCO,1", "CCCCCCCCCCCN,1"]) + "\n")
    run("explain", "m.json", "mixed.csv", "-o", "r.html")
    page = page_of(here / "r.html")
    assert (page["seen"]["n"], page["seen"]["fresh"]) == (10, 2)
    assert page["examples"]["seen"] == [0, 0] + [1] * 10
    assert next(m["value"] for m in page["metrics"] if m["name"] == "mistakes") == "1"
    assert {m["name"] for m in page["seen"]["metrics"]} >= {"accuracy", "mistakes"}


def test_a_report_of_nothing_but_training_data_says_so(run, here):
    table_folder(here / "d")
    run("train", "d", "--target", "kind", "-o", "m.json", "--test-size", "0", *QUICK)
    ran = run("explain", "m.json", "d", "-o", "r.html")
    assert "24 of 24 examples were seen in training" in ran.out
    assert page_of(here / "r.html")["seen"] == {"n": 24, "fresh": 0, "metrics": []}


def test_train_writes_the_report_of_the_held_out_rows(run, here):
    table_folder(here / "d", 40)
    words = ("--target", "score", "--random-state", "1", *QUICK)
    ran = run("train", "d", *words, "--report", "r.html", "--json", "-o", "m.json")
    assert ran.code == 0, ran.err
    page = page_of(here / "r.html")
    assert page["of"] == json.loads(ran.out)["evaluation"]["n_test"] == 8
    assert set(page["examples"]["name"]) < {f"g{k}" for k in range(40)}
    assert "--report shows examples that were held out" in error_of(
        run, "train", "d", *words, "--report", "r.html", "--cv", "3"
    )


def test_vertices_are_known_again_by_their_ids(run, here):
    one_graph_folder(here / "d")
    ran = run("train", "d", "--target", "kind", "-o", "m.json", "--json", *QUICK)
    n_train = json.loads(ran.out)["evaluation"]["n_train"]
    ran = run("explain", "m.json", "d", "-o", "r.html", "--json")
    assert json.loads(ran.out)["seen_in_training"] == n_train
    assert page_of(here / "r.html")["seen"]["fresh"] == 32 - n_train


def test_the_report_shows_ids_and_smiles(run, here):
    molecules_with_columns(here / "mols.csv")
    words = ("--target", "alcohol", "--report", "r.html", *QUICK)
    assert run("train", "mols.csv", *words).code == 0
    examples = page_of(here / "r.html")["examples"]
    assert examples["name"][0].startswith("M-")
    ids = dict(examples["ids"])
    assert set(ids) == {"smiles"}
    assert ids["smiles"][0] in {"C" * (k % 7 + 1) + "NO"[k % 2] for k in range(40)}


# ---- rare classes --------------------------------------------------------------------------------


def accounts(folder, rare=3, n=80, labels=("honest", "fraud")):
    """Accounts in a ring, of which the first few are of the second class."""
    rows = [f"a{k},{k % 7 + 5 * (k < rare)},{labels[k < rare]}" for k in range(n)]
    write(folder / "vertices.csv", "\n".join(["id,age,kind", *rows]) + "\n")
    ring = [f"a{k},a{(k + 1) % n}" for k in range(n)]
    write(folder / "edges.csv", "\n".join(["source,target", *ring]) + "\n")


@pytest.mark.parametrize("test", [("--cv", "2"), ("--test-size", "0.5", "--report", "r.html")])
@pytest.mark.parametrize("labels", [("honest", "fraud"), ("alright", "wrong")])
def test_average_precision_is_told_of_a_rare_class(run, here, test, labels):
    accounts(here / "d", rare=4, labels=labels)
    ran = run("train", "d", "--target", "kind", "-o", "m.json", "--json", *test, *QUICK)
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)["evaluation"]
    assert list(told["scores"])[:3] == ["accuracy", "roc_auc", "average_precision"]
    assert told["rare_class"] == labels[1]
    assert told["baseline"]["average_precision"] == 0.05
    ran = run("train", "d", "--target", "kind", *test, *QUICK)
    score = told["scores"]["average_precision"]
    line = f"average_precision  {score['value']:.4f} ± {score['spread']:.4f}"
    assert f"{line}   (of {labels[1]}; one answer for all: 0.0500)" in ran.out
    if "--report" in test:
        [first, *_] = page_of(here / "r.html")["metrics"]
        value = f"{score['value']:.3f}"
        note = f"of {labels[1]}; by chance: 0.050"
        assert first == {"name": "average precision", "value": value, "note": note}


def test_average_precision_is_that_of_scikit_learn(run, here):
    from sklearn.metrics import average_precision_score

    accounts(here / "d", rare=6)
    ran = run("train", "d", "--target", "kind", "--test-size", "0.5", "-o", "m.json", "--json",
              "--n-estimators", "1", "--max-leaf-nodes", "2")  # fmt: skip
    told = json.loads(ran.out)["evaluation"]
    model, frame = gt.load_model(here / "m.json"), pandas.read_csv(here / "d" / "vertices.csv")
    g = gt.from_tables(frame, pandas.read_csv(here / "d" / "edges.csv"), features=["age"])
    from graphtrees.validation.fingerprints import seen_in_training

    held = np.flatnonzero(~seen_in_training(model, g.vertices))
    assert len(held) == told["n_test"]
    fraud = list(model.classes_).index("fraud")
    chances = model.predict_proba(g.vertices[held])[:, fraud]
    wanted = average_precision_score(frame["kind"][held] == "fraud", chances)
    assert 0.1 < wanted < 1
    np.testing.assert_allclose(told["scores"]["average_precision"]["value"], wanted)


@pytest.mark.parametrize(
    "words", [("--target", "kind"), ("--target", "age", "--task", "regression")]
)
def test_without_a_rare_class_average_precision_is_left_out(run, here, words):
    accounts(here / "d", rare=8)
    ran = run("train", "d", *words, "--report", "r.html", *QUICK)
    assert ran.code == 0, ran.err
    assert "average" not in ran.out
    assert not any("average" in one["name"] for one in page_of(here / "r.html")["metrics"])


# ---- options that would do nothing ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--features", "NOPE"], "mols.csv: no column 'NOPE' (there is: mol_id, MW, assay"),
        (["--features", "mw"], "did you mean 'MW'?"),
        (["--weight", "MW"], "--weight has no use for a file of molecules; what can be asked"),
        (["--edge-type", "assay"], "--edge-type has no use for a file of molecules"),
        (["--directed"], "--directed has no use for a file of molecules"),
        (["--examples", "vertices"], "--examples has no use for a file of molecules"),
        (["--targt", "MW"], "unrecognized arguments: --targt MW; did you mean --target?"),
    ],
)
def test_options_without_use_are_errors(run, here, words, told):
    molecules_with_columns(here / "mols.csv")
    assert told in error_of(run, "train", "mols.csv", "--target", "alcohol", *words)


def test_options_of_tables_are_refused_for_other_forms(run, here):
    tu_zip(here / "t.zip")
    assert "--weight has no use for a TU collection" in error_of(
        run, "train", "t.zip", "--weight", "w"
    )
    table_folder(here / "d")
    told = error_of(run, "inspect", "d", "--smiles-column", "x")
    assert "--smiles-column has no use for tables of vertices and edges" in told
    write(here / "c.toml", 'target = "kind"\non_error = "skip"\n')
    assert "--on-error has no use" in error_of(run, "train", "d", "--config", "c.toml")


@pytest.mark.parametrize(
    ("words", "told"),
    [(["trian"], "did you mean 'train'?"), (["train", "d", "--estimator", "forrest"], "'forest'?")],
)
def test_a_slip_of_the_keyboard_is_answered(run, words, told):
    assert told in error_of(run, *words)


def test_numeric_columns_of_molecules_can_be_used(run, here):
    molecules_with_columns(here / "mols.csv")
    words = ("train", "mols.csv", "--target", "potency", "-o", "m.json", *QUICK)
    ran = run(*words, "--features", "MW,assay", "--json")
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert told["features"][-2:] == ["MW", "assay"]
    assert told["columns"]["mols.csv"]["assay"] == "text, 2 categories"
    assert run("predict", "m.json", "mols.csv", "-o", "p.csv", "--chunk-size", "7").code == 0
    assert len(rows_of(here / "p.csv")) == 40
    write(here / "new.csv", "smiles\nCCO\n")
    assert "no column 'MW'" in error_of(run, "predict", "m.json", "new.csv")


def test_columns_of_molecules_are_features_of_the_whole_molecule(run, here):
    molecules_with_columns(here / "mols.csv")
    words = ("train", "mols.csv", "--target", "MW", "-o", "m.json", *QUICK)
    assert run(*words, "--features", "assay,potency").code == 0
    model = gt.load_model(here / "m.json")
    assert model._fitted.features.graph_feature_names == ("assay", "potency")
    assert model.feature_names_in_[0] == "element"
    assert run("predict", "m.json", "mols.csv", "-o", "p.csv", "--chunk-size", "7").code == 0
    frame = pandas.read_csv(here / "mols.csv")
    X = gt.Graphs(gt.from_smiles(frame["smiles"]), graph_features=frame[["assay", "potency"]])
    told = [float(row["prediction"]) for row in rows_of(here / "p.csv")]
    np.testing.assert_allclose(told, model.predict(X), rtol=1e-5)


# ---- decimal commas, and targets gone wrong ------------------------------------------------------


def test_decimal_commas_are_read(run, here):
    path = molecules_with_columns(here / "mols.csv", sep=";")
    path.write_text(path.read_text().replace(".", ","))
    ran = run(
        "train", "mols.csv", "--target", "potency", "--features", "MW", "-o", "m.json", *QUICK
    )
    assert ran.code == 0, ran.err
    assert "task      regression" in ran.out
    assert "MW: number with decimal commas" in ran.out
    assert run("predict", "m.json", "mols.csv", "-o", "a.csv").code == 0
    path.write_text(path.read_text().replace(",", "."))
    assert run("predict", "m.json", "mols.csv", "-o", "b.csv").code == 0
    assert [r["prediction"] for r in rows_of(here / "a.csv")] == [
        r["prediction"] for r in rows_of(here / "b.csv")
    ]


@pytest.mark.parametrize(
    ("written", "numbers"),
    [
        (["0,5", "1.234,5", "-2,25", ""], [0.5, 1234.5, -2.25, np.nan]),
        (["0,5", "1.234", "7", "n/a"], [0.5, 1234.0, 7.0, np.nan]),
        (["0.5", "1.234", "7", "NA"], [0.5, 1.234, 7.0, np.nan]),
    ],
)
def test_points_beside_decimal_commas_separate_thousands(here, written, numbers):
    from graphtrees.cli.data import Reading, find_source

    write(
        here / "d" / "vertices.csv",
        "id;x\n" + "".join(f"v{k};{w}\n" for k, w in enumerate(written)),
    )
    write(here / "d" / "edges.csv", "source;target\nv0;v1\n")
    source = find_source(str(here / "d"), Reading(missing=("n/a",)))
    found = source.load(need_target=False).X.graphs[0].features[:, 0]
    np.testing.assert_array_equal(found, numbers)


def test_quoted_commas_of_a_comma_file_are_asked_about(run, here):
    lines = [f'{s},"{k},{k}7"' for k, s in enumerate(MOLECULES * 2)]
    write(here / "m.csv", "smiles,y\n" + "\n".join(lines) + "\n")
    told = error_of(run, "train", "m.csv", "--target", "y")
    assert "'y' looks like numbers" in told
    assert "--decimal , reads decimal commas" in told
    assert run("train", "m.csv", "--target", "y", "--decimal", ",", *QUICK).code == 0


def test_a_target_with_a_class_for_each_row_stops(run, here):
    molecules_with_columns(here / "mols.csv")
    told = error_of(run, "train", "mols.csv", "--target", "mol_id")
    assert "'mol_id' has 40 classes among 40 examples, such as 'M-000'" in told
    assert "--task classify insists" in told


def test_insisting_on_classes_trains(run, here):
    lines = [f"{s},<{k % 10}" for k, s in enumerate(MOLECULES * 3)]
    write(here / "m.csv", "smiles,y\n" + "\n".join(lines) + "\n")
    assert "'y' looks like numbers, but '<" in error_of(run, "train", "m.csv", "--target", "y")
    ran = run("train", "m.csv", "--target", "y", "--task", "classify", *QUICK)
    assert ran.code == 0, ran.err
    assert "10 classes" in ran.out


# ---- predictions ---------------------------------------------------------------------------------


def test_predict_never_writes_over_what_it_reads(run, here):
    path = molecules_with_columns(here / "own.csv")
    before = path.read_bytes()
    assert run("train", "own.csv", "--target", "alcohol", "-o", "m.json", *QUICK).code == 0
    told = error_of(run, "predict", "m.json", "own.csv", "-o", "own.csv")
    assert "own.csv: is read from; name another file" in told
    (here / "link.csv").symlink_to(path)
    assert "is read from" in error_of(run, "predict", "m.json", "own.csv", "-o", "link.csv")
    assert path.read_bytes() == before


def test_tables_are_not_written_over_either(run, here):
    table_folder(here / "d")
    assert run("train", "d", "--target", "kind", "-o", "m.json", *QUICK).code == 0
    assert "is read from" in error_of(run, "predict", "m.json", "d", "-o", "d/graphs.csv")


def test_predictions_keep_the_columns_of_molecules_and_six_digits(run, here):
    molecules_with_columns(here / "own.csv")
    assert run("train", "own.csv", "--target", "potency", "-o", "m.json", *QUICK).code == 0
    assert run("predict", "m.json", "own.csv", "-o", "p.csv").code == 0
    given, rows = rows_of(here / "own.csv"), rows_of(here / "p.csv")
    assert list(rows[0]) == [*given[0], "prediction"]
    assert [{k: row[k] for k in given[0]} for row in rows] == given
    digits = max(len(r["prediction"].replace(".", "").lstrip("0")) for r in rows)
    assert digits == 6
    run("predict", "m.json", "own.csv", "-o", "p3.csv", "--precision", "3")
    for row, short in zip(rows, rows_of(here / "p3.csv"), strict=True):
        assert short["prediction"] == f"{float(row['prediction']):.3g}"
    assert "--precision must be from 1 to 17" in error_of(
        run, "predict", "m.json", "own.csv", "--precision", "0"
    )


def test_predictions_of_predictions_replace_the_old_ones(run, here):
    molecules_with_columns(here / "own.csv")
    assert run("train", "own.csv", "--target", "potency", "-o", "m.json", *QUICK).code == 0
    run("predict", "m.json", "own.csv", "-o", "p.csv")
    ran = run("predict", "m.json", "p.csv", "-o", "q.csv")
    assert "the column 'prediction' of p.csv is replaced" in ran.err
    assert (here / "p.csv").read_bytes() == (here / "q.csv").read_bytes()


# ---- columns -------------------------------------------------------------------------------------


def bank(folder, n=40):
    """Accounts with an IBAN, a postcode and a date, and payments between them."""
    lines = ["id;iban;postcode;opened;balance;fraud"]
    for k in range(n):
        lines.append(f"a{k};DE{k:020};0{1000 + k % 4};{k % 28 + 1:02}.03.2020;{k},5;{k % 2}")
    write(folder / "vertices.csv", "\n".join(lines) + "\n")
    pays = [f"a{k};a{(k + 1) % n};{k},25;card" for k in range(n)]
    write(folder / "edges.csv", "source;target;amount;how\n" + "\n".join(pays) + "\n")
    return folder


def test_dates_are_refused_until_an_option_says_what_to_do(run, here):
    bank(here / "bank")
    told = error_of(run, "train", "bank", "--target", "fraud")
    assert "bank/vertices.csv: 'opened' holds dates such as '01.03.2020'" in told
    assert "--dates number" in told
    assert "--dates drop" in told


def test_gaps_among_dates_are_told_to_be_missing(run, here):
    path = bank(here / "bank") / "vertices.csv"
    path.write_text(path.read_text().replace("05.03.2020", "n/a"))
    words = ("train", "bank", "--target", "fraud", *QUICK)
    assert "'opened' holds dates such as '01.03.2020'" in error_of(run, *words)
    told = error_of(run, *words, "--dates", "number")
    assert "line 6: 'opened' is 'n/a' among dates; add --missing 'n/a' if it stands for" in told
    ran = run(*words, "--dates", "number", "--missing", "n/a", "-o", "m.json")
    assert ran.code == 0, ran.err
    assert "opened: date, as days since 1970" in ran.out


def test_who_insists_on_unique_text_hears_no_warning(run, here):
    bank(here / "bank")
    words = ("--target", "fraud", "--dates", "drop", "--features", "iban")
    ran = run("train", "bank", *words, *QUICK)
    assert ran.code == 0, ran.err
    assert "differs from row to row" not in ran.err


def test_what_each_column_was_taken_for_is_listed(run, here):
    bank(here / "bank")
    ran = run("train", "bank", "--target", "fraud", "--dates", "number", "-o", "m.json", *QUICK)
    assert ran.code == 0, ran.err
    words = " ".join(ran.out.split())
    for part in (
        "id: id of a vertex",
        "iban: left out: text that differs from row to row (--features insists)",
        "postcode: text, 4 categories",
        "opened: date, as days since 1970",
        "balance: number with decimal commas",
        "fraud: target",
        "amount, how: not used (use with --weight, --edge-type or --edge-features)",
    ):
        assert part in words
    stored = json.loads((here / "m.json").read_text())["reading"]
    assert stored["features"] == ["postcode", "opened", "balance"]
    assert stored["date_columns"] == ["opened"]
    assert run("predict", "m.json", "bank", "-o", "p.csv").code == 0
    ran = run("train", "bank", "--target", "fraud", "--dates", "drop", "--features", "iban", *QUICK)
    assert "iban: text, 40 categories" in ran.out
    ran = run("train", "bank", "--target", "fraud", "--dates", "drop", "--weight", "amount", *QUICK)
    assert "amount: weight" in ran.out


@pytest.mark.parametrize(
    ("written", "days"),
    [
        (["1970-01-02", "1970-01-01 12:00"], [1.0, 0.5]),
        (["01.02.1970", "2.1.1970"], [31.0, 1.0]),
        (["13/01/1970", "02/01/1970"], [12.0, 1.0]),
        (["01/13/1970", "01/02/1970"], [12.0, 1.0]),
    ],
)
def test_dates_are_days_since_1970(written, days):
    from graphtrees.cli.data.values import MISSING, look_like_dates, read_days

    assert look_like_dates(written, MISSING)
    assert read_days(written, MISSING, "x").tolist() == days


def test_a_date_that_may_be_two_days_is_refused():
    from graphtrees.cli.data.values import MISSING, read_days
    from graphtrees.cli.errors import UserError

    with pytest.raises(UserError, match="day and month cannot be told apart"):
        read_days(["01/02/1970"], MISSING, "x")


def test_columns_of_edges_that_are_named_are_asked_about(run, here):
    bank(here / "bank")
    words = ("--target", "fraud", "--dates", "drop", "--edge-type", "how", *QUICK)
    ran = run("train", "bank", *words, "--edge-features", "amount", "--json")
    assert ran.code == 0, ran.err
    assert "--operators adjacency,relations, for --edge-type and --edge-features" in ran.err
    assert json.loads(ran.out)["parameters"]["operators"] == ["adjacency", "relations"]
    ran = run("train", "bank", *words, "--operators", "mean", "--json")
    assert json.loads(ran.out)["parameters"]["operators"] == ["mean"]


def test_all_columns_that_are_not_there_are_named_at_once(run, here):
    write(here / "bank" / "vertices.csv", "konto;x\na;1\n")
    write(here / "bank" / "edges.csv", "von;an\na;a\n")
    told = error_of(run, "train", "bank", "--target", "x")
    for option in ("--id-column", "--source-column", "--target-column"):
        assert f"name another with {option}" in told


# ---- molecules that cannot be read ---------------------------------------------------------------

BAD = "smiles,y\nCCO,1\nC[Xx],0\nCCN,0\n,1\nCCCO,1\nC1CC,0\nCCCN,0\n"


def test_all_bad_molecules_are_listed(run, here):
    write(here / "m.csv", BAD)
    told = error_of(run, "train", "m.csv", "--target", "y")
    assert "m.csv: 3 molecules cannot be read: line 3: 'smiles': RDKit cannot read" in told
    assert "line 5: 'smiles' is missing" in told
    assert "line 7: " in told
    assert "--on-error skip" in told


def test_bad_molecules_can_be_left_out(run, here):
    write(here / "m.csv", BAD)
    words = ("--on-error", "skip", "--test-size", "0", *QUICK)
    ran = run("train", "m.csv", "--target", "y", "-o", "m.json", "--json", *words)
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["n_examples"] == 4
    assert ran.err.count("left out") == 3
    assert "3 molecules" in error_of(run, "predict", "m.json", "m.csv", "--chunk-size", "2")
    run("predict", "m.json", "m.csv", "-o", "p.csv", "--on-error", "skip")
    assert [r["smiles"] for r in rows_of(here / "p.csv")] == ["CCO", "CCN", "CCCO", "CCCN"]


@pytest.mark.parametrize("size", ["2", "1000"])
def test_bad_molecules_can_keep_their_rows(run, here, size):
    write(here / "m.csv", BAD)
    words = ("--on-error", "none", "--test-size", "0", *QUICK)
    assert run("train", "m.csv", "--target", "y", "-o", "m.json", *words).code == 0
    words = ("--on-error", "none", "--chunk-size", size)
    assert run("predict", "m.json", "m.csv", "-o", "p.csv", *words).code == 0
    rows = rows_of(here / "p.csv")
    assert [bool(r["prediction"]) for r in rows] == [True, False, True, False, True, False, True]
    assert rows[1]["smiles"] == "C[Xx]"


# ---- forms of data -------------------------------------------------------------------------------


def inspected(run, *words):
    ran = run("inspect", *words, "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out), ran.err


def test_tabs_in_a_tsv(run, here):
    molecules_with_columns(here / "m.tsv", sep="\t")
    assert inspected(run, "m.tsv", "--target", "alcohol")[0]["n_examples"] == 40


def test_a_lone_parquet_file(run, here):
    frame = pandas.read_csv(molecules_with_columns(here / "m.csv"))
    frame.to_parquet(here / "m.parquet")
    words = ("--target", "alcohol", "--features", "MW")
    assert run("train", "m.parquet", *words, "-o", "m.json", *QUICK).code == 0
    assert run("predict", "m.json", "m.csv", "-o", "a.csv").code == 0
    assert run("predict", "m.json", "m.parquet", "-o", "b.csv").code == 0
    assert [r["prediction"] for r in rows_of(here / "a.csv")] == [
        r["prediction"] for r in rows_of(here / "b.csv")
    ]


def test_a_smi_file_has_names(run, here):
    smiles_file(here / "m.csv")
    assert run("train", "m.csv", "--target", "alcohol", "-o", "m.json", *QUICK).code == 0
    write(here / "new.smi", "CCCCCO hexanol?\nCCCCCN\tan amine\n\nC[Xx] bad\n")
    told = error_of(run, "predict", "m.json", "new.smi")
    assert "new.smi: line 4: 'smiles': RDKit cannot read" in told
    ran = run("predict", "m.json", "new.smi", "-o", "p.csv", "--on-error", "skip")
    assert ran.code == 0, ran.err
    rows = rows_of(here / "p.csv")
    assert [(r["name"], r["prediction"]) for r in rows] == [("hexanol?", "1"), ("an amine", "0")]


def test_an_sdf_file_has_properties(run, here):
    chem = pytest.importorskip("rdkit.Chem")
    with chem.SDWriter(str(here / "m.sdf")) as writer:
        for k, smiles in enumerate(MOLECULES * 3):
            molecule = chem.MolFromSmiles(smiles)
            molecule.SetProp("_Name", f"mol {k}")
            molecule.SetProp("alcohol", str(int("O" in smiles)))
            molecule.SetProp("logP", f"{k / 3:.2f}")
            writer.write(molecule)
    words = ("--target", "alcohol", "--features", "logP", "-o", "m.json")
    ran = run("train", "m.sdf", *words, *QUICK)
    assert ran.code == 0, ran.err
    assert "30 graphs, 2 classes" in ran.out
    assert run("predict", "m.json", "m.sdf", "-o", "p.csv", "--chunk-size", "7").code == 0
    rows = rows_of(here / "p.csv")
    assert rows[7]["name"] == "mol 7"
    assert [r["prediction"] for r in rows] == [r["alcohol"] for r in rows]


def test_standard_input_is_read(run, here, monkeypatch):
    path = smiles_file(here / "m.csv")

    def feed(data):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    feed(path.read_bytes())
    assert run("train", "-", "--target", "alcohol", "-o", "m.json", *QUICK).code == 0
    feed(b"smiles\nCCCCCO\nCCCCCN\n")
    assert run("predict", "m.json", "-", "-q").out.splitlines()[1].startswith("CCCCCO,1")
    feed(b"smiles\nC[Xx]\n")
    assert "standard input: line 2: 'smiles': RDKit" in error_of(run, "predict", "m.json", "-")


def test_latin_1_is_read_with_a_note(run, here):
    text = "smiles;land\nCCO;Österreich\nCCN;Türkei\n"
    (here / "m.csv").write_bytes(text.encode("latin-1"))
    found, err = inspected(run, "m.csv", "--target", "land")
    assert "m.csv: is no UTF-8 text; read as Latin-1 (--encoding names another)" in err
    assert "Österreich" in found["labels"]["counts"]
    (here / "m.csv").write_bytes(text.encode("utf-16"))
    assert "but in UTF-16" in error_of(run, "inspect", "m.csv")
    found, err = inspected(run, "m.csv", "--target", "land", "--encoding", "utf-16")
    assert "Türkei" in found["labels"]["counts"]
    assert err == ""


def test_words_for_missing_are_an_option(run, here):
    write(here / "d" / "vertices.csv", "id,x,kind\na,-,?\nb,1.5,big\nc,n/a,small\n")
    write(here / "d" / "edges.csv", "source,target\na,b\n")
    told = error_of(run, "inspect", "d")
    assert "line 2: 'x' is '-' among numbers; add --missing='-,n/a' if they stand for" in told
    told = error_of(run, "inspect", "d", "--missing", "-")
    assert "line 4: 'x' is 'n/a' among numbers; add --missing='-,n/a' if it stands for" in told
    assert run("inspect", "d", "--missing=-,n/a").code == 0
    ran = run("inspect", "d", "--missing", "n/a,-,?")
    assert ran.code == 0, ran.err
    assert "x 66.7 %" in ran.out
    assert "kind: text, 2 categories" in ran.out


@pytest.mark.parametrize("lone", [True, False])
def test_an_edge_list_needs_no_table_of_vertices(run, here, lone):
    rows = [("payer", "payee", "fraud"), *((f"v{k}", f"v{k // 2}", k % 2) for k in range(40))]
    data = "pays.csv" if lone else "d"
    write(here / ("pays.csv" if lone else "d/edges.csv"), table(*rows))
    ends = ("--source-column", "payer", "--target-column", "payee")
    ran = run("train", data, "--target", "fraud", "--directed", *ends, "-o", "m.json", *QUICK)
    assert ran.code == 0, ran.err
    assert "40 edges, 2 classes" in ran.out
    assert run("predict", "m.json", data, "-o", "p.csv").code == 0
    assert [r["payer"] for r in rows_of(here / "p.csv")] == [f"v{k}" for k in range(40)]
    told = error_of(run, "train", data, "--target", "fraud", *ends, "--features", "x")
    assert "--features has no use" in told


def test_edge_lists_of_many_graphs_are_read_in_pieces(here):
    from graphtrees.cli.data import Reading, find_source

    edges = [("graph_id", "source", "target")]
    edges += [(f"g{k}", f"v{j}", f"v{j + 1}") for k in range(5) for j in range(k + 1)]
    write(here / "d" / "edges.csv", table(*edges))
    pieces = list(find_source(str(here / "d"), Reading()).stream(2))
    assert [g.n_vertices for piece in pieces for g in piece.X] == [2, 3, 4, 5, 6]
    assert [len(piece) for piece in pieces] == [2, 2, 1]


def test_edges_to_unknown_vertices_can_be_dropped(run, here):
    one_graph_folder(here / "d")
    with (here / "d" / "edges.csv").open("a") as stream:
        stream.write("3,999\n998,4\n")
    told = error_of(run, "train", "d", "--target", "kind")
    assert "line 42: 'source' '998' is no vertex; --unknown-ids drop leaves such edges" in told
    ran = run("train", "d", "--target", "kind", "--unknown-ids", "drop", "-o", "m.json", *QUICK)
    assert ran.code == 0, ran.err
    assert "2 of 41 edges have an end that is no vertex: left out" in ran.err
    assert run("predict", "m.json", "d", "-o", "p.csv").code == 0


@pytest.mark.parametrize("word", ["n/a", "unknown", "N.D.", "?", "not measured", "#N/A", "faulty"])
def test_a_word_in_a_column_of_numbers_is_told_to_be_missing(run, here, word):
    rows = [f"v{k},{word if k == 5 else k / 2}" for k in range(12)]
    write(here / "d" / "vertices.csv", "\n".join(["id,x", *rows]) + "\n")
    write(here / "d" / "edges.csv", "source,target\nv0,v1\n")
    told = error_of(run, "inspect", "d")
    hint = f"add --missing '{word}' if it stands for no value"
    assert f"line 7: 'x' is '{word}' among numbers; {hint}" in told
    assert "--as-text" not in told
    ran = run("inspect", "d", "--missing", word)
    assert ran.code == 0, ran.err
    assert "x: number" in ran.out


@pytest.mark.parametrize(
    "values",
    [["1", "2", "3", "red", "blue", "green", "brown"], ["1", "2", "two"], ['"1,5x"', "2", "3"]],
    ids=["several", "often", "commas"],
)
def test_labels_among_numbers_are_told_to_be_text(run, here, values):
    rows = [f"v{k},{value}" for k, value in enumerate(values * 3)]
    write(here / "d" / "vertices.csv", "\n".join(["id,x", *rows]) + "\n")
    write(here / "d" / "edges.csv", "source,target\nv0,v1\n")
    told = error_of(run, "inspect", "d")
    assert "among numbers; add --as-text x if they are labels" in told
    assert run("inspect", "d", "--as-text", "x").code == 0


# ---- models made in Python -----------------------------------------------------------------------


def test_a_model_saved_in_python_reads_columns_by_its_features(run, here):
    import graphtrees as gt
    from graphtrees.cli.data import Reading, find_source

    folder = table_folder(here / "d")
    data = find_source(str(folder), Reading(target="kind", features=("element",))).load(True)
    gt.GraphTreeClassifier().fit(data.X, data.y).save(here / "m.json")
    ran = run("predict", "m.json", "d", "-o", "p.csv")
    assert ran.code == 0, ran.err
    assert len(rows_of(here / "p.csv")) == 24


@pytest.mark.parametrize("target", ["kind", "score"])
def test_the_report_and_the_shell_compare_with_the_same_answer(run, here, target):
    table_folder(here / "d")
    ran = run("train", "d", "--target", target, "--report", "r.html", *QUICK)
    assert ran.code == 0, ran.err
    told = float(re.search(r"one answer for all: ([0-9.]+)", ran.out)[1])
    page = (here / "r.html").read_text(encoding="utf-8")
    beside = re.search(r'"note":\s*"always [^"]*: ([0-9.]+)( %)?"', page)
    share = 100 if beside[2] else 1
    assert float(beside[1]) / share == pytest.approx(told, rel=2e-3)
