"""`AutoGraph` against what it should reach: a line for each set, beside the best other method."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from benchmarks.accuracy.metrics import HIGHER_IS_BETTER
from benchmarks.accuracy.results import Row
from benchmarks.accuracy.table import Difference, Scores, collect, difference

METHOD = "auto"
GOALS = {
    "NCI1": 0.86, "Mutagenicity": 0.845, "PROTEINS": 0.77, "ENZYMES": 0.72, "IMDB-BINARY": 0.755,
    "IMDB-MULTI": 0.505, "MUTAG": 0.885, "PTC_MR": 0.655, "DD": 0.80, "molHIV": 0.80,
    "Cora": 0.825, "Citeseer": 0.705, "Pubmed": 0.79, "Cornell": 0.80, "Actor": 0.365,
    "tolokers": 0.865, "County": 1.08,
}  # fmt: skip
HEADER = "| set | parts | goal | `auto` | goal met | best peer | its score | difference | | fit |"
RULE = "| --- | ---: | ---: | --- | --- | --- | ---: | --- | --- | ---: |"


def as_markdown(rows: Iterable[Row]) -> str:
    """One line for each set that has a goal and rows of `auto`."""
    by_set: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_set[row["set"]].append(row)
    lines = [_line(name, by_set[name]) for name in GOALS if name in by_set]
    return "\n".join([HEADER, RULE, *(line for line in lines if line)])


def _line(name: str, rows: Sequence[Row]) -> str:
    methods = collect(rows)
    auto = next((scores for scores in methods if scores.method == METHOD), None)
    if auto is None:
        return ""
    metric = auto.rows[0]["metric"]
    sign = 1 if HIGHER_IS_BETTER[metric] else -1
    met = "yes" if sign * (auto.mean - GOALS[name]) >= 0 else "no"
    seconds = np.mean([row["fit_seconds"] for row in auto.rows])
    cells = (
        f"{name}, {metric}", f"{len(auto.rows)}", shown(GOALS[name], metric),
        f"{shown(auto.mean, metric)} ± {shown(auto.standard_error, metric)}", met,
        *_beside(auto, best_on_its_parts(auto, methods), metric), f"{seconds:.0f} s",
    )  # fmt: skip
    return "| " + " | ".join(cells) + " |"


def _beside(auto: Scores, peer: Scores | None, metric: str) -> tuple[str, str, str, str]:
    if peer is None:
        return "", "", "", "no peer"
    gap = difference(auto, peer)
    told = f"{shown(gap.mean, metric, '+')} ± {shown(gap.half_width, metric)}"
    return f"`{peer.method}`", shown(peer.mean, metric), told, _verdict(gap, metric)


def _verdict(gap: Difference, metric: str) -> str:
    if gap.is_tie:
        return "tie"
    return "better" if (gap.mean > 0) == HIGHER_IS_BETTER[metric] else "worse"


def best_on_its_parts(one: Scores, methods: Sequence[Scores]) -> Scores | None:
    """Of the peers that have all parts that `one` has, the one with the best mean on them."""
    peers = [_only(scores, one) for scores in methods if scores.is_peer]
    complete = [scores for scores in peers if len(scores.rows) == len(one.rows)]
    sign = 1 if HIGHER_IS_BETTER[one.rows[0]["metric"]] else -1
    return max(complete, key=lambda scores: sign * scores.mean, default=None)


def _only(scores: Scores, other: Scores) -> Scores:
    """The rows on parts that another method has too."""
    kept = [row for row in scores.rows if (row["seed"], row["fold"]) in other.by_part]
    return replace(scores, rows=tuple(kept))


def shown(value: float, metric: str, sign: str = "") -> str:
    """Accuracy and ROC AUC in percent."""
    if np.isnan(value):
        return "unknown"
    return f"{value:{sign}.3f}" if metric == "RMSE" else f"{100 * value:{sign}.1f}"
