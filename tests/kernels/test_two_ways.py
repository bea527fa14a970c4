"""Where the engine has two ways to the same numbers, both end at the definition."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from graphtrees._layout import CYCLE
from graphtrees.candidates import batch as batch_module
from graphtrees.candidates.arrays import graph_arrays, operator_arrays
from graphtrees.candidates.plan import Plan
from graphtrees.kernels import answer, reference
from graphtrees.trees.training_data import TrainingData
from kernels.builders import (
    ALONE,
    KINDS,
    Kind,
    a_batch,
    graph_block,
    some_codes,
    some_data,
    some_graphs,
    table_of,
    ways_of_adding,
)

every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
EXACT = {name: kind for name, kind in KINDS.items() if kind.exact}
FULL = {name: kind for name, kind in KINDS.items() if kind.filled == 1 and name != "no features"}
a_few_seeds = pytest.mark.parametrize("seed", range(2))


def subset_plan(data: TrainingData) -> Plan:
    return data.plan(frozenset(data.space.walk_types), on_subset=True)


def by_definition(data: TrainingData, plan: Plan, n_signs: int, codes: np.ndarray) -> np.ndarray:
    """Columns of vertex examples: z of each question, at the vertex."""
    batch = data.batch
    lanes = batch.lanes_of(lambda: np.arange(batch.n_columns))
    told = np.zeros((data.n_examples, plan.width, n_signs, batch.n_columns), np.float32)
    for row, v in enumerate(data.vertices):
        g = batch.graph_of[v]
        rows = reference.vertices_of(g, batch.vertex_ptr)
        for place, o in enumerate(plan.operator):
            op, length = batch.operators[o], plan.walk_length[place]
            operator = reference.operator_of(
                g, batch.vertex_ptr, op.indptr, op.indices, op.weights, op.divisor
            )
            divided = operator.matrix / operator.over[:, None]
            closed = np.linalg.matrix_power(divided, length).diagonal()
            for s in range(n_signs):
                inside = reference.inside_of(codes[rows], s + 1 if n_signs > 1 else 0, len(divided))
                for feature in range(batch.n_columns):
                    f = reference.feature_of(
                        g, feature, batch.vertex_ptr, lanes.x_ptr, lanes.lane_ptr,
                        lanes.lane_features, batch.lane_major, lanes.x,
                    )  # fmt: skip
                    walk_type = plan.walk_type[place]
                    z = reference.walk(f, inside, length, walk_type, operator, closed)
                    told[row, place, s, feature] = z[v - rows.start]
    return told.reshape(data.n_examples, -1)


@pytest.mark.parametrize("kind", EXACT.values(), ids=EXACT)
@a_few_seeds
def test_rows_as_lists_and_rows_in_full_are_what_the_definition_says(kind: Kind, seed, monkeypatch):
    for share in (-1.0, 2.0):
        monkeypatch.setattr(batch_module, "SPARSE_SHARE", share)
        data = some_data(kind, of_graphs=False, seed=seed)
        nothing = np.empty(0, np.uint8)
        whole = data.whole[0]
        wanted = by_definition(data, whole.plan, 1, nothing)
        np.testing.assert_array_equal(table_of(whole), wanted)
    codes, plan, everyone = (
        some_codes(data.batch, seed),
        subset_plan(data),
        np.arange(data.n_examples),
    )
    wanted = by_definition(data, plan, 2, codes)
    np.testing.assert_array_equal(table_of(data.block(everyone, plan, codes)), wanted)


@pytest.mark.parametrize("kind", FULL.values(), ids=FULL)
@a_few_seeds
def test_rows_as_lists_and_rows_in_full_agree_to_the_bit(kind: Kind, seed, monkeypatch):
    monkeypatch.setattr(batch_module, "SPARSE_SHARE", -1.0)
    data = some_data(kind, of_graphs=False, seed=seed)
    codes, plan, everyone = (
        some_codes(data.batch, seed),
        subset_plan(data),
        np.arange(data.n_examples),
    )
    assert data.is_dense
    listed = table_of(data.block(everyone, plan, codes))
    shape = data.n_examples, 2 * plan.width, data.batch.n_columns
    vertices = data.vertices[everyone]
    for first, values in data.vertex_walks.dense_values(vertices, plan, codes, data.space):
        full = values.transpose(2, 0, 1)
        features = slice(first, first + values.shape[1])
        np.testing.assert_array_equal(listed.reshape(shape)[:, :, features], full)


@pytest.mark.parametrize("name", ["counts", "counts along weighted edges", "the constant alone"])
@a_few_seeds
def test_all_ways_of_adding_agree_to_the_bit(name, seed):
    data = some_data(KINDS[name], of_graphs=True, seed=seed)
    ways = ways_of_adding(data)
    assert (None, None) in ways
    for codes in (None, some_codes(data.batch, seed)):
        carefully, *others = (graph_block(data, codes, way) for way in ways)
        for other in others:
            np.testing.assert_array_equal(other, carefully)


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
