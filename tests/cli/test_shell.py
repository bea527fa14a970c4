"""The real command in a real shell."""

from __future__ import annotations

import csv
import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time
from array import array
from pathlib import Path

import pytest

from cli.data import smiles_file, table_folder, tu_zip

QUICK = "--n-estimators 3 --min-samples-leaf 1"


def test_help_loads_nothing_heavy(shell):
    code = (
        "import sys; from graphtrees.cli import main; main(['--help']); "
        "print(sorted({'numpy', 'scipy', 'sklearn', 'numba', 'pandas'} & set(sys.modules)))"
    )
    ran = shell(f'{sys.executable} -c "{code}"')
    assert ran.out.splitlines()[-1] == "[]"
    assert "graphtrees COMMAND [options]" in ran.out
    ran = shell("graphtrees --help && graphtrees && graphtrees --version")
    assert ran.code == 0
    assert re.search(r"graphtrees \d+\.\d+", ran.out)


def test_the_package_runs_as_the_command(shell):
    ran = shell(f"{sys.executable} -m graphtrees --version")
    assert ran.code == 0
    assert ran.out == shell("graphtrees --version").out


def test_demo_learns_what_a_table_cannot_show(shell, here):
    ran = shell("graphtrees demo --json")
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert told["accuracy"] > 0.9
    assert told["baseline_accuracy"] < 0.7
    assert "red" in " ".join(told["rule"])
    assert Path(told["picture"]).read_bytes().startswith(b"\x89PNG")
    assert Path(told["picture"]).parent == here


BLOCK = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name="pandas")

sys.meta_path.insert(0, Absent())
from graphtrees.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_only_tables_need_pandas(shell, here):
    (here / "main.py").write_text(BLOCK)
    smiles_file(here / "m.csv")
    tu_zip(here / "t.zip")
    assert shell(f"{sys.executable} main.py demo --graphs 60 -q").code == 0
    assert shell(f"{sys.executable} main.py train t.zip -q {QUICK}").code == 0
    ran = shell(f"{sys.executable} main.py train m.csv --target alcohol")
    assert ran.code == 2
    assert "needs pandas: pip install 'graphtrees[pandas]'" in ran.err


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


def started(*words: str, **options) -> subprocess.Popen:
    command = str(Path(sys.executable).parent / "graphtrees")
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    return subprocess.Popen([command, *words], **pipes, **options)


def wait_until_read(pipe) -> None:
    """Wait until the other process has read all that was written."""
    unread = array("i", [1])
    deadline = time.monotonic() + 120
    while unread[0] and time.monotonic() < deadline:
        time.sleep(0.05)
        fcntl.ioctl(pipe, termios.FIONREAD, unread)
    assert not unread[0]


def test_an_interrupt_before_the_first_round_ends_with_130_and_leaves_nothing(here):
    running = started("train", "-", "--target", "y", "-o", "m.json", stdin=subprocess.PIPE)
    assert running.stdin is not None
    running.stdin.write("smiles,y\n")
    running.stdin.flush()
    wait_until_read(running.stdin)  # it waits for more
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=120)
    assert running.returncode == 130, err
    assert "interrupted; nothing was written" in err
    assert "Traceback" not in err
    assert list(here.iterdir()) == []


def stopped_after_some_rounds(*words: str) -> str:
    """Start a long training, stop it by Ctrl-C after some rounds; what it said on stderr."""
    running = started(*words, "--n-estimators", "100000", "-v")
    assert running.stderr is not None
    for line in running.stderr:
        if line.startswith("round "):
            break
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=120)
    assert running.returncode == 130, err
    assert "Traceback" not in err
    return err


def test_an_interrupt_keeps_the_rounds_and_they_can_be_gone_on_with(shell, here):
    table_folder(here / "data", n_graphs=300)
    words = ("train", "data", "--target", "kind", "-o", "m.json")
    err = stopped_after_some_rounds(*words)
    told = re.search(r"stopped: kept ([\d,]+) of 100,000 rounds; to go on, run the same command "
                     r"with --resume m\.json", err)  # fmt: skip
    assert told, err
    kept = int(told[1].replace(",", ""))
    summary = json.loads((here / "m.summary.json").read_text())
    assert summary["n_trees"] == kept >= 10
    assert summary["stopped_early"] is True
    more = f"--n-estimators {kept + 5}"
    line = f"graphtrees {' '.join(words)} {more}"
    assert shell(f"{line} --resume m.json").code == 0
    resumed = json.loads((here / "m.json").read_text())
    assert shell(line.replace("m.json", "n.json")).code == 0
    whole = json.loads((here / "n.json").read_text())
    assert resumed["trees"] == whole["trees"]
    assert len(whole["trees"]) == kept + 5


def test_a_checkpoint_is_kept_until_the_model_is_written(shell, here):
    table_folder(here / "data", n_graphs=300)
    words = ("train", "data", "--target", "kind", "--checkpoint", "c.json.gz")
    err = stopped_after_some_rounds(*words)
    assert "with --resume c.json.gz" in err
    assert sorted(p.name for p in here.iterdir()) == ["c.json.gz", "data"]
    line = f"graphtrees {' '.join(words)} -o m.json --n-estimators 2000"
    ran = shell(line)
    assert ran.code == 2
    assert "c.json.gz: holds an earlier run; go on with --resume c.json.gz, or remove" in ran.err
    ran = shell(f"{line.replace('2000', '20000')} --resume c.json.gz --early-stopping")
    assert ran.code == 2
    assert "early_stopping was False there; got True" in ran.err


def test_progress_is_a_line_now_and_then_in_a_log(here):
    table_folder(here / "data", n_graphs=300)
    running = started("train", "data", "--target", "kind", "--n-estimators", "100000")
    assert running.stderr is not None
    line = next(line for line in running.stderr if line.startswith("round "))
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=120)
    assert re.fullmatch(
        r"round \d+/100000 · train loss [\d.e-]+ · \d+ s · about \d+ s left\n", line
    )


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
