"""A node that draws its questions computes the columns of these, and of no others."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from graphtrees.kernels import graph_values, vertex_columns
from graphtrees.kernels.growing import searching
from graphtrees.trees.grower import Draws, grow_tree
from graphtrees.trees.limits import GrowthLimits
from kernels.growing import CRITERIA, data_about, some_statistics

plain_python_only = pytest.mark.skipif(
    not numba.config.DISABLE_JIT, reason="compiled kernels do not call what a test puts in place"
)
N_DRAWN = 3


class Calls:
    """Which columns were searched in one node, and which of them were computed for it."""

    def __init__(self, monkeypatch) -> None:
        self.searched: list[tuple] = []
        self.computed: list[tuple] = []
        search, ask = searching._search_column, searching.ask_column

        def watched_search(child, column, *rest):
            self.searched.append((child, *column))
            return search(child, column, *rest)

        def watched_ask(source, child, k, c, f, *rest):
            self.computed.append((child, k, c, f))
            return ask(source, child, k, c, f, *rest)

        monkeypatch.setattr(searching, "_search_column", watched_search)
        monkeypatch.setattr(searching, "ask_column", watched_ask)


def never(*arguments):
    raise AssertionError("columns of subsets were made for all features")


def grow_two_splits(data, drawn: int | None) -> None:
    rng = np.random.default_rng(0)
    limits = GrowthLimits(max_leaf_nodes=3, min_samples_leaf=1)
    statistics = some_statistics("newton", data.n_examples, rng)
    everyone, draws = np.arange(data.n_examples), Draws.of(rng, drawn)
    with np.errstate(invalid="ignore"):
        grow_tree(data, statistics, CRITERIA["newton"], limits, everyone, draws, 1)


def some_data(about: str):
    """Columns of whole graphs are made for all trees, before any draw."""
    data = data_about(about, "reals", 255)
    assert data.static.values.size
    return data


@plain_python_only
@pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])
def test_questions_that_are_not_drawn_are_not_computed(about, monkeypatch):
    data, calls = some_data(about), Calls(monkeypatch)
    monkeypatch.setattr(graph_values, "make_graphs", never)
    monkeypatch.setattr(vertex_columns, "make_columns", never)
    grow_two_splits(data, N_DRAWN)
    # Three nodes are searched, each in at most four turns: until a draw holds a split.
    assert 0 < len(calls.searched) <= 3 * 4 * N_DRAWN
    assert set(calls.computed) <= set(calls.searched)


@plain_python_only
@pytest.mark.parametrize("about", ["graphs", "vertices", "edges"])
def test_without_a_draw_every_column_is_searched(about, monkeypatch):
    data, calls = some_data(about), Calls(monkeypatch)
    grow_two_splits(data, None)
    assert len(calls.searched) > 3 * 4 * N_DRAWN
    assert not calls.computed  # they were made for all features at once
