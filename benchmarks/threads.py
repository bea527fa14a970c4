"""How training and prediction scale with the number of threads.

    python benchmarks/threads.py --threads 1,2,4,8,16 --out threads.md

Reads MUTAG, PROTEINS, ENZYMES, NCI1 and ogbg-molhiv through GRAPHTREES_DATA. Every figure is the
best of a few runs in this process, after a first one that compiled the kernels.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import graphtrees as gt


def seconds(call: Callable[[], object], repeats: int) -> float:
    """The shortest of some runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def boosting(data, n_threads: int, n_trees: int, **settings) -> Callable[[], object]:
    model = gt.GraphBoostingClassifier(
        n_estimators=n_trees, n_jobs=n_threads, random_state=0, **settings
    )
    return lambda: model.fit(data.X, data.y)


def a_tree(data, n_threads: int, n_trees: int, **settings) -> tuple[float, float]:
    """(seconds for one more tree, seconds for set-up and the first tree)."""
    repeats = 1 if len(data.y) > 10_000 else 2
    first = seconds(boosting(data, n_threads, 1, **settings), repeats)
    more = seconds(boosting(data, n_threads, 1 + n_trees, **settings), repeats)
    return (more - first) / n_trees, first


def forest(data, n_threads: int, n_trees: int) -> Callable[[], object]:
    model = gt.GraphForestClassifier(n_estimators=n_trees, n_jobs=n_threads, random_state=0)
    return lambda: model.fit(data.X, data.y)


def rows(threads: list[int]):
    """(what, seconds for each number of threads), one after another."""
    nci1, molhiv = gt.datasets.load_tu("NCI1"), gt.datasets.load_ogb("ogbg-molhiv")
    for name, data, n_trees, settings in (
        ("NCI1, p = 1, a tree", nci1, 10, {}),
        ("NCI1, p = 0.25, a tree", nci1, 10, {"walk_type_probability": 0.25}),
        ("NCI1, p = 1, a fifth of the questions, a tree", nci1, 10,
         {"feature_fraction_per_node": 0.2}),
        ("ogbg-molhiv, p = 0.25, a tree", molhiv, 3, {"walk_type_probability": 0.25}),
    ):  # fmt: skip
        boosting(data, threads[0], 1, **settings)()
        measured = [a_tree(data, n, n_trees, **settings) for n in threads]
        yield name, [one for one, _ in measured]
        yield name.replace("a tree", "set-up and first tree"), [first for _, first in measured]
    forest(nci1, threads[0], 2)()
    yield "forest on NCI1, 32 trees", [seconds(forest(nci1, n, 32), 1) for n in threads]
    model = gt.GraphBoostingClassifier(n_estimators=100, random_state=0).fit(nci1.X, nci1.y)
    model.predict(nci1.X)
    yield (
        "predict NCI1, 100 trees",
        [seconds(lambda: model.predict(nci1.X), 3) for n in threads if model.set_params(n_jobs=n)],
    )
    for name, n_trees, settings in (
        ("MUTAG", 50, {"walk_type_probability": 0.25}),
        ("PROTEINS", 50, {"walk_type_probability": 0.25}),
        ("ENZYMES", 5, {}),
    ):
        data = gt.datasets.load_tu(name)
        boosting(data, threads[0], 1, **settings)()
        what = f"{name}, {n_trees} rounds"
        yield what, [seconds(boosting(data, n, n_trees, **settings), 2) for n in threads]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", default="1,2,4,8,16")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    threads = [int(n) for n in given.threads.split(",")]
    lines = [
        "| what | " + " | ".join(f"{n} threads" for n in threads) + " |",
        "| --- |" + " --- |" * len(threads),
    ]
    print(*lines, sep="\n", flush=True)
    for what, measured in rows(threads):
        lines.append(f"| {what} | " + " | ".join(f"{s:.3g} s" for s in measured) + " |")
        print(lines[-1], flush=True)
    if given.out:
        given.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
