"""The command: list the tasks, leave out those that are done, run the others; or print a table."""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import graphtrees
from benchmarks import machine
from benchmarks.accuracy import goals, results
from benchmarks.accuracy.at_once import gpu, measure_at_once
from benchmarks.accuracy.measuring import Task, measure
from benchmarks.accuracy.methods import method, names_of
from benchmarks.accuracy.pool import Limits, Result, one_thread, run
from benchmarks.accuracy.problems import DATA_SETS, data_set
from benchmarks.accuracy.table import as_markdown

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "lightgbm",
    "xgboost",
    "xgboost-cpu",  # the same library without code for GPUs
    "torch",
    "torch_geometric",
)


def main(arguments: Sequence[str] | None = None) -> None:
    asked = _arguments(arguments)
    if asked.table or asked.goals:
        show = as_markdown if asked.table else goals.as_markdown
        print(show(results.read_all(asked.table or asked.goals)))
        return
    try:
        every = list(tasks(_listed(asked.sets), names_of(asked.methods), asked))
        done = {results.key(row): row for row in results.read(asked.out)}
    except (KeyError, ValueError) as error:
        sys.exit(str(error.args[0]))
    wanted = to_do(every, done.values(), asked.retry_errors)
    _say(f"{len(every)} tasks, {len(every) - len(wanted)} of them in {asked.out} already")
    limits = Limits(60 * asked.minutes, 60 * asked.task_minutes)
    try:
        n_finished = run_all(wanted, asked.jobs, limits, asked.out)
    except KeyboardInterrupt:
        sys.exit(f"stopped; finished tasks are in {asked.out}, the same command goes on from there")
    _say(f"{n_finished} finished, {len(wanted) - n_finished} left for another run")


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accuracy",
        description="Score and time methods on data sets; go on where the file of results ended.",
    )
    add = parser.add_argument
    add("--sets", default=",".join(DATA_SETS), help="names with commas between; default: all")
    add("--methods", default="all", help="names, or the groups ours, peers, all")
    add("--folds", type=_several, default=10, help="of sets without published splits")
    add("--parts", type=positive, help="only so many folds or splits of a set, the first ones")
    add("--seeds", type=positive, default=1, help="each deals out the folds anew")
    add("--one-split-seeds", type=positive, default=3, help="of sets with one published split")
    add("--jobs", type=positive, default=1, help="cores: as many threads are at work at once")
    add("--minutes", type=float, default=float("inf"), help="then no further task is started")
    add("--task-minutes", type=float, default=float("inf"), help="the longest one task may take")
    add("--retry-errors", action="store_true", help="run tasks that failed once more")
    add("--out", type=Path, help="the file of results, made or continued")
    add("--table", type=Path, nargs="+", help="print files of results as Markdown; run nothing")
    add("--goals", type=Path, nargs="+", help="print `auto` beside its goals and the best peer")
    asked = parser.parse_args(arguments)
    if not (asked.out or asked.table or asked.goals):
        parser.error("--out (the file of results), --table or --goals is needed")
    for path in [*(asked.table or ()), *(asked.goals or ())]:
        if not path.exists():
            parser.error(f"--table and --goals: there is no file {path}")
    return asked


def positive(text: str) -> int:
    return _at_least(1, text)


def _several(text: str) -> int:
    return _at_least(2, text)


def _at_least(least: int, text: str) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least {least}; got {text}")
    return int(text)


def _listed(sets: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in sets.split(",") if name.strip()))


def tasks(sets: Iterable[str], methods: Sequence[str], asked: argparse.Namespace) -> Iterator[Task]:
    """Every task that makes sense, the cheap ones first. What is not installed is told."""
    present = [name for name in methods if _is_present(name, method(name).missing())]
    there = [name for name in sets if _is_present(name, data_set(name).missing())]
    pairs = [(_cost(data, name), data, name) for data in there for name in present
             if method(name).applies(data_set(data).kind, data_set(data).classifies)]  # fmt: skip
    for _, data, name in sorted(pairs):
        n_splits = data_set(data).n_splits
        n_folds = n_splits or asked.folds
        # Published splits do not change with the seed: one seed for each of several splits.
        n_seeds = asked.one_split_seeds if n_splits == 1 else 1 if n_splits else asked.seeds
        first = getattr(asked, "first_seed", 0)
        for seed in range(first, first + n_seeds):
            for fold in range(min(n_folds, asked.folds, getattr(asked, "parts", None) or n_folds)):
                yield Task(data, name, seed, fold, n_folds)


def _is_present(name: str, missing: str) -> bool:
    if missing:
        _say(f"skipped: {name} ({missing})")
    return not missing


def _cost(data: str, name: str) -> float:
    return data_set(data).size * method(name).cost_on(data_set(data).kind)


def to_do(every: Sequence[Task], done: Iterable[results.Row], retry_errors: bool) -> list[Task]:
    """The tasks without a row; with `retry_errors` also those whose row is an error."""
    finished = {results.key(row) for row in done if not (retry_errors and row["error"])}
    return [task for task in every if task not in finished]


def run_all(
    wanted: Sequence[Task],
    n_jobs: int,
    limits: Limits,
    path: Path,
    work: Callable[[Task], dict[str, Any]] = measure,
    family: str = "",
) -> int:
    """Run tasks and add a row for each as it finishes; returns how many finished.

    `family` is that of the rows where `work` knows tasks whose methods are not listed.
    """
    threads_of = one_thread if family else _threads_of
    return keep(run(wanted, n_jobs, limits, work, threads_of), len(wanted), path, family)


def _threads_of(task: Task) -> int:
    return method(task.method).threads


def run_at_once(wanted: Sequence[Task], path: Path) -> int:
    """Networks of all folds of a set side by side; returns how many tasks finished."""
    groups: dict[tuple[str, str], list[Task]] = {}
    for task in wanted:
        groups.setdefault((task.data, task.method), []).append(task)
    each = (result for group in groups.values() for result in measure_at_once(group))
    return keep(each, len(wanted), path, on=gpu())


def keep(found: Iterable[Result], n_wanted: int, path: Path, family: str = "", on: str = "") -> int:
    """Add a row for each result as it comes; returns how many came. `on`: a GPU that was used."""
    processor = machine.describe_processor()
    about = {"versions": versions(), "machine": f"{processor}, {on}" if on else processor}
    start, n_finished = time.monotonic(), 0
    for task, columns in found:
        about["family"] = family or method(task.method).family
        results.append(path, [results.row_of(task, **columns, **about)])
        n_finished += 1
        told = columns.get("error") or f"{columns['metric']} {columns['score']:.4f}"
        _say(
            f"[{time.monotonic() - start:.0f} s, {n_finished}/{n_wanted}] {task.data} "
            f"{task.method} seed {task.seed} fold {task.fold}: {told}"
        )
    return n_finished


def versions() -> str:
    """Python, this library with the commit it is at, and the others that are installed."""
    named = [
        f"Python {platform.python_version()}",
        f"graphtrees {graphtrees.__version__}{_commit()}",
    ]
    for name in LIBRARIES:
        try:
            named.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return "; ".join(named)


def _commit() -> str:
    """The commit, if this checkout's own library is the one that is imported."""
    if not Path(graphtrees.__file__).is_relative_to(ROOT / "src"):
        return ""
    try:
        command = ["git", "describe", "--always", "--dirty=+changes"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f" at {done.stdout.strip()}"


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
