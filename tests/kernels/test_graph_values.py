"""The columns of graphs are those of the plain twin: of whole graphs, of subsets, one by one."""

from __future__ import annotations

import numpy as np
import pytest

from graphtrees._layout import VALUE
from graphtrees.kernels import graph_lane, graph_values
from graphtrees.kernels._jit import kernel
from graphtrees.kernels._references import reference
from graphtrees.kernels._rows import WIDTH
from graphtrees.kernels.graph_values import GRAPHS_A_TILE, KEPT_ROWS
from graphtrees.kernels.growing.searching import read_block
from graphtrees.kernels.growing_records import (
    Entries,
    ExactGraphSource,
    GraphSource,
    PlainGraphSource,
)
from graphtrees.kernels.steps import lane_of
from graphtrees.trees.workspace import Shape, column_scratch
from kernels.builders import (
    COUNTS,
    KINDS,
    QUARTERS,
    WHOLE,
    Kind,
    graph_block,
    kinds_of_source,
    real_source,
    some_codes,
    some_data,
)
from kernels.twins import columns

every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
EVERY_TYPE = 15  # one bit for each walk type


@kernel
def ask_all(feature, o, d, walk_type, aggregator, codes, want, source, scratch, answers):
    layout = source.layout
    for g in range(layout.vertex_ptr.shape[0] - 1):
        lane = lane_of(layout, g, feature)
        graph_lane.walk_lane(
            g, lane, o, d, walk_type, codes, want, layout, source.operators, scratch
        )
        answers[g] = graph_lane.aggregate(g, walk_type, aggregator, codes, want, layout, scratch.z)


def plain_block(data, codes: np.ndarray | None) -> np.ndarray:
    """The same as `graph_block` by the twin."""
    n_signs, places = 2, data.questions.places[EVERY_TYPE]
    if codes is None:
        n_signs, places, codes = 1, data.questions.whole.places, np.empty(0, np.uint8)
    source = real_source(data)
    starts = source.patterns.whole_start if n_signs == 1 else source.patterns.start
    block = np.full(starts[-1], -77.0, VALUE)
    for g in range(data.n_examples):
        columns.make_graph(g, codes, n_signs, places, source, block)
    return block


def assert_alike(fast, plain, exact: bool) -> None:
    if exact:
        np.testing.assert_array_equal(fast, plain)
    else:
        np.testing.assert_allclose(fast, plain, rtol=1e-5, atol=1e-30)


@every_kind
@pytest.mark.parametrize("seed", range(3))
def test_columns_are_those_of_the_plain_twin(kind: Kind, seed):
    data = some_data(kind, of_graphs=True, seed=seed)
    nobody = np.zeros(data.batch.n_vertices, np.uint8)
    for codes in (None, some_codes(data.batch, seed), nobody):
        plain = plain_block(data, codes)
        for kind_of_source in kinds_of_source(data):
            assert_alike(graph_block(data, codes, kind_of_source), plain, kind.exact)


@pytest.mark.parametrize("numbers", [WHOLE, QUARTERS], ids=["whole numbers", "quarters"])
def test_many_graphs_with_many_features_have_their_answers_in_their_columns(numbers):
    """More than are kept at a time: answers are written several times."""
    kind = Kind(numbers, COUNTS, filled=0.7, n_features=4 * WIDTH + 3)
    data = some_data(kind, of_graphs=True, n_graphs=2 * GRAPHS_A_TILE + 3, most=4)
    lanes = np.diff(data.columns.layout.lane_ptr)[:GRAPHS_A_TILE]
    assert 2 * np.ceil(lanes / WIDTH).sum() > KEPT_ROWS  # two operators
    codes = some_codes(data.batch)
    plain = plain_block(data, codes)
    for kind_of_source in kinds_of_source(data):
        assert_alike(graph_block(data, codes, kind_of_source), plain, True)


@every_kind
def test_a_question_alone_has_the_answers_of_its_column(kind: Kind):
    """To the bit: forests ask one by one, and every split is applied so."""
    data = some_data(kind, of_graphs=True, seed=1)
    subset = data.questions.subset
    codes, scratch = some_codes(data.batch, 1), data.columns.scratch(1)[0]
    source = real_source(data)
    patterns, layout, _ = source
    block = graph_block(data, codes, kinds_of_source(data)[-1])
    graph_of = np.repeat(np.arange(data.n_examples), np.diff(layout.lane_ptr))
    answers = np.empty(data.n_examples, VALUE)
    for place, sign, feature in np.ndindex(subset.width, 2, data.batch.n_columns):
        ask_all(
            feature, int(subset.operator[place]), int(subset.walk_length[place]),
            int(data.questions.named[EVERY_TYPE, place]), int(subset.aggregator[place]), codes,
            sign + 1, source, scratch, answers,
        )  # fmt: skip
        lanes = np.flatnonzero(layout.lane_features == feature)
        position = layout.position[patterns.of_place[place], lanes]
        made = block[patterns.start[2 * place + sign] + position]
        asked = answers[graph_of[lanes]]
        made, asked = made[made != np.inf], asked[made != np.inf]
        np.testing.assert_array_equal(made, asked)


@kernel
def make_and_read(codes, source, questions, made_in, read_in, block, sizes, rows, counts, out):
    """All columns of a block, then each of them as the search reads it, to `out`."""
    source, questions = reference(source), reference(questions)
    made_in, read_in = reference(made_in), reference(read_in)
    n_graphs = source.layout.vertex_ptr.shape[0] - 1
    places = questions.places[15]
    graph_values.make_stretch(0, n_graphs, codes, 2, places, source, made_in, block)
    first = 0
    for c in range(counts.shape[0]):
        p = source.patterns.of_place[c // 2]
        n = source.patterns.feature_start[p, -1]
        entries = Entries(source.patterns.position, rows, 0, n, 0)
        column = block[source.patterns.start[c] :]
        counts[c] = read_block(column, entries, c, sizes, source, questions, read_in)
        for i in range(counts[c]):
            out[first] = read_in.values[i]
            first += 1


@pytest.mark.parametrize("seed", range(3))
def test_columns_of_int16_are_read_as_those_of_float32(seed):
    """Means are not stored: they are read from the columns of their sums."""
    data = some_data(KINDS["counts"], of_graphs=True, seed=seed)
    source, n = data.columns.source(), data.n_examples
    assert source.layout.x.dtype == np.int16
    codes = some_codes(data.batch, seed)
    graph_of = np.repeat(np.arange(n), np.diff(source.layout.vertex_ptr))
    sizes = np.stack([np.bincount(graph_of[codes == s], minlength=n) for s in (1, 2)], axis=1)
    rows = np.repeat(np.arange(n), np.diff(source.layout.lane_ptr)).astype(np.int32)
    columns_read = [
        read_all(data, given, codes, sizes.astype(np.int32), rows)
        for given in (source, PlainGraphSource(*real_source(data)))
    ]
    np.testing.assert_array_equal(*columns_read)
    assert source.patterns.start[-1] < real_source(data).patterns.start[-1]


def read_all(data, source, codes, sizes, rows) -> np.ndarray:
    """The values that are not 0 of every column, one after the other."""
    counts = np.zeros(2 * data.questions.subset.width, np.int64)
    block = np.empty(source.patterns.start[-1], source.layout.x.dtype)
    out = np.empty(len(counts) * len(rows), VALUE)
    shape = Shape(len(rows), 0, 1, 1, 0, 0, 1, 0, 0, 2, 0, 0, False, 0, (1,))
    make_and_read(
        codes, source, data.questions.record(np.ones(data.batch.n_columns, bool)),
        data.columns.scratch(1)[0], column_scratch(shape), block, sizes, rows, counts, out,
    )  # fmt: skip
    return np.r_[counts, out[: counts.sum()]]


@pytest.mark.parametrize(
    ("numbers", "kind"),
    [
        ((0.0, 1.0, 3.0), PlainGraphSource),
        ((0.25, 0.5, 7.75), ExactGraphSource),
        ((1e-30, 1.0, 1e30), GraphSource),
    ],
)
def test_the_way_of_adding_fits_the_numbers(numbers, kind):
    asked = Kind(numbers=numbers, weighted=False, operators=("adjacency",), directed=False)
    assert type(some_data(asked, of_graphs=True, seed=0).columns.source()) is kind
