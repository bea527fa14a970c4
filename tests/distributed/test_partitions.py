"""Graphs that are here are dealt out evenly, in whatever order they come."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("distributed")

from graphtrees.distributed.partitions import _dealt


@pytest.mark.parametrize("n_workers", [1, 2, 3, 7])
def test_workers_get_as_many_graphs_and_vertices_of_each_class(n_workers):
    """Also where graphs come class after class, and those of one class are larger."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [900, 300])
    sizes = rng.poisson(np.where(y, 60, 20)) + 1
    owner = _dealt(sizes, n_workers)
    n_graphs = np.bincount(owner, minlength=n_workers)
    n_vertices = np.bincount(owner, sizes, n_workers)
    assert np.ptp(n_graphs) <= 1
    assert np.ptp(n_vertices) < 0.01 * n_vertices.mean() + sizes.max()
    for one in range(2):
        n = np.bincount(owner[y == one], minlength=n_workers)
        assert np.ptp(n) < 0.35 * n.mean() + 1


def test_one_huge_graph_does_not_leave_others_without_graphs():
    owner = _dealt(np.array([1, 1000, 1, 1]), 2)
    assert np.bincount(owner).tolist() == [2, 2]
