"""LightGBM, XGBoost and scikit-learn's histogram boosting on tables of columns.

All with trees of the same size, as many bins and as many examples in a leaf as ours, and the time
for binning counted. Each library is imported only when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import columns
import data
import numpy as np
import scipy.sparse as sp
from clock import repeat, summary
from processes import THREADS, forget_peak

LEAVES, LEARNING_RATE, LEAST_IN_LEAF, BINS = 10, 0.1, 10, 255


def on_whole_graph_columns(
    peer: str, data_set: str, limit: int | None, budget: float, trees: int
) -> dict[str, Any]:
    """Seconds to make sum/mean/min/max of A^d X for d = 0, 1, 2 and to train on them."""
    task = data.load(data_set, limit)
    forget_peak()
    making = summary(repeat(lambda: columns.whole_graph(task.graphs), budget))
    table = columns.whole_graph(task.graphs)
    training = _fastest(peer, table, task.y, trees, budget)
    return training | {
        "seconds": making["seconds"] + training["seconds"],
        "making": making["seconds"],
        "n_columns": table.shape[1],
        "is_generated": task.is_generated,
    }


def on_wide_columns(
    peer: str, data_set: str, limit: int | None, budget: float, trees: int
) -> dict[str, Any]:
    """Seconds to train on a table as wide as our search; making it is not counted."""
    task = data.load(data_set, limit)
    forget_peak()
    table = columns.as_wide_as_a_search(task.graphs)
    return _fastest(peer, table, task.y, trees, budget) | {
        "n_columns": table.shape[1],
        "n_examples": len(task.y),
        "is_generated": task.is_generated,
    }


def _fastest(
    peer: str, table: np.ndarray, y: np.ndarray, trees: int, budget: float
) -> dict[str, Any]:
    """The better of a dense and a sparse table, as the peer's users would choose."""
    classes = np.unique(y, return_inverse=True)[1]
    train = TRAINERS[peer]
    tables = {"dense": table}
    if peer != "scikit-learn":  # takes dense tables only
        # The older class, for not all read csr_array. XGBoost takes what is not stored as missing:
        # another model than on the dense table, kept only where it was the faster one.
        tables["sparse"] = sp.csr_matrix(table)
    timings = []
    for kind, form in tables.items():
        train(form, classes, 3)
        seconds = repeat(lambda form=form: train(form, classes, trees), budget)
        timings.append(summary(seconds) | {"table": kind})
    return min(timings, key=lambda timing: timing["seconds"])


def _lightgbm(table: Any, y: np.ndarray, trees: int) -> None:
    import lightgbm

    settings = {
        "objective": "binary", "num_leaves": LEAVES, "learning_rate": LEARNING_RATE,
        "min_data_in_leaf": LEAST_IN_LEAF, "max_bin": BINS, "num_threads": THREADS,
        "verbosity": -1,
    }  # fmt: skip
    lightgbm.train(settings, lightgbm.Dataset(table, y, params=settings), trees)


def _xgboost(table: Any, y: np.ndarray, trees: int) -> None:
    import xgboost

    settings = {
        "objective": "binary:logistic", "tree_method": "hist", "grow_policy": "lossguide",
        "max_leaves": LEAVES, "max_depth": 0, "learning_rate": LEARNING_RATE, "max_bin": BINS,
        "nthread": THREADS,
    }  # fmt: skip
    table = xgboost.QuantileDMatrix(table, y, max_bin=BINS, nthread=THREADS)
    xgboost.train(settings, table, trees)


def _scikit_learn(table: Any, y: np.ndarray, trees: int) -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier

    HistGradientBoostingClassifier(
        max_iter=trees, max_leaf_nodes=LEAVES, learning_rate=LEARNING_RATE,
        min_samples_leaf=LEAST_IN_LEAF, max_bins=BINS, early_stopping=False,
    ).fit(table, y)  # fmt: skip


TRAINERS: dict[str, Callable[[Any, np.ndarray, int], None]] = {
    "LightGBM": _lightgbm,
    "XGBoost": _xgboost,
    "scikit-learn": _scikit_learn,
}
