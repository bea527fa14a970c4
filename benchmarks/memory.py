"""How close `fit` comes to what it estimates to need, for several shapes of data.

    python benchmarks/memory.py            # a Markdown table
    python benchmarks/memory.py --only table

Each shape is a process of its own. A small fit of the same kind compiles and loads everything;
then the peak of the process is set back (Linux only) and what the real fit adds to it is measured.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np


def _graphs(n_graphs: int, n_vertices: int, n_features: int, labels: int = 0, seed: int = 0) -> Any:
    import graphtrees as gt

    rng = np.random.default_rng(seed)
    n, m = n_graphs * n_vertices, 2 * n_graphs * n_vertices
    if labels:
        features, categories = rng.integers(labels, size=(n, 1)).astype(float), {0: range(labels)}
    else:
        features, categories = rng.normal(size=(n, n_features)), None
    return gt.Graphs.from_flat(
        vertex_ptr=np.arange(n_graphs + 1) * n_vertices,
        edge_ptr=np.arange(n_graphs + 1) * (2 * n_vertices),
        edges=rng.integers(n_vertices, size=(2, m)), features=features, categories=categories,
    )  # fmt: skip


def _words(n: int, n_words: int) -> Any:
    import scipy.sparse as sp

    import graphtrees as gt

    rng = np.random.default_rng(0)
    x = sp.random_array((n, n_words), density=0.012, format="csr", random_state=rng)
    return gt.Graph(x, rng.integers(n, size=(2 * n, 2))).vertices


def _table(n: int, n_features: int) -> Any:
    return np.random.default_rng(0).normal(size=(n, n_features))


BOOSTING, FOREST, TREE = "GraphBoostingRegressor", "GraphForestRegressor", "GraphTreeRegressor"
FEW = {"n_estimators": 5, "random_state": 0}

# name -> (how to make X, of size: large or small), estimator, parameters
SHAPES: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "8,000 graphs of 30, 37 labels": (
        lambda k: _graphs(8000 // k, 30, 0, labels=37), BOOSTING, FEW),
    "4,000 graphs of 50, 20 numbers": (lambda k: _graphs(4000 // k, 50, 20), BOOSTING, FEW),
    "… walks of 4, two operators": (
        lambda k: _graphs(4000 // k, 50, 20), BOOSTING,
        FEW | {"max_walk_length": 4, "operators": ("adjacency", "mean")}),
    "… exact search": (
        lambda k: _graphs(4000 // k, 50, 20), BOOSTING, FEW | {"max_bins": None}),
    "… no subsets": (
        lambda k: _graphs(4000 // k, 50, 20), BOOSTING, FEW | {"max_ancestor_distance": 0}),
    "… forest on 2 threads": (
        lambda k: _graphs(4000 // k, 50, 20), FOREST, FEW | {"n_jobs": 2, "max_depth": 6}),
    "40 graphs of 20,000, 8 numbers": (lambda k: _graphs(40, 20000 // k, 8), BOOSTING, FEW),
    "100,000 vertices, 50 numbers": (
        lambda k: _graphs(1, 100000 // k, 50)[0].vertices, BOOSTING, FEW),
    "20,000 vertices, exact search": (
        lambda k: _graphs(1, 20000 // k, 50)[0].vertices, TREE,
        {"max_bins": None, "max_leaf_nodes": 10}),
    "20,000 vertices, 1,400 words": (lambda k: _words(20000 // k, 1400), BOOSTING, FEW),
    "200,000 edges, 8 numbers": (lambda k: _graphs(1, 100000 // k, 8)[0].edges, BOOSTING, FEW),
    "table, 500,000 rows, 30 numbers": (lambda k: _table(500000 // k, 30), BOOSTING, FEW),
    "table, forest on 2 threads": (
        lambda k: _table(500000 // k, 30), FOREST, FEW | {"n_jobs": 2, "max_depth": 6}),
}  # fmt: skip


def measure(name: str) -> dict[str, Any]:
    """In the child: the estimate, and what the fit added to the process."""
    import graphtrees as gt
    from graphtrees.estimators import base

    make, kind, parameters = SHAPES[name]
    told: list[dict[str, int]] = []
    check = base.check_memory
    base.check_memory = lambda parts, limit: (told.append(parts), check(parts, limit))
    for size in (200, 1):
        X = make(size)
        y = np.random.default_rng(1).normal(size=len(X))
        model = getattr(gt, kind)(**parameters)
        gc.collect()
        before = _memory("VmRSS")
        Path("/proc/self/clear_refs").write_text("5")
        model.fit(X, y)
    return {"parts": told[-1], "peak": _memory("VmHWM") - before}


def _memory(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {field}: this needs Linux")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="shapes whose names hold this")
    parser.add_argument("--parts", action="store_true", help="show what the estimate is made of")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measure(options.child)))
        return
    print("| data | estimated | measured | estimated / measured |\n| --- | --- | --- | --- |")
    for name in SHAPES:
        if options.only not in name:
            continue
        words = [sys.executable, __file__, "--child", name]
        ran = subprocess.run(words, capture_output=True, text=True)
        if ran.returncode:
            print(f"| {name} | failed: {ran.stderr.strip().splitlines()[-1]} | | |")
            continue
        found = json.loads(ran.stdout)
        needed, peak = sum(found["parts"].values()), found["peak"]
        print(f"| {name} | {needed / 1e6:.0f} MB | {peak / 1e6:.0f} MB | {needed / peak:.2f} |")
        if options.parts:
            print({part: f"{n / 1e6:.0f}" for part, n in found["parts"].items()}, flush=True)


if __name__ == "__main__":
    main()
