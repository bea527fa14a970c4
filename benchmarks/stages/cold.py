"""The first seconds: a machine that never ran the library, and a new process on one that did."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import report
from processes import call, environment, python
from report import Row

from stages.setup import Case, Setup, named

SCRIPT = Path(__file__).resolve().parent.parent / "ours" / "cold.py"
FIRST, AGAIN = 15.0, 2.0  # seconds wanted
STEPS = ("import", "load", "fit", "predict")


def cases(setup: Setup) -> Iterator[Case]:
    what = "MUTAG, 20 trees, whole process"
    yield Case("first-fit", "cold start", what, partial(_measure, what, setup))


def _measure(what: str, setup: Setup) -> list[Row]:
    first, again = [], []
    for _ in range(1 if setup.quick else 3):
        with tempfile.TemporaryDirectory() as empty:
            first.append(_start(empty))
            again += [_start(empty) for _ in range(1 if setup.quick else 3)]
    what = named(what, first[0])
    return [
        report.under("cold start", f"{what}, first on this machine: {_steps(first)}",
                     _median(first, "process"), FIRST, beside=_said(first[0])),
        report.under("cold start", f"{what}, kernels in the cache: {_steps(again)}",
                     _median(again, "process"), AGAIN),
    ]  # fmt: skip


def _start(cache_folder: str) -> dict[str, Any]:
    """One process from its start to its end, its own account of the steps, what it said."""
    variables = environment(NUMBA_CACHE_DIR=cache_folder)
    start = time.perf_counter()
    done = call([python(), str(SCRIPT)], variables)
    seconds = time.perf_counter() - start
    steps = json.loads(done.stdout.splitlines()[-1])
    return steps | {"process": seconds, "said": done.stderr.strip()}


def _median(runs: list[dict[str, Any]], step: str) -> float:
    return median(one[step] for one in runs)


def _steps(runs: list[dict[str, Any]]) -> str:
    return ", ".join(f"{step} {report.duration(_median(runs, step))}" for step in STEPS)


def _said(run: dict[str, Any]) -> str:
    lines = run["said"].splitlines()
    return f"it says: “{lines[0]}”" if lines else "it says nothing"
