"""Which columns there are for one feature: every distinct question once, the simplest first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from graphtrees._layout import (
    AGGREGATORS,
    CYCLE,
    MAX_OF,
    NO_AGGREGATOR,
    SOURCE,
    SUM_OF,
    TARGET,
    TARGET_SOURCE,
    WALK_TYPES,
)


@dataclass(frozen=True)
class QuestionSpace:
    """What the parameters of an estimator let a split ask."""

    max_walk_length: int
    max_ancestor_distance: int
    walk_types: tuple[int, ...]
    aggregators: tuple[int, ...]
    walk_type_probability: float
    operators: tuple[str, ...]
    of_graphs: bool  # examples are whole graphs, not vertices
    directed: bool | None = None  # whether the direction of edges mattered; None: no edges
    edge_features: tuple[str, ...] | None = None  # relations that are edge features; None: unknown

    @property
    def adds_up(self) -> bool:
        """Whether any question sums over vertices."""
        return self.of_graphs or self.max_walk_length > 0

    def walks(self) -> set[tuple[int, int, bool]]:
        """(operator, length, whether summed over all vertices) of everything that may be asked."""
        summed = self.of_graphs and SUM_OF in self.aggregators
        lengths = range(self.max_walk_length + 1)
        return {(o, d, summed) for o in range(len(self.operators)) for d in lengths}

    @classmethod
    def of_vertices_alone(cls) -> QuestionSpace:
        """Rows of a table: the only questions are the features themselves."""
        return cls(0, 0, (SOURCE,), (), 1.0, ("adjacency",), of_graphs=False)


@dataclass(frozen=True)
class Plan:
    """The columns of one lane, in the order in which ties between them are settled.

    `places[operator][walk length, walk type, aggregator]` is a column's place, -1 where there is
    none; kernels write by it.
    """

    walk_length: np.ndarray
    operator: np.ndarray
    walk_type: np.ndarray
    aggregator: np.ndarray
    places: np.ndarray
    on_subset: bool

    @property
    def width(self) -> int:
        return len(self.walk_length)

    def is_closed(self, place: int) -> bool:
        """Whether a question is about closed walks."""
        return int(self.walk_length[place]) > 0 and int(self.walk_type[place]) == CYCLE


def plan_columns(
    space: QuestionSpace,
    offered: frozenset[int],
    on_subset: bool,
    has_cycles: Callable[[int, int], bool],
    has_missing: bool,
    graph_features: bool = False,
) -> Plan:
    """List the columns for the walk types offered, on the whole graph or on a subset of it.

    `has_cycles(operator, length)` tells whether any closed walk exists: without one, `cycle`
    would only ask for zeros. `has_missing` tells whether any vertex value is missing: then a sum
    over a subset whose values are all missing differs from the sum over the graph with zeros.
    With `graph_features`, whole graphs are always asked for the largest value without a walk: all
    vertices have the value of their graph.
    """
    listed = []
    for length in range(space.max_walk_length + 1):
        for operator in range(len(space.operators) if length else 1):
            closed = length > 0 and CYCLE in offered and has_cycles(operator, length)
            for walk_type, place_type in _types(space, offered, on_subset, length, closed):
                inner = on_subset and length == 0 and place_type == CYCLE
                # Without a step to take, the sum over the subset is already asked as `source`.
                repeats = inner and SOURCE in offered and not has_missing
                for aggregator in space.aggregators if space.of_graphs else (NO_AGGREGATOR,):
                    if not (repeats and aggregator == SUM_OF):
                        listed.append((length, operator, walk_type, aggregator, place_type))
    if graph_features and space.of_graphs and not on_subset and MAX_OF not in space.aggregators:
        listed.append((0, 0, SOURCE, MAX_OF, SOURCE))
    listed.sort()
    places = np.full(
        (len(space.operators), space.max_walk_length + 1, len(WALK_TYPES), len(AGGREGATORS)),
        -1,
        np.int32,
    )
    for place, (length, operator, _, aggregator, place_type) in enumerate(listed):
        places[operator, length, place_type, max(aggregator, 0)] = place
    fields = np.array([entry[:4] for entry in listed], np.int32).reshape(-1, 4)
    return Plan(fields[:, 0], fields[:, 1], fields[:, 2], fields[:, 3], places, on_subset)


def _types(
    space: QuestionSpace, offered: frozenset[int], on_subset: bool, length: int, closed: bool
) -> list[tuple[int, int]]:
    """(walk type as it is named, walk type under which kernels know it)."""
    if not on_subset:
        plain = [(SOURCE, SOURCE)]
        return plain + ([(CYCLE, CYCLE)] if closed and CYCLE in offered else [])
    if length == 0:
        inner = min((t for t in offered if t != SOURCE), default=None)
        if not space.of_graphs:
            either = [t for t in (SOURCE, CYCLE) if t in offered]
            return [(either[0], SOURCE)] if either else []
        kinds = [(SOURCE, SOURCE)] if SOURCE in offered else []
        return kinds + ([(inner, CYCLE)] if inner is not None else [])
    kinds = [(SOURCE, SOURCE)] if SOURCE in offered else []
    if CYCLE in offered and closed:
        kinds.append((CYCLE, CYCLE))
    if space.of_graphs:
        kinds += [(t, t) for t in (TARGET, TARGET_SOURCE) if t in offered]
    return kinds
