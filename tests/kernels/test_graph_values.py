"""The columns of graphs are those of the plain twin: of whole graphs, of subsets, one by one."""

from __future__ import annotations

import numpy as np
import pytest

from graphtrees._layout import VALUE
from graphtrees.kernels import graph_lane
from graphtrees.kernels._jit import kernel
from graphtrees.kernels.growing_records import ExactGraphSource, GraphSource, PlainGraphSource
from graphtrees.kernels.steps import lane_of
from kernels.builders import KINDS, Kind, graph_block, kinds_of_source, some_codes, some_data
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
    patterns = data.columns.patterns.record
    starts = patterns.whole_start if n_signs == 1 else patterns.start
    block, source = np.full(starts[-1], -77.0, VALUE), data.columns.source()
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


@every_kind
def test_a_question_alone_has_the_answers_of_its_column(kind: Kind):
    """To the bit: forests ask one by one, and every split is applied so."""
    data = some_data(kind, of_graphs=True, seed=1)
    layout, subset = data.columns.layout, data.questions.subset
    codes, scratch = some_codes(data.batch, 1), data.columns.scratch(1)[0]
    patterns = data.columns.patterns.record
    source = GraphSource(patterns, layout, data.columns.operators)
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
