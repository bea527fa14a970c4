"""Measure one thing in a process of its own: two threads, its own peak of memory.

The parent only ever imports the standard library. It has to stay small: a child starts with the
parent's peak in its own account (Linux), and a parent that had loaded data would hide the child's.

    run("ours.fit:fit", data="MUTAG", ...)      what a stage calls
    python processes.py ours.fit:fit '{...}'    what that starts; the last line it prints is JSON
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import shutil
import subprocess
import sys
import venv
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

THREADS = 2
HERE = Path(__file__).resolve()
PLAIN = HERE.parent.parent / "build" / "plain"
PEERS = ("lightgbm", "xgboost", "torch", "torch_geometric")  # may be missing
LONGEST = 3600.0  # seconds that a single measurement may take
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


class NotMeasured(Exception):
    """Why a row has no number."""


def run(function: str, **arguments: Any) -> dict[str, Any]:
    """What `module:function` returns in a fresh process, with `peak_bytes` added.

    The same question is measured once, however many rows ask for it.
    """
    return _run_once(function, json.dumps(arguments, sort_keys=True))


@cache
def python() -> str:
    """The interpreter of an environment that has graphtrees and what it needs, nothing else.

    That is what `pip install graphtrees` gives. Beside the peers, scikit-learn would also load
    pandas and Arrow, for time and memory that are none of ours.
    """
    here = PLAIN / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not here.exists():
        venv.create(PLAIN, with_pip=True, clear=True)
        install = [str(here), "-m", "pip", "install", "--quiet", "--editable"]
        try:
            call([*install, str(HERE.parent.parent)], dict(os.environ))
        except NotMeasured as why:
            shutil.rmtree(PLAIN)
            sys.exit(f"cannot install graphtrees into {PLAIN}: {why}")
    return str(here)


@cache
def _run_once(function: str, arguments: str) -> dict[str, Any]:
    interpreter = python() if function.startswith("ours.") else sys.executable
    command = [interpreter, str(HERE), function, arguments]
    done = call(command, environment())
    answer = json.loads(done.stdout.splitlines()[-1])
    if "missing" in answer:
        raise NotMeasured(f"skipped: {answer['missing']} is not installed")
    return answer


def call(command: list[str], variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, or say in one line why it did not get there."""
    try:
        done = subprocess.run(
            command, env=variables, capture_output=True, text=True, timeout=LONGEST, check=False
        )
    except subprocess.TimeoutExpired:
        raise NotMeasured(f"stopped after {LONGEST / 60:.0f} minutes") from None
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise NotMeasured(f"failed: {last[:120]}")
    return done


def environment(**more: str) -> dict[str, str]:
    """The variables of this process, with the same number of threads for every library."""
    return os.environ | dict.fromkeys(THREAD_VARIABLES, str(THREADS)) | more


def peak_bytes() -> int:
    """The largest this process has been, as the kernel of the system counts it."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def forget_peak() -> None:
    """Start a new account of the peak from the present size, where the system lets us (Linux)."""
    gc.collect()
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _answer(function: str, arguments: str) -> dict[str, Any]:
    module, name = function.split(":")
    try:
        answer = getattr(importlib.import_module(module), name)(**json.loads(arguments))
    except ModuleNotFoundError as error:
        if error.name not in PEERS:
            raise
        return {"missing": error.name}
    return {"peak_bytes": peak_bytes()} | answer


def main() -> None:
    """Answer one question on the last line of stdout."""
    print(json.dumps(_answer(*sys.argv[1:3])))


if __name__ == "__main__":
    main()
