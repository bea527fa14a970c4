"""What the rows say: means, spreads, verdicts, and what is still to be run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.accuracy.measuring import HIGHER_IS_BETTER, Task
from benchmarks.accuracy.methods import METHODS
from benchmarks.accuracy.problems import data_set
from benchmarks.accuracy.results import Row, key
from benchmarks.accuracy.table import Scores, collect, difference
from benchmarks.paper.explanations import tasks_of
from benchmarks.paper.tables import Table


@dataclass(frozen=True)
class Measured:
    """All that was measured, by set and method."""

    scores: dict[tuple[str, str], Scores]

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Measured:
        by_set: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            by_set[row["set"]].append(row)
        return cls({
            (name, scores.method): scores
            for name, of_set in by_set.items()
            for scores in collect(of_set)
        })  # fmt: skip

    def pairs_of(self, table: Table) -> list[tuple[str, str]]:
        """Sets and methods with rows, in the order of the table."""
        methods = table.methods or explained_methods(table.sets)
        every = [(name, method) for name in table.sets for method in methods]
        return [pair for pair in every if pair in self.scores]

    def of_table(self, table: Table) -> list[tuple[str, Scores]]:
        return [(pair[0], self.scores[pair]) for pair in self.pairs_of(table)]

    def get(self, name: str, method: str) -> Scores | None:
        return self.scores.get((name, method))


def explained_methods(sets: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(task.method for task in tasks_of(sets, [0])))


def factor(scores: Scores) -> float:
    """Shares are shown in percent, errors and ratios as they are."""
    return 100.0 if scores.rows[0]["metric"] in ("accuracy", "ROC AUC") else 1.0


def shown(scores: Scores | None) -> str:
    """Mean ± standard deviation over the runs."""
    if scores is None:
        return "not run"
    values = factor(scores) * np.array([row["score"] for row in scores.rows])
    digits = 1 if factor(scores) == 100 else 2
    if len(values) == 1:
        return f"{values[0]:.{digits}f}"
    return f"{values.mean():.{digits}f} ± {values.std(ddof=1):.{digits}f}"


def compared(one: Scores | None, other: Scores | None) -> tuple[str, str]:
    """The first less the second, with half its interval, and the verdict on the first."""
    if one is None or other is None:
        return "", ""
    gap = difference(one, other)
    if np.isnan(gap.mean):
        return "", "no common parts"
    scale, digits = factor(one), 1 if factor(one) == 100 else 2
    if np.isnan(gap.half_width):
        return f"{scale * gap.mean:+.{digits}f}", "too few runs"
    higher = HIGHER_IS_BETTER[one.rows[0]["metric"]]
    verdict = "tie" if gap.is_tie else "better" if (gap.mean > 0) == higher else "worse"
    return f"{scale * gap.mean:+.{digits}f} ± {scale * gap.half_width:.{digits}f}", verdict


def n_runs(table: Table, name: str) -> int:
    """How many rows a method has on a set when it is complete."""
    n_splits = data_set(name).n_splits
    if n_splits == 1:
        return table.seeds
    return min(n_splits or table.n_folds, table.n_folds)


def left_over(table: Table, measured: Measured) -> dict[str, list[str]]:
    """What lacks runs, and on which sets: a method, with how many it has if any, or everything."""
    left: dict[str, list[str]] = defaultdict(list)
    for name in table.sets:
        if not any(pair[0] == name for pair in measured.pairs_of(table)):
            left["all methods"].append(name)
            continue
        for method in table.methods:
            lacking = _lacking(table, measured, name, method)
            if lacking is not None:
                left[f"{method}{lacking}"].append(name)
    return dict(left)


def _lacking(table: Table, measured: Measured, name: str, method: str) -> str | None:
    """How many runs there are of how many; empty for none, None if nothing is lacking."""
    data = data_set(name)
    if not METHODS[method].applies(data.kind, data.classifies):
        return None
    scores, wanted = measured.get(name, method), n_runs(table, name)
    n_done = len(scores.rows) if scores else 0
    if n_done >= wanted:
        return None
    return f" ({n_done} of {wanted} done)" if n_done else ""


def explanations_left(table: Table, rows: Sequence[Row]) -> list[Task]:
    done = {key(row) for row in rows if not row["error"]}
    return [task for task in tasks_of(table.sets, range(table.seeds)) if task not in done]


def hours(rows: Iterable[Row]) -> float:
    """CPU time of fitting and tuning."""
    return sum(row["fit_cpu_seconds"] or 0 for row in rows) / 3600
