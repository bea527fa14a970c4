"""Small batches, subsets, trees and training data, made the way the engine makes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from real_valued import mixed

import graphtrees as gt
from graphtrees._layout import (
    AGGREGATORS,
    CYCLE,
    IN_MINUS,
    IN_PLUS,
    LEAF,
    NO_AGGREGATOR,
    SOURCE,
    VALUE,
    WALK_TYPES,
)
from graphtrees._threads import Workers
from graphtrees.columns.arrays import graph_arrays, operator_arrays
from graphtrees.columns.batch import Batch
from graphtrees.columns.making import make_batch
from graphtrees.graphs.flat import FlatGraphs, starts_of
from graphtrees.graphs.line_graph import line_graph
from graphtrees.kernels import answer, graph_values, vertex_columns
from graphtrees.kernels._jit import kernel
from graphtrees.kernels._references import reference
from graphtrees.kernels._rows import WIDTH
from graphtrees.kernels._team import new_state
from graphtrees.kernels.growing_records import (
    ExactGraphSource,
    GraphSource,
    Patterns,
    PlainGraphSource,
)
from graphtrees.kernels.vertex_records import Asked, VertexSource
from graphtrees.questions.features import FeatureTable
from graphtrees.questions.plan import QuestionSpace
from graphtrees.questions.table import bits_of
from graphtrees.trees.training_data import TrainingData
from graphtrees.trees.tree import Tree

ALONE = Workers(1)
EVERY_TYPE = tuple(range(len(WALK_TYPES)))
EVERY_AGGREGATOR = tuple(range(len(AGGREGATORS)))

WHOLE = (-2.0, -1.0, 0.0, 1.0, 3.0)
QUARTERS = (-1.5, -0.25, 0.0, 0.5, 1.0, 2.75)
COUNTS = (1.0, 2.0)
LARGE = (-(2.0**70), 2.0**70, 0.0, 0.75, 1.0)  # float64 forgets the small ones next to the others


@dataclass(frozen=True)
class Kind:
    """What the graphs of a test are like; numbers None are real ones of very different sizes."""

    numbers: tuple[float, ...] | None = QUARTERS
    weights: tuple[float, ...] | None = QUARTERS
    weighted: bool = True
    directed: bool = True
    missing: float = 0.0
    filled: float = 1.0  # the share of values that may be other than 0
    n_features: int = 2
    edges_per_vertex: int = 2  # at the most
    constant: bool = False
    operators: tuple[str, ...] = ("adjacency", "reverse")

    @property
    def exact(self) -> bool:
        """Whether every walk sum is a short binary fraction, or rounds to one in a single way."""
        return self.numbers is not None and "mean" not in self.operators


KINDS = {
    "counts": Kind(WHOLE, weighted=False, directed=False, constant=True, operators=("adjacency",)),
    "counts along weighted edges": Kind(WHOLE, COUNTS),
    "signed whole numbers": Kind(WHOLE, WHOLE),
    "quarters": Kind(),
    "quarters, some missing": Kind(missing=0.3, constant=True),
    "mostly missing": Kind(missing=0.8, weighted=False),
    "averages": Kind(missing=0.2, operators=("mean", "adjacency")),
    "what is large cancels": Kind(LARGE, (-1.0, 1.0), missing=0.1, edges_per_vertex=5),
    "reals": Kind(None, None, missing=0.1, operators=("adjacency", "mean")),
    "few of many features": Kind(filled=0.1, n_features=6, missing=0.1),
    "the constant alone": Kind(weighted=False, directed=False, n_features=0, constant=True),
    "no features": Kind(n_features=0, weighted=False),
}


def some_graphs(kind: Kind, seed: int = 0, n_graphs: int = 6, most: int = 7) -> FlatGraphs:
    """Graphs of 0 to `most` vertices with loops, parallel edges and lonely vertices.

    The second has no vertex, the third a single one.
    """
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, most + 1, n_graphs)
    sizes[1:3] = np.arange(2)[: n_graphs - 1]
    return gt.Graphs([_a_graph(kind, int(n), rng) for n in sizes]).flat


def _a_graph(kind: Kind, n: int, rng: np.random.Generator) -> gt.Graph:
    n_edges = int(rng.integers(0, kind.edges_per_vertex * n + 1))
    features = _numbers(rng, kind.numbers, (n, kind.n_features), magnitude=3)
    features[rng.random(features.shape) >= kind.filled] = 0.0
    features[rng.random(features.shape) < kind.missing] = np.nan
    return gt.Graph(
        features if kind.n_features else None,
        rng.integers(0, max(n, 1), (n_edges, 2)),
        directed=kind.directed,
        edge_weights=_numbers(rng, kind.weights, n_edges, magnitude=1) if kind.weighted else None,
        n_vertices=n,
    )


def _numbers(rng, values: tuple[float, ...] | None, shape, magnitude: int) -> np.ndarray:
    if values is None:
        return mixed(rng, shape, magnitude)
    return rng.choice(values, shape).astype(VALUE)


def a_batch(flat: FlatGraphs, kind: Kind, lane_major: bool = False, row_of: int = 1) -> Batch:
    table = FeatureTable.of(flat, add_constant=kind.constant)
    return make_batch(flat, table, kind.operators, lane_major, row_of=row_of)


def some_data(
    kind: Kind, of_graphs: bool, seed: int = 0, max_bins: int | None = None,
    max_walk_length: int = 2, **given,
) -> TrainingData:  # fmt: skip
    """Training data whose examples are all graphs, or every other vertex and some of them twice."""
    flat = some_graphs(kind, seed, **given)
    batch = a_batch(flat, kind, row_of=WIDTH if of_graphs else 1)
    everyone = np.arange(batch.n_vertices)
    vertices = None if of_graphs else np.sort(np.r_[everyone[::2], everyone[::5]])
    space = QuestionSpace(
        max_walk_length, 2, EVERY_TYPE, EVERY_AGGREGATOR, 1.0, kind.operators, of_graphs
    )
    return TrainingData(batch, vertices, space, max_bins, ALONE)


def edge_data(
    kind: Kind, seed: int = 0, max_bins: int | None = None, max_walk_length: int = 3, **given
) -> TrainingData:
    """Training data whose examples are every other edge and some of them twice."""
    flat = line_graph(some_graphs(kind, seed, **given))
    operators = (*kind.operators, "mean")
    batch = make_batch(flat, FeatureTable.of(flat, add_constant=kind.constant), operators)
    everyone = np.arange(batch.n_vertices)
    edges = np.sort(np.r_[everyone[::2], everyone[::5]])
    types = (SOURCE, CYCLE)
    space = QuestionSpace(max_walk_length, 2, types, EVERY_AGGREGATOR, 1.0, operators, False)
    return TrainingData(batch, edges, space, max_bins, ALONE)


def some_codes(batch: Batch, seed: int = 0) -> np.ndarray:
    """Two random subsets of every graph; in some graphs one of them, or both, are empty."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, batch.n_vertices).astype(np.uint8)
    graph = batch.graph_of
    codes[graph % 4 == 3] = rng.choice((0, IN_PLUS, IN_MINUS))
    return codes


def a_tree(rng: np.random.Generator, data: TrainingData, depth: int = 3) -> Tree:
    """A tree of random questions, most of them about subsets made above."""
    nodes: list[dict] = []
    _add_node(rng, data, nodes, [], depth)
    kinds = {
        "sign": np.int8, "walk_type": np.int8, "aggregator": np.int8, "threshold": np.float64,
        "missing_left": np.bool_, "gain": np.float64, "n_samples": np.int64, "value": np.float64,
    }  # fmt: skip
    return Tree(
        **{name: np.array([n[name] for n in nodes], kinds.get(name, np.int32)) for name in nodes[0]}
    )


def _add_node(rng, data: TrainingData, nodes: list[dict], above: list[int], depth: int) -> int:
    number = len(nodes)
    values = {"gain": 1.0, "n_samples": 1, "value": rng.choice(QUARTERS, 2)}
    nodes.append({"depth": len(above), "left": LEAF, "right": LEAF, **values})
    if depth == 0 or (above and rng.random() < 0.1):
        nodes[number] |= _question(rng, data, number, []) | {"column": LEAF}
        return number
    nodes[number] |= _question(rng, data, number, above)
    nodes[number]["left"] = _add_node(rng, data, nodes, [*above, number], depth - 1)
    nodes[number]["right"] = _add_node(rng, data, nodes, [*above, number], depth - 1)
    return number


def _question(rng, data: TrainingData, number: int, above: list[int]) -> dict:
    space, on_subset = data.space, bool(above) and rng.random() < 0.7
    types = space.walk_types if on_subset and space.of_graphs else (SOURCE, CYCLE)
    return {
        "column": rng.integers(data.batch.n_columns + 1),  # the last one no graph has
        "operator": rng.integers(len(space.operators)),
        "walk_length": rng.integers(space.max_walk_length + 1),
        "pointer": rng.choice(above) if on_subset else number,
        "sign": rng.choice((IN_PLUS, IN_MINUS)) if on_subset else 0,
        "walk_type": rng.choice(types),
        "aggregator": rng.choice(space.aggregators) if space.of_graphs else NO_AGGREGATOR,
        "threshold": rng.choice((-1.0, 0.0, 0.125, 0.5)),
        "missing_left": rng.random() < 0.5,
    }


def graphs_of_examples(data: TrainingData) -> np.ndarray:
    """The graph of every example."""
    if data.vertices is None:
        return np.arange(data.batch.n_graphs)
    return data.batch.graph_of[data.vertices]


def ask(data: TrainingData, graphs, column, operator, length, walk_type, codes, want) -> np.ndarray:
    """z of one question at every vertex of these graphs, as prediction computes it."""
    batch = data.batch
    z = np.zeros(batch.n_vertices, VALUE)
    cyclic = length > 0 and walk_type == CYCLE
    closed = batch.diagonal(operator, length, ALONE) if cyclic else None
    arrays = graph_arrays(batch, batch.lanes_of(lambda: np.array([column])))
    op = operator_arrays(batch.operators[operator], closed)
    answer.ask(graphs, arrays, op, column, length, walk_type, codes, want, z)
    return z


@kernel
def make_vertices(asked, source, scratch, block, team):
    vertex_columns.make_columns(asked, source, scratch, block, team, (0, 1))


def vertex_table(
    data: TrainingData, codes: np.ndarray | None, rows: np.ndarray | None = None,
    asks: np.ndarray | None = None, left_out: int = 0,
) -> np.ndarray:  # fmt: skip
    """All columns of vertex examples in full: table[row, question, sign, feature].

    Of the whole graph, or (with codes) of two subsets; `rows` are the examples asked about. Those
    that do not ask have zeros. `left_out` is as in `Asked`.
    """
    table = data.questions
    rows = np.arange(data.n_examples) if rows is None else rows
    asks = np.ones(len(rows), bool) if asks is None else asks
    n_signs, plan = (1, table.whole) if codes is None else (2, table.subset)
    places = (
        plan.places if codes is None else table.places[bits_of(frozenset(data.space.walk_types))]
    )
    patterns, layout, operators = data.columns.source()
    patterns = _all_stored(patterns)
    block = np.zeros((patterns.whole_start if codes is None else patterns.start)[-1], VALUE)
    order = np.argsort(~asks, kind="stable")  # those that ask go left
    asked = Asked(
        rows[order].astype(np.int32), np.arange(len(rows), dtype=np.int32), 0, len(rows),
        int(asks.sum()), np.empty(0, np.uint8) if codes is None else codes, n_signs, places,
        np.full_like(places, -1), left_out, data.static.values,
    )  # fmt: skip
    make_vertices(
        asked, VertexSource(patterns, layout, operators), data.columns.scratch(1)[0], block,
        new_state(),
    )  # fmt: skip
    positions = np.argsort(order)
    return _spread(block, rows, positions, n_signs, plan.width, patterns, data.batch.n_columns)


def _spread(
    block, rows, positions, n_signs: int, n_places: int, patterns, n_features: int
) -> np.ndarray:
    out = np.zeros((len(rows), n_places, n_signs, n_features), VALUE)
    for place, s in np.ndindex(n_places, n_signs):
        of, start = patterns.of_whole, patterns.whole_start[place]
        if n_signs > 1:
            of, start = patterns.of_place, patterns.start[2 * place + s]
        p = of[place]
        for i, row in enumerate(rows):
            if patterns.is_full[p]:
                at = patterns.feature_start[p, :n_features] + positions[i]
                out[i, place, s] = block[start + at]
            else:
                entries = slice(patterns.ptr[p, row], patterns.ptr[p, row + 1])
                out[i, place, s, patterns.feature[entries]] = block[
                    start + patterns.position[entries]
                ]
    return out


@kernel
def make_all(codes, n_signs, places, source, scratch, block):
    source, scratch = reference(source), reference(scratch)
    n_graphs = source.layout.vertex_ptr.shape[0] - 1
    graph_values.make_stretch(0, n_graphs, codes, n_signs, places, source, scratch, block)


def graph_block(
    data: TrainingData, codes: np.ndarray | None, kind: type = GraphSource
) -> np.ndarray:
    """All columns of whole graphs, or (with codes) of two subsets, by one kind of source."""
    table, scratch = data.questions, data.columns.scratch(1)[0]
    n_signs, places = (1, table.whole.places) if codes is None else (2, table.places[15])
    codes = np.empty(0, np.uint8) if codes is None else codes
    patterns, layout, operators = real_source(data)
    source = kind(patterns, layout, operators)
    starts = patterns.whole_start if n_signs == 1 else patterns.start
    block = np.full(starts[-1], -77.0, VALUE)
    make_all(codes, n_signs, places, source, scratch, block)
    return block


def _all_stored(patterns: Patterns) -> Patterns:
    """With room in a block for the columns of every question."""
    sizes = patterns.feature_start[patterns.of_place, -1]
    start, own = starts_of(np.repeat(sizes, 2)), np.full(len(sizes), -1)
    return patterns._replace(start=start, own=own)


def real_source(data: TrainingData) -> GraphSource:
    """Values as float32, and room in a block for the columns of every question."""
    patterns, layout, operators = data.columns.source()
    x, x_walk, walked = (a.astype(VALUE) for a in (layout.x, layout.x_walk, operators.walked))
    return GraphSource(
        _all_stored(patterns),
        layout._replace(x=x, x_walk=x_walk),
        operators._replace(walked=walked),
    )


def kinds_of_source(data: TrainingData) -> list[type]:
    """Those whose sums are right for these numbers."""
    kinds: list[type] = [GraphSource]
    if data.columns.is_exact:
        kinds.append(ExactGraphSource)
    if data.columns.is_plain:
        kinds.append(PlainGraphSource)
    return kinds
