"""Every column that a split may be chosen among, for whole graphs.

A column is a question without its threshold. The two subsets that a split-node made are evaluated
together: block[start[2 × place + sign] + position] is the answer of one graph about one feature,
where `place` is the question's place in the plan (start[place] for whole graphs). A graph whose
subset is empty answers INFINITY: its row is missing, which an entry cannot say where the graph
lacks the feature. A block of small whole numbers (int16) has EMPTY instead, and holds sums where
means are asked for: these are divided when they are read.

Every graph answers every question, so that its numbers go to as many columns, each in another page
of memory. The answers of some graphs are therefore kept until they can be written column by column.
"""

from __future__ import annotations

import numpy as np

from graphtrees._layout import MEAN_OF, SOURCE, TARGET_SOURCE
from graphtrees.kernels._jit import by_numbers, by_type, inner_kernel
from graphtrees.kernels._rows import WIDTH, fill, read, write_at
from graphtrees.kernels.growing_records import ExactGraphSource, GraphSource, PlainGraphSource
from graphtrees.kernels.plain_answers import answer_plainly, is_wanted
from graphtrees.kernels.real_answers import answer_any

INFINITY = np.float32(np.inf)
EMPTY = np.int16(-(2**15))

# Graphs whose answers are written together: one line of the cache of every column.
GRAPHS_A_TILE = 16

# Rows of eight lanes whose answers may be kept, and what is known of each.
KEPT_ROWS = 48
FIRST_LANE, N_LANES, OPERATOR = range(3)
KEPT_FIELDS = 3

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


def _copy_real(block, start, written, kept, taken, row, aggregator, n):
    """Row `row` of the kept answers to a column: from kept[taken[i]] to block[written[i]]."""
    first = np.uint64(row * WIDTH)
    start = np.uint64(start)
    for i in range(np.uint64(n)):
        block[start + np.uint64(written[i])] = kept[first + np.uint64(taken[i])]


def _copy_small(block, start, written, kept, taken, row, aggregator, n):
    """The same to int16; the sum is in the row before the mean."""
    first = np.uint64((row - (aggregator == MEAN_OF)) * WIDTH)
    start = np.uint64(start)
    for i in range(np.uint64(n)):
        block[start + np.uint64(written[i])] = np.int16(kept[first + np.uint64(taken[i])])


def _real_mark(block):
    return INFINITY


def _small_mark(block):
    return np.float32(EMPTY)


def _put_real_count(block, at, n, of, aggregator, is_empty):
    number = np.float32(n / max(1, of)) if aggregator == MEAN_OF else np.float32(n)
    block[at] = INFINITY if is_empty else number


def _put_small_count(block, at, n, of, aggregator, is_empty):
    block[at] = EMPTY if is_empty else np.int16(n)


_copy_row = by_numbers(_copy_real, _copy_small)
_mark_of = by_numbers(_real_mark, _small_mark)
_put_count = by_numbers(_put_real_count, _put_small_count)


@inner_kernel
def _list_lanes(o, p, n_kept, layout, scratch):
    """Where the kept answers along operator o are, and where in pattern p; returns how many."""
    size = WIDTH * scratch.answers.shape[0]
    n = 0
    for i in range(n_kept):
        fields = scratch.kept_fields[i]
        if fields[OPERATOR] == o:
            for lane in range(fields[N_LANES]):
                at = layout.position[p, fields[FIRST_LANE] + lane]
                scratch.taken[n] = i * size + lane
                scratch.written[n] = at
                n += at >= 0
    return n


@inner_kernel
def _write_kept(n_kept, n_signs, places, source, scratch, block):
    """Write the answers that were kept to their columns."""
    for o in range(places.shape[0]):
        listed = np.int64(-1)
        n = 0
        for d in range(places.shape[1]):
            for walk_type in range(4):
                for aggregator in range(4):
                    place = np.int64(places[o, d, walk_type, aggregator])
                    for s in range(n_signs if place >= 0 else 0):
                        p, start = column_at(place, s, n_signs, source.patterns)
                        if p != listed:
                            n = _list_lanes(o, p, n_kept, source.layout, scratch)
                            listed = np.int64(p)
                        row = ((d * 4 + walk_type) * 2 + s) * 4 + aggregator
                        _copy_row(
                            block, start, scratch.written, scratch.kept, scratch.taken, row,
                            aggregator, n,
                        )  # fmt: skip


@inner_kernel
def _keep(i, first_lane, n_lanes, o, scratch, block):
    """Keep the answers about eight lanes of a graph; INFINITY or EMPTY where a subset is empty."""
    height = scratch.answers.shape[0]
    nothing = fill(_mark_of(block))
    for first in range(0, height, 8):  # four aggregators of either subset
        for row in range(first, first + 8):
            is_empty = scratch.counts[(row - first) // 4] == 0
            numbers = nothing if is_empty else read(scratch.answers, row)
            write_at(scratch.kept, (i * height + row) * WIDTH, numbers)
    fields = scratch.kept_fields[i]
    fields[FIRST_LANE] = first_lane
    fields[N_LANES] = n_lanes
    fields[OPERATOR] = o


@inner_kernel
def _enter(g, codes, n_signs, layout, scratch):
    """The subsets of graph g into the scratch; returns its number of vertices."""
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
    return n


@inner_kernel
def _answer_graph(g, n_kept, codes, n_signs, places, source, scratch, block):
    """The answers of graph g, the first of them as number n_kept; returns how many are kept now."""
    layout = source.layout
    first = layout.vertex_ptr[g]
    n = _enter(g, codes, n_signs, layout, scratch)
    lanes = layout.n_valued[g]
    step = (lanes + WIDTH - 1) // WIDTH
    for o in range(places.shape[0]):
        last = _longest_from_subset(places[o]) if n_signs > 1 else 0
        for k in range(step):
            if n_kept == KEPT_ROWS:
                _write_kept(n_kept, n_signs, places, source, scratch, block)
                n_kept = 0
            row = layout.first_row[g] + k
            _answer(source, first, n, row, step, o, n_signs, places[o], last, scratch)
            n_lanes = min(WIDTH, lanes - k * WIDTH)
            _keep(n_kept, layout.lane_ptr[g] + k * WIDTH, n_lanes, o, scratch, block)
            n_kept += 1
    if layout.colour.shape[0] > 0:
        _put_colours(g, n, n_signs, places[0], source, scratch, block)
    return n_kept


@inner_kernel
def make_graphs(n, codes, n_signs, places, source, scratch, block):
    """The answers of the n graphs in scratch.graphs to all questions of a plan.

    places[operator, d, walk type, aggregator] is a question's place, or -1. n_signs 1 asks about
    whole graphs, 2 about the subsets in `codes`.
    """
    n_kept = 0
    for i in range(n):
        g = np.int64(scratch.graphs[i])
        n_kept = _answer_graph(g, n_kept, codes, n_signs, places, source, scratch, block)
    _write_kept(n_kept, n_signs, places, source, scratch, block)


@inner_kernel
def make_stretch(first, last, codes, n_signs, places, source, scratch, block):
    """The same of the graphs from `first` to `last`, the latter not included."""
    for start in range(first, last, GRAPHS_A_TILE):
        n = min(GRAPHS_A_TILE, last - start)
        for i in range(n):
            scratch.graphs[i] = start + i
        make_graphs(n, codes, n_signs, places, source, scratch, block)


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
