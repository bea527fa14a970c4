"""Clusters of processes on this machine."""

from __future__ import annotations

import pytest

pytest.importorskip("distributed")

from distributed import Client, LocalCluster


def new_cluster(n_workers: int) -> LocalCluster:
    return LocalCluster(
        n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=":0",
        silence_logs=50,
    )  # fmt: skip


@pytest.fixture(scope="module")
def client():
    """Three workers, a process each."""
    with new_cluster(3) as cluster, Client(cluster) as client:
        yield client


@pytest.fixture
def fresh_client():
    """Workers that a test may kill."""
    with new_cluster(2) as cluster, Client(cluster) as client:
        yield client
