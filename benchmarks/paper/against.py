"""Our figures beside the published ones: who is above, who is below, and what is known of why."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.accuracy.methods.tuned import OF_NETWORKS
from benchmarks.accuracy.metrics import HIGHER_IS_BETTER
from benchmarks.accuracy.table import Scores
from benchmarks.paper.published import BEST_BY_SIZE, figures
from benchmarks.paper.sections import table_of
from benchmarks.paper.summary import Measured, factor, shown
from benchmarks.paper.tables import TABLES

OTHERS = ("wl-kernel", "gcn-tuned", "gin-tuned")
LOWER = Path(__file__).with_name("lower.md")


def table(measured: Measured) -> str:
    """One line a method: where our mean is better, within one spread of our runs, or worse."""
    header = ("method", "better than published", "within one standard deviation",
              "worse than published")  # fmt: skip
    methods = dict.fromkeys((*TABLES["graphs"].methods, *TABLES["vertices"].methods))
    lines = [(f"`{method}`", *_by_side(measured, method)) for method in methods]
    return table_of(header, [line for line in lines if any(line[1:])])


def _by_side(measured: Measured, method: str) -> tuple[str, str, str]:
    sides: dict[int, list[str]] = {1: [], 0: [], -1: []}
    for (name, each), figure in figures().items():
        scores = measured.get(name, each)
        if each != method or scores is None or len(scores.rows) < 2:
            continue
        gap = factor(scores) * scores.mean - figure.mean
        sign = 1 if HIGHER_IS_BETTER[scores.rows[0]["metric"]] else -1
        side = 0 if abs(gap) <= spread(scores) else int(np.sign(sign * gap))
        sides[side].append(f"{name} ({gap:+.{1 if factor(scores) == 100 else 2}f})")
    return ", ".join(sides[1]), ", ".join(sides[0]), ", ".join(sides[-1])


def spread(scores: Scores) -> float:
    """Over parts; with one test part, the sampling error of its examples."""
    if scores.one_test_part:
        return factor(scores) * scores.sampling_error
    return float(factor(scores) * np.std([row["score"] for row in scores.rows], ddof=1))


def lower(measured: Measured) -> str:
    """Where ours is lower than published: what is known of the cause, with our figures."""

    def ours(name: str, method: str = "treeg") -> str:
        return shown(measured.get(name, method))

    def published(name: str, method: str = "treeg") -> str:
        return f"{figures()[name, method].mean:g}"

    hiv = measured.get("molHIV", "treeg")
    return (
        LOWER.read_text(encoding="utf-8")
        .format(
            binary_by_size=BEST_BY_SIZE["IMDB-BINARY"],
            multi_by_size=BEST_BY_SIZE["IMDB-MULTI"],
            binary_plain=published("IMDB-BINARY", "treeg-d0-a0"),
            multi_plain=published("IMDB-MULTI", "treeg-d0-a0"),
            binary_degrees_plain=ours("IMDB-BINARY-degrees", "treeg-d0-a0"),
            multi_degrees_plain=ours("IMDB-MULTI-degrees", "treeg-d0-a0"),
            multi_degrees=ours("IMDB-MULTI-degrees"),
            multi=ours("IMDB-MULTI"),
            multi_published=published("IMDB-MULTI"),
            multi_others=", ".join(ours("IMDB-MULTI", each) for each in OTHERS),
            multi_others_published=", ".join(str(figures()["IMDB-MULTI", each]) for each in OTHERS),
            cora_plain=published("Cora", "treeg-d0-a0"),
            cora_gcn=published("Cora", "gcn-tuned"),
            cora_plain_ours=ours("Cora", "treeg-d0-a0"),
            cora=ours("Cora"),
            cora_all=ours("Cora-all-labels"),
            cora_plain_all=ours("Cora-all-labels", "treeg-d0-a0"),
            cora_published=published("Cora"),
            citeseer=ours("Citeseer"),
            citeseer_all=ours("Citeseer-all-labels"),
            citeseer_published=published("Citeseer"),
            hiv_seeds=len(hiv.rows) if hiv else 0,
            hiv_sampling=f"{spread(hiv):.1f}" if hiv else "?",
            hiv_published_spread=f"{figures()['molHIV', 'treeg'].spread:g}",
            hiv_chosen=_chosen(hiv),
            hiv_published=published("molHIV"),
            hiv_numbers_plain=ours("molHIV-numbers", "treeg-d0-a0"),
            hiv_plain=ours("molHIV", "treeg-d0-a0"),
            hiv_plain_published=published("molHIV", "treeg-d0-a0"),
            hiv_gain=_gain(measured, "molHIV"),
            hiv_gain_published=f"{_published_gain('molHIV'):.1f}",
            actor=ours("Actor"),
            actor_plain=ours("Actor", "treeg-d0-a0"),
            actor_published=published("Actor"),
            actor_plain_published=published("Actor", "treeg-d0-a0"),
            actor_chosen=_chosen(measured.get("Actor", "treeg"), "splits"),
            network_budget=OF_NETWORKS["budgets"]["graphs"],
            county_gcn=ours("County", "gcn-tuned"),
            county_gcn_published=published("County", "gcn-tuned"),
            county_gin=ours("County", "gin-tuned"),
            county_gin_published=published("County", "gin-tuned"),
        )
        .strip()
    )


def _gain(measured: Measured, name: str) -> str:
    """What walks and subsets add, in points."""
    full, plain = measured.get(name, "treeg"), measured.get(name, "treeg-d0-a0")
    return f"{factor(full) * (full.mean - plain.mean):.1f}" if full and plain else "not measured"


def _published_gain(name: str) -> float:
    return figures()[name, "treeg"].mean - figures()[name, "treeg-d0-a0"].mean


def _chosen(scores: Scores | None, runs: str = "seeds") -> str:
    """The settings that runs chose, each with how many did."""
    counts = Counter(row["chosen"] for row in scores.rows) if scores else Counter()
    return "; ".join(
        ", ".join(f"`{name}={value}`" for name, value in json.loads(chosen).items())
        + f" ({count} of {counts.total()} {runs})"
        for chosen, count in counts.most_common()
    )
