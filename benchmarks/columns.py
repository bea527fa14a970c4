"""The questions of a tree on graphs, written out as columns of a table for other boosters.

Straight from the definitions, in NumPy and SciPy: z = (A^d masked by a subset) X, then the sum,
mean, minimum and maximum over a graph's vertices. Each distinct column is made once: on the whole
graph all walk types but `cycle` agree, without a step (d = 0) all but `source` do, and `cycle`
needs closed walks.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from graphtrees import Graphs


class Walks:
    """All graphs side by side: features with the constant last, A^d, A^d X and the diagonals."""

    def __init__(self, graphs: Graphs, longest: int) -> None:
        flat = graphs.flat
        X = flat.features.toarray() if sp.issparse(flat.features) else np.asarray(flat.features)
        self.X = np.hstack([X, np.ones((len(X), 1), X.dtype)]).astype(np.float32)
        self.ptr = flat.vertex_ptr
        self.longest = longest
        self.adjacency = adjacency(graphs)
        self.everyone = np.ones(len(X), dtype=bool)

    def walked(self, X: np.ndarray, length: int) -> np.ndarray:
        """A^length X."""
        for _ in range(length):
            X = self.adjacency @ X
        return X

    def diagonal(self, length: int) -> np.ndarray:
        """Closed walks of that length at every vertex, as one column."""
        power = self.adjacency
        for _ in range(length - 1):
            power = power @ self.adjacency
        return power.diagonal().astype(np.float32)[:, None]


def adjacency(graphs: Graphs) -> sp.csr_array:
    """Entry [i, j] is the weight of the edge j -> i; one block on the diagonal for each graph."""
    flat = graphs.flat
    first = np.repeat(flat.vertex_ptr[:-1], np.diff(flat.edge_ptr))
    source, target = flat.edges + first
    weights = np.ones(flat.n_edges) if flat.edge_weights is None else flat.edge_weights
    if not flat.directed:
        back = source != target
        source, target = np.r_[source, target[back]], np.r_[target, source[back]]
        weights = np.r_[weights, weights[back]]
    shape = (flat.n_vertices, flat.n_vertices)
    return sp.csr_array((weights.astype(np.float32), (target, source)), shape=shape)


def whole_graph(graphs: Graphs, longest: int = 2) -> np.ndarray:
    """Sum, mean, minimum and maximum of A^d X for d = 0 ... longest: (n_graphs, n_columns)."""
    walks = Walks(graphs, longest)
    z, blocks = walks.X, []
    for length in range(longest + 1):
        z = walks.walked(z, min(length, 1))
        blocks += aggregates(z, walks.everyone, walks.ptr)
    return np.hstack(blocks)


def as_wide_as_a_search(graphs: Graphs, longest: int = 2) -> np.ndarray:
    """The whole-graph columns, closed walks among them, and those of four fixed subsets.

    A split two levels down chooses among as many: the whole graph, and the two subsets that each
    of two ancestors made.
    """
    walks = Walks(graphs, longest)
    blocks = [whole_graph(graphs, longest)]
    for length in range(1, longest + 1):
        diagonal = walks.diagonal(length)
        if diagonal.any():
            blocks += aggregates(diagonal * walks.X, walks.everyone, walks.ptr)
    for subset in fixed_subsets(walks):
        blocks += _on_subset(walks, subset)
    return np.hstack(blocks)


def fixed_subsets(walks: Walks) -> Iterator[np.ndarray]:
    """What two plausible splits make: has the commonest feature or not; is next to the
    second commonest or not.
    """
    features = walks.X[:, :-1] if walks.X.shape[1] > 1 else walks.X
    commonest = np.argsort(-np.count_nonzero(features, axis=0), kind="stable")
    first, second = commonest[0], commonest[min(1, len(commonest) - 1)]
    has_it = walks.X[:, first] > 0
    is_near = (walks.adjacency @ walks.X[:, second]) > 0
    yield from (has_it, ~has_it, is_near, ~is_near)


def _on_subset(walks: Walks, subset: np.ndarray) -> Iterator[np.ndarray]:
    """Every column of one subset: (n_graphs, n_features) blocks."""
    members = np.bincount(np.searchsorted(walks.ptr, np.flatnonzero(subset), "right") - 1,
                          minlength=len(walks.ptr) - 1)  # fmt: skip
    kept = walks.X * subset[:, None]
    for length in range(walks.longest + 1):
        from_subset = walks.walked(kept, length)
        for block in aggregates(from_subset, walks.everyone, walks.ptr):
            block[members == 0] = np.nan  # an empty subset has no value, for `source` too
            yield block
        if length == 0:
            yield from aggregates(kept, subset, walks.ptr)[1:]  # the sum is asked as `source`
            continue
        diagonal = walks.diagonal(length)
        if diagonal.any():
            yield from aggregates(diagonal * walks.X, subset, walks.ptr)
        yield from aggregates(walks.walked(walks.X, length), subset, walks.ptr)
        yield from aggregates(from_subset, subset, walks.ptr)


def aggregates(z: np.ndarray, subset: np.ndarray, ptr: np.ndarray) -> list[np.ndarray]:
    """Sum, mean, minimum and maximum over the subset's vertices in each graph; NaN over none."""
    z = z if subset.all() else z[subset]
    bounds = np.concatenate([[0], np.cumsum(subset)])[ptr]
    counts = np.diff(bounds)
    some = np.flatnonzero(counts)
    out = [np.full((len(counts), z.shape[1]), np.nan, np.float32) for _ in range(4)]
    if len(some):
        starts = bounds[some]
        out[0][some] = np.add.reduceat(z, starts, axis=0)
        out[1][some] = out[0][some] / counts[some, None]
        out[2][some] = np.minimum.reduceat(z, starts, axis=0)
        out[3][some] = np.maximum.reduceat(z, starts, axis=0)
    return out
