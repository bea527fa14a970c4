"""docs/results.md and its two pictures, made from the file of results."""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.accuracy.methods import METHODS
from benchmarks.accuracy.methods.tuned import OF_NETWORKS
from benchmarks.accuracy.methods.tuning import BUDGET
from benchmarks.accuracy.results import Row
from benchmarks.paper import against, plots, reading, sections
from benchmarks.paper.published import CITATION
from benchmarks.paper.summary import Measured, hours
from benchmarks.paper.tables import GRAPH_SETS, OURS, TABLES, USUAL, VERTEX_SETS

INTERVALS, TIMES = "figures/results_intervals.svg", "figures/results_times.svg"

PAGE = Path(__file__).with_name("page.md")


def write(rows: Sequence[Row], page: Path) -> None:
    """The page and its pictures beside it; each file whole or not at all."""
    measured = Measured.of(rows)
    tuned = [method for method in _methods_of("graphs", "molhiv") if method not in OURS]
    shown = plots.intervals(measured, (*GRAPH_SETS, *VERTEX_SETS, "molHIV"), (*OURS, *tuned))
    times = plots.time_against_score(measured, TABLES["usual"].sets, (*USUAL, *OURS[:1]))
    _replace(page.parent / INTERVALS, plots.as_svg(shown))
    _replace(page.parent / TIMES, plots.as_svg(times))
    _replace(page, text_of(rows))


def text_of(rows: Sequence[Row]) -> str:
    measured = Measured.of(rows)
    parts = (
        reading.verdicts,
        reading.ablation_words,
        reading.usual_words,
        reading.walk_words,
        reading.explained_words,
    )
    return PAGE.read_text(encoding="utf-8").format(
        citation=CITATION,
        budget=BUDGET,
        network_budget=OF_NETWORKS["budgets"]["graphs"],
        settings_tried=_settings_tried(),
        commands="\n".join(f"python -m benchmarks.paper --table {name}" for name in TABLES),
        commands_run="\n".join(_commands_run(measured)) or "nothing yet",
        graphs=sections.comparison(TABLES["graphs"], measured),
        molhiv=sections.comparison(TABLES["molhiv"], measured),
        vertices=sections.comparison(TABLES["vertices"], measured),
        ablations=sections.ablations(measured),
        other_inputs=sections.other_inputs(measured),
        walk_types=sections.walk_types(measured),
        explained=sections.explained(measured),
        usual=sections.usual(measured),
        reading="\n".join(part(measured) for part in parts),
        against=against.table(measured),
        lower=against.lower(measured),
        odd=reading.odd(),
        not_run=reading.not_run(measured, rows),
        about=_about(rows),
        intervals_file=INTERVALS,
        times_file=TIMES,
    )


def _methods_of(*tables: str) -> list[str]:
    """In the order of the first table, then those that only later ones have."""
    return list(dict.fromkeys(method for table in tables for method in TABLES[table].methods))


def _settings_tried() -> str:
    """Of each method that tunes itself: on graphs, and on vertices where that differs."""
    told = []
    for name in _methods_of("graphs", "molhiv"):
        if not METHODS[name].tunes:
            continue
        recipe = METHODS[name].make(None).recipe
        counts = [len(recipe.candidates(kind)) * max(1, len(recipe.stages))
                  for kind in ("graphs", "vertices")]  # fmt: skip
        both = f"{counts[0]}" if counts[0] == counts[1] else f"{counts[0]} and {counts[1]}"
        told.append(f"`{name}` {both}")
    return ", ".join(told) + " (two numbers: on graphs and on vertices)"


def _commands_run(measured: Measured) -> Iterator[str]:
    """One command for each table that some rows belong to."""
    for name, table in TABLES.items():
        present = measured.pairs_of(table)
        if not present or name == "ablations":  # its rows are those of other tables
            continue
        sets = ",".join(dict.fromkeys(data for data, _ in present))
        methods = ",".join(dict.fromkeys(method for _, method in present))
        asked = f'--only "{sets}"' + (f" --methods {methods}" if table.methods else "")
        yield f"python -m benchmarks.paper --table {name} {asked}"


def _about(rows: Sequence[Row]) -> str:
    """Hours, machines and versions, each with how many rows it has."""
    failed = sum(bool(row["error"]) for row in rows)
    lines = [
        f"- {len(rows)} rows, {failed} of them failed; {hours(rows):.2f} CPU hours of fitting."
    ]
    for field in ("machine", "versions"):
        counts = Counter(row[field] for row in rows)
        lines += [f"- {what}: {count} rows" for what, count in counts.most_common()]
    return "\n".join(lines)


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    Path(name).chmod(0o644)
    Path(name).replace(path)
