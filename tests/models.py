"""The six estimators, small enough for tests, in one place."""

from __future__ import annotations

from typing import Any

import graphtrees as gt

CLASSIFIERS = (gt.GraphTreeClassifier, gt.GraphForestClassifier, gt.GraphBoostingClassifier)
REGRESSORS = (gt.GraphTreeRegressor, gt.GraphForestRegressor, gt.GraphBoostingRegressor)
SIX = CLASSIFIERS + REGRESSORS
BOOSTING = (gt.GraphBoostingClassifier, gt.GraphBoostingRegressor)
FORESTS = (gt.GraphForestClassifier, gt.GraphForestRegressor)
ONE_TREE = (gt.GraphTreeClassifier, gt.GraphTreeRegressor)


def small(kind: type, **given: Any) -> Any:
    """An estimator of this kind with few, small trees, a fixed seed and one thread."""
    settings: dict[str, Any] = {"max_leaf_nodes": 6, "random_state": 0, "n_jobs": 1}
    if kind not in ONE_TREE:
        settings["n_estimators"] = 3
    if kind in BOOSTING:
        settings |= {"min_samples_leaf": 1, "learning_rate": 0.5, "l2_regularization": 0.0}
    return kind(**settings | given)


def name_of(kind: type) -> str:
    """For the ids of parametrized tests."""
    return kind.__name__.removeprefix("Graph")
