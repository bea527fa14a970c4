"""Where the engine has two ways to the same numbers, both end at the definition."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from graphtrees._layout import CYCLE
from graphtrees.columns.arrays import graph_arrays, operator_arrays
from graphtrees.kernels import answer
from graphtrees.kernels.growing_records import PlainGraphSource
from kernels.builders import (
    ALONE,
    KINDS,
    Kind,
    a_batch,
    graph_block,
    kinds_of_source,
    some_codes,
    some_data,
    some_graphs,
)

every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
EXACT = {name: kind for name, kind in KINDS.items() if kind.exact}
FULL = {name: kind for name, kind in KINDS.items() if kind.filled == 1 and name != "no features"}
a_few_seeds = pytest.mark.parametrize("seed", range(2))


@pytest.mark.parametrize("name", ["counts", "counts along weighted edges", "the constant alone"])
@a_few_seeds
def test_all_kinds_of_sums_agree_to_the_bit(name, seed):
    data = some_data(KINDS[name], of_graphs=True, seed=seed)
    kinds = kinds_of_source(data)
    assert PlainGraphSource in kinds
    for codes in (None, some_codes(data.batch, seed)):
        with_errors, *others = (graph_block(data, codes, kind) for kind in kinds)
        for other in others:
            np.testing.assert_array_equal(other, with_errors)


@every_kind
@a_few_seeds
def test_lanes_and_vertices_may_come_in_either_order(kind: Kind, seed):
    flat = some_graphs(kind, seed)
    batches = [a_batch(flat, kind, lane_major) for lane_major in (True, False)]
    codes, graphs = some_codes(batches[0], seed), np.arange(flat.n_graphs)
    rng = np.random.default_rng(seed)
    for _ in range(10):
        feature, length = rng.integers(kind.n_features + 2), rng.integers(3)
        want, walk_type, number = (
            rng.integers(3),
            rng.integers(4),
            rng.integers(len(kind.operators)),
        )
        told = [np.empty(flat.n_vertices, np.float32) for _ in batches]
        for batch, z in zip(batches, told, strict=True):
            op = batch.operators[number]
            cyclic = length > 0 and walk_type == CYCLE
            closed = batch.diagonal(number, length, ALONE) if cyclic else None
            arrays = graph_arrays(batch, batch.lanes_of(partial(np.array, [feature])))
            answer.ask(
                graphs, arrays, operator_arrays(op, closed), feature, length, walk_type, codes,
                want, z,
            )  # fmt: skip
        np.testing.assert_array_equal(*told)
