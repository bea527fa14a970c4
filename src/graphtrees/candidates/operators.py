"""The matrices that move values along walks, built from edges, one sparse row a vertex.

Where edges are the examples, their matrix is kept as a product of two; see `incidence`.

An operator has a name: 'adjacency' (all edges), the name of a relation (one edge type, or one
column of edge features as weights), and in front of either 'reverse:' (walk them backwards) or
'mean:' (average what comes in). 'reverse' and 'mean' alone are those of the adjacency.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from graphtrees._layout import OFFSET, VALUE, VERTEX
from graphtrees.candidates.incidence import NO_MIDDLE, Middle, no_ways, ways_of
from graphtrees.graphs.flat import FlatGraphs
from graphtrees.graphs.line_graph import LineGraphs

FORMS = ("reverse", "mean")
PLAIN = ("adjacency", *FORMS)
EVERY_RELATION = {"relations": "", "reverse_relations": "reverse:", "mean_relations": "mean:"}


@dataclass(frozen=True)
class Operator:
    """`indptr` by global vertex, neighbours numbered within their graph; rows divided by `divisor`.

    The divisor stays apart from the weights so that an average of equal numbers is that number.
    With a middle, `indices` are vertices of the middle, which hand over what enters them.
    """

    name: str
    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    divisor: np.ndarray
    middle: Middle = NO_MIDDLE

    @property
    def has_middle(self) -> bool:
        return len(self.middle.ptr) > 1


def relation_names(flat: FlatGraphs) -> tuple[str, ...]:
    """What edges are told apart by: their types, then the columns of their features."""
    return tuple(str(name) for name in (*flat.edge_type_names, *flat.edge_feature_names))


def listed(asked: str | Sequence[str]) -> tuple[str, ...]:
    """Names of operators; one alone needs no tuple around it."""
    return (asked,) if isinstance(asked, str) else tuple(asked)


def expand_operators(asked: str | Sequence[str], flat: FlatGraphs) -> tuple[str, ...]:
    """Names of single operators, each once; on undirected graphs backwards is forwards."""
    relations = relation_names(flat)
    names: list[str] = []
    for name in listed(asked):
        if name in EVERY_RELATION:
            _check_names(relations)
            names += [EVERY_RELATION[name] + relation for relation in relations]
        elif name in PLAIN or _relation_of(name) in (*relations, "adjacency"):
            names.append(name)
        else:
            known = ", ".join([*PLAIN, *EVERY_RELATION, *relations])
            raise ValueError(f"operators must be among {known}; got {name!r}")
    if not flat.directed:
        names = [_forwards(name) for name in names]
    return tuple(dict.fromkeys(names)) or ("adjacency",)


def _check_names(relations: tuple[str, ...]) -> None:
    """Each relation can be named, and is not taken for another operator."""
    for place, name in enumerate(relations):
        if name in relations[:place]:
            raise ValueError(f"two relations are named {name!r} (edge types, edge features)")
        if name in (*PLAIN, *EVERY_RELATION) or _relation_of(name) != name:
            raise ValueError(
                f"a relation is named {name!r}, which means something else among operators: "
                "rename the edge type or edge feature"
            )


def _forwards(name: str) -> str:
    return "adjacency" if name == "reverse" else name.removeprefix("reverse:")


def _relation_of(name: str) -> str:
    """The relation behind a name: 'double' of 'mean:double', 'adjacency' of 'mean'."""
    if name in FORMS:
        return "adjacency"
    form, _, rest = name.partition(":")
    return rest if form in FORMS and rest else name


def build_operators(flat: FlatGraphs, names: tuple[str, ...]) -> tuple[Operator, ...]:
    """One operator for each name; edges that run side by side add up."""
    if isinstance(flat, LineGraphs):
        return tuple(_edge_operator(flat, name) for name in names)
    first = np.repeat(flat.vertex_ptr[:-1], np.diff(flat.vertex_ptr))
    incoming: dict[str, sparse.csr_array] = {}
    built = []
    for name in names:
        relation = _relation_of(name)
        if relation not in incoming:
            incoming[relation] = _incoming(flat, *edges_of(flat, relation))
        matrix = incoming[relation]
        if name.startswith("reverse"):
            matrix = sparse.csr_array(matrix.T)
        matrix.sort_indices()
        row_start = np.repeat(first, np.diff(matrix.indptr))
        divisor = _row_sizes(matrix) if name.split(":")[0] == "mean" else np.empty(0)
        built.append(
            Operator(
                name,
                matrix.indptr.astype(OFFSET),
                (matrix.indices - row_start).astype(VERTEX),
                matrix.data.astype(VALUE),
                divisor,
            )
        )
    return tuple(built)


def _edge_operator(flat: LineGraphs, name: str) -> Operator:
    known = _relation_of(name) == "adjacency"
    ways = ways_of(flat, backwards=name.startswith("reverse")) if known else no_ways(flat)
    averages = name.split(":")[0] == "mean"
    divisor = np.maximum(ways.row_sums, 1).astype(np.float64) if averages else np.empty(0)
    weights = np.ones(len(ways.indices), VALUE)
    return Operator(name, ways.indptr, ways.indices, weights, divisor, ways.middle)


def edges_of(flat: FlatGraphs, relation: str) -> tuple[np.ndarray, np.ndarray | None]:
    """Which edges a relation holds, and their weights (None: 1).

    Graphs without a relation that a model knows simply have no such edges.
    """
    if relation == "adjacency":
        return np.arange(flat.n_edges), flat.edge_weights
    types = [str(name) for name in flat.edge_type_names]
    if relation in types:
        assert flat.edge_types is not None
        chosen = np.flatnonzero(flat.edge_types == types.index(relation))
        return chosen, None if flat.edge_weights is None else flat.edge_weights[chosen]
    if relation in flat.edge_feature_names:
        assert flat.edge_features is not None
        values = flat.edge_features[:, flat.edge_feature_names.index(relation)]
        chosen = np.flatnonzero(values)
        return chosen, values[chosen]
    return np.empty(0, np.int64), None


def _incoming(flat: FlatGraphs, chosen: np.ndarray, weights: np.ndarray | None) -> sparse.csr_array:
    """A[i, j] = total weight of the chosen edges from j to i, all graphs on one block diagonal."""
    start = np.repeat(flat.vertex_ptr[:-1], np.diff(flat.edge_ptr))[chosen]
    source, target = flat.edges[:, chosen] + start
    counts = np.ones(len(source)) if weights is None else weights
    if not flat.directed:
        both = source != target  # an undirected loop is one way back to where it started
        source, target = np.r_[source, target[both]], np.r_[target, source[both]]
        counts = np.r_[counts, counts[both]]
    if weights is not None:
        # Parallel edges add up in the order of their weights, not of their listing.
        order = np.argsort(counts, kind="stable")
        source, target, counts = source[order], target[order], counts[order]
    shape = (flat.n_vertices, flat.n_vertices)
    matrix = sparse.csr_array((counts, (target, source)), shape=shape)
    matrix.sum_duplicates()
    return matrix


def stack_middles(operators: Sequence[Operator]) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
    """The middles of some operators in one set of arrays: indptr by operator, edges end to end."""
    middles = [op.middle for op in operators]
    shifts = np.cumsum([0] + [len(middle.indices) for middle in middles])
    return (
        middles[0].ptr,
        np.stack([m.indptr + shift for m, shift in zip(middles, shifts, strict=False)]),
        np.concatenate([middle.indices for middle in middles]),
        any(middle.beside for middle in middles),
    )


def _row_sizes(matrix: sparse.csr_array) -> np.ndarray:
    """Sum of |weight| into each vertex; 1 where nothing comes in, so that the average is 0."""
    sizes = np.abs(matrix.data)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((sizes, rows))
    total = np.zeros(matrix.shape[0])
    np.add.at(total, rows[order], sizes[order])
    total[total == 0] = 1.0
    return total
