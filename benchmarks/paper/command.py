"""The command: run what a table lacks, print a table, or write the page."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.accuracy import results
from benchmarks.accuracy.at_once import can_run
from benchmarks.accuracy.command import ROOT, positive, run_all, run_at_once, tasks, to_do
from benchmarks.accuracy.measuring import Task
from benchmarks.accuracy.pool import Limits
from benchmarks.accuracy.table import as_markdown
from benchmarks.paper.explanations import tasks_of
from benchmarks.paper.tables import TABLES, Table

RESULTS = ROOT / "benchmarks" / "results" / "paper.csv"
PAGE = ROOT / "docs" / "results.md"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = _parser()
    asked = parser.parse_args(arguments)
    if asked.write_docs:
        from benchmarks.paper.page import write

        write(results.read(asked.out), asked.page)
        return
    if asked.merge:
        _merge(asked.merge, asked.out)
        return
    if asked.table is None:
        parser.error("--table, --merge or --write-docs is needed")
    try:
        wanted = wanted_tasks(TABLES[asked.table], asked)
        rows = results.read(asked.out)
    except (KeyError, ValueError) as error:
        sys.exit(str(error.args[0]))
    if asked.print:
        print(as_markdown([row for row in rows if results.key(row) in set(wanted)]))
        return
    _run(TABLES[asked.table], wanted, rows, asked)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.paper",
        description="Measure the tables of the TREE-G paper; go on where the last run ended.",
    )
    add = parser.add_argument
    add("--table", choices=TABLES, help="which one to run, or to print")
    add("--only", default="", help="sets, with commas between; default: all of the table")
    add("--methods", default="", help="methods, with commas between; default: all of the table")
    add("--seed", type=int, default=0, help="deals out the folds and seeds the methods")
    add("--jobs", type=positive, default=1, help="worker processes; each uses one thread")
    add("--minutes", type=float, default=float("inf"), help="then no further fold is started")
    add("--task-minutes", type=float, default=float("inf"), help="the longest one fold may take")
    add("--at-once", action="store_true",
        help="networks only: train those of all folds of a set side by side, on a GPU")  # fmt: skip
    add("--retry-errors", action="store_true", help="run folds that failed once more")
    add("--out", type=Path, default=RESULTS, help="the file of results, made or continued")
    add("--print", action="store_true", help="print the table as Markdown, and run nothing")
    add("--write-docs", action="store_true", help="write the page and its plots, and run nothing")
    add("--merge", type=Path, nargs="+", help="add rows of these files that --out lacks")
    add("--page", type=Path, default=PAGE, help="where --write-docs writes")
    return parser


def wanted_tasks(table: Table, asked: argparse.Namespace) -> list[Task]:
    """The tasks of a table, narrowed down to the asked sets and methods."""
    sets = _narrowed(table.sets, asked.only.split(","), "set")
    if table.family:
        return list(tasks_of(sets, range(asked.seed, asked.seed + table.seeds)))
    methods = _narrowed(table.methods, asked.methods.split(","), "method")
    options = argparse.Namespace(
        folds=table.n_folds, seeds=1, one_split_seeds=table.seeds, first_seed=asked.seed
    )
    return list(tasks(sets, methods, options))


def _merge(files: Sequence[Path], out: Path) -> None:
    """Add the finished rows of other machines; a row that is there already stays as it is."""
    absent = [str(path) for path in files if not path.exists()]
    if absent:
        sys.exit(f"--merge: there is no file {', '.join(absent)}")
    try:
        done = {results.key(row) for row in results.read(out) if not row["error"]}
        rows = [row for path in files for row in results.read(path) if not row["error"]]
    except ValueError as error:
        sys.exit(str(error))
    fresh = {results.key(row): row for row in reversed(rows) if results.key(row) not in done}
    results.append(out, reversed(fresh.values()))
    say(f"{len(fresh)} rows added to {out}, {len(rows) - len(fresh)} were there already")


def _narrowed(every: Sequence[str], listed: Sequence[str], what: str) -> list[str]:
    """The asked ones, or all. One of your own is `module:name`."""
    names = [name.strip() for name in listed if name.strip()]
    for name in names:
        if name not in every and ":" not in name:
            raise KeyError(f"no {what} {name!r} in this table; there are {', '.join(every)}")
    return names or list(every)


def _run(
    table: Table, every: list[Task], rows: list[results.Row], asked: argparse.Namespace
) -> None:
    wanted = to_do(every, rows, asked.retry_errors)
    say(f"{len(every)} folds and seeds, {len(every) - len(wanted)} of them in {asked.out} already")
    limits = Limits(60 * asked.minutes, 60 * asked.task_minutes)
    if asked.at_once:
        wanted = [task for task in wanted if can_run(task)]
        say(f"{len(wanted)} of them are of networks that can be trained at once")
    try:
        if asked.at_once:
            n_finished = run_at_once(wanted, asked.out)
        else:
            n_finished = run_all(wanted, asked.jobs, limits, asked.out, table.work, table.family)
    except KeyboardInterrupt:
        sys.exit(f"stopped; finished folds are in {asked.out}, the same command goes on from there")
    say(f"{n_finished} finished, {len(wanted) - n_finished} left for another run")


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
