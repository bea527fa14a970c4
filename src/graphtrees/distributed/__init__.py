"""Training on a Dask cluster: the same estimators, the same models, more machines.

>>> from distributed import Client                          # doctest: +SKIP
>>> from graphtrees.distributed import DaskGraphBoostingClassifier
>>> client = Client("tcp://scheduler:8786")                 # doctest: +SKIP
>>> model = DaskGraphBoostingClassifier(random_state=0)
>>> model.fit(gt.scan_parquet("graphs/"), "y")              # doctest: +SKIP
"""

from __future__ import annotations

from graphtrees._optional import require

require("distributed", extra="dask", purpose="graphtrees.distributed")

from graphtrees.distributed.errors import WorkerLostError  # noqa: E402
from graphtrees.distributed.estimators import (  # noqa: E402
    DaskGraphBoostingClassifier,
    DaskGraphBoostingRegressor,
    DaskGraphForestClassifier,
    DaskGraphForestRegressor,
)

__all__ = [
    "DaskGraphBoostingClassifier",
    "DaskGraphBoostingRegressor",
    "DaskGraphForestClassifier",
    "DaskGraphForestRegressor",
    "WorkerLostError",
]
