"""closed_walks against powers of the whole matrix, and on a hub."""

from __future__ import annotations

import numpy as np
import pytest
from numba import config

import graphtrees as gt
from kernels.builders import ALONE, KINDS, Kind, a_batch, some_graphs

A_STAR = Kind(n_features=0, weighted=False, directed=False)


def powers(flat, kind: Kind, operator: int, length: int) -> np.ndarray:
    """The diagonal of A^length from the edges alone, graph by graph."""
    told = []
    weights = np.ones(flat.n_edges) if flat.edge_weights is None else flat.edge_weights
    for g in range(flat.n_graphs):
        n = int(np.diff(flat.vertex_ptr)[g])
        edges = slice(flat.edge_ptr[g], flat.edge_ptr[g + 1])
        matrix = np.zeros((n, n))
        for source, target, weight in zip(*flat.edges[:, edges], weights[edges], strict=True):
            matrix[target, source] += weight
            if not flat.directed and source != target:
                matrix[source, target] += weight
        name = kind.operators[operator]
        if name == "mean":
            size = np.abs(matrix).sum(axis=1, keepdims=True)
            matrix = matrix / np.where(size > 0, size, 1.0)
        told.append(np.linalg.matrix_power(matrix.T if name == "reverse" else matrix, length))
    return np.concatenate([power.diagonal() for power in told])


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("length", range(1, 6))
def test_closed_walks_are_the_diagonal_of_the_power(kind: Kind, length):
    flat = some_graphs(kind, seed=length, n_graphs=10)
    batch = a_batch(flat, kind)
    for operator in range(len(kind.operators)):
        said = batch.diagonal(operator, length, ALONE)
        wanted = powers(flat, kind, operator, length)
        assert wanted.any() or length == 1
        if kind.exact:
            np.testing.assert_array_equal(said, wanted.astype(np.float32))
        else:
            np.testing.assert_allclose(said, wanted, rtol=1e-6, atol=1e-6)


def test_a_hub_among_few_neighbours_is_looked_up():
    """More than 16 times as many neighbours: the other way through the join."""
    rng = np.random.default_rng(0)
    spokes = np.column_stack([np.zeros(40, int), np.arange(1, 41)])
    edges = np.concatenate([spokes, rng.integers(1, 41, (15, 2)), [[0, 0]]])
    flat = gt.Graphs([gt.Graph(None, edges, n_vertices=41)]).flat
    batch = a_batch(flat, A_STAR)
    for length in range(1, 6):
        wanted = powers(flat, A_STAR, 0, length)
        np.testing.assert_array_equal(batch.diagonal(0, length, ALONE), wanted)


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="100,000 leaves take minutes uncompiled")
def test_a_star_costs_as_much_as_its_edges():
    n = 100_000
    edges = np.column_stack([np.zeros(n, int), np.arange(1, n + 1)])
    flat = gt.Graphs([gt.Graph(None, edges, n_vertices=n + 1)]).flat
    batch = a_batch(flat, A_STAR)
    np.testing.assert_array_equal(batch.diagonal(0, 2, ALONE), [n] + [1] * n)
    assert not batch.diagonal(0, 3, ALONE).any()
