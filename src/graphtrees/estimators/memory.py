"""How much memory a fit will need, told from shapes before anything large is allocated.

The sums below follow what the engine keeps and, where it is large, what it holds for a moment.
They are about what `fit` adds to the process: the data of the caller is there already. How close
they come is measured by `benchmarks/memory.py`; see docs/performance.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtrees._layout import CYCLE, MEAN_OF, SOURCE, SUM_OF
from graphtrees._threads import ONE_THREAD, Workers
from graphtrees.ensembles.examples import Examples
from graphtrees.estimators.counting import count_filled, count_lanes
from graphtrees.estimators.small_numbers import are_counts, sums_are_small
from graphtrees.graphs.flat import FlatGraphs
from graphtrees.graphs.line_graph import LineGraphs
from graphtrees.kernels._rows import WIDTH
from graphtrees.kernels.vertex_columns import TILE
from graphtrees.questions.features import MOST_STRETCHES, VERTICES_A_THREAD, FeatureTable
from graphtrees.questions.plan import Plan, QuestionSpace, plan_columns
from graphtrees.trees.training_data import FIRST_SLOTS

# Up to this share of non-zero values, vertex examples are kept as lists of the others.
LISTED_SHARE = 0.25

# Below this share of questions a node, no block of all questions is made.
BLOCK_SHARE = 0.06

# What a fit takes however small the data: thread stacks, arenas, temporary arrays.
LEAST = 8 * 2**20


@dataclass(frozen=True)
class Sizes:
    """What decides how much is allocated."""

    n_examples: int
    n_vertices: int
    n_columns: int
    n_filled: int  # values that are not zero
    n_values: int  # numbers written out, vertex by vertex
    n_lanes: int  # graph examples: (graph, column) pairs with any value
    n_entries: int  # of all operators together
    n_operators: int
    has_missing: bool
    is_small: bool  # graph examples: all sums are small whole numbers, of two bytes
    has_counts: bool  # vertex examples: all values are whole and not negative
    n_copied: int  # bytes of tables and of edges that are read into graphs first
    n_outputs: int
    n_threads: int
    n_trees_at_once: int
    share_of_questions: float  # that a node chooses among
    routes_colours: bool  # graph examples go through trees, with colours as columns


# ---- the estimate --------------------------------------------------------------------------------


def estimate(sizes: Sizes, space: QuestionSpace, max_bins: int | None) -> dict[str, int]:
    """Bytes by what they are for."""
    parts = _of_graphs(sizes, space, max_bins) if space.of_graphs else _of_vertices(
        sizes, space, max_bins
    )  # fmt: skip
    return parts | {"everything else": LEAST}


def count_questions(space: QuestionSpace) -> int:
    """How many questions a node has to choose among for one column, at the most."""
    return n_questions(space, False) + 2 * space.max_ancestor_distance * n_questions(space, True)


def n_questions(space: QuestionSpace, on_subset: bool) -> int:
    """How many of them are about the whole graph, or about one subset."""
    return _plan(space, on_subset).width


def _plan(space: QuestionSpace, on_subset: bool) -> Plan:
    offered = frozenset(space.walk_types)
    return plan_columns(space, offered, on_subset, lambda _, length: length > 1, True)


def _of_graphs(sizes: Sizes, space: QuestionSpace, max_bins: int | None) -> dict[str, int]:
    width = 2 if sizes.is_small else 4
    longest, several = space.max_walk_length, 1 + (sizes.n_operators > 1)
    whole, subset = n_questions(space, False), n_questions(space, True)
    a = space.max_ancestor_distance
    closed = sizes.n_vertices * (1 + several) if CYCLE in space.walk_types else 0
    walked = longest * sizes.n_operators * (width * several * sizes.n_values + 4 * closed)
    values = width * sizes.n_values * (1 + sizes.has_missing)
    makes_blocks = sizes.share_of_questions > BLOCK_SHARE
    stored = subset - (_n_means(space) if sizes.is_small else 0)
    tree = (
        (a + 1) * (sizes.n_vertices + 8 * sizes.n_examples)
        + 2 * width * a * stored * sizes.n_lanes * makes_blocks
        + 16 * sizes.n_lanes
        + 16 * (whole + 2 * a * subset) * sizes.n_columns
    )
    tree *= sizes.n_trees_at_once
    questions = whole * sizes.n_lanes * (4 if max_bins is None else 5)
    # Encoded features and absolute values are given back before columns are made; but the system
    # gets back large arrays only, and those of small numbers are not looked at again.
    temporary = _encoded(sizes) + 4 * sizes.n_values
    if sizes.is_small:
        temporary = max(0, temporary - questions - tree)
    return {
        "features": temporary + values + 24 * sizes.n_lanes,
        "edges": 28 * sizes.n_entries + 24 * sizes.n_vertices * sizes.n_operators,
        "walks": walked + 4 * sizes.n_values * min(longest, 1) * (not sizes.is_small),
        "questions": questions,
        "subsets": tree,
        "examples": _per_example(sizes, max_bins),
        "colours": _colours_as_columns(sizes) if sizes.routes_colours else 0,
    }


def _colours_as_columns(sizes: Sizes) -> int:
    """All features of all vertices once more, colours among them: as they are made, and as kept."""
    in_full = sizes.n_vertices * sizes.n_lanes // max(1, sizes.n_examples)
    listed = sizes.n_filled <= LISTED_SHARE * in_full
    kept = 48 * sizes.n_filled if listed else 16 * sizes.n_filled + 4 * in_full
    return _encoded(sizes) + kept


def _n_means(space: QuestionSpace) -> int:
    """Questions about means whose columns are those of their sums."""
    places = _plan(space, True).places
    return int(((places[..., SUM_OF] >= 0) & (places[..., MEAN_OF] >= 0)).sum())


def _of_vertices(sizes: Sizes, space: QuestionSpace, max_bins: int | None) -> dict[str, int]:
    """Vertices, edges and rows of tables."""
    longest, n, a = space.max_walk_length, sizes.n_examples, space.max_ancestor_distance
    listed = sizes.n_filled <= LISTED_SHARE * sizes.n_vertices * sizes.n_columns
    values = 12 * sizes.n_filled if listed else 4 * sizes.n_values
    share = n / max(1, sizes.n_vertices)
    held = [int(share * _held(sizes, length, listed)) for length in range(longest + 1)]
    whole = _answers(_plan(space, False), held)
    subset = _answers(_plan(space, True), held, stores_own=listed or sizes.has_counts)
    makes_blocks = sizes.share_of_questions > BLOCK_SHARE
    entries = sum(held) if listed else 0
    walked = max((_held(sizes, length, listed) for length in range(1, longest)), default=0)
    if not listed:
        walked = sizes.n_vertices * min(sizes.n_columns, TILE) * (longest > 1)
    tree = (
        8 * a * subset * makes_blocks
        + 16 * entries
        + (FIRST_SLOTS * (a > 0) + 8) * sizes.n_vertices
        + 8 * walked * min(longest - 1, 2) * min(a, 1)
    )
    lists = sum(12 * _held(sizes, length, listed) for length in range(1, longest + 1))
    return {
        "features": _encoded(sizes) + values + sizes.n_copied,
        "edges": 36 * sizes.n_entries + 24 * sizes.n_vertices * sizes.n_operators,
        "walks": lists * sizes.n_operators * listed
        + 8 * sizes.n_vertices * longest * sizes.n_operators,
        "questions": whole * (4 if max_bins is None else 5) + 24 * entries,
        "subsets": tree * sizes.n_trees_at_once,
        "examples": _per_example(sizes, max_bins) + 24 * n * sizes.n_threads,
    }


def _answers(plan: Plan, held: list[int], stores_own: bool = True) -> int:
    """Entries of one column of each question, all features together.

    Answers of vertices about themselves may be read from columns of whole graphs.
    """
    lengths = np.where(plan.walk_type == SOURCE, plan.walk_length, 0)
    return int(sum(held[int(length)] for length in lengths if length > 0 or stores_own))


def _held(sizes: Sizes, length: int, listed: bool) -> int:
    """Features that walks of a length bring, of all vertices; neighbours add to lists."""
    full = sizes.n_vertices * sizes.n_columns
    if not listed:
        return full
    degree = sizes.n_entries / max(1, sizes.n_operators * sizes.n_vertices)
    return int(min(full, sizes.n_filled * max(1.0, degree) ** length))


def _encoded(sizes: Sizes) -> int:
    """Features as float32, before they are laid out: in full or as a sparse matrix."""
    return min(4 * sizes.n_vertices * sizes.n_columns, 8 * sizes.n_filled + 8 * sizes.n_vertices)


def _per_example(sizes: Sizes, max_bins: int | None) -> int:
    """Targets, sums, orders and scratch room."""
    words = sizes.n_outputs + 2
    cells = 16 * words * (sizes.n_examples if max_bins is None else 0)
    thread = 12 * sizes.n_examples + cells
    tree = (24 + 24 * words) * sizes.n_examples
    return thread * sizes.n_threads + tree * sizes.n_trees_at_once + 16 * sizes.n_examples * words


# ---- the sizes of what was given -----------------------------------------------------------------


def shape_of(
    examples: Examples, table: FeatureTable, space: QuestionSpace, workers: Workers = ONE_THREAD
) -> dict[str, Any]:
    """Those sizes that the examples decide, without laying anything out."""
    flat = examples.flat
    spans = [(0, flat.n_graphs)]
    if space.of_graphs:
        spans = workers.stretches(flat.vertex_ptr, VERTICES_A_THREAD, MOST_STRETCHES)
    parts = workers.each(lambda *span: _count(flat.between(*span), table, space), spans)
    n_filled, n_values, n_lanes, missing, small = zip(*parts, strict=True)
    n_coloured = flat.n_vertices * (0 if table.colours is None else table.colours.rounds)
    entries = flat.n_edges * (1 if flat.directed or isinstance(flat, LineGraphs) else 2)
    if isinstance(flat, LineGraphs):
        entries = 2 * flat.n_vertices
    return {
        "n_examples": examples.n_here, "n_vertices": flat.n_vertices, "n_columns": table.n_columns,
        "n_filled": sum(n_filled) + n_coloured, "n_values": sum(n_values),
        # At most: vertices of a graph may share colours.
        "n_lanes": sum(n_lanes) + n_coloured * space.of_graphs,
        "n_entries": entries * len(space.operators), "n_operators": len(space.operators),
        "has_missing": any(missing),
        "is_small": space.of_graphs and all(small),
        "has_counts": not space.of_graphs and are_counts(flat),
        "n_copied": 0 if examples.kind in ("graphs", "vertices") else _n_bytes(flat.features),
    }  # fmt: skip


def _count(
    flat: FlatGraphs, table: FeatureTable, space: QuestionSpace
) -> tuple[int, int, int, bool, bool]:
    """(n_filled, n_values, n_lanes, has_missing, is_small) of some of the graphs."""
    n_filled, has_missing = count_filled(flat, table)
    if not space.of_graphs:
        return n_filled, flat.n_vertices * table.n_columns, 0, has_missing, False
    lanes = count_lanes(flat, table)
    n_values = int((np.diff(flat.vertex_ptr) * (-(-lanes // WIDTH) * WIDTH)).sum())
    is_small = sums_are_small(flat, table, space)
    return n_filled, n_values, int(lanes.sum()), has_missing, is_small


def _n_bytes(features: Any) -> int:
    return int(features.data.nbytes)
