"""The page in words: who is ahead where, what is odd in the published figures, what was not run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.accuracy.methods.tuned import NETWORKS, WALK_TYPES
from benchmarks.accuracy.metrics import HIGHER_IS_BETTER
from benchmarks.accuracy.results import Row
from benchmarks.accuracy.table import Scores, best_peer, difference
from benchmarks.paper.published import N_GRAPHS, figures, sampling_spread, too_even
from benchmarks.paper.summary import (
    Measured,
    compared,
    explanations_left,
    left_over,
    shown,
)
from benchmarks.paper.tables import TABLES, Table

ODD = Path(__file__).with_name("odd.md")
FAMILIES = ("graphs", "molhiv", "vertices")


def verdicts(measured: Measured) -> str:
    """The full trees against the best of the other methods on each set."""
    tables = [TABLES[name] for name in FAMILIES]
    return _against_best(measured, "treeg", tables, "the best other method that was run")


def usual_words(measured: Measured) -> str:
    """Boosting at defaults against the others at theirs."""
    tables = [TABLES["usual"]]
    return _against_best(measured, "boosting-stopped", tables, "the best peer at usual settings")


def _against_best(measured: Measured, ours: str, tables: Sequence[Table], whom: str) -> str:
    said: dict[str, list[str]] = {"better": [], "tie": [], "worse": []}
    for table, name in [(each, name) for each in tables for name in each.sets]:
        full = measured.get(name, ours)
        peers = [scores for each, scores in measured.of_table(table) if each == name]
        if full is None:
            continue
        peer = best_peer(peers, HIGHER_IS_BETTER[full.rows[0]["metric"]])
        if peer is None:
            continue
        gap, verdict = compared(full, peer)
        ahead = _ahead(full, peer, peers)
        said.get(verdict, []).append(f"{name} ({gap} to {peer.method}{ahead})")
    words = {"better": "Wins", "tie": "Ties", "worse": "Losses"}
    return "\n".join(
        f"- **{words[verdict]}** of `{ours}` against {whom}: {'; '.join(found) or 'none'}."
        for verdict, found in said.items()
    )


def _ahead(full: Scores, best: Scores, methods: Sequence[Scores]) -> str:
    """Peers with fewer runs than the best one that are better than ours on those they have."""
    sign = 1 if HIGHER_IS_BETTER[full.rows[0]["metric"]] else -1
    found = [
        f"{peer.method} ({len(peer.rows)})"
        for peer in methods
        if peer.is_peer and len(peer.rows) < len(best.rows)
        and sign * difference(full, peer).mean < 0
    ]  # fmt: skip
    return f"; ahead on the few runs that are done: {', '.join(found)}" if found else ""


def walk_words(measured: Measured) -> str:
    """Whether the walk type that a task counts is the best one alone."""
    right, run = [], []
    for name in TABLES["walk-types"].sets:
        alone = {kind: measured.get(name, f"only-{kind}") for kind in WALK_TYPES}
        known = {kind: scores.mean for kind, scores in alone.items() if scores}
        if len(known) < len(WALK_TYPES):
            continue
        run.append(name)
        if min(known, key=lambda kind: known[kind]) == name.removesuffix("-walks"):
            right.append(f"`{name.removesuffix('-walks')}`")
    return (
        f"- **Walk types**: the type that is counted has the lowest error alone in {len(right)} "
        f"of the {len(run)} tasks that were run with every type ({', '.join(right) or 'none'})."
    )


def explained_words(measured: Measured) -> str:
    """Which vertices are more important than the mean, by two standard errors over seeds."""
    more, not_more = [], []
    for name, scores in measured.of_table(TABLES["explanations"]):
        if scores.rows[0]["metric"] == "accuracy" or len(scores.rows) < 2:
            continue
        values = [row["score"] for row in scores.rows]
        error = np.std(values, ddof=1) / np.sqrt(len(values))
        line = (
            f"{scores.method.removeprefix('explained: ')} of {name} ({np.mean(values):.1f} times)"
        )
        (more if np.mean(values) - 2 * error > 1 else not_more).append(line)
    return (
        f"- **Explanations** point at {', '.join(more) or 'nothing that was measured'}; "
        f"they do not at {', '.join(not_more) or 'none that was measured'}."
    )


def odd() -> str:
    """What does not fit together in the published tables, with their own figures."""
    theirs, even = figures(), too_even()
    trees = theirs["PTC_MR", "treeg"]
    networks = [theirs["PROTEINS", f"{kind.lower()}-tuned"].mean for kind in NETWORKS]
    return (
        ODD.read_text(encoding="utf-8")
        .format(
            ptc_mean=f"{trees.mean:g}",
            ptc_spread=f"{trees.spread:g}",
            ptc_sampling=f"{sampling_spread('PTC_MR', trees):.1f}",
            n_folded=sum(name in N_GRAPHS for name, _ in theirs),
            n_even=len(even),
            margin=f"{theirs['PROTEINS', 'treeg'].mean - max(networks):.1f}",
            county=theirs["County", "gin-tuned"],
        )
        .strip()
    )


def not_run(measured: Measured, rows: Sequence[Row]) -> str:
    """By table and method, the sets without all of their runs."""
    lines = []
    for name, table in TABLES.items():
        if name == "ablations":
            continue  # its rows are those of the other tables
        if name == "explanations":
            left = explanations_left(table, rows)
            lines += [f"- `{name}`: {len(left)} measurements"] if left else []
            continue
        lines += [
            f"- `{name}`, {what}: {', '.join(sets)}"
            for what, sets in _by_sets(left_over(table, measured)).items()
        ]
    return "\n".join(lines) or "Everything was run."


def _by_sets(left: dict[str, list[str]]) -> dict[str, list[str]]:
    """Methods without a run on the same sets together; those with some have a line each."""
    together: dict[tuple[str, ...], list[str]] = {}
    for what, sets in left.items():
        if "done" not in what:
            together.setdefault(tuple(sets), []).append(what)
    absent = {", ".join(whats): list(sets) for sets, whats in together.items()}
    return absent | {what: sets for what, sets in left.items() if "done" in what}


def ablation_words(measured: Measured) -> str:
    """How often subsets helped."""
    found = []
    for name in TABLES["ablations"].sets:
        full, flat = measured.get(name, "treeg"), measured.get(name, "treeg-a0")
        if full and flat:
            found.append(f"{name} {compared(full, flat)[1]} ({shown(full)} and {shown(flat)})")
    return f"- **Subsets** (`treeg` against `treeg-a0`): {'; '.join(found) or 'not run yet'}."
