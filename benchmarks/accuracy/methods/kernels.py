"""Weisfeiler-Leman and random-walk kernels with a support vector machine, settings by inner folds.

Both kernels are sums over steps (rounds of refinement, lengths of walks). The matrix of each step
is made once; a candidate is only another weight for each. GraKeL makes the same numbers, one
kernel at a time (of labelled walks only by its `baseline` method); a test compares.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import factorial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.svm import SVC

from benchmarks.accuracy.methods.base import Setting
from benchmarks.accuracy.methods.refinement import coloured, label_columns, start_colours
from benchmarks.accuracy.methods.tables import dense
from benchmarks.accuracy.methods.tuning import inner_parts
from benchmarks.columns import adjacency
from graphtrees import Graphs

MOST_ROUNDS = 8
LONGEST_WALK = 10


@dataclass(frozen=True)
class Kernel:
    """`steps(A, B, labels)`: one matrix (len(A), len(B)) a step. `weightings`: by their names."""

    steps: Callable[[Graphs, Graphs, np.ndarray], np.ndarray]
    own: Callable[[Graphs, np.ndarray], np.ndarray]  # the steps of each graph with itself
    weightings: dict[str, np.ndarray]


class KernelSearch(BaseEstimator):
    """A support vector machine; the kernel's weights and `C` are chosen by inner folds."""

    def __init__(self, kernel: Kernel, strengths: tuple[float, ...], setting: Setting) -> None:
        self.kernel = kernel
        self.strengths = strengths
        self.setting = setting

    def fit(self, X: Graphs, y: np.ndarray) -> KernelSearch:
        start, y = time.perf_counter(), np.asarray(y)
        self.train_, self.labels_ = X, label_columns(X)
        steps = self.kernel.steps(X, X, self.labels_)
        self.own_ = np.diagonal(steps, axis1=1, axis2=2)
        grams = {name: self._gram(steps, self.own_, name) for name in self.kernel.weightings}
        self.chosen_ = self._search(grams, y)
        self.tuning_seconds_ = time.perf_counter() - start
        gram = grams[self.chosen_["kernel"]]
        self.model_ = SVC(C=self.chosen_["C"], kernel="precomputed").fit(gram, y)
        self.classes_ = self.model_.classes_
        return self

    def _search(self, grams: dict[str, np.ndarray], y: np.ndarray) -> dict[str, Any]:
        parts = list(inner_parts(y, self.setting))
        tried = [
            (np.mean([_score(gram, y, C, *part) for part in parts]), {"kernel": name, "C": C})
            for name, gram in grams.items()
            for C in self.strengths
        ]
        return max(tried, key=lambda scored: scored[0])[1]

    def _gram(self, steps: np.ndarray, own: np.ndarray, name: str) -> np.ndarray:
        """The weighted sum of steps, divided by the length of both graphs' vectors."""
        weights = self.kernel.weightings[name]
        lengths = [np.sqrt(np.maximum(weights @ each, 1e-300)) for each in (own, self.own_)]
        return np.tensordot(weights, steps, axes=1) / np.outer(*lengths)

    def _rows(self, X: Graphs) -> np.ndarray:
        steps = self.kernel.steps(X, self.train_, self.labels_)
        return self._gram(steps, self.kernel.own(X, self.labels_), self.chosen_["kernel"])

    def predict(self, X: Graphs) -> np.ndarray:
        return self.model_.predict(self._rows(X))

    def decision_function(self, X: Graphs) -> np.ndarray:
        return self.model_.decision_function(self._rows(X))


def _score(gram: np.ndarray, y: np.ndarray, C: float, fit: np.ndarray, held: np.ndarray) -> float:
    model = SVC(C=C, kernel="precomputed").fit(gram[np.ix_(fit, fit)], y[fit])
    return float(np.mean(model.predict(gram[np.ix_(held, fit)]) == y[held]))


# ---- Weisfeiler-Leman: common colours of each round --------------------------------------------


def _colour_counts(graphs: Graphs, labels: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The graph and the colour of every vertex, round by round."""
    graph_of, colours = coloured(graphs, labels, MOST_ROUNDS)
    n = graphs.flat.n_vertices
    return [(graph_of[:n], colours[i * n : (i + 1) * n]) for i in range(MOST_ROUNDS + 1)]


def _tables(rounds: list[Any], n_graphs: list[int]) -> list[sp.csr_array]:
    """Counts of the same colours, as one table for each of several lists of graphs."""
    names, codes = np.unique(np.concatenate([c for _, c in rounds]), return_inverse=True)
    ends = np.cumsum([0] + [len(c) for _, c in rounds])
    return [
        sp.csr_array((np.ones(len(graph_of)), (graph_of, codes[ends[i] : ends[i + 1]])),
                     shape=(n_graphs[i], len(names)))
        for i, (graph_of, _) in enumerate(rounds)
    ]  # fmt: skip


def colour_steps(A: Graphs, B: Graphs, labels: np.ndarray) -> np.ndarray:
    out = np.zeros((MOST_ROUNDS + 1, len(A), len(B)))
    for number, rounds in enumerate(zip(_colour_counts(A, labels), _colour_counts(B, labels),
                                        strict=True)):  # fmt: skip
        of_a, of_b = _tables(list(rounds), [len(A), len(B)])
        out[number] = (of_a @ of_b.T).toarray()
    return out


def own_colour_steps(A: Graphs, labels: np.ndarray) -> np.ndarray:
    tables = [_tables([each], [len(A)])[0] for each in _colour_counts(A, labels)]
    return np.array([np.asarray(table.power(2).sum(axis=1)).ravel() for table in tables])


# ---- random walks: pairs of walks through equal labels, by length -------------------------------


def walk_steps(A: Graphs, B: Graphs, labels: np.ndarray) -> np.ndarray:
    """How many walks of 1, 2, ... edges in both graphs see the same labels; first, all pairs."""
    out = np.zeros((LONGEST_WALK + 1, len(A), len(B)))
    matrix, bounds = adjacency(B).astype(np.float64), B.flat.vertex_ptr
    labels_of_b = start_colours(dense(B.flat.features)[:, labels])
    for number, graph in enumerate(_each(A, labels)):
        for length, pairs in enumerate(_common_walks(*graph, matrix, labels_of_b)):
            total = np.concatenate([[0.0], np.cumsum(pairs.sum(axis=1))])
            out[length, number] = np.diff(total[bounds])
    return out


def own_walk_steps(A: Graphs, labels: np.ndarray) -> np.ndarray:
    each = [
        [pairs.sum() for pairs in _common_walks(matrix, colours, matrix, colours)]
        for matrix, colours in _each(A, labels)
    ]
    return np.array(each).T.reshape(LONGEST_WALK + 1, len(A))


def _each(graphs: Graphs, labels: np.ndarray) -> Any:
    """The matrix and the labels of each graph."""
    matrix, ptr = adjacency(graphs).astype(np.float64), graphs.flat.vertex_ptr
    colours = start_colours(dense(graphs.flat.features)[:, labels])
    for start, stop in pairwise(ptr):
        yield matrix[start:stop, start:stop], colours[start:stop]


def _common_walks(A: Any, labels_a: np.ndarray, B: Any, labels_b: np.ndarray) -> Any:
    """For every pair (vertex of B, vertex of A) the walks that end there, length by length.

    Labels are those of the ends of edges, as in GraKeL: without an edge all pairs count.
    """
    same = (labels_b[:, None] == labels_a[None, :]).astype(np.float64)
    yield np.ones_like(same)
    pairs = same
    for _ in range(LONGEST_WALK):
        pairs = same * (B @ (A @ pairs.T).T)
        yield pairs


def _rounds_up_to(most: int) -> np.ndarray:
    return (np.arange(MOST_ROUNDS + 1) <= most).astype(float)


def _walk_weights(kind: str, decay: float, longest: int) -> np.ndarray:
    lengths = np.arange(LONGEST_WALK + 1)
    weights = decay ** lengths.astype(float)
    if kind == "exponential":
        weights /= [factorial(length) for length in lengths]
    return np.where(lengths <= longest, weights, 0.0)


KERNELS = {
    "Weisfeiler-Leman": Kernel(
        colour_steps, own_colour_steps,
        {f"{most} rounds": _rounds_up_to(most) for most in range(MOST_ROUNDS + 1)},
    ),
    "random walks": Kernel(
        walk_steps, own_walk_steps,
        {
            f"{kind} {decay} up to {longest}": _walk_weights(kind, decay, longest)
            for kind in ("geometric", "exponential")
            for decay in (0.1, 0.01)
            for longest in (3, LONGEST_WALK)
        },
    ),
}  # fmt: skip
