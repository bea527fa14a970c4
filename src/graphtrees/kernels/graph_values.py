"""Every column that a split may be chosen among, for whole graphs.

A column is a question without its threshold. The two subsets that a split-node made are evaluated
together: block[start[2 × place + sign] + position] is the answer of one graph about one feature,
where `place` is the question's place in the plan (start[place] for whole graphs). A graph whose
subset is empty answers INFINITY: its row is missing, which an entry cannot say where the graph
lacks the feature. A block of small whole numbers (int16) has EMPTY instead, and holds sums where
means are asked for: these are divided when they are read.
"""

from __future__ import annotations

import numpy as np

from graphtrees._layout import MEAN_OF, SOURCE, TARGET_SOURCE
from graphtrees.kernels._jit import by_numbers, by_type, inner_kernel
from graphtrees.kernels._rows import WIDTH
from graphtrees.kernels.growing_records import ExactGraphSource, GraphSource, PlainGraphSource
from graphtrees.kernels.plain_answers import answer_plainly, is_wanted
from graphtrees.kernels.real_answers import answer_any

INFINITY = np.float32(np.inf)
EMPTY = np.int16(-(2**15))

_answer = by_type(
    {GraphSource: answer_any, ExactGraphSource: answer_any, PlainGraphSource: answer_plainly}
)


@inner_kernel
def _longest_from_subset(places):
    """The longest walks that are asked about from the subset alone."""
    last = 0
    for d in range(1, places.shape[0]):
        if is_wanted(places, d, SOURCE) or is_wanted(places, d, TARGET_SOURCE):
            last = d
    return last


@inner_kernel
def column_at(place, s, n_signs, patterns):
    """(pattern, start) of a column in its block."""
    if n_signs > 1:
        return patterns.of_place[place], patterns.start[2 * place + s]
    return patterns.of_whole[place], patterns.whole_start[place]


def _put_real(block, at, answers, row, lane, aggregator, is_empty):
    block[at] = INFINITY if is_empty else answers[row, lane]


def _put_small(block, at, answers, row, lane, aggregator, is_empty):
    """The sum is in the row before the mean."""
    if is_empty:
        block[at] = EMPTY
    else:
        block[at] = np.int16(answers[row - 1 if aggregator == MEAN_OF else row, lane])


def _put_real_count(block, at, n, of, aggregator, is_empty):
    number = np.float32(n / max(1, of)) if aggregator == MEAN_OF else np.float32(n)
    block[at] = INFINITY if is_empty else number


def _put_small_count(block, at, n, of, aggregator, is_empty):
    block[at] = EMPTY if is_empty else np.int16(n)


_put_answer = by_numbers(_put_real, _put_small)
_put_count = by_numbers(_put_real_count, _put_small_count)


@inner_kernel
def _put(places, n_signs, first_lane, n_lanes, source, scratch, block):
    """Write every answer that is asked for to its column; INFINITY where the subset is empty."""
    answers = scratch.answers
    counts = scratch.counts
    position = source.layout.position
    patterns = source.patterns
    for d in range(places.shape[0]):
        for walk_type in range(4):
            for aggregator in range(4):
                place = np.int64(places[d, walk_type, aggregator])
                if place < 0:
                    continue
                for s in range(n_signs):
                    row = ((d * 4 + walk_type) * 2 + s) * 4 + aggregator
                    p, start = column_at(place, s, n_signs, patterns)
                    for lane in range(n_lanes):
                        at = np.int64(position[p, first_lane + lane])
                        if at >= 0:
                            at += start
                            _put_answer(block, at, answers, row, lane, aggregator, counts[s] == 0)


@inner_kernel
def make_graph(g, codes, n_signs, places, source, scratch, block):
    """The answers of graph g to all questions of a plan.

    places[operator, d, walk type, aggregator] is a question's place, or -1. n_signs 1 asks about
    whole graphs, 2 about the subsets in `codes`.
    """
    layout = source.layout
    first = layout.vertex_ptr[g]
    n = layout.vertex_ptr[g + 1] - first
    sign = scratch.sign
    counts = scratch.counts
    counts[0] = 0 if n_signs > 1 else n
    counts[1] = 0
    if n_signs > 1:
        most = sign.shape[0]
        members = scratch.members
        for v in range(n):
            code = np.int64(codes[first + v])
            sign[v] = code
            # Branch-free: always write, advance only if the vertex is a member.
            members[counts[0]] = v
            members[most + counts[1]] = v
            counts[0] += code == 1
            counts[1] += code == 2
            scratch.part[v] = most * (code - 1 if code > 0 else 2)
    lanes = layout.n_valued[g]
    step = (lanes + WIDTH - 1) // WIDTH
    for o in range(places.shape[0]):
        last = _longest_from_subset(places[o]) if n_signs > 1 else 0
        for k in range(step):
            n_lanes = min(WIDTH, lanes - k * WIDTH)
            row = layout.first_row[g] + k
            _answer(source, first, n, row, step, o, n_signs, places[o], last, scratch)
            first_lane = layout.lane_ptr[g] + k * WIDTH
            _put(places[o], n_signs, first_lane, n_lanes, source, scratch, block)
    if layout.colour.shape[0] > 0:
        _put_colours(g, n, n_signs, places[0], source, scratch, block)


@inner_kernel
def _count_colours(g, n, n_signs, layout, scratch):
    """How many vertices of each subset (or of the graph) have each colour of the graph."""
    n_of_colour = scratch.n_of_colour
    first = layout.vertex_ptr[g]
    for lane in range(layout.n_valued[g], layout.lane_ptr[g + 1] - layout.lane_ptr[g]):
        n_of_colour[lane, 0] = 0
        n_of_colour[lane, 1] = 0
    for r in range(layout.colour.shape[0]):
        for v in range(n):
            lane = np.int64(layout.colour[r, first + v])
            code = np.int64(scratch.sign[v]) if n_signs > 1 else np.int64(1)
            if lane >= 0 and code > 0:
                n_of_colour[lane, code - 1] += 1


@inner_kernel
def _put_colours(g, n, n_signs, places, source, scratch, block):
    """Counts and shares of colours: the only questions about them, walk length 0, sum and mean."""
    layout = source.layout
    patterns = source.patterns
    counts = scratch.counts
    n_of_colour = scratch.n_of_colour
    _count_colours(g, n, n_signs, layout, scratch)
    for walk_type in range(4):
        for aggregator in range(2):
            place = np.int64(places[0, walk_type, aggregator])
            for s in range(n_signs if place >= 0 else 0):
                p, start = column_at(place, s, n_signs, patterns)
                of = n if walk_type == SOURCE else counts[s]
                for lane in range(layout.n_valued[g], layout.lane_ptr[g + 1] - layout.lane_ptr[g]):
                    at = np.int64(layout.position[p, layout.lane_ptr[g] + lane])
                    if at >= 0:
                        at += start
                        n_here = n_of_colour[lane, s]
                        _put_count(block, at, n_here, of, aggregator, counts[s] == 0)
