"""Measure everything in one go and print one Markdown table.

python benchmarks/speed.py                      all of it: minutes
python benchmarks/speed.py --only NCI1,GIN      stages or cases by name
python benchmarks/speed.py --quick              tiny settings: does it all run?
python benchmarks/speed.py --out speed.md       the table into a file, too
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import machine
import report
from processes import THREADS, NotMeasured, run
from stages import STAGES, Case, Setup

# Between them these reach every kernel: sparse and dense features, graphs and vertices.
COMPILED_ON = ("MUTAG", "PROTEINS", "NCI1", "DD", "ogbg-molhiv", "Cora", "Tolokers", "Flights")


def main() -> None:
    asked = _arguments()
    setup = Setup(quick=asked.quick)
    chosen = list(_chosen(setup, asked.only))
    header = _header(setup)
    _compile_first()
    rows = [row for case in chosen for row in _measure(case)]
    text = "\n".join([*header, "", report.table(rows, judged=not setup.quick), ""])
    if not setup.quick:
        text += f"\n{report.tally(rows)}\n"
    print(text)
    if asked.out:
        asked.out.write_text(text, encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="tiny settings; judges nothing")
    parser.add_argument("--only", help="names of stages or cases, with commas between them")
    parser.add_argument("--out", type=Path, help="also write the table to this file")
    return parser.parse_args()


def _chosen(setup: Setup, only: str | None) -> Iterator[Case]:
    """The cases whose own name or stage was asked for; a name that fits none is an error."""
    listed = [(stage, case) for stage, cases in STAGES.items() for case in cases(setup)]
    known = {name.lower() for stage, case in listed for name in (stage, case.name)}
    asked = known if only is None else {name.strip().lower() for name in only.split(",")}
    if asked - known:
        names = dict.fromkeys(name for stage, case in listed for name in (stage, case.name))
        sys.exit(f"--only knows {', '.join(names)}; got {', '.join(sorted(asked - known))}")
    for stage, case in listed:
        if asked & {stage.lower(), case.name.lower()}:
            yield case


def _header(setup: Setup) -> list[str]:
    lines = ["# Speed", "", *machine.describe(THREADS)]
    if setup.quick:
        lines.append("- **Quick run: settings are cut down, so no figure here says anything.**")
    return lines


def _compile_first() -> None:
    """Fill the cache of compiled kernels, so that no measurement has the compiler in it."""
    for data_set in COMPILED_ON:
        _say(f"warming up on {data_set}")
        try:
            run("ours.fit:compile_kernels", data_set=data_set)
        except NotMeasured as why:
            _say(f"  {why}")


def _measure(case: Case) -> list[report.Row]:
    """The rows of a case, or one that says why there are none."""
    _say(f"measuring {case.part}: {case.what}")
    start = time.perf_counter()
    try:
        rows = case.measure()
    except NotMeasured as why:
        rows = [report.not_measured(case.part, case.what, str(why))]
    _say(f"  {rows[0].ours}  ({time.perf_counter() - start:.0f} s to measure)")
    return rows


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
