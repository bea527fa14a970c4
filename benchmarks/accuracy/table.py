"""Results as Markdown: mean scores, and differences to the best peer with their intervals.

Differences are paired: the same fold of the same seed. Folds share training examples, so the
variance of their mean is taken as (1/n + n_test/n_train) s² (Nadeau and Bengio, 2003), with n
differences of variance s²; the interval is Student's, 95 %. Where there is one published test part,
seeds say nothing about other test examples: the errors of both scores as estimates from those
examples are added instead, as if independent, which makes the interval rather too wide. A
difference within its interval is a tie.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from benchmarks.accuracy.measuring import HIGHER_IS_BETTER
from benchmarks.accuracy.results import Row

HEADER = "| set | method | score | to the best peer | | fit | runs |"
RULE = "| --- | --- | --- | --- | --- | ---: | ---: |"
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Scores:
    """All finished rows of one method on one set."""

    method: str
    rows: tuple[Row, ...]
    n_failed: int = 0

    @property
    def by_part(self) -> dict[tuple[int, int], float]:
        return {(row["seed"], row["fold"]): row["score"] for row in self.rows}

    @property
    def mean(self) -> float:
        return float(np.mean([row["score"] for row in self.rows]))

    @property
    def is_peer(self) -> bool:
        return self.rows[0]["family"] != "ours"

    @property
    def one_test_part(self) -> bool:
        """One published split; `folds` says how many parts there are."""
        return self.rows[0]["folds"] == 1

    @property
    def sampling_error(self) -> float:
        return float(np.mean([row["sampling_error"] for row in self.rows]))

    @property
    def standard_error(self) -> float:
        """Over runs; with one test part, that of an estimate from its examples."""
        if self.one_test_part:
            return self.sampling_error
        values = [row["score"] for row in self.rows]
        return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan


@dataclass(frozen=True)
class Difference:
    """Mean of one method less another's, and half the width of its interval."""

    mean: float
    half_width: float

    @property
    def is_tie(self) -> bool:
        return not abs(self.mean) > self.half_width  # unknown widths are ties too


def difference(one: Scores, other: Scores) -> Difference:
    """Over the parts that both have."""
    shared = sorted(one.by_part.keys() & other.by_part.keys())
    if not shared:
        return Difference(np.nan, np.nan)
    gaps = np.array([one.by_part[part] - other.by_part[part] for part in shared])
    if one.one_test_part:
        error = np.hypot(one.sampling_error, other.sampling_error)
        return Difference(float(gaps.mean()), float(stats.norm.ppf(0.975) * error))
    ratio = float(np.mean([row["n_test"] / row["n_train"] for row in one.rows]))
    return Difference(float(gaps.mean()), corrected_half_width(gaps, ratio))


def corrected_half_width(gaps: np.ndarray, test_to_train: float) -> float:
    """Half the interval of a mean over resampled parts (Nadeau and Bengio, 2003)."""
    n = len(gaps)
    if n < 2 or ((gaps == gaps[0]).all() and gaps[0] != 0):
        return np.nan  # one difference, however often, tells nothing about its spread
    error = np.sqrt((1 / n + test_to_train) * np.var(gaps, ddof=1))
    return float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1) * error)


def best_peer(methods: Sequence[Scores], higher_is_better: bool) -> Scores | None:
    """Of the peers with most finished runs, the one with the best mean."""
    peers = [scores for scores in methods if scores.is_peer]
    most = max((len(scores.rows) for scores in peers), default=0)
    complete = [scores for scores in peers if len(scores.rows) == most]
    sign = 1 if higher_is_better else -1
    return max(complete, key=lambda scores: sign * scores.mean, default=None)


def as_markdown(rows: Iterable[Row]) -> str:
    """One line for each set and method; then the errors, if there were any."""
    rows = list(rows)
    by_set: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in rows:
        by_set[row["set"], row["folds"]].append(row)
    lines = [HEADER, RULE]
    for (name, n_folds), of_set in by_set.items():
        lines += _lines_of_set(_label(name, n_folds, of_set), of_set)
    failed = [row for row in rows if row["error"]]
    if failed:
        lines += ["", "Failed:", "", *sorted({_failure(row) for row in failed})]
    return "\n".join(lines)


def _label(name: str, n_folds: int, rows: Sequence[Row]) -> str:
    metric = next((row["metric"] for row in rows if row["metric"]), "")
    parts = "one split" if n_folds == 1 else f"{n_folds} parts"
    return f"{name}, {metric}, {parts}" if metric else f"{name}, {parts}"


def _lines_of_set(label: str, rows: Sequence[Row]) -> list[str]:
    methods = collect(rows)
    if not methods:
        return []
    higher = HIGHER_IS_BETTER[methods[0].rows[0]["metric"]]
    methods.sort(key=lambda scores: -scores.mean if higher else scores.mean)
    peer = best_peer(methods, higher)
    return [_line(label, scores, peer, higher) for scores in methods]


def collect(rows: Sequence[Row]) -> list[Scores]:
    """The finished rows of each method."""
    finished: dict[str, list[Row]] = defaultdict(list)
    failed: dict[str, int] = defaultdict(int)
    for row in rows:
        if row["error"] or row["score"] is None:
            failed[row["method"]] += 1
        else:
            finished[row["method"]].append(row)
    return [Scores(name, tuple(done), failed[name]) for name, done in finished.items()]


def _line(label: str, scores: Scores, peer: Scores | None, higher: bool) -> str:
    name = scores.method if scores.is_peer else f"**{scores.method}**"
    gap, verdict = _compared(scores, peer, higher)
    runs = f"{len(scores.rows)}" + (f", {scores.n_failed} failed" if scores.n_failed else "")
    seconds = np.mean([row["fit_seconds"] for row in scores.rows])
    score = f"{scores.mean:.4f} ± {_number(scores.standard_error)}"
    cells = (label, name, score, gap, verdict, f"{seconds:.2f} s", runs)
    return "| " + " | ".join(cells) + " |"


def _compared(scores: Scores, peer: Scores | None, higher: bool) -> tuple[str, str]:
    if peer is None:
        return "", "no peer"
    if scores is peer:
        return "", "best peer"
    gap = difference(scores, peer)
    if np.isnan(gap.mean):
        return "", "no common folds"
    verdict = "tie" if gap.is_tie else "better" if (gap.mean > 0) == higher else "worse"
    return f"{gap.mean:+.4f} ± {_number(gap.half_width)}", verdict


def _number(value: float) -> str:
    return "unknown" if np.isnan(value) else f"{value:.4f}"


def _failure(row: Row) -> str:
    return f"- {row['set']}, {row['method']}: {row['error']}"
