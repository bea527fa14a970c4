"""Flat arrays of graphs: some of them, and values spread over their runs."""

from __future__ import annotations

import numpy as np
import pytest
from builders import a_rich_graph

import graphtrees as gt
from graphtrees.graphs import flat
from graphtrees.graphs.flat import spread


@pytest.mark.parametrize("sizes", [[], [0], [2], [0, 3, 0, 0, 1], [2, 0], [1, 1, 5]])
@pytest.mark.parametrize("few", [0, flat.FEW_ITEMS], ids=["shared", "few"])
def test_values_are_spread_over_their_runs(sizes, few, monkeypatch):
    monkeypatch.setattr(flat, "FEW_ITEMS", few)
    rng = np.random.default_rng(len(sizes))
    values = rng.integers(-9, 10, len(sizes))
    ptr = np.r_[0, np.cumsum(sizes)].astype(np.int64)
    assert spread(values, ptr).tolist() == np.repeat(values, sizes).tolist()


@pytest.mark.parametrize("span", [(0, 4), (0, 2), (1, 3), (2, 2), (3, 4)], ids=str)
def test_graphs_between_two_numbers_are_those_of_a_slice(span):
    graphs = gt.Graphs([a_rich_graph(seed, n) for seed, n in enumerate([3, 0, 5, 4])])
    some, expected = graphs.flat.between(*span), graphs[slice(*span)].flat
    for name, value in vars(expected).items():
        np.testing.assert_array_equal(getattr(some, name), value, err_msg=name)
