"""Arrays that travel together, as kernels take them."""

from __future__ import annotations

from typing import Any, NamedTuple


class GraphArrays(NamedTuple):
    """Vertex values of many graphs; `columns.batch` draws the layout."""

    vertex_ptr: Any
    lane_ptr: Any
    lane_features: Any
    x_ptr: Any
    lane_major: Any
    x: Any


class OperatorArrays(NamedTuple):
    """Operators side by side: arrays of two and more dimensions have a row for each.

    `indices` and `weights` hold the entries of all of them end to end. Without divisors these have
    no columns; without endpoints `endpoint_ptr` has one entry (see `questions.edge_steps`).
    `diagonal` has the diagonals of A, A², ... of each, or only that of the one power asked for.
    """

    indptr: Any
    indices: Any
    weights: Any
    divisor: Any
    endpoint_ptr: Any
    into_indptr: Any
    into_sources: Any
    skips_itself: Any
    diagonal: Any


class NodeArrays(NamedTuple):
    """The nodes of trees end to end; whole numbers in a row a node, as they are read together."""

    table: Any  # int32 (n_nodes, N_FIELDS)
    threshold: Any
    tree_ptr: Any
    deepest: Any  # the largest depth of a node
    longest: Any  # the longest walk of a question


# The columns of `NodeArrays.table`; left and right are numbered within their tree.
(
    FEATURE, OPERATOR, LENGTH, WALK_TYPE, AGGREGATOR, POINTER_DEPTH, SIGN, MISSING_LEFT, LEFT,
    RIGHT, DEPTH, IS_USED,
) = range(12)  # fmt: skip
N_FIELDS = 12


class Examples(NamedTuple):
    """Examples ptr[g]:ptr[g + 1] are of graph g; `vertex` is -1 for the graph itself.

    `place` is where results of an example belong.
    """

    ptr: Any
    vertex: Any
    place: Any


class Work(NamedTuple):
    """What threads share out: every graph of `graphs` with each of `n_parts` stretches of trees."""

    counter: Any  # int64 (1,): the next piece of work
    graphs: Any
    n_parts: Any
    at_once: Any  # how many pieces a thread takes at a time
    first_tree: Any
    stop_tree: Any


class Question(NamedTuple):
    """What a split-node asks; `want` is a code in the subsets at `shift`, 0 the whole graph."""

    feature: Any
    operator: Any
    length: Any
    walk_type: Any
    aggregator: Any
    shift: Any
    want: Any


class Spare(NamedTuple):
    """Room for walks: the values before a step, and sums at endpoints with their errors."""

    before: Any
    sums: Any
    errors: Any


class EdgeArrays(NamedTuple):
    """Which edges make which entry of the operators; edges are numbered within their graph."""

    edge_ptr: Any
    entry_ptr: Any
    entry_edges: Any  # empty where edges cannot be told, as in a graph that is made of edges
    entry_shares: Any  # the share of each of them in the size of its entry


class Jobs(NamedTuple):
    """Stretches start:stop of examples, each of one graph."""

    graph: Any
    start: Any
    stop: Any


class AskedAbout(NamedTuple):
    """The vertex of each example (-1: the whole graph), and the output that is explained."""

    vertex: Any
    output: Any


class Contributions(NamedTuple):
    """adds_to[tree, output]: whether a tree adds to an output; amount[node, output]: how much.

    Importance takes the size of the amounts, attribution their sign as well.
    """

    adds_to: Any
    amount: Any


class Sums(NamedTuple):
    """Example e owns vertex_sum[vertex_start[e]:] and edge_sum[edge_start[e]:].

    What an edge gets for never being used is the same for all edges of the example and is kept in
    edge_base[e]. leaf_of[e, tree] is the leaf, -1 where the tree does not speak.
    """

    vertex_start: Any
    vertex_sum: Any
    edge_start: Any
    edge_sum: Any
    edge_base: Any
    leaf_of: Any


class Shares(NamedTuple):
    """Example e owns vertex[vertex_start[e]:] and edge[edge_start[e]:].

    absence[e] sums the changes that no vertex has a part in, no_walk[e] those of questions that
    follow no edge. leaf_of[e, tree] is the leaf, -1 where the tree does not speak.
    """

    vertex_start: Any
    vertex: Any
    edge_start: Any
    edge: Any
    absence: Any
    no_walk: Any
    leaf_of: Any


class Trace(NamedTuple):
    """Step k: its node, its value, z[k] at the vertices, the subsets it made at codes[k * n:].

    The edges that it used are used[used_ptr[k]:used_ptr[k + 1]].
    """

    nodes: Any
    values: Any
    z: Any
    codes: Any
    used_ptr: Any
    used: Any
