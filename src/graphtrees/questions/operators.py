"""The matrices that move values along walks, built from edges, one sparse row a vertex.

Where edges are the examples, their matrix is kept as a product of two; see `incidence`.

What an operator is called, and what its name means, is in `operator_name`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from graphtrees._layout import OFFSET, VALUE, VERTEX
from graphtrees._threads import Workers
from graphtrees.graphs.flat import FlatGraphs, spread
from graphtrees.graphs.line_graph import LineGraphs
from graphtrees.questions.edge_steps import NO_ENDPOINTS, Endpoints, edge_steps, no_edge_steps
from graphtrees.questions.operator_name import ADJACENCY, EVERY_RELATION, PLAIN, OperatorName


@dataclass(frozen=True)
class Operator:
    """`indptr` by global vertex, neighbours numbered within their graph; rows divided by `divisor`.

    The divisor stays apart from the weights so that an average of equal numbers is that number.
    With endpoints, `indices` are endpoints, which hand over what enters them.
    """

    name: str
    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    divisor: np.ndarray
    endpoints: Endpoints = NO_ENDPOINTS

    @property
    def has_endpoints(self) -> bool:
        return len(self.endpoints.ptr) > 1

    @property
    def rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The sparse rows, as kernels take them."""
        return self.indptr, self.indices, self.weights

    def between(self, start: int, stop: int) -> Operator:
        """The rows of some vertices, all those of the graphs that they belong to."""
        indptr = self.indptr[start : stop + 1]
        entries = slice(int(indptr[0]), int(indptr[-1]))
        return Operator(
            self.name, indptr - indptr[0], self.indices[entries], self.weights[entries],
            self.divisor[start:stop],
        )  # fmt: skip


def relation_names(flat: FlatGraphs) -> tuple[str, ...]:
    """What edges are told apart by: their types, then the columns of their features."""
    return tuple(str(name) for name in (*flat.edge_type_names, *flat.edge_feature_names))


def listed(asked: str | Sequence[str]) -> tuple[str, ...]:
    """Names of operators; one alone needs no tuple around it."""
    return (asked,) if isinstance(asked, str) else tuple(asked)


def expand_operators(asked: str | Sequence[str], flat: FlatGraphs) -> tuple[str, ...]:
    """Names of single operators, each once; on undirected graphs backwards is forwards."""
    relations = relation_names(flat)
    names: list[OperatorName] = []
    for text in listed(asked):
        if text in EVERY_RELATION:
            for relation in relations:
                _check_relation(relation, relations)
            names += [OperatorName(EVERY_RELATION[text], relation) for relation in relations]
        else:
            names.append(_one_operator(text, relations))
    if not flat.directed:
        names = [name.forwards for name in names]
    return tuple(dict.fromkeys(map(str, names))) or (ADJACENCY,)


def _one_operator(text: str, relations: tuple[str, ...]) -> OperatorName:
    name = OperatorName.parse(text)
    if name.relation != ADJACENCY and name.relation not in relations:
        if text in relations:
            _check_relation(text, relations)
        known = ", ".join([*PLAIN, *EVERY_RELATION, *relations])
        raise ValueError(f"operators must be among {known}; got {text!r}")
    if name.relation != ADJACENCY:
        _check_relation(name.relation, relations)
    return name


def _check_relation(relation: str, relations: tuple[str, ...]) -> None:
    """One relation alone has this name, and the name is not that of another operator."""
    if relations.count(relation) > 1:
        raise ValueError(f"two relations are named {relation!r} (edge types, edge features)")
    plain = OperatorName.parse(relation) == OperatorName("", relation)
    if relation in (ADJACENCY, *EVERY_RELATION) or not plain:
        raise ValueError(
            f"a relation is named {relation!r}, which means something else among operators: "
            "rename the edge type or edge feature"
        )


def build_operators(flat: FlatGraphs, names: tuple[str, ...]) -> tuple[Operator, ...]:
    """One operator for each name; edges that run side by side add up."""
    if isinstance(flat, LineGraphs):
        return tuple(_edge_operator(flat, name) for name in names)
    first = spread(flat.vertex_ptr[:-1], flat.vertex_ptr)
    built_of: dict[str, sparse.csr_array] = {}
    built = []
    for text in names:
        name = OperatorName.parse(text)
        if name.relation not in built_of:
            built_of[name.relation] = incoming(flat, *edges_of(flat, name.relation))
        matrix = built_of[name.relation]
        if name.backwards:
            matrix = sparse.csr_array(matrix.T)
        matrix.sort_indices()
        row_start = spread(first, matrix.indptr)
        built.append(
            Operator(
                text,
                matrix.indptr.astype(OFFSET),
                (matrix.indices - row_start).astype(VERTEX),
                matrix.data.astype(VALUE),
                _row_sizes(matrix) if name.averages else np.empty(0),
            )
        )
    return tuple(built)


def join_operators(parts: Sequence[tuple[Operator, ...]], workers: Workers) -> tuple[Operator, ...]:
    """Operators of graphs side by side from those of stretches of the graphs."""
    if len(parts) == 1:
        return parts[0]
    return tuple(_join(stretches, workers) for stretches in zip(*parts, strict=True))


def _join(stretches: Sequence[Operator], workers: Workers) -> Operator:
    first = np.cumsum([0, *(len(one.indices) for one in stretches[:-1])]).tolist()
    ptr = [one.indptr[min(k, 1) :] for k, one in enumerate(stretches)]
    return Operator(
        stretches[0].name,
        workers.join(workers.each(np.add, zip(ptr, first, strict=True))),
        workers.join([one.indices for one in stretches]),
        workers.join([one.weights for one in stretches]),
        workers.join([one.divisor for one in stretches]),
    )


def _edge_operator(flat: LineGraphs, text: str) -> Operator:
    name = OperatorName.parse(text)
    known = name.relation == ADJACENCY
    steps = edge_steps(flat, backwards=name.backwards) if known else no_edge_steps(flat)
    divisor = np.maximum(steps.row_sums, 1).astype(np.float64) if name.averages else np.empty(0)
    weights = np.ones(len(steps.indices), VALUE)
    return Operator(text, steps.indptr, steps.indices, weights, divisor, steps.endpoints)


def edges_of(flat: FlatGraphs, relation: str) -> tuple[np.ndarray, np.ndarray | None]:
    """Which edges a relation holds, and their weights (None: 1).

    Graphs without a relation that a model knows simply have no such edges.
    """
    if relation == ADJACENCY:
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


def ends_of(flat: FlatGraphs, chosen: np.ndarray) -> np.ndarray:
    """Source and target of edges, chosen in ascending order, numbered over all graphs."""
    ends = flat.edges + spread(flat.vertex_ptr[:-1], flat.edge_ptr)
    return ends if len(chosen) == flat.n_edges else ends[:, chosen]


def incoming(flat: FlatGraphs, chosen: np.ndarray, weights: np.ndarray | None) -> sparse.csr_array:
    """A[i, j] = total weight of the chosen edges from j to i, all graphs on one block diagonal."""
    source, target = ends_of(flat, chosen)
    counts = np.ones(len(source)) if weights is None else weights
    if not flat.directed:
        both = source != target  # an undirected loop is one way back to where it started
        back = target[both], source[both]
        source, target = np.concatenate([[source, target], back], axis=1)
        counts = np.concatenate([counts, counts[both]])
    if weights is not None:
        # Parallel edges add up in the order of their weights, not of their listing.
        order = np.argsort(counts, kind="stable")
        source, target, counts = source[order], target[order], counts[order]
    shape = (flat.n_vertices, flat.n_vertices)
    matrix = sparse.csr_array((counts, (target, source)), shape=shape)
    matrix.sum_duplicates()
    return matrix


def stack_endpoints(
    operators: Sequence[Operator],
) -> tuple[np.ndarray, np.ndarray, np.ndarray, bool]:
    """The endpoints of all operators: indptr by operator, edges end to end."""
    stacked = [op.endpoints for op in operators]
    shifts = np.cumsum([0] + [len(one.indices) for one in stacked])
    return (
        stacked[0].ptr,
        np.stack([one.indptr + shift for one, shift in zip(stacked, shifts, strict=False)]),
        np.concatenate([one.indices for one in stacked]),
        any(one.skips_itself for one in stacked),
    )


def _row_sizes(matrix: sparse.csr_array) -> np.ndarray:
    """Sum of |weight| into each vertex; 1 where nothing comes in, so that the average is 0."""
    sizes = np.abs(matrix.data)
    rows = spread(np.arange(matrix.shape[0]), matrix.indptr)
    order = np.lexsort((sizes, rows))
    total = np.zeros(matrix.shape[0])
    np.add.at(total, rows[order], sizes[order])
    total[total == 0] = 1.0
    return total
