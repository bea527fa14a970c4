"""Clusters of processes on this machine."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator

import numpy as np
import pytest
from communicators import train_together

import graphtrees as gt

pytest.importorskip("distributed")

import dask
from distributed import Client, LocalCluster
from distributed.utils import get_mp_context

FORKED = {"distributed.worker.multiprocessing-method": "forkserver"}


@pytest.fixture(scope="session", autouse=True)
def forked_workers() -> Iterator[None]:
    """Workers are forked from one process with all imports: they are there at once."""
    with dask.config.set(FORKED):
        get_mp_context()  # says what it imports itself, once
        multiprocessing.get_context("forkserver").set_forkserver_preload(
            ["distributed", "graphtrees.distributed", "graphtrees.distributed.part"]
        )
        yield


def new_cluster(n_workers: int, **given) -> LocalCluster:
    return LocalCluster(
        n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=":0",
        silence_logs=50, **given,
    )  # fmt: skip


@pytest.fixture(scope="session")
def compiled() -> None:
    """Kernels are compiled once, here: else every worker of a new cluster does so for itself."""
    data = gt.datasets.make_red_isolated_vertex(n_graphs=20, n_vertices=6, random_state=0)
    vertices = data.X.vertices
    for examples, y in ((data.X, data.y), (vertices, np.arange(len(vertices)) % 2)):
        for kind in (gt.GraphBoostingClassifier, gt.GraphForestClassifier):
            train_together(kind(1, n_jobs=1), examples, y, np.arange(len(y)) % 2)


@pytest.fixture(scope="module")
def client(compiled):
    """Three workers, a process each."""
    with new_cluster(3) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture
def fresh_client(compiled):
    """Workers that a test may kill."""
    with new_cluster(2) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture
def small_client(compiled):
    """Workers that are killed if they take more memory than this."""
    with new_cluster(2, memory_limit="1GiB") as cluster, Client(cluster) as client:
        yield client
