"""The tables of the page as Markdown, every figure from the rows or from published.csv."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from benchmarks.accuracy.methods.tuned import WALK_TYPES
from benchmarks.accuracy.table import Scores
from benchmarks.paper.explanations import MEASURES
from benchmarks.paper.published import figures
from benchmarks.paper.summary import Measured, compared, n_runs, shown
from benchmarks.paper.tables import OTHER_INPUTS, OURS, TABLES, Table


def table_of(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table of Markdown; without lines a sentence."""
    body = [f"| {' | '.join(cells)} |" for cells in lines]
    if not body:
        return "Nothing of this table was run yet."
    rule = f"| {' | '.join('---' for _ in header)} |"
    return "\n".join([f"| {' | '.join(header)} |", rule, *body])


def comparison(table: Table, measured: Measured) -> str:
    """Every method that was run, beside the published figure and against the full trees."""
    header = ("set", "method", "measured here", "runs", "published by the authors",
              "`treeg` less this", "`treeg` is", "tune and fit, CPU")  # fmt: skip
    lines = []
    for name, scores in measured.of_table(table):
        full = measured.get(name, "treeg")
        gap, verdict = compared(full, scores) if scores.method != "treeg" else ("", "")
        lines.append((
            name, named(scores), shown(scores), f"{len(scores.rows)} of {n_runs(table, name)}",
            published(name, scores.method), gap, verdict, seconds(scores),
        ))  # fmt: skip
    return table_of(header, lines)


def named(scores: Scores) -> str:
    return scores.method if scores.is_peer else f"**{scores.method}**"


def published(name: str, method: str) -> str:
    figure = figures().get((name, method))
    return f"{figure} ({figure.table})" if figure else "-"


def seconds(scores: Scores) -> str:
    """CPU time of `fit`: the clock of a busy machine says little."""
    mean = np.mean([row["fit_cpu_seconds"] for row in scores.rows])
    return f"{mean:.2f} s" if mean < 10 else f"{mean:.0f} s"


def ablations(measured: Measured) -> str:
    """What subsets and walks add, set by set."""
    header = ("set", "`treeg`", "`treeg-a0`", "`treeg-d0-a0`", "subsets add", "",
              "walks and subsets add", "", "published: all / a = 0 / d = 0, a = 0")  # fmt: skip
    lines = []
    for name in TABLES["ablations"].sets:
        full, flat, plain = (measured.get(name, method) for method in OURS)
        if full is None or (flat is None and plain is None):
            continue
        theirs = [figures().get((name, method)) for method in OURS]
        lines.append((
            name, shown(full), shown(flat), shown(plain), *compared(full, flat),
            *compared(full, plain), " / ".join(f"{f.mean:g}" if f else "-" for f in theirs),
        ))  # fmt: skip
    return table_of(header, lines)


def other_inputs(measured: Measured) -> str:
    """A set as the paper describes it beside the same with another input."""
    header = ("set", "method", "as described", "trained on", "other input", "trained on",
              "published by the authors")  # fmt: skip
    lines = []
    for name, scores in measured.of_table(TABLES["other-inputs"]):
        first = OTHER_INPUTS[name]
        plain = measured.get(first, scores.method)
        lines.append((
            name, named(scores), shown(plain), _n_train(plain), shown(scores), _n_train(scores),
            published(first, scores.method),
        ))  # fmt: skip
    return table_of(header, lines)


def _n_train(scores: Scores | None) -> str:
    return f"{scores.rows[0]['n_train']:,}" if scores else "-"


def walk_types(measured: Measured) -> str:
    """Each walk type alone, and the three others than the best one together."""
    header = ("walks to count", *(f"only `{kind}`" for kind in WALK_TYPES), "best alone",
              "the other three", "best alone is")  # fmt: skip
    lines = []
    for name in TABLES["walk-types"].sets:
        alone = {kind: measured.get(name, f"only-{kind}") for kind in WALK_TYPES}
        known = {kind: scores for kind, scores in alone.items() if scores}
        if not known:
            continue
        best = min(known, key=lambda kind: known[kind].mean)
        others = measured.get(name, f"without-{best}")
        task = f"`{name.removesuffix('-walks')}`"
        lines.append((
            task, *(shown(scores) for scores in alone.values()), f"`{best}`", shown(others),
            compared(known[best], others)[1],
        ))  # fmt: skip
    return table_of(header, lines)


def explained(measured: Measured) -> str:
    """Accuracy, and how much more important the vertices that matter are than the others."""
    header = ("set", "measure", "mean ± standard deviation over seeds", "seeds")
    lines = []
    for name in TABLES["explanations"].sets:
        for measure in ("accuracy", *MEASURES[name]):
            scores = measured.get(name, f"explained: {measure}")
            if scores:
                what = "accuracy, %" if measure == "accuracy" else f"importance of {measure}"
                lines.append((name, what, shown(scores), str(len(scores.rows))))
    return table_of(header, lines)


def usual(measured: Measured) -> str:
    """Time to train beside accuracy."""
    table = TABLES["usual"]
    header = ("set", "method", "score", "fit, CPU", "`boosting-stopped` less this",
              "`boosting-stopped` is", "runs")  # fmt: skip
    lines = []
    for name, scores in measured.of_table(table):
        ours = measured.get(name, "boosting-stopped")
        same = scores.method == "boosting-stopped"
        gap, verdict = ("", "") if same else compared(ours, scores)
        runs = f"{len(scores.rows)} of {n_runs(table, name)}"
        lines.append((name, named(scores), shown(scores), seconds(scores), gap, verdict, runs))
    return table_of(header, lines)
