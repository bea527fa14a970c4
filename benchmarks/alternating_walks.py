"""Do relations pay, and do walks of two steps that alternate between two of them, A_r·A_s?

python benchmarks/alternating_walks.py --out walks.json          # goes on where the file ended
python benchmarks/alternating_walks.py --out walks.json --table  # prints it as Markdown
python benchmarks/alternating_walks.py --out walks.json --data ogbg-molhiv --seeds 3

The library walks within one operator. Here a walk of two steps is an edge of its own, so that
alternating ones can be tried without it: the graphs get a weighted relation for A, every A_r, their
squares, and every A_r·A_s with r != s, and all questions walk one step. "alternating" asks about
all of them. Without the last kind that would be "relations" with walks of two steps, tree by tree
(tests/benchmarks/test_alternating_walks.py), so the two differ by the alternating walks alone.
Parts and seeds are the same for all. "made-up" is the control: its labels count the alternating
walks themselves, so a gain must show there. Figures are in docs/relations.md.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

import graphtrees as gt

SETTINGS: dict[str, Any] = {
    "n_estimators": 100,
    "l2_regularization": 0.0,
    "walk_type_probability": 0.25,
    "n_jobs": 1,
}
N_FOLDS = 5
ANY = "any"  # the relation of all edges, as a column
ALTERNATING = "alternating"
ARMS = {
    "adjacency": ("adjacency",),
    "relations": ("adjacency", "relations"),
    "relations and means": ("adjacency", "relations", "mean", "mean_relations"),
    ALTERNATING: (),  # told by the graphs
}
COMPARED = (
    ("relations", "adjacency"),
    ("relations and means", "relations"),
    (ALTERNATING, "relations"),
)


@dataclass(frozen=True)
class Task:
    """Graphs whose edges have types, with two classes."""

    X: gt.Graphs
    y: np.ndarray
    split: tuple[np.ndarray, np.ndarray] | None = None  # published; else folds

    @property
    def metric(self) -> str:
        return "accuracy" if self.split is None else "ROC AUC"

    def parts(self, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        if self.split is not None:
            return iter([self.split])
        folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
        return folds.split(np.zeros(len(self.y)), self.y)


def mutagenicity() -> Task:
    bunch = gt.datasets.load_tu("Mutagenicity")
    return Task(bunch.X, bunch.y)


def molhiv() -> Task:
    bunch = gt.datasets.load_ogb("ogbg-molhiv")
    return Task(bunch.X, bunch.y, (bunch.splits[0]["train"], bunch.splits[0]["test"]))


def made_up(n_graphs: int = 1000, n_vertices: int = 20) -> Task:
    """Are there more red-blue walks than in the median graph?"""
    rng = np.random.default_rng(0)
    graphs = [_coloured(rng, n_vertices) for _ in range(n_graphs)]
    X = gt.Graphs(graphs)
    red, blue = (matrices(X)[name] for name in ("red", "blue"))
    ends = np.asarray((red @ blue).sum(axis=1)).ravel()
    counts = np.add.reduceat(ends, X.flat.vertex_ptr[:-1])
    return Task(X, (counts > np.median(counts)).astype(int))


def _coloured(rng: np.random.Generator, n_vertices: int) -> gt.Graph:
    pairs = np.argwhere(np.triu(rng.random((n_vertices, n_vertices)) < 0.15, 1))
    colours = np.where(rng.random(len(pairs)) < 0.5, "red", "blue")
    return gt.Graph(None, pairs, n_vertices=n_vertices, edge_types=colours)


TASKS: dict[str, Callable[[], Task]] = {
    "made-up": made_up,
    "Mutagenicity": mutagenicity,
    "ogbg-molhiv": molhiv,
}


def matrices(X: gt.Graphs) -> dict[str, sp.csr_array]:
    """The adjacency and that of every edge type, all graphs on one block diagonal."""
    flat = X.flat
    shift = np.repeat(flat.vertex_ptr[:-1], np.diff(flat.edge_ptr))
    shape = (flat.n_vertices, flat.n_vertices)

    def of(chosen: np.ndarray) -> sp.csr_array:
        i, j = (flat.edges + shift)[:, chosen]
        once = sp.csr_array((np.ones(len(i)), (i, j)), shape=shape)
        return sp.csr_array(once + once.T)

    names = [str(name) for name in flat.edge_type_names]
    by_type = {name: of(flat.edge_types == code) for code, name in enumerate(names)}
    return {ANY: of(np.ones(flat.n_edges, bool))} | by_type


@dataclass(frozen=True)
class Walked:
    X: gt.Graphs
    within: tuple[str, ...]  # the relations that stay with one
    mixed: tuple[str, ...]  # that alternate between two


def with_two_steps(X: gt.Graphs) -> Walked:
    """The graphs with walks of one and two steps as weighted relations."""
    one = matrices(X)
    squares = {f"{r}.{r}": one[r] @ one[r] for r in one}
    types = [r for r in one if r != ANY]
    mixed = {f"{r}.{s}": one[r] @ one[s] for r in types for s in types if r != s}
    mixed = {name: matrix for name, matrix in mixed.items() if matrix.nnz}
    columns = one | squares | mixed

    flat = X.flat
    joined = sp.csr_array(one[ANY] + squares[f"{ANY}.{ANY}"])  # every other one lies within it
    target, source = joined.tocoo().coords
    first = np.repeat(flat.vertex_ptr[:-1], np.diff(flat.vertex_ptr))
    walked = gt.Graphs.from_flat(
        vertex_ptr=flat.vertex_ptr,
        edge_ptr=joined.indptr[flat.vertex_ptr],
        edges=np.stack([source - first[source], target - first[target]]),
        directed=True,  # A_r·A_s backwards is A_s·A_r
        features=flat.features,
        feature_names=flat.feature_names,
        categories=flat.categories,
        edge_features=np.column_stack(
            [np.asarray(matrix[target, source]).ravel() for matrix in columns.values()]
        ),
        edge_feature_names=list(columns),
    )
    return Walked(walked, (*one, *squares), tuple(mixed))


def measure(task: Task, arm: str, seed: int) -> list[float]:
    """A score for each part."""
    X, operators, longest = task.X, ARMS[arm], 2
    if arm == ALTERNATING:
        walked = with_two_steps(task.X)
        X, operators, longest = walked.X, (*walked.within, *walked.mixed), 1
    model = gt.GraphBoostingClassifier(
        max_walk_length=longest, operators=operators, random_state=seed, **SETTINGS
    )
    scores = []
    for train, test in task.parts(seed):
        model.fit(X[train], task.y[train])
        if task.split is None:
            scores.append(model.score(X[test], task.y[test]))
        else:
            scores.append(roc_auc_score(task.y[test], model.predict_proba(X[test])[:, 1]))
    return [float(score) for score in scores]


def as_markdown(results: dict[str, Any]) -> str:
    """Mean and standard deviation of the scores; then of the differences, part by part."""
    lines = ["| data | asked | score | scores |", "| --- | --- | --- | --- |"]
    for name, arms in results.items():
        for arm, by_seed in arms.items():
            scores = np.concatenate(list(by_seed.values()))
            lines.append(f"| {name} | {arm} | {_said(scores)} | {len(scores)} |")
        for new, old in COMPARED:
            both = [seed for seed in arms.get(new, {}) if seed in arms.get(old, {})]
            if both:
                gain = np.concatenate([np.subtract(arms[new][s], arms[old][s]) for s in both])
                lines.append(
                    f"| {name} | {new} less {old} | {_said(gain, '+')} "
                    f"| higher in {int((gain > 0).sum())} of {len(gain)} |"
                )
    return "\n".join(lines)


def _said(values: np.ndarray, sign: str = "") -> str:
    return f"{values.mean():{sign}.4f} ± {values.std(ddof=min(1, len(values) - 1)):.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--data", default="made-up,Mutagenicity")
    parser.add_argument("--arms", default=",".join(ARMS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    results = json.loads(given.out.read_text()) if given.out.exists() else {}
    if given.table:
        print(as_markdown(results))
        return
    for name in given.data.split(","):
        task = TASKS[name]()
        for seed in range(given.seeds):
            for arm in given.arms.split(","):
                scores = results.setdefault(name, {}).setdefault(arm, {})
                if str(seed) not in scores:
                    scores[str(seed)] = measure(task, arm, seed)
                    given.out.write_text(json.dumps(results, indent=1))
                    print(name, arm, seed, np.mean(scores[str(seed)]), flush=True)


if __name__ == "__main__":
    main()
