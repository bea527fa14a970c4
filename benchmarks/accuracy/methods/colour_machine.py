"""Weisfeiler-Leman colours with a linear support vector machine: for sets too large for a kernel.

The kernel of Weisfeiler-Leman is the product of two graphs' counts of colours. A linear machine on
the counts, divided by their length, learns the same kind of function without a matrix of all pairs
of graphs. Colours are hashes, made once for all settings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from benchmarks.accuracy.methods.refinement import coloured, label_columns
from graphtrees import Graphs

MOST_ROUNDS = 5


@dataclass(frozen=True)
class Colours:
    """The colours of all vertices, round by round, and where each graph's vertices begin."""

    rounds: np.ndarray  # (n_rounds + 1, n_vertices)
    ptr: np.ndarray

    @classmethod
    def of(cls, graphs: Graphs) -> Colours:
        """The labels of vertices are features that are labels here; see `label_columns`."""
        colours = coloured(graphs, label_columns(graphs), MOST_ROUNDS)[1]
        return cls(colours.reshape(MOST_ROUNDS + 1, -1), np.asarray(graphs.flat.vertex_ptr))

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def __getitem__(self, rows: np.ndarray) -> Colours:
        sizes = np.diff(self.ptr)[rows]
        ptr = np.concatenate([[0], np.cumsum(sizes)])
        places = np.arange(ptr[-1]) + np.repeat(self.ptr[:-1][rows] - ptr[:-1], sizes)
        return Colours(self.rounds[:, places], ptr)

    def table(self, names: np.ndarray, n_rounds: int) -> sp.csr_array:
        """How often each graph has the named colours, as rows of length 1."""
        colours = self.rounds[: n_rounds + 1].ravel()
        graph_of = np.tile(np.repeat(np.arange(len(self)), np.diff(self.ptr)), n_rounds + 1)
        at = np.searchsorted(names, colours).clip(max=len(names) - 1)
        known = names[at] == colours
        places = (graph_of[known].astype(np.int32), at[known].astype(np.int32))
        cells = (np.ones(known.sum()), places)
        return normalize(sp.csr_array(cells, shape=(len(self), len(names))))


class ColourMachine(BaseEstimator):
    """A linear support vector machine on counts of the colours of the training part."""

    def __init__(self, seed: int, n_rounds: int = 3, C: float = 1.0) -> None:
        self.seed = seed
        self.n_rounds = n_rounds
        self.C = C

    def fit(self, X: Colours, y: np.ndarray) -> ColourMachine:
        self.names_ = np.unique(X.rounds[: self.n_rounds + 1])
        self.model_ = LinearSVC(C=self.C, dual=True, random_state=self.seed)
        self.model_.fit(X.table(self.names_, self.n_rounds), y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Colours) -> np.ndarray:
        return self.model_.predict(X.table(self.names_, self.n_rounds))

    def decision_function(self, X: Colours) -> np.ndarray:
        return self.model_.decision_function(X.table(self.names_, self.n_rounds))
