"""The data sets: examples, labels, how they are scored, and which parts are trained and tested on.

Published splits are used where they are the custom. Their validation parts are for methods that
tune themselves; the others leave them unused. The other sets are dealt into stratified folds,
shuffled by the seed.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from graphtrees import Graph, Graphs, datasets

Parts = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Problem:
    """Examples and labels; `splits` are published (train, test) pairs, or None for folds.

    `validations` are the validation parts of the splits, where there are any.
    """

    X: Any  # Graphs or Vertices
    y: np.ndarray
    metric: str = "accuracy"  # or "ROC AUC", "RMSE"
    splits: tuple[Parts, ...] | None = None
    validations: tuple[np.ndarray, ...] | None = None

    @property
    def kind(self) -> str:
        return "graphs" if isinstance(self.X, Graphs) else "vertices"

    @property
    def classifies(self) -> bool:
        return self.metric != "RMSE"

    def parts(self, seed: int, fold: int, n_folds: int) -> Parts:
        """Rows to train on and rows to test on."""
        if self.splits is not None:
            return self.splits[fold]
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
        return list(folds.split(np.zeros(len(self.y)), self.y))[fold]

    def validation(self, fold: int) -> np.ndarray | None:
        """Rows to choose settings by; None: the training part has to do."""
        return None if self.validations is None else self.validations[fold]


@dataclass(frozen=True)
class DataSet:
    """How to load a problem, and what is known of it before.

    `n_splits` is 0 where folds are dealt. `size` (thousands of vertices) only serves to start
    cheap tasks first. `tuned_on` names the set on which settings are chosen, if it is another.
    `missing()` says why the data cannot be had, or nothing.
    """

    load: Callable[[], Problem]
    kind: str
    size: float
    n_splits: int = 0
    classifies: bool = True
    tuned_on: str = ""
    missing: Callable[[], str] = lambda: ""


def _published(load: Callable[..., Any], metric: str = "accuracy", **options: Any) -> Problem:
    bunch = load(**options)
    splits = tuple((split["train"], split["test"]) for split in bunch.splits)
    has_validation = all("validation" in split for split in bunch.splits)
    held = tuple(split["validation"] for split in bunch.splits) if has_validation else None
    return Problem(bunch.X, bunch.y, metric, splits, held)


def _all_labels(name: str) -> Problem:
    """Trained on every vertex outside the published validation and test parts."""
    problem = _published(partial(datasets.load_planetoid, name))
    (_, test), held = problem.splits[0], problem.validations[0]
    train = np.setdiff1d(np.arange(len(problem.y)), np.concatenate([test, held]))
    return replace(problem, splits=((train, test),))


def _tu(name: str) -> Problem:
    bunch = datasets.load_tu(name)
    return Problem(bunch.X, bunch.y)


def _with_degrees(name: str) -> Problem:
    """Graphs without features, each vertex with the number of its neighbours as its only one."""
    bunch = datasets.load_tu(name)
    graphs = [
        Graph(graph.adjacency().sum(axis=1).reshape(-1, 1), graph.edge_index.T) for graph in bunch.X
    ]
    return Problem(Graphs(graphs), bunch.y)


def _codes_as_numbers(name: str, metric: str) -> Problem:
    """Categories of vertices as the numbers that their file has for them, in its order."""
    problem = _published(partial(datasets.load_ogb, name), metric)
    graphs = [Graph(np.asarray(graph.features, float), graph.edge_index.T) for graph in problem.X]
    return replace(problem, X=Graphs(graphs))


def _graphs(name: str, size: float) -> DataSet:
    return DataSet(partial(_tu, name), "graphs", size)


def _vertices(load: Callable[..., Any], size: float, n_splits: int, **options: Any) -> DataSet:
    classifies, tuned_on = options.get("metric") != "RMSE", options.pop("tuned_on", "")
    return DataSet(
        partial(_published, load, **options), "vertices", size, n_splits, classifies, tuned_on
    )


def _walk_counts(walk_type: str) -> Problem:
    """One of the four counting tasks of the paper; five disjoint test parts of a fifth each."""
    bunch = datasets.make_walk_counts(walk_type, random_state=0)
    folds = KFold(5, shuffle=True, random_state=0).split(bunch.y)
    return Problem(bunch.X, bunch.y, "RMSE", tuple(folds))


def _no_arxiv() -> str:
    try:
        datasets.load_ogb("ogbn-arxiv", download_if_missing=False)
    except FileNotFoundError:
        return "ogbn-arxiv is not in the folder of data sets"
    return ""


DATA_SETS = {
    "MUTAG": _graphs("MUTAG", 3),
    "PTC_MR": _graphs("PTC_MR", 5),
    "PROTEINS": _graphs("PROTEINS", 43),
    "ENZYMES": _graphs("ENZYMES", 60),
    "NCI1": _graphs("NCI1", 123),
    "Mutagenicity": _graphs("Mutagenicity", 131),
    "IMDB-BINARY": _graphs("IMDB-BINARY", 20),
    "IMDB-MULTI": _graphs("IMDB-MULTI", 40),
    "DD": _graphs("DD", 335),
    "molHIV": DataSet(
        partial(_published, partial(datasets.load_ogb, "ogbg-molhiv"), metric="ROC AUC"),
        "graphs", 1049, 1,
    ),
    "Cora": _vertices(partial(datasets.load_planetoid, "Cora"), 10, 1),
    "Citeseer": _vertices(partial(datasets.load_planetoid, "Citeseer"), 12, 1,
                          tuned_on="Cora"),
    "Pubmed": _vertices(partial(datasets.load_planetoid, "Pubmed"), 40, 1, tuned_on="Cora"),
    # Walked both ways, as most published work does.
    "Cornell": _vertices(partial(datasets.load_geom_gcn, "Cornell"), 2, 10, directed=False),
    "Actor": _vertices(partial(datasets.load_geom_gcn, "Actor"), 60, 10, directed=False),
    "tolokers": _vertices(
        partial(datasets.load_heterophilous, "Tolokers"), 200, 10, metric="ROC AUC"
    ),
    "County": _vertices(datasets.load_county, 8, 5, metric="RMSE"),
}  # fmt: skip

# Run by name only.
MORE_SETS = {
    "PROTEINS_full": _graphs("PROTEINS_full", 90),
    "ogbn-arxiv": DataSet(
        partial(_published, partial(datasets.load_ogb, "ogbn-arxiv")),
        "vertices", 3000, 1, missing=_no_arxiv,
    ),
    "Cora-all-labels": DataSet(partial(_all_labels, "Cora"), "vertices", 40, 1),
    "Citeseer-all-labels": DataSet(
        partial(_all_labels, "Citeseer"), "vertices", 60, 1, tuned_on="Cora-all-labels"
    ),
    "molHIV-numbers": DataSet(
        partial(_codes_as_numbers, "ogbg-molhiv", "ROC AUC"), "graphs", 1049, 1
    ),
    **{
        f"{name}-degrees": DataSet(partial(_with_degrees, name), "graphs", 30)
        for name in ("IMDB-BINARY", "IMDB-MULTI")
    },
    **{
        f"{walk_type}-walks": DataSet(partial(_walk_counts, walk_type), "graphs", 20, 5, False)
        for walk_type in ("source", "cycle", "target", "target_source")
    },
}  # fmt: skip


def data_set(name: str) -> DataSet:
    """A data set by its name, or by `module:name` of a `DataSet` elsewhere."""
    if ":" in name:
        return named_object(name)
    every = DATA_SETS | MORE_SETS
    if name not in every:
        raise KeyError(f"no data set {name!r}; there are {', '.join(every)}")
    return every[name]


def named_object(name: str) -> Any:
    """The object called `module:name`."""
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)
