"""The real command in a real shell."""

from __future__ import annotations

import csv
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.data import smiles_file, table_folder

QUICK = "--n-estimators 3 --min-samples-leaf 1"


def test_help_is_instant_and_loads_nothing_heavy(shell):
    code = (
        "import sys; from graphtrees.cli import main; main(['--help']); "
        "print(sorted({'numpy', 'scipy', 'sklearn', 'numba', 'pandas'} & set(sys.modules)))"
    )
    ran = shell(f'{sys.executable} -c "{code}"')
    assert ran.out.splitlines()[-1] == "[]"
    assert "graphtrees COMMAND [options]" in ran.out
    start = time.perf_counter()
    ran = shell("graphtrees --help && graphtrees && graphtrees --version")
    assert ran.code == 0
    assert re.search(r"graphtrees \d+\.\d+", ran.out)
    assert time.perf_counter() - start < 5


def test_demo_learns_what_a_table_cannot_show(shell, here):
    ran = shell("graphtrees demo --json")
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert told["accuracy"] > 0.9
    assert told["baseline_accuracy"] < 0.7
    assert "red" in " ".join(told["rule"])
    assert Path(told["picture"]).read_bytes().startswith(b"\x89PNG")
    assert Path(told["picture"]).parent == here


def test_train_then_predict_then_look_inside(shell, here):
    table_folder(here / "data")
    ran = shell(f"graphtrees train data --target kind -o m.json {QUICK} --max-walk-length 4")
    assert ran.code == 0, ran.err
    assert "accuracy" in ran.out
    assert "±" in ran.out
    assert "\x1b" not in ran.out + ran.err
    summary = json.loads((here / "m.summary.json").read_text())
    assert summary["parameters"]["n_estimators"] == 3
    assert summary["evaluation"]["n_test"] == 5
    ran = shell("graphtrees predict m.json data -o out.csv --chunk-size 7 && head -1 out.csv")
    assert ran.code == 0, ran.err
    assert ran.out == "graph_id,prediction,probability_path,probability_ring\n"
    rows = list(csv.DictReader((here / "out.csv").read_text().splitlines()))
    assert [row["graph_id"] for row in rows] == [f"g{k}" for k in range(24)]
    ran = shell("graphtrees inspect m.json | head -1")
    assert ran.out == "model        GraphBoostingClassifier of graphs\n"
    assert sorted(p.name for p in here.iterdir()) == ["data", "m.json", "m.summary.json", "out.csv"]


def test_a_user_error_is_one_sentence_and_no_file(shell, here):
    (here / "mols.csv").write_text("smiles,y\nCCO,1\nC[Xx]C,0\n")
    ran = shell("graphtrees train mols.csv --target y -o m.json")
    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("graphtrees: error: mols.csv: line 3: 'smiles': ")
    assert "C[Xx]C" in ran.err
    assert [p.name for p in here.iterdir()] == ["mols.csv"]


def test_a_closed_pipe_is_no_error(shell):
    ran = shell("graphtrees datasets | head -1; echo ${PIPESTATUS[0]}")
    assert ran.out.splitlines()[0].startswith("name")
    assert ran.out.splitlines()[1] in ("0", "141")
    assert ran.err == ""


def test_an_interrupt_ends_with_130_and_leaves_nothing(here):
    table_folder(here / "data", n_graphs=3000)
    command = [str(Path(sys.executable).parent / "graphtrees"), "train", "data", "--target", "kind"]
    running = subprocess.Popen(
        [*command, "-o", "m.json", "--n-estimators", "100000"],
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
    )  # fmt: skip
    assert running.stdout is not None
    running.stdout.readline()  # the data is read, the training has begun
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=120)
    assert running.returncode == 130, err
    assert "Traceback" not in err
    assert [p.name for p in here.iterdir()] == ["data"]


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_colours_are_for_terminals_whose_user_wants_them(here, no_color, coloured):
    smiles_file(here / "mols.csv", 1)
    ours, theirs = pty.openpty()
    env = os.environ | {"NO_COLOR": no_color, "TERM": "xterm"}
    command = [str(Path(sys.executable).parent / "graphtrees"), "inspect", "mols.csv"]
    subprocess.run(command, stdout=theirs, env=env, check=True, timeout=120)
    os.close(theirs)
    said = os.read(ours, 4096).decode()
    os.close(ours)
    assert ("\x1b[1m" in said) == coloured
