"""The twin of `graph_values.make_graphs`; see `answers`."""

from __future__ import annotations

import numpy as np

from graphtrees._layout import CYCLE
from graphtrees.kernels._rows import WIDTH
from kernels.twins.answers import (
    aggregate,
    inside_of,
    lanes_of,
    operator_of,
    vertices_of,
    walk,
)


def make_graph(g, codes, n_signs, places, source, block):
    layout, operators, patterns = source.layout, source.operators, source.patterns
    rows = vertices_of(g, layout.vertex_ptr)
    lanes = slice(layout.lane_ptr[g], layout.lane_ptr[g + 1])
    n_lanes, n = lanes.stop - lanes.start, rows.stop - rows.start
    first, n_rows = layout.first_row[g], -(-n_lanes // WIDTH) * n
    x = layout.x[first : first + n_rows].ravel()
    own = lanes_of(0, np.array([0, n]), np.array([0, len(x)]), n_lanes, False, x)
    for o, s in np.ndindex(len(places), n_signs):
        operator = operator_of(
            g, layout.vertex_ptr, operators.indptr[o], operators.sources, operators.weights,
            operators.divisor[o],
        )  # fmt: skip
        inside = inside_of(codes[rows], s + 1 if n_signs > 1 else 0, len(own))
        for length, walk_type in np.argwhere((places[o] >= 0).any(axis=-1)):
            cyclic = walk_type == CYCLE and length > 0
            closed = operators.diagonal[o, length - 1, rows] if cyclic else None
            walks = [
                walk(f.astype(np.float32), inside, length, walk_type, operator, closed)
                for f in own.T
            ]
            for aggregator in np.flatnonzero(places[o, length, walk_type] >= 0):
                place = places[o, length, walk_type, aggregator]
                of, start = patterns.of_place, patterns.start[2 * place + s :]
                if n_signs == 1:
                    of, start = patterns.of_whole, patterns.whole_start[place:]
                for position, z in zip(layout.position[of[place], lanes], walks, strict=True):
                    if position >= 0:
                        answer = aggregate(z, inside, walk_type, aggregator)
                        block[start[0] + position] = answer if inside.any() else np.inf
