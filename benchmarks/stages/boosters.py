"""NCI1 beside boosters that read tables: on whole-graph columns, and on as many as we search."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import report
from processes import run
from report import Row

from stages.fits import time_fit
from stages.setup import EVERY_WALK_TYPE, PUBLISHED, Case, Setup, named

DATA, TREES = "NCI1", 50
PEERS = {"LightGBM": 3.0, "XGBoost": None, "scikit-learn": None}  # peer -> most times its time


def cases(setup: Setup) -> Iterator[Case]:
    for peer, goal in PEERS.items():
        what = f"{DATA}, p = 0.25, {setup.said(TREES)}, beside {peer} on whole-graph columns"
        yield Case(peer, "boosters", what, partial(_on_whole_graph, peer, goal, setup))
    what = f"{DATA}, p = 1, {setup.said(TREES)}, beside LightGBM on as many columns as we search"
    yield Case("wide", "boosters", what, partial(_on_wide, setup))


def _on_whole_graph(peer: str, goal: float | None, setup: Setup) -> list[Row]:
    theirs = _train("on_whole_graph_columns", peer, setup)
    ours = time_fit(DATA, PUBLISHED, TREES, setup)
    beside = (
        f"{peer} on {theirs['n_columns']} whole-graph columns ({theirs['table']} table), "
        f"{report.duration(theirs['making'])} of it for making them"
    )
    what = named(f"{DATA}, p = 0.25, {setup.said(TREES)}", ours)
    return [
        report.at_most("boosters", what, beside, ours["seconds"], theirs["seconds"], goal=goal,
                       peak=_peaks(ours, theirs))
    ]  # fmt: skip


def _on_wide(setup: Setup) -> list[Row]:
    theirs = _train("on_wide_columns", "LightGBM", setup)
    ours = time_fit(DATA, EVERY_WALK_TYPE, TREES, setup)
    width = theirs["n_columns"]
    beside = f"LightGBM on {width:,} ready columns ({theirs['table']} table), binning counted"
    what = named(f"{DATA}, p = 1, {setup.said(TREES)}", ours)
    seconds = ours["seconds"], theirs["seconds"]
    work = theirs["n_examples"] * width * setup.trees(TREES)
    peak = _peaks(ours, theirs)
    return [
        report.at_most("boosters", what, beside, *seconds, goal=3.0, peak=peak),
        report.Row(
            "boosters", f"{what}: time per example, candidate and tree",
            *_per_value(seconds[0], work), beside, *_per_value(seconds[1], work),
            f"{report.figure(seconds[0] / seconds[1])}×",
        ),
    ]  # fmt: skip


def _per_value(seconds: float, work: int) -> tuple[str]:
    return (f"{report.figure(seconds / work * 1e9)} ns",)


def _train(function: str, peer: str, setup: Setup) -> dict[str, Any]:
    return run(
        f"peers.boosters:{function}", peer=peer, data_set=DATA, limit=setup.limit,
        budget=setup.budget, trees=setup.trees(TREES),
    )  # fmt: skip


def _peaks(ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    return f"{report.size(ours['peak_bytes'])} (theirs {report.size(theirs['peak_bytes'])})"
