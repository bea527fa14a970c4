"""Rows of the table: what was measured, beside whom, and whether the goal is met."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import Any

HEADER = ("part", "what", "ours", "beside", "theirs", "ratio", "goal", "met", "peak memory")
NONE = "–"


@dataclass(frozen=True)
class Row:
    """One line of the table; `met` is None where there is no goal or nothing to hold to it."""

    part: str
    what: str
    ours: str = NONE
    beside: str = NONE
    theirs: str = NONE
    ratio: str = NONE
    goal: str = NONE
    met: bool | None = None
    peak: str = NONE


def faster(part: str, what: str, beside: str, ours: float, theirs: float, **more: Any) -> Row:
    """Theirs over ours, in times; `goal` is the least wanted."""
    goal, ratio = more.pop("goal", None), theirs / ours
    return Row(
        part, what, duration(ours), beside, duration(theirs), f"{figure(ratio)}× faster",
        NONE if goal is None else f"at least {goal:,}× faster",
        None if goal is None else ratio >= goal, **more,
    )  # fmt: skip


def at_most(part: str, what: str, beside: str, ours: float, theirs: float, **more: Any) -> Row:
    """Ours over theirs, in times; `goal` is the most allowed."""
    goal, ratio = more.pop("goal", None), ours / theirs
    return Row(
        part, what, duration(ours), beside, duration(theirs), f"{figure(ratio)}×",
        NONE if goal is None else f"at most {goal:g}×",
        None if goal is None else ratio <= goal, **more,
    )  # fmt: skip


def under(part: str, what: str, ours: float, goal: float | None = None, **more: Any) -> Row:
    """A time, and the time it should stay under."""
    if goal is None:
        return Row(part, what, duration(ours), **more)
    return Row(
        part, what, duration(ours), ratio=f"{figure(ours / goal)} of the goal",
        goal=f"under {duration(goal)}", met=ours < goal, **more,
    )  # fmt: skip


def memory(what: str, peak: int, given: int, libraries: int, loading: int) -> Row:
    """Peak memory of the process while training, beside the size of what it was given.

    `libraries` and `loading` are its peaks before: once all was imported, and with the data read.
    """
    limit = 4 * given + 300 * 10**6
    before = f"{size(libraries)} for libraries; loading peaked at {size(loading)}"
    return Row(
        "memory", what, f"{size(peak)} ({before})",
        "the input's own size", size(given), f"{figure(peak / limit)} of the goal",
        f"under 4× + 300 MB = {size(limit)}", peak < limit, size(peak),
    )  # fmt: skip


def not_measured(part: str, what: str, why: str) -> Row:
    """A row that says why it has no number."""
    return Row(part, what, ours=why)


def table(rows: Iterable[Row], judged: bool = True) -> str:
    """All rows in Markdown, those of one part together; unless `judged`, goals are not held up."""
    listed = list(rows)
    parts = list(dict.fromkeys(row.part for row in listed))
    listed.sort(key=lambda row: parts.index(row.part))
    lines = [_line(HEADER), _line("---" for _ in HEADER)]
    for row in listed:
        cells = list(astuple(row))
        cells[HEADER.index("met")] = _verdict(row.met if judged else None)
        lines.append(_line(cells))
    return "\n".join(lines)


def _verdict(met: bool | None) -> str:
    return {True: "yes", False: "**no**", None: NONE}[met]


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(str(cell).replace('|', '/') for cell in cells)} |"


def tally(rows: Iterable[Row]) -> str:
    """How many goals were met, in one line."""
    verdicts = [row.met for row in rows if row.met is not None]
    return f"{sum(verdicts)} of {len(verdicts)} goals met."


def duration(seconds: float) -> str:
    """Three figures and the unit that suits them."""
    if seconds < 1e-3:
        return f"{figure(seconds * 1e6)} µs"
    if seconds < 1.0:
        return f"{figure(seconds * 1e3)} ms"
    return f"{figure(seconds)} s"


def size(n_bytes: float) -> str:
    """Megabytes, with one decimal below ten."""
    megabytes = n_bytes / 1e6
    return f"{megabytes:.1f} MB" if megabytes < 10 else f"{megabytes:,.0f} MB"


def figure(number: float) -> str:
    """Three significant figures, large numbers whole."""
    if number >= 100:
        return f"{number:,.0f}"
    decimals = 1 if number >= 10 else 2
    return f"{number:.{decimals}f}"
