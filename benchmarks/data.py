"""The data sets by name, as training examples: the public ones, or generated twins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import generated
import numpy as np
import scipy.sparse as sp

from graphtrees import Graph, Graphs, Vertices, datasets

TU = ("MUTAG", "PTC_MR", "PROTEINS", "ENZYMES", "NCI1", "DD", "IMDB-BINARY")
LOADERS: dict[str, Callable[..., Any]] = {
    **{name: partial(datasets.load_tu, name) for name in TU},
    "ogbg-molhiv": partial(datasets.load_ogb, "ogbg-molhiv"),
    "Cora": partial(datasets.load_planetoid, "Cora"),
    "Actor": partial(datasets.load_geom_gcn, "Actor"),
    "Tolokers": partial(datasets.load_heterophilous, "Tolokers"),
    "Flights": datasets.load_flights,
    "Flights, numbers": lambda **options: _codes_as_numbers(datasets.load_flights(**options)),
}
ON_TRAINING_PART = ("Cora", "Actor", "Tolokers")  # of their first split; of others, all there is


def _codes_as_numbers(bunch: Any) -> Any:
    """A vertex task whose categories are read as numbers."""
    graph = bunch.graph
    bunch.graph = Graph(
        graph.features, graph.edge_index.T, directed=graph.directed, edge_types=graph.edge_types
    )
    bunch.X = bunch.graph.vertices
    return bunch


@dataclass(frozen=True)
class Task:
    """Examples and their classes."""

    X: Graphs | Vertices
    y: np.ndarray
    is_generated: bool

    @property
    def graphs(self) -> Graphs:
        return self.X if isinstance(self.X, Graphs) else self.X.graphs

    @property
    def n_bytes(self) -> int:
        """The input's own size: every array of the graphs, and the classes."""
        flat = self.graphs.flat
        return self.y.nbytes + sum(_n_bytes(getattr(flat, field.name)) for field in fields(flat))


def load(name: str, limit: int | None = None) -> Task:
    """A data set by name; with a `limit`, so many of its examples, spread evenly."""
    try:
        task = _public(name)
    except FileNotFoundError:
        task = make(generated.SHAPES[name])
    if limit is None or limit >= len(task.y):
        return task
    rows = np.linspace(0, len(task.y) - 1, limit).astype(np.int64)
    X = task.X[rows]
    # Gathered anew, so that the examples left out take no memory.
    X = Graphs(list(X)) if isinstance(X, Graphs) else X
    return Task(X, task.y[rows], task.is_generated)


def make(shape: generated.Shape) -> Task:
    """Generated examples."""
    graphs, y, labelled = generated.make(shape)
    if labelled is None:
        return Task(graphs, y, True)
    return Task(graphs.vertices[labelled], y[labelled], True)


def _public(name: str) -> Task:
    """From the folder that GRAPHTREES_DATA names or the user's cache; nothing is downloaded."""
    bunch = LOADERS[name](download_if_missing=False)
    if name not in ON_TRAINING_PART:
        return Task(bunch.X, bunch.y, False)
    rows = bunch.splits[0]["train"]
    return Task(bunch.X[rows], bunch.y[rows], False)


def _n_bytes(value: Any) -> int:
    if sp.issparse(value):
        return value.data.nbytes + value.indices.nbytes + value.indptr.nbytes
    return value.nbytes if isinstance(value, np.ndarray) else 0
