"""The columns of vertices and edges are what the definition says, in full and as lists."""

from __future__ import annotations

import numpy as np
import pytest

from graphtrees._layout import VALUE
from graphtrees.columns import making
from graphtrees.kernels import vertex_columns
from graphtrees.questions.plan import Plan
from graphtrees.trees.training_data import TrainingData
from kernels.builders import (
    COUNTS,
    KINDS,
    Kind,
    ask,
    edge_data,
    some_codes,
    some_data,
    vertex_table,
)
from kernels.twins import answers

every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
EXACT = {name: kind for name, kind in KINDS.items() if kind.exact}
ways = pytest.mark.parametrize("share", [-1.0, 2.0], ids=["rows in full", "rows as lists"])
a_few_seeds = pytest.mark.parametrize("seed", range(2))


def by_definition(data: TrainingData, plan: Plan, codes: np.ndarray | None) -> np.ndarray:
    """table[example, question, sign, feature]: z of each question, at the vertex."""
    batch, signs = data.batch, (0,) if codes is None else (1, 2)
    lanes = batch.lanes_of(lambda: np.arange(batch.n_columns))
    subsets = np.zeros(batch.n_vertices, np.uint8) if codes is None else codes
    told = np.zeros((data.n_examples, plan.width, len(signs), batch.n_columns), VALUE)
    for row, v in enumerate(data.vertices):
        g = batch.graph_of[v]
        rows = answers.vertices_of(g, batch.vertex_ptr)
        for place, o in enumerate(plan.operator):
            op, length = batch.operators[o], int(plan.walk_length[place])
            operator = answers.operator_of(
                g,
                batch.vertex_ptr,
                op.indptr,
                op.indices,
                op.weights,
                op.divisor,
                *op.endpoints.parts,
            )
            divided = operator.matrix / operator.over[:, None]
            closed = np.linalg.matrix_power(divided, length).diagonal()
            for s, want in enumerate(signs):
                inside = answers.inside_of(subsets[rows], want, len(divided))
                for feature in range(batch.n_columns):
                    f = answers.feature_of(
                        g, feature, batch.vertex_ptr, lanes.x_ptr, lanes.lane_ptr,
                        lanes.lane_features, batch.lane_major, lanes.x,
                    )  # fmt: skip
                    walk_type = plan.walk_type[place]
                    z = answers.walk(f, inside, length, walk_type, operator, closed)
                    told[row, place, s, feature] = z[v - rows.start]
    return told


def assert_alike(got: np.ndarray, wanted: np.ndarray, exact: bool) -> None:
    if exact:
        np.testing.assert_array_equal(got, wanted)
    else:
        np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-30)


@every_kind
@a_few_seeds
@ways
@pytest.mark.parametrize("about", ["vertices", "edges"])
def test_columns_are_what_the_definition_says(kind: Kind, seed, share, about, monkeypatch):
    monkeypatch.setattr(making, "SPARSE_SHARE", share)
    data = some_data(kind, False, seed) if about == "vertices" else edge_data(kind, seed)
    exact = kind.exact and about == "vertices"  # of edges averages are asked for too
    wanted = by_definition(data, data.questions.whole, None)
    assert_alike(vertex_table(data, None), wanted, exact)
    codes = some_codes(data.batch, seed)
    wanted = by_definition(data, data.questions.subset, codes)
    for rows in (np.arange(data.n_examples), np.array([2, 0]), np.arange(0)):
        assert_alike(vertex_table(data, codes, rows), wanted[rows], exact)


@ways
def test_examples_that_do_not_ask_leave_the_others_their_answers(share, monkeypatch):
    monkeypatch.setattr(making, "SPARSE_SHARE", share)
    data = some_data(Kind(n_features=3, operators=("adjacency",)), False, n_graphs=30, most=6)
    assert data.n_examples > 2 * vertex_columns.ROWS_A_TASK
    codes = some_codes(data.batch)
    asks = np.random.default_rng(0).random(data.n_examples) < 0.6
    everyone = vertex_table(data, codes)
    assert (everyone != 0).any(axis=(1, 2, 3))[~asks].any()
    wanted = np.where(asks[:, None, None, None], everyone, 0)
    np.testing.assert_array_equal(vertex_table(data, codes, asks=asks), wanted)


@a_few_seeds
@pytest.mark.parametrize("left_out", [1, 2])
@pytest.mark.parametrize("filled", [0.3, 1.0])
def test_the_subset_that_is_not_walked_from_is_the_rest(seed, left_out, filled, monkeypatch):
    monkeypatch.setattr(making, "SPARSE_SHARE", 2.0)
    kind = Kind(COUNTS, COUNTS, filled=filled, n_features=3, operators=("adjacency", "reverse"))
    data = some_data(kind, False, seed, n_graphs=15)
    assert (data.columns.patterns.record.whole_of >= 0).any()
    rng = np.random.default_rng(seed)
    codes = rng.integers(1, 3, data.batch.n_vertices).astype(np.uint8)
    for asks in (np.ones(data.n_examples, bool), rng.random(data.n_examples) < 0.6):
        wanted = vertex_table(data, codes, asks=asks)
        assert (wanted != 0).any(axis=(0, 1, 3)).all()  # of either subset
        got = vertex_table(data, codes, asks=asks, left_out=left_out)
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("kind", ["signed whole numbers", "quarters", "averages", "reals"])
def test_sums_that_may_be_rounded_are_not_taken_for_the_rest(kind, monkeypatch):
    monkeypatch.setattr(making, "SPARSE_SHARE", 2.0)
    assert some_data(KINDS[kind], False).columns.patterns.record.whole_of.size == 0


@pytest.mark.parametrize(("number", "is_sum"), [(2.0**10, True), (2.0**23, False)])
def test_counts_beyond_float32_are_not_taken_for_the_rest(number, is_sum, monkeypatch):
    monkeypatch.setattr(making, "SPARSE_SHARE", 2.0)
    data = some_data(Kind((number, number + 1), COUNTS), False)
    assert (data.columns.patterns.record.whole_of.size > 0) == is_sum


@every_kind
@a_few_seeds
@pytest.mark.parametrize("about", ["vertices", "edges"])
def test_rows_in_full_and_as_lists_agree_to_the_bit(kind: Kind, seed, about, monkeypatch):
    tables = []
    for share in (-1.0, 2.0):
        monkeypatch.setattr(making, "SPARSE_SHARE", share)
        data = some_data(kind, False, seed) if about == "vertices" else edge_data(kind, seed)
        tables.append(vertex_table(data, some_codes(data.batch, seed)))
    np.testing.assert_array_equal(*tables)


@every_kind
@pytest.mark.parametrize("about", ["vertices", "edges"])
def test_training_and_prediction_have_the_same_answers(kind: Kind, about):
    data = some_data(kind, False) if about == "vertices" else edge_data(kind)
    codes, plan = some_codes(data.batch), data.questions.subset
    table, graphs = vertex_table(data, codes), np.arange(data.batch.n_graphs)
    for place, s, feature in np.ndindex(plan.width, 2, data.batch.n_columns):
        z = ask(
            data, graphs, feature, int(plan.operator[place]), int(plan.walk_length[place]),
            int(plan.walk_type[place]), codes, s + 1,
        )  # fmt: skip
        np.testing.assert_array_equal(table[:, place, s, feature], z[data.vertices])


def test_features_are_walked_a_tile_at_a_time(monkeypatch):
    """With more features than a tile holds, the second tile continues where the first ended."""
    kind = Kind(n_features=vertex_columns.TILE + 3, operators=("adjacency",))
    monkeypatch.setattr(making, "SPARSE_SHARE", -1.0)
    data = some_data(kind, False, n_graphs=3, most=4)
    assert data.columns.layout.is_full
    codes = some_codes(data.batch)
    wanted = by_definition(data, data.questions.subset, codes)
    np.testing.assert_array_equal(vertex_table(data, codes), wanted)
