"""Where explanations point: red isolated vertices, nitro groups and carbon rings.

As in the paper: 50 trees, walks of at most 2 steps, ancestors at most 2 away, a random split 80/20.
A measure is a ratio: the mean importance of the vertices that matter, divided by the mean over all
vertices of the graph, averaged over the graphs of the test part that have such vertices.
Explanations that know nothing give 1.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

import graphtrees as gt
from benchmarks.accuracy.measuring import Task
from benchmarks.accuracy.metrics import accuracy

Marks = Callable[[gt.Graph], np.ndarray]  # which vertices matter

N_EXPLAINED = 100  # graphs of the test part, the first ones of a random order
RED, ISOLATED, RED_ISOLATED = "red", "isolated", "red isolated"
NITRO, RINGS = "nitro groups", "carbon rings"
LONGEST_RING = 7


def _degrees(graph: gt.Graph) -> np.ndarray:
    return np.bincount(graph.edge_index.ravel(), minlength=graph.n_vertices)


def isolated(graph: gt.Graph) -> np.ndarray:
    return _degrees(graph) == 0


def red(graph: gt.Graph) -> np.ndarray:
    return np.asarray(graph.features)[:, 0] > 0


def red_isolated(graph: gt.Graph) -> np.ndarray:
    return red(graph) & isolated(graph)


def elements(graph: gt.Graph) -> np.ndarray:
    """The element of every atom, from its name: C0, Cl1, ..."""
    return np.array([str(name).rstrip("0123456789") for name in graph.vertex_names])


def nitro(graph: gt.Graph) -> np.ndarray:
    """Nitrogen with at least two oxygens that have no other neighbour, and these oxygens."""
    atoms, degrees = elements(graph), _degrees(graph)
    marks = np.zeros(graph.n_vertices, bool)
    adjacency = graph.adjacency()
    for vertex in np.flatnonzero(atoms == "N"):
        around = adjacency.indices[adjacency.indptr[vertex] : adjacency.indptr[vertex + 1]]
        ends = [u for u in around if atoms[u] == "O" and degrees[u] == 1]
        if len(ends) >= 2:
            marks[[vertex, *ends]] = True
    return marks


def carbon_rings(graph: gt.Graph) -> np.ndarray:
    """Carbon atoms of short rings that are all of carbon."""
    import networkx as nx  # only here

    atoms = elements(graph)
    ends = graph.edge_index.T.tolist()
    carbon = nx.Graph([(u, v) for u, v in ends if atoms[u] == atoms[v] == "C"])
    marks = np.zeros(graph.n_vertices, bool)
    for ring in nx.minimum_cycle_basis(carbon):
        if len(ring) <= LONGEST_RING:
            marks[ring] = True
    return marks


MEASURES: dict[str, dict[str, Marks]] = {
    "Red Isolated Vertex": {RED_ISOLATED: red_isolated, ISOLATED: isolated, RED: red},
    "Mutagenicity": {NITRO: nitro, RINGS: carbon_rings},
}


def tasks_of(sets: Sequence[str], seeds: Sequence[int]) -> Iterator[Task]:
    """The accuracy of a model and what its explanations point at, for every seed."""
    for name in sets:
        for seed in seeds:
            for measure_name in ("accuracy", *MEASURES[name]):
                yield Task(name, f"explained: {measure_name}", seed, 0, 1)


def measure(task: Task) -> dict[str, Any]:
    """One measure of one model, as columns of a row."""
    model, X, y, fit = _fitted(task.data, task.seed)
    wanted = task.method.removeprefix("explained: ")
    if wanted == "accuracy":
        score, error = accuracy(y, model.predict(X))
        return fit | {"metric": "accuracy", "score": score, "sampling_error": error,
                      "n_test": len(y)}  # fmt: skip
    ratios = np.array(list(importance_ratios(model, X, MEASURES[task.data][wanted])))
    return {
        "metric": "importance ratio",
        "score": float(ratios.mean()),
        "sampling_error": float(ratios.std(ddof=1) / np.sqrt(len(ratios))),
        "n_train": fit["n_train"],
        "n_test": len(ratios),
        **dict.fromkeys(("fit_seconds", "fit_cpu_seconds", "predict_seconds"), 0.0),  # no fit anew
    }


@lru_cache(maxsize=1)
def _fitted(name: str, seed: int) -> tuple[Any, gt.Graphs, np.ndarray, dict[str, Any]]:
    """A model, the test part that it was not fitted on, and the columns about the fit."""
    if name == "Mutagenicity":
        data = gt.datasets.load_tu(name)
    else:
        data = gt.datasets.make_red_isolated_vertex(random_state=seed)
    rows = np.arange(len(data.y))
    train, test = train_test_split(rows, test_size=0.2, stratify=data.y, random_state=seed)
    model = gt.GraphBoostingClassifier(
        50, max_depth=10, walk_type_probability=0.25, random_state=seed, n_jobs=1
    )
    wall, cpu = time.perf_counter(), time.process_time()
    model.fit(data.X[train], data.y[train])
    fit = {
        "n_train": len(train),
        "fit_seconds": round(time.perf_counter() - wall, 4),
        "fit_cpu_seconds": round(time.process_time() - cpu, 4),
        "predict_seconds": 0.0,
    }
    return model, data.X[test], data.y[test], fit


def importance_ratios(model: Any, graphs: gt.Graphs, marks: Marks) -> Iterator[float]:
    """For each graph with some marked and some other vertices; 1 is what chance gives."""
    for graph in graphs[:N_EXPLAINED]:
        marked = marks(graph)
        if marked.any() and not marked.all():
            importance = model.explain(graph).vertex_importance
            yield float(importance[marked].mean() / importance.mean())
