"""The columns of a linear model: features of examples, and features smoothed along edges.

A vertex has its own features, the means of its neighbours and the means of those. A graph has, for
every walk length, the sum and the mean of each walked feature.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from graphtrees.ensembles.examples import Examples
from graphtrees.ensembles.neighbourhood import Neighbourhood, scaled_rows
from graphtrees.questions.features import FeatureTable

Matrix = Any  # numpy array or scipy sparse, (n_rows, n_columns)

STEPS = 2  # of neighbour means
LONGEST = 4  # walks of whole graphs: their counts grow without bound
MOST_ENTRIES = 2**26  # of a smoothed sparse block


def column_means(table: FeatureTable, examples: Examples) -> np.ndarray:
    """The mean of each column over all vertices: what stands for a missing value."""
    values: Matrix = table.encode(examples.flat)
    if sparse.issparse(values):
        missing = np.isnan(values.data)
        known = np.where(missing, 0.0, values.data.astype(np.float64))
        n_missing = np.bincount(values.indices, missing, minlength=values.shape[1])
        total = np.bincount(values.indices, known, minlength=values.shape[1])
    else:
        n_missing = np.isnan(values).sum(axis=0)
        total = np.nansum(values, axis=0, dtype=np.float64)
    return total / np.maximum(values.shape[0] - n_missing, 1)


def encoded(table: FeatureTable, examples: Examples, fill: np.ndarray) -> Matrix:
    """The features of all vertices as float64, without missing values."""
    values: Matrix = table.encode(examples.flat).astype(np.float64)
    if sparse.issparse(values):
        missing = np.isnan(values.data)
        values.data[missing] = fill[values.indices[missing]]
        return sparse.csr_array(values)
    return np.where(np.isnan(values), fill, values)


def linear_blocks(
    table: FeatureTable, examples: Examples, fill: np.ndarray, n_steps: int
) -> list[Matrix]:
    """Blocks of columns for every example: one for each number of steps, from 0 to `n_steps`."""
    values = encoded(table, examples, fill)
    if examples.kind == "graphs":
        return [_graph_columns(examples, values, counts) for counts in walks(examples, n_steps)]
    rows = examples.vertices
    if n_steps == 0:
        return [values[rows]]
    around = Neighbourhood.of(examples.flat)
    blocks = [values[rows]]
    for step in range(1, n_steps + 1):
        last = step == n_steps
        values = around.mean(values, rows if last else None)
        blocks.append(values if last else values[rows])
    return blocks


def most_steps(
    table: FeatureTable, examples: Examples, fill: np.ndarray, max_walk_length: int
) -> int:
    """How many steps are worth while: none on tables, fewer where sparse features would fill up."""
    steps = most_stored_steps(examples.kind, max_walk_length)
    if examples.kind == "graphs":
        return _finite_walks(examples, steps)
    if steps == 0:
        return 0
    values = encoded(table, examples, fill)
    if not sparse.issparse(values):
        return steps
    degree = max(1.0, float(Neighbourhood.of(examples.flat).factors[0].nnz / values.shape[0]))
    while steps and values.nnz * degree**steps > MOST_ENTRIES:
        steps -= 1
    return steps


def most_stored_steps(kind: str, max_walk_length: int) -> int:
    """The most steps that a fitted linear model can have."""
    most = {"graphs": LONGEST, "rows": 0}.get(kind, STEPS)
    return min(most, max_walk_length)


def walks(examples: Examples, n_steps: int) -> list[np.ndarray]:
    """For lengths 0 to `n_steps`, how many walks of that length start at each vertex."""
    counts = [np.ones(examples.flat.n_vertices)]
    if n_steps:
        around = Neighbourhood.of(examples.flat)
        for _ in range(n_steps):
            counts.append(around.add(counts[-1]))
    return counts


def _finite_walks(examples: Examples, n_steps: int) -> int:
    """The longest walks whose weights stay in range."""
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = [np.abs(counts).max(initial=0.0) for counts in walks(examples, n_steps)]
    return max(step for step, size in enumerate(sizes) if step == 0 or size < 1e30)


def _graph_columns(examples: Examples, values: Matrix, counts: np.ndarray) -> Matrix:
    """Sum and mean over the vertices of each graph, every vertex times the walks from it."""
    ptr = examples.flat.vertex_ptr
    n_vertices = np.diff(ptr)
    graph_of = np.repeat(np.arange(len(n_vertices)), n_vertices)
    shape = (len(n_vertices), int(ptr[-1]))
    places = (graph_of, np.arange(shape[1]))
    sums = sparse.csr_array((counts, places), shape=shape) @ values
    means = scaled_rows(sums, 1.0 / np.maximum(n_vertices, 1))
    if sparse.issparse(sums):
        return sparse.csr_array(sparse.hstack([sums, means], format="csr"))
    return np.hstack([sums, means])


def stacked(blocks: list[Matrix]) -> Matrix:
    """Blocks side by side: sparse only if all of them are."""
    if all(sparse.issparse(block) for block in blocks):
        return sparse.csr_array(sparse.hstack(blocks, format="csr"))
    return np.hstack([b.toarray() if sparse.issparse(b) else b for b in blocks])
