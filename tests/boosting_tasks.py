"""Small tasks for boosting, the same for graphs and for vertices, made in one place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from builders import some_graphs

import graphtrees as gt

KINDS = ("graphs", "vertices")
both = pytest.mark.parametrize("about", KINDS)
# Few walks: the engine is tested elsewhere, and small models are quick to fit.
SMALL = {"max_walk_length": 1, "max_leaf_nodes": 4, "min_samples_leaf": 2, "n_jobs": 1}


def examples(about: str, n: int = 60, seed: int = 0) -> Any:
    """n graphs, or n vertices of a few graphs."""
    if about == "graphs":
        return some_graphs(n, seed=seed, n_vertices=(3, 6), integers=True)
    return some_graphs(4, seed=seed, n_vertices=(n // 4, n // 4), density=0.15).vertices


def numbers(X: Any, seed: int = 0, noise: float = 0.3) -> np.ndarray:
    """A number for each example, told by its features and its edges, and noise."""
    rng = np.random.default_rng(seed)
    if isinstance(X, gt.Graphs):
        told = [g.features[:, 0].sum() + 0.5 * g.n_edges for g in X]
    else:
        graphs = X.graphs
        told = [
            graphs[g].features[v, 0] + 0.5 * graphs[g].adjacency()[[v]].sum()
            for g, v in zip(X.graph_of, X.vertex_of, strict=True)
        ]
    return np.array(told) + noise * rng.normal(size=len(X))


def classes(X: Any, n_classes: int = 2, seed: int = 0) -> np.ndarray:
    """As many classes of about the same size."""
    values = numbers(X, seed)
    cuts = np.quantile(values, np.arange(1, n_classes) / n_classes)
    return np.digitize(values, cuts)


def classifier(n_estimators: int = 5, **given: Any) -> gt.GraphBoostingClassifier:
    return gt.GraphBoostingClassifier(n_estimators, **{"random_state": 0, **SMALL, **given})


def regressor(n_estimators: int = 5, **given: Any) -> gt.GraphBoostingRegressor:
    return gt.GraphBoostingRegressor(n_estimators, **{"random_state": 0, **SMALL, **given})


def assert_same_model(one: Any, other: Any, X: Any) -> None:
    """The same trees, start, scores and predictions, bit for bit."""
    from pandas.testing import assert_frame_equal

    assert_frame_equal(one.trees_to_dataframe(), other.trees_to_dataframe(), check_exact=True)
    assert one.init_.tobytes() == other.init_.tobytes()
    assert one.evals_result_ == other.evals_result_
    assert (one.n_iter_, one.best_iteration_) == (other.n_iter_, other.best_iteration_)
    assert one._raw(X).tobytes() == other._raw(X).tobytes()
