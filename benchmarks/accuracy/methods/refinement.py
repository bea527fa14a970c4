"""Weisfeiler-Leman: how often each neighbourhood occurs in a graph, as columns of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import normalize
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.metaestimators import available_if

from benchmarks.accuracy.methods.tables import dense
from benchmarks.columns import adjacency
from graphtrees import Graphs

ROUNDS = 3
MOST_VALUES = 32  # a feature of more values, or of other than whole ones, is not a label
LARGEST_KERNEL = 10_000  # graphs
STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)


class OnColourCounts(BaseEstimator):
    """An estimator of tables, on counts of colours seen in at least two training graphs."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Graphs, y: np.ndarray) -> OnColourCounts:
        self.labels_ = label_columns(X)
        self.colours_ = np.unique(coloured(X, self.labels_)[1])
        counts = self._table(X)
        often = np.bincount(counts.indices, minlength=len(self.colours_)) > 1
        self.colours_ = self.colours_[often]
        self.estimator.fit(counts[:, often], y)
        self.classes_ = self.estimator.classes_
        return self

    def predict(self, X: Graphs) -> np.ndarray:
        return self.estimator.predict(self._table(X))

    @available_if(lambda self: hasattr(self.estimator, "predict_proba"))
    def predict_proba(self, X: Graphs) -> np.ndarray:
        return self.estimator.predict_proba(self._table(X))

    def decision_function(self, X: Graphs) -> np.ndarray:
        return self.estimator.decision_function(self._table(X))

    def _table(self, X: Graphs) -> sp.csr_array:
        """Counts of the known colours; a colour never seen in training has no column."""
        graph_of, colours = coloured(X, self.labels_)
        at = np.searchsorted(self.colours_, colours)
        seen = at < len(self.colours_)
        seen[seen] = self.colours_[at[seen]] == colours[seen]
        at = at.astype(np.int32)  # scikit-learn's forests read no wider indices
        cells = (np.ones(seen.sum(), np.float32), (graph_of[seen], at[seen]))
        return sp.csr_array(cells, shape=(len(X), len(self.colours_)))


def label_columns(graphs: Graphs) -> np.ndarray:
    """The features that tell vertices apart at the start: categories, and few whole numbers."""
    X, named = dense(graphs.flat.features), graphs.flat.categories or {}
    chosen = [j for j in range(X.shape[1]) if j in named or _is_label(X[:, j])]
    return np.array(chosen, dtype=np.int64)


def _is_label(values: np.ndarray) -> bool:
    distinct = np.unique(values[~np.isnan(values)])
    return len(distinct) <= MOST_VALUES and bool((distinct == np.round(distinct)).all())


def coloured(
    graphs: Graphs, labels: np.ndarray, n_rounds: int = ROUNDS
) -> tuple[np.ndarray, np.ndarray]:
    """The graph and the colour of every vertex after 0, 1, ... rounds, one below the other.

    A colour is a 64-bit hash of the vertex's colour before and of the multiset of its
    neighbours', so that graphs seen later get the same colours without a dictionary.
    """
    flat = graphs.flat
    A = adjacency(graphs)
    A.data[:] = 1
    A = A.astype(np.uint64)
    colours = start_colours(dense(flat.features)[:, labels])
    rounds = [colours]
    for _ in range(n_rounds):
        colours = mixed(mixed(colours) + np.uint64(3) * (A @ mixed(colours + np.uint64(1))))
        rounds.append(colours + np.uint64(len(rounds)))  # rounds are told apart
    graph_of = np.repeat(np.arange(flat.n_graphs, dtype=np.int32), np.diff(flat.vertex_ptr))
    return np.tile(graph_of, len(rounds)), np.concatenate(rounds)


def start_colours(features: np.ndarray) -> np.ndarray:
    """One colour for each combination of labels; without any, one for all."""
    colours = np.zeros(len(features), np.uint64)
    for column in features.T:
        colours = mixed(colours + np.nan_to_num(column, nan=-1).astype(np.int64).view(np.uint64))
    return colours


def mixed(values: np.ndarray) -> np.ndarray:
    """Spread 64-bit numbers evenly (the finaliser of SplitMix64)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


class KernelMachine(BaseEstimator):
    """A support vector machine on the normalised linear kernel, `C` chosen by inner folds."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, X: sp.csr_array, y: np.ndarray) -> KernelMachine:
        self.X_ = normalize(X)
        self.has_kernel_ = len(y) <= LARGEST_KERNEL
        model = SVC(kernel="precomputed") if self.has_kernel_ else LinearSVC()
        folds = StratifiedKFold(3, shuffle=True, random_state=self.seed)
        self.model_ = GridSearchCV(model, {"C": STRENGTHS}, cv=folds)
        self.model_.fit(self._rows(self.X_), y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: sp.csr_array) -> np.ndarray:
        return self.model_.predict(self._rows(normalize(X)))

    def decision_function(self, X: sp.csr_array) -> np.ndarray:
        return self.model_.decision_function(self._rows(normalize(X)))

    def _rows(self, X: sp.csr_array) -> Any:
        return (X @ self.X_.T).toarray() if self.has_kernel_ else X
