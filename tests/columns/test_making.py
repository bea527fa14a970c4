"""Threads that have a stretch of the graphs each prepare what one thread would."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
from builders import a_rich_graph, some_graphs
from scipy import sparse

import graphtrees as gt
from graphtrees._threads import ONE_THREAD, Workers
from graphtrees.columns.making import make_batch
from graphtrees.ensembles.examples import Examples
from graphtrees.estimators.memory import shape_of
from graphtrees.kernels._rows import WIDTH
from graphtrees.questions.features import FeatureTable
from graphtrees.questions.operators import expand_operators
from graphtrees.questions.plan import QuestionSpace
from graphtrees.validation.fingerprints import fingerprints

OPERATORS = ("adjacency", "reverse", "mean", "relations")


class Finely(Workers):
    """Shares out however little there is."""

    def spans(self, n: int, at_least: int, turns: int = 1) -> list[tuple[int, int]]:
        return super().spans(n, 1, turns)


def rich_graphs(directed: bool) -> gt.Graphs:
    sizes = [5, 0, 1, 7, 3, 0, 6, 4, 2, 5]
    return gt.Graphs(
        [a_rich_graph(seed, n, n_edges=12, directed=directed) for seed, n in enumerate(sizes)]
    )


def thin_graphs(form) -> gt.Graphs:
    """Most features of most vertices are 0, but not those of the first graph."""
    rng = np.random.default_rng(0)
    graphs = []
    for n in (4, 1, 6, 3, 5, 2):
        features = rng.normal(size=(n, 9)) * (rng.random((n, 9)) < (0.1 if graphs else 0.9))
        graphs.append(gt.Graph(form(features), rng.integers(0, n, (2 * n, 2))))
    return gt.Graphs(graphs)


KINDS = {
    "everything, directed": lambda: rich_graphs(True),
    "everything, undirected": lambda: rich_graphs(False),
    "sparse": lambda: thin_graphs(sparse.csr_array),
    "mostly zeros": lambda: thin_graphs(np.asarray),
    "whole numbers": lambda: some_graphs(12, n_vertices=(1, 9), integers=True),
    "reals, some missing": lambda: some_graphs(12, n_vertices=(1, 9), missing=0.2, weighted=True),
    "one graph": lambda: some_graphs(1),
}
kinds = pytest.mark.parametrize("kind", KINDS)
threads = pytest.mark.parametrize("n_threads", [2, 3, 16])


def flattened(thing: Any) -> list[Any]:
    """All arrays and numbers of a record."""
    if isinstance(thing, np.ndarray):
        return [(thing.dtype, thing.shape, thing.tobytes())]
    if is_dataclass(thing):
        return [part for one in fields(thing) for part in flattened(getattr(thing, one.name))]
    if isinstance(thing, (tuple, list)):
        return [part for one in thing for part in flattened(one)]
    return [thing]


@kinds
@threads
@pytest.mark.parametrize("layout", [{"lane_major": True}, {"row_of": WIDTH}, {}], ids=str)
def test_a_batch_is_the_same_for_any_number_of_threads(kind, n_threads, layout):
    flat = KINDS[kind]().flat
    table = FeatureTable.of(flat, add_constant=True)
    operators = expand_operators(OPERATORS, flat)
    alone = make_batch(flat, table, operators, **layout)
    with Finely(n_threads) as workers:
        together = make_batch(flat, table, operators, **layout, workers=workers)
        assert flattened(together) == flattened(alone)
        for operator in range(len(operators)):
            for length in (1, 2, 3, 4):  # longer ones read the transpose
                diagonals = [
                    batch.diagonal(operator, length, few).tobytes()
                    for batch, few in ((alone, ONE_THREAD), (together, workers))
                ]
                assert diagonals[0] == diagonals[1]


@kinds
@threads
def test_hashes_and_the_memory_estimate_are_the_same_for_any_number_of_threads(kind, n_threads):
    flat = KINDS[kind]().flat
    table = FeatureTable.of(flat, add_constant=True)
    space = QuestionSpace(
        2, 2, (0, 1), (0, 1), 1.0, operators=expand_operators("adjacency", flat), of_graphs=True
    )
    alone, together = (Examples("graphs", flat, None, None) for _ in range(2))
    with Finely(n_threads) as workers:
        hashes = fingerprints(together, workers)
        sizes = shape_of(together, table, space, workers)
    assert hashes.tobytes() == fingerprints(alone).tobytes()
    assert sizes == shape_of(alone, table, space)


def test_a_hundred_thousand_vertices_are_shared_out():
    """Without any change to what a thread is woken for."""
    flat = some_graphs(500, n_vertices=(200, 220), n_features=3, density=0.01).flat
    table = FeatureTable.of(flat, add_constant=False)
    shared = []

    class Watched(Workers):
        def each(self, function, arguments):
            shared.append(list(arguments))
            return super().each(function, shared[-1])

    with Watched(3) as workers:
        together = make_batch(flat, table, ("adjacency",), row_of=WIDTH, workers=workers)
    assert max(map(len, shared)) == 3
    alone = make_batch(flat, table, ("adjacency",), row_of=WIDTH)
    assert flattened(together) == flattened(alone)
