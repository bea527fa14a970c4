"""Compiled and plain kernels agree on batches."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import graphtrees as gt
from graphtrees.columns import making
from graphtrees.columns.making import make_batch
from graphtrees.questions.features import FeatureTable
from kernels.builders import ALONE, KINDS, Kind, a_batch, some_graphs
from kernels.watching import MODULES, every_kernel, plain

every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@pytest.mark.parametrize(("module", "name"), every_kernel(), ids=lambda part: str(part))
def test_every_kernel_has_a_twin_with_the_same_arguments(module, name):
    twin = getattr(MODULES[module], name)
    kernel = plain(getattr(module, name))
    assert list(inspect.signature(twin).parameters) == list(inspect.signature(kernel).parameters)


@every_kind
@pytest.mark.parametrize("lane_major", [True, False], ids=["lane by lane", "vertex by vertex"])
def test_compiled_and_plain_kernels_agree_on_a_batch(kind: Kind, lane_major, watch, monkeypatch):
    monkeypatch.setattr(making, "SPARSE_SHARE", -1.0)  # every lane in full
    watch.exact = kind.exact
    batch = a_batch(some_graphs(kind), kind, lane_major)
    for operator in range(len(batch.operators)):
        for length in (1, 2, 3):
            batch.walked(operator, length, ALONE)
            batch.diagonal(operator, length, ALONE)
    assert {"walk_step", "closed_walks"} <= set(watch.calls)
    sparse = kind.filled < 0.3 or kind.n_features + kind.constant == 0
    assert ({"fill_lanes", "count_lanes"} <= set(watch.calls)) == sparse


@pytest.mark.parametrize("lane_major", [True, False], ids=["lane by lane", "vertex by vertex"])
def test_numbers_far_smaller_than_others_are_rounded_and_the_others_kept(lane_major, watch):
    values = np.array([[3e30, 1.0], [np.nan, -7.7], [1.1e14, 0.0], [1e3, 5e-7]], np.float32)
    flat = gt.Graphs([gt.Graph(v, []) for v in (values, values[:0], values[2:])]).flat
    batch = make_batch(flat, FeatureTable.of(flat, add_constant=False), ("adjacency",), lane_major)
    assert watch.calls["round_small"] == 1
    first = batch.x[: values.size].reshape((2, 4) if lane_major else (4, 2))
    first = first.T if lane_major else first
    np.testing.assert_array_equal(first[:, 1], values[:, 1])
    np.testing.assert_array_equal(first[:2, 0], values[:2, 0])
    assert first[2, 0] == pytest.approx(1.1e14, rel=1e-6)
    assert first[3, 0] == 0
    np.testing.assert_array_equal(np.sort(batch.x[values.size :]), np.sort(values[2:].ravel()))
