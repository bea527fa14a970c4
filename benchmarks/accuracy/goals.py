"""`AutoGraph` against what it should reach: tables of sets, beside the other methods.

All methods are compared on the parts that `auto` was run on, and only those that have all of them.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import stats

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
GOALS_HEADER = (
    "set", "parts", "goal", "`auto`", "goal met", "best peer", "its score", "difference", "", "fit",
)  # fmt: skip
PEERS = (
    "lightgbm", "xgboost", "wl-forest", "wl-svm", "smoothed-linear", "gin", "gcn", "lightgbm-tuned",
    "wl-kernel", "wl-linear", "gin-tuned", "gcn-tuned", "graphsage-tuned",
)  # fmt: skip


def as_markdown(rows: Iterable[Row]) -> str:
    """Goals and the best peer; then every peer; then what became of the recipes."""
    by_set: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_set[row["set"]].append(row)
    methods = {name: collect(by_set[name]) for name in GOALS if name in by_set}
    measured = {name: scores for name, scores in methods.items() if _auto(scores)}
    return "\n\n".join(
        [
            _table(GOALS_HEADER, [_goal_line(*one) for one in measured.items()]),
            _table(("set", "`auto`", *(f"`{name}`" for name in PEERS)),
                   [_peers_line(*one) for one in measured.items()]),
            _table(("set", "recipes by their mean weight", "never in the mean", "no time"),
                   [_recipes_line(*one) for one in measured.items()]),
        ]
    )  # fmt: skip


def _table(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rule = "---|" * len(header)
    return "\n".join(
        [f"| {' | '.join(header)} |", f"|{rule}"] + [f"| {' | '.join(line)} |" for line in lines]
    )


def _auto(methods: Sequence[Scores]) -> Any:
    return next((scores for scores in methods if scores.method == METHOD), None)


def _peers_line(name: str, methods: Sequence[Scores]) -> list[str]:
    auto = _auto(methods)
    metric = auto.rows[0]["metric"]
    means = {scores.method: scores.mean for scores in on_its_parts(auto, methods)}
    cells = [shown(means[peer], metric) if peer in means else "" for peer in PEERS]
    return [name, shown(auto.mean, metric), *cells]


def _recipes_line(name: str, methods: Sequence[Scores]) -> list[str]:
    """Over the parts: those with a weight, those without, those that were left out in brackets."""
    weights: Counter[str] = Counter()
    late: Counter[str] = Counter()
    boards = [json.loads(row["chosen"]) for row in _auto(methods).rows]
    for recipe, standing in (one for board in boards for one in board.items()):
        if isinstance(standing, str):
            late[recipe] += 1
        else:
            weights[recipe] += standing[2] / len(boards)
    used = ", ".join(f"{recipe} {weight:.2f}" for recipe, weight in weights.most_common() if weight)
    idle = ", ".join(recipe for recipe, weight in weights.items() if not weight)
    of_all = f" of {len(boards)}" if len(boards) > 1 else ""
    left = ", ".join(
        recipe + (f" ({n}{of_all})" if n < len(boards) else "") for recipe, n in late.items()
    )
    return [name, used, idle, left]


def _goal_line(name: str, methods: Sequence[Scores]) -> Sequence[str]:
    auto = _auto(methods)
    metric = auto.rows[0]["metric"]
    sign = 1 if HIGHER_IS_BETTER[metric] else -1
    met = "yes" if sign * (auto.mean - GOALS[name]) >= 0 else "no"
    seconds = np.mean([row["fit_seconds"] for row in auto.rows])
    return (
        f"{name}, {metric}", f"{len(auto.rows)}", shown(GOALS[name], metric),
        f"{shown(auto.mean, metric)} ± {shown(_error(auto), metric)}", met,
        *_beside(auto, best_on_its_parts(auto, methods), metric), f"{seconds:.0f} s",
    )  # fmt: skip


def _beside(auto: Scores, peer: Scores | None, metric: str) -> tuple[str, str, str, str]:
    if peer is None:
        return "", "", "", "no peer"
    gap = _difference(auto, peer)
    told = f"{shown(gap.mean, metric, '+')} ± {shown(gap.half_width, metric)}"
    return f"`{peer.method}`", shown(peer.mean, metric), told, _verdict(gap, metric)


def _error(scores: Scores) -> float:
    """Over parts; of a single part, that of an estimate from its examples."""
    return scores.sampling_error if len(scores.rows) == 1 else scores.standard_error


def _difference(one: Scores, other: Scores) -> Difference:
    gap = difference(one, other)
    if len(one.rows) > 1:
        return gap
    error = np.hypot(one.sampling_error, other.sampling_error)
    return Difference(gap.mean, float(stats.norm.ppf(0.975) * error))


def _verdict(gap: Difference, metric: str) -> str:
    if gap.is_tie:
        return "tie"
    return "better" if (gap.mean > 0) == HIGHER_IS_BETTER[metric] else "worse"


def best_on_its_parts(one: Scores, methods: Sequence[Scores]) -> Scores | None:
    """The peer with the best mean on the parts of `one`."""
    sign = 1 if HIGHER_IS_BETTER[one.rows[0]["metric"]] else -1
    peers = on_its_parts(one, methods)
    return max(peers, key=lambda scores: sign * scores.mean, default=None)


def on_its_parts(one: Scores, methods: Sequence[Scores]) -> list[Scores]:
    """The peers that have all parts that `one` has, on these parts alone."""
    peers = [_only(scores, one) for scores in methods if scores.is_peer]
    return [scores for scores in peers if len(scores.rows) == len(one.rows)]


def _only(scores: Scores, other: Scores) -> Scores:
    kept = [row for row in scores.rows if (row["seed"], row["fold"]) in other.by_part]
    return replace(scores, rows=tuple(kept))


def shown(value: float, metric: str, sign: str = "") -> str:
    """Accuracy and ROC AUC in percent."""
    if np.isnan(value):
        return "unknown"
    return f"{value:{sign}.3f}" if metric == "RMSE" else f"{100 * value:{sign}.1f}"
