"""NCI1 beside graph neural networks on the processor."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import report
from processes import run
from report import Row

from stages.fits import time_fit
from stages.setup import PUBLISHED, Case, Setup, named

DATA, TREES = "NCI1", 50
GOALS = {"GIN": 20, "GCN": None}  # least times faster


def cases(setup: Setup) -> Iterator[Case]:
    for kind in GOALS:
        what = f"{DATA}, p = 0.25, {setup.said(TREES)}, beside {kind} of PyTorch Geometric"
        yield Case(kind, "networks", what, partial(_beside, kind, setup))


def _beside(kind: str, setup: Setup) -> list[Row]:
    theirs = run(
        "peers.networks:train", kind=kind, data_set=DATA, limit=setup.limit, budget=setup.budget
    )
    ours = time_fit(DATA, PUBLISHED, TREES, setup)
    timed = theirs["n_epochs_timed"]
    beside = (
        f"{kind} of PyTorch Geometric, {theirs['layers']} layers of 64, batches of 128, 100 epochs "
        f"(scaled from {timed} timed {'epoch' if timed == 1 else 'epochs'})"
    )
    peaks = f"{report.size(ours['peak_bytes'])} (theirs {report.size(theirs['peak_bytes'])})"
    what = named(f"{DATA}, p = 0.25, {setup.said(TREES)}", ours)
    return [
        report.faster("networks", what, beside, ours["seconds"], theirs["seconds"],
                      goal=GOALS[kind], peak=peaks)
    ]  # fmt: skip
