"""Prediction on one core: a whole data set, and one graph alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import report
from processes import run
from report import Row

from stages.setup import PUBLISHED, Case, Setup, named

DATA, TREES = "NCI1", 100
GRAPHS_PER_SECOND, ALONE = 12_000, 1e-3


def cases(setup: Setup) -> Iterator[Case]:
    what = f"{DATA}, {setup.said(TREES)}, one thread"
    yield Case("predict", "prediction", what, partial(_predict, what, setup))


def _predict(what: str, setup: Setup) -> list[Row]:
    measured = run(
        "ours.predict:predict", data_set=DATA, limit=setup.limit, budget=setup.budget,
        n_estimators=setup.trees(TREES), **PUBLISHED,
    )  # fmt: skip
    what = named(what, measured)
    rate = measured["n_examples"] / measured["seconds"]
    return [
        Row(
            "prediction", f"{what}, {measured['n_examples']:,} graphs at once",
            f"{report.duration(measured['seconds'])}: {rate:,.0f} graphs per second and core",
            ratio=f"{report.figure(rate / GRAPHS_PER_SECOND)} of the goal",
            goal=f"at least {GRAPHS_PER_SECOND:,} graphs per second and core",
            met=rate >= GRAPHS_PER_SECOND, peak=report.size(measured["peak_bytes"]),
        ),
        report.under(
            "prediction", f"{what}, one graph alone (median of {measured['n_alone']})",
            measured["seconds_alone"], ALONE,
        ),
    ]  # fmt: skip
