"""Arrays that travel together while trees are grown on vertices, edges or rows of a table.

All of them are called vertices here: an edge is a vertex of its line graph, and a row of a table is
a vertex without edges. One step of a walk between vertices of a line graph goes by way of the
endpoints that edges share: a vertex with d edges makes d² pairs of edges, which are never listed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from graphtrees.kernels.growing_records import Patterns


class VertexLayout(NamedTuple):
    """The values of all vertices, and which of them are examples.

    In full, x[v × n_features + f]. Otherwise as lists without the zeros: vertex v owns the entries
    row_ptr[0, v]:row_ptr[0, v + 1] of row_feature, with values at the same places in x. Further
    levels of row_ptr list the features that walks bring to a vertex; see `vertex_sums.level_of`.
    """

    vertex: np.ndarray  # of every example
    is_full: bool
    n_features: int
    row_ptr: np.ndarray  # (n_levels, n_vertices + 1)
    row_feature: np.ndarray
    x: np.ndarray


class VertexOperators(NamedTuple):
    """All operators; the entries of row v are indptr[o, v]:indptr[o, v + 1].

    `sources` are vertices. With endpoints they are endpoints: into_sources[into_indptr[o, m]:...]
    are then the vertices (edges of the graph) that enter endpoint m, and with `skips_itself` one of
    them is always the row itself, which is taken out again.
    """

    indptr: np.ndarray
    sources: np.ndarray
    weights: np.ndarray
    divisor: np.ndarray  # (n_operators, n_vertices), or (n_operators, 0): nothing is divided
    diagonal: np.ndarray  # (n_operators, longest, n_vertices): closed walks
    has_endpoints: bool
    skips_itself: bool
    into_indptr: np.ndarray  # (n_operators, n_endpoints + 1)
    into_sources: np.ndarray
    end_row_ptr: np.ndarray  # (n_levels, n_endpoints + 1): features that arrive at an endpoint
    end_row_feature: np.ndarray
    is_exact: bool  # float64 adds all numbers exactly: no rounding error is carried along


class VertexSource(NamedTuple):
    """Vertices as examples."""

    patterns: Patterns
    layout: VertexLayout
    operators: VertexOperators


class LaneRoom(NamedTuple):
    """One number for each vertex, before and after a step, and the sums at endpoints."""

    z: np.ndarray
    spare: np.ndarray
    end_high: np.ndarray
    end_low: np.ndarray


class Stages(NamedTuple):
    """Where walks into some vertices are after each step; n -1 means everywhere."""

    vertices: np.ndarray  # (longest, n_vertices)
    n_vertices: np.ndarray  # (longest,)
    mark: np.ndarray
    ends: np.ndarray  # (longest, n_endpoints)
    n_ends: np.ndarray
    end_mark: np.ndarray
    stamp: np.ndarray  # (1,)


class RowRoom(NamedTuple):
    """The rows of all vertices after a step, for two subsets: [step % 2, sign, ...] flattened."""

    rows: np.ndarray  # (2, 2, n_numbers)
    end_high: np.ndarray  # (2, n_numbers of endpoints)
    end_low: np.ndarray
    arrived: np.ndarray  # (2, n_vertices): [step % 2, v]; see `vertex_sums`
    end_arrived: np.ndarray  # (n_endpoints,)


class VertexScratch(NamedTuple):
    """What the members of a team share (`lane`, `stages`, `rows`), and what each has alone."""

    lane: LaneRoom
    stages: Stages
    rows: RowRoom
    own_lane: LaneRoom
    own_stages: Stages
    high: np.ndarray  # (2 × width): one row for each subset
    low: np.ndarray
    answers: np.ndarray  # (examples of a tile, 2 × width); see `answer_tiles`


class Asked(NamedTuple):
    """Whose columns are made: rows[start:start + n], of two subsets or (n_signs 1) of all vertices.

    The first n_left rows go left, and ask other questions than those that go right. In columns of
    full patterns the answers of rows[i] go to position[i]. Of two subsets that share out all
    vertices one need not be walked from: where `left_out` is its number (1 or 2, 0: none is), its
    answers are those about the whole graph, `whole_values`, less those about the other one.
    """

    rows: np.ndarray
    position: np.ndarray
    start: int
    n: int
    n_left: int
    codes: np.ndarray
    n_signs: int
    left_places: np.ndarray
    right_places: np.ndarray
    left_out: int
    whole_values: np.ndarray
