"""Where the time of a training goes: compiled kernels, or the Python around them.

    python benchmarks/profile_fit.py NCI1
    python benchmarks/profile_fit.py MUTAG --trees 50 --probability 0.25 --lines 20

One thread, so that the profiler sees everything; kernels are compiled before it starts. It slows
Python down and kernels not, so the true share of the kernels is a little higher.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
from pathlib import Path

import data
from ours.fit import WARM_UP_TREES, estimator

import graphtrees

SOURCE = Path(graphtrees.__file__).parent


def main() -> None:
    asked = _arguments()
    task = data.load(asked.data_set)
    settings = {"walk_type_probability": asked.probability, "n_jobs": 1}
    estimator(n_estimators=WARM_UP_TREES, **settings).fit(task.X, task.y)
    model = estimator(n_estimators=asked.trees, **settings)
    profiler = cProfile.Profile()
    profiler.runcall(model.fit, task.X, task.y)
    seconds = own_seconds(profiler)
    print(f"{asked.data_set}, {asked.trees} trees, p = {asked.probability:g}, one thread")
    print(by_place(seconds))
    print(by_function(seconds, asked.lines))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data_set", choices=list(data.LOADERS), metavar="DATASET")
    parser.add_argument("--trees", type=int, default=50)
    parser.add_argument("--probability", type=float, default=0.25, help="walk_type_probability")
    parser.add_argument("--lines", type=int, default=15, help="how many functions to list")
    return parser.parse_args()


def own_seconds(profiler: cProfile.Profile) -> dict[tuple[str, str], float]:
    """Seconds spent in each function itself, callees left out, by (file, function)."""
    seconds: dict[tuple[str, str], float] = {}
    for (file, _, name), (_, _, own, _, _) in pstats.Stats(profiler).stats.items():
        seconds[file, name] = seconds.get((file, name), 0.0) + own
    return seconds


def place(file: str) -> str:
    """`kernels`, `the rest of graphtrees`, or `other libraries and built-ins`."""
    path = Path(file)
    if not path.is_relative_to(SOURCE):
        return "other libraries and built-ins"
    in_kernels = path.is_relative_to(SOURCE / "kernels") and path.name != "_jit.py"
    return "kernels" if in_kernels else "the rest of graphtrees"


def by_place(seconds: dict[tuple[str, str], float]) -> str:
    """A Markdown table of shares."""
    totals = dict.fromkeys(
        ("kernels", "the rest of graphtrees", "other libraries and built-ins"), 0
    )
    for (file, _), own in seconds.items():
        totals[place(file)] += own
    total = sum(totals.values())
    lines = ["", "| where | seconds | share |", "| --- | --- | --- |"]
    lines += [f"| {name} | {own:.3f} | {own / total:.1%} |" for name, own in totals.items()]
    return "\n".join([*lines, f"| all | {total:.3f} | 100.0% |"])


def by_function(seconds: dict[tuple[str, str], float], n_lines: int) -> str:
    """A Markdown table of the functions that take longest."""
    total = sum(seconds.values())
    longest = sorted(seconds.items(), key=lambda item: -item[1])[:n_lines]
    lines = ["", "| function | seconds | share |", "| --- | --- | --- |"]
    for (file, name), own in longest:
        path = Path(file)
        where = path.relative_to(SOURCE) if path.is_relative_to(SOURCE) else path.name
        lines.append(f"| `{where}` `{name}` | {own:.3f} | {own / total:.1%} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
