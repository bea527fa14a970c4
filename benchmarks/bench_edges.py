"""Edges as examples where one vertex has very many of them.

    python benchmarks/bench_edges.py [--edges 1000000] [--hub 50000] [--trees 20]

Generates a graph in which a hub has `--hub` edges and the others are drawn at random. Whether an
edge is positive depends on its own load and on the share of heavily loaded edges beside it, with
noise. Trains on 80 % of the edges, predicts the others, and prints the time of both (on the clock,
and of all cores), the largest size of the process so far, and the accuracy with and without
questions about the graph.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time

import machine
import numpy as np

import graphtrees as gt

HEAVY = 1.0
ASKED = {"max_walk_length": 2, "max_ancestor_distance": 1, "operators": ("adjacency", "mean")}
NOTHING = {"max_walk_length": 0, "max_ancestor_distance": 0}


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for name, default in {"edges": 1_000_000, "hub": 50_000, "trees": 20, "threads": 2}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args(arguments)
    warm_up(asked.threads)
    rng = np.random.default_rng(0)
    graph, y = a_graph(rng, asked.edges, asked.hub)
    degree = np.bincount(graph.edge_index.ravel(), minlength=graph.n_vertices)
    pairs = int((degree.astype(np.int64) * (degree - 1)).sum() // 2)
    print("\n".join(machine.describe(asked.threads)))
    print(
        f"- {graph.n_edges:,} edges, {graph.n_vertices:,} vertices, largest degree "
        f"{degree.max():,}, {pairs:,} pairs of neighbouring edges, {y.mean():.0%} positive\n"
    )
    order = rng.permutation(graph.n_edges)
    train, test = np.split(order, [graph.n_edges * 4 // 5])
    print("| questions | fit | predict | peak of memory | accuracy |")
    print("| --- | --- | --- | --- | --- |")
    for name, questions in {"the edge alone": NOTHING, "about the graph": ASKED}.items():
        model = gt.GraphBoostingClassifier(
            n_estimators=asked.trees, random_state=0, n_jobs=asked.threads, **questions
        )
        fit = timed(lambda model=model: model.fit(graph.edges[train], y[train]))
        predict = timed(lambda model=model: model.predict(graph.edges[test]))
        accuracy = (model.predict(graph.edges[test]) == y[test]).mean()
        print(f"| {name} | {fit} | {predict} | {peak():.2f} GB | {accuracy:.4f} |")


def a_graph(rng: np.random.Generator, n_edges: int, hub: int) -> tuple[gt.Graph, np.ndarray]:
    """Vertex 0 is the hub; every vertex has two numbers, every edge a load."""
    n = max(n_edges // 5, hub + 1)
    spokes = np.column_stack([np.zeros(hub, int), 1 + np.arange(hub)])
    edges = np.vstack([spokes, rng.integers(1, n, (n_edges - hub, 2))])
    load = rng.normal(size=n_edges)
    graph = gt.Graph(
        rng.normal(size=(n, 2)).astype(np.float32),
        edges,
        edge_features=load[:, None],
        feature_names=["height", "age"],
    )
    return graph, a_target(rng, edges, load, n)


def a_target(rng: np.random.Generator, edges: np.ndarray, load: np.ndarray, n: int) -> np.ndarray:
    """1 where an edge's load and the share of heavy edges beside it are large together."""
    ends, heavy = edges.T, (load > HEAVY).astype(float)
    near = sum(np.bincount(end, minlength=n) for end in ends)
    heavy_near = sum(np.bincount(end, heavy, minlength=n) for end in ends)
    beside = near[ends].sum(axis=0) - 2
    share = (heavy_near[ends].sum(axis=0) - 2 * heavy) / np.maximum(beside, 1)
    score = 0.5 * load + 8.0 * (share - share.mean()) + 0.3 * rng.normal(size=len(load))
    return (score > 0).astype(int)


def warm_up(threads: int) -> None:
    """Compile what will be timed."""
    graph, y = a_graph(np.random.default_rng(1), 2_000, 100)
    for questions in (NOTHING, ASKED):
        model = gt.GraphBoostingClassifier(n_estimators=2, n_jobs=threads, **questions)
        model.fit(graph.edges, y).predict(graph.edges)


def timed(function) -> str:
    start, busy = time.perf_counter(), time.process_time()
    function()
    took, busy = time.perf_counter() - start, time.process_time() - busy
    return f"{took:.1f} s (CPU {busy:.1f} s)"


def peak() -> float:
    """GB, the largest that this process has been so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9


if __name__ == "__main__":
    main(sys.argv[1:])
