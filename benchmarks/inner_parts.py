"""Where defaults are chosen: parts of data sets to fit on and to score on, never a test part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, train_test_split

from graphtrees import datasets

Part = tuple[Any, np.ndarray, Any, np.ndarray]  # X and y to fit on, X and y to score on

# Enough examples to tell settings apart, few enough to try many of them.
N_FOLDS = {"MUTAG": 5, "PROTEINS": 3}
N_FIT = {"NCI1": 2000, "Actor": 600, "Tolokers": 800}
N_SCORE = {"NCI1": 1328, "Actor": 1200, "Tolokers": 2000}
NAMES = ("MUTAG", "PROTEINS", "NCI1", "Cora", "Actor", "Tolokers")
METRIC = {"Tolokers": "AUC"}  # the others: accuracy


def inner_parts(name: str) -> Iterator[Part]:
    """The parts of one data set.

    MUTAG: folds of nine tenths of it (the rest counts as its test part). PROTEINS, NCI1: folds,
    or two pieces, of the training part of the first published split. Cora, Actor, Tolokers: the
    training part (or a piece) of the first split, scored on its validation part (or a piece).
    """
    if name in N_FOLDS:
        X, y = _development_part(name)
        folds = StratifiedKFold(N_FOLDS[name], shuffle=True, random_state=0)
        for fit, score in folds.split(np.zeros(len(y)), y):
            yield X[fit], y[fit], X[score], y[score]
    elif name == "NCI1":
        X, y = _development_part(name)
        fit, score = _piece(y, N_FIT[name], N_SCORE[name])
        yield X[fit], y[fit], X[score], y[score]
    else:
        yield _of_split(name)


def _development_part(name: str) -> tuple[Any, np.ndarray]:
    bunch = datasets.load_tu(name)
    if bunch.splits:
        rows = bunch.splits[0]["train"]
    else:
        rows, _ = train_test_split(
            np.arange(len(bunch.y)), test_size=0.1, stratify=bunch.y, random_state=0
        )
    return bunch.X[rows], bunch.y[rows]


def _of_split(name: str) -> Part:
    load = {
        "Cora": datasets.load_planetoid,
        "Actor": datasets.load_geom_gcn,
        "Tolokers": datasets.load_heterophilous,
    }[name]
    bunch = load(name)
    fit, score = bunch.splits[0]["train"], bunch.splits[0]["validation"]
    if name in N_FIT:
        fit = fit[_piece(bunch.y[fit], N_FIT[name], 0)[0]]
        score = score[_piece(bunch.y[score], N_SCORE[name], 0)[0]]
    return bunch.X[fit], bunch.y[fit], bunch.X[score], bunch.y[score]


def _piece(y: np.ndarray, n_fit: int, n_score: int) -> tuple[np.ndarray, np.ndarray]:
    """Two disjoint, stratified draws."""
    fit, rest = train_test_split(np.arange(len(y)), train_size=n_fit, stratify=y, random_state=0)
    return np.sort(fit), np.sort(rest[:n_score])
