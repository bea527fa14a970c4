"""Estimators that train on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from graphtrees.distributed.on_dask import BoostsOnDask, ClassifiesOnDask, GrowsForestOnDask
from graphtrees.estimators import (
    GraphBoostingClassifier,
    GraphBoostingRegressor,
    GraphForestClassifier,
    GraphForestRegressor,
)
from graphtrees.estimators.boosting import OF_BOOSTING
from graphtrees.estimators.docstrings import fill_parameters

Kind = TypeVar("Kind", bound=type)


DESCRIPTION = """`{local}` on a Dask cluster, which gives the same model.

Use it for more graphs than one machine holds, or to train on several machines at once. It uses the
newest `distributed.Client` of the process, or the one that is set as `client`.

Parameters
----------
{{parameters}}

Attributes
----------
client : distributed.Client or None
    The cluster to train on; None: that of the newest client.
cluster_report_ : object
    How many workers took part (`n_workers`), and what they sent (`n_messages`, `n_bytes`).
{{attributes}}

Examples
--------
>>> import graphtrees as gt
>>> from distributed import Client
>>> from graphtrees.distributed import {name}
>>> client = Client("tcp://10.0.0.1:8786")                      # doctest: +SKIP
>>> files = gt.scan_parquet("graphs/")                          # doctest: +SKIP
>>> model = {name}(random_state=0)
>>> model.fit(files, "y").predict(files).compute()              # doctest: +SKIP
"""


def described(*attributes: str) -> Callable[[Kind], Kind]:
    """The docstring that all have; `attributes` are those of the estimator on one machine."""

    def describe(kind: Kind) -> Kind:
        name = kind.__name__
        kind.__doc__ = DESCRIPTION.format(name=name, local=name.removeprefix("Dask"))
        return fill_parameters(*attributes)(kind)

    return describe


@described("classes_", "n_classes_", *OF_BOOSTING)
class DaskGraphBoostingClassifier(BoostsOnDask, ClassifiesOnDask, GraphBoostingClassifier):
    local_class = GraphBoostingClassifier


@described(*OF_BOOSTING)
class DaskGraphBoostingRegressor(BoostsOnDask, GraphBoostingRegressor):
    local_class = GraphBoostingRegressor


@described("classes_", "n_classes_", "estimators_", "oob_score_", "oob_decision_function_")
class DaskGraphForestClassifier(GrowsForestOnDask, ClassifiesOnDask, GraphForestClassifier):
    local_class = GraphForestClassifier


@described("estimators_", "oob_score_", "oob_prediction_")
class DaskGraphForestRegressor(GrowsForestOnDask, GraphForestRegressor):
    local_class = GraphForestRegressor


def on_dask(model: Any) -> Any:
    """An estimator with the same parameters that trains on a cluster."""
    kinds = (
        DaskGraphBoostingClassifier, DaskGraphBoostingRegressor, DaskGraphForestClassifier,
        DaskGraphForestRegressor,
    )  # fmt: skip
    kind = next(kind for kind in kinds if kind.local_class is type(model))
    return kind(**model.get_params(deep=False))
