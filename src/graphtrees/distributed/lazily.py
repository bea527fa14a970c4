"""Predictions that are computed when they are asked for, piece by piece, on the cluster."""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client, worker_client

from graphtrees.distributed.partitions import as_graphs, read_source
from graphtrees.distributed.running import TIMEOUT, run_prediction
from graphtrees.graphs.large import GraphTables

# Graphs that are here are predicted in pieces of so many.
GRAPHS_A_PIECE = 10_000


def predict_lazily(client: Client, model: Any, method: str, X: Any) -> da.Array:
    """A dask array with a chunk for each piece of X."""
    source = read_source(X)
    kept = dask.delayed(model)
    if source.tables is not None:
        like, whole = _one_row(model, method), dask.delayed(_predict_graph)
        return da.from_delayed(
            whole(kept, method, source.tables), (len(source.tables), *like.shape[1:]), like.dtype
        )
    if source.files is not None:
        pieces = [dask.delayed(source.files.read)(k) for k in range(len(source.files.files))]
        sizes: list[float] = [n for _, n in source.files.files]
    elif source.in_memory is not None:
        graphs, step = source.in_memory, GRAPHS_A_PIECE
        parts = [graphs[k : k + step] for k in range(0, max(1, len(graphs)), step)]
        pieces, sizes = [dask.delayed(part) for part in parts], [len(part) for part in parts]
    else:
        pieces, sizes = source.pieces, [np.nan] * len(source.pieces)
    like = _one_row(model, method)
    blocks = [
        da.from_delayed(
            dask.delayed(_predict)(kept, method, piece), (size, *like.shape[1:]), like.dtype
        )
        for piece, size in zip(pieces, sizes, strict=True)
    ]
    return da.concatenate(blocks, allow_unknown_chunksizes=True)


def _predict_graph(model: Any, method: str, tables: GraphTables) -> np.ndarray:
    """Starts on one worker, which asks all of them for help."""
    with worker_client() as client:
        return run_prediction(client, model, method, tables, TIMEOUT)


def _predict(model: Any, method: str, piece: Any) -> np.ndarray:
    return getattr(model, method)(as_graphs(piece))


def _one_row(model: Any, method: str) -> np.ndarray:
    """An array of the shape and type of a prediction."""
    if method == "predict_proba":
        return np.empty((1, len(model.classes_)))
    if hasattr(model, "classes_"):
        return model.classes_[:1]
    n_outputs = model._fitted.n_outputs
    return np.empty((1,) if n_outputs == 1 else (1, n_outputs))
