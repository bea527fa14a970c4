"""What one node costs: making the columns of two subsets, and searching them.

    python benchmarks/bench_columns.py [NCI1]

All graphs of a data set are one node, its vertices split at random into S+ and S-. Prints the
time and the number of entries per stage, on one thread, the best of five.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import graphtrees as gt
from graphtrees._layout import WALK_TYPES
from graphtrees._threads import Workers
from graphtrees.kernels.search import NEWTON
from graphtrees.trees.criterion import Criterion, Statistics
from graphtrees.trees.splitter import Splitter, Subsets


def best_of(function, repeats: int = 5) -> float:
    function()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def main(name: str) -> None:
    rng = np.random.default_rng(0)
    model = gt.GraphBoostingClassifier()
    data = model._training_data(model._read_training(gt.datasets.load_tu(name).X), Workers(1))
    n = data.n_examples
    everyone = np.arange(n)
    codes = rng.integers(1, 3, size=data.batch.n_vertices).astype(np.uint8)
    print(f"{name}: {n} graphs, {data.batch.n_vertices} vertices, {data.batch.n_columns} columns")
    print("| walk types | columns | entries per graph | µs per graph | ns per entry |")
    print("| --- | --- | --- | --- | --- |")
    for types in [range(4), *([t] for t in range(4))]:
        plan = data.plan(frozenset(types), on_subset=True)
        spent = best_of(lambda plan=plan: data.block(everyone, plan, codes))
        block = data.block(everyone, plan, codes)
        entries = int((block.row_stop - block.row_start).sum())
        names = ", ".join(WALK_TYPES[t] for t in types)
        print(
            f"| {names} | {block.n_columns} | {entries / n:.0f} | {spent / n * 1e6:.2f} | "
            f"{spent / entries * 1e9:.1f} |"
        )
    plan = data.plan(frozenset(range(4)), on_subset=True)
    block = data.block(everyone, plan, codes, keep=True)
    entries = int((block.row_stop - block.row_start).sum())
    gradient = rng.normal(size=(n, 1))
    statistics = Statistics.newton(gradient, np.ones((n, 1)), np.ones(n))
    splitter = Splitter(data, statistics, Criterion(NEWTON), 10, rng)
    total, mask = splitter.total(everyone), np.ones(block.n_columns, bool)
    subset = Subsets(1, codes, everyone)
    spent = best_of(
        lambda: splitter._search_entries(block, everyone, everyone, total, mask, subset.distance)
    )
    print(f"search: {spent * 1e3:.1f} ms, {spent / entries * 1e9:.1f} ns per entry")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "NCI1")
