"""Two pictures: scores with their intervals, set by set, and time against accuracy."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.accuracy.table import Scores
from benchmarks.paper.published import figures
from benchmarks.paper.summary import Measured, factor

COLUMNS = 3  # of panels
# Where the name of the first, second, ... method stands, so that names of close dots do not meet.
SIDES = (
    ((0, -4), "center", "top"),
    ((-4, 0), "right", "center"),
    ((4, 0), "left", "center"),
    ((0, -4), "center", "top"),
    ((4, 0), "left", "center"),
)
COLOURS = {True: "#b0413e", False: "#4a6fa5"}  # ours, and the others


def as_svg(figure: Any) -> str:
    """The same bytes for the same figure."""
    import matplotlib as mpl

    text = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "graphtrees", "svg.fonttype": "none"}):
        figure.savefig(text, format="svg", metadata={"Date": None}, bbox_inches="tight")
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def intervals(measured: Measured, sets: Sequence[str], methods: Sequence[str]) -> Any:
    """One panel a set: the mean of each method with a 95 % interval; hollow: as published."""
    panels = [name for name in sets if any((name, m) in measured.scores for m in methods)]
    figure = _figure(len(panels))
    for number, name in enumerate(panels):
        axes = _panel(figure, len(panels), number)
        present = [measured.scores[name, m] for m in methods if (name, m) in measured.scores]
        for place, scores in enumerate(reversed(present)):
            _interval(axes, scores, place)
            if (name, scores.method) in figures():
                theirs = figures()[name, scores.method].mean
                axes.plot(theirs, place, "o", mfc="none", color="0.4")
        n_most = max(len(scores.rows) for scores in present)
        labels = [_with_runs(scores, n_most) for scores in reversed(present)]
        axes.set_yticks(range(len(present)), labels, fontsize=7)
        axes.set_ylim(-0.6, len(present) - 0.4)
        axes.set_title(f"{name}, {_unit(present[0])} ({n_most} runs)", fontsize=8)
    figure.subplots_adjust(wspace=0.8, hspace=0.5)
    return figure


def _figure(n_panels: int) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(9, 2.3 * max(1, -(-n_panels // COLUMNS))))


def _panel(figure: Any, n_panels: int, number: int) -> Any:
    axes = figure.add_subplot(-(-n_panels // COLUMNS), COLUMNS, number + 1)
    axes.tick_params(labelsize=7)
    return axes


def _unit(scores: Scores) -> str:
    return scores.rows[0]["metric"] + (", %" if factor(scores) == 100 else "")


def _with_runs(scores: Scores, n_most: int) -> str:
    """The method, with how many runs it has if others have more."""
    n = len(scores.rows)
    return scores.method if n == n_most else f"{scores.method} ({n})"


def _interval(axes: Any, scores: Scores, place: int) -> None:
    n = len(scores.rows)
    width = stats.norm.ppf(0.975) if scores.one_test_part else stats.t.ppf(0.975, max(n - 1, 1))
    half = factor(scores) * width * np.nan_to_num(scores.standard_error)
    colour = COLOURS[not scores.is_peer]
    axes.errorbar(factor(scores) * scores.mean, place, xerr=half, fmt="o", ms=4, color=colour)


def time_against_score(measured: Measured, sets: Sequence[str], methods: Sequence[str]) -> Any:
    """One panel for each set with two methods or more: seconds (logarithmic) and mean score."""
    present = {
        name: [(m, measured.scores[name, m]) for m in methods if (name, m) in measured.scores]
        for name in sets
    }
    panels = [name for name, found in present.items() if len(found) > 1]
    figure = _figure(len(panels))
    for number, name in enumerate(panels):
        axes = _panel(figure, len(panels), number)
        times = [_point(axes, scores, methods.index(m)) for m, scores in present[name]]
        axes.set_xscale("log")
        axes.set_xlim(min(times) / 25, max(times) * 25)
        axes.xaxis.set_minor_formatter("")
        axes.margins(y=0.3)
        axes.set_title(f"{name}, {_unit(present[name][0][1])}", fontsize=8)
        axes.set_xlabel("CPU seconds to train", fontsize=7)
    figure.subplots_adjust(wspace=0.3, hspace=0.7)
    return figure


def _point(axes: Any, scores: Scores, place: int) -> float:
    """A dot with its name beside it; gives its seconds."""
    seconds = float(np.mean([row["fit_cpu_seconds"] for row in scores.rows]))
    at = (seconds, factor(scores) * scores.mean)
    beside, across, along = SIDES[place % len(SIDES)]
    axes.plot(*at, "o", ms=4, color=COLOURS[not scores.is_peer])
    axes.annotate(
        scores.method, at, textcoords="offset points", xytext=beside, fontsize=6,
        ha=across, va=along,
    )  # fmt: skip
    return seconds
