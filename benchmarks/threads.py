"""How training and prediction scale with the number of threads.

    python benchmarks/threads.py --threads 1,2,4,8,16 --out threads.md
    python benchmarks/threads.py --only NCI1

Reads data sets through GRAPHTREES_DATA, or generates twins of them. Boosted trees have at most ten
leaves. Every figure is the best of a few runs in this process, after a first one that compiled the
kernels. One row has as many processes as threads, which share nothing but the machine: where each
of 16 takes twice as long as one alone, 16 threads can hardly be more than eight times faster.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Callable
from pathlib import Path

from data import load

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
        n_estimators=n_trees, max_leaf_nodes=10, n_jobs=n_threads, random_state=0, **settings
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


def prediction(model, X) -> float:
    return seconds(lambda: model.predict(X), 5)


def _tree_of_many(meeting, seconds_of) -> None:
    """Wait for the others, then measure a tree."""
    task = load("NCI1")
    boosting(task, 1, 1)()
    meeting.wait()
    seconds_of.put(a_tree(task, 1, 40)[0])


def side_by_side(n: int) -> float:
    """Seconds for a tree in n processes of one thread, all at once: what the machine can give."""
    context = multiprocessing.get_context("spawn")
    meeting, seconds_of = context.Barrier(n), context.Queue()
    processes = [
        context.Process(target=_tree_of_many, args=(meeting, seconds_of)) for _ in range(n)
    ]
    for process in processes:
        process.start()
    found = [seconds_of.get() for _ in processes]
    for process in processes:
        process.join()
    return sum(found) / n


def rows(threads: list[int], only: str):
    """(what, seconds for each number of threads), for data whose name holds `only`."""
    for what, name, n_trees, settings in (
        ("NCI1, p = 1", "NCI1", 40, {}),
        ("NCI1, p = 0.25", "NCI1", 40, {"walk_type_probability": 0.25}),
        ("NCI1, p = 1, a fifth of the questions", "NCI1", 10, {"feature_fraction_per_node": 0.2}),
        ("ogbg-molhiv, p = 0.25", "ogbg-molhiv", 3, {"walk_type_probability": 0.25}),
        ("flights as numbers", "Flights, numbers", 3, {}),
    ):
        if only not in name:
            continue
        task = load(name)
        boosting(task, threads[0], 1, **settings)()
        measured = [a_tree(task, n, n_trees, **settings) for n in threads]
        yield f"{what}, a tree", [one for one, _ in measured]
        yield f"{what}, set-up and first tree", [first for _, first in measured]
    if only in "NCI1":
        yield "NCI1, p = 1, a tree in each of n processes", [side_by_side(n) for n in threads]
        nci1 = load("NCI1")
        forest(nci1, threads[0], 2)()
        yield "forest on NCI1, 96 trees", [seconds(forest(nci1, n, 96), 1) for n in threads]
        model = gt.GraphBoostingClassifier(n_estimators=100, random_state=0).fit(nci1.X, nci1.y)
        model.predict(nci1.X)
        predicting = [prediction(model.set_params(n_jobs=n), nci1.X) for n in threads]
        yield "predict NCI1, 100 trees", predicting
    for name, n_rounds, settings in (
        ("MUTAG", 50, {"walk_type_probability": 0.25}),
        ("PROTEINS", 50, {"walk_type_probability": 0.25}),
        ("ENZYMES", 5, {}),
        ("Actor", 5, {}),
    ):
        if only not in name:
            continue
        task = load(name)
        boosting(task, threads[0], 1, **settings)()
        what = f"{name}, {n_rounds} rounds"
        yield what, [seconds(boosting(task, n, n_rounds, **settings), 2) for n in threads]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", default="1,2,4,8,16")
    parser.add_argument("--only", default="", help="a part of the name of the data")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    threads = [int(n) for n in given.threads.split(",")]
    lines = [
        "| what | " + " | ".join(f"{n} threads" for n in threads) + " |",
        "| --- |" + " --- |" * len(threads),
    ]
    print(*lines, sep="\n", flush=True)
    for what, measured in rows(threads, given.only):
        lines.append(f"| {what} | " + " | ".join(f"{s:.3g} s" for s in measured) + " |")
        print(lines[-1], flush=True)
    if given.out:
        given.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
