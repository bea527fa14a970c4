"""Arrays that travel together while trees are grown."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class PackedStats(NamedTuple):
    """One gradient and one hessian an example, as boosting has them, in two words.

    words[i] = (gradient, hessian × 2^count_bits + 1), both in fixed point: one addition sums the
    hessian and counts the example.
    """

    words: np.ndarray
    weight: np.ndarray
    count_bits: int
    gradient_unit: float
    gradient_error: float  # by how much a gradient may be off
    hessian_unit: float
    l2: float
    min_hessian: float


class WideStats(NamedTuple):
    """Any number of sums: words[i] = (1, sum 1, sum 2, ...), in fixed point.

    Gradients and hessians in turn (`kind` NEWTON), or the weight in the channel of the class.
    """

    words: np.ndarray
    weight: np.ndarray
    units: np.ndarray
    errors: np.ndarray  # by how much each number may be off
    kind: int
    l2: float
    min_hessian: float


class SearchLimits(NamedTuple):
    """What a cut must fulfil, and how columns are cut into bins (max_bins 0: every value)."""

    min_samples: int
    max_bins: int
    tolerance: float
    refined_rows: int
    has_missing: bool  # whether any entry may be NaN
    refines_static: bool  # whether the winner among columns with bins is refined as well


class ColumnRows(NamedTuple):
    """The rows of a node as one column sees them.

    `total` sums all of them, `present` those whose subset is not empty; of these, rows without an
    entry are 0. The others are missing.
    """

    n_rows: int
    n_present: int
    total: np.ndarray
    present: np.ndarray


class Entries(NamedTuple):
    """Entries start:stop of a node: where each stands in a column (plus `shift`), and its row."""

    position: np.ndarray
    row: np.ndarray
    start: int
    stop: int
    shift: int


class ColumnScratch(NamedTuple):
    """One thread's room for the entries of a column, its bins and its histogram."""

    values: np.ndarray  # float32
    rows: np.ndarray  # int32
    bins: np.ndarray  # int32
    cells: np.ndarray  # int64 (n_cells, n_words)
    below: np.ndarray  # int64 (2, max_bins): sums of all cells up to one
    sums: np.ndarray  # int64 (4, n_words)
    distinct: np.ndarray  # float32
    ends: np.ndarray  # int32 (2,)
    cut: np.ndarray  # int64 (last bin on the left, missing goes left, no matter where)


class GraphLayout(NamedTuple):
    """The values of all graphs, as whole-graph examples are computed from them.

    Graph g has one lane for each feature it holds at all: lane_features[lane_ptr[g]:...]. The
    lanes of a vertex lie side by side in rows of eight, filled up with zeros; those of graph g
    begin at first_row[g]. Lanes from n_valued[g] on are colours and have no values: colour[r, v]
    is the lane, within its graph, of the colour of vertex v in round r + 1; -1: none.
    position[p, lane] is where the entry stands in a column of pattern p; -1: it has none there.
    """

    vertex_ptr: np.ndarray
    lane_ptr: np.ndarray
    lane_features: np.ndarray
    n_valued: np.ndarray
    colour: np.ndarray
    position: np.ndarray
    lane_at: np.ndarray  # the lane of every entry of all patterns
    first_row: np.ndarray
    x: np.ndarray
    x_walk: np.ndarray  # the same, missing values as 0


class GraphOperators(NamedTuple):
    """All operators; edges are stored end to end, vertices numbered within their graph."""

    indptr: np.ndarray  # (n_operators, n_vertices + 1)
    sources: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    divisor: np.ndarray  # (n_operators, n_vertices), or (n_operators, 0): nothing is divided
    walked: np.ndarray  # (n_operators, longest, n_rows, 8): A^d x of the whole graph
    diagonal: np.ndarray  # (n_operators, longest, n_vertices): closed walks


class GraphScratch(NamedTuple):
    """One thread's room for one graph."""

    sign: np.ndarray  # of every vertex: 1, 2, or 0 outside both subsets
    members: np.ndarray  # the vertices of the first subset, and of the second
    part: np.ndarray  # where walks from a vertex go: rows of the first, second or third part
    counts: np.ndarray
    here: np.ndarray
    there: np.ndarray
    answers: np.ndarray
    z: np.ndarray
    spare: np.ndarray
    n_of_colour: np.ndarray  # (n_lanes, 2): vertices of each colour in either subset
    graphs: np.ndarray  # whose answers are made together; see `graph_values`
    kept: np.ndarray  # their answers, as many rows as `answers` has for each row of eight lanes
    kept_fields: np.ndarray
    taken: np.ndarray  # where numbers of a row are taken from `kept`
    written: np.ndarray  # and where in a column they are written


class Patterns(NamedTuple):
    """Where columns have entries: questions about the same features share a pattern.

    The entries of example i in pattern p are ptr[p, i]:ptr[p, i + 1], each with its feature and
    its position in every column of that pattern. In a full pattern every example has every feature
    that is kept, and entries need not be listed: example i is at feature_start[p, f] + i, or about
    subsets, for vertices, where `Work.positions` says.
    """

    ptr: np.ndarray  # (n_patterns, n_examples + 1)
    feature: np.ndarray
    position: np.ndarray
    is_full: np.ndarray  # (n_patterns,)
    feature_start: np.ndarray  # (n_patterns, n_features + 1): the first entry of a feature
    is_kept: np.ndarray  # (n_patterns, n_features): which features may have entries
    n_features: np.ndarray  # (n_patterns,): no feature from here on has any
    of_place: np.ndarray  # the pattern of a question about subsets
    of_whole: np.ndarray  # of one about whole graphs
    start: np.ndarray  # where the column 2 × place + sign begins in a block; the last one: its end
    whole_start: np.ndarray  # where the column of a question about whole graphs begins
    own: np.ndarray  # (n_places,): the question about whole graphs whose answers are also those
    # about a subset, for vertices inside it, and need not be stored again; -1: none
    whole_of: np.ndarray  # (n_places,): the question about whole graphs whose answers are the sums,
    # without rounding, of those about two subsets that share out all vertices; or empty


class GraphSource(NamedTuple):
    """Whole graphs as examples; any numbers."""

    patterns: Patterns
    layout: GraphLayout
    operators: GraphOperators


class ExactGraphSource(NamedTuple):
    """The same where float64 adds all numbers exactly: no rounding error is carried along."""

    patterns: Patterns
    layout: GraphLayout
    operators: GraphOperators


class PlainGraphSource(NamedTuple):
    """The same where every sum is of small whole numbers, which float32 adds exactly."""

    patterns: Patterns
    layout: GraphLayout
    operators: GraphOperators


class Questions(NamedTuple):
    """The questions that may be asked, by their place in the plan.

    The first axis of some arrays is the set of walk types that a node may ask about, one bit each.
    """

    places: (
        np.ndarray
    )  # (n_sets, n_operators, longest + 1, 4, 4): of questions on a subset; -1: none
    is_legal: np.ndarray  # (n_sets, n_places) about subsets
    is_legal_whole: np.ndarray  # (n_sets, n_whole) about whole graphs
    walk_type: np.ndarray  # (n_sets, n_places): the name under which it is asked
    whole_walk_type: np.ndarray
    operator: np.ndarray
    length: np.ndarray
    aggregator: np.ndarray
    is_over_all: np.ndarray  # whether a question on a subset aggregates over every vertex
    whole_operator: np.ndarray
    whole_length: np.ndarray
    whole_aggregator: np.ndarray
    is_offered: np.ndarray  # features of this tree


class StaticColumns(NamedTuple):
    """The columns of whole graphs, which no split changes; without bins in the exact search."""

    values: np.ndarray  # column after column
    bins: np.ndarray
    n_bins: np.ndarray  # (n_whole, n_features)
    zero_bin: np.ndarray
    is_single: np.ndarray  # (n_whole, n_features): each bin has one value; known to several workers
    bound: np.ndarray  # (n_places, n_features): answers about subsets are 0, 1, ... bound; -1: any


class Growth(NamedTuple):
    """When a tree stops growing, and its random draws."""

    max_leaf_nodes: int  # 0: no limit
    max_depth: int  # -1: no limit
    min_gain: float
    max_ancestor_distance: int
    all_walk_types: int
    walk_type_probability: float
    ties_at_random: bool
    seed: int
    n_drawn: int  # questions that a node chooses among; 0: all, -1: the share
    share_drawn: float
    makes_blocks: bool  # columns of subsets are made for all features at once, not one by one
    all_present: bool  # every example has an answer to every question: true of vertices


class Nodes(NamedTuple):
    """The nodes of the tree, as it grows."""

    start: np.ndarray
    stop: np.ndarray
    n_rows: np.ndarray  # of all workers; start:stop are those of this one
    depth: np.ndarray
    parent: np.ndarray
    left: np.ndarray
    right: np.ndarray
    distance: np.ndarray
    place: np.ndarray
    sign: np.ndarray
    feature: np.ndarray
    walk_types: np.ndarray
    threshold: np.ndarray
    missing_left: np.ndarray
    gain: np.ndarray
    key: np.ndarray
    slot: np.ndarray  # where the subsets of a split-node on vertices are stored; -1: nowhere
    n_users: np.ndarray  # nodes still to be split that may ask about these subsets
    total: np.ndarray
    weight: np.ndarray


class Work(NamedTuple):
    """What the threads that grow a tree share. The first axis of some arrays is the child."""

    control: np.ndarray
    rows: np.ndarray
    spare_rows: np.ndarray
    goes_left: np.ndarray
    positions: np.ndarray  # (max_ancestor_distance, n_examples): positions[k - 1, i] is where the
    # answers of rows[i] stand in full columns about the subset at distance k; see `grow`
    inside: np.ndarray  # (max_ancestor_distance, n_examples): from nodes.start on the rows of a
    # child inside its first subset, up to nodes.stop those inside the second; or none are listed
    n_inside_rows: np.ndarray  # (2, max_ancestor_distance, 2): how many these are
    codes: np.ndarray  # subsets: of graphs by depth (max_ancestor_distance + 1, n_vertices), of
    # vertices by slot (n_slots, n_vertices)
    free_slots: np.ndarray  # slots that are not in use; empty for graphs
    n_inside: np.ndarray  # (max_ancestor_distance + 1, n_examples, 2): vertices of each subset; the
    # last row is for whole graphs, 0 where they are empty; no examples where these are vertices
    # and all are present
    blocks: np.ndarray  # (max_ancestor_distance, all entries of all columns), by depth; float32 or,
    # where all sums are small whole numbers, int16
    entry_ptr: np.ndarray  # (2, n_patterns, n_features + 1)
    entry_start: np.ndarray  # (2, n_patterns, n_stretches, n_features): by stretch of the rows
    entry_position: np.ndarray  # (2, n_entries)
    entry_row: np.ndarray
    held: np.ndarray  # (2, n_patterns, n_features): features that some example of a child holds
    n_held: np.ndarray  # (2, n_patterns)
    n_present: np.ndarray  # (2, max_ancestor_distance + 1, 2)
    present_total: np.ndarray
    present_weight: np.ndarray
    task_gain: np.ndarray  # (2, n_tasks, n_shares): by share of the features
    gain: np.ndarray  # (2, n_columns), or for those drawn
    floor: np.ndarray  # (2,): a gain that some column has; -inf before the first
    gain_start: np.ndarray  # (n_tasks + 1): the first of a task's columns
    cut_task: np.ndarray  # (2, 2): of the column that a child may be split by, for each sign
    cut_feature: np.ndarray
    cut_gain: np.ndarray  # -inf where a sign is not as good as the best column
    cut_threshold: np.ndarray
    cut_missing_left: np.ndarray
    queue: np.ndarray
    legal_tasks: np.ndarray  # (2, n_tasks)
    legal_start: np.ndarray  # (2, n_tasks + 1): the first of a task's columns, among the legal ones
    legal_features: np.ndarray  # (n_patterns, n_features)
    n_legal_features: np.ndarray  # (n_patterns,)
    drawn: np.ndarray  # (2, n_drawn): the columns of this turn, numbered among the legal ones
    is_tried: np.ndarray  # (2, n_columns / 64): one bit each
    rows_a_stretch: int  # at least, where a node's entries are listed by several members


class SharedColumns(NamedTuple):
    """The columns of both children that several workers search shared, one after the other.

    Each worker has some of the rows. What they tell each other about a column comes in two steps:
    `n_read`, `known`, `exponents`, `ends` and `is_whole` are its range; `cells`, from start[i] to
    start[i + 1], its histogram, or its entries where there are few.
    """

    span: np.ndarray  # (2,): the columns of the current stage
    n_entries: np.ndarray  # (2, n_patterns, n_features): of all workers
    child: np.ndarray
    task: np.ndarray
    feature: np.ndarray
    kind: np.ndarray
    n_read: np.ndarray  # entries that are present and not 0
    n_before: np.ndarray  # those of workers that come before this one
    known: np.ndarray
    exponents: np.ndarray
    ends: np.ndarray  # float32 (n, 2): smallest, largest
    is_whole: np.ndarray
    n_bins: np.ndarray
    zero_bin: np.ndarray
    scale: np.ndarray  # (n, 3): bottom, middle, step; see `choose_bins`
    start: np.ndarray
    cells: np.ndarray
    gain: np.ndarray
    cut: np.ndarray  # (n, 3): as in ColumnScratch
    chosen: np.ndarray  # (2, 3): task, number of signs, feature of each child
    part: np.ndarray  # (2,) highest value on the left, lowest on the right
    weights: np.ndarray  # (4,) of entries on the left, on the right, of all; number of entries


class Task(NamedTuple):
    """All that a tree is grown from, and on; the members of a team share it."""

    source: NamedTuple
    questions: NamedTuple
    static: NamedTuple
    stats: NamedTuple
    growth: Growth
    limits: NamedTuple
    nodes: Nodes
    work: Work


class Member(NamedTuple):
    """The room of one member of a team."""

    scratch: ColumnScratch
    source: NamedTuple


class Room(NamedTuple):
    """One thread's room; `entries` holds the sums of entries that came from all workers."""

    scratch: ColumnScratch
    source: NamedTuple
    entries: NamedTuple
