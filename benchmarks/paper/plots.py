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
    from matplotlib.figure import Figure

    panels = [name for name in sets if any((name, m) in measured.scores for m in methods)]
    figure = Figure(figsize=(9, 2.3 * max(1, -(-len(panels) // 3))))
    for number, name in enumerate(panels):
        axes = figure.add_subplot(-(-len(panels) // 3), 3, number + 1)
        present = [m for m in methods if (name, m) in measured.scores]
        for place, method in enumerate(reversed(present)):
            _interval(axes, measured.scores[name, method], place)
            if (name, method) in figures():
                axes.plot(figures()[name, method].mean, place, "o", mfc="none", color="0.4")
        axes.set_yticks(range(len(present)), list(reversed(present)), fontsize=7)
        n_parts = max(len(measured.scores[name, method].rows) for method in present)
        axes.set_title(f"{name} ({n_parts} runs)", fontsize=8)
        axes.tick_params(axis="x", labelsize=7)
    figure.subplots_adjust(wspace=0.75, hspace=0.5)
    return figure


def _interval(axes: Any, scores: Scores, place: int) -> None:
    n = len(scores.rows)
    width = stats.norm.ppf(0.975) if scores.one_test_part else stats.t.ppf(0.975, max(n - 1, 1))
    half = factor(scores) * width * np.nan_to_num(scores.standard_error)
    colour = COLOURS[not scores.is_peer]
    axes.errorbar(factor(scores) * scores.mean, place, xerr=half, fmt="o", ms=4, color=colour)


def time_against_score(measured: Measured, sets: Sequence[str], methods: Sequence[str]) -> Any:
    """One panel a set: seconds to train (logarithmic) and the mean score."""
    from matplotlib.figure import Figure

    panels = [name for name in sets if any((name, m) in measured.scores for m in methods)]
    figure = Figure(figsize=(9, 2.3 * max(1, -(-len(panels) // 3))))
    for number, name in enumerate(panels):
        axes = figure.add_subplot(-(-len(panels) // 3), 3, number + 1)
        for place, method in enumerate(methods):
            scores = measured.get(name, method)
            if scores is None:
                continue
            beside = (4, -8 if place % 2 else 3)  # neighbours on different sides of their points
            seconds = float(np.mean([row["fit_cpu_seconds"] for row in scores.rows]))
            at = (seconds, factor(scores) * scores.mean)
            axes.plot(*at, "o", ms=4, color=COLOURS[not scores.is_peer])
            axes.annotate(method, at, textcoords="offset points", xytext=beside, fontsize=6)
        axes.set_xscale("log")
        axes.margins(x=0.35, y=0.25)
        axes.set_title(name, fontsize=8)
        axes.tick_params(labelsize=7)
        axes.set_xlabel("CPU seconds to train", fontsize=7)
    figure.subplots_adjust(wspace=0.3, hspace=0.7)
    return figure
