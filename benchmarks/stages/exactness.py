"""What the search by histograms gives away: its training loss beside that of the exact search."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from processes import run
from report import Row

from stages.setup import EVERY_WALK_TYPE, Case, Setup, named

DATA = ("MUTAG", "PTC_MR", "PROTEINS", "ENZYMES", "IMDB-BINARY", "NCI1", "DD")
TREES = 50
MOST = 0.01  # share of the exact search's loss


def cases(setup: Setup) -> Iterator[Case]:
    for data_set in DATA:
        what = f"{data_set}, p = 1, {setup.said(TREES)}: training log loss, max_bins = 255"
        yield Case(f"exact-{data_set}", "exactness", what, partial(_compare, data_set, what, setup))


def _compare(data_set: str, what: str, setup: Setup) -> list[Row]:
    # Every walk type is offered: a random choice of them would differ as soon as two trees do.
    reached = run(
        "ours.fit:losses", data_set=data_set, limit=setup.limit,
        n_estimators=setup.trees(TREES), **EVERY_WALK_TYPE,
    )  # fmt: skip
    histogram, exact = reached["histogram"], reached["exact"]
    excess = histogram / exact - 1.0
    return [
        Row(
            "exactness", named(what, reached), f"{histogram:.5f}", "max_bins = None (every value)",
            f"{exact:.5f}", f"{excess:+.2%}", f"at most {MOST:+.0%}", excess <= MOST,
        )
    ]  # fmt: skip
