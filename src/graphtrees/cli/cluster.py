"""`--cluster ADDRESS`: train on the workers of a Dask cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphtrees.cli.errors import UserError
from graphtrees.cli.settings import Settings
from graphtrees.graphs import Graphs


def check_cluster(settings: Settings) -> None:
    """Refuse what cannot be done on a cluster, before anything is read."""
    if settings.cluster is None:
        return
    if settings.auto is not None or settings.estimator == "tree":
        raise UserError(
            "--cluster trains boosting and forests: leave out --auto and --estimator tree"
        )
    if settings.cv is not None:
        raise UserError("--cluster tests on held-out examples: use --test-size instead of --cv")
    if settings.resume is not None:
        raise UserError("--cluster goes on from a --checkpoint by itself: leave out --resume")


def fit_on_cluster(
    model: Any, X: Any, y: Any, address: str, checkpoint: Path | None, options: dict[str, Any]
) -> None:
    """Train an estimator; what was learned becomes its own."""
    try:
        from distributed import Client

        from graphtrees.distributed.estimators import on_dask
    except ImportError as error:
        raise UserError(str(error)) from None
    if not isinstance(X, Graphs):
        raise UserError(f"--cluster trains on graphs; these are {type(X).__name__.lower()}")
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise UserError(f"--cluster {address}: {error}") from None
    with client:
        remote = on_dask(model)
        given = options if checkpoint is None else {**options, "checkpoint": checkpoint}
        remote.fit(X, y, **given)
        vars(model).update(vars(remote.to_local()))
